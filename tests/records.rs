//! Game records as they are written.

#![allow(clippy::unwrap_used)]

use shashki::board::Side;
use shashki::games::pdn::Record;
use shashki::games::{Game, Outcome, Position, Preset, Reason, Russian};

fn played(fen: Option<&str>, turns: &[&str]) -> Record<Russian> {
    let start = fen.map_or_else(Russian::start, |fen| Russian::read_fen(fen).unwrap());
    let mut game = Game::from_position(start, Preset::Official).unwrap();
    let mut record = Record::new(start, Preset::Official);
    record.turns.extend(turns.iter().map(|turn| game.play_text(turn).unwrap()));
    record.outcome = game.outcome();
    record
}

fn moves(record: &Record<Russian>) -> String {
    record.to_string().split_once("\n\n").unwrap().1.to_owned()
}

#[test]
fn a_record_opens_with_the_tags_in_their_order() {
    let mut record = played(None, &["c3-d4", "d6-c5"]);
    record.set_tag("Round", "1");
    record.set_tag("White", "alphabeta:depth=4");
    record.set_tag("Round", "2");
    record.set_tag("Seed", "7");
    record.set_tag("Event", "a match");
    record.set_tag("Black", "random");
    assert_eq!(record.tag("Round"), Some("2"));
    assert_eq!(
        record.to_string(),
        "[Event \"a match\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"2\"]\n[White \"alphabeta:depth=4\"]\n\
         [Black \"random\"]\n[Result \"*\"]\n[GameType \"25,W,8,8,A0,0\"]\n[Draws \"official\"]\n[Seed \"7\"]\n\n\
         1. c3-d4 d6-c5 *\n\n"
    );
}

#[test]
fn a_set_up_position_is_a_tag_and_black_may_begin() {
    let record = played(Some("B:WKa1:BKa7"), &["a7-g1", "a1-c3", "g1-h2"]);
    let text = record.to_string();
    assert!(text.contains("[Draws \"official\"]\n[SetUp \"1\"]\n[FEN \"B:WKa1:BKa7\"]\n\n"), "{text}");
    assert_eq!(moves(&record), "1... a7-g1 2. a1-c3 g1-h2 *\n\n");
}

#[test]
fn the_start_position_with_black_to_move_is_a_set_up() {
    let mut fen = Russian::start().write_fen();
    fen.replace_range(..1, "B");
    assert!(played(Some(&fen), &["d6-c5"]).to_string().contains("[SetUp \"1\"]"));
}

#[test]
fn the_result_counts_two_points() {
    let mut record = played(Some("W:Wc3:Bd4"), &["c3:e5"]);
    let no_move = Outcome { winner: Some(Side::White), reason: Reason::NoMove };
    assert_eq!(record.outcome, Some(no_move));
    assert!(record.to_string().contains("[Result \"2-0\"]"));
    assert!(record.to_string().contains("[Termination \"no move\"]\n\n1. c3:e5 2-0\n\n"));
    record.outcome = Some(Outcome { winner: Some(Side::Black), reason: Reason::Time });
    assert!(record.to_string().contains("[Termination \"time\"]\n\n1. c3:e5 0-2\n\n"));
    record.outcome = Some(Outcome { winner: None, reason: Reason::MainRoad });
    assert!(record.to_string().contains("[Termination \"lone king on the main road\"]\n\n1. c3:e5 1-1\n\n"));
}

#[test]
fn quotes_backslashes_and_line_breaks_do_not_end_a_tag() {
    let mut record = played(None, &[]);
    record.set_tag("White", "hub:cmd=a \"b\" c\\d\ne");
    record.set_tag("Odd name]", "1");
    let text = record.to_string();
    assert!(text.contains("[White \"hub:cmd=a \\\"b\\\" c\\\\d e\"]\n"), "{text}");
    assert!(text.contains("\n[Oddname \"1\"]\n"), "{text}");
    assert!(text.ends_with("\n\n*\n\n"));
}

#[test]
fn tags_that_follow_from_the_record_cannot_contradict_it() {
    let mut record = played(None, &["c3-d4"]);
    for name in ["Result", "GameType", "FEN", "SetUp", "Draws", "Termination"] {
        record.set_tag(name, "nonsense");
    }
    assert!(!record.to_string().contains("nonsense"));
}

#[test]
fn comments_stand_behind_the_turns_played() {
    let mut record = played(None, &["c3-d4", "d6-c5", "b2-c3"]);
    record.comments = vec![(0, "opening {2 turns}".into()), (1, "seen".into()), (3, "end".into())];
    assert_eq!(moves(&record), "{opening (2 turns)} 1. c3-d4 {seen} 1... d6-c5 2. b2-c3 {end} *\n\n");
}

#[test]
fn long_games_are_wrapped_at_80_columns_and_lose_nothing() {
    let cycle = ["e1-d2", "d8-e7", "d2-e1", "e7-d8"];
    let record =
        Record { turns: [(); 20].map(|()| played(Some("W:WKe1:BKd8"), &cycle).turns).concat(), ..played(None, &[]) };
    let text = moves(&record);
    assert!(text.lines().all(|line| line.len() <= 80 && line.trim() == line), "{text}");
    assert!(text.lines().count() > 5 && text.lines().next().unwrap().len() > 70);
    let words: Vec<&str> = text.split_whitespace().filter(|word| word.contains('-')).collect();
    assert_eq!(words, cycle.repeat(20));
    let numbers: Vec<&str> = text.split_whitespace().filter(|word| word.ends_with('.')).collect();
    assert_eq!(numbers, (1..=40).map(|n| format!("{n}.")).collect::<Vec<_>>());
}
