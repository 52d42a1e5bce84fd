//! The whole training loop in little: every part runs, the folder is complete, and a run that was stopped or killed goes
//! on as if nothing had happened.
#![cfg(feature = "torch")]
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use shashki::Error;
use shashki::config::Config;
use shashki::games::Russian;
use shashki::train::console::Console;
use shashki::train::replay;
use shashki::train::rungs::Table;
use shashki::train::selfplay::Worker;
use shashki::train::trainer::{TrainArgs, run};

fn args(dir: &Path, overrides: &[&str]) -> TrainArgs {
    TrainArgs {
        config: Some("configs/smoke.toml".into()),
        overrides: overrides.iter().map(|&o| o.to_owned()).collect(),
        run_dir: Some(dir.to_owned()),
        ..TrainArgs::default()
    }
}

fn train(args: &TrainArgs) -> shashki::Result<Table> {
    let stop = AtomicBool::new(false);
    let mut ignore = |_: &Value| {};
    run(args, &stop, &mut Console::new(&mut ignore))
}

fn rows(dir: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(dir.join("metrics.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What must repeat: everything but times and rates.
fn repeatable(row: &Value) -> Value {
    let mut row = row.clone();
    for timed in ["seconds", "time", "rate"] {
        assert!(row.as_object_mut().unwrap().remove(timed).is_some(), "{timed} is missing");
    }
    if let Some(rungs) = row["elo"].as_object_mut() {
        rungs.values_mut().for_each(|rung| drop(rung.as_object_mut().unwrap().remove("seconds")));
    }
    row
}

#[test]
fn a_run_leaves_a_complete_folder_and_a_table() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    let table = train(&args(&dir, &[])).unwrap();
    assert_eq!(table.rungs.len(), 2, "one rung an opponent");
    assert!(table.untrained && table.to_string().contains("untrained, same search"), "{table}");
    for file in
        ["config.toml", "run.json", "best.safetensors", "checkpoints/000000.safetensors", "games/arena-000002.pdn"]
    {
        assert!(dir.join(file).is_file(), "{file} is missing");
    }
    let events = std::fs::read_dir(&dir)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("events.out.tfevents."));
    assert_eq!(events.count(), 1);
    let rows = rows(&dir);
    assert_eq!(rows.iter().map(|row| row["round"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 2, 3]);
    let last = &rows[2];
    for path in
        ["/losses/policy", "/losses/value", "/policy/entropy", "/policy/kl", "/play/game_length", "/rate/games_per_s"]
    {
        assert!(
            last.pointer(path).and_then(Value::as_f64).is_some_and(|n| n.is_finite() && n > 0.0),
            "{path} in {last}"
        );
    }
    assert!(rows[1].pointer("/elo/random/score").is_some(), "{}", rows[1]);
    assert!(last["steps"].as_u64().unwrap() > 0);
    let refused = train(&args(&dir, &[])).unwrap_err().to_string();
    assert!(refused.contains("--resume"), "{refused}");
}

#[test]
fn a_device_that_is_not_there_is_refused_before_a_folder_is_made() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    let error = train(&args(&dir, &["run.device=cuda:99"])).unwrap_err().to_string();
    assert!(error.contains("cuda:99") && !dir.exists(), "{error}");
}

#[test]
fn a_number_of_games_left_to_the_machine_is_in_the_runs_config() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    train(&args(&dir, &["selfplay.games=0", "run.rounds=1", "arena.every=0", "arena.final_games=0"])).unwrap();
    let config = Config::load(&dir.join("config.toml"), &[]).unwrap();
    assert!(config.selfplay.games.is_power_of_two() && config.selfplay.games >= 32, "{}", config.selfplay.games);
    let refused = Worker::<Russian>::new(&Config::parse("selfplay.games = 0", &[]).unwrap(), 1, 0).unwrap_err();
    assert!(refused.to_string().contains("selfplay.games"), "{refused}");
}

#[test]
fn a_resumed_run_continues_the_same_curve() {
    let temp = tempfile::tempdir().unwrap();
    let (whole, halved) = (temp.path().join("whole"), temp.path().join("halved"));
    let threads = "run.threads=2";
    train(&args(&whole, &[threads, "arena.every=1", "arena.final_games=0"])).unwrap();
    train(&args(&halved, &[threads, "arena.every=1", "arena.final_games=0", "run.rounds=1"])).unwrap();
    let resume =
        TrainArgs { resume: Some(halved.clone()), overrides: vec!["run.rounds=3".to_owned()], ..TrainArgs::default() };
    train(&resume).unwrap();
    let (whole, halved) = (rows(&whole), rows(&halved));
    assert_eq!(whole.len(), 3);
    for (a, b) in whole.iter().zip(&halved) {
        assert_eq!(repeatable(a), repeatable(b));
    }
}

