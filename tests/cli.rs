//! The command line from outside: answers, exit statuses, complaints, closed pipes, Ctrl-C.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use shashki::config::NetConfig;
use shashki::games::{Position, Russian};
use shashki::net::{NetSpec, Weights};

/// The nodes of the classic engine in the workload `search`.
const NODES: u64 = 1_890_804;

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shashki"));
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(args: &[&str]) -> Output {
    command(args).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// The answer of a command that must succeed.
fn answer(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

fn json(args: &[&str]) -> Vec<Value> {
    answer(args).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Asserts that a command fails with this status and says so in one line that has these words.
fn fails(args: &[&str], status: i32, words: &str) {
    let output = run(args);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{args:?}: {said}");
    assert!(said.starts_with("error: ") && said.trim_end().lines().count() == 1, "{args:?}: {said}");
    assert!(said.contains(words), "{args:?}: {said}");
    assert!(output.stdout.is_empty(), "{args:?}: {}", text(&output.stdout));
}

fn write_model(path: &Path) {
    let spec = NetSpec::new(&Russian::SPEC, &NetConfig { width: 16, ..NetConfig::default() });
    Weights::init(&spec, 1).write(path).unwrap();
}

#[test]
fn what_is_wrong_on_the_command_line_ends_with_status_2_and_one_line() {
    let cases: &[(&[&str], &str)] = &[
        (&["perft"], "--depth"),
        (&["perft", "--depth", "0"], "1..=60"),
        (&["perft", "--depth", "five"], "five"),
        (&["perft", "--depth", "3", "--fen", "W:Wa2:Bb8"], "a2"),
        (&["perft", "--depth", "3", "--variant", "chess"], "expected one of russian"),
        (&["moves", "--fen", ""], "position"),
        (&["moves", "--fen", "W:Wc3,c3:Bb8"], "c3 is named twice"),
        (&["moves", "--fen", "\u{2654}"], "position"),
        (&["moves", "--colour", "red"], "--colour"),
        (&["nonsense"], "nonsense"),
        (&["arena", "random"], "<B>"),
        (&["arena", "random", "nobody"], "expected one of random"),
        (&["arena", "random", "alphabeta:depth=x"], "depth=x"),
        (&["arena", "random", "random", "--games", "3"], "even"),
        (&["arena", "random", "random", "--games", "0"], "even"),
        (&["arena", "random", "random", "--games", "-2"], "-2"),
        (&["arena", "random", "random", "--games", "4294967294", "--max-turns", "1"], "2 to 1000000"),
        (&["arena", "random", "random", "--draws", "strict"], "official"),
        (&["arena", "random", "random", "--clock", "fast"], "blitz"),
        (&["arena", "random", "random", "--openings", "random:x"], "random:PLIES"),
        (&["arena", "random", "random", "--openings", "random:-1"], "random:PLIES"),
        (&["arena", "random", "random", "--sprt", "5,5"], "ELO0,ELO1"),
        (&["arena", "random", "random", "--sprt", "nan,1"], "ELO0,ELO1"),
        (&["arena", "random", "random", "--threads", "1025"], "threads"),
        (&["arena", "random", "random", "--max-turns", "0"], "max-turns"),
        (&["analyse", "random", "--fen", "B:Wc3:B"], "the game is over"),
        (&["analyse", "policy"], "expected a model"),
        (&["play", "random", "--side", "red"], "red"),
        (&["play", "nobody"], "expected one of random"),
        (&["bench", "chess"], "expected one of perft"),
        (&["train"], "<CONFIG"),
    ];
    for (args, words) in cases {
        fails(args, 2, words);
    }
}

#[test]
fn what_is_wrong_with_files_and_models_ends_with_status_1_and_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let inside = |name: &str| folder.path().join(name).display().to_string();
    let model = inside("model.safetensors");
    write_model(Path::new(&model));
    let bytes = fs::read(&model).unwrap();
    fs::write(&model, &bytes[..bytes.len() / 2]).unwrap();
    fs::write(inside("openings.txt"), "c3-d4\nc3-c4\n").unwrap();
    let (missing, cut) = (format!("mcts:{}", inside("nothing")), format!("policy:{model}"));
    let pdn = inside("no/such/folder/games.pdn");
    fails(&["arena", "random", &missing], 1, "nothing");
    fails(&["arena", "random", &cut], 1, "model.safetensors");
    fails(&["analyse", &cut], 1, "model.safetensors");
    fails(&["play", &missing], 1, "nothing");
    fails(&["arena", "random", "random", "--pdn", &pdn], 1, "games.pdn");
    fails(&["arena", "random", "random", "--pdn", folder.path().to_str().unwrap()], 1, "");
    fails(&["arena", "random", "random", "--openings", &inside("openings.txt")], 1, "line 2");
    fails(&["arena", "random", "random", "--openings", &inside("nothing")], 1, "nothing");
    #[cfg(not(feature = "torch"))]
    fails(&["train", "configs/quick.toml"], 1, "this build has no training");
}

#[test]
fn every_command_has_help_with_an_example() {
    for name in ["perft", "moves", "train", "arena", "analyse", "play", "hub", "bench", "endgame"] {
        let help = answer(&[name, "--help"]);
        assert!(help.contains("Example") && help.contains(&format!("shashki {name}")), "{help}");
        assert!(help.contains("--json"), "{help}");
    }
    assert!(answer(&["--version"]).contains(env!("CARGO_PKG_VERSION")));
}

#[test]
fn perft_counts_a_line_a_depth_and_divides_the_last() {
    let lines = json(&["perft", "--variant", "russian", "--depth", "6", "--divide", "--json"]);
    let nodes: Vec<_> = lines.iter().map(|line| line["nodes"].as_u64().unwrap()).collect();
    assert_eq!(nodes, [7, 49, 302, 1_469, 7_482, 37_986]);
    for (line, depth) in lines.iter().zip(1..) {
        assert_eq!((line["depth"].as_u64(), line["variant"].as_str()), (Some(depth), Some("russian")));
        assert_eq!(line["fen"], Russian::start().write_fen());
        assert!(line["seconds"].is_f64());
    }
    let divide = lines[5]["divide"].as_object().unwrap();
    assert_eq!(divide.len(), 7);
    assert_eq!(divide.values().map(|n| n.as_u64().unwrap()).sum::<u64>(), 37_986);
    assert!(lines[..5].iter().all(|line| line.get("divide").is_none()));
    // The deep count goes another way through the code.
    let deep = json(&["perft", "--depth", "9", "--divide", "--json"]);
    assert_eq!(deep[8]["nodes"].as_u64(), Some(4_570_586));
}

#[test]
fn moves_are_sorted_in_full_notation_and_say_when_the_game_is_over() {
    let lines = json(&["moves", "--json", "--fen", "W:Wc1,c3:Bb4,d4,f6"]);
    let [line] = lines.as_slice() else { panic!("one object") };
    assert_eq!(line["moves"], serde_json::json!(["c3:a5", "c3:e5:g7"]));
    assert_eq!((line["side"].as_str(), &line["outcome"]), (Some("white"), &Value::Null));
    assert_eq!(answer(&["moves", "--fen", "W:Wc1,c3:Bb4,d4,f6"]), "c3:a5\nc3:e5:g7\n");
    let over = &json(&["moves", "--json", "--fen", "B:Wc3:B"])[0];
    assert_eq!(over["outcome"], serde_json::json!({"winner": "white", "reason": "no move"}));
    assert_eq!(over["moves"], serde_json::json!([]));
}

#[test]
fn the_arena_answers_with_every_named_field() {
    let args = ["arena", "alphabeta:depth=2", "random", "--games", "20", "--json", "--seed", "3"];
    let lines = json(&args);
    let [line] = lines.as_slice() else { panic!("one object") };
    assert_eq!(line["variant"], "russian");
    assert_eq!((line["a"].as_str(), line["b"].as_str()), (Some("alphabeta:depth=2"), Some("random")));
    let count = |name: &str| line[name].as_u64().unwrap();
    assert_eq!(count("games"), 20);
    assert_eq!(count("wins") + count("draws") + count("losses"), 20);
    let score = (count("wins") as f64 + count("draws") as f64 / 2.0) / 20.0;
    assert!((line["score"].as_f64().unwrap() - score).abs() < 1e-12);
    assert!(score > 0.9, "{score}");
    for name in ["elo", "elo_low", "elo_high"] {
        assert!(line[name].is_f64() || line[name].is_null(), "{name}");
    }
    assert!(line["elo_low"].as_f64().unwrap() > 0.0);
    assert!((0.0..=1.0).contains(&line["los"].as_f64().unwrap()) && line["seconds"].is_f64());
}

#[test]
fn the_same_seed_gives_the_same_match_on_one_thread_or_three() {
    let play = |threads: &str| {
        let args = ["arena", "alphabeta:depth=2", "rollout:visits=20", "--games", "12", "--json", "--threads", threads];
        let mut line = json(&args).remove(0);
        let object = line.as_object_mut().unwrap();
        for timed in ["seconds", "mean_turn_seconds"] {
            object.remove(timed).unwrap();
        }
        line
    };
    assert_eq!(play("1"), play("3"));
}

#[test]
fn the_games_of_a_match_are_kept_as_pdn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pdn");
    answer(&["arena", "random:seed=1", "random", "--games", "6", "--pdn", path.to_str().unwrap()]);
    let pdn = fs::read_to_string(path).unwrap();
    assert_eq!(pdn.matches("[White \"random:seed=1\"]").count(), 3);
    assert_eq!(pdn.matches("[Black \"random:seed=1\"]").count(), 3);
    assert_eq!(pdn.matches("[Result ").count(), 6);
    assert!(pdn.contains("[Round \"6\"]"));
}

#[test]
fn an_analysis_names_the_best_turn_with_its_value() {
    // White must capture, and the longer capture wins two men.
    let args = ["analyse", "alphabeta:depth=4", "--fen", "W:Wc1,c3:Bb4,d4,f6,h8", "--json"];
    let line = &json(&args)[0];
    assert_eq!(line["fen"], "W:Wc1,c3:Bb4,d4,f6,h8");
    assert_eq!(line["best"], line["lines"][0]["turn"]);
    assert!((-1.0..=1.0).contains(&line["value"].as_f64().unwrap()));
    assert_eq!(line["lines"].as_array().unwrap().len(), 2);
    assert!(line["lines"][0]["depth"].is_u64() && line["lines"][0]["line"].is_array());
    let tree = &json(&["analyse", "rollout:visits=50", "--json"])[0];
    assert!(tree["lines"][0]["visits"].is_u64());
}

/// Plays with these lines as the person's input; answers status and standard output.
fn talk(args: &[&str], input: &str) -> (Option<i32>, String) {
    let mut child = command(args).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(!text(&output.stderr).contains("panicked"), "{}", text(&output.stderr));
    (output.status.code(), text(&output.stdout).to_owned())
}

#[test]
fn a_person_plays_takes_back_and_leaves() {
    let input = "help\nmoves\nc3d4\nundo\nc3-d5\nboard\nhint\n22-18\nquit\n";
    let (status, said) = talk(&["play", "alphabeta:depth=2", "--ascii"], input);
    assert_eq!(status, Some(0));
    assert_eq!(said.matches("black plays").count(), 2, "{said}");
    assert!(said.contains("a3-b4 c3-b4 c3-d4") && said.contains("expected one of"), "{said}");
    assert!(said.contains(" 1 w   w   w   w  \n   a b c d e f g h"), "{said}");
    let (status, said) = talk(&["play", "random", "--side", "black"], "");
    assert_eq!(status, Some(0));
    assert!(said.contains("white plays") && said.contains('⛀') && said.contains("h g f e d c b a"), "{said}");
}

#[test]
fn a_person_resigns_and_agrees_on_draws() {
    let (_, said) = talk(&["play", "random"], "resign\n");
    assert!(said.ends_with("black wins: resignation\n"), "{said}");
    // Random knows no better position, so it accepts.
    let (_, said) = talk(&["play", "random"], "draw\n");
    assert!(said.ends_with("draw: agreement\n"), "{said}");
    let ahead = "W:Wa1:Bb8,d8,f8,h8,e7";
    let (_, said) = talk(&["play", "alphabeta:depth=2", "--fen", ahead], "draw\nquit\n");
    assert!(said.contains("declines"), "{said}");
}

#[test]
fn a_game_in_json_is_one_object_a_turn() {
    let (status, said) = talk(&["play", "alphabeta:depth=1", "--json"], "c3-d4\n\u{fffd}\nresign\n");
    assert_eq!(status, Some(0));
    let lines: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!((lines[0]["turn"].as_str(), lines[0]["by"].as_str()), (Some("c3-d4"), Some("person")));
    assert_eq!((lines[1]["by"].as_str(), lines[1]["side"].as_str()), (Some("player"), Some("black")));
    assert_eq!(lines[2]["outcome"]["reason"], "resignation");
}

#[test]
fn a_group_of_workloads_tells_name_value_and_unit_of_each() {
    let lines = json(&["bench", "perft", "--quick", "--json"]);
    let told: Vec<_> =
        lines.iter().map(|line| (line["name"].as_str().unwrap(), line["unit"].as_str().unwrap())).collect();
    assert_eq!(told, [("perft", "nodes/s"), ("perft-10x8", "nodes/s")]);
    let work: Vec<_> = lines.iter().map(|line| line["work"].as_u64().unwrap()).collect();
    assert_eq!(work, [929_899, 1_040_706]);
    assert_eq!(json(&["bench", "net-cpu-64", "--quick", "--json"]).len(), 1);
}

#[test]
fn the_engine_searches_the_nodes_that_it_always_did() {
    let lines = json(&["bench", "search", "--rounds", "1", "--json"]);
    assert_eq!(lines.len(), 1);
    assert_eq!(
        lines[0]["nodes"].as_u64(),
        Some(NODES),
        "what the classic engine plays has changed: if this was only meant to be faster, it is wrong; if to be stronger, say so in \
         the commit with the match that shows it, and set NODES to what `shashki bench search --json` prints"
    );
}

#[test]
fn the_networks_that_are_timed_can_be_had_as_models() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().to_str().unwrap();
    json(&["bench", "net-cpu-1", "--quick", "--nets", to, "--json"]);
    for net in ["mlp-256x1", "resnet-64x5"] {
        let player = format!("policy:{to}/{net}.safetensors");
        assert!(json(&["analyse", &player, "--json"])[0]["best"].is_string(), "{net}");
    }
    fails(&["bench", "net-cpu-1", "--quick", "--nets", "/nowhere/at/all"], 1, "/nowhere/at/all");
}

