//! Game records as they are read: every way of writing them, and every way of getting them wrong.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use std::io::{self, Read};

use common::full;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use shashki::board::Side;
use shashki::for_variant;
use shashki::games::pdn::{self, Fault, Reader, Record};
use shashki::games::{
    Bashni, Game, Outcome, Poddavki, Position, Preset, Reason, Russian, Spantsireti, Variant, Vigman, VigmanFree,
};

fn texts(file: impl AsRef<[u8]>) -> Vec<pdn::GameText> {
    Reader::new(file.as_ref()).collect::<io::Result<_>>().unwrap()
}

fn all<P: Position>(file: impl AsRef<[u8]>) -> Vec<Result<pdn::Read<P>, Fault>> {
    texts(file).iter().map(pdn::GameText::read).collect()
}

/// The one game of a file, which must have no fault.
fn one<P: Position>(file: impl AsRef<[u8]>) -> pdn::Read<P> {
    let mut games = all(file);
    assert_eq!(games.len(), 1);
    games.remove(0).unwrap()
}

fn turns<P: Position>(file: impl AsRef<[u8]>) -> Vec<String> {
    one::<P>(file).record.turns.iter().map(ToString::to_string).collect()
}

/// The fault of a file's first game: its line and what it says.
fn fault<P: Position>(file: impl AsRef<[u8]>) -> (usize, String) {
    let fault = all::<P>(file).remove(0).unwrap_err();
    assert_eq!(fault.game, 1);
    (fault.line, fault.reason)
}

fn moves<P: Position>(read: &pdn::Read<P>) -> String {
    read.record.to_string().split_once("\n\n").unwrap().1.trim().to_owned()
}

/// A random game from its start to its end, or to a resignation.
fn played<P: Position>(rng: &mut Xoshiro256PlusPlus, number: usize) -> Record<P> {
    let presets: Vec<_> = Preset::ALL.into_iter().filter(|&preset| P::draws(preset).is_some()).collect();
    let preset = presets[rng.random_range(0..presets.len())];
    let mut start = Game::<P>::new(preset).unwrap();
    if number % 3 == 2 {
        walk(&mut start, rng, 40);
    }
    let mut game = Game::from_position(*start.position(), preset).unwrap();
    let mut record = Record::new(*game.position(), preset);
    record.set_tag("White", "Игрок \"первый\" \\ ½");
    record.set_tag("Round", number.to_string());
    record.set_tag("TimeControl", "180+2");
    let limit = if number % 5 == 4 { rng.random_range(0..60) } else { usize::MAX };
    record.turns = walk(&mut game, rng, limit);
    let winner = Side::BOTH[number % 2];
    record.outcome = match number % 10 {
        _ if game.outcome().is_some() => game.outcome(),
        4 => None,
        _ => Some(Outcome { winner: Some(winner), reason: Reason::Resignation }),
    };
    for at in 0..record.turns.len() {
        if rng.random_range(0..20) == 0 {
            record
                .comments
                .push((at, format!("[%clk 0:{at:02}:00] a remark; (not a variation) {at}. a3-b4 [Event \"x\"] 2-0")));
            record.nags.push((at, rng.random_range(1..=9)));
        }
    }
    record
}

fn walk<P: Position>(game: &mut Game<P>, rng: &mut Xoshiro256PlusPlus, limit: usize) -> Vec<shashki::games::Turn> {
    let mut hops = Vec::new();
    let mut list = Vec::new();
    let mut path = Vec::new();
    let before = game.clone();
    while game.outcome().is_none() && list.len() < limit {
        game.hops(&mut hops);
        let hop = hops[rng.random_range(0..hops.len())];
        path.push(hop);
        if game.play_unchecked(hop).turn_over {
            list.push(());
        }
    }
    before.turns_of(path)
}