#[test]
fn a_run_begins_with_the_positions_of_games() {
    let temp = tempfile::tempdir().unwrap();
    let (pdn, dir) = (temp.path().join("games.pdn"), temp.path().join("run"));
    std::fs::write(&pdn, "1. c3-d4 d6-c5 2. b2-c3 f6-g5 3. c3-b4 2-0\n1. a3-b4 b6-a5 *\n").unwrap();
    let quick = ["run.rounds=1", "arena.every=0", "arena.final_games=0"];
    train(&TrainArgs { from_pdn: Some(pdn.clone()), ..args(&dir, &quick) }).unwrap();
    let first: Vec<replay::Sample<Russian>> = replay::load(&dir.join("replay/000000.bin")).unwrap();
    assert!(first.len() == 5 && first.iter().all(|sample| sample.winner == Some(shashki::board::Side::White)));
    let row = &rows(&dir)[0];
    assert_eq!(row["replay"].as_u64().unwrap(), row["samples"].as_u64().unwrap() + 5);
    // The run goes on with them.
    let overrides = vec!["run.rounds=2".to_owned()];
    train(&TrainArgs { resume: Some(dir.clone()), overrides, ..TrainArgs::default() }).unwrap();
    let row = &rows(&dir)[1];
    assert_eq!(row["replay"].as_u64().unwrap(), row["samples"].as_u64().unwrap() + 5);
    std::fs::write(&pdn, "1. c3-d4 *").unwrap();
    let other = temp.path().join("other");
    let refused = train(&TrainArgs { from_pdn: Some(pdn), ..args(&other, &quick) }).unwrap_err();
    assert!(refused.to_string().contains("expected finished games of russian"), "{refused}");
    assert!(!other.exists());
}

#[test]
fn a_raised_stop_ends_the_run_and_keeps_the_finished_rounds() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    let stop = AtomicBool::new(false);
    let mut rounds = 0;
    let mut stop_after_two = |_: &Value| {
        rounds += 1;
        stop.store(rounds == 2, Ordering::Relaxed);
    };
    let args = args(&dir, &["run.rounds=50", "arena.every=0"]);
    let ended = run(&args, &stop, &mut Console::new(&mut stop_after_two));
    assert!(matches!(ended, Err(Error::Interrupted)));
    assert_eq!(rows(&dir).len(), 2);
}

#[test]
fn a_run_stopped_in_its_first_round_keeps_the_network_it_was_given() {
    let temp = tempfile::tempdir().unwrap();
    let (given, dir) = (temp.path().join("given"), temp.path().join("run"));
    let quick = ["run.rounds=1", "arena.every=0", "arena.final_games=0"];
    train(&args(&given, &quick)).unwrap();
    let begun = TrainArgs { init: Some(given.join("best.safetensors")), ..args(&dir, &quick) };
    let stopped = run(&begun, &AtomicBool::new(true), &mut Console::new(&mut |_: &Value| {}));
    assert!(matches!(stopped, Err(Error::Interrupted)));
    let start = || std::fs::read(dir.join("checkpoints/000000.safetensors")).unwrap();
    let before = start();
    let overrides = vec!["arena.final_games=2".to_owned()];
    let table = train(&TrainArgs { resume: Some(dir.clone()), overrides, ..TrainArgs::default() }).unwrap();
    assert!(!table.untrained && table.to_string().contains("start, same search"), "{table}");
    assert!(start() == before, "the resumed run began from another network");
}

#[test]
fn a_killed_run_loses_nothing_but_its_round() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    let binary = env!("CARGO_BIN_EXE_shashki");
    let quick = ["--set", "arena.every=0", "--set", "arena.final_games=0"];
    let mut child = Command::new(binary)
        .args(["train", "configs/smoke.toml", "--set", "run.rounds=1000", "--run"])
        .arg(&dir)
        .args(quick)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(120);
    while !dir.join("state/000003").is_dir() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = rows(&dir).into_iter().filter(|row| row["round"].as_u64().unwrap() <= 3).collect::<Vec<_>>();
    assert_eq!(before.len(), 3);
    let states = std::fs::read_dir(dir.join("state")).unwrap().map(|entry| entry.unwrap().file_name());
    let whole = states.filter(|name| name.to_string_lossy().parse::<u64>().is_ok());
    assert!(whole.count() >= 1, "a kill leaves a whole state, whatever was being written");
    let rounds = format!("run.rounds={}", rows(&dir).len() + 2);
    let resumed = Command::new(binary).args(["train", "--set", &rounds, "--resume"]).arg(&dir).output().unwrap();
    assert!(resumed.status.success(), "{}", String::from_utf8_lossy(&resumed.stderr));
    let after = rows(&dir);
    assert_eq!(after[..3], before[..]);
    let numbers: Vec<_> = after.iter().map(|row| row["round"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>(), "no round is missing or twice");
    assert!(numbers.len() >= 5);
}

