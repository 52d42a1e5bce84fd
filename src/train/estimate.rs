//! What a run would come to on this machine: a short probe of self-play and of the learner.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

use crate::config::Config;
use crate::error::Result;
use crate::for_variant;
use crate::net::spec::NetSpec;
use crate::net::weights::Weights;
use crate::search::heuristic::Heuristic;

use super::learner::Learner;
use super::probe::settle_games;
use super::replay::Replay;
use super::selfplay::Worker;
use super::trainer::{Stream, play_round};

/// Samples of the probe for each game that a thread plays at once.
const SAMPLES_A_GAME: usize = 10;
/// Optimiser steps of the probe; as many before them warm up.
const STEPS: u32 = 8;

/// Probes a config for a few seconds and answers its rates, the seconds of a round, and what the configured limit would
/// bring: rounds, games, samples, minutes (null for a run without limit).
///
/// # Errors
/// If the config is wrong, its device is missing, or it was stopped.
pub fn estimate(path: &Path, overrides: &[String], stop: &AtomicBool) -> Result<Value> {
    let mut config = Config::load(path, overrides)?;
    for_variant!(config.run.variant, P => {
        settle_games::<P>(&mut config, stop, |_| {})?;
        probe::<P>(&config, stop)
    })
}

fn probe<P: Heuristic>(config: &Config, stop: &AtomicBool) -> Result<Value> {
    let mut short = config.clone();
    let samples_a_round = config.selfplay.samples_per_round;
    short.selfplay.samples_per_round = samples_a_round.min(SAMPLES_A_GAME * config.selfplay.games);
    let threads = config.threads();
    let spec = NetSpec::new(&P::SPEC, &config.net);
    let weights = Weights::init(&spec, Stream::Weights.seed(config));
    let mut workers: Vec<Worker<P>> =
        (0..threads).map(|index| Worker::new(&short, Stream::SelfPlay.seed(config), index)).collect::<Result<_>>()?;
    let start = Instant::now();
    let round = play_round(&mut workers, &weights, config.run.device, stop, &mut |_| {})?;
    let play_s = start.elapsed().as_secs_f64();

    // Positions searched count, those of unfinished games too: in a long run every game finishes.
    let samples_per_s = round.stats.searches as f64 / play_s;
    let evaluations_per_s = round.stats.evaluations as f64 / play_s;
    let samples_a_game = round.samples.len() as f64 / round.stats.games.max(1) as f64;
    let mut replay = Replay::new(round.samples.len().max(1));
    replay.extend(round.samples);
    let mut learner = Learner::new(&spec, &config.learner, config.run.device, threads, &weights)?;
    let mut learn_s = 0.0;
    for step in 0..2 * STEPS {
        let start = Instant::now();
        let fill = |shard: usize, size: usize, batch: &mut super::replay::Batch| {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(u64::from(step) << 32 | shard as u64);
            replay.sample(&mut rng, size, config.selfplay.search_value_share, batch);
        };
        learner.step_sharded(&fill, config.learner.learning_rate)?;
        if step >= STEPS {
            learn_s += start.elapsed().as_secs_f64() / f64::from(STEPS);
        }
    }
    let trained_samples_per_s = config.learner.batch_size as f64 / learn_s;
    let samples = (threads * samples_a_round) as f64;
    let round_s = samples / samples_per_s + samples * f64::from(config.learner.samples_per_new) / trained_samples_per_s;
    let by_time = (config.run.minutes > 0.0).then(|| config.run.minutes * 60.0 / round_s);
    let by_rounds = (config.run.rounds > 0).then(|| f64::from(config.run.rounds));
    let rounds = [by_time, by_rounds].into_iter().flatten().reduce(f64::min);
    Ok(json!({
        "games_a_thread": config.selfplay.games,
        "evaluations_per_s": evaluations_per_s,
        "samples_per_s": samples_per_s,
        "trained_samples_per_s": trained_samples_per_s,
        "round_seconds": round_s,
        "rounds": rounds,
        "samples": rounds.map(|rounds| rounds * samples),
        "games": rounds.map(|rounds| rounds * samples / samples_a_game),
        "minutes": rounds.map(|rounds| rounds * round_s / 60.0),
        "parameters": spec.parameters(),
        "flops_a_position": spec.flops(),
    }))
}
