//! The cases of `tests/data/cases`: positions with their turns, and games with the draw that ends them. They come from
//! two other implementations of the rules that agree.

#![allow(clippy::unwrap_used)]

use serde_json::Value;
use shashki::board::Side;
use shashki::games::{
    Bashni, BashniIm, Game, Outcome, Poddavki, Position, Preset, Reason, Russian, Spantsireti, Vigman, VigmanFree,
    perft, turn,
};

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
fn check_turns<P: Position>(case: &Value) {
    let fen = text(&case["fen"]);
    let position = P::read_fen(&fen).unwrap();
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
        let hops: Vec<_> = turn.hops().collect();
        let mut squares = vec![hops[0].from.to_string()];
        squares.extend(hops.iter().map(|hop| hop.to.to_string()));
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
    check_perft(&position, &case["perft"]);
}

fn check_perft<P: Position>(position: &P, counts: &Value) {
    for (i, expected) in counts.as_array().into_iter().flatten().enumerate() {
        let (fen, depth) = (position.write_fen(), i + 1);
        assert_eq!(perft(position, depth as u32), expected.as_u64().unwrap(), "{fen} at depth {depth}");
    }
}

/// All that a file says of a variant.
fn check_all<P: Position>(json: &str, count: usize) {
    let cases = entries(json);
    assert_eq!(cases.len(), count);
    for case in &cases {
        assert_eq!(case["variant"], P::SPEC.variant.name());
        check_turns::<P>(case);
        let game = Game::from_position(P::read_fen(&text(&case["fen"])).unwrap(), Preset::Official).unwrap();
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
fn russian_cases_are_as_given() {
    check_all::<Russian>(include_str!("data/cases/russian.json"), 12);
}

#[test]
fn poddavki_cases_are_as_given() {
    check_all::<Poddavki>(include_str!("data/cases/poddavki.json"), 12);
}

#[test]
fn spantsireti_cases_are_as_given() {
    check_all::<Spantsireti>(include_str!("data/cases/spantsireti.json"), 12);
}

#[test]
fn bashni_cases_are_as_given() {
    check_all::<Bashni>(include_str!("data/cases/bashni.json"), 14);
}

#[test]
fn bashni_im_cases_are_as_given() {
    check_all::<BashniIm>(include_str!("data/cases/bashni-im.json"), 14);
}

#[test]
fn vigman_cases_are_as_given() {
    let cases = entries(include_str!("data/cases/vigman.json"));
    assert_eq!(cases.len(), 12);
    for case in &cases {
        let fen = text(&case["fen"]);
        let position = Vigman::read_fen(&fen).unwrap();
        let (dark, light) = (texts(&case["dark"]), texts(&case["light"]));
        let mut expected: Vec<String> = match (dark.as_slice(), light.as_slice()) {
            ([], one) | (one, []) => one.to_vec(),
            _ => dark.iter().flat_map(|dark| light.iter().map(move |light| format!("{dark}/{light}"))).collect(),
        };
        expected.sort();
        let turns: Vec<String> = turn::list(&position).iter().map(ToString::to_string).collect();
        assert_eq!(turns, expected, "{fen}");
        assert_eq!(turns.len() as u64, case["count"].as_u64().unwrap(), "{fen}");
        check_perft(&position, &case["perft_turns"]);
        let free = VigmanFree::read_fen(&fen).unwrap();
        let turns: Vec<String> = turn::list(&free).iter().map(ToString::to_string).collect();
        assert_eq!(turns, texts(&case["free_single_moves"]), "{fen}");
        check_perft(&free, &case["free_perft_single_moves"]);
    }
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
