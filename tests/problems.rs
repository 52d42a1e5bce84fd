//! Draughts problems: the engine finds the one turn that wins within a limit of nodes. tests/data/problems.json tells how
//! they were composed.

use serde::Deserialize;
use shashki::games::{Game, Position, Preset, Russian};
use shashki::player::Player;
use shashki::search::alphabeta::{AlphaBeta, Limits, Options};

/// Nodes a problem may take.
const NODES: u64 = 200_000;

#[derive(Deserialize)]
struct Problem {
    fen: String,
    turn: String,
}

#[derive(Deserialize)]
struct Suite {
    problems: Vec<Problem>,
}

/// How many problems there are, and those whose winning turn the engine does not find within so many nodes.
fn missed(nodes: u64) -> (usize, Vec<String>) {
    let suite: Suite = serde_json::from_str(include_str!("data/problems.json")).expect("a suite");
    let mut engine = AlphaBeta::<Russian>::new(Options {
        limits: Limits { nodes: Some(nodes), ..Limits::default() },
        ..Options::default()
    });
    let mut missed = Vec::new();
    for Problem { fen, turn } in &suite.problems {
        let position = Russian::read_fen(fen).expect("a position");
        let game = Game::from_position(position, Preset::Official).expect("a game");
        let played = engine.choose(&game).expect("a turn").to_string();
        if played != *turn {
            missed.push(format!("{fen}: {played} where {turn} wins"));
        }
    }
    (suite.problems.len(), missed)
}

#[test]
fn every_problem_is_solved_within_the_node_limit() {
    let (all, missed) = missed(NODES);
    assert!(all >= 24, "{all} problems");
    assert!(missed.is_empty(), "{} of {all} missed within {NODES} nodes:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn the_problems_are_too_deep_for_a_glance() {
    let (all, missed) = missed(50);
    assert!(missed.len() * 2 > all, "{} of {all} missed within 50 nodes", missed.len());
}
