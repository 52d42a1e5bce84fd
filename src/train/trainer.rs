//! The training loop: play, learn, measure, write down; stop and resume at any round.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

use crate::config::Config;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::files::write_whole;
use crate::for_variant;
use crate::games::position::Position;
use crate::heap;
use crate::net::load;
use crate::net::spec::NetSpec;
use crate::net::torch;
use crate::net::weights::{Weights, model_file};
use crate::roster;
use crate::search::heuristic::Heuristic;
use crate::seed::mix;

use super::console::Console;
use super::learner::{Learner, Losses, learning_rate};
use super::metrics::Metrics;
use super::probe;
use super::progress::{Progress, checksum};
use super::replay::{self, Batch, Replay, Sample};
use super::run_folder::RunFolder;
use super::rungs::{self, Table};
use super::selfplay::{Round, Worker};
use super::stats::{TimeSpent, calibration};
use super::stored;
use super::warm_start;

/// The first bytes of a file of a worker's games; the last of them is the format's version.
const WORKER_MARK: [u8; 4] = *b"shw\x01";

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
    /// A file of games whose positions are the first samples.
    pub from_pdn: Option<PathBuf>,
}

/// Trains to the limit that the config sets, or until `stop` is raised, and answers how the trained network did.
///
/// # Errors
/// [`Error::Interrupted`] when stopped, the last complete round being on disk; otherwise whatever is wrong with the
/// config, the folder, the network or the disk.
pub fn run(args: &TrainArgs, stop: &AtomicBool, console: &mut Console) -> Result<Table> {
    let init = args.init.as_deref();
    if args.resume.is_some() {
        let new_only = [
            ("config", &args.config),
            ("run folder", &args.run_dir),
            ("model", &args.init),
            ("games to begin with", &args.from_pdn),
        ];
        for (what, given) in new_only {
            if let Some(path) = given {
                let expected = "none to resume a run: it has its own";
                return Err(Error::value(what, path.display(), expected));
            }
        }
    }
    let (folder, config) = match (&args.resume, &args.config) {
        (Some(dir), _) => RunFolder::open(dir, &args.overrides).map(|(folder, config)| (Some(folder), config))?,
        (None, Some(path)) => (None, Config::load(path, &args.overrides)?),
        (None, None) => return Err(Error::value("train", "nothing", "a config, or --resume and a run folder")),
    };
    // What is wrong with what was given is found before a folder is made.
    for_variant!(config.run.variant, P => {
        check::<P>(&config, init)?;
        let mut config = config;
        probe::settle_games::<P>(&mut config, stop, |text| console.line(text))?;
        let games = args.from_pdn.as_deref().map(|path| read_games::<P>(path, &config, console)).transpose()?;
        let folder = folder.map_or_else(|| RunFolder::create(args.run_dir.as_deref(), &config), Ok)?;
        heap::keep_freed();
        let (path, variant) = (folder.path().to_owned(), config.run.variant);
        console.started(&path);
        let done = Trainer::<P>::open(config, folder, init)?.warm_start(games)?.run(stop, console);
        match &done {
            Ok(_) => console.finished(&path, variant),
            Err(Error::Interrupted) => console.stopped(&path),
            Err(_) => {}
        }
        done
    })
}

/// The samples of a file of games, as many as the window takes.
fn read_games<P: Position>(path: &Path, config: &Config, console: &Console) -> Result<Vec<Sample<P>>> {
    let mut window = Replay::new(config.replay.capacity);
    console.line(&warm_start::take(path, config.run.draws, &mut window)?.to_string());
    Ok(window.iter().cloned().collect())
}

/// Finds what is wrong with a config and a network to start from before a folder is made or a round played.
fn check<P: Heuristic>(config: &Config, init: Option<&Path>) -> Result<()> {
    torch::find(config.run.device)?;
    if let Some(init) = init {
        read_fitting(&model_file(init)?, &NetSpec::new(&P::SPEC, &config.net))?;
    }
    for opponent in &config.arena.opponents {
        roster::player::<P>(opponent)?;
    }
    Ok(())
}

/// What chance decides in a run: each has a stream of its own out of the run's seed.
#[derive(Copy, Clone)]
pub(super) enum Stream {
    Weights,
    SelfPlay,
    Learning,
    Matches,
}

