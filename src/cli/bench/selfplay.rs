//! Workloads of self-play: how many leaves a second, what the rest costs, and what a second worker adds.

use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Instant;

use crate::board::Hops;
use crate::config::Config;
use crate::error::Result;
use crate::evaluator::{Evaluations, Evaluator};
use crate::games::Russian;
use crate::games::game::Leaf;
use crate::games::planes::Features;
use crate::games::position::Position;
use crate::net::cpu::CpuNet;
use crate::train::selfplay::Worker;

use super::Size;
use super::clock::Stopwatch;
use super::nets::mlp;
use super::timing::{Reading, Task};

/// Every so many batches the encoding is timed by itself.
const PROBE_EVERY: u64 = 16;

/// One worker's leaves a second.
pub(super) fn evaluate(size: Size) -> Result<Task> {
    let (config, weights) = (config(size), mlp());
    let flops = weights.spec().flops() as f64;
    let net = CpuNet::<Russian>::new(&weights)?;
    let task = Task::new(move || {
        let mut net = Counted::new(net.clone());
        play(&config, 0, &mut net)
    });
    Ok(task.with_flops(flops))
}

/// Microseconds a leaf takes outside the network's layers: tree, games, cache, and where the network is asked the encoding
/// and the hops.
pub(super) fn cost(size: Size) -> Result<Task> {
    let (config, net) = (config(size), CpuNet::<Russian>::new(&mlp())?);
    Ok(Task::of(move || {
        let mut net = Counted { probes: true, ..Counted::new(net.clone()) };
        let watch = Stopwatch::start();
        let leaves = play(&config, 0, &mut net)?;
        let outside = watch.seconds() - net.net_s - net.probe_s;
        let cost = outside / leaves as f64 + net.probe_s / net.probed as f64;
        Ok(Reading::Figure(1e6 * cost, leaves))
    }))
}

/// Two workers' leaves a second, beside one's.
pub(super) fn two_workers(size: Size) -> Result<Task> {
    let (config, net) = (config(size), CpuNet::<Russian>::new(&mlp())?);
    let (one_config, one_net) = (config.clone(), net.clone());
    let task = Task::of(move || workers(&config, &net, 2));
    Ok(task.against("1 worker", move || workers(&one_config, &one_net, 1)))
}

/// Lets so many workers play, and answers the leaves of all by the clock on the wall.
fn workers(config: &Config, net: &CpuNet<Russian>, count: usize) -> Result<Reading> {
    let start = Instant::now();
    let leaves = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count)
            .map(|index| {
                scope.spawn(move || {
                    let mut net = Counted::new(net.clone());
                    play(config, index, &mut net)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("a worker does not panic")).sum::<Result<u64>>()
    })?;
    Ok(Reading::Figure(leaves as f64 / start.elapsed().as_secs_f64(), leaves))
}

fn config(size: Size) -> Config {
    let mut config = Config::default();
    config.selfplay.games = size.pick(128, 8);
    config.selfplay.samples_per_round = size.pick(1000, 20);
    config.search.visits = size.pick(32, 8);
    config
}

/// A worker's first round. Answers how many leaves there were, those that the cache knew among them.
fn play(config: &Config, index: usize, net: &mut Counted) -> Result<u64> {
    let round = Worker::<Russian>::new(config, 1, index)?.generate(net, &AtomicBool::new(false), &AtomicU64::new(0))?;
    Ok(round.stats.evaluations + round.stats.cached)
}

/// A network that counts what it is asked and how long it takes.
struct Counted {
    net: CpuNet<Russian>,
    net_s: f64,
    /// Whether it times the encoding by itself.
    probes: bool,
    batches: u64,
    probed: u64,
    probe_s: f64,
    features: Features,
    hops: Hops,
}

impl Counted {
    fn new(net: CpuNet<Russian>) -> Self {
        Self {
            net,
            net_s: 0.0,
            probes: false,
            batches: 0,
            probed: 0,
            probe_s: 0.0,
            features: Features::default(),
            hops: Hops::new(),
        }
    }

    /// Does what the network does before and behind its layers: it encodes, and lists the hops.
    fn probe(&mut self, leaves: &[Leaf<Russian>]) {
        let watch = Stopwatch::start();
        self.features.clear();
        for leaf in leaves {
            leaf.position.encode(leaf.clock, &mut self.features);
            leaf.position.hops(&mut self.hops);
            std::hint::black_box(&mut self.hops);
        }
        std::hint::black_box(&mut self.features);
        self.probe_s += watch.seconds();
        self.probed += leaves.len() as u64;
    }
}

impl Evaluator<Russian> for Counted {
    fn evaluate(&mut self, leaves: &[Leaf<Russian>], out: &mut Evaluations) -> Result<()> {
        if self.probes && self.batches.is_multiple_of(PROBE_EVERY) {
            self.probe(leaves);
        }
        self.batches += 1;
        let watch = Stopwatch::start();
        let done = self.net.evaluate(leaves, out);
        self.net_s += watch.seconds();
        done
    }
}