#[test]
fn self_played_games_of_every_variant_come_back_byte_for_byte() {
    let full = full();
    let count = if full { 10_000 } else { 50 };
    for &variant in Variant::ALL {
        for_variant!(variant, P => {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
            for number in 0..count {
                let written = played::<P>(&mut rng, number).to_string();
                let text = texts(&written);
                assert_eq!(text.len(), 1, "{written}");
                assert_eq!(text[0].variant(None), Ok(variant), "{written}");
                let read = text[0].read::<P>().unwrap_or_else(|fault| panic!("{fault}\n{written}"));
                assert_eq!(read.warnings, [], "{written}");
                let once = read.record.to_string();
                // Remarks and marks within the pair of turns that one side plays running move behind it.
                if variant.name() != "vigman-free" {
                    assert_eq!(once, written);
                }
                assert_eq!(one::<P>(&once).record.to_string(), once);
            }
            if full {
                println!("pdn: {count} games of {variant} come back byte for byte");
            }
        });
    }
}

#[test]
fn the_record_without_blanks_behind_a_question_mark_reads_as_it_stands() {
    let read = one::<Russian>("1. e3-d4 d6-c5 2. g3-f4?c5:e3:g5 3. ...");
    assert_eq!(moves(&read), "1. e3-d4 d6-c5 2. g3-f4 $2 c5:e3:g5 *");
    assert_eq!(read.record.outcome, None);
}

#[test]
fn move_numbers_are_read_in_every_form() {
    for text in [
        "1. c3-d4 d6-c5 2. b2-c3 *",
        "1.c3-d4 d6-c5 2.b2-c3 *",
        "1 c3-d4 d6-c5 2 b2-c3 *",
        "1. c3-d4 1... d6-c5 2. b2-c3 *",
        "1. c3-d4 1. ... d6-c5 2. b2-c3 3. ... *",
        "1.c3-d4 1...d6-c5 2.b2-c3*",
        "c3-d4 d6-c5 b2-c3",
        "1. c3d4 d6c5 2. B2-C3 *",
        "1…c3-d4 d6-c5\u{a0}2.\u{a0}b2-c3 … *",
        "% a line for other programs\n1. с3–d4 d6—с5 2. b2−c3 *",
    ] {
        // The ninth has a number and its stops in one word, which only a blank parts from the turn.
        let text = text.replace("1…c3", "1… c3");
        assert_eq!(turns::<Russian>(&text), ["c3-d4", "d6-c5", "b2-c3"], "{text}");
    }
}

#[test]
fn captures_are_read_short_and_in_full_with_either_mark() {
    for capture in ["c5:e3:g5", "c5xe3xg5", "c5:g5", "c5xg5", "c5×g5", "C5:E3:G5", "c5g5", "c5e3g5"] {
        let file = format!("1. e3-d4 d6-c5 2. g3-f4 {capture} *");
        assert_eq!(turns::<Russian>(&file)[3], "c5:e3:g5", "{capture}");
    }
    let (line, reason) = fault::<Russian>("1. e3-d4 d6-c5 2. g3-f4 c5-g5 *");
    assert!(line == 1 && reason.contains("a capture is written c5:e3:g5"), "{reason}");
}

#[test]
fn an_ambiguous_capture_names_the_turns_it_fits() {
    let (_, reason) = fault::<Russian>("[FEN \"W:Wc1:Bd2,f4,b2,b4,d6,d4,f6\"]\n1. c1:e7 *");
    assert!(reason.contains("c1:"), "{reason}");
}

#[test]
fn remarks_marks_and_variations_do_not_change_the_main_line() {
    let read = one::<Russian>(
        "{before} 1. c3-d4!! $14 {[%clk 0:01:02]} (1. g3-h4? {bad ) (1. a3-b4 2-0)} f6-g5 (1... b6-a5 ; odd )\n) 2. h4:f6) \
         d6-c5 (?) ; to the end of the line 2. zzz\n2. b2-c3?! {(} $255 f6-g5 2-0 {White won}",
    );
    let words: Vec<_> = read.record.turns.iter().map(ToString::to_string).collect();
    assert_eq!(words, ["c3-d4", "d6-c5", "b2-c3", "f6-g5"]);
    assert_eq!(read.record.nags, [(1, 3), (1, 14), (2, 2), (3, 6), (3, 255)]);
    let comments: Vec<_> = read.record.comments.iter().map(|(at, text)| (*at, text.as_str())).collect();
    assert_eq!(
        comments,
        [
            (0, "before"),
            (1, "[%clk 0:01:02]"),
            (1, "(1. g3-h4? {bad ) (1. a3-b4 2-0)} f6-g5 (1... b6-a5 ; odd ) ) 2. h4:f6)"),
            (2, "to the end of the line 2. zzz"),
            (3, "("),
            (4, "White won"),
        ]
    );
    let once = read.record.to_string();
    assert_eq!(one::<Russian>(&once).record.to_string(), once);
}

