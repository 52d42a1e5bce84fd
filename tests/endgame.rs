//! Endgame tables against a solver written apart, their files under attack, and what is known of famous endgames.

#![allow(clippy::unwrap_used)]

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
use std::sync::atomic::AtomicBool;

use naive::{Graph, Verdict};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use shashki::board::Hops;
use shashki::endgame::verify::{Extent, verify};
use shashki::endgame::{Builder, Progress, Tables};
use shashki::evaluator::{Proven, Truth, certain};
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
    if std::env::var_os("SHASHKI_FULL").is_none() {
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
    eprintln!("{longest:?} {met:?}");
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
    assert_eq!(
        (tables.probe(&position), tables.fault().map(|fault| fault.contains("russian-k-k.table"))),
        (None, Some(true))
    );
    assert!(verify(&tables, Extent::All, &AtomicBool::new(false), &|_| {}).is_err());
    // A table of the other variant under this one's name.
    let (other, _) = self::tables::<Poddavki>(2);
    fs::copy(other.path().join("poddavki-k-k.table"), &path).unwrap();
    let error = Tables::<Russian>::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("a table of poddavki k-k, expected russian k-k"), "{error}");
}

#[test]
fn what_has_no_tables_is_refused_with_what_has() {
    let folder = tempfile::tempdir().unwrap();
    let error = Builder::new::<Spantsireti>(3, folder.path()).unwrap_err();
    assert_eq!((error.exit_status(), error.to_string().contains("russian, poddavki")), (2, true), "{error}");
    let error = Tables::<Russian>::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("no tables of russian") && error.contains("endgame build"), "{error}");
    assert!(Builder::new::<Russian>(7, folder.path()).unwrap_err().to_string().contains("2 to 6"));
}

/// Plays the best turn of the winner, a random one of the loser or of a drawn game.
fn play_on<P: Position>(tables: &Tables<P>, game: &mut Game<P>, rng: &mut impl Rng) {
    let mut turns = turn::list_with_positions(game.position());
    let quickest = |(_, after): &(turn::Turn, P)| match tables.probe(after).unwrap() {
        Proven { value: -1, turns } => turns,
        _ => u16::MAX,
    };
    let won = tables.probe(game.position()).unwrap().value == 1;
    let best = if won { turns.iter().map(quickest).enumerate().min_by_key(|&(_, turns)| turns).unwrap().0 } else { 0 };
    let i = if won { best } else { rng.random_range(0..turns.len()) };
    game.play(&turns.swap_remove(i).0).unwrap();
}

/// Wanders about in random games from a position, and plays out what is called certain. Answers how many wins were called
/// certain, and how many were not.
fn wander<P: Position>(tables: &Tables<P>, fen: &str, shortest: u16) -> [usize; 2] {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut found = [0, 0];
    for _ in 0..200 {
        let mut game = Game::from_position(P::read_fen(fen).unwrap(), Preset::Official).unwrap();
        while game.outcome().is_none() {
            let (said, known) = (certain(tables, &game), tables.probe(game.position()).unwrap());
            let fits = !game.repeated()
                && known.turns <= shortest + 1
                && game.plies_to_draw().is_none_or(|left| known.turns <= left);
            assert_eq!(said, (known.value == 0 || fits).then_some(known), "{}", game.position().write_fen());
            if known.value != 0 {
                found[usize::from(!fits)] += 1;
            }
            if let Some(proven) = said {
                let mut end = game.clone();
                while end.outcome().is_none() {
                    play_on(tables, &mut end, &mut rng);
                }
                let (winner, turns) = (end.outcome().unwrap().winner, end.turns_played() - game.turns_played());
                let as_said = proven.value == 0 || winner == proven.winner(game.side()) && turns <= proven.turns.into();
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
    let (_folder, tables) = tables::<Russian>(3);
    for fen in ["W:WKa1,Kc1:BKf8", "W:WKa1,a3:BKh6", "B:Wa3,c3:BKf8"] {
        let [called, not] = wander(&tables, fen, 10);
        assert!(called > 50 && not > 50, "{fen}: {called} wins certain, {not} not");
    }
    let (_folder, tables) = self::tables::<Poddavki>(3);
    for fen in ["W:WKa1,Kc1:BKf8", "B:Wa3,c3:BKf8"] {
        let [called, _] = wander(&tables, fen, 30);
        assert!(called > 50, "{fen}: {called} wins certain");
    }
}
