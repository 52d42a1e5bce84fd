//! Matches: pairing, colours, determinism, failing players, clocks, early stops.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use shashki::arena::{self, GameRecord, Opening, Openings, Options, Report, Sprt, Verdict};
use shashki::board::Side;
use shashki::games::{Game, Position, Preset, Reason, Russian, Turn};
use shashki::player::{Player, RandomPlayer};
use shashki::{Error, Result};

type Made = Result<Box<dyn Player<Russian>>>;

fn random() -> Made {
    Ok(Box::new(RandomPlayer::new(0)))
}

/// Answers by a rule, here any function of the game.
struct Scripted<F>(F);

impl<F: FnMut(&Game<Russian>) -> Result<Turn> + Send> Player<Russian> for Scripted<F> {
    fn name(&self) -> String {
        "scripted".to_owned()
    }

    fn choose(&mut self, game: &Game<Russian>) -> Result<Turn> {
        (self.0)(game)
    }
}

/// Captures where it can and plays the first turn of the list: weak, but not without a plan.
fn first_turn() -> Made {
    Ok(Box::new(Scripted(|game: &Game<Russian>| Ok(game.turns().swap_remove(0)))))
}

fn run(a: fn() -> Made, b: fn() -> Made, options: &Options<Russian>) -> (Report, Vec<GameRecord<Russian>>) {
    let mut games = Vec::new();
    let mut keep = |game: &GameRecord<Russian>, _: &Report| {
        games.push(game.clone());
        Ok(())
    };
    let report = arena::play(&a, &b, options, &AtomicBool::new(false), &mut keep).unwrap();
    (report, games)
}

fn options(games: u32) -> Options<Russian> {
    Options { games, ..Options::default() }
}

#[test]
fn each_opening_is_played_twice_with_colours_swapped() {
    let (report, games) = run(random, first_turn, &options(20));
    assert_eq!(games.len(), 20);
    for (i, pair) in games.chunks(2).enumerate() {
        assert_eq!(pair[0].turns[..4], pair[1].turns[..4]);
        assert_eq!((pair[0].number, pair[1].number), (2 * i, 2 * i + 1));
        assert_eq!((pair[0].side_of_a(), pair[1].side_of_a()), (Side::White, Side::Black));
    }
    assert_eq!(report.tally.pairs.iter().sum::<u32>(), 10);
    assert_eq!(report.by_colour.map(|tally| tally.games()), [10, 10]);
}

#[test]
fn a_record_replays_to_its_own_outcome() {
    let (_, games) = run(random, first_turn, &options(10));
    for record in games {
        let mut game = Game::from_position(record.start, Preset::Official).unwrap();
        record.turns.iter().for_each(|turn| game.play(turn).unwrap());
        assert_eq!(game.outcome(), Some(record.outcome));
        assert_eq!(record.chosen.iter().sum::<u32>() as usize, record.turns.len() - record.opening_turns);
    }
}

#[test]
fn the_same_seed_gives_the_same_match_on_any_number_of_threads() {
    let texts = |threads, seed| {
        let (report, games) = run(random, random, &Options { threads, seed, ..options(24) });
        (report.tally, games.iter().map(|game| format!("{:?}", game.turns)).collect::<Vec<_>>())
    };
    assert_eq!(texts(1, 7), texts(4, 7));
    assert_ne!(texts(1, 7).1, texts(1, 8).1);
}

#[test]
fn the_points_of_a_are_counted_with_either_colour() {
    // White is to move and has lost all but one game: with the extra king White wins whoever plays, if it only tries.
    let won_for_white = Openings::List(vec![Opening::read("W:Wa1,c1,e1,g1,Kd4:Bh8", Preset::Official).unwrap()]);
    let (report, games) = run(first_turn, first_turn, &Options { openings: won_for_white, ..options(4) });
    assert!(games.iter().all(|game| game.outcome == games[0].outcome));
    let [white, black] = report.by_colour;
    assert_eq!((white.wins, white.draws), (black.losses, black.draws));
    assert_eq!(report.tally.pairs, [0, 0, 2, 0, 0]);
}