#[test]
fn every_result_is_read() {
    let white = Some(Some(Side::White));
    let black = Some(Some(Side::Black));
    for (word, winner, written) in [
        ("1-0", white, "2-0"),
        ("0-1", black, "0-2"),
        ("1/2-1/2", Some(None), "1-1"),
        ("2-0", white, "2-0"),
        ("0-2", black, "0-2"),
        ("1-1", Some(None), "1-1"),
        ("*", None, "*"),
        ("0-0", None, "0-0"),
        ("", None, "*"),
    ] {
        for file in [format!("1. c3-d4 {word}"), format!("[Result \"{word}\"]\n\n1. c3-d4 *")] {
            let read = one::<Russian>(&file);
            assert_eq!(read.record.outcome.map(|outcome| outcome.winner), winner, "{file}");
            assert_eq!(read.record.result(), written, "{file}");
            assert_eq!(one::<Russian>(read.record.to_string()).record.result(), written);
        }
    }
    for word in ["4-0", "3-1", "2-2", "1-3", "0-4"] {
        let read = one::<Vigman>(format!("1. a3-b4/b3-a4 {word}"));
        assert_eq!(read.record.result(), word);
        assert_eq!(one::<Vigman>(read.record.to_string()).record.result(), word);
        assert!(fault::<Russian>(format!("1. c3-d4 {word}")).1.starts_with(&format!("result {word}: expected 2-0")));
    }
    assert_eq!(one::<Vigman>("1. a3-b4/b3-a4 1-0").record.result(), "4-0");
}

#[test]
fn a_result_that_the_last_position_contradicts_is_a_fault() {
    let won = |result: &str| format!("[FEN \"W:Wc3:Bd4\"]\n\n1. c3:e5 {result}");
    for result in ["2-0", "1-0", "*", ""] {
        let record = one::<Russian>(won(result)).record;
        assert_eq!(record.outcome, Some(Outcome { winner: Some(Side::White), reason: Reason::NoMove }), "{result}");
    }
    let (line, reason) = fault::<Russian>(won("0-2"));
    assert_eq!((line, reason.as_str()), (3, "result 0-2: expected 2-0, for black to move has no move left"));
    assert!(fault::<Russian>(won("1-1")).1.contains("expected 2-0"));
    assert!(fault::<Russian>(won("0-0")).1.contains("expected 2-0"));
    assert!(fault::<Poddavki>(won("2-0")).1.contains("expected 0-2"));
    let (line, reason) = fault::<Russian>("[Result \"2-0\"]\n\n1. c3-d4\n0-2");
    assert_eq!((line, reason.as_str()), (4, "the moves end with 0-2, but the tag Result says 2-0"));
    let (_, reason) = fault::<Russian>("[FEN \"W:Wc3:Bd4\"]\n\n1. c3:e5 f6-g5 2-0");
    assert!(reason.contains("there is no legal turn"), "{reason}");
}

#[test]
fn the_end_is_what_the_termination_says_where_it_can_be() {
    let end = |termination: &str, result: &str| {
        let read = one::<Russian>(format!("[Termination \"{termination}\"]\n\n1. c3-d4 {result}"));
        (read.record.outcome.map(|outcome| outcome.reason), read.warnings.len())
    };
    assert_eq!(end("time", "2-0"), (Some(Reason::Time), 0));
    assert_eq!(end("Time forfeit", "2-0"), (Some(Reason::Time), 0));
    assert_eq!(end("normal", "0-1"), (Some(Reason::Resignation), 0));
    assert_eq!(end("turn limit", "1-1"), (Some(Reason::TurnLimit), 0));
    assert_eq!([end("tables", "1-1"), end("tables", "2-0")], [(Some(Reason::Tables), 0); 2]);
    assert_eq!(end("normal", "1/2-1/2"), (Some(Reason::Agreement), 0));
    assert_eq!(end("no move", "2-0"), (Some(Reason::Resignation), 1));
    assert_eq!(end("resignation", "1-1"), (Some(Reason::Agreement), 1));
    assert_eq!(end("unterminated", "*"), (None, 0));
}

