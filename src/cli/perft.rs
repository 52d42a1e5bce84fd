//! `perft`: counts distinct turns, a line a depth.

use std::time::Instant;

use clap::Args;
use indicatif::ProgressBar;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::Result;
use crate::for_variant;
use crate::games::position::Position;
use crate::games::turn::{self, Turn, perft};

use super::Place;
use super::output::{self, Output};

/// From this depth on a count takes long enough for a progress bar.
const LONG: u32 = 9;

/// Counts the lines of distinct turns, a line a depth.
#[derive(Args)]
#[command(after_help = "Example: shashki perft --variant russian --depth 8 --divide")]
pub(super) struct Arguments {
    #[command(flatten)]
    place: Place,
    /// The number of turns of the longest lines counted.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: u32,
    /// Also count each first turn's lines of the last depth.
    #[arg(long)]
    divide: bool,
}

#[derive(Serialize)]
struct Count<'a> {
    variant: &'a str,
    fen: &'a str,
    depth: u32,
    nodes: u64,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    divide: Option<Map<String, Value>>,
}

impl Arguments {
    pub fn run(self, out: &Output) -> Result<()> {
        for_variant!(self.place.variant, P => self.count::<P>(out))
    }

    fn count<P: Position>(&self, out: &Output) -> Result<()> {
        let position: P = self.place.position()?;
        let (variant, fen) = (self.place.variant.name(), position.write_fen());
        out.text(&format!("{:>5} {:>20} {:>10}", "depth", "nodes", "seconds"))?;
        for depth in 1..=self.depth {
            let start = Instant::now();
            let counts = counts(&position, depth);
            let nodes = counts.iter().map(|(_, n)| n).sum();
            let seconds = start.elapsed().as_secs_f64();
            out.text(&format!("{depth:>5} {nodes:>20} {seconds:>10.3}"))?;
            let last = self.divide && depth == self.depth;
            let divide = last.then(|| counts.iter().map(|(turn, n)| (turn.to_string(), Value::from(*n))).collect());
            out.object(&Count { variant, fen: &fen, depth, nodes, seconds, divide })?;
            if last {
                counts.iter().try_for_each(|(turn, n)| out.text(&format!("{turn} {n}")))?;
            }
        }
        Ok(())
    }
}

/// The lines of `depth` turns by their first turn.
fn counts<P: Position>(position: &P, depth: u32) -> Vec<(Turn, u64)> {
    let first = turn::list_with_positions(position);
    if depth < LONG {
        return first.into_iter().map(|(turn, after)| (turn, perft(&after, depth - 1))).collect();
    }
    let second: Vec<_> = first.into_iter().map(|(turn, after)| (turn, turn::list_with_positions(&after))).collect();
    let bar = output::bar(second.iter().map(|(_, list)| list.len() as u64).sum(), &format!("depth {depth}"));
    let below = |list: &[(Turn, P)], bar: &ProgressBar| {
        list.iter().map(|(_, after)| perft(after, depth - 2)).inspect(|_| bar.inc(1)).sum()
    };
    let counts = second.into_iter().map(|(turn, list)| (turn, below(&list, &bar))).collect();
    bar.finish_and_clear();
    counts
}