#[test]
fn a_player_that_fails_or_cheats_loses_that_game() {
    fn failing() -> Made {
        Ok(Box::new(Scripted(|_: &Game<Russian>| Err(Error::Network("gone".to_owned())))))
    }
    fn cheating() -> Made {
        let mut game = Game::<Russian>::new(Preset::Official)?;
        let turn = game.play_text("c3-d4")?;
        Ok(Box::new(Scripted(move |_: &Game<Russian>| Ok(turn.clone()))))
    }
    for player in [failing, cheating] {
        let (report, games) = run(player, random, &Options { openings: Openings::Random { plies: 6 }, ..options(4) });
        assert_eq!(report.tally.losses, 4);
        assert_eq!(report.decided_by.get("illegal"), Some(&4));
        assert!(games.iter().all(|game| game.warning.as_ref().is_some_and(|text| text.contains("scripted"))));
    }
}

#[test]
fn a_fallen_flag_loses_and_the_clock_reaches_the_player() {
    /// Sleeps for as long as it was told it may think, and once over that.
    struct Slow(f64);
    impl Player<Russian> for Slow {
        fn name(&self) -> String {
            "slow".to_owned()
        }
        fn choose(&mut self, game: &Game<Russian>) -> Result<Turn> {
            assert!(self.0 > 0.0, "no limit was given");
            std::thread::sleep(Duration::from_secs_f64(self.0 * 50.0));
            Ok(game.turns().swap_remove(0))
        }
        fn limit_time(&mut self, seconds: f64) {
            self.0 = seconds;
        }
    }
    let slow = || Ok(Box::new(Slow(0.0)) as Box<dyn Player<Russian>>);
    let options = Options { clock: Some("0.2+0".parse().unwrap()), ..options(2) };
    let report = arena::play(&slow, &random, &options, &AtomicBool::new(false), &mut |_, _| Ok(())).unwrap();
    assert_eq!((report.tally.losses, report.decided_by.get("time")), (2, Some(&2)));
}

#[test]
fn a_game_of_the_agreed_length_is_a_draw() {
    let (report, games) = run(random, random, &Options { max_turns: Some(10), ..options(6) });
    assert_eq!((report.tally.draws, report.draws_by.get("turn limit")), (6, Some(&6)));
    assert!(games.iter().all(|game| game.turns.len() == 10 && game.outcome.reason == Reason::TurnLimit));
}

#[test]
fn the_sequential_test_stops_a_match_at_the_same_pair_on_any_number_of_threads() {
    fn resigning() -> Made {
        Ok(Box::new(Scripted(|_: &Game<Russian>| Err(Error::Failed("I give up".to_owned())))))
    }
    let sprt = Some(Sprt { elo0: 0.0, elo1: 100.0 });
    let played = [1, 3, 0].map(|threads| {
        let (report, games) = run(random, resigning, &Options { sprt, threads, ..options(400) });
        assert_eq!((report.verdict, report.interrupted), (Some(Verdict::H1), false));
        assert_eq!(report.tally.games() as usize, games.len());
        report.tally
    });
    assert!(played.iter().all(|tally| *tally == played[0]));
    assert!(played[0].games() < 100);
}

#[test]
fn a_stop_from_outside_keeps_what_is_finished() {
    let stop = AtomicBool::new(false);
    let seen = Mutex::new(0);
    let report = arena::play(&random, &random, &Options { threads: 2, ..options(20_000) }, &stop, &mut |_, report| {
        *seen.lock().unwrap() += 1;
        stop.fetch_or(report.tally.games() == 10, Ordering::Relaxed);
        Ok(())
    })
    .unwrap();
    assert!(report.interrupted);
    assert!((10..1000).contains(&report.tally.games()));
    assert_eq!(report.tally.games(), *seen.lock().unwrap());
}