#[test]
fn a_game_that_goes_on_behind_a_draw_is_read_with_a_warning() {
    let cycle = "e1-d2 d8-e7 d2-e1 e7-d8 ";
    let file = format!("[FEN \"W:WKe1:BKd8\"]\n\n{} 2-0", cycle.repeat(3));
    let read = one::<Russian>(&file);
    assert_eq!(read.record.turns.len(), 12);
    assert_eq!(read.warnings.len(), 1);
    let reason = &read.warnings[0].reason;
    assert!(reason.contains("the game is over by the draw rules official (draw: repetition), yet goes on"), "{reason}");
    // The same result where the draw comes at the very end.
    let file = format!("[FEN \"W:WKe1:BKd8\"]\n\n{} 2-0", cycle.repeat(2));
    let read = one::<Russian>(&file);
    assert!(read.warnings[0].reason.contains("it is a draw: repetition"), "{:?}", read.warnings);
    let drawn = one::<Russian>(file.replace("2-0", "1-1"));
    assert_eq!((drawn.record.outcome.unwrap().reason, drawn.warnings.len()), (Reason::Repetition, 0));
}

#[test]
fn the_variant_is_what_the_tags_name() {
    let variant = |tags: &str| texts(format!("{tags}\n\n*"))[0].variant(None);
    assert_eq!(variant("[GameType \"25\"]"), Ok(Variant::Russian));
    assert_eq!(variant("[GameType \"25,W,8,8,A0,0\"]"), Ok(Variant::Russian));
    assert_eq!(variant("[GameType \"41,W,10,8,N2,0\"]"), Ok(Variant::Spantsireti));
    assert_eq!(variant("[Variant \"Bashni-IM\"]"), Ok(Variant::BashniIm));
    assert_eq!(variant("[GameType \"25\"]\n[Variant \"poddavki\"]"), Ok(Variant::Poddavki));
    assert_eq!(variant("[GameType \"25\"]\n[Variant \"From Position\"]"), Ok(Variant::Russian));
    for tags in ["[Event \"x\"]", "[GameType \"20\"]", "[GameType \"\"]", "[Variant \"chess\"]"] {
        assert!(variant(tags).is_err(), "{tags}");
    }
    let reason = variant("[GameType \"20\"]").unwrap_err().reason;
    assert!(reason.contains("GameType \"20\": expected GameType 25 (russian), 41 (spantsireti) or Variant russian"));
    assert!(fault::<Russian>("[GameType \"41\"]\n\n*").1.contains("a game of spantsireti, expected one of russian"));
    assert_eq!(texts("*")[0].variant(Some(Variant::Vigman)), Ok(Variant::Vigman));
}

#[test]
fn numbers_begin_where_the_game_type_says() {
    let first = |game_type: &str, turn: &str| turns::<Russian>(format!("[GameType \"{game_type}\"]\n\n1. {turn} *"));
    // c3-d4 counted from each of the four corners.
    for (notation, turn) in [("N2", "22-18"), ("N0", "10-14"), ("N1", "11-15"), ("N3", "23-19")] {
        assert_eq!(first(&format!("25,W,8,8,{notation},0"), turn), ["c3-d4"], "{notation}");
    }
    // By names, yet written in numbers: the variant's own, or from the corner named.
    assert_eq!(first("25,W,8,8,A0,0", "22-18"), ["c3-d4"]);
    assert_eq!(first("25,W,8,8,A0,0", "10-14"), ["c3-d4"]);
    assert_eq!(first("25", "22-18"), ["c3-d4"]);
    assert_eq!(first("25", "2218"), ["c3-d4"]);
    assert_eq!(turns::<Spantsireti>("[GameType \"41\"]\n1. 27-22 12-17 *"), ["c3-d4", "d6-c5"]);
    assert_eq!(turns::<Spantsireti>("[GameType \"41\"]\n1. e3-d4 *"), ["e3-d4"]);
    assert!(fault::<Russian>("1. 22-33 *").1.contains("expected a square number up to 32, found 33"));
}

