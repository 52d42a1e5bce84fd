//! Position texts: what the reader takes, what it refuses and what it names in doing so.

#![allow(clippy::unwrap_used)]

#[path = "reference/random.rs"]
mod random;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use shashki::Error;
use shashki::games::{Position, Russian};

fn same(texts: &[&str], canonical: &str) {
    for text in texts {
        match Russian::read_fen(text) {
            Ok(position) => assert_eq!(position.write_fen(), canonical, "{text:?}"),
            Err(error) => panic!("{text:?}: {error}"),
        }
    }
}

/// Asserts that a text is refused, that the message quotes the text and names what is at fault.
fn refused(text: &str, named: &[&str]) {
    match Russian::read_fen(text) {
        Ok(position) => panic!("{text:?} was read as {}", position.write_fen()),
        Err(error @ Error::Fen { .. }) => {
            let Error::Fen { reason, .. } = &error else { unreachable!() };
            assert!(error.to_string().contains(&format!("{text:?}")), "{error}");
            for part in named {
                assert!(reason.contains(part), "{text:?}: {part:?} is missing in {reason:?}");
            }
        }
        Err(error) => panic!("{text:?}: {error:?} is no error of a position text"),
    }
}

#[test]
fn the_start_position_is_written_by_rank_and_file() {
    let start = "W:Wa1,c1,e1,g1,b2,d2,f2,h2,a3,c3,e3,g3:Bb6,d6,f6,h6,a7,c7,e7,g7,b8,d8,f8,h8";
    assert_eq!(Russian::start().write_fen(), start);
    same(&[start, "W:W21-32:B1-12", "W:W21-32:B1-12:H0:F1", "W:B1-12:W21-32."], start);
}

#[test]
fn the_reader_takes_what_peers_write() {
    same(
        &[
            "W:Wa1,c3,Kd4:BKh2,b8",
            "W:Bb8,Kh2:Wa1,c3,Kd4",
            "W:WKd4,c3,a1:BKh2,b8",
            "W:Wa1,c3,Kd4:Bb8,Kh2.",
            "W:Wa1,c3,Kd4:Bb8,Kh2:H0:F1",
            "W:Wa1,c3,Kd4:Bb8,Kh2:H12:F34.",
            "W:H0:F1:Wa1,c3,Kd4:Bb8,Kh2",
            " W : W a1 , c3 , K d4 : B b8 , K h2 . ",
            "W:WA1,C3,KD4:BB8,KH2",
            "W:W29,22,K18:B1,K28",
            "W:WK18,29,22:BK28,1",
            "W:W29,c3,KD4:Bb8,K28",
        ],
        "W:Wa1,c3,Kd4:BKh2,b8",
    );
    same(&["B:WK1-4:B5-8", "B:WK1,K2-3,K4:B5,6-8"], "B:WKb8,Kd8,Kf8,Kh8:Ba7,c7,e7,g7");
}

#[test]
fn sides_may_be_empty_or_large() {
    same(&["B:Wg1:B", "B:B:Wg1", "B:W32:B"], "B:Wg1:B");
    same(&["W:W:B", "W:B:W"], "W:W:B");
    let kings = "W:W:BKa1,Kc1,Ke1,Kg1,Kb2,Kd2,Kf2,Kh2,Ka3,Kc3,Ke3,Kg3,Kb4,Kd4,Kf4,Kh4,Ka5,Kc5,Ke5,Kg5,Kb6,Kd6,Kf6,Kh6,Ka7,\
                 Kc7,Ke7,Kg7,Kb8,Kd8,Kf8,Kh8";
    same(&[kings, "W:BK1-32:W"], kings);
}

#[test]
fn a_square_named_twice_is_refused() {
    refused("W:Wa1,a1:Bb8", &["a1", "twice"]);
    refused("W:Wa1,KA1:Bb8", &["a1", "twice"]);
    refused("W:Wc3:Bc3", &["c3", "twice"]);
    refused("W:W21,21:B1", &["a3", "twice"]);
    refused("W:W21-24,23:B1", &["e3", "twice"]);
    refused("W:Wa3,21:B1", &["a3", "twice"]);
}

#[test]
fn a_square_off_the_board_or_unplayable_is_refused() {
    refused("W:Wa2:Bb8", &["a2", "not a playable square"]);
    refused("W:Wa1:BKb7", &["b7", "not a playable square"]);
    refused("W:Wi1:Bb8", &["i1"]);
    refused("W:Wj1:Bb8", &["not a playable square"]);
    refused("W:Wa9:Bb8", &["a9"]);
    refused("W:Wa0:Bb8", &["a0"]);
    refused("W:W33:B1", &["33", "1 to 32"]);
    refused("W:W0:B1", &["0", "1 to 32"]);
    refused("W:W30-33:B1", &["33", "1 to 32"]);
    refused("W:W99999999999999999999999:B1", &["99999999999999999999999"]);
}

#[test]
fn a_man_on_its_last_rank_is_refused() {
    refused("W:Wf8:Bh6", &["f8", "white man", "last rank"]);
    refused("B:Wa3:Bc1", &["c1", "black man", "last rank"]);
    refused("W:W1-4:B", &["b8", "last rank"]);
    same(&["W:WKf8:Bh6"], "W:WKf8:Bh6");
    same(&["W:Wa1:Bh8"], "W:Wa1:Bh8");
}

