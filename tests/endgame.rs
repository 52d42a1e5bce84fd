//! Endgame tables against a solver written apart, their files under attack, and what is known of famous endgames.

#![allow(clippy::unwrap_used)]

mod common;
#[path = "reference/mailbox.rs"]
#[allow(dead_code, reason = "other tests use more of it")]
mod mailbox;
#[path = "endgame/naive.rs"]
mod naive;
#[path = "reference/slow.rs"]
#[allow(dead_code, reason = "other tests use more of it")]
mod slow;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

use common::full;
use naive::{Graph, Verdict};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;
use shashki::board::Hops;
use shashki::endgame::verify::{Extent, verify};
use shashki::endgame::{Builder, Progress, Tables};
use shashki::evaluator::{Proven, Truth, certain, is_in_time};
use shashki::games::{Game, Poddavki, Position, Preset, Russian, Spantsireti, turn};
use shashki::{Error, Result};
use slow::Slow;
use tempfile::TempDir;

fn build<P: Position>(pieces: u32, dir: &Path) -> Result<()> {
    Builder::new::<P>(pieces, dir)?.run(&AtomicBool::new(false), &|_| {}).map(drop)
}

fn tables<P: Position>(pieces: u32) -> (TempDir, Tables<P>) {
    let folder = tempfile::tempdir().unwrap();
    build::<P>(pieces, folder.path()).unwrap();
    let tables = Tables::open(folder.path()).unwrap();
    (folder, tables)
}

fn probe<P: Position>(tables: &Tables<P>, fen: &str) -> Option<(i8, u16)> {
    tables.lookup(&P::read_fen(fen).unwrap()).unwrap().map(|Proven { value, turns }| (value, turns))
}

fn agree<P: Position>(tables: &Tables<P>, graph: &Graph, verdicts: &[Option<Verdict>]) {
    for (board, verdict) in graph.positions.iter().zip(verdicts) {
        let fen = board.text();
        assert_eq!(probe(tables, &fen), Some(verdict.unwrap_or((0, 0))), "{fen}");
    }
}

#[test]
fn three_pieces_agree_in_full_with_a_solver_written_apart() {
    let endings = ["Wwb", "WWb", "wwb", "wwB", "WwB", "WWB", "wbb", "wBb", "wBB", "Wbb", "WBb", "WBB"];
    let graph = Graph::new(&endings);
    assert!(graph.positions.len() > 200_000);
    let (russian, poddavki) = (tables::<Russian>(3), tables::<Poddavki>(3));
    agree(&russian.1, &graph, &graph.solve(false));
    agree(&poddavki.1, &graph, &graph.solve(true));
    // The tables hold of themselves what the other solver found, from Black's side too.
    for extent in [Extent::All, Extent::Samples { positions: 1000, seed: 1 }] {
        let checked = verify(&russian.1, extent, &AtomicBool::new(false), &|_| {}).unwrap();
        assert_eq!((checked.files, checked.blocks > 16), (9, true));
        assert!(checked.positions >= if extent == Extent::All { 199_520 } else { 900 }, "{checked:?}");
    }
}

/// Who has a king on the main road, of three white ones and a black one, or the other way round: the three, the one.
fn on_road(board: &naive::Board) -> [bool; 2] {
    let kings = |king: char| board.cells.as_flattened().iter().filter(|&&letter| letter == king).count();
    let road = |king: char| (0..8).any(|i| board.cells[i][i] == king);
    if kings('W') == 3 { [road('W'), road('B')] } else { [road('B'), road('W')] }
}

