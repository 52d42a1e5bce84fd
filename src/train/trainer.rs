//! The training loop: play, learn, measure, write down; stop and resume at any round.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::config::Config;
use crate::error::{Error, Result};
use crate::evaluator::Evaluator;
use crate::for_variant;
use crate::games::position::Position;
use crate::net::load;
use crate::net::spec::NetSpec;
use crate::net::torch;
use crate::net::weights::{Weights, model_file};
use crate::roster;

use super::console::Console;
use super::learner::{Learner, Losses, learning_rate};
use super::metrics::Metrics;
use super::replay::{Batch, Replay};
use super::rounds::RoundSums;
use super::run_folder::{RunFolder, write_whole};
use super::rungs::{self, Rung};
use super::selfplay::Worker;

/// What to train.
#[derive(Clone, Debug, Default)]
pub struct TrainArgs {
    /// The config of a new run.
    pub config: Option<PathBuf>,
    /// Overrides `table.key=value` of the config.
    pub overrides: Vec<String>,
    /// The folder of a new run; `runs/NAME-TIME` unless given.
    pub run_dir: Option<PathBuf>,
    /// The folder of an earlier run to go on with.
    pub resume: Option<PathBuf>,
    /// A network to start from.
    pub init: Option<PathBuf>,
}

/// Trains to the limit that the config sets, or until `stop` is raised, and answers how the trained network did.
///
/// # Errors
/// [`Error::Interrupted`] when stopped, the last complete round being on disk; otherwise whatever is wrong with the
/// config, the folder, the network or the disk.
pub fn run(args: &TrainArgs, stop: &AtomicBool, console: &mut Console) -> Result<Vec<Rung>> {
    let (folder, config) = match (&args.resume, &args.config) {
        (Some(dir), _) => RunFolder::open(dir, &args.overrides)?,
        (None, Some(path)) => {
            let config = Config::load(path, &args.overrides)?;
            for_variant!(config.run.variant, P => check::<P>(&config))?;
            (RunFolder::create(args.run_dir.as_deref(), &config)?, config)
        }
        (None, None) => return Err(Error::value("train", "nothing", "a config, or --resume and a run folder")),
    };
    console.started(folder.path());
    for_variant!(config.run.variant, P => Trainer::<P>::open(config, folder, args.init.as_deref())?.run(stop, console))
}

/// Finds what is wrong with a config before a folder is made for it.
fn check<P: Position>(config: &Config) -> Result<()> {
    for opponent in &config.arena.opponents {
        roster::player::<P>(opponent)?;
    }
    Ok(())
}

/// How far a run has come: all that `--resume` needs besides networks, samples and games.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Progress {
    round: u64,
    /// Of self-play and learning.
    seconds: f64,
    games: u64,
    hops: u64,
    samples: u64,
    steps: u64,
    /// Optimiser steps that the samples so far allow but that are less than one.
    steps_owed: f64,
    /// The score of the best network over all rungs, and its games.
    best: Option<(f64, u32)>,
}

struct Trainer<P: Position> {
    config: Config,
    folder: RunFolder,
    metrics: Metrics,
    progress: Progress,
    workers: Vec<Worker<P>>,
    replay: Replay<P>,
    learner: Learner,
    weights: Weights,
}

