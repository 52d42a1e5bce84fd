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

use std::path::Path;
use std::sync::atomic::AtomicBool;

use naive::{Graph, Verdict};
use shashki::endgame::{Builder, Tables};
use shashki::evaluator::{Proven, Truth};
use shashki::games::{Poddavki, Position, Russian};
use slow::Slow;
use tempfile::TempDir;

fn build<P: Position>(pieces: u32, dir: &Path) {
    Builder::new::<P>(pieces, dir).unwrap().run(&AtomicBool::new(false), &|_| {}).unwrap();
}

fn tables<P: Position>(pieces: u32) -> (TempDir, Tables<P>) {
    let folder = tempfile::tempdir().unwrap();
    build::<P>(pieces, folder.path());
    let tables = Tables::open(folder.path()).unwrap();
    (folder, tables)
}

fn agree<P: Position>(tables: &Tables<P>, graph: &Graph, verdicts: &[Option<Verdict>]) {
    for (board, verdict) in graph.positions.iter().zip(verdicts) {
        let fen = board.text();
        let (value, turns) = verdict.unwrap_or((0, 0));
        assert_eq!(tables.probe(&P::read_fen(&fen).unwrap()), Some(Proven { value, turns }), "{fen}");
    }
}

#[test]
fn three_pieces_agree_in_full_with_a_solver_written_apart() {
    let endings = ["Wwb", "WWb", "wwb", "wwB", "WwB", "WWB", "wbb", "wBb", "wBB", "Wbb", "WBb", "WBB"];
    let graph = Graph::new(&endings);
    assert!(graph.positions.len() > 200_000);
    agree(&tables::<Russian>(3).1, &graph, &graph.solve(false));
    agree(&tables::<Poddavki>(3).1, &graph, &graph.solve(true));
}