impl Stream {
    pub(super) const fn seed(self, config: &Config) -> u64 {
        mix(config.run.seed, self as u64)
    }
}

struct Trainer<P: Heuristic> {
    config: Config,
    folder: RunFolder,
    metrics: Metrics,
    progress: Progress,
    workers: Vec<Worker<P>>,
    replay: Replay<P>,
    /// The rounds whose samples are on disk, oldest first.
    sampled: VecDeque<Sampled>,
    learner: Learner,
    weights: Weights,
}

/// A round's samples on disk.
struct Sampled {
    round: u64,
    count: usize,
    checksum: String,
}

impl<P: Heuristic> Trainer<P> {
    /// Begins a run, or goes on after its last complete round.
    fn open(config: Config, folder: RunFolder, init: Option<&Path>) -> Result<Self> {
        let spec = NetSpec::new(&P::SPEC, &config.net);
        let initial = folder.checkpoint(0);
        let state = folder.state()?;
        // A run that was stopped in its first round keeps its start: the network of --init is named only once.
        if state.is_none() && !initial.exists() {
            let weights = match init {
                Some(path) => read_fitting(&model_file(path)?, &spec)?,
                None => Weights::init(&spec, Stream::Weights.seed(&config)),
            };
            stamped(weights, &config, 0).write(&initial)?;
        }
        let weights = read_fitting(&initial, &spec)?;
        let draws = weights.card.draws;
        if draws != config.run.draws {
            // The games under way and the samples so far are of the rules that the run began with.
            return Err(Error::value("run.draws", config.run.draws, format!("{draws}, as the run began")));
        }
        if state.is_none() && !folder.best().exists() {
            weights.write(&folder.best())?;
        }
        read_fitting(&folder.best(), &spec)?;
        let mut learner = Learner::new(&spec, &config.learner, config.run.device, config.threads(), &weights)?;
        let mut replay = Replay::new(config.replay.capacity);
        let mut progress = Progress::default();
        let (mut workers, mut sampled) = (Vec::new(), VecDeque::new());
        if let Some((round, dir)) = &state {
            progress = Progress::read(&dir.join("progress.json"), *round)?;
            progress.check_files(folder.path())?;
            let owns = |path: &Path| progress.owns(&folder.name_of(path));
            learner.load_state(&dir.join("learner.safetensors"))?;
            for number in folder.sampled_rounds()?.into_iter().filter(|number| number <= round) {
                let path = folder.samples(number);
                if !owns(&path) {
                    // Of no use any more; a kill came between the state and the removal.
                    remove(&path)?;
                    continue;
                }
                let samples = replay::load(&path)?;
                sampled.push_back(Sampled { round: number, count: samples.len(), checksum: checksum(&path)? });
                replay.extend(samples);
            }
            for index in 0..config.threads() {
                let path = worker_file(dir, index);
                if owns(&path) && path.exists() {
                    workers.push(Worker::restore(&config, &stored::read(&path, WORKER_MARK)?)?);
                }
            }
        }
        // More threads than before, or a new run: the other workers begin.
        for index in workers.len()..config.threads() {
            workers.push(Worker::new(&config, Stream::SelfPlay.seed(&config), index)?);
        }
        let metrics = Metrics::open(folder.path(), progress.round)?;
        // Only now, when everything fits, do changed knobs become the run's.
        folder.write_config(&config)?;
        let weights = if state.is_some() { stamped(learner.weights()?, &config, progress.steps) } else { weights };
        Ok(Self { config, folder, metrics, progress, workers, replay, sampled, learner, weights })
    }

    /// Fills the window with the positions of games before the first round, and owes the steps they allow. They are kept
    /// as the samples of round 0, so that a run stopped in its first round begins with them again.
    fn warm_start(mut self, games: Option<Vec<Sample<P>>>) -> Result<Self> {
        let kept = self.folder.samples(0);
        if let Some(samples) = games {
            replay::save(&kept, &samples)?;
        }
        if self.progress.round == 0 && kept.exists() {
            let samples = replay::load(&kept)?;
            self.sampled.push_back(Sampled { round: 0, count: samples.len(), checksum: checksum(&kept)? });
            let config = &self.config.learner;
            self.progress.steps_owed +=
                samples.len() as f64 * f64::from(config.samples_per_new) / config.batch_size as f64;
            self.replay.extend(samples);
        }
        Ok(self)
    }