#[test]
fn vigmans_turns_are_pairs_and_the_free_ones_are_two() {
    let file = "[Variant \"vigman\"]\n\n1. a3-b4/b3-a4 g6-f5/b6-a5 *";
    assert_eq!(turns::<Vigman>(file.replace("g6-f5/b6-a5", "b6-a5/a6-b5")), ["a3-b4/b3-a4", "b6-a5/a6-b5"]);
    // The light move may stand first.
    assert_eq!(turns::<Vigman>(file.replace("g6-f5/b6-a5", "a6-b5/b6-a5"))[1], "b6-a5/a6-b5");
    let free = one::<VigmanFree>("[Variant \"vigman-free\"]\n\n1. a3-b4/b4-c5 d6:b4/b6-a5 *");
    assert_eq!(free.record.turns.len(), 4);
    assert_eq!(moves(&free), "1. a3-b4/b4-c5 d6:b4/b6-a5 *");
    assert_eq!(turns::<VigmanFree>("[Variant \"vigman-free\"]\n\n1. a3-b4 *").len(), 1);
    let (_, reason) = fault::<VigmanFree>("[Variant \"vigman-free\"]\n\n1. a3-b4/b4-c5/d6:b4 *");
    assert!(reason.contains("white's turn no more"), "{reason}");
    let (_, reason) = fault::<Russian>("1. c3-d4/d6-c5 *");
    assert!(reason.contains("white's turn no more"), "{reason}");
}

#[test]
fn the_halves_of_a_board_go_on_alone_once_the_other_is_drawn() {
    // On the light squares both kings go to and fro until the third time; on the dark ones men go on.
    let light = ["/f1-e2", "/c8-d7", "/e2-f1", "/d7-c8"];
    let dark = ["a1-b2", "b8-a7", "b2-a3", "a7-b6", "a3-b4", "h8-g7", "g1-h2", "g7-h6"];
    let mut game = Game::from_position(Vigman::read_fen("W:Wa1,g1,Kf1:Bb8,h8,Kc8").unwrap(), Preset::Official).unwrap();
    let mut record = Record::new(*game.position(), Preset::Official);
    for (dark, light) in dark.iter().zip(light.iter().cycle()) {
        record.turns.push(game.play_text(&format!("{dark}{light}")).unwrap());
    }
    record.turns.extend(["b4-c5", "b6:d4", "h2-g3"].map(|turn| game.play_text(turn).unwrap()));
    let read = one::<Vigman>(record.to_string());
    assert!(moves(&read).ends_with("4. g1-h2/e2-f1 g7-h6/d7-c8 5. b4-c5 b6:d4 6. h2-g3 *"), "{}", moves(&read));
    assert_eq!(read.record.to_string(), record.to_string());
}

#[test]
fn towers_are_set_up_and_taken() {
    let read = one::<Bashni>("[Variant \"bashni\"]\n[FEN \"W:Wc3wbb:Bd4bw,f6b\"]\n\n1. c3:g7 2-0");
    assert_eq!(read.record.turns[0].to_string(), "c3:e5:g7");
}

#[test]
fn texts_in_windows_1251_are_read_beside_utf_8() {
    let mut file = "[White \"Саргин\"]\n\n1. c3-d4 {хорошо} *\n\n[Black \"".as_bytes().to_vec();
    file.extend([0xD1, 0xE0, 0xF0, 0xE3, 0xE8, 0xED]);
    file.extend(b"\"]\r\n\r\n1. c3-d4 {");
    file.extend([0xF5, 0xEE, 0xF0, 0xEE, 0xF8, 0xEE]);
    file.extend(b"}\xA0d6\x96c5 2. b2-c3\x85 *\r\n");
    let games = all::<Russian>(&file);
    let [first, second] = games.as_slice() else { panic!("{games:?}") };
    let (first, second) = (&first.as_ref().unwrap().record, &second.as_ref().unwrap().record);
    assert_eq!((first.tag("White"), first.comments[0].1.as_str()), (Some("Саргин"), "хорошо"));
    assert_eq!((second.tag("Black"), second.comments[0].1.as_str()), (Some("Саргин"), "хорошо"));
    assert_eq!(second.turns.len(), 3);
}

