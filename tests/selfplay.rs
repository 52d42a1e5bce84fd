//! Self-play and the store of samples: same seed same games, restored as uninterrupted, sampled evenly, kept whole.

#![allow(clippy::unwrap_used)]

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use shashki::Result;
use shashki::board::{Hops, Side};
use shashki::config::{Config, SelfPlayConfig};
use shashki::evaluator::{Evaluations, Evaluator, Uniform, Wdl};
use shashki::games::game::Leaf;
use shashki::games::{Game, Position, Preset, Russian};
use shashki::train::replay::{self, Batch, Replay, Sample};
use shashki::train::selfplay::{Round, Worker};

fn config() -> Config {
    let set = ["search.visits=8", "selfplay.games=6", "selfplay.samples_per_round=150"].map(str::to_owned);
    Config::parse("", &set).unwrap()
}

fn generate(worker: &mut Worker<Russian>) -> Round<Russian> {
    worker.generate(&mut Uniform::default(), &AtomicBool::new(false), &AtomicU64::new(0)).unwrap()
}

fn numbered(n: usize) -> Vec<Sample<Russian>> {
    let game = Game::<Russian>::new(Preset::Official).unwrap();
    let (leaf, hops) = (game.leaf(), game.turns().len());
    let sample = |i: usize| {
        let root = Wdl::of(Side::White, [i as f32 / 1000.0, 0.0, 1.0 - i as f32 / 1000.0]);
        Sample::new(leaf, &vec![1.0 / hops as f32; hops], root)
    };
    (0..n).map(sample).collect()
}

#[test]
fn the_same_seed_gives_the_same_round_and_another_index_another() {
    let round = |seed, index| generate(&mut Worker::new(&config(), seed, index).unwrap()).samples;
    assert_eq!(round(3, 0), round(3, 0));
    assert_ne!(round(3, 0), round(3, 1));
    assert_ne!(round(3, 0), round(4, 0));
}

#[test]
fn a_restored_worker_goes_on_as_one_that_was_never_stopped() {
    let mut worker = Worker::<Russian>::new(&config(), 5, 1).unwrap();
    generate(&mut worker);
    let saved = worker.save();
    let mut restored = Worker::<Russian>::restore(&config(), &saved).unwrap();
    assert_eq!(restored.save(), saved);
    for _ in 0..2 {
        assert_eq!(generate(&mut worker).samples, generate(&mut restored).samples);
    }
    assert_eq!(worker.save(), restored.save());
}

/// Notes how many leaves it is asked at once.
#[derive(Default)]
struct Counting(usize);

impl Evaluator<Russian> for Counting {
    fn evaluate(&mut self, leaves: &[Leaf<Russian>], out: &mut Evaluations) -> Result<()> {
        self.0 = leaves.len();
        Uniform::default().evaluate(leaves, out)
    }
}

#[test]
fn a_restored_worker_plays_as_many_games_as_its_config_wants() {
    let saved = Worker::<Russian>::new(&config(), 5, 0).unwrap().save();
    for games in [2, 6, 9] {
        let config = Config { selfplay: SelfPlayConfig { games, ..config().selfplay }, ..config() };
        let (mut worker, mut asked) = (Worker::restore(&config, &saved).unwrap(), Counting::default());
        worker.generate(&mut asked, &AtomicBool::new(false), &AtomicU64::new(0)).unwrap();
        assert_eq!(asked.0, games);
    }
}

/// Notes the keys of all leaves it is asked for.
#[derive(Default)]
struct Keys(Vec<u64>);

impl Evaluator<Russian> for Keys {
    fn evaluate(&mut self, leaves: &[Leaf<Russian>], out: &mut Evaluations) -> Result<()> {
        self.0.extend(leaves.iter().map(Leaf::key));
        Uniform::default().evaluate(leaves, out)
    }
}

#[test]
fn a_position_is_evaluated_once_in_a_round_and_anew_in_the_next() {
    let one_game = Config { selfplay: SelfPlayConfig { games: 1, opening_turns: 0, ..config().selfplay }, ..config() };
    let mut worker = Worker::<Russian>::new(&one_game, 5, 0).unwrap();
    let mut rounds = [Keys::default(), Keys::default()];
    for keys in &mut rounds {
        let round = worker.generate(keys, &AtomicBool::new(false), &AtomicU64::new(0)).unwrap();
        assert_eq!(round.stats.evaluations, keys.0.len() as u64);
        assert!(round.stats.cached > round.stats.evaluations / 4, "{} cached", round.stats.cached);
        let different: HashSet<_> = keys.0.iter().collect();
        // Few enough that hardly any lose their place to another.
        assert!(keys.0.len() - different.len() <= keys.0.len() / 50, "{} of {}", different.len(), keys.0.len());
    }
    let [first, second] = rounds.map(|keys| keys.0.into_iter().collect::<HashSet<_>>());
    // Every game begins alike.
    assert!(!first.is_disjoint(&second), "the next round's network may answer otherwise");
}

#[test]
fn a_round_of_games_that_are_all_the_same_comes_to_its_end() {
    let mut config = config();
    (config.selfplay.opening_turns, config.search.noise, config.search.temperature) = (0, 0.0, 0.0);
    config.selfplay.samples_per_round = 400;
    let mut worker = Worker::<Russian>::new(&config, 5, 0).unwrap();
    // The cache knows every position from the second game on.
    let round = generate(&mut worker);
    assert!((400..800).contains(&round.samples.len()), "{}", round.samples.len());
    assert!(round.stats.cached > round.stats.evaluations);
}