    fn run(mut self, stop: &AtomicBool, console: &mut Console) -> Result<Table> {
        while self.share_done() < 1.0 {
            self.round(stop, console)?;
        }
        if self.config.arena.final_games == 0 {
            return Ok(Table::default());
        }
        let best = Weights::read(&self.folder.best())?;
        let start = Weights::read(&self.folder.checkpoint(0))?;
        let fresh = Weights::init(start.spec(), Stream::Weights.seed(&self.config));
        let untrained = start.to_flat() == fresh.to_flat();
        let games = self.config.arena.final_games;
        // Openings drawn apart from those of the measurements that chose the best.
        let seed = mix(Stream::Matches.seed(&self.config), u64::MAX);
        let mut pdn = String::new();
        let mut keep = |game: &str| pdn.push_str(game);
        let mut rungs = rungs::measure::<P>(&best, &self.config, games, seed, stop, console, &mut keep)?;
        write_whole(&self.folder.games("final", self.progress.round), pdn.as_bytes())?;
        let before = rungs::measure::<P>(&start, &self.config, games, seed, stop, console, &mut |_| {})?;
        for (rung, before) in rungs.iter_mut().zip(before) {
            rung.start = Some(before.report);
        }
        let table = Table { visits: self.config.arena.visits, untrained, rungs };
        write_whole(&self.folder.path().join("final.json"), format!("{:#}\n", table.row()).as_bytes())?;
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
        let number = self.progress.round + 1;
        let start = Instant::now();
        let mut round = self.play(stop, console)?;
        let play_s = start.elapsed().as_secs_f64();
        let new = round.samples.len();
        let calibration = calibration(&round.samples);
        let path = self.folder.samples(number);
        replay::save(&path, &round.samples)?;
        self.sampled.push_back(Sampled { round: number, count: new, checksum: checksum(&path)? });
        self.replay.extend(round.samples.drain(..));

        let learn_start = Instant::now();
        let learned = self.learn(new, stop, console)?;
        let learn_s = learn_start.elapsed().as_secs_f64();

        let stats = &round.stats;
        let progress = &mut self.progress;
        progress.round = number;
        progress.seconds += start.elapsed().as_secs_f64();
        progress.games += stats.games;
        progress.hops += stats.hops;
        progress.samples += new as u64;
        progress.steps += learned.steps;
        self.weights = stamped(self.learner.weights()?, &self.config, progress.steps);

        let elo = self.measure(number, stop, console)?;
        let progress = &self.progress;
        let threads = self.workers.len() as f64;
        let trained = learned.steps as f64 * self.config.learner.batch_size as f64;
        let row = json!({
            "round": number,
            "seconds": progress.seconds,
            "games": progress.games,
            "hops": progress.hops,
            "samples": progress.samples,
            "steps": progress.steps,
            "losses": learned.losses.as_ref().map(losses_row),
            "elo": elo,
            "learning_rate": learned.rate,
            "precision": self.learner.precision(),
            "replay": self.replay.len(),
            "play": stats.play_row(),
            "draws": stats.draw_row(),
            "policy": stats.policy_row(),
            "cached": stats.cached_share(),
            "value": calibration,
            "time": TimeSpent {
                self_play_s: play_s,
                learn_s,
                net_s: stats.net_s / threads,
                search_s: (stats.all_s - stats.net_s) / threads,
                encode_s: learned.encode_s,
            }.row(),
            "rate": {
                "games_per_s": stats.games as f64 / play_s,
                "leaves_per_s": (stats.evaluations + stats.cached) as f64 / play_s,
                "evaluations_per_s": stats.evaluations as f64 / play_s,
                "samples_per_s": new as f64 / (play_s + learn_s),
                "trained_samples_per_s": trained / learn_s,
            },
        });
        self.write_down(number, &round, &row)?;
        console.round(&row, self.share_done());
        Ok(())
    }

