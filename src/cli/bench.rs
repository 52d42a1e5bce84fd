//! `bench`: fixed workloads, each with one figure and what it is to be compared with.

mod clock;
mod envs;
mod judging;
mod learning;
mod nets;
mod rules;
mod selfplay;
mod timing;
mod trees;

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::error::{Error, Result};

use super::output::Output;
use timing::{Measured, Peak, Task, measure};

/// How much a workload is to do.
#[derive(Copy, Clone)]
enum Size {
    /// Enough to be timed.
    Full,
    /// Just enough to see that it runs.
    Quick,
}

impl Size {
    fn pick<T>(self, full: T, quick: T) -> T {
        match self {
            Self::Full => full,
            Self::Quick => quick,
        }
    }
}

/// A workload by name, with the unit of its figure and what sets it up.
struct Workload(&'static str, &'static str, fn(Size) -> Result<Task>);

/// A name is also that of the group of those that begin with it and a hyphen.
const WORKLOADS: &[Workload] = &[
    Workload("perft", "nodes/s", rules::count_russian),
    Workload("perft-10x8", "nodes/s", rules::count_wide),
    Workload("games", "games/s", rules::games),
    Workload("hops", "hops/s", rules::hops),
    Workload("vecenv", "hops/s", envs::step),
    Workload("vecenv-unseen", "hops/s", envs::step_unseen),
    Workload("vecenv-2-threads", "hops/s", envs::step_on_two),
    Workload("mcts", "simulations/s", trees::simulate),
    Workload("search", "nodes/s", trees::look_ahead),
    Workload("two-threads-search", "x one thread", trees::two_threads),
    Workload("evaluation", "evaluations/s", judging::judge),
    Workload("net-cpu-1", "evaluations/s", nets::cpu_1),
    Workload("net-cpu-64", "evaluations/s", nets::cpu_64),
    Workload("net-cpu-256", "evaluations/s", nets::cpu_256),
    Workload("net-cpu-resnet-64", "evaluations/s", nets::cpu_resnet_64),
    #[cfg(feature = "torch")]
    Workload("net-torch-1", "evaluations/s", nets::torch::torch_1),
    #[cfg(feature = "torch")]
    Workload("net-torch-64", "evaluations/s", nets::torch::torch_64),
    #[cfg(feature = "torch")]
    Workload("net-torch-256", "evaluations/s", nets::torch::torch_256),
    Workload("selfplay", "leaves/s", selfplay::evaluate),
    Workload("selfplay-cost", "us/leaf", selfplay::cost),
    Workload("selfplay-2-workers", "leaves/s", selfplay::two_workers),
    #[cfg(feature = "torch")]
    Workload("learner", "samples/s", learning::steps::learn),
    // Before those that leave much memory behind.
    #[cfg(target_os = "linux")]
    Workload("replay-memory", "bytes/sample", learning::memory),
    Workload("replay", "samples/s", learning::draw),
    Workload("replay-load", "samples/s", learning::load),
    Workload("replay-file", "bytes/sample", learning::file_size),
];

/// Runs fixed workloads, each on one core unless its name says otherwise, and prints a figure of each.
///
/// A workload, a matrix product (64x256x256, f32, one thread) and what else it is compared with are timed in turns; shown
/// is the median of the rounds, how far they spread, and the medians of the rounds' ratios. Time is the processor time of
/// the thread at work, so that other programs disturb little; only what uses two threads goes by the clock on the wall.
#[derive(Args)]
#[command(
    after_help = "Workloads: perft, perft-10x8, games, hops, vecenv, vecenv-unseen, vecenv-2-threads, mcts, search, \
                        two-threads-search, evaluation, net-cpu-1, net-cpu-64, net-cpu-256, net-cpu-resnet-64, \
                        selfplay, selfplay-cost, selfplay-2-workers, replay, replay-load, replay-file, \
                        replay-memory (on Linux); with the feature torch also net-torch-1, net-torch-64, \
                        net-torch-256, learner.\nExamples: shashki bench perft\n          shashki bench net --rounds 9"
)]
pub(super) struct Arguments {
    /// One of the workloads, or the beginning of several: net-cpu. All unless given.
    name: Option<String>,
    /// How often each is timed.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    rounds: u16,
    /// Small workloads, timed once: to see that all run, not how fast.
    #[arg(long, conflicts_with = "rounds")]
    quick: bool,
    /// Writes the networks that are timed into this folder, so that other programs can be timed with the same.
    #[arg(long, value_name = "DIR")]
    nets: Option<PathBuf>,
}

#[derive(Serialize)]
struct Figure {
    name: &'static str,
    /// The median of the rounds.
    value: f64,
    unit: &'static str,
    /// What was done in a round, the same on every machine as long as the program does the same.
    work: u64,
    /// The nodes of the classic engine on one thread, which only a change of what it plays may change.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    rounds: usize,
    low: f64,
    high: f64,
    /// The matrix product beside it, in GFLOP/s.
    matrix_product_gflops: f64,
    /// The figure over that of what it is compared with, by name.
    ratios: BTreeMap<&'static str, f64>,
    build: String,
}

impl Workload {
    fn is_wanted(&self, wanted: Option<&str>) -> bool {
        wanted.is_none_or(|wanted| {
            self.0.strip_prefix(wanted).is_some_and(|rest| matches!(rest.as_bytes(), [] | [b'-', ..]))
        })
    }
}

impl Arguments {
    pub fn run(self, out: &Output) -> Result<()> {
        let wanted: Vec<_> = WORKLOADS.iter().filter(|workload| workload.is_wanted(self.name.as_deref())).collect();
        if wanted.is_empty() {
            let names: Vec<_> = WORKLOADS.iter().map(|workload| workload.0).collect();
            let expected = format!("one of {}", names.join(", "));
            return Err(Error::value("workload", self.name.unwrap_or_default(), expected));
        }
        if let Some(folder) = &self.nets {
            nets::write(folder)?;
        }
        let (size, rounds) = if self.quick { (Size::Quick, 1) } else { (Size::Full, usize::from(self.rounds)) };
        let mut peak = Peak::new();
        out.text(&format!("median of {rounds} rounds; {}", build()))?;
        for &Workload(name, unit, prepare) in wanted {
            let measured = measure(&mut prepare(size)?, &mut peak, rounds)?;
            out.text(&line(name, unit, &measured))?;
            let Measured { value, low, high, work, peak_gflops, ratios } = measured;
            out.object(&Figure {
                name,
                value,
                unit,
                work,
                nodes: (name == "search").then_some(work),
                rounds,
                low,
                high,
                matrix_product_gflops: peak_gflops,
                ratios: ratios.into_iter().collect(),
                build: build(),
            })?;
        }
        Ok(())
    }
}

/// A figure for people.
fn line(name: &str, unit: &str, measured: &Measured) -> String {
    let Measured { value, low, high, peak_gflops, ratios, .. } = measured;
    let digits = if *value < 1000.0 { 2 } else { 0 };
    let spread = 100.0 * (high - low) / value;
    let ratios: String = ratios.iter().map(|(name, ratio)| format!(", {ratio:.2} x {name}")).collect();
    format!("{name:18} {value:>14.digits$} {unit:14} spread {spread:.0}%, beside {peak_gflops:.1} GFLOP/s{ratios}")
}

/// What the program was built for, as far as it matters for speed.
fn build() -> String {
    let wide = if cfg!(target_feature = "avx2") { " with avx2" } else { "" };
    let checks = if cfg!(debug_assertions) { ", debug assertions on" } else { "" };
    format!("built for {}{wide}{checks}", std::env::consts::ARCH)
}
