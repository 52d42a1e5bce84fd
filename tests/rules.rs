//! The rules as data: the tables of `tests/data/rules`, worked out by hand.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fmt::Debug;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use shashki::board::Side;
use shashki::for_variant;
use shashki::games::{Game, Outcome, Position, Preset, Reason, Variant, perft, turn};

/// One position and all its turns.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    variant: Variant,
    clause: String,
    fen: String,
    turns: Vec<String>,
    #[serde(default)]
    after: BTreeMap<String, String>,
    winner: Option<String>,
}

/// Texts of one turn, or texts that are refused.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    name: String,
    variant: Variant,
    fen: String,
    texts: Vec<String>,
    turn: Option<String>,
    same_as: Option<String>,
    #[serde(default)]
    refused: Vec<String>,
}

fn load<T: DeserializeOwned>(text: &str, table: &str) -> Vec<T> {
    let mut tables: BTreeMap<String, Vec<T>> = toml::from_str(text).unwrap();
    let entries = tables.remove(table).unwrap_or_default();
    assert!(tables.is_empty() && !entries.is_empty(), "expected [[{table}]] and nothing else");
    entries
}

fn sorted(texts: impl IntoIterator<Item = impl ToString>) -> Vec<String> {
    let mut texts: Vec<_> = texts.into_iter().map(|t| t.to_string()).collect();
    texts.sort();
    texts
}

fn same<T: PartialEq + Debug>(ours: T, expected: T, case: &Case) {
    assert_eq!(ours, expected, "{} ({}): {}", case.name, case.clause, case.fen);
}

fn check<P: Position>(case: &Case) {
    let position = P::read_fen(&case.fen).unwrap();
    let turns = turn::list_with_positions(&position);
    same(sorted(turns.iter().map(|(turn, _)| turn)), sorted(&case.turns), case);
    same(perft(&position, 1), case.turns.len() as u64, case);
    for (text, fen) in &case.after {
        let (_, after) = turns.iter().find(|(turn, _)| turn.to_string() == *text).expect("`after` names a turn");
        same(after.write_fen(), fen.clone(), case);
    }
    let game = Game::from_position(position, Preset::Official).unwrap();
    let expected = case.winner.as_deref().map(|winner| Outcome {
        winner: Side::BOTH.into_iter().find(|side| side.to_string() == winner),
        reason: if P::SPEC.boards > 1 { Reason::Sum } else { Reason::NoMove },
    });
    same(game.outcome(), expected, case);
}

fn check_all(table: &str) {
    for case in load::<Case>(table, "case") {
        for_variant!(case.variant, P => check::<P>(&case));
    }
}

#[test]
fn quiet_moves_and_crowning() {
    check_all(include_str!("data/rules/quiet.toml"));
}

#[test]
fn captures() {
    check_all(include_str!("data/rules/capture.toml"));
}

#[test]
fn every_rule_of_capture_has_two_cases() {
    let cases = load::<Case>(include_str!("data/rules/capture.toml"), "case");
    for rule in 1..=8 {
        let clause = format!("capture {rule}:");
        assert!(cases.iter().filter(|case| case.clause.starts_with(&clause)).count() >= 2, "{clause}");
    }
}

#[test]
fn the_end_of_the_game() {
    check_all(include_str!("data/rules/end.toml"));
}

#[test]
fn towers() {
    check_all(include_str!("data/rules/towers.toml"));
}

#[test]
fn giveaway_and_the_wide_board() {
    check_all(include_str!("data/rules/family.toml"));
}

#[test]
fn two_games_and_two_free_moves() {
    check_all(include_str!("data/rules/vigman.toml"));
}

fn check_input<P: Position>(input: &Input) {
    let position = P::read_fen(&input.fen).unwrap();
    for text in &input.texts {
        let what = format!("{}: {text:?} in {}", input.name, input.fen);
        match (turn::read(&position, text), &input.turn) {
            (Ok(turn), Some(expected)) => {
                assert_eq!(turn.to_string(), *expected, "{what}");
                let play = |turn: &turn::Turn| {
                    let mut after = position;
                    turn.hops().for_each(|hop| _ = after.play_unchecked(hop));
                    after
                };
                let listed = turn::list_with_positions(&position);
                let name = input.same_as.as_ref().unwrap_or(expected);
                let (_, after) = listed.iter().find(|(turn, _)| turn.to_string() == *name).expect(&what);
                assert_eq!(play(&turn), *after, "{what}");
            }
            (Err(error), None) => {
                let message = error.to_string();
                for part in std::iter::once(&format!("turn {text:?}: ")).chain(&input.refused) {
                    assert!(message.contains(part), "{what}: {part:?} is missing in {message:?}");
                }
            }
            (result, _) => panic!("{what}: {result:?}"),
        }
    }
}

#[test]
fn turns_are_read_in_every_form_and_refused_with_a_reason() {
    for input in load::<Input>(include_str!("data/rules/notation.toml"), "input") {
        assert!(input.turn.is_some() == input.refused.is_empty(), "{}: one of turn, refused", input.name);
        for_variant!(input.variant, P => check_input::<P>(&input));
    }
}