#[test]
fn three_kings_catch_one_that_does_not_hold_the_main_road_within_fifteen_moves() {
    if !full() {
        return;
    }
    let graph = Graph::new(&["WWWB", "WBBB"]);
    let verdicts = graph.solve(false);
    let (_folder, tables) = tables::<Russian>(4);
    agree(&tables, &graph, &verdicts);
    let count = |letters: &[char], king: char| letters.iter().filter(|&&letter| letter == king).count();
    // The three to move, the one to move: the longest win, positions won and not won by who is on the road.
    let mut longest = [0, 0];
    let mut met = [[[0; 2]; 4]; 2];
    for (board, verdict) in graph.positions.iter().zip(&verdicts) {
        let letters = board.cells.as_flattened();
        let three_move = match [count(letters, 'W'), count(letters, 'B')] {
            [3, 1] => true,
            [1, 3] => false,
            _ => continue,
        };
        let won = match verdict {
            Some((value, turns)) if (*value == 1) == three_move => {
                let i = usize::from(!three_move);
                longest[i] = longest[i].max(*turns);
                true
            }
            _ => false,
        };
        let [three, one] = on_road(board);
        met[usize::from(!three_move)][usize::from(three) + 2 * usize::from(one)][usize::from(won)] += 1;
    }
    // 13 turns of the three at most.
    assert_eq!(longest, [25, 26]);
    // Off the road, with one of the three on it, it is lost unless it has a shot; alone on the road it is seldom lost.
    let [drawn, won] = met[0][1];
    assert!(won > 100 * drawn, "{drawn} drawn, {won} won");
    let [drawn, won] = met[1][2];
    assert!(drawn > 40 * won, "{drawn} drawn, {won} won");
}

#[test]
fn captures_pending_and_under_way_are_known_from_their_ends() {
    let (_folder, tables) = tables::<Russian>(3);
    // The man must take, and the last piece is gone.
    assert_eq!(probe(&tables, "W:Wc3:Bd4"), Some((1, 1)));
    // Over two pieces: after the first jump it is still the same turn.
    assert_eq!(probe(&tables, "W:Wc3:Bd4,f6"), Some((1, 1)));
    let mut position = Russian::read_fen("W:Wc3:Bd4,f6").unwrap();
    let mut hops = Hops::new();
    position.hops(&mut hops);
    assert!(!position.play_unchecked(hops[0]).turn_over);
    assert_eq!(tables.probe(&position), Some(Proven { value: 1, turns: 1 }));
    // In mid chain the pieces jumped do not count: what is left is known, though four stand on the board.
    assert_eq!(probe(&tables, "B:Wg7:Ba7"), Some((-1, 6)));
    assert_eq!(probe(&tables, "W:We5:Bd4,f6,a7:Ce5xd4"), Some((1, 7)));
    assert_eq!(probe(&tables, "W:Wc3,a1,c1:Bd4"), None, "four pieces, though one will be taken");
    // A side without pieces, or without a move.
    assert_eq!(probe(&tables, "W:W:Bd4"), Some((-1, 0)));
    assert_eq!(probe(&tables, "W:Wa1:B"), Some((1, 1)));
    assert_eq!(probe(&tables, "W:Wh4:Bg5,f6"), Some((-1, 0)));
    let (_folder, giveaway) = self::tables::<Poddavki>(3);
    assert_eq!(probe(&giveaway, "W:Wh4:Bg5,f6"), Some((1, 0)));
    assert_eq!(probe(&giveaway, "W:Wc3:Bd4"), Some((-1, 1)));
}

fn files(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|path| (path.strip_prefix(dir).unwrap().to_owned(), fs::read(path).unwrap())).collect()
}

#[test]
fn a_build_that_was_stopped_goes_on_to_the_same_bytes() {
    let (whole, _) = tables::<Poddavki>(3);
    let expected = files(whole.path());
    assert_eq!(expected.len(), 9);
    let folder = tempfile::tempdir().unwrap();
    let (stop, one) = (AtomicBool::new(false), rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap());
    let builder = Builder::new::<Poddavki>(3, folder.path()).unwrap();
    assert!(matches!(builder.run(&AtomicBool::new(true), &|_| {}), Err(Error::Interrupted)));
    assert_eq!(files(folder.path()).len(), 0);
    // Stopped in the middle of the fifth ending, on one thread.
    let builder = Builder::new::<Poddavki>(3, folder.path()).unwrap();
    let begun = std::sync::atomic::AtomicUsize::new(0);
    let told = |progress| match progress {
        Progress::Begun(_) => drop(begun.fetch_add(1, std::sync::atomic::Ordering::Relaxed)),
        Progress::Done(_) if begun.load(std::sync::atomic::Ordering::Relaxed) == 5 => {
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        }
        _ => {}
    };
    assert!(matches!(one.install(|| builder.run(&stop, &told)), Err(Error::Interrupted)));
    assert_eq!(files(folder.path()).len(), 4);
    // What a kill leaves of a file that was being written.
    let half = folder.path().join("poddavki-km-m.table.999.tmp");
    fs::write(&half, b"half").unwrap();
    build::<Poddavki>(3, folder.path()).unwrap();
    assert!(files(folder.path()) == expected, "the files differ");
    // Nothing is left to do, and nothing is done.
    assert_eq!(Builder::new::<Poddavki>(3, folder.path()).unwrap().work(), 0);
}

