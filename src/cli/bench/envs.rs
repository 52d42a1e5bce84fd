//! Workloads of the vectorized environment, driven from Rust.

use std::time::Instant;

use crate::env::{Buffers, EnvOptions, VecEnv};
use crate::error::Result;
use crate::games::Russian;
use crate::games::position::Position;

use super::Size;
use super::timing::{Reading, Task};

/// Games stepped at once.
const GAMES: usize = 1024;

/// Random play on one thread; the figure is of the time within `step`.
pub(super) fn step(size: Size) -> Result<Task> {
    Ok(Task::of(stepping(size, 1)?))
}

/// The same on two threads, beside one.
pub(super) fn step_on_two(size: Size) -> Result<Task> {
    Ok(Task::of(stepping(size, 2)?).against("1 thread", stepping(size, 1)?))
}

fn stepping(size: Size, threads: usize) -> Result<impl FnMut() -> Result<Reading>> {
    let steps = size.pick(1000, 10);
    let mut env = VecEnv::<Russian>::new(EnvOptions { games: GAMES, threads, ..EnvOptions::default() }, None)?;
    let mut batch = Buffers::new(&Russian::SPEC, GAMES);
    let mut actions = vec![0; GAMES];
    env.reset(Some(1), batch.borrow())?;
    Ok(move || {
        let mut inside = 0.0;
        for _ in 0..steps {
            env.random_actions(&mut actions)?;
            let start = Instant::now();
            env.step(&actions, batch.borrow())?;
            inside += start.elapsed().as_secs_f64();
        }
        let hops = (GAMES * steps) as u64;
        Ok(Reading::Figure(hops as f64 / inside, hops))
    })
}