    /// Every worker plays its round.
    fn play(&mut self, stop: &AtomicBool, console: &mut Console) -> Result<Round<P>> {
        let expected = (self.workers.len() * self.config.selfplay.samples_per_round) as u64;
        let share = self.share_done();
        let device = self.config.run.device;
        play_round(&mut self.workers, &self.weights, device, stop, &mut |recorded| {
            console.playing(recorded, expected, share);
        })
    }

    /// Takes the optimiser steps that the new samples allow.
    fn learn(&mut self, new: usize, stop: &AtomicBool, console: &mut Console) -> Result<Learned> {
        let config = &self.config.learner;
        let mut learned = Learned::default();
        if self.replay.len() < self.config.replay.start {
            return Ok(learned);
        }
        self.progress.steps_owed += new as f64 * f64::from(config.samples_per_new) / config.batch_size as f64;
        let steps = self.progress.steps_owed as u64;
        self.progress.steps_owed -= steps as f64;
        let share = self.share_done();
        let mut sum = Losses::default();
        for step in 0..steps {
            check_stop(stop)?;
            let number = self.progress.steps + step;
            learned.rate = learning_rate(config, number, share);
            let encode_ns = AtomicU64::new(0);
            // A seed for each step and shard, so that a resumed run draws the same samples.
            let seed = mix(Stream::Learning.seed(&self.config), number);
            let fill = |shard: usize, size: usize, batch: &mut Batch| {
                let start = Instant::now();
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(mix(seed, shard as u64));
                self.replay.sample(&mut rng, size, self.config.selfplay.search_value_share, batch);
                // The shards are filled side by side: the slowest counts.
                encode_ns.fetch_max(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
            };
            let losses = self.learner.step_sharded(&fill, learned.rate)?;
            learned.encode_s += encode_ns.into_inner() as f64 / 1e9;
            sum.add(&losses, 1.0 / steps as f64);
            console.learning(step, steps, share);
        }
        learned.steps = steps;
        learned.losses = (steps > 0).then_some(sum);
        Ok(learned)
    }

    /// Plays the rungs if it is their round or the last one. The newer network becomes the best unless it is clearly worse
    /// than the highest score so far.
    fn measure(&mut self, round: u64, stop: &AtomicBool, console: &mut Console) -> Result<Value> {
        let every = u64::from(self.config.arena.every);
        let due = every > 0 && (round.is_multiple_of(every) || self.share_done() >= 1.0);
        if !due {
            if every == 0 || self.progress.best.is_none() {
                self.weights.write(&self.folder.best())?;
            }
            return Ok(Value::Null);
        }
        let mut pdn = String::new();
        let games = self.config.arena.games;
        let seed = mix(Stream::Matches.seed(&self.config), round);
        let table = rungs::measure::<P>(&self.weights, &self.config, games, seed, stop, console, &mut |game| {
            pdn.push_str(game)
        })?;
        write_whole(&self.folder.games("arena", round), pdn.as_bytes())?;
        let played: u32 = table.iter().map(|rung| rung.report.tally.games()).sum();
        let scores: f64 = table.iter().filter_map(|rung| rung.report.tally.score()).sum();
        let score = scores / table.len().max(1) as f64;
        if self.progress.note_score(score, played) {
            self.weights.write(&self.folder.best())?;
        }
        let rows = table.iter().map(|rung| (rung.opponent.clone(), rung.row()));
        Ok(Value::Object(rows.collect()))
    }

    /// Record, checkpoint and state; only then may older samples go.
    fn write_down(&mut self, number: u64, round: &Round<P>, row: &Value) -> Result<()> {
        let pdn: String = round.games.iter().map(ToString::to_string).collect();
        write_whole(&self.folder.games("selfplay", number), pdn.as_bytes())?;
        self.metrics.write(row, self.progress.samples)?;
        if number.is_multiple_of(u64::from(self.config.run.checkpoint_every)) {
            self.weights.write(&self.folder.checkpoint(number))?;
        }
        let old = self.forget_old_samples();
        self.folder.save_state(number, |dir| {
            let learner = dir.join("learner.safetensors");
            self.learner.save_state(&learner)?;
            let mut paths = vec![learner];
            for (index, worker) in self.workers.iter().enumerate() {
                let path = worker_file(dir, index);
                stored::write(&path, WORKER_MARK, &worker.save())?;
                paths.push(path);
            }
            let whole = self.folder.state_after(number);
            let mut files = BTreeMap::new();
            for path in paths {
                // The name it has when the state is whole.
                let named = whole.join(path.strip_prefix(dir).unwrap_or(&path));
                files.insert(self.folder.name_of(&named), checksum(&path)?);
            }
            for sampled in &self.sampled {
                files.insert(self.folder.name_of(&self.folder.samples(sampled.round)), sampled.checksum.clone());
            }
            self.progress.files = Some(files);
            self.progress.write(&dir.join("progress.json"))
        })?;
        old.iter().try_for_each(|&round| remove(&self.folder.samples(round)))
    }

    /// The rounds whose samples the replay no longer holds; from now on their files do not count.
    fn forget_old_samples(&mut self) -> Vec<u64> {
        let mut kept: usize = self.sampled.iter().map(|sampled| sampled.count).sum();
        let mut old = Vec::new();
        while let Some(&Sampled { round, count, .. }) = self.sampled.front()
            && kept - count >= self.config.replay.capacity
        {
            kept -= count;
            old.push(round);
            self.sampled.pop_front();
        }
        old
    }
}

/// Plays a round, each worker on a thread of its own with its own evaluator; `watch` sees the samples recorded
/// so far, several times a second.
pub(super) fn play_round<P: Position>(
    workers: &mut [Worker<P>],
    weights: &Weights,
    device: Device,
    stop: &AtomicBool,
    watch: &mut dyn FnMut(u64),
) -> Result<Round<P>> {
    let recorded = AtomicU64::new(0);
    let mut evaluators = load::evaluators::<P>(weights, device, workers.len())?;
    let rounds = std::thread::scope(|scope| {
        let threads: Vec<_> = workers
            .iter_mut()
            .zip(&mut evaluators)
            .map(|(worker, evaluator)| {
                let recorded = &recorded;
                scope.spawn(move || worker.generate(evaluator.as_mut(), stop, recorded))
            })
            .collect();
        while threads.iter().any(|thread| !thread.is_finished()) {
            std::thread::sleep(Duration::from_millis(20));
            watch(recorded.load(Ordering::Relaxed));
        }
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err(Error::Failed("a self-play thread panicked".into()))))
            .collect::<Result<Vec<_>>>()
    })?;
    check_stop(stop)?;
    let mut all = Round::default();
    rounds.into_iter().for_each(|round| all.merge(round));
    Ok(all)
}

