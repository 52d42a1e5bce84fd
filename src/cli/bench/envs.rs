//! Workloads of the vectorized environment, driven from Rust.

use std::time::Instant;

use crate::env::{BatchMut, Buffers, EnvOptions, PlanesMut, VecEnv};
use crate::error::Result;
use crate::games::Russian;
use crate::games::position::Position;

use super::Size;
use super::clock::Stopwatch;
use super::timing::{Reading, Task};

/// Games stepped at once.
const GAMES: usize = 1024;

/// Random play on one thread; the figure is of the time within `step`.
pub(super) fn step(size: Size) -> Result<Task> {
    on_one(size, true)
}

/// The same without observations.
pub(super) fn step_unseen(size: Size) -> Result<Task> {
    on_one(size, false)
}

fn on_one(size: Size, seen: bool) -> Result<Task> {
    let mut env = Stepping::new(1, seen)?;
    let steps = steps(size);
    Ok(Task::of(move || {
        let mut inside = 0.0;
        env.play(steps, |step| {
            let watch = Stopwatch::start();
            step()?;
            inside += watch.seconds();
            Ok(())
        })?;
        Ok(rate(steps, inside))
    }))
}

/// The same on two threads, beside one, by the clock on the wall.
pub(super) fn step_on_two(size: Size) -> Result<Task> {
    let on = |threads| -> Result<_> {
        let mut env = Stepping::new(threads, true)?;
        let steps = steps(size);
        Ok(move || {
            let mut inside = 0.0;
            env.play(steps, |step| {
                let start = Instant::now();
                step()?;
                inside += start.elapsed().as_secs_f64();
                Ok(())
            })?;
            Ok(rate(steps, inside))
        })
    };
    Ok(Task::of(on(2)?).against("1 thread", on(1)?))
}

fn steps(size: Size) -> usize {
    size.pick(1000, 10)
}

fn rate(steps: usize, seconds: f64) -> Reading {
    let hops = (GAMES * steps) as u64;
    Reading::Figure(hops as f64 / seconds, hops)
}

/// An environment with what a step needs.
struct Stepping {
    env: VecEnv<Russian>,
    batch: Buffers,
    /// Whether observations are written.
    seen: bool,
    actions: Vec<i64>,
}

impl Stepping {
    fn new(threads: usize, seen: bool) -> Result<Self> {
        let mut env = VecEnv::<Russian>::new(EnvOptions { games: GAMES, threads, ..EnvOptions::default() }, None)?;
        let mut batch = Buffers::new(&Russian::SPEC, GAMES);
        env.reset(Some(1), batch.borrow())?;
        Ok(Self { env, batch, seen, actions: vec![0; GAMES] })
    }

    /// Plays steps at random; each is handed to `around`, to be timed.
    fn play(
        &mut self,
        steps: usize,
        mut around: impl FnMut(&mut dyn FnMut() -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        let Self { env, batch, seen, actions } = self;
        for _ in 0..steps {
            env.random_actions(actions)?;
            around(&mut || env.step(actions, lend(batch, *seen)))?;
        }
        Ok(())
    }
}

/// Lends the buffers to a step, with those of observations or without.
fn lend(batch: &mut Buffers, seen: bool) -> BatchMut<'_> {
    let whole = batch.borrow();
    if seen { whole } else { BatchMut { observation: PlanesMut::Off, final_observation: PlanesMut::Off, ..whole } }
}
