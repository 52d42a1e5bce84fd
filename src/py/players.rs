//! Python's `Player`, and the doors to the command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::error::{Error, Result};
use crate::for_variant;
use crate::games::game::Game;
use crate::games::position::Position;
use crate::games::turn::Turn;
use crate::games::variant::Variant;
use crate::player::{Analysis, Player};
use crate::{cli, roster};

use super::errors::number;
use super::game::PyGame;
use super::record::{ErasedGame, Record};
use super::signals::Signals;

/// What Python asks of a player, whatever its variant.
trait ErasedPlayer: Send {
    fn name(&self) -> String;
    fn choose(&mut self, game: &dyn ErasedGame) -> Result<String>;
    fn analyse(&mut self, game: &dyn ErasedGame) -> Result<Analysis>;
    fn new_game(&mut self);
    fn seed(&mut self, seed: u64);
}

struct Typed<P: Position>(Box<dyn Player<P>>);

impl<P: Position> Typed<P> {
    /// The game as the player's variant has it, if it is not over.
    fn open(game: &dyn ErasedGame) -> Result<&Game<P>> {
        let found = game.spec().variant;
        let record = game.as_any().downcast_ref::<Record<P>>();
        let record = record.ok_or_else(|| Error::value("game of", found, format!("{}", P::SPEC.variant)))?;
        match record.game().outcome() {
            Some(outcome) => Err(Error::GameOver(outcome.to_string())),
            None => Ok(record.game()),
        }
    }
}

impl<P: Position> ErasedPlayer for Typed<P> {
    fn name(&self) -> String {
        self.0.name()
    }

    fn choose(&mut self, game: &dyn ErasedGame) -> Result<String> {
        Ok(self.0.choose(Self::open(game)?)?.to_string())
    }

    fn analyse(&mut self, game: &dyn ErasedGame) -> Result<Analysis> {
        self.0.analyse(Self::open(game)?)
    }

    fn new_game(&mut self) {
        self.0.new_game();
    }

    fn seed(&mut self, seed: u64) {
        self.0.seed(seed);
    }
}

fn new_player(variant: Variant, text: &str) -> Result<Box<dyn ErasedPlayer>> {
    for_variant!(variant, P => Ok(Box::new(Typed::<P>(roster::player(text)?))))
}

/// Chooses turns.
#[pyclass(name = "Player", module = "shashki", frozen)]
pub struct PyPlayer {
    variant: Variant,
    player: Mutex<Box<dyn ErasedPlayer>>,
}

impl PyPlayer {
    fn lock(&self) -> MutexGuard<'_, Box<dyn ErasedPlayer>> {
        self.player.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the player about a copy of a game, while other Python threads run.
    fn ask<T: Send>(
        &self,
        game: &Bound<'_, PyGame>,
        question: impl FnOnce(&mut dyn ErasedPlayer, &dyn ErasedGame) -> Result<T> + Send,
    ) -> PyResult<T> {
        let copy = game.try_borrow()?.record().copy();
        Ok(game.py().detach(|| question(&mut **self.lock(), &*copy))?)
    }
}

#[pymethods]
impl PyPlayer {
    /// Its text.
    #[getter]
    fn name(&self, py: Python<'_>) -> String {
        py.detach(|| self.lock().name())
    }

    /// What it plays.
    #[getter]
    fn variant(&self) -> &'static str {
        self.variant.name()
    }

    /// The turn it would play, in full notation; in a chain the rest of it.
    ///
    /// Raises:
    ///     ValueError: If the game is over or of another variant.
    fn choose(&self, game: &Bound<'_, PyGame>) -> PyResult<String> {
        self.ask(game, |player, game| player.choose(game))
    }

    /// What it thinks, as the command ``analyse`` says it: fen, best, value, lines.
    ///
    /// Raises:
    ///     ValueError: If the game is over or of another variant.
    fn analyse<'py>(&self, game: &Bound<'py, PyGame>) -> PyResult<Bound<'py, PyDict>> {
        let analysis = self.ask(game, |player, game| player.analyse(game))?;
        let py = game.py();
        let lines = PyList::empty(py);
        for line in &analysis.lines {
            let entry = PyDict::new(py);
            entry.set_item("turn", line.turn.to_string())?;
            entry.set_item("value", line.value)?;
            if let Some(visits) = line.visits {
                entry.set_item("visits", visits)?;
            }
            if let Some(depth) = line.depth {
                entry.set_item("depth", depth)?;
            }
            entry.set_item("line", line.line.iter().map(Turn::to_string).collect::<Vec<_>>())?;
            lines.append(entry)?;
        }
        let answer = PyDict::new(py);
        answer.set_item("fen", game.try_borrow()?.record().fen())?;
        answer.set_item("best", analysis.lines.first().map(|line| line.turn.to_string()))?;
        answer.set_item("value", analysis.value)?;
        answer.set_item("lines", lines)?;
        Ok(answer)
    }

    /// Forget the game before.
    fn new_game(&self, py: Python<'_>) {
        py.detach(|| self.lock().new_game());
    }

    /// Seed its chance.
    fn seed(&self, seed: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = number("seed", "a whole number from 0 to 2^64 - 1", seed)?;
        seed.py().detach(|| self.lock().seed(value));
        Ok(())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("load_player('{}', variant='{}')", self.name(py), self.variant())
    }
}