impl<P: Position> Trainer<P> {
    /// Begins a run, or goes on after its last complete round.
    fn open(config: Config, folder: RunFolder, init: Option<&Path>) -> Result<Self> {
        let spec = NetSpec::new(&P::SPEC, &config.net);
        let initial = folder.checkpoint(0);
        let state = folder.state()?;
        if state.is_none() {
            let weights = match init {
                Some(path) => read_fitting(&model_file(path)?, &spec)?,
                None => Weights::init(&spec, config.run.seed),
            };
            stamped(weights, &config, 0).write(&initial)?;
        }
        let weights = read_fitting(&initial, &spec)?;
        if state.is_none() {
            weights.write(&folder.best())?;
        }
        torch::set_threads(config.threads());
        let mut learner = Learner::new(&spec, &config.learner, &config.run.device, &weights)?;
        let mut replay = Replay::new(config.replay.capacity);
        let mut progress = Progress::default();
        let mut saved_workers = Vec::new();
        if let Some((round, dir)) = &state {
            progress = read_progress(&dir.join("progress.json"))?;
            learner.load_state(&dir.join("learner.safetensors"))?;
            for sampled in folder.sampled_rounds()?.into_iter().filter(|sampled| sampled <= round) {
                let mut samples = Replay::<P>::load(&folder.samples(sampled), config.replay.capacity)?;
                replay.extend(samples.drain());
            }
            for index in 0.. {
                let path = dir.join(format!("worker-{index}.bin"));
                match std::fs::read(&path) {
                    Ok(bytes) => saved_workers.push(bytes),
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => break,
                    Err(error) => return Err(Error::io(path, error)),
                }
            }
        }
        let workers = (0..config.threads())
            .map(|index| match saved_workers.get(index) {
                Some(bytes) => Worker::restore(&config, config.run.seed, index, bytes),
                None => Worker::new(&config, config.run.seed, index),
            })
            .collect::<Result<_>>()?;
        let metrics = Metrics::open(folder.path(), progress.round)?;
        let weights = if state.is_some() { stamped(learner.weights()?, &config, progress.steps) } else { weights };
        Ok(Self { config, folder, metrics, progress, workers, replay, learner, weights })
    }

    fn run(mut self, stop: &AtomicBool, console: &mut Console) -> Result<Vec<Rung>> {
        while self.share_done() < 1.0 {
            self.round(stop, console)?;
        }
        if self.config.arena.final_games == 0 {
            return Ok(Vec::new());
        }
        let best = Weights::read(&self.folder.best())?;
        let untrained = Weights::read(&self.folder.checkpoint(0))?;
        let games = self.config.arena.final_games;
        let mut table = rungs::measure::<P>(&best, &self.config, games, stop, console, &mut |_| Ok(()))?;
        let before = rungs::measure::<P>(&untrained, &self.config, games, stop, console, &mut |_| Ok(()))?;
        for (rung, before) in table.iter_mut().zip(before) {
            rung.untrained = Some(before.report);
        }
        Ok(table)
    }

    /// How much of the run is done, 0 to 1 and beyond; 0 for a run without limit.
    fn share_done(&self) -> f64 {
        let run = &self.config.run;
        let by_time = if run.minutes > 0.0 { self.progress.seconds / (60.0 * run.minutes) } else { 0.0 };
        let by_rounds = if run.rounds > 0 { self.progress.round as f64 / f64::from(run.rounds) } else { 0.0 };
        by_time.max(by_rounds)
    }

    /// One round: every worker plays, the learner takes its share of steps, all is written down.
    fn round(&mut self, stop: &AtomicBool, console: &mut Console) -> Result<()> {
        let round = self.progress.round + 1;
        let start = Instant::now();
        let mut sums = self.play(stop, console)?;
        let play_s = start.elapsed().as_secs_f64();
        let new = sums.samples.len();

        let mut stored = Replay::new(new.max(1));
        stored.extend(sums.samples.iter().cloned());
        stored.save(&self.folder.samples(round))?;
        let calibration = sums.calibration();
        self.replay.extend(std::mem::take(&mut sums.samples));

        let learn_start = Instant::now();
        let (losses, steps, rate) = self.learn(round, new, stop, console)?;
        let learn_s = learn_start.elapsed().as_secs_f64();
        let progress = &mut self.progress;
        progress.round = round;
        progress.seconds += start.elapsed().as_secs_f64();
        progress.games += sums.games;
        progress.hops += sums.hops;
        progress.samples += new as u64;
        progress.steps += steps;
        self.weights = stamped(self.learner.weights()?, &self.config, progress.steps);

        let elo = self.measure(round, stop, console)?;
        let progress = &self.progress;
        let losses = losses.map(|l| {
            json!({"policy": l.policy, "value": l.value, "total": l.total, "entropy": l.entropy, "grad_norm": l.grad_norm})
        });
        let row = json!({
            "round": round,
            "seconds": progress.seconds,
            "games": progress.games,
            "hops": progress.hops,
            "samples": progress.samples,
            "steps": progress.steps,
            "losses": losses,
            "elo": elo,
            "learning_rate": rate,
            "replay": self.replay.len(),
            "play": sums.play_row(play_s),
            "draws": sums.draw_row(),
            "policy": sums.policy_row(),
            "value": calibration,
            "time": sums.time_row(play_s, learn_s, self.workers.len()),
            "rate": {
                "games_per_s": sums.games as f64 / play_s,
                "evaluations_per_s": sums.evaluations as f64 / play_s,
                "samples_per_s": new as f64 / (play_s + learn_s),
                "trained_samples_per_s": if learn_s > 0.0 { (steps as usize * self.config.learner.batch_size) as f64 / learn_s } else { 0.0 },
            },
        });
        self.write_down(round, &sums, &row)?;
        console.round(&row, self.share_done());
        Ok(())
    }

