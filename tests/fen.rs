//! Position texts: what the reader takes, what it refuses and what it names in doing so.

#![allow(clippy::unwrap_used)]

#[path = "reference/random.rs"]
mod random;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use random::Field;
use shashki::Error;
use shashki::board::Hops;
use shashki::games::{Bashni, BashniIm, Poddavki, Position, Russian, Spantsireti, Vigman, VigmanFree, perft, turn};

fn same(texts: &[&str], canonical: &str) {
    same_in::<Russian>(texts, canonical);
}

fn same_in<P: Position>(texts: &[&str], canonical: &str) {
    for text in texts {
        match P::read_fen(text) {
            Ok(position) => assert_eq!(position.write_fen(), canonical, "{text:?}"),
            Err(error) => panic!("{text:?}: {error}"),
        }
    }
}

fn refused(text: &str, named: &[&str]) {
    refused_in::<Russian>(text, named);
}

/// Asserts that a text is refused, that the message quotes the text and names what is at fault.
fn refused_in<P: Position>(text: &str, named: &[&str]) {
    match P::read_fen(text) {
        Ok(position) => panic!("{text:?} was read as {}", position.write_fen()),
        Err(error @ Error::Fen { .. }) => {
            let Error::Fen { reason, .. } = &error else { unreachable!() };
            // A long text is cut.
            let quoted: String = format!("{text:?}").chars().take(150).collect();
            assert!(error.to_string().contains(&quoted), "{error}");
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

#[test]
fn russian_knows_no_halves_and_no_results() {
    refused("W:Wa1:Bb8:N2", &["two games"]);
    refused("W:Wa1:Bb8:Rdark=w", &["two games"]);
    refused_in::<Bashni>("W:Wa1w:Bb8b:N2", &["two games"]);
    refused_in::<BashniIm>("W:Wa1w:Bb8b:Rlight=d", &["two games"]);
    refused_in::<Spantsireti>("W:Wa1:Bb8:N2", &["two games"]);
    refused_in::<Poddavki>("W:Wa1:Bb8:Rdark=d", &["two games"]);
}

#[test]
fn the_wide_board_has_its_own_names_and_numbers() {
    let start = "W:Wa1,c1,e1,g1,i1,b2,d2,f2,h2,k2,a3,c3,e3,g3,i3:Bb6,d6,f6,h6,k6,a7,c7,e7,g7,i7,b8,d8,f8,h8,k8";
    same_in::<Spantsireti>(&[start, "W:W26-40:B1-15"], start);
    same_in::<Spantsireti>(&["W:Wi1,KK2:Bj8", "W:W40,KJ2:Bk8", "W:Wi1,Kk2:B5", "W:WK35,40:BJ8"], "W:Wi1,Kk2:Bk8");
    refused_in::<Spantsireti>("W:Wl2:Bb8", &["l2"]);
    refused_in::<Spantsireti>("W:Wk1:Bb8", &["k1", "not a playable square"]);
    refused_in::<Spantsireti>("W:Wk2,j2:Bb8", &["k2", "twice"]);
    refused_in::<Spantsireti>("W:W41:Bb8", &["41", "1 to 40"]);
    refused_in::<Spantsireti>("W:Wk8:Bb8", &["k8", "last rank"]);
}

#[test]
fn towers_are_written_from_the_top_down_in_the_list_of_their_top() {
    let text = "W:We1W,c3wbb:Bd6bWw";
    same_in::<Bashni>(&[text, "W:Bd6bWw:We1W,c3wbb.", "W:WC3wbb , E1W:BD6bWw", "W:W22wbb,31W:B10bWw"], text);
    same_in::<BashniIm>(&[text], text);
    // Only the top piece may not be a man on its last rank.
    same_in::<Bashni>(&["B:Wf8Www:Bc1Bbbw"], "B:Wf8Www:Bc1Bbbw");
    same_in::<Bashni>(&["W:W:B", "W:B:W"], "W:W:B");
    for text in ["W:Wf8wBB:Bd6b", "B:Wc3w:Bc1bw"] {
        refused_in::<Bashni>(text, &[&text[3..5].replace("c3", "c1"), "last rank"]);
    }
}

#[test]
fn impossible_towers_are_refused_by_name() {
    refused_in::<Bashni>("W:Wc3:Bd6b", &["c3"]);
    refused_in::<Bashni>("W:Wc3wx:Bd6b", &["c3wx"]);
    refused_in::<Bashni>("W:Wc3wж:Bd6b", &["c3wж"]);
    refused_in::<Bashni>("W:Wc3bw:Bd6b", &["c3", "white"]);
    refused_in::<Bashni>("W:Wc3w:Bd6w", &["d6", "black"]);
    refused_in::<Bashni>("W:Wc3w,c3w:Bd6b", &["c3", "twice"]);
    refused_in::<Bashni>("W:Wc3w:Bc3b", &["c3", "twice"]);
    refused_in::<Bashni>("W:Wc4w:Bd6b", &["c4", "not a playable square"]);
    refused_in::<Bashni>("W:Wi3w:Bd6b", &["i3"]);
    refused_in::<Bashni>("W:W33w:Bd6b", &["33", "1 to 32"]);
    refused_in::<Bashni>("W:W21-24w:Bd6b", &["21-24w"]);
    refused_in::<Bashni>("W:Wc3w,:Bd6b", &["\"\""]);
    let high = "w".repeat(24);
    same_in::<Bashni>(&[&format!("W:Wc3{high}:B")], &format!("W:Wc3{high}:B"));
    refused_in::<Bashni>(&format!("W:Wc3{high}w:B"), &["24"]);
    refused_in::<BashniIm>(&format!("W:Wc3{high}:Bd6b"), &["24"]);
    refused_in::<BashniIm>(&format!("W:Wc3{}:Bd6b", "w".repeat(5000)), &["24"]);
    refused_in::<Bashni>("W:WKc3:Bd6b", &["Kc3", "c3W"]);
}

#[test]
fn the_order_of_the_towers_jumped_is_kept_until_the_turn_is_over() {
    // The man has come from g3 by e5 and c3, or the other way: it has jumped two towers, and goes on over b6.
    let texts = ["W:Wa5w:Bb4b,d4B,b6b:Ca5xd4,b4", "W:Wa5w:Bb4b,d4B,b6b:Ca5xb4,d4"];
    for text in texts {
        same_in::<Bashni>(&[text], text);
        refused_in::<BashniIm>(text, &["a5xd4,b4"].map(|chain| if text.ends_with(chain) { chain } else { "a5xb4,d4" }));
    }
    let after = texts.map(|text| {
        let position = Bashni::read_fen(text).unwrap();
        let turns = turn::list_with_positions(&position);
        turns.iter().map(|(_, after)| after.write_fen()).collect::<Vec<_>>()
    });
    assert_eq!(after, [["B:Wc7wBbb:B"], ["B:Wc7wbBb:B"]]);
    same_in::<BashniIm>(&["W:Wa5wB:Bb4b,b6b:Ca5xb4"], "W:Wa5wB:Bb4b,b6b:Ca5xb4");
    refused_in::<Bashni>("W:Wa5w:Bb4b,b6b:Ca5xb4,b6", &["go on"]);
    refused_in::<Bashni>("W:Wa5w:Bb4b,b6b:Ca5xd4", &["a5xd4"]);
    refused_in::<Bashni>("W:Wa5w:Bb4b,b6b:Cb4xb6", &["b4xb6"]);
    refused_in::<Bashni>("W:Wa5w:Bb4b,b6b:Ca5xb4,b4", &["b4", "twice"]);
    refused_in::<BashniIm>("W:Wa5wB:Bb6b:Ca5xb6", &["go on"]);
}

#[test]
fn two_games_stand_in_one_text() {
    let start = Vigman::start().write_fen();
    assert_eq!(start.matches([',', 'W', 'B']).count() - 1, 48);
    assert_eq!(VigmanFree::start().write_fen(), start);
    same_in::<Vigman>(&[&start, &format!("{start}.")], &start);
    let half = format!("{start}:N2");
    same_in::<Vigman>(&[&half], &half);
    same_in::<VigmanFree>(&[&half], &half);
    let over = "W:Wa1,b1:BKc8,h8:Rlight=d";
    same_in::<Vigman>(&[over, "W:Rlight=d:WB1,A1:Bh8,KC8"], over);
    same_in::<Vigman>(&["W:Wa1,b1:Bh8,Kc8:Rlight=d,dark=b"], "W:Wa1,b1:BKc8,h8:Rdark=b,light=d");
    let chain = "W:Wb1,e5:Bd4,d6,g8:Ce5xd4";
    same_in::<Vigman>(&[chain], chain);
    same_in::<VigmanFree>(&[chain], chain);
    let chain = "W:Wa1,e6:Bd5,d7,h8:Ce6xd5:N2";
    same_in::<Vigman>(&[chain], chain);
    same_in::<VigmanFree>(&[chain], chain);
}

#[test]
fn impossible_pairs_of_games_are_refused_by_name() {
    refused_in::<Vigman>("W:Wa1,b1:Bh8,g8:N3", &["N3"]);
    refused_in::<Vigman>("W:Wa1,b1:Bh8,g8:N", &["\"N\""]);
    refused_in::<Vigman>("W:Wa1,b1:Bh8,g8:N2:N2", &["two sections N"]);
    refused_in::<Vigman>("W:Wa1,b1:Bh8,g8:R", &["dark"]);
    refused_in::<Vigman>("W:Wa1,b1:Bh8,g8:Rdark", &["\"dark\""]);
    refused_in::<Vigman>("W:Wa1,b1:Bh8,g8:Rdark=x", &["dark=x"]);
    refused_in::<Vigman>("W:Wa1,b1:Bh8,g8:Rgrey=w", &["grey=w"]);
    refused_in::<Vigman>("W:Wa1,b1:Bh8,g8:Rdark=w,dark=w", &["dark=w", "twice"]);
    refused_in::<Vigman>("W:Wa1,b1:Bh8,g8:Rdark=w:Rlight=w", &["two sections R"]);
    refused_in::<Vigman>("W:Wa1,i1:Bh8,g8", &["i1"]);
    refused_in::<Vigman>("W:W21,b1:Bh8,g8", &["21"]);
    refused_in::<Vigman>("W:Wa1,Ka1:Bh8,g8", &["a1", "twice"]);
    refused_in::<Vigman>("W:Wa1,e8:Bh8,g8", &["e8", "last rank"]);
    refused_in::<Vigman>("W:Wa1,b1:Bh8,g1", &["g1", "last rank"]);
    refused_in::<VigmanFree>("W:Wa1,b1:Bh8,g8:Rdark=w", &["result of one board"]);
    // A game that is over has no chain, and no second move follows where only one game is going.
    refused_in::<Vigman>("W:We5,b1:Bd4,d6,g8:Ce5xd4:Rdark=w", &["chain in the dark game", "over"]);
    refused_in::<Vigman>("W:Wa1,b1:Bh8,g8:N2:Rlight=w", &["light game is over", "second move"]);
    // The move on the dark squares comes first.
    refused_in::<Vigman>("W:We5,b1:Bd4,d6,g8:Ce5xd4:N2", &["e5xd4", "black piece on e5"]);
    refused_in::<Vigman>("W:We6,a1:Bd5,d7,h8:Ce6xd5", &["chain in the light game"]);
}

/// A legal text, in the middle of a chain or of a turn if the line of hops from a random placement comes to one.
fn good_text<P: Position>(field: Field, seed: u64) -> String {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut position = P::read_fen(&random::placement(field, &mut rng)).unwrap();
    let mut hops = Hops::new();
    for _ in 0..rng.random_range(0..40) {
        position.hops(&mut hops);
        if hops.is_empty() || (!position.at_turn_start() && rng.random_bool(0.3)) {
            break;
        }
        position.play_unchecked(hops[rng.random_range(0..hops.len())]);
    }
    position.write_fen()
}

/// What holds of every text: a refusal quotes it, a position that is read comes back from its own text and can be played.
fn read_or_refused<P: Position>(text: &str) {
    let position = match P::read_fen(text) {
        Ok(position) => position,
        Err(error @ Error::Fen { .. }) => {
            assert!(error.to_string().contains(&format!("{text:?}")), "{error}");
            return;
        }
        Err(error) => panic!("{text:?}: {error:?} is no error of a position text"),
    };
    let written = position.write_fen();
    assert_eq!(P::read_fen(&written).unwrap(), position, "{text:?}");
    let mut hops = Hops::new();
    let mut played = position;
    for i in 0..30 {
        played.hops(&mut hops);
        assert_eq!(hops.is_empty(), !played.can_move(), "{text:?}");
        let Some(&hop) = hops.get(i % hops.len().max(1)) else { break };
        let step = played.play_unchecked(hop);
        assert!(step.turn_over || !hops.is_empty(), "{text:?}: a turn stops half way");
        assert_eq!(P::read_fen(&played.write_fen()).unwrap(), played, "{text:?}");
    }
    if position.at_turn_start() {
        // The length of a list, no more: a text may hold more pieces than a game.
        assert_eq!(perft(&position, 1) == 0, !position.can_move());
    }
}

fn good_texts_come_back<P: Position>(field: Field) {
    let (mut chains, mut halves) = (0, 0);
    for seed in 0..1000 {
        let text = good_text::<P>(field, seed);
        chains += usize::from(text.contains(":C"));
        halves += usize::from(text.contains(":N2"));
        assert_eq!(P::read_fen(&text).unwrap().write_fen(), text);
        assert_eq!(P::read_fen(&format!(" {}. ", text.replace(',', " , "))).unwrap().write_fen(), text);
        read_or_refused::<P>(&text);
    }
    assert!(chains > 30 && (halves > 100) == field.light, "{chains} in a chain, {halves} in a turn");
}

/// A text with pieces of it changed, doubled, left out or put elsewhere.
fn damaged(text: &str, rng: &mut Xoshiro256PlusPlus) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..rng.random_range(1..4) {
        let at = rng.random_range(0..chars.len());
        let end = (at + rng.random_range(1..6)).min(chars.len());
        match rng.random_range(0..5) {
            0 => {
                let letters: Vec<char> = "WBKCHNRFwbkxXadehi=0123456789:,. -ж/".chars().collect();
                chars[at] = letters[rng.random_range(0..letters.len())];
            }
            1 => drop(chars.drain(at..end)),
            2 => {
                let piece: Vec<char> = chars[at..end].to_vec();
                let to = rng.random_range(0..=chars.len());
                chars.splice(to..to, piece);
            }
            3 => {
                let extra = [":N2", ":Rdark=w", ":Rlight=d", ":Ce5xd4", ":H0", "9", "wwwwwwwwwww", ":", ",", "K"];
                chars.splice(at..at, extra[rng.random_range(0..extra.len())].chars());
            }
            _ => {
                let mut sections: Vec<String> =
                    chars.iter().collect::<String>().split(':').map(str::to_owned).collect();
                let (one, other) = (rng.random_range(0..sections.len()), rng.random_range(0..sections.len()));
                sections.swap(one, other);
                chars = sections.join(":").chars().collect();
            }
        }
        if chars.is_empty() {
            break;
        }
    }
    chars.into_iter().collect()
}

fn damaged_texts_are_read_or_refused<P: Position>(field: Field) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut read = 0;
    for seed in 0..300 {
        let good = good_text::<P>(field, seed);
        for _ in 0..10 {
            let text = damaged(&good, &mut rng);
            read += usize::from(P::read_fen(&text).is_ok());
            read_or_refused::<P>(&text);
        }
    }
    assert!(read > 100, "only {read} damaged texts are positions: the others say little");
}

fn both<P: Position>(field: Field) {
    good_texts_come_back::<P>(field);
    damaged_texts_are_read_or_refused::<P>(field);
}

#[test]
fn texts_without_towers_come_back_or_are_refused() {
    both::<Russian>(random::PLAIN);
    both::<Poddavki>(random::PLAIN);
    both::<Spantsireti>(random::WIDE);
}

#[test]
fn texts_of_towers_come_back_or_are_refused() {
    both::<Bashni>(random::TOWERS);
    both::<BashniIm>(random::TOWERS);
}

#[test]
fn texts_of_two_boards_come_back_or_are_refused() {
    both::<Vigman>(random::TWO);
    both::<VigmanFree>(random::TWO);
}

fn in_every_variant(text: &str) {
    read_or_refused::<Russian>(text);
    read_or_refused::<Poddavki>(text);
    read_or_refused::<Spantsireti>(text);
    read_or_refused::<Bashni>(text);
    read_or_refused::<BashniIm>(text);
    read_or_refused::<Vigman>(text);
    read_or_refused::<VigmanFree>(text);
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 2_000, failure_persistence: None, rng_seed: RngSeed::Fixed(6), ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_text_makes_a_reader_panic(text in ".{0,40}") {
        in_every_variant(&text);
    }

    #[test]
    fn no_text_of_the_right_letters_makes_a_reader_panic(text in "[WBKCHNRFwbkxXa-k0-9=:,. -]{0,40}") {
        in_every_variant(&text);
    }

    #[test]
    fn no_text_of_the_right_shape_makes_a_reader_panic(
        text in "[WB]:W(K?[a-k][1-9][wbWB]{0,3},?){0,6}:B(K?[a-k][1-9][wbWB]{0,3},?){0,6}(:C[a-k][1-8]x[a-k][1-8])?\
                 (:N2)?(:R(dark|light)=[wbd])?",
    ) {
        in_every_variant(&text);
    }
}
