//! Ctrl-C while the crate works: Python's signals, heard between the turns of the players.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::error::{Error, Result};
use crate::games::game::Game;
use crate::games::position::Position;
use crate::games::turn::Turn;
use crate::player::Player;

/// How long a signal may wait.
const PATIENCE: Duration = Duration::from_millis(50);

/// Whether a signal's handler has raised, and what.
#[derive(Clone, Default)]
pub struct Signals(Arc<Heard>);

#[derive(Default)]
struct Heard {
    stop: AtomicBool,
    raised: Mutex<Option<PyErr>>,
}

impl Signals {
    /// Lets Python handle its signals, which it does on its main thread alone.
    fn listen(&self) {
        if let Err(error) = Python::attach(|py| py.check_signals()) {
            *self.0.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            self.0.stop.store(true, Ordering::SeqCst);
        }
    }

    /// What a handler raised; then all is as before it.
    pub fn take(&self) -> Option<PyErr> {
        self.0.stop.store(false, Ordering::SeqCst);
        self.0.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Does the work on a thread of its own while this one listens; it is to end soon once its flag is raised.
    pub fn run<T: Send>(&self, work: impl FnOnce(&AtomicBool) -> T + Send) -> T {
        let (working, done) = mpsc::channel::<()>();
        thread::scope(|scope| {
            let worker = scope.spawn(move || {
                // Dropped at the end, however the work ends.
                let _working = working;
                work(&self.0.stop)
            });
            while done.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                self.listen();
            }
            worker.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    }
}

/// A player that stops playing once a signal was heard.
pub struct Attentive<P> {
    player: Box<dyn Player<P>>,
    signals: Signals,
    listened: Instant,
}

impl<P> Attentive<P> {
    /// The player, attentive to signals.
    pub fn new(player: Box<dyn Player<P>>, signals: Signals) -> Self {
        Self { player, signals, listened: Instant::now() }
    }
}

impl<P: Position> Player<P> for Attentive<P> {
    fn name(&self) -> String {
        self.player.name()
    }

    fn choose(&mut self, game: &Game<P>) -> Result<Turn> {
        if self.listened.elapsed() > PATIENCE {
            self.signals.listen();
            self.listened = Instant::now();
        }
        if self.signals.0.stop.load(Ordering::SeqCst) {
            return Err(Error::Interrupted);
        }
        self.player.choose(game)
    }

    fn new_game(&mut self) {
        self.player.new_game();
    }

    fn seed(&mut self, seed: u64) {
        self.player.seed(seed);
    }
}
