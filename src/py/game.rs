//! Python's `Game` and `Outcome`.

use std::collections::BTreeMap;

use numpy::{PyArray1, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMapping, PyTuple};

use crate::board::Side;
use crate::error::{Error, Result};
use crate::for_variant;
use crate::games::diagram;
use crate::games::draws::Preset;
use crate::games::game;
use crate::games::position::Position;
use crate::games::turn::Turn;
use crate::games::variant::Variant;

use super::errors::number;
use super::record::{ErasedGame, Record};

/// The widest picture, in pixels.
const LARGEST_SVG: usize = 10_000;

/// How a game ended.
///
/// Args:
///     winner: ``"white"``, ``"black"``, or ``None`` for a draw.
///     reason: Why, in the words of the rules.
///
/// Raises:
///     ValueError: If the winner is no side.
#[pyclass(name = "Outcome", module = "shashki", frozen, eq, hash)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PyOutcome {
    /// The side that won; ``None`` for a draw.
    #[pyo3(get)]
    winner: Option<String>,
    /// Why, in the words of the rules: ``"no move"``, ``"repetition"``, ….
    #[pyo3(get)]
    reason: String,
}

impl From<game::Outcome> for PyOutcome {
    fn from(outcome: game::Outcome) -> Self {
        Self { winner: outcome.winner.map(|side| side.to_string()), reason: outcome.reason.to_string() }
    }
}

#[pymethods]
impl PyOutcome {
    #[new]
    fn new(winner: Option<&str>, reason: String) -> PyResult<Self> {
        let winner = winner.map(read_side).transpose()?;
        Ok(Self { winner: winner.map(|side| side.to_string()), reason })
    }

    fn __repr__(&self) -> String {
        let winner = self.winner.as_ref().map_or_else(|| "None".to_owned(), |winner| format!("'{winner}'"));
        format!("Outcome(winner={winner}, reason='{}')", self.reason)
    }

    fn __getnewargs__(&self) -> (Option<String>, String) {
        (self.winner.clone(), self.reason.clone())
    }
}

/// Reads a side by name.
pub fn read_side(text: &str) -> Result<Side> {
    let found = Side::BOTH.into_iter().find(|side| side.to_string() == text);
    found.ok_or_else(|| Error::value("side", text, "white or black"))
}

/// Names and values; what is `None` is not known.
fn read_tags(tags: &Bound<'_, PyMapping>) -> PyResult<Vec<(String, String)>> {
    let mut read = Vec::new();
    for item in tags.items()?.iter() {
        let (name, value) = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
        let text = name.extract::<String>().unwrap_or_default();
        if text.is_empty() || !text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(Error::value("tag name", name.repr()?, "letters a to z, digits and _").into());
        }
        if !value.is_none() {
            read.push((text, value.str()?.to_string()));
        }
    }
    Ok(read)
}

fn read_size(size: &Bound<'_, PyAny>) -> PyResult<usize> {
    number("size", &format!("1 to {LARGEST_SVG} pixels"), size)
}

/// A game in play or over.
///
/// People play turns (``game.play("c5:e3:g5")``); learners play hops, a step or one jump of one
/// piece, by number (``game.play_hop(action)``). Numbers run from 0 to ``num_actions - 1`` (280 in
/// Russian draughts) and are the mover's: for Black the board is turned. A longer capture is
/// several hops, during which ``side`` stays the same.
///
/// ``observation()`` shows the game to the side to move, row 0 being its first rank. The planes
/// (``plane_names``) of Russian draughts: own men, own kings, the other's men, the other's kings,
/// the piece that must go on jumping, the pieces jumped in this chain and still standing, plies
/// over limit of the nearest draw (in sixteenths), earlier occurrences of the position over 2.
///
/// Games can be copied, compared and pickled, in mid chain too. Two games are equal if their
/// positions and draw counters are; the turns that led there do not matter.
///
/// Args:
///     variant: What is played, one of ``VARIANTS``.
///     fen: The first position, ``"W:Wa1,Kc3:Bb8"``; the variant's start unless given.
///     draws: The draw rules: ``"official"``, ``"basic"``, ``"lidraughts"`` or ``"russian"``.
///
/// Raises:
///     ValueError: If a name is unknown or the position cannot be read.
#[pyclass(name = "Game", module = "shashki")]
pub struct PyGame {
    record: Box<dyn ErasedGame>,
}

impl PyGame {
    /// A game for Python from one of the core.
    pub fn of<P: Position>(game: game::Game<P>) -> Self {
        Self { record: Box::new(Record::new(game)) }
    }

