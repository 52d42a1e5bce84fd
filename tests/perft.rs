//! Counts of distinct turns against the published ones (for Russian draughts dctl's table, for the others two
//! implementations of the rules that agree) and the positions of the cases.

#![allow(clippy::unwrap_used)]

mod common;

use common::full;
use serde_json::Value;
use shashki::games::{Bashni, BashniIm, Poddavki, Position, Russian, Spantsireti, Vigman, VigmanFree, perft};

/// Counts from the start as deep as the figures go, or `reduced` turns deep.
fn check<P: Position>(counts: &[u64], reduced: usize) {
    let depth = if full() { counts.len() } else { reduced };
    for (i, &expected) in counts[..depth].iter().enumerate() {
        assert_eq!(perft(&P::start(), i as u32 + 1), expected, "{} at depth {}", P::SPEC.variant, i + 1);
    }
}

const RUSSIAN: [u64; 11] = [7, 49, 302, 1_469, 7_482, 37_986, 190_146, 929_899, 4_570_586, 22_444_032, 110_917_189];

#[test]
fn russian_counts_as_published() {
    check::<Russian>(&RUSSIAN, 9);
}

#[test]
fn poddavki_counts_as_russian() {
    check::<Poddavki>(&RUSSIAN[..9], 8);
}

#[test]
fn bashni_counts_as_given() {
    let counts = [7, 49, 302, 1_469, 7_482, 37_908, 189_912, 925_862, 4_533_133, 22_058_971, 107_590_933];
    check::<Bashni>(&counts, 8);
}

#[test]
fn bashni_im_counts_as_given() {
    let counts = [7, 49, 302, 1_469, 7_482, 37_908, 189_912, 925_939, 4_533_812, 22_086_150, 107_800_496];
    check::<BashniIm>(&counts, 8);
}

#[test]
fn spantsireti_counts_as_given() {
    let counts = [9, 81, 658, 4_265, 27_132, 168_316, 1_040_706, 6_238_312, 37_612_172, 225_233_453];
    check::<Spantsireti>(&counts, 8);
}

/// While neither game is over the turns of both are counted one by the other: the squares of Russian draughts' counts.
#[test]
fn vigman_counts_as_given() {
    check::<Vigman>(&[49, 2_401, 91_204, 2_157_961, 55_980_324], 4);
}

#[test]
fn vigman_free_counts_single_moves_as_given() {
    check::<VigmanFree>(&[14, 210, 2_672, 32_272, 335_958, 4_717_112], 6);
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