/// The command, which must come to an end with this status; what it printed, and complained of.
fn command(arguments: &[&str], status: i32) -> [String; 2] {
    let output = Command::new(env!("CARGO_BIN_EXE_shashki")).arg("endgame").args(arguments).output().unwrap();
    let [out, error] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {error}");
    [out, error]
}

/// Begins a build and ends it by a signal as soon as there are some files; answers the exit status, if it has one.
fn break_off(dir: &Path, pieces: &str, signal: &str, after: usize) -> Option<i32> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_shashki"))
        .args(["endgame", "build", "--pieces", pieces, "--threads", "1", "--dir", dir.to_str().unwrap()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let there = || fs::read_dir(dir).map_or(0, |entries| entries.count());
    while there() < after && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    child.wait().unwrap().code()
}

#[cfg(unix)]
#[test]
fn a_build_that_was_killed_goes_on_to_the_same_bytes() {
    let (whole, _) = tables::<Russian>(3);
    let mut killed = 0;
    // A fast machine may be done before it is killed.
    for after in [1, 3, 5, 7, 8].into_iter().cycle().take(40) {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("tables");
        let status = break_off(&dir, "3", "-KILL", after);
        assert!(status.is_none_or(|status| status == 0), "{status:?}");
        killed += usize::from(status.is_none() && files(&dir).len() < 9);
        command(&["build", "--pieces", "3", "--dir", dir.to_str().unwrap()], 0);
        assert!(files(&dir) == files(whole.path()), "killed after {after} files, it is not the same");
        if killed == 5 {
            return;
        }
    }
    assert!(killed > 0, "it was never killed in time");
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_files_that_are_finished() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().to_str().unwrap();
    let status = break_off(folder.path(), "5", "-INT", 9);
    assert_eq!(status, Some(130));
    let kept = files(folder.path());
    assert!(kept.len() >= 9 && kept.iter().all(|(name, _)| name.extension().unwrap() == "table"), "{}", kept.len());
    let [said, _] = command(&["verify", "--dir", dir, "--samples", "1000"], 0);
    assert!(said.contains("russian, up to 3 pieces") || said.contains("russian, up to 4 pieces"), "{said}");
}

#[test]
fn the_command_builds_tells_and_checks() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().to_str().unwrap();
    let json = |arguments: &[&str]| -> Vec<Value> {
        let [out, _] = command(&[arguments, &["--dir", dir, "--json"]].concat(), 0);
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let built = json(&["build", "--pieces", "3"]);
    assert_eq!(built.len(), 10);
    assert_eq!([&built[3]["ending"], &built[3]["classes"][1]["longest_loss"]], [&Value::from("kk-k"), &Value::from(8)]);
    assert!(built[9]["memory"].as_u64().unwrap() > 1 << 20 && built[9]["endings"] == 9, "{}", built[9]);
    let told = &json(&["probe", "--fen", "W:WKa1:Bh6"])[0];
    assert!(told["value"] == 1 && told["turns"] == 3 && told["best"] == serde_json::json!(["a1-f6"]), "{told}");
    assert_eq!(told["lines"][6], serde_json::json!({"turn": "a1-g7", "value": -1, "turns": 2}));
    assert_eq!(json(&["verify", "--all"])[0]["positions"], 199_520);
    assert_eq!(json(&["verify", "--samples", "18446744073709551615"])[0]["positions"], 199_520);
    command(&["verify", "--dir", dir, "--samples", "0"], 2);
    let [_, error] = command(&["probe", "--dir", dir, "--fen", "W:Wc3,e3,g3:Bh8"], 2);
    assert!(error.contains("at most 3 pieces") && error.trim_end().lines().count() == 1, "{error}");
    let [_, error] = command(&["build", "--pieces", "9", "--dir", dir], 2);
    assert!(error.contains("2 to 6"), "{error}");
    fs::write(folder.path().join("russian-kk-k.table"), b"other").unwrap();
    for arguments in
        [["verify", "--dir", dir].as_slice(), &["probe", "--dir", dir], &["build", "--pieces", "3", "--dir", dir]]
    {
        let [_, error] = command(arguments, 1);
        assert!(error.contains("russian-kk-k.table") && error.trim_end().lines().count() == 1, "{error}");
    }
}

#[test]
fn damaged_files_are_named() {
    let (folder, _) = tables::<Russian>(2);
    let path = folder.path().join("russian-k-k.table");
    let good = fs::read(&path).unwrap();
    let position = Russian::read_fen("W:WKa1:BKf8").unwrap();
    let fails = |bytes: &[u8], reason: &str| {
        fs::write(&path, bytes).unwrap();
        let error = Tables::<Russian>::open(folder.path()).and_then(|tables| tables.lookup(&position)).unwrap_err();
        let message = error.to_string();
        assert!(message.contains("russian-k-k.table") && message.contains(reason), "{message}, expected {reason}");
        assert_eq!(error.exit_status(), 1);
        assert!(build::<Russian>(3, folder.path()).unwrap_err().to_string().contains("russian-k-k.table"));
    };
    for cut in [0, 7, 30, 100, good.len() - 1] {
        fails(&good[..cut], "");
    }
    for at in 0..good.len() {
        let mut bytes = good.clone();
        bytes[at] ^= 0x40;
        fails(&bytes, "");
    }
    fails(&[good.as_slice(), b"x"].concat(), "expected");
    fs::write(&path, &good).unwrap();
    // Cut short while it is open.
    let tables = Tables::<Russian>::open(folder.path()).unwrap();
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(good.len() as u64 - 5).unwrap();
    assert!(tables.check().is_ok());
    assert_eq!(tables.probe(&position), None);
    assert!(tables.check().unwrap_err().to_string().contains("russian-k-k.table"));
    assert!(verify(&tables, Extent::All, &AtomicBool::new(false), &|_| {}).is_err());
    // A table of the other variant under this one's name.
    let (other, _) = self::tables::<Poddavki>(2);
    fs::copy(other.path().join("poddavki-k-k.table"), &path).unwrap();
    let error = Tables::<Russian>::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("a table of poddavki k-k, expected russian k-k"), "{error}");
}

