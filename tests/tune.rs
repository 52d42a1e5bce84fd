//! Tuning: the same games whatever the threads and interruptions, and weights that explain results.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::AtomicBool;

use shashki::Error;
use shashki::games::{Position, Russian, Variant};
use shashki::player::{Player, RandomPlayer};
use shashki::search::heuristic::Heuristic;
use shashki::search::tune::fit::{self, Samples};
use shashki::search::tune::games::{self, Played, Settings};

fn settings(seed: u64) -> Settings {
    Settings { variant: Variant::Russian, player: "random".to_owned(), seed }
}

fn play(path: &Path, seed: u64, number: u64, threads: usize) -> shashki::Result<()> {
    let random = || Ok(Box::new(RandomPlayer::new(1)) as Box<dyn Player<Russian>>);
    games::play(path, &settings(seed), &random, number, threads, &AtomicBool::new(false), &mut |_| ())
}

#[test]
fn games_are_the_same_whatever_the_threads_and_breaks() {
    let dir = tempfile::tempdir().unwrap();
    let (one, two) = (dir.path().join("one"), dir.path().join("two"));
    play(&one, 7, 60, 1).unwrap();
    play(&two, 7, 25, 2).unwrap();
    // A crash in the middle of a game.
    let whole = fs::read(&two).unwrap();
    fs::write(&two, &whole[..whole.len() - 9]).unwrap();
    play(&two, 7, 60, 2).unwrap();
    assert!(fs::read(&one).unwrap() == fs::read(&two).unwrap());
    let read = games::read::<Russian>(&one).unwrap();
    assert_eq!(read.len(), 60);
    assert!(read.iter().flat_map(|game| &game.positions).all(|position| !position.must_capture()));
    let message = play(&one, 8, 60, 1).unwrap_err().to_string();
    assert!(message.contains("played by random with seed 7"), "{message}");
}

#[test]
fn damaged_games_are_refused_and_stay_as_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("games");
    play(&path, 7, 20, 1).unwrap();
    let whole = fs::read(&path).unwrap();
    let first = whole.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    // The high byte of the first game's length, and its points.
    for (at, byte) in [(first + 3, 0x7f), (first + 4, 200)] {
        let mut damaged = whole.clone();
        damaged[at] = byte;
        fs::write(&path, &damaged).unwrap();
        assert!(games::read::<Russian>(&path).is_err());
        assert!(play(&path, 7, 30, 1).is_err());
        assert!(fs::read(&path).unwrap() == damaged);
    }
}

/// Games that the side with more men wins, and that are drawn where none has.
fn games_of_material() -> Vec<Played<Russian>> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("games");
    play(&path, 3, 400, 2).unwrap();
    let mut games = games::read::<Russian>(&path).unwrap();
    for game in &mut games {
        game.positions.retain(|position| position.material(0).kings == [0, 0]);
        let men = game.positions.last().map_or([0, 0], |position| position.material(0).men);
        let ahead = |position: &Russian| {
            let men = position.material(0).men;
            men[0].cmp(&men[1])
        };
        game.points = 1 + u8::from(men[0] > men[1]) - u8::from(men[0] < men[1]);
        let last = men[0].cmp(&men[1]);
        game.positions.retain(|position| ahead(position) == last);
    }
    games
}

#[test]
fn a_stop_keeps_what_was_played_and_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("games");
    play(&path, 7, 5, 1).unwrap();
    let random = || Ok(Box::new(RandomPlayer::new(1)) as Box<dyn Player<Russian>>);
    let stopped = games::play(&path, &settings(7), &random, 9, 1, &AtomicBool::new(true), &mut |_| ());
    assert!(matches!(stopped, Err(Error::Interrupted)));
    assert_eq!(games::read::<Russian>(&path).unwrap().len(), 5);
}

#[test]
fn weights_are_found_that_tell_results_of_games_not_seen() {
    let samples = Samples::new(&games_of_material());
    let [learnt, held_out] = samples.len();
    assert!(learnt > 1000 && held_out > 100, "{learnt} and {held_out}");
    let mut first = None;
    let stop = AtomicBool::new(false);
    let (weights, end) = fit::fit(&samples, 1.0, 12, 2, &stop, &mut |_, loss| {
        first.get_or_insert(loss.held_out);
    })
    .unwrap();
    assert_eq!(weights.len(), 2 * Russian::TERMS);
    let (_, basic) = samples.basic();
    assert!(end.held_out < 0.35 && end.held_out < first.unwrap() / 2.0, "{end:?} beside {basic:?}");
    let again = fit::fit(&samples, 1.0, 12, 1, &stop, &mut |_, _| ()).unwrap();
    assert_eq!(weights, again.0, "the threads have changed the weights");
}

fn shashki(dir: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_shashki")).current_dir(dir).args(arguments).output().unwrap()
}

#[test]
fn the_command_plays_and_fits_and_says_what_came_out() {
    let dir = tempfile::tempdir().unwrap();
    let options = ["--player", "alphabeta:eval=basic,depth=1", "--games", "40", "--steps", "3", "--json"];
    let done = shashki(dir.path(), &[&["tune"], options.as_slice()].concat());
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let said: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((said["games"].as_u64(), said["variant"].as_str()), (Some(40), Some("russian")));
    assert!(said["tuned"]["learnt"].as_f64() < said["basic"]["learnt"].as_f64());
    let weights = fs::read(dir.path().join("tune.weights")).unwrap();
    let shipped = include_bytes!("../src/search/heuristic/russian.weights");
    assert_eq!((weights.len(), &weights[..8]), (shipped.len(), &shipped[..8]));
    let from = shashki(dir.path(), &["tune", "--games", "0", "--from", "tune.games", "--steps", "3", "--out", "b"]);
    assert!(from.status.success());
    assert!(weights == fs::read(dir.path().join("b")).unwrap(), "the same games gave other weights");
}

#[test]
fn what_cannot_be_tuned_is_refused_in_one_line() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("bad"), "{}\n").unwrap();
    for (arguments, status, words) in [
        (vec!["--variant", "bashni"], 2, "russian"),
        (vec!["--player", "alphabeta:depht=1"], 2, "depht"),
        (vec!["--penalty", "-1"], 2, "penalty"),
        (vec!["--games", "0"], 2, "games"),
        (vec!["--keep", "same", "--out", "same"], 2, "out"),
        (vec!["--keep", "./same", "--out", "same"], 2, "out"),
        (vec!["--steps", "0"], 2, "steps"),
        #[cfg(unix)]
        (vec!["--keep", "/dev/null"], 1, "/dev/null: expected a file"),
        (vec!["--games", "0", "--from", "bad", "--out", "./bad"], 2, "out"),
        (vec!["--games", "1000000", "--out", "nowhere/weights"], 1, "nowhere/weights"),
        (vec!["--games", "1000000", "--out", "."], 1, "directory"),
        (vec!["--games", "0", "--from", "missing"], 1, "missing"),
        (vec!["--games", "0", "--from", "bad"], 1, "bad: expected a file of games"),
    ] {
        let done = shashki(dir.path(), &[vec!["tune"], arguments].concat());
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(status), "{said}");
        assert!(said.lines().count() == 1 && said.contains(words), "{said}");
    }
}
