//! The ladder from outside: what it plays, what it answers, what it keeps.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn ladder(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_shashki")).arg("ladder").args(args).stdin(Stdio::null()).output().unwrap()
}

fn json(args: &[&str]) -> Value {
    let output = ladder(&[args, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn refused(args: &[&str], words: &str) {
    let output = ladder(args);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
    assert!(said.contains(words) && said.trim_end().lines().count() == 1, "{args:?}: {said}");
}

const THREE: [&str; 3] = ["alphabeta:eval=basic,depth=2", "random", "alphabeta:eval=basic,depth=1"];

/// A player's numbers in an answer.
fn place<'a>(answer: &'a Value, name: &str) -> &'a Value {
    answer["players"].as_array().unwrap().iter().find(|player| player["name"] == name).unwrap()
}

#[test]
fn all_play_all_and_random_is_zero() {
    let answer = json(&[&THREE[..], &["--games", "20", "--openings", "random:4"]].concat());
    let pairs = answer["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 3);
    assert!(THREE.iter().all(|name| place(&answer, name)["games"] == 40));
    let random = place(&answer, "random");
    assert_eq!([&random["elo"], &random["low"], &random["high"]].map(|elo| elo.as_f64()), [Some(0.0); 3]);
    assert_eq!(answer["anchor"], "random");
    for name in [THREE[0], THREE[2]] {
        let [elo, low, high] = ["elo", "low", "high"].map(|field| place(&answer, name)[field].as_f64().unwrap());
        assert!(0.0 < low && low < elo && elo < high && high < 5000.0, "{answer}");
    }
    assert_eq!(answer["interrupted"], false);
    let names: Vec<_> =
        answer["players"].as_array().unwrap().iter().map(|player| player["name"].as_str().unwrap()).collect();
    assert_eq!(names, THREE, "players stand as they were given");
}

#[test]
fn neighbours_meet_alone_in_as_many_games_as_was_said() {
    let many =
        ["--games", "6", "--games-for", "2:alphabeta:eval=basic,depth=1", "--neighbours", "--openings", "random:2"];
    let players = ["rollout:visits=5", "alphabeta:eval=basic,depth=1", "random:seed=1", "random:seed=2"];
    let answer = json(&[&players[..], &many].concat());
    let games: Vec<_> = answer["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| ["wins", "draws", "losses"].map(|field| pair[field].as_u64().unwrap()).iter().sum::<u64>())
        .collect();
    assert_eq!(games, [2, 2, 6]);
    assert_eq!((&answer["anchor"], place(&answer, players[0])["elo"].as_f64()), (&players[0].into(), Some(0.0)));
}

#[test]
fn what_was_played_before_is_not_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let inside = |name: &str| folder.path().join(name).display().to_string();
    let (keep, pdn, page) = (inside("kept.jsonl"), inside("games.pdn"), inside("ladder.md"));
    fs::write(&page, "<!-- ladder -->\n<!-- end of ladder -->\n").unwrap();
    let args = ["--games", "4", "--openings", "random:4", "--keep", &keep, "--pdn", &pdn, "--into", &page];
    let first = json(&[&THREE[..2], &args].concat());
    assert_eq!(fs::read_to_string(&pdn).unwrap().matches("[Result ").count(), 4);
    // A line cut short by a crash is played again.
    let kept = fs::read_to_string(&keep).unwrap();
    fs::write(&keep, format!("{kept}{}", &kept[..kept.len() / 2])).unwrap();
    let second = json(&[&THREE[..], &args].concat());
    assert_eq!(second["pairs"][0], first["pairs"][0]);
    assert_eq!(fs::read_to_string(&pdn).unwrap().matches("[Result ").count(), 12, "two pairs more");
    assert_eq!(fs::read_to_string(&keep).unwrap().lines().count(), 3);
    let table = fs::read_to_string(&page).unwrap();
    assert!(table.contains("| player | Elo |") && table.contains("| `random` | 0 | 0 to 0 | 8 |"), "{table}");
    // A file without marks is refused before a game is played.
    let output = ladder(&["random", "alphabeta", "--into", &pdn]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("expected the lines <!-- ladder -->"));
    // Another seed is another match.
    json(&[&THREE[..2], &["--seed", "2"], &args[..8]].concat());
    assert_eq!(fs::read_to_string(&pdn).unwrap().matches("[Result ").count(), 16);
}

#[test]
fn an_opening_called_balanced_is_one_that_a_search_calls_even() {
    let folder = tempfile::tempdir().unwrap();
    let pdn = folder.path().join("games.pdn").display().to_string();
    json(&["random", "random:seed=1", "--games", "12", "--openings", "balanced:8", "--pdn", &pdn]);
    let games = fs::read_to_string(&pdn).unwrap();
    let openings: std::collections::BTreeSet<_> = games
        .split("[Event ")
        .skip(1)
        .map(|game| {
            game.split("\n\n")
                .nth(1)
                .unwrap()
                .split('{')
                .next()
                .unwrap()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    assert_eq!(openings.len(), 6);
    for opening in openings {
        let played = shashki::arena::Opening::<shashki::games::Russian>::read(&opening, Default::default());
        let game = played.unwrap().play(Default::default()).unwrap();
        let mut judge = shashki::roster::player::<shashki::games::Russian>("alphabeta:eval=basic,depth=6").unwrap();
        let value = judge.analyse(&game).unwrap().value;
        assert!(value.abs() <= 0.25, "{opening}: {value}");
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    refused(&["random"], "<PLAYERS>");
    refused(&["random", "nobody"], "expected one of random");
    refused(&["random", "alphabeta", "random"], "each player once");
    refused(&["random", "alphabeta", "--games", "3"], "even number");
    refused(&["random", "alphabeta", "--games-for", "6"], "N:PLAYER");
    refused(&["random", "alphabeta", "--games-for", "5:random"], "even number");
    refused(&["random", "alphabeta", "--games-for", "6:rollout"], "one of the players");
    refused(&["random", "alphabeta", "--openings", "balanced:x"], "balanced:PLIES");
    refused(&["random", "alphabeta", "--neighbours", "--all-pairs"], "--all-pairs");
}

#[cfg(unix)]
#[test]
fn ctrl_c_tells_what_is_finished() {
    let folder = tempfile::tempdir().unwrap();
    let pdn = folder.path().join("games.pdn");
    let args = ["random", "random:seed=1", "random:seed=2", "--games", "20000", "--json", "--openings", "random:2"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_shashki"));
    child.arg("ladder").args(args).args(["--pdn", pdn.to_str().unwrap()]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = child.spawn().unwrap();
    while fs::metadata(&pdn).map_or(0, |file| file.len()) == 0 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let games = answer["players"][0]["games"].as_u64().unwrap();
    assert_eq!(fs::read_to_string(&pdn).unwrap().matches("[Result ").count() as u64, games);
    assert!(games > 0 && answer["interrupted"] == true);
    assert_eq!(answer["players"][2]["elo"], Value::Null, "it has not played yet");
}
