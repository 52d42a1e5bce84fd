//! The cases of `tests/data/cases`: positions with their turns, and games with the draw that ends them. They come from
//! two other implementations of the rules that agree.

#![allow(clippy::unwrap_used)]

use serde_json::Value;
use shashki::board::Side;
use shashki::games::{Game, Outcome, Position, Preset, Reason, Russian, perft, turn};

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().expect("a list").iter().map(text).collect()
}

fn entries(json: &str) -> Vec<Value> {
    serde_json::from_str::<Vec<Value>>(json).unwrap()
}

/// Compares the turns of one case, each with its path, its captures and the position it leads to.
fn check_turns(case: &Value) {
    let fen = text(&case["fen"]);
    let position = Russian::read_fen(&fen).unwrap();
    assert_eq!(position.write_fen(), fen);
    assert_eq!(position.side(), if case["turn"] == "w" { Side::White } else { Side::Black }, "{fen}");
    let turns = turn::list_with_positions(&position);
    assert_eq!(turns.len() as u64, case["count"].as_u64().unwrap(), "{fen}");
    let mut expected: Vec<&Value> = case["moves"].as_array().unwrap().iter().collect();
    expected.sort_by_key(|turn| text(&turn["move"]));
    assert_eq!(turns.len(), expected.len(), "{fen}");
    for ((turn, after), expected) in turns.iter().zip(expected) {
        assert_eq!(turn.to_string(), text(&expected["move"]), "{fen}");
        assert_eq!(after.write_fen(), text(&expected["after"]), "{fen} after {turn}");
        let squares: Vec<_> = turn.squares().iter().map(ToString::to_string).collect();
        assert_eq!(squares, texts(&expected["path"]), "{fen}, {turn}");
        assert_eq!([squares.first(), squares.last()], [Some(&text(&expected["from"])), Some(&text(&expected["to"]))]);
        let mut played = position;
        let mut captured: Vec<String> =
            turn.hops().filter_map(|hop| played.play_unchecked(hop).captured).map(|s| s.to_string()).collect();
        assert_eq!(played, *after);
        captured.sort();
        let mut expected = texts(&expected["captured"]);
        expected.sort();
        assert_eq!(captured, expected, "{fen}, {turn}");
    }
    for (i, expected) in case["perft"].as_array().into_iter().flatten().enumerate() {
        assert_eq!(perft(&position, i as u32 + 1), expected.as_u64().unwrap(), "{fen} at depth {}", i + 1);
    }
}

#[test]
fn the_turns_of_russian_cases_are_as_given() {
    let cases = entries(include_str!("data/cases/russian.json"));
    assert_eq!(cases.len(), 12);
    for case in &cases {
        check_turns(case);
        let game = Game::from_position(Russian::read_fen(&text(&case["fen"])).unwrap(), Preset::Official).unwrap();
        let winner = match case["winner"].as_str() {
            None => None,
            Some("w") => Some(Side::White),
            Some(_) => Some(Side::Black),
        };
        let expected = winner.map(|side| Outcome { winner: Some(side), reason: Reason::NoMove });
        assert_eq!(game.outcome(), expected, "{}", case["fen"]);
    }
}

#[test]
fn poddavki_moves_as_russian_draughts_does() {
    let cases = entries(include_str!("data/cases/poddavki.json"));
    assert_eq!(cases.len(), 12);
    cases.iter().for_each(check_turns);
}

#[test]
fn declared_draws_arise_exactly_when_given() {
    let cases = entries(include_str!("data/cases/draws.json"));
    assert_eq!(cases.len(), 5);
    for case in &cases {
        let position = Russian::read_fen(&text(&case["fen"])).unwrap();
        let mut game = Game::from_position(position, Preset::Official).unwrap();
        let plies = case["after_plies"].as_u64().unwrap() as usize;
        let turns = texts(&case["moves"]);
        assert!(turns.len() >= plies);
        for (i, turn) in turns[..plies].iter().enumerate() {
            assert_eq!(game.outcome(), None, "{} before ply {}", case["note"], i + 1);
            game.play_text(turn).unwrap();
        }
        let outcome = game.outcome().expect("the game is drawn");
        assert_eq!((outcome.winner, outcome.reason.name()), (None, case["declared"].as_str().unwrap()));
    }
}
