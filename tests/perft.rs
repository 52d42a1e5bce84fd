//! Counts of distinct turns against the published ones (RULES: dctl's table) and the positions of the cases.

#![allow(clippy::unwrap_used)]

use serde_json::Value;
use shashki::games::{Position, Russian, perft};

/// dctl's table for Russian draughts, from depth 1.
const RUSSIAN: [u64; 11] = [7, 49, 302, 1_469, 7_482, 37_986, 190_146, 929_899, 4_570_586, 22_444_032, 110_917_189];

#[test]
fn the_start_position_counts_as_published() {
    let depth = if std::env::var_os("SHASHKI_FULL").is_some() { 11 } else { 9 };
    for (i, &expected) in RUSSIAN[..depth].iter().enumerate() {
        assert_eq!(perft(&Russian::start(), i as u32 + 1), expected, "depth {}", i + 1);
    }
}

#[test]
fn the_positions_of_the_cases_count_as_given() {
    let cases: Value = serde_json::from_str(include_str!("data/cases/perft.json")).unwrap();
    let positions = cases["positions"].as_array().unwrap();
    assert!(positions.len() > 10);
    for case in positions {
        let algebraic = Russian::read_fen(case["fen"].as_str().unwrap()).unwrap();
        let numeric = Russian::read_fen(case["fen_numeric"].as_str().unwrap()).unwrap();
        assert_eq!(algebraic, numeric, "{}", case["name"]);
        for (i, expected) in case["turns"].as_array().unwrap().iter().enumerate() {
            assert_eq!(perft(&algebraic, i as u32 + 1), expected.as_u64().unwrap(), "{} at {}", case["name"], i + 1);
        }
    }
}