    /// Every worker plays its round on a thread of its own.
    fn play(&mut self, stop: &AtomicBool, console: &mut Console) -> Result<RoundSums<P>> {
        let recorded = AtomicU64::new(0);
        let mut evaluators = self.evaluators()?;
        let expected = (self.workers.len() * self.config.selfplay.samples_per_round) as u64;
        let share = self.share_done();
        let rounds = std::thread::scope(|scope| {
            let threads: Vec<_> = self
                .workers
                .iter_mut()
                .zip(&mut evaluators)
                .map(|(worker, evaluator)| {
                    let recorded = &recorded;
                    scope.spawn(move || worker.generate(evaluator.as_mut(), stop, recorded))
                })
                .collect();
            while threads.iter().any(|thread| !thread.is_finished()) {
                std::thread::sleep(Duration::from_millis(20));
                console.playing(recorded.load(Ordering::Relaxed), expected, share);
            }
            threads
                .into_iter()
                .map(|thread| {
                    thread.join().unwrap_or_else(|_| Err(Error::Failed("a self-play thread panicked".into())))
                })
                .collect::<Result<Vec<_>>>()
        })?;
        check_stop(stop)?;
        Ok(RoundSums::merge(rounds))
    }

    /// A copy of the network for each worker.
    fn evaluators(&self) -> Result<Vec<Box<dyn Evaluator<P>>>> {
        self.workers.iter().map(|_| load::evaluator(&self.weights, &self.config.run.device)).collect()
    }