#[test]
fn a_worker_cut_short_or_lengthened_is_refused() {
    let saved = Worker::<Russian>::new(&config(), 5, 0).unwrap().save();
    for cut in 0..saved.len() {
        assert!(Worker::<Russian>::restore(&config(), &saved[..cut]).is_err(), "cut at {cut}");
    }
    assert!(Worker::<Russian>::restore(&config(), &[saved, vec![0]].concat()).is_err());
}

#[test]
fn every_sample_is_a_choice_with_shares_of_its_hops() {
    let progress = AtomicU64::new(0);
    let mut worker = Worker::<Russian>::new(&config(), 1, 0).unwrap();
    let round = worker.generate(&mut Uniform::default(), &AtomicBool::new(false), &progress).unwrap();
    assert!(round.samples.len() >= 150);
    assert_eq!(progress.load(Ordering::Relaxed), round.samples.len() as u64);
    let mut hops = Hops::new();
    for sample in &round.samples {
        sample.leaf.position.hops(&mut hops);
        assert!(hops.len() > 1, "forced positions are not recorded");
        assert_eq!(hops.len(), sample.shares.len());
        assert!(sample.shares.contains(&u16::MAX));
    }
    assert!(round.stats.games > 0 && round.stats.evaluations > round.samples.len() as u64);
    let decided = round.samples.iter().any(|s| s.winner == Some(Side::White))
        && round.samples.iter().any(|s| s.winner == Some(Side::Black));
    assert!(decided, "both sides win some games of chance");
}

#[test]
fn recorded_games_can_be_played_again() {
    let round = generate(&mut Worker::new(&config(), 2, 0).unwrap());
    assert!(!round.games.is_empty());
    for record in &round.games {
        let mut game = Game::from_position(record.start, record.preset).unwrap();
        record.turns.iter().for_each(|turn| game.play(turn).unwrap());
        assert_eq!(game.outcome(), record.outcome);
    }
}

#[test]
fn a_long_game_is_drawn_by_the_limit_of_turns() {
    let set = ["search.visits=2", "selfplay.games=4", "selfplay.samples_per_round=60", "selfplay.max_turns=20"];
    let round = generate(&mut Worker::new(&Config::parse("", &set.map(str::to_owned)).unwrap(), 1, 0).unwrap());
    assert!(round.games.iter().all(|record| record.turns.len() <= 20));
    assert!(round.stats.draws.get("turn limit").is_some_and(|&games| games > 0));
}

#[test]
fn a_raised_stop_ends_the_round_at_once() {
    let mut worker = Worker::<Russian>::new(&config(), 1, 0).unwrap();
    let round = worker.generate(&mut Uniform::default(), &AtomicBool::new(true), &AtomicU64::new(0)).unwrap();
    assert!(round.samples.is_empty() && round.stats.evaluations == 0);
}

#[test]
fn the_oldest_samples_give_way() {
    let mut replay = Replay::new(10);
    replay.extend(numbered(25));
    assert_eq!(replay.len(), 10);
    let kept: Vec<_> = replay.iter().cloned().collect();
    assert_eq!(kept, numbered(25)[15..]);
}

#[test]
fn samples_are_drawn_evenly_with_rows_that_sum_to_one() {
    let mut replay = Replay::new(10);
    replay.extend(numbered(10));
    let (mut batch, n) = (Batch::default(), 20_000);
    replay.sample(&mut Xoshiro256PlusPlus::seed_from_u64(1), n, 1.0, &mut batch);
    let mut counts = [0; 10];
    for row in batch.wdl.chunks_exact(3) {
        counts[(row[0] * 1000.0).round() as usize] += 1;
    }
    // Five standard deviations of a binomial of 20,000 tries at a tenth.
    assert!(counts.iter().all(|&count: &i32| (count - 2000).abs() < 213), "{counts:?}");
    let actions = Russian::SPEC.actions;
    assert_eq!((batch.features.len(), batch.legal.len()), (n, n * actions));
    for (policy, legal) in batch.policy.chunks_exact(actions).zip(batch.legal.chunks_exact(actions)).take(50) {
        assert!((policy.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        assert_eq!(legal.iter().filter(|&&legal| legal).count(), 7);
        assert!(policy.iter().zip(legal).all(|(&share, &legal)| legal || share == 0.0));
    }
}

#[test]
fn targets_are_seen_by_the_mover_and_mixed_by_the_share() {
    let game = Game::from_position(Russian::read_fen("B:Wc3,e3:Bb6,d6").unwrap(), Preset::Official).unwrap();
    let root = Wdl::of(Side::Black, [0.2, 0.6, 0.2]);
    let hops = game.turns().len();
    let sample = Sample { winner: Some(Side::Black), ..Sample::new(game.leaf(), &vec![1.0; hops], root) };
    assert_eq!(sample.target(0.0), [1.0, 0.0, 0.0]);
    let mixed = sample.target(0.5);
    assert!(mixed.iter().zip([0.6, 0.3, 0.1]).all(|(a, b)| (a - b).abs() < 1e-6), "{mixed:?}");
}

#[test]
fn stored_samples_come_back_and_damage_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("samples.bin");
    let samples = generate(&mut Worker::new(&config(), 8, 0).unwrap()).samples;
    replay::save(&path, &samples).unwrap();
    assert_eq!(replay::load::<Russian>(&path).unwrap(), samples);
    let whole = std::fs::read(&path).unwrap();
    for at in (0..whole.len()).step_by(whole.len() / 40) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        std::fs::write(&path, damaged).unwrap();
        assert!(replay::load::<Russian>(&path).is_err(), "byte {at}");
        std::fs::write(&path, &whole[..at]).unwrap();
        assert!(replay::load::<Russian>(&path).is_err(), "cut at {at}");
    }
}