#[test]
fn a_stop_keeps_the_pairs_that_overtook_a_slow_one() {
    static STOP: AtomicBool = AtomicBool::new(false);
    /// Thinks about the first pair's start until the match is stopped; its third game shows that a pair is finished.
    #[derive(Default)]
    struct Waiting {
        games: u32,
    }
    impl Player<Russian> for Waiting {
        fn name(&self) -> String {
            "waiting".to_owned()
        }
        fn choose(&mut self, game: &Game<Russian>) -> Result<Turn> {
            while game.position().write_fen() == "W:Wa1:Bh8" && !STOP.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(1));
            }
            Ok(game.turns().swap_remove(0))
        }
        fn new_game(&mut self) {
            self.games += 1;
            STOP.fetch_or(self.games == 3, Ordering::Relaxed);
        }
    }
    let waiting = || Ok(Box::new(Waiting::default()) as Box<dyn Player<Russian>>);
    let fens = ["W:Wa1:Bh8", "W:Wa7,c7,e7:Bh8", "W:Wa7,c7,e7:Bh8"];
    let openings = Openings::List(fens.map(|fen| Opening::read(fen, Preset::Official).unwrap()).to_vec());
    let options = Options { openings, threads: 2, ..options(6) };
    let report = arena::play(&waiting, &random, &options, &STOP, &mut |_, _| Ok(())).unwrap();
    assert!(report.interrupted);
    assert_eq!((report.tally.games(), report.tally.pairs.iter().sum()), (2, 1));
}

#[test]
fn an_error_of_a_factory_or_of_the_caller_ends_the_match() {
    fn broken() -> Made {
        Err(Error::Network("no such device".to_owned()))
    }
    let stop = AtomicBool::new(false);
    let error = arena::play(&random, &broken, &options(4), &stop, &mut |_, _| Ok(())).unwrap_err();
    assert!(error.to_string().contains("no such device"));
    let full = |_: &GameRecord<Russian>, _: &Report| Err(Error::Failed("disk full".to_owned()));
    let error = arena::play(&random, &random, &options(4), &stop, &mut { full }).unwrap_err();
    assert_eq!(error.to_string(), "disk full");
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let stop = AtomicBool::new(false);
    let refused = |options: Options<Russian>| {
        arena::play(&random, &random, &options, &stop, &mut |_, _| Ok(())).unwrap_err().to_string()
    };
    assert!(refused(options(0)).contains("even"));
    assert!(refused(options(3)).contains("even"));
    assert!(refused(Options { sprt: Some(Sprt { elo0: 5.0, elo1: 5.0 }), ..options(2) }).contains("sprt"));
    assert!(refused(Options { openings: Openings::Random { plies: 100_000 }, ..options(2) }).contains("random:100000"));
}

#[test]
fn openings_of_a_file_are_used_in_turn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("openings.txt");
    std::fs::write(&path, "# two of them\n\n1. c3-d4 d6-c5\nB:Wa1,c1:Bh8,f8\n").unwrap();
    let openings = Openings::<Russian>::read(path.to_str().unwrap(), Preset::Official).unwrap();
    let (_, games) = run(random, random, &Options { openings, ..options(6) });
    let starts: Vec<_> = games.iter().map(|game| (game.start == Russian::start(), game.opening_turns)).collect();
    assert_eq!(starts, [(true, 2), (true, 2), (false, 0), (false, 0), (true, 2), (true, 2)]);
    std::fs::write(&path, "c3-d4\nc3-d4 c3-d4\n").unwrap();
    let error = Openings::<Russian>::read(path.to_str().unwrap(), Preset::Official).unwrap_err();
    assert!(error.to_string().contains("line 2"), "{error}");
    assert_eq!(error.exit_status(), 1);
}