    /// The optimiser steps that the new samples allow: mean losses, steps taken, last learning rate.
    fn learn(
        &mut self,
        round: u64,
        new: usize,
        stop: &AtomicBool,
        console: &mut Console,
    ) -> Result<(Option<Losses>, u64, f64)> {
        let config = &self.config.learner;
        if self.replay.len() < self.config.replay.start.min(self.config.replay.capacity) {
            return Ok((None, 0, 0.0));
        }
        self.progress.steps_owed += new as f64 * f64::from(config.samples_per_new) / config.batch_size as f64;
        let steps = self.progress.steps_owed as u64;
        self.progress.steps_owed -= steps as f64;
        // A seed for each round, so that a resumed run draws the same samples.
        let mut rng =
            Xoshiro256PlusPlus::seed_from_u64(self.config.run.seed ^ round.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut batch = Batch::default();
        let (mut sum, mut rate) = (Losses::default(), 0.0);
        let share = self.share_done();
        for step in 0..steps {
            check_stop(stop)?;
            self.replay.sample(&mut rng, config.batch_size, self.config.selfplay.search_value_share, &mut batch);
            rate = learning_rate(config, self.progress.steps + step, share);
            sum += self.learner.step(&batch, rate)?;
            console.learning(step, steps, share);
        }
        Ok(((steps > 0).then(|| sum.mean(steps)), steps, rate))
    }

    /// Plays the rungs if it is their round. The newer network becomes the best unless it is clearly worse: its score
    /// is below the best one's by more than the standard error of their difference.
    fn measure(&mut self, round: u64, stop: &AtomicBool, console: &mut Console) -> Result<Value> {
        let every = u64::from(self.config.arena.every);
        if every == 0 || !round.is_multiple_of(every) {
            if every == 0 || self.progress.best.is_none() {
                self.weights.write(&self.folder.best())?;
            }
            return Ok(Value::Null);
        }
        let mut pdn = String::new();
        let games = self.config.arena.games;
        let table = rungs::measure::<P>(&self.weights, &self.config, games, stop, console, &mut |text| {
            pdn.push_str(text);
            Ok(())
        })?;
        write_whole(&self.folder.games("arena", round), pdn.as_bytes())?;
        let played: u32 = table.iter().map(|rung| rung.report.games).sum();
        let score = table.iter().map(|rung| rung.report.score).sum::<f64>() / table.len().max(1) as f64;
        let clearly_worse = self.progress.best.is_some_and(|(best, games)| {
            // A game's result, 0 to 1, has a standard deviation of at most a half.
            let error = (0.25 / f64::from(played.max(1)) + 0.25 / f64::from(games.max(1))).sqrt();
            score + error < best
        });
        if !clearly_worse {
            self.progress.best = Some((score, played));
            self.weights.write(&self.folder.best())?;
        }
        let rows = table.iter().map(|rung| (rung.opponent.clone(), rung.row()));
        Ok(Value::Object(rows.collect()))
    }

    /// Record, checkpoint and state; only then may older samples go.
    fn write_down(&mut self, round: u64, sums: &RoundSums<P>, row: &Value) -> Result<()> {
        write_whole(&self.folder.games("selfplay", round), sums.pdn.as_bytes())?;
        self.metrics.write(row, self.progress.samples)?;
        if round.is_multiple_of(u64::from(self.config.run.checkpoint_every)) {
            self.weights.write(&self.folder.checkpoint(round))?;
        }
        self.folder.save_state(round, |dir| {
            self.learner.save_state(&dir.join("learner.safetensors"))?;
            for (index, worker) in self.workers.iter().enumerate() {
                write_whole(&dir.join(format!("worker-{index}.bin")), &worker.save())?;
            }
            let text = serde_json::to_string_pretty(&self.progress).expect("plain numbers are JSON");
            write_whole(&dir.join("progress.json"), text.as_bytes())
        })?;
        self.forget_old_samples()
    }

    /// Removes the samples of rounds that the replay no longer holds.
    fn forget_old_samples(&self) -> Result<()> {
        let per_round = (self.workers.len() * self.config.selfplay.samples_per_round).max(1);
        let held = self.config.replay.capacity.div_ceil(per_round) as u64 + 1;
        for round in self.folder.sampled_rounds()?.into_iter().filter(|r| r + held < self.progress.round) {
            let path = self.folder.samples(round);
            std::fs::remove_file(&path).map_err(|source| Error::io(&path, source))?;
        }
        Ok(())
    }
}

/// Reads a network of the run's own shape.
fn read_fitting(path: &Path, spec: &NetSpec) -> Result<Weights> {
    let weights = Weights::read(path)?;
    if weights.spec() == *spec {
        return Ok(weights);
    }
    let reason = format!("expected {spec} as the config says, found {}", weights.spec());
    Err(Error::Model { path: path.to_owned(), reason })
}

/// The weights with a card that says where they come from.
fn stamped(mut weights: Weights, config: &Config, step: u64) -> Weights {
    weights.card.step = step;
    weights.card.draws = config.run.draws;
    weights.card.config_hash = config.hash();
    weights
}

fn check_stop(stop: &AtomicBool) -> Result<()> {
    if stop.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
}

fn read_progress(path: &Path) -> Result<Progress> {
    let text = std::fs::read_to_string(path).map_err(|source| Error::io(path, source))?;
    serde_json::from_str(&text).map_err(|error| Error::State { what: "progress", reason: error.to_string() })
}