#[test]
fn samples_stay_on_disk_as_long_as_they_are_in_the_window() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    let of = |samples| format!("selfplay.samples_per_round={samples}");
    let quick = ["run.rounds=6", "run.threads=1", "arena.every=0", "arena.final_games=0", "replay.capacity=2400"];
    train(&args(&dir, &[&quick[..], &[&of(200)]].concat())).unwrap();
    // Bigger rounds from now on: the window still reaches back over many small ones.
    let overrides = vec!["run.rounds=7".to_owned(), of(1500)];
    train(&TrainArgs { resume: Some(dir.clone()), overrides, ..TrainArgs::default() }).unwrap();
    let files = std::fs::read_dir(dir.join("replay")).unwrap().map(|entry| entry.unwrap().path());
    let counts: Vec<_> = files.map(|file| replay::load::<Russian>(&file).unwrap().len() as u64).collect();
    let (all, window) = (counts.iter().sum::<u64>(), rows(&dir)[6]["replay"].as_u64().unwrap());
    assert!(all >= window, "{window} samples in the window, {all} on disk");
    assert!(!dir.join("replay/000001.bin").exists(), "{counts:?}: old samples stay for ever");
}

#[test]
fn a_part_of_a_run_that_is_missing_or_anothers_is_named() {
    let temp = tempfile::tempdir().unwrap();
    let (dir, other) = (temp.path().join("run"), temp.path().join("other"));
    let quick = ["run.rounds=2", "run.threads=2", "arena.every=0", "arena.final_games=0"];
    train(&args(&dir, &quick)).unwrap();
    train(&args(&other, &[&quick[..], &["run.seed=9"]].concat())).unwrap();
    let resume = |rounds: u32, threads: u32| {
        let overrides = vec![format!("run.rounds={rounds}"), format!("run.threads={threads}")];
        train(&TrainArgs { resume: Some(dir.clone()), overrides, ..TrainArgs::default() })
    };
    let state = "state/000002";
    let parts = ["learner.safetensors", "worker-0.bin", "worker-1.bin"].map(|part| format!("{state}/{part}"));
    for part in parts.iter().map(String::as_str).chain(["replay/000001.bin", "replay/000002.bin"]) {
        let own = std::fs::read(dir.join(part)).unwrap();
        let name = Path::new(part).file_name().unwrap().to_str().unwrap();
        std::fs::copy(other.join(part), dir.join(part)).unwrap();
        let message = resume(3, 1).unwrap_err().to_string();
        assert!(message.contains(&format!("{name}: not the file that round 2 left")), "{message}");
        std::fs::remove_file(dir.join(part)).unwrap();
        let message = resume(3, 1).unwrap_err().to_string();
        assert!(message.contains(&format!("{name}: No such file")), "{message}");
        std::fs::write(dir.join(part), own).unwrap();
    }
    for part in ["best.safetensors", "checkpoints/000000.safetensors"] {
        let own = std::fs::read(dir.join(part)).unwrap();
        std::fs::remove_file(dir.join(part)).unwrap();
        let message = resume(3, 2).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
        std::fs::write(dir.join(part), own).unwrap();
    }
    // More threads, then fewer: that is no fault.
    resume(3, 3).unwrap();
    resume(4, 1).unwrap();
    assert_eq!(rows(&dir).len(), 4);
    // A run of before the files were listed goes on without.
    let progress = dir.join("state/000004/progress.json");
    let mut listed: Value = serde_json::from_slice(&std::fs::read(&progress).unwrap()).unwrap();
    assert!(listed.as_object_mut().unwrap().remove("files").unwrap().get("replay/000001.bin").is_some());
    std::fs::write(&progress, listed.to_string()).unwrap();
    resume(5, 1).unwrap();
}

#[test]
fn what_is_wrong_with_a_resumed_folder_is_said() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    train(&args(&dir, &["run.rounds=1", "arena.every=0", "arena.final_games=0"])).unwrap();
    let resume = |overrides: &[&str]| {
        train(&TrainArgs {
            resume: Some(dir.clone()),
            overrides: overrides.iter().map(|&o| o.to_owned()).collect(),
            ..TrainArgs::default()
        })
        .unwrap_err()
        .to_string()
    };
    let wider = resume(&["run.rounds=2", "net.width=64"]);
    assert!(wider.contains("expected mlp 64 x 1"), "{wider}");
    let other_rules = resume(&["run.rounds=2", "run.draws=basic"]);
    assert!(other_rules.contains("expected official, as the run began"), "{other_rules}");
    let opponent = resume(&["run.rounds=2", "arena.opponents=['nobody']"]);
    assert!(opponent.contains("nobody") && rows(&dir).len() == 1, "{opponent}");
    std::fs::write(dir.join("state/000001/learner.safetensors"), b"cut").unwrap();
    let damaged = resume(&["run.rounds=2"]);
    assert!(damaged.contains("learner.safetensors"), "{damaged}");
    let elsewhere = TrainArgs { resume: Some(dir.clone()), ..args(&dir, &[]) };
    let two_configs = train(&elsewhere).unwrap_err().to_string();
    assert!(two_configs.contains("smoke.toml") && two_configs.contains("expected none to resume"), "{two_configs}");
    let nowhere = train(&TrainArgs { resume: Some(temp.path().join("none")), ..TrainArgs::default() }).unwrap_err();
    assert!(nowhere.to_string().contains("none"), "{nowhere}");
}