    /// The game behind it.
    pub fn record(&self) -> &dyn ErasedGame {
        &*self.record
    }
}

fn new_record(variant: Variant, fen: Option<&str>, preset: Preset) -> Result<Box<dyn ErasedGame>> {
    for_variant!(variant, P => {
        let position = fen.map_or_else(|| Ok(P::start()), P::read_fen)?;
        Ok(Box::new(Record::new(game::Game::<P>::from_position(position, preset)?)))
    })
}

#[pymethods]
impl PyGame {
    #[new]
    #[pyo3(signature = (variant = "russian", fen = None, draws = "official"))]
    fn new(variant: &str, fen: Option<&str>, draws: &str) -> PyResult<Self> {
        Ok(Self { record: new_record(variant.parse()?, fen, draws.parse()?)? })
    }

    /// The variant's name.
    #[getter]
    fn variant(&self) -> &'static str {
        self.record.spec().variant.name()
    }

    /// The name of the draw rules in force.
    #[getter]
    fn draws(&self) -> &'static str {
        self.record.preset().name()
    }

    /// Who moves. Within a chain of jumps it stays the same side.
    #[getter]
    fn side(&self) -> String {
        self.record.side().to_string()
    }

    /// How the game ended; ``None`` while it goes on.
    #[getter]
    fn outcome(&self) -> Option<PyOutcome> {
        self.record.outcome().map(PyOutcome::from)
    }

    /// The side whose draw offer is open.
    #[getter]
    fn offer(&self) -> Option<String> {
        self.record.offer().map(|side| side.to_string())
    }

    /// The whole turns played, in full notation.
    #[getter]
    fn history(&self) -> Vec<String> {
        self.record.history().to_vec()
    }

    /// How many whole turns both sides have played.
    #[getter]
    fn turns_played(&self) -> u32 {
        self.record.turns_played()
    }

    /// The shape of an observation: channels, height, width.
    #[getter]
    fn observation_shape(&self) -> (usize, usize, usize) {
        self.record.spec().planes().into()
    }

    /// Hop numbers run from 0 to this less 1.
    #[getter]
    fn num_actions(&self) -> usize {
        self.record.spec().actions
    }

    /// What each channel of an observation shows.
    #[getter]
    fn plane_names(&self) -> Vec<&'static str> {
        self.record.spec().plane_names.to_vec()
    }

    /// The legal turns in full notation, sorted; in a chain its continuations.
    fn turns(&self) -> Vec<String> {
        self.record.turns()
    }

    /// Play a turn, in full or short form, and return it in full.
    ///
    /// Raises:
    ///     ValueError: If it is unreadable, illegal or fits several turns, or the game is over.
    fn play(&mut self, turn: &str) -> PyResult<String> {
        Ok(self.record.play(turn)?)
    }

    /// The legal hops as (action, from, to), sorted by action; none when the game is over.
    fn hops(&self) -> Vec<(usize, String, String)> {
        self.record.hops()
    }

    /// Play the hop of a number.
    ///
    /// Raises:
    ///     ValueError: If it is illegal, or the game is over.
    fn play_hop(&mut self, action: &Bound<'_, PyAny>) -> PyResult<()> {
        let last = self.record.spec().actions - 1;
        let action = number("action", &format!("a hop number from 0 to {last}"), action)?;
        Ok(self.record.play_hop(action)?)
    }

    /// The position as text. Draw counters are not in it; ``get_state`` keeps them.
    fn fen(&self) -> String {
        self.record.fen()
    }

    /// Offer a draw in the name of the side to move.
    ///
    /// It stands until the other side answers or plays.
    ///
    /// Raises:
    ///     ValueError: If the game is over.
    fn offer_draw(&mut self) -> PyResult<()> {
        Ok(self.record.offer_draw()?)
    }

    /// Accept the open offer: the game is drawn.
    ///
    /// Raises:
    ///     ValueError: If no offer is open.
    fn accept_draw(&mut self) -> PyResult<()> {
        Ok(self.record.accept_draw()?)
    }

    /// Decline the open offer.
    ///
    /// Raises:
    ///     ValueError: If no offer is open.
    fn decline_draw(&mut self) -> PyResult<()> {
        Ok(self.record.decline_draw()?)
    }

    /// Give up, in the name of the side to move unless another is given.
    ///
    /// Raises:
    ///     ValueError: If the game is over.
    #[pyo3(signature = (side = None))]
    fn resign(&mut self, side: Option<&str>) -> PyResult<()> {
        let side = side.map_or_else(|| Ok(self.record.side()), read_side)?;
        Ok(self.record.resign(side)?)
    }

    /// 1 for each legal hop, ``[actions]``; all zero when the game is over.
    fn action_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i8>>> {
        let mask = PyArray1::zeros(py, self.record.spec().actions, false);
        self.record.write_mask(mask.try_readwrite()?.as_slice_mut()?);
        Ok(mask)
    }

    /// The position as planes ``[channels, height, width]``, seen by the side to move.
    fn observation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let planes = PyArray3::zeros(py, self.record.spec().planes(), false);
        self.record.write_planes(planes.try_readwrite()?.as_slice_mut()?);
        Ok(planes)
    }

    /// The whole turns played as a PDN text, to be written behind others, in UTF-8.
    ///
    /// Args:
    ///     tags: Further tags, ``{"White": "Ivanov", "Round": 3}``; those that follow from the game
    ///         (Result, FEN, GameType, …) are written anyway.
    ///
    /// Raises:
    ///     ValueError: If the name of a tag is none.
    #[pyo3(signature = (tags = None))]
    fn pdn(&self, tags: Option<&Bound<'_, PyMapping>>) -> PyResult<String> {
        let tags = tags.map_or_else(|| Ok(Vec::new()), read_tags)?;
        Ok(self.record.pdn(tags)?)
    }

    /// The whole game as bytes: position, draw counters, earlier positions, turns, outcome.
    fn get_state<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.record.state())
    }

    /// Restore what ``get_state`` returned.
    ///
    /// Raises:
    ///     ValueError: If the bytes are damaged or of another variant; then nothing has changed.
    fn set_state(&mut self, state: &[u8]) -> PyResult<()> {
        Ok(self.record.set_state(state)?)
    }

    /// A game apart that stands the same.
    fn copy(&self) -> Self {
        Self { record: self.record.copy() }
    }

    /// The pieces by square: ``{"c3": "w", "d4": "Wbb"}``.
    ///
    /// ``w`` and ``b`` are men, ``W`` and ``B`` kings; of a tower the top comes first.
    fn pieces(&self) -> BTreeMap<String, String> {
        diagram::towers(&self.record.fen()).iter().map(|tower| (tower.square.to_string(), tower.letters())).collect()
    }

    /// The board as an SVG picture; notebooks show it by themselves.
    ///
    /// Args:
    ///     size: Its width in pixels.
    ///     below: The side at the bottom.
    ///     last_turn: Whether to mark the squares of the turn that led here.
    ///     arrows: Turns in full notation to point at, the best first: the later the fainter.
    ///         None unless given.
    ///
    /// Raises:
    ///     ValueError: If the size is not 1 to 10,000, or a side or turn cannot be read.
    #[pyo3(signature = (size = 360, *, below = "white", last_turn = true, arrows = Vec::new()))]
    fn svg(
        &self,
        #[pyo3(from_py_with = read_size)] size: usize,
        below: &str,
        last_turn: bool,
        arrows: Vec<String>,
    ) -> PyResult<String> {
        if !(1..=LARGEST_SVG).contains(&size) {
            return Err(Error::value("size", size, format!("1 to {LARGEST_SVG} pixels")).into());
        }
        let arrows = arrows.iter().map(|text| text.parse()).collect::<Result<Vec<Turn>, _>>()?;
        let last = match self.record.history().last() {
            Some(text) if last_turn => Some(text.parse::<Turn>()?),
            _ => None,
        };
        let drawing = diagram::Drawing { width: size, below: read_side(below)?, last: last.as_ref(), arrows: &arrows };
        Ok(diagram::svg(self.record.spec(), &self.record.fen(), &drawing))
    }

    fn _repr_svg_(&self) -> PyResult<String> {
        self.svg(360, "white", true, Vec::new())
    }

    fn __copy__(&self) -> Self {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.copy()
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, [self.variant()])
    }

    fn __getstate__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        self.get_state(py)
    }

    fn __setstate__(&mut self, state: &[u8]) -> PyResult<()> {
        self.set_state(state)
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.record.same(other.record())
    }

    fn __str__(&self) -> String {
        let now = match self.record.outcome() {
            Some(outcome) => outcome.to_string(),
            None => format!("{} to move", self.side()),
        };
        diagram::text(self.record.spec(), &self.record.fen(), Side::White, &diagram::ASCII) + &now
    }

    fn __repr__(&self) -> String {
        format!("Game('{}', fen='{}', draws='{}')", self.variant(), self.record.fen(), self.draws())
    }
}
