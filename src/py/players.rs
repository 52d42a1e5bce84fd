//! Python's `Player`, and the doors to the command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

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
    #[getter]
    fn name(&self, py: Python<'_>) -> String {
        py.detach(|| self.lock().name())
    }

    #[getter]
    fn variant(&self) -> &'static str {
        self.variant.name()
    }

    fn choose(&self, game: &Bound<'_, PyGame>) -> PyResult<String> {
        self.ask(game, |player, game| player.choose(game))
    }

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

    fn new_game(&self, py: Python<'_>) {
        py.detach(|| self.lock().new_game());
    }

    fn seed(&self, seed: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = number("seed", "a whole number from 0 to 2^64 - 1", seed)?;
        seed.py().detach(|| self.lock().seed(value));
        Ok(())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("load_player('{}', variant='{}')", self.name(py), self.variant())
    }
}

/// The player that a text names.
#[pyfunction]
#[pyo3(signature = (text, variant = "russian"))]
pub fn load_player(py: Python<'_>, text: &str, variant: &str) -> PyResult<PyPlayer> {
    let variant = variant.parse()?;
    Ok(PyPlayer { variant, player: Mutex::new(py.detach(|| new_player(variant, text))?) })
}

/// Trains, as the command `train` does.
#[pyfunction]
#[pyo3(signature = (config = None, *, set = None, run = None, init = None, resume = None))]
pub fn train(
    py: Python<'_>,
    config: Option<PathBuf>,
    set: Option<Vec<String>>,
    run: Option<PathBuf>,
    init: Option<PathBuf>,
    resume: Option<PathBuf>,
) -> PyResult<()> {
    if cfg!(not(feature = "torch")) {
        let text =
            "this build of shashki plays but does not train: build it with the feature torch (make install-train)";
        return Err(Error::Failed(text.to_owned()).into());
    }
    let mut args: Vec<OsString> = vec!["shashki".into(), "train".into()];
    args.extend(config.map(OsString::from));
    for setting in set.unwrap_or_default() {
        args.extend(["--set".into(), setting.into()]);
    }
    for (option, path) in [("--run", run), ("--init", init), ("--resume", resume)] {
        if let Some(path) = path {
            args.extend([option.into(), path.into()]);
        }
    }
    match py.detach(|| cli::run(args)) {
        0 => Ok(()),
        130 => Err(Error::Interrupted.into()),
        2 => Err(Error::value("train", "the arguments", "what standard error names").into()),
        status => Err(Error::Failed(format!("training ended with status {status}; standard error says why")).into()),
    }
}

/// Runs the command line and answers its exit status.
#[pyfunction]
pub fn main(py: Python<'_>, argv: Vec<OsString>) -> u8 {
    py.detach(|| cli::run(argv))
}
