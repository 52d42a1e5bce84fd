//! `bench`: small fixed workloads, each with the figure the README quotes.

use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Instant;

use clap::Args;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Serialize;

use crate::board::Hops;
use crate::config::{Config, NetConfig};
use crate::error::{Error, Result};
use crate::evaluator::{Evaluations, Evaluator, Uniform};
use crate::games::game::{Game, Leaf};
use crate::games::position::Position;
use crate::games::turn::perft;
use crate::games::{Preset, Russian};
use crate::net::cpu::CpuNet;
use crate::net::spec::NetSpec;
use crate::net::weights::Weights;
use crate::player::Player;
use crate::search::alphabeta::{AlphaBeta, DEFAULT_HASH_MB, Limits};
use crate::search::mcts_player::{MctsPlayer, PlayerSettings};
use crate::train::selfplay::Worker;

use super::output::Output;

/// How often a workload runs; the fastest counts, because everything else on the machine only slows it down.
const RUNS: usize = 3;

/// A workload answers how much it did, in its unit without the "/s".
type Workload = fn() -> Result<u64>;

/// Name, unit, workload.
const WORKLOADS: [(&str, &str, Workload); 6] = [
    ("perft", "nodes/s", count_turns),
    ("hops", "hops/s", play_at_random),
    ("search", "nodes/s", search),
    ("mcts", "visits/s", search_trees),
    ("net-cpu", "evaluations/s", evaluate),
    ("selfplay", "samples/s", play_oneself),
];

/// Runs the fixed workloads, each on one core.
#[derive(Args)]
#[command(after_help = "Workloads: perft, hops, search, mcts, net-cpu, selfplay.\nExample: shashki bench search")]
pub(super) struct Arguments {
    /// One of the workloads; all unless given.
    name: Option<String>,
}

#[derive(Serialize)]
struct Figure {
    name: &'static str,
    value: f64,
    unit: &'static str,
    /// What was done, the same on every machine as long as the program does the same.
    work: u64,
}

impl Arguments {
    pub fn run(self, out: &Output) -> Result<()> {
        let wanted = |name: &str| self.name.as_deref().is_none_or(|wanted| wanted == name);
        if !WORKLOADS.iter().any(|(name, ..)| wanted(name)) {
            let names = WORKLOADS.map(|(name, ..)| name).join(", ");
            return Err(Error::value("workload", self.name.unwrap_or_default(), format!("one of {names}")));
        }
        for (name, unit, workload) in WORKLOADS.into_iter().filter(|(name, ..)| wanted(name)) {
            let (mut work, mut value) = (0, 0.0_f64);
            for _ in 0..RUNS {
                let start = Instant::now();
                work = workload()?;
                value = value.max(work as f64 / start.elapsed().as_secs_f64());
            }
            out.text(&format!("{name:10} {value:>14.0} {unit}"))?;
            out.object(&Figure { name, value, unit, work })?;
        }
        Ok(())
    }
}

fn count_turns() -> Result<u64> {
    Ok(perft(&Russian::start(), 8))
}

fn play_at_random() -> Result<u64> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut hops, mut played) = (Hops::new(), 0);
    let start = Game::<Russian>::new(Preset::Official)?;
    let mut game = start.clone();
    for _ in 0..5000 {
        game.clone_from(&start);
        while game.outcome().is_none() {
            game.hops(&mut hops);
            game.play_unchecked(hops[rng.random_range(0..hops.len())]);
            played += 1;
        }
    }
    Ok(played)
}

/// Games that have come to their 1st, 11th, 21st … turn at random, to search in.
fn positions() -> Result<Vec<Game<Russian>>> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut found = Vec::new();
    let mut game = Game::<Russian>::new(Preset::Official)?;
    while game.outcome().is_none() && found.len() < 4 {
        if game.turns_played().is_multiple_of(10) {
            found.push(game.clone());
        }
        let turns = game.turns();
        game.play(&turns[rng.random_range(0..turns.len())])?;
    }
    Ok(found)
}

fn search() -> Result<u64> {
    let limits = Limits { depth: Some(10), ..Limits::default() };
    let mut engine = AlphaBeta::<Russian>::new(limits, DEFAULT_HASH_MB);
    let mut nodes = 0;
    for game in positions()? {
        engine.new_game();
        engine.choose(&game)?;
        nodes += engine.nodes();
    }
    Ok(nodes)
}

fn search_trees() -> Result<u64> {
    const VISITS: u32 = 20_000;
    let settings = PlayerSettings { visits: Some(VISITS), ..PlayerSettings::default() };
    let mut player = MctsPlayer::<Russian>::new(Box::new(Uniform::default()), settings, "mcts".to_owned());
    let mut visits = 0;
    for game in positions()? {
        player.new_game();
        player.choose(&game)?;
        visits += u64::from(VISITS);
    }
    Ok(visits)
}

fn evaluate() -> Result<u64> {
    const LEAVES: usize = 128;
    const BATCHES: usize = 100;
    let spec = NetSpec::new(&Russian::SPEC, &NetConfig::default());
    let mut net = CpuNet::<Russian>::new(&Weights::init(&spec, 1))?;
    let leaves: Vec<Leaf<Russian>> = positions()?.iter().map(Game::leaf).cycle().take(LEAVES).collect();
    let mut answers = Evaluations::default();
    for _ in 0..BATCHES {
        net.evaluate(&leaves, &mut answers)?;
    }
    Ok((LEAVES * BATCHES) as u64)
}

fn play_oneself() -> Result<u64> {
    let mut config = Config::default();
    config.selfplay.samples_per_round = 5000;
    let spec = NetSpec::new(&Russian::SPEC, &config.net);
    let mut net = CpuNet::<Russian>::new(&Weights::init(&spec, 1))?;
    let round =
        Worker::<Russian>::new(&config, 1, 0)?.generate(&mut net, &AtomicBool::new(false), &AtomicU64::new(0))?;
    Ok(round.samples.len() as u64)
}