#[test]
fn a_count_that_is_not_that_of_the_positions_is_a_fault() {
    let (folder, _) = tables::<Russian>(2);
    let path = folder.path().join("russian-k-k.table");
    let good = fs::read(&path).unwrap();
    // One class, one block: 52 bytes, then 4 counts of positions and 3 of turns, the block's length and checksum.
    let (head, counts) = (52 + 4 * 8 + 3 * 2 + 8, 52 + 8..52 + 4 * 8 + 3 * 2);
    for at in counts {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        let crc = crc32fast::hash(&bytes[..head]).to_le_bytes();
        bytes[head..head + 4].copy_from_slice(&crc);
        fs::write(&path, bytes).unwrap();
        let tables = Tables::<Russian>::open(folder.path()).unwrap();
        let extent = Extent::Samples { positions: 10, seed: 1 };
        let error = verify(&tables, extent, &AtomicBool::new(false), &|_| {}).unwrap_err().to_string();
        assert!(error.contains("russian-k-k.table: its counts"), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn two_builds_do_not_write_to_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    let other = fs::File::open(folder.path()).unwrap();
    other.lock().unwrap();
    let build = || Builder::new::<Russian>(2, folder.path()).unwrap().run(&AtomicBool::new(false), &|_| {});
    assert!(build().unwrap_err().to_string().contains("another build is at work in this folder"));
    other.unlock().unwrap();
    assert!(!build().unwrap().is_empty());
}

#[test]
fn what_has_no_tables_is_refused_with_what_has() {
    let folder = tempfile::tempdir().unwrap();
    let error = Builder::new::<Spantsireti>(3, folder.path()).unwrap_err();
    assert_eq!((error.exit_status(), error.to_string().contains("russian, poddavki")), (2, true), "{error}");
    let error = Tables::<Russian>::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("no complete set of tables of russian") && error.contains("endgame build"), "{error}");
    assert!(Builder::new::<Russian>(7, folder.path()).unwrap_err().to_string().contains("2 to 6"));
}

/// Plays the best turn of the winner, a random one or the one that holds out longest of the loser, a random one that holds
/// the draw in a drawn game.
fn play_on<P: Position>(tables: &Tables<P>, game: &mut Game<P>, rng: &mut impl Rng) {
    let mut turns = turn::list_with_positions(game.position());
    let after = |(_, after): &(turn::Turn, P)| tables.probe(after).unwrap();
    let known = tables.probe(game.position()).unwrap();
    let best: Vec<usize> = (0..turns.len())
        .filter(|&i| {
            let Proven { value, turns } = after(&turns[i]);
            match known.value {
                1 => value == -1 && turns + 1 == known.turns,
                0 => value == 0,
                _ => turns + 1 == known.turns || rng.random_bool(0.3),
            }
        })
        .collect();
    let i = best[rng.random_range(0..best.len())];
    game.play(&turns.swap_remove(i).0).unwrap();
}

/// Wanders about in random games from a position, and plays out what is called certain. Answers how many wins were called
/// certain that are so whatever the pieces, how many longer ones, and how many were not.
fn wander<P: Position>(tables: &Tables<P>, fen: &str, preset: Preset) -> [usize; 3] {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut found = [0, 0, 0];
    for _ in 0..200 {
        let mut game = Game::from_position(P::read_fen(fen).unwrap(), preset).unwrap();
        while game.outcome().is_none() {
            let (said, known) = (certain(tables, &game), tables.probe(game.position()).unwrap());
            if known.value == 0 {
                assert_eq!(said, Some(known));
            } else {
                let short = is_in_time(&game, known.turns);
                assert!(said == Some(known) || (said.is_none() && !short), "{}", game.position().write_fen());
                found[if short { 0 } else { 1 + usize::from(said.is_none()) }] += 1;
            }
            if let Some(proven) = said {
                let mut end = game.clone();
                while end.outcome().is_none() {
                    play_on(tables, &mut end, &mut rng);
                }
                let (winner, turns) = (end.outcome().unwrap().winner, end.turns_played() - game.turns_played());
                let as_said =
                    winner == proven.winner(game.side()) && (proven.value == 0 || turns <= proven.turns.into());
                assert!(as_said, "{proven:?} of {} came to {winner:?}", game.position().write_fen());
            }
            let turns = game.turns();
            game.play(&turns[rng.random_range(0..turns.len())]).unwrap();
        }
        assert_eq!(certain(tables, &game), None, "the game is over");
    }
    found
}

#[test]
fn what_is_called_certain_comes_true_under_the_draw_rules() {
    let (_folder, tables) = tables::<Russian>(if full() { 4 } else { 3 });
    let three = ["W:WKa1,Kc1:BKf8", "W:WKa1,a3:BKh6", "B:Wa3,c3:BKf8", "W:Wa3,c3:Bf8"];
    let four = ["W:WKa1,Kc1,Ke1:BKf8", "W:WKa1,c3,e3:BKh6", "B:Wa3,c3,g3:BKf8", "W:WKa1,Kc1:Bf8,h6"];
    for preset in [Preset::Official, Preset::Lidraughts, Preset::Basic] {
        for fen in three.iter().chain(if full() { four.as_slice() } else { &[] }) {
            let [short, longer, not] = wander(&tables, fen, preset);
            assert!(short > 100, "{preset} {fen}: {short} short wins, {longer} longer, {not} not certain");
            // Two men may have far to go, and what they become is quicker than its counter; so are three kings, but for
            // lidraughts, which counts on where their victim has left the main road.
            let far = match preset {
                Preset::Official => ["B:Wa3,c3:BKf8", "W:WKa1,Kc1,Ke1:BKf8"].contains(fen),
                Preset::Lidraughts => *fen == "B:Wa3,c3:BKf8",
                _ => false,
            };
            // A king and two men may become two kings and a man, which 7.2.7 may stop a turn too soon.
            assert!(*fen != "W:WKa1,c3,e3:BKh6" || preset == Preset::Basic || longer == 0, "{preset} {fen}: {longer}");
            assert!(longer > 100 || !far, "{preset} {fen}: {short} short wins, {longer} longer, {not} not certain");
        }
    }
    let (_folder, tables) = self::tables::<Poddavki>(3);
    for fen in ["W:WKa1,Kc1:BKf8", "B:Wa3,c3:BKf8"] {
        let found = wander(&tables, fen, Preset::Official);
        assert!(found[0] > 50, "{fen}: {found:?} wins");
    }
}