/// Make the player that a text names: ``"random"``, ``"alphabeta:depth=4"``, ….
///
/// Raises:
///     ValueError: If the text makes no sense, or a model does not fit.
///     OSError: If a file cannot be read.
#[pyfunction]
#[pyo3(signature = (text, variant = "russian"))]
pub fn load_player(py: Python<'_>, text: &str, variant: &str) -> PyResult<PyPlayer> {
    let variant = variant.parse()?;
    Ok(PyPlayer { variant, player: Mutex::new(py.detach(|| new_player(variant, text))?) })
}

/// Train as the command ``train`` does; only in builds with the feature ``torch``.
///
/// Args:
///     config: The file of knobs.
///     set: Knobs that differ from it, ``"learner.batch_size=512"``.
///     run: The run folder.
///     init: A model to begin from.
///     resume: A run folder to go on with, instead of a config.
///     from_pdn: A PDN file whose positions are the first samples: what was played, and who won.
///
/// Raises:
///     RuntimeError: If this build has no trainer, or training failed.
#[pyfunction]
#[pyo3(signature = (config = None, *, set = None, run = None, init = None, resume = None, from_pdn = None))]
pub fn train(
    py: Python<'_>,
    config: Option<PathBuf>,
    #[pyo3(from_py_with = read_set)] set: Option<Vec<String>>,
    run: Option<PathBuf>,
    init: Option<PathBuf>,
    resume: Option<PathBuf>,
    from_pdn: Option<PathBuf>,
) -> PyResult<()> {
    let settings = Settings { config, overrides: set.unwrap_or_default(), run_dir: run, resume, init, from_pdn };
    let signals = Signals::default();
    let done = py.detach(|| signals.run(|stop| run_training(settings, stop)));
    match signals.take() {
        Some(error) => Err(error),
        None => Ok(done?),
    }
}

fn read_set(set: &Bound<'_, PyAny>) -> PyResult<Option<Vec<String>>> {
    let expected = "expected a list of texts like 'learner.batch_size=512'";
    set.extract().map_err(|_| PyTypeError::new_err(format!("set {set:?}: {expected}")))
}

/// What the caller of `train` gave.
#[cfg_attr(not(feature = "torch"), allow(dead_code, reason = "read by the training build only"))]
struct Settings {
    config: Option<PathBuf>,
    overrides: Vec<String>,
    run_dir: Option<PathBuf>,
    resume: Option<PathBuf>,
    init: Option<PathBuf>,
    from_pdn: Option<PathBuf>,
}

#[cfg(not(feature = "torch"))]
fn run_training(_: Settings, _: &AtomicBool) -> Result<()> {
    let text = "this build of shashki plays but does not train: build it with the feature torch (make install-train)";
    Err(Error::Failed(text.to_owned()))
}

/// Trains until the run's end or until `stop` is raised.
#[cfg(feature = "torch")]
fn run_training(settings: Settings, stop: &AtomicBool) -> Result<()> {
    use crate::train::console::Console;
    use crate::train::trainer::{self, TrainArgs};

    let Settings { config, overrides, run_dir, resume, init, from_pdn } = settings;
    let args = TrainArgs { config, overrides, run_dir, resume, init, from_pdn };
    trainer::run(&args, stop, &mut Console::new(&mut |_: &serde_json::Value| {})).map(drop)
}

/// Run the command line, the program's name first, and return its exit status.
#[pyfunction]
pub fn main(py: Python<'_>, argv: Vec<OsString>) -> u8 {
    py.detach(|| cli::run(argv))
}
