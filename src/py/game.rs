//! Python's `Game` and `Outcome`.

use numpy::{PyArray1, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::board::Side;
use crate::error::{Error, Result};
use crate::for_variant;
use crate::games::draws::Preset;
use crate::games::game;
use crate::games::position::Position;
use crate::games::variant::Variant;

use super::errors::number;
use super::picture;
use super::record::{ErasedGame, Record};

/// The widest picture, in pixels.
const LARGEST_SVG: usize = 10_000;

/// How a game ended.
#[pyclass(name = "Outcome", module = "shashki", frozen, eq, hash)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PyOutcome {
    /// `"white"`, `"black"`, or `None` for a draw.
    #[pyo3(get)]
    winner: Option<String>,
    /// Why, in the words of the rules.
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

/// One game.
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

    #[getter]
    fn variant(&self) -> &'static str {
        self.record.spec().variant.name()
    }

    #[getter]
    fn draws(&self) -> &'static str {
        self.record.preset().name()
    }

    #[getter]
    fn side(&self) -> String {
        self.record.side().to_string()
    }

    #[getter]
    fn outcome(&self) -> Option<PyOutcome> {
        self.record.outcome().map(PyOutcome::from)
    }

    #[getter]
    fn offer(&self) -> Option<String> {
        self.record.offer().map(|side| side.to_string())
    }

    #[getter]
    fn history(&self) -> Vec<String> {
        self.record.history().to_vec()
    }

    #[getter]
    fn turns_played(&self) -> u32 {
        self.record.turns_played()
    }

    #[getter]
    fn observation_shape(&self) -> (usize, usize, usize) {
        self.record.spec().planes().into()
    }

    #[getter]
    fn num_actions(&self) -> usize {
        self.record.spec().actions
    }

    #[getter]
    fn plane_names(&self) -> Vec<&'static str> {
        self.record.spec().plane_names.to_vec()
    }

    fn turns(&self) -> Vec<String> {
        self.record.turns()
    }

    fn play(&mut self, turn: &str) -> PyResult<String> {
        Ok(self.record.play(turn)?)
    }

    fn hops(&self) -> Vec<(usize, String, String)> {
        self.record.hops()
    }

    fn play_hop(&mut self, action: &Bound<'_, PyAny>) -> PyResult<()> {
        let last = self.record.spec().actions - 1;
        let action = number("action", &format!("a hop number from 0 to {last}"), action)?;
        Ok(self.record.play_hop(action)?)
    }

    fn fen(&self) -> String {
        self.record.fen()
    }

    fn offer_draw(&mut self) -> PyResult<()> {
        Ok(self.record.offer_draw()?)
    }

    fn accept_draw(&mut self) -> PyResult<()> {
        Ok(self.record.accept_draw()?)
    }

    fn decline_draw(&mut self) -> PyResult<()> {
        Ok(self.record.decline_draw()?)
    }

    #[pyo3(signature = (side = None))]
    fn resign(&mut self, side: Option<&str>) -> PyResult<()> {
        let side = side.map_or_else(|| Ok(self.record.side()), read_side)?;
        Ok(self.record.resign(side)?)
    }

    fn action_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i8>>> {
        let mask = PyArray1::zeros(py, self.record.spec().actions, false);
        self.record.write_mask(mask.try_readwrite()?.as_slice_mut()?);
        Ok(mask)
    }

    fn observation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let planes = PyArray3::zeros(py, self.record.spec().planes(), false);
        self.record.write_planes(planes.try_readwrite()?.as_slice_mut()?);
        Ok(planes)
    }

    fn get_state<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.record.state())
    }

    fn set_state(&mut self, state: &[u8]) -> PyResult<()> {
        Ok(self.record.set_state(state)?)
    }

    fn copy(&self) -> Self {
        Self { record: self.record.copy() }
    }

    #[pyo3(signature = (size = 360))]
    fn svg(&self, size: usize) -> PyResult<String> {
        if !(1..=LARGEST_SVG).contains(&size) {
            return Err(Error::value("size", size, format!("1 to {LARGEST_SVG} pixels")).into());
        }
        Ok(picture::svg(self.record.spec(), &self.record.fen(), size))
    }

    fn _repr_svg_(&self) -> PyResult<String> {
        self.svg(360)
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
        format!("{}\n{now}", picture::text(self.record.spec(), &self.record.fen()))
    }

    fn __repr__(&self) -> String {
        format!("Game('{}', fen='{}', draws='{}')", self.variant(), self.record.fen(), self.draws())
    }
}
