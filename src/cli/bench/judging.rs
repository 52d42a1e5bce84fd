//! Workload of the classic engine's evaluation.

use std::hint::black_box;

use crate::error::Result;
use crate::games::Russian;
use crate::search::heuristic::Heuristic;

use super::Size;
use super::rules::leaves;
use super::timing::{Reading, Task};

/// Positions judged in turn.
const POSITIONS: usize = 4096;

/// Judges positions of random games by the tuned evaluation, beside the first version's.
pub(super) fn judge(size: Size) -> Result<Task> {
    let positions: Vec<_> = leaves(POSITIONS)?.into_iter().map(|leaf| leaf.position).collect();
    let others = positions.clone();
    let passes = size.pick(300, 1);
    Ok(Task::new(move || Ok(pass(&positions, passes, Russian::tuned)))
        .against("basic", move || Ok(Reading::Work(pass(&others, passes, Russian::evaluate)))))
}

/// Judges all positions so many times over, and answers how often that was.
fn pass(positions: &[Russian], passes: u64, judge: impl Fn(&Russian) -> i32) -> u64 {
    for _ in 0..passes {
        let sum: i32 = positions.iter().map(&judge).sum();
        black_box(sum);
    }
    passes * positions.len() as u64
}