/// What the learner did in a round.
#[derive(Default)]
struct Learned {
    /// Means over the steps; `None` without steps.
    losses: Option<Losses>,
    steps: u64,
    /// The last learning rate.
    rate: f64,
    /// Seconds in drawing and encoding samples.
    encode_s: f64,
}

fn losses_row(losses: &Losses) -> Value {
    json!({
        "policy": losses.policy,
        "value": losses.value,
        "total": losses.total,
        "entropy": losses.entropy,
        "kl": losses.kl,
        "grad_norm": losses.grad_norm,
    })
}

fn remove(path: &Path) -> Result<()> {
    std::fs::remove_file(path).map_err(|source| Error::io(path, source))
}

fn worker_file(state: &Path, index: usize) -> PathBuf {
    state.join(format!("worker-{index}.bin"))
}

/// Reads a network of the run's own shape.
fn read_fitting(path: &Path, spec: &NetSpec) -> Result<Weights> {
    let weights = Weights::read(path)?;
    if *weights.spec() == *spec {
        return Ok(weights);
    }
    let reason = format!("expected {spec} as the config says, found {}", weights.spec());
    Err(Error::Model { path: path.to_owned(), reason })
}

/// The weights with a card that says where they come from.
fn stamped(mut weights: Weights, config: &Config, step: u64) -> Weights {
    weights.card.step = step;
    weights.card.draws = config.run.draws;
    weights.card.search = config.search.puct();
    weights.card.config_hash = config.hash();
    weights
}

fn check_stop(stop: &AtomicBool) -> Result<()> {
    if stop.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
}