#[test]
fn unreadable_pieces_are_refused_by_name() {
    refused("W:Wa1,x9:Bb8", &["x9"]);
    refused("W:Wa1,,c3:Bb8", &["\"\""]);
    refused("W:Wa1,:Bb8", &["\"\""]);
    refused("W:WK:Bb8", &["\"K\""]);
    refused("W:WKK18:Bb8", &["K18"]);
    refused("W:Wa1c3:Bb8", &["a1c3"]);
    refused("W:Wa1 c3:Bb8", &["a1c3"]);
    refused("W:W21 22:B1", &["comma", "W:W21", "22:B1"]);
    refused("W:Wa1;c3:Bb8", &["a1;c3"]);
    refused("W:Wa1-c3:Bb8", &["a1"]);
    refused("W:W24-21:B1", &["24-21", "backwards"]);
    refused("W:W+21:B1", &["+21"]);
    refused("W:W21-+24:B1", &["+24"]);
    refused("W:W21-:B1", &["\"\""]);
    refused("W:W-24:B1", &["\"\""]);
    refused("W:Wа1:Bb8", &["а1"]); // a Cyrillic letter
}

#[test]
fn sections_that_are_missing_doubled_or_unknown_are_refused() {
    refused("", &["side to move", "W or B"]);
    refused("Wa1:Bb8", &["side to move", "Wa1"]);
    refused(":Wa1:Bb8", &["side to move"]);
    refused("?:Wa1:Bb8", &["side to move", "?"]);
    refused("W", &["no section for white"]);
    refused("W:Wa1", &["no section for black", ":B"]);
    refused("W:Bb8", &["no section for white", ":W"]);
    refused("W:Wa1:Wc3:Bb8", &["two sections for white"]);
    refused("W:Wa1:Bb8:Bd8", &["two sections for black"]);
    refused("W:Wa1:Bb8:", &["empty"]);
    refused("W::Wa1:Bb8", &["empty"]);
    refused("W:Wa1:Bb8:X1", &["X1"]);
    refused("W:Wa1:Bb8:Hx", &["Hx"]);
    refused("W:Wa1:b8", &["b8"]);
    refused("W:Wa1:Bb8..", &["b8."]);
    refused("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &["side to move"]);
}

#[test]
fn a_position_within_a_capture_is_read_and_written() {
    let text = "W:We5:Bd4,d6:Ce5xd4";
    same(&[text, "W:Ce5xd4:Bd6,d4:We5", "W:W15:B18,10:C15x18", "W:We5:Bd4,d6:CE5XD4."], "W:We5:Bd4,d6:Ce5xd4");
    same(&["W:We5:Bd4,f4,d6:Ce5xf4,d4"], "W:We5:Bd4,f4,d6:Ce5xd4,f4");
    assert!(!Russian::read_fen(text).unwrap().at_turn_start());
}

#[test]
fn an_impossible_capture_in_progress_is_refused() {
    refused("W:We5:Bd4,d6:Ce5", &["e5", "jumped"]);
    refused("W:We5:Bd4,d6:C", &["chain"]);
    refused("W:We5:Bd4,d6:Ce5x", &["\"\""]);
    refused("W:We5:Bd4,d6:Cc3xd4", &["c3"]);
    refused("W:We5:Bd4,d6:Cd6xd4", &["d6"]);
    refused("W:We5:Bd4,d6:Ce5xf6", &["e5xf6"]);
    refused("W:Wa1,e5:Bd4,d6:Ce5xa1", &["e5xa1"]);
    refused("W:We5:Bd4,d6:Ce5xd4,d4", &["d4", "twice"]);
    refused("W:We5:Bd4,d6:Ce5xd4,d6", &["go on"]);
    refused("W:We5:Bd4:Ce5xd4", &["go on"]);
    refused("W:We5:Bd4,d6:Ce5xd4:Ce5xd4", &["two chain sections"]);
    refused("B:We5:Bd4,d6:Ce5xd4", &["e5"]);
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 2_000, failure_persistence: None, rng_seed: RngSeed::Fixed(6), ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_text_makes_the_reader_panic(text in ".{0,40}") {
        let _ = Russian::read_fen(&text);
    }

    #[test]
    fn no_text_of_the_right_letters_makes_the_reader_panic(text in "[WBKCHFwbkxXa-k0-9:,. -]{0,40}") {
        if let Ok(position) = Russian::read_fen(&text) {
            prop_assert_eq!(Russian::read_fen(&position.write_fen()).unwrap(), position);
        }
    }

    #[test]
    fn a_text_with_one_letter_changed_is_read_or_refused(
        seed in 0_u64..1000, at in 0_usize..200, letter in "[WBKCHFa-k0-9:,.ж -]",
    ) {
        let mut text = random::placement(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
        let at = at % text.len();
        text.replace_range(at..=at, &letter);
        if let Ok(position) = Russian::read_fen(&text) {
            prop_assert_eq!(Russian::read_fen(&position.write_fen()).unwrap(), position);
        }
    }
}
