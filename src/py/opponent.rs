//! A Python callable as a player: `f(game) -> action`, asked hop by hop until its turn is over.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;

use crate::error::{Error, Result};
use crate::games::game::Game;
use crate::games::position::Position;
use crate::games::turn::Turn;
use crate::player::Player;

use super::errors::number;
use super::game::PyGame;

/// Where an exception of a callable waits until the call that met it returns to Python.
#[derive(Clone, Default)]
pub struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    fn put(&self, error: PyErr) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    /// The exception, if one was raised.
    pub fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Plays what a Python callable answers.
pub struct CallablePlayer {
    function: Py<PyAny>,
    raised: Raised,
}

impl CallablePlayer {
    /// A player that asks `function` and leaves its exceptions in `raised`.
    pub const fn new(function: Py<PyAny>, raised: Raised) -> Self {
        Self { function, raised }
    }

    fn ask<P: Position>(&self, game: &Game<P>) -> PyResult<i64> {
        Python::attach(|py| {
            let seen = Py::new(py, PyGame::of(game.clone()))?;
            let answer = self.function.bind(py).call1((seen,))?;
            number("opponent's action", "a hop number", &answer)
        })
    }
}

impl<P: Position> Player<P> for CallablePlayer {
    fn name(&self) -> String {
        "callable".to_owned()
    }

    fn choose(&mut self, game: &Game<P>) -> Result<Turn> {
        let (mut game, mut turn) = (game.clone(), Turn::default());
        loop {
            let action = self.ask(&game).map_err(|error| {
                self.raised.put(error);
                Error::Failed("the opponent raised an exception".to_owned())
            })?;
            let before = *game.position();
            let step =
                game.play_action(usize::try_from(action).unwrap_or(usize::MAX)).map_err(|error| match error {
                    Error::IllegalAction { legal, .. } => {
                        Error::value("opponent's action", action, format!("one of {legal}"))
                    }
                    other => other,
                })?;
            if let Some(hop) = usize::try_from(action).ok().and_then(|action| before.hop_at(action)) {
                turn.push(hop, step);
            }
            if step.turn_over {
                return Ok(turn);
            }
        }
    }
}