#[test]
fn line_ends_and_a_byte_order_mark_make_no_difference() {
    let file =
        "[White \"a\"]\n[Black \"b\"]\n\n1. c3-d4 ; remark\nd6-c5 {two\nlines}\n*\n\n[White \"c\"]\n\n1. c3-d5 *\n";
    let shown = |file: String| {
        let games = all::<Russian>(file);
        games
            .iter()
            .map(|game| game.as_ref().map_or_else(Fault::to_string, |read| read.record.to_string()))
            .collect::<Vec<_>>()
    };
    let plain = shown(file.to_owned());
    assert!(plain[1].starts_with("game 2, line 11: turn \"c3-d5\": not legal"), "{}", plain[1]);
    for other in
        [file.replace('\n', "\r\n"), file.replace('\n', "\r"), format!("\u{feff}{file}"), format!("\n\n \t\n{file}")]
    {
        let other = shown(other);
        assert_eq!(other[0], plain[0]);
        assert_eq!(other[1].split(": ").last(), plain[1].split(": ").last());
    }
    assert!(fault::<Russian>(b"\xFF\xFE[\0E\0").1.contains("UTF-16"));
}

#[test]
fn a_file_holds_several_games_with_and_without_tags() {
    let games =
        all::<Russian>("1. c3-d4 d6-c5 2-0 {first}\n1. a3-b4 * 1. g3-h4 b6-a5 0-2 ; third\n\n[White \"d\"] 1. c3-d4 *");
    let counts: Vec<_> = games.iter().map(|game| game.as_ref().unwrap().record.turns.len()).collect();
    assert_eq!(counts, [2, 1, 2, 1]);
    assert_eq!(games[0].as_ref().unwrap().record.comments, [(2, "first".to_owned())]);
    // Games of tags alone, and an asterisk that parts games behind their results.
    assert_eq!(texts("[Event \"a\"]\n[Result \"2-0\"]\n\n[Event \"b\"]\n[Result \"1-1\"]\n").len(), 2);
    assert_eq!(texts("[Event \"a\"]\n\n[White \"b\"]\n\n1. c3-d4 2-0\n*\n[Event \"c\"]\n1. c3-d4 *").len(), 2);
    for empty in ["", " \r\n\t\n", "\u{feff}", "; nothing\n{at all}\n% here"] {
        assert_eq!(texts(empty).len(), 0, "{empty:?}");
    }
}

#[test]
fn tags_are_read_as_people_write_them() {
    let read = one::<Russian>(
        "[white \"Ivan \"the Great\" Petrov\"]\n[Black \"a \\\"b\\\" \\\\ c\"] [Site \"C:\\games\\\"]\n[ Event  \"x]\"  ]\n\
         [Odd \"[1] \\x\"]\n[Setup \"1\"]\n[fen \"B:Wa1:Bh8\"]\n[Round \"1\"]\n[Round \"2\"]\n\n1. ... *",
    );
    let record = &read.record;
    assert_eq!(record.tag("White"), Some("Ivan \"the Great\" Petrov"));
    assert_eq!(record.tag("Black"), Some("a \"b\" \\ c"));
    assert_eq!(record.tag("Site"), Some("C:\\games\\"));
    assert_eq!(record.tag("Event"), Some("x]"));
    assert_eq!(record.tag("Odd"), Some("[1] \\x"));
    assert_eq!(record.tag("Round"), Some("2"));
    assert_eq!(record.start.side(), Side::Black);
    assert!(!record.to_string().contains("Setup"));
    assert_eq!(read.warnings.len(), 1, "{:?}", read.warnings);
}

#[test]
fn unknown_draw_rules_are_a_warning_and_known_ones_are_kept() {
    assert_eq!(one::<Russian>("[Draws \"lidraughts\"]\n\n*").record.preset, Preset::Lidraughts);
    let read = one::<Bashni>("[Draws \"lidraughts\"]\n\n*");
    assert_eq!((read.record.preset, read.warnings.len()), (Preset::Official, 1));
    assert_eq!(one::<Russian>("[Draws \"none\"]\n\n*").warnings[0].line, 1);
}