#[test]
fn every_workload_runs_and_says_what_it_is_compared_with() {
    let lines = json(&["bench", "--quick", "--json"]);
    let number = |line: &Value, field: &str| line[field].as_f64().unwrap();
    let mut ratios = Vec::new();
    for line in &lines {
        // So few samples may find room in what the process has already.
        let may_be_none = line["name"] == "replay-memory";
        assert!(number(line, "value") > 0.0 || may_be_none, "{line}");
        assert!(number(line, "matrix_product_gflops") > 0.0, "{line}");
        assert!(
            number(line, "low") <= number(line, "value") && number(line, "value") <= number(line, "high"),
            "{line}"
        );
        assert!(line["work"].as_u64().unwrap() > 0 && line["rounds"] == 1, "{line}");
        for (rival, ratio) in line["ratios"].as_object().unwrap() {
            assert!(ratio.as_f64().unwrap() > 0.0, "{line}");
            ratios.push((line["name"].as_str().unwrap(), rival.as_str()));
        }
    }
    let help = answer(&["bench", "--help"]);
    for (i, line) in lines.iter().enumerate() {
        let name = line["name"].as_str().unwrap();
        assert!(help.contains(name), "the help does not tell of {name}");
        assert!(lines[..i].iter().all(|earlier| earlier["name"] != name), "{name} twice");
    }
    for expected in [
        ("vecenv-2-threads", "1 thread"),
        ("selfplay-2-workers", "1 worker"),
        ("net-cpu-64", "matrix product"),
        ("net-cpu-resnet-64", "matrix product"),
        ("selfplay", "matrix product"),
    ] {
        assert!(ratios.contains(&expected), "{expected:?} not in {ratios:?}");
    }
    // One round: its ratio to the matrix product is that of the two figures.
    let net = lines.iter().find(|line| line["name"] == "net-cpu-64").unwrap();
    let config = NetConfig { width: 256, blocks: 1, ..NetConfig::default() };
    let gflops = number(net, "value") * NetSpec::new(&Russian::SPEC, &config).flops() as f64 / 1e9;
    let ratio = net["ratios"]["matrix product"].as_f64().unwrap();
    assert!((ratio * number(net, "matrix_product_gflops") / gflops - 1.0).abs() < 1e-6, "{net}");
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let mut child = command(&["perft", "--depth", "40"]).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    drop(out);
    // The next lines find nobody; the count of 40 turns would never end.
    let status = child.wait().unwrap();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!((status.code(), said.as_str()), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_games_that_are_finished() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pdn");
    let args = ["arena", "random", "random", "--games", "20000", "--json", "--pdn", path.to_str().unwrap()];
    let child = command(&args).spawn().unwrap();
    while fs::metadata(&path).map_or(0, |file| file.len()) == 0 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let line: Value = serde_json::from_slice(&output.stdout).unwrap();
    let games = line["games"].as_u64().unwrap() as usize;
    if output.status.code() == Some(0) {
        // A fast machine has played them all by then.
        assert_eq!(games, 20_000);
    } else {
        assert_eq!((output.status.code(), &line["interrupted"]), (Some(130), &Value::Bool(true)));
        assert!((1..20_000).contains(&games));
        assert!(!text(&output.stderr).contains("error:"));
    }
    assert_eq!(fs::read_to_string(&path).unwrap().matches("[Result ").count(), games);
}

/// Two good games and a broken one between them.
const GAMES: &str = "[White \"a\"]\n\n1. c3-d4 d6-c5 2-0\n\n[White \"b\"]\n\n1. c3-d5 *\n\n\
                     [Variant \"bashni\"]\n\n1. c3-d4 d6-c5 2. b2-c3 f6-g5 1/2-1/2\n";

/// Runs a command on what it reads from standard input.
fn fed(args: &[&str], input: &[u8]) -> Output {
    let mut child = command(args).stdin(Stdio::piped()).spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

#[test]
fn pdn_check_tells_faults_and_ends_with_status_1() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pdn");
    let path = path.to_str().unwrap();
    fs::write(path, GAMES).unwrap();
    let output = run(&["pdn", "check", path]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stdout);
    assert!(said.starts_with(&format!("{path}: game 2, line 7: turn \"c3-d5\": not legal, expected one of")), "{said}");
    assert!(said.contains("3 games (bashni 1, russian 1), 6 turns, 1 fault, 0 warnings"), "{said}");
    assert_eq!(text(&output.stderr), format!("error: {path}: 1 of 3 games broken\n"));
    let output = run(&["pdn", "check", path, "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let line: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&line["games"], &line["fault_count"], &line["turns"]), (&3.into(), &1.into(), &6.into()));
    assert_eq!((&line["faults"][0]["game"], &line["faults"][0]["line"]), (&2.into(), &7.into()));
    assert_eq!(line["variants"]["bashni"], 1);
    let output = fed(&["pdn", "check", "-"], b"1. e3-d4 d6-c5 2. g3-f4?c5:e3:g5 3. ...");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "standard input: 1 game (russian 1), 4 turns, 0 faults, 0 warnings\n");
    let output = fed(&["pdn", "check", "-", "--variant", "vigman"], b"1. a3-b4/b3-a4 4-0");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    fails(&["pdn", "check", "no/such/file.pdn"], 1, "no/such/file.pdn");
    fails(&["pdn", "check", folder.path().to_str().unwrap()], 1, folder.path().to_str().unwrap());
    fails(&["pdn", "check", path, "--variant", "chess"], 2, "expected one of russian");
}

#[test]
fn pdn_convert_writes_the_good_games_and_may_write_over_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pdn");
    let path = path.to_str().unwrap();
    fs::write(path, GAMES).unwrap();
    let output = run(&["pdn", "convert", path]);
    assert_eq!(output.status.code(), Some(1));
    let written = text(&output.stdout).to_owned();
    assert_eq!(written.matches("[Event ").count(), 2);
    assert!(written.contains("1. c3-d4 d6-c5 2-0\n\n") && written.contains("2. b2-c3 f6-g5 1-1\n\n"));
    assert!(text(&output.stderr).contains("game 2, line 7"));
    let output = run(&["pdn", "convert", path, "--out", path, "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let line: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&line["games"], &line["written"], &line["fault_count"]), (&3.into(), &2.into(), &1.into()));
    assert_eq!(fs::read_to_string(path).unwrap(), written);
    // What is converted once is not changed any more.
    assert_eq!(answer(&["pdn", "convert", path]), written);
    answer(&["pdn", "convert", path, "--out", path]);
    assert_eq!(fs::read_to_string(path).unwrap(), written);
    answer(&["pdn", "convert", path, "--out", "/dev/null"]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left behind");
    fails(&["pdn", "convert", path, "--json"], 2, "--out");
    fails(&["pdn", "convert", path, "--out", "no/such/folder/x.pdn"], 1, "no/such/folder/x.pdn");
}

#[test]
fn pdn_stats_counts_results_lengths_ends_and_openings() {
    let output = fed(&["pdn", "stats", "-", "--plies", "2", "--json"], GAMES.as_bytes());
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stderr).contains("1 game broken, left out"));
    let line: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&line["games"], &line["broken"]), (&2.into(), &1.into()));
    assert_eq!(line["results"], serde_json::json!({"white": 1, "draws": 1, "black": 0, "unfinished": 0}));
    assert_eq!(line["turns"], serde_json::json!({"total": 6, "min": 2, "mean": 3.0, "median": 2, "max": 4}));
    assert_eq!(line["ends"], serde_json::json!({"agreement": 1, "resignation": 1}));
    assert_eq!(line["openings"].as_array().unwrap().len(), 2);
    assert_eq!((&line["openings"][1]["turns"], &line["openings"][1]["games"]), (&"c3-d4 d6-c5".into(), &1.into()));
    let output = fed(&["pdn", "stats", "-"], GAMES.as_bytes());
    assert!(text(&output.stdout).contains("turns       2 to 4, mean 3.0, median 2"), "{}", text(&output.stdout));
}

#[test]
fn the_games_of_a_match_are_openings_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pdn");
    let path = path.to_str().unwrap();
    answer(&["arena", "random", "random", "--games", "4", "--clock", "60+1", "--pdn", path]);
    let games = answer(&["pdn", "stats", path, "--json"]);
    assert!(games.contains("\"games\":4"), "{games}");
    assert!(fs::read_to_string(path).unwrap().contains("[TimeControl \"60+1\"]"));
    answer(&["arena", "random", "random", "--games", "4", "--openings", &format!("{path}:5")]);
}