/// A broken game between two good ones, the line of its fault and words of it.
const BROKEN: &[(&str, usize, &str)] = &[
    ("[White \"b\n\n1. c3-d4 *", 5, "tag White: expected \"] before the end of the line"),
    ("[White b]\n[Black \"x\"]\n\n1. c3-d4 *", 5, "expected a tag like [White \"Petrov\"]"),
    ("[\"White\" \"b\"]\n\n1. c3-d4 *", 5, "expected a tag like"),
    ("[]\n[Black \"x\"]\n1. c3-d4 *", 5, "expected a tag like"),
    ("[White \"b\"]\n\n1. c3-d4 {no end\n2. *", 7, "comment without an end, expected }"),
    ("[White \"b\"]\n\n1. c3-d4 (1. a3-b4 (1. g3-h4)\n *", 7, "variation without an end, expected )"),
    ("[White \"b\"]\n\n1. c3-d4 (1. a3-b4 {)} \n *", 7, "variation without an end, expected )"),
    ("[White \"b\"]\n\n1. c3-d4 ) *", 7, "expected a turn or a result, found ')'"),
    ("[White \"b\"]\n\n1. c3-d4 } d6-c5 *", 7, "expected a turn or a result, found '}'"),
    ("[White \"b\"]\n\n1. c3-d4\n] *", 8, "expected a turn or a result, found ']'"),
    ("[White \"b\"]\n\n1. c3-d4 $256 *", 7, "mark $256: expected $0 to $255"),
    ("[White \"b\"]\n\n1. c3-d4 $ *", 7, "mark $: expected $0"),
    ("[White \"b\"]\n\n1. c3-d4\nd6-c4 *", 8, "turn \"d6-c4\": not legal, expected one of b6-a5"),
    ("[White \"b\"]\n\n1. c3-e9 *", 7, "expected squares like c3-d4"),
    ("[White \"b\"]\n\n1. c3 d4 *", 7, "turn \"c3\": expected at least two squares"),
    ("[White \"b\"]\n\n1. - - *", 7, "turn \"-\""),
    ("[White \"b\"]\n\nsome words that are no game", 7, "turn \"some\""),
    ("[White \"b\"]\n\n1. c3-d4 d6-c5 3-0", 7, "turn \"3-0\""),
    ("[White \"b\"]\n[FEN \"W:Wa1\"]\n\n*", 6, "no section for black"),
    ("[White \"b\"]\n[FEN \"W:Wa2:Bb8\"]\n\n*", 6, "a2"),
    ("[White \"b\"]\n[GameType \"20\"]\n\n1. 32-28 *", 6, "GameType \"20\": expected GameType 25"),
    ("[White \"b\"]\n[Result \"2-0\"]\n\n1. c3-d4 0-2", 8, "the moves end with 0-2, but the tag Result says 2-0"),
    ("[White \"\u{0}\"]\n\n1. c3-d4 \u{1}\u{7f} *", 7, "turn \"\\u{1}\\u{7f}\""),
];

#[test]
fn a_broken_game_is_reported_and_the_others_are_read() {
    for (broken, line, words) in BROKEN {
        let file = format!("[White \"a\"]\n\n1. c3-d4 2-0\n\n{broken}\n\n[White \"c\"]\n\n1. c3-d4 d6-c5 *\n");
        let games = all::<Russian>(&file);
        let [first, second, third] = games.as_slice() else { panic!("{} games in {file}", games.len()) };
        assert_eq!(first.as_ref().unwrap().record.tag("White"), Some("a"));
        assert_eq!(third.as_ref().unwrap().record.tag("White"), Some("c"));
        let fault = second.as_ref().unwrap_err();
        assert_eq!((fault.game, fault.line), (2, *line), "{fault}\n{file}");
        assert!(fault.reason.contains(words), "{fault}");
        assert_eq!(fault.to_string().lines().count(), 1);
    }
}

/// A source that is never in memory as a whole: it makes its games as they are asked for, and counts.
struct Endless<'a> {
    game: &'a [u8],
    at: usize,
    given: usize,
    total: usize,
    /// How many bytes were given by when the test last looked.
    seen: &'a std::cell::Cell<usize>,
}

impl Read for Endless<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = out.len().min(self.game.len() - self.at).min(self.total - self.given);
        out[..n].copy_from_slice(&self.game[self.at..self.at + n]);
        self.at = (self.at + n) % self.game.len();
        self.given += n;
        self.seen.set(self.given);
        Ok(n)
    }
}

#[test]
fn a_large_file_is_read_as_a_stream() {
    let game = played::<Russian>(&mut Xoshiro256PlusPlus::seed_from_u64(3), 0).to_string();
    let seen = std::cell::Cell::new(0);
    let count = 100_000_000 / game.len();
    let total = count * game.len();
    let source = Endless { game: game.as_bytes(), at: 0, given: 0, total, seen: &seen };
    let mut games = 0;
    for text in Reader::new(source) {
        text.unwrap();
        games += 1;
        // What was read ahead of the games found is one buffer at most.
        assert!(seen.get() <= games * game.len() + 65_536, "{games} games, {} bytes", seen.get());
    }
    assert_eq!(games, count);
}

#[test]
fn an_error_of_the_source_ends_the_reading() {
    struct Failing(usize);
    impl Read for Failing {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            self.0 += 1;
            match self.0 {
                1 => Err(io::Error::from(io::ErrorKind::Interrupted)),
                2 => b"[White \"a\"] * [White \"b\"] 1. c3".as_slice().read(out),
                _ => Err(io::Error::other("the disk is gone")),
            }
        }
    }
    let mut reader = Reader::new(Failing(0));
    assert_eq!(reader.next().unwrap().unwrap().tag("White"), Some("a"));
    assert_eq!(reader.next().unwrap().unwrap_err().to_string(), "the disk is gone");
    assert!(reader.next().is_none());
}

/// Reads whatever there is in every way; answers the number of games.
fn read_anyhow(bytes: &[u8], limit: usize) -> usize {
    let mut count = 0;
    for (text, number) in Reader::with_limit(bytes, limit).zip(1..) {
        let text = text.unwrap();
        count = number;
        assert_eq!(text.number(), number);
        let variant = text.variant(Some(Variant::Russian)).unwrap_or(Variant::Russian);
        for_variant!(variant, P => match text.read::<P>() {
            Ok(read) => {
                let once = read.record.to_string();
                let again = one::<P>(&once).record.to_string();
                assert_eq!(once, again);
            }
            Err(fault) => {
                let lines = bytes.iter().filter(|byte| b"\r\n".contains(byte)).count();
                assert!(fault.game == number && (1..=lines + 1).contains(&fault.line), "{fault}");
            }
        });
    }
    count
}

fn good_file() -> Vec<u8> {
    let mut file = String::new();
    for &variant in Variant::ALL {
        for_variant!(variant, P => {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(11);
            let mut record = played::<P>(&mut rng, 14);
            record.turns.truncate(6);
            record.comments.truncate(1);
            record.outcome = None;
            file += &record.to_string();
        });
    }
    file.into_bytes()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400), limit in 1_usize..300) {
        read_anyhow(&bytes, limit);
        read_anyhow(&bytes, pdn::LIMIT);
    }

    #[test]
    fn any_pieces_of_games_are_read_without_a_panic(
        pieces in proptest::collection::vec(proptest::sample::select(vec![
            "[", "]", "\"", "{", "}", "(", ")", ";", "$", "$3", "*", "!", "?", ".", "...", "1.", "2", "\n", "\n\n", " ", "\r", "%",
            "\\", "c3-d4", "d6-c5", "22-18", "c5:g5", "a3-b4/b3-a4", "2-0", "0-2", "3-1", "1/2-1/2", "[White \"a\"]", "[Result \"2-0\"]",
            "[FEN \"W:Wc3:Bd4\"]", "[FEN \"\"]", "[Variant \"vigman\"]", "[GameType \"41\"]", "[Draws \"basic\"]", "é", "…", "/", "-", ":", "x",
        ]), 0..60),
    ) {
        read_anyhow(pieces.concat().as_bytes(), pdn::LIMIT);
    }

    #[test]
    fn a_good_file_with_bytes_changed_is_read_without_a_panic(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0_u8..4), 1..12),
    ) {
        let mut file = good_file();
        for (place, byte, how) in changes {
            let at = place.index(file.len().max(1));
            if file.is_empty() {
                continue;
            }
            match how {
                0 => file[at] = byte,
                1 => file.insert(at, byte),
                2 => drop(file.remove(at)),
                _ => file.truncate(at.max(1)),
            }
        }
        read_anyhow(&file, pdn::LIMIT);
    }
}
