//! Draws and other ends of a game: every rule, its boundary and what restarts it, in all presets.

#![allow(clippy::unwrap_used)]

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use shashki::Error;
use shashki::board::Side;
use shashki::games::draws::{Clock, Draws, Material};
use shashki::games::{Bashni, BashniIm, Game, Outcome, Position, Preset, Reason, Russian, Turn, Vigman, VigmanFree};

type Russians = Game<Russian>;

fn game(fen: &str, preset: Preset) -> Russians {
    Game::from_position(Russian::read_fen(fen).unwrap(), preset).unwrap()
}

fn play<P: Position>(game: &mut Game<P>, turns: &[&str]) {
    for turn in turns {
        assert_eq!(game.outcome(), None, "before {turn} on {}", game.position().write_fen());
        game.play_text(turn).unwrap();
    }
}

fn draw(reason: Reason) -> Option<Outcome> {
    Some(Outcome { winner: None, reason })
}

fn by_man(game: &Russians, turn: &Turn) -> bool {
    game.position().board().at(turn.start()).is_some_and(|piece| !piece.king)
}

/// Whether a turn may be part of a line: turns still to come after it, whether a man moved, the position after it.
type Fits<'a> = &'a dyn Fn(u32, bool, &Russian) -> bool;

/// Kings move, men stand.
const KINGS: Fits<'static> = &|_, man, _| !man;

/// Looks for a line of `plies` turns that fit, with no capture, crowning or third occurrence and nothing to capture.
fn line(game: &Russians, plies: u32, fits: Fits) -> Russians {
    fn go(game: &Russians, plies: u32, fits: Fits, rng: &mut Xoshiro256PlusPlus, budget: &mut u32) -> Option<Russians> {
        if plies == 0 {
            return Some(game.clone());
        }
        let men = game.position().material(0).men;
        let mut turns = game.turns();
        turns.shuffle(rng);
        turns.iter().filter(|turn| !turn.is_capture()).find_map(|turn| {
            *budget = budget.checked_sub(1).expect("a line that is not too hard to find");
            let mut after = game.clone();
            after.play(turn).unwrap();
            let position = after.position();
            let calm = position.can_move() && !position.must_capture() && position.material(0).men == men;
            if calm && after.occurrences() < 3 && fits(plies - 1, by_man(game, turn), position) {
                go(&after, plies - 1, fits, rng, budget)
            } else {
                None
            }
        })
    }
    go(game, plies, fits, &mut Xoshiro256PlusPlus::seed_from_u64(3), &mut 100_000).expect("a line")
}

/// Asserts that the game is drawn by `reason` at the end of a line of `plies` turns that fit, and no ply earlier.
fn drawn_after(game: &Russians, plies: u32, fits: Fits, reason: Reason) {
    let eve = line(game, plies - 1, &|left, man, p| fits(left + 1, man, p));
    assert_eq!((eve.outcome(), eve.plies_to_draw()), (None, Some(1)), "{}", game.position().write_fen());
    assert_eq!(line(&eve, 1, fits).outcome(), draw(reason), "{}", game.position().write_fen());
}

/// Eight pieces, the men on the edge where no king can take them.
const EIGHT: &str = "W:WKe1,g1,h2,a3:BKd8,h6,a7,b8";
/// Four pieces; each man has one step from edge to edge.
const FOUR: &str = "W:WKe1,g1:BKd8,b8";
const SIX: &str = "W:WKe1,g1,a3:BKd8,h6,b8";

#[test]
fn kings_alone_draw_after_15_moves_each_in_every_preset() {
    for preset in Preset::ALL {
        drawn_after(&game(EIGHT, preset), 30, KINGS, Reason::KingsOnly);
    }
}

#[test]
fn a_mans_move_restarts_the_count_of_king_moves_only() {
    let mut game = line(&game(EIGHT, Preset::Official), 20, KINGS);
    assert_eq!(game.counters(0), Clock { kings_only: 20, balance: 20, road: 0, ending: 20 });
    play(&mut game, &["a3-b4"]);
    assert_eq!(game.counters(0), Clock { kings_only: 0, balance: 21, road: 0, ending: 21 });
}

#[test]
fn a_capture_and_a_crowning_restart_the_counts() {
    let mut game = line(&game("W:WKe1,a7:BKd8,h6", Preset::Official), 8, KINGS);
    play(&mut game, &["a7-b8"]);
    assert_eq!(game.counters(0), Clock { kings_only: 0, balance: 0, road: 0, ending: 9 });
    let mut game = self::game("W:WKe1,a1:BKd8,h6,b4", Preset::Official);
    play(&mut game, &["e1:a5"]);
    assert_eq!((game.counters(0), game.outcome()), (Clock::default(), None));
}

#[test]
fn king_moves_alone_decide_before_4_to_7_pieces_except_on_lidraughts() {
    drawn_after(&game(FOUR, Preset::Official), 30, KINGS, Reason::KingsOnly);
    drawn_after(&game(FOUR, Preset::Basic), 30, KINGS, Reason::KingsOnly);
    drawn_after(&game(FOUR, Preset::Lidraughts), 60, KINGS, Reason::FourFive);
    drawn_after(&game(SIX, Preset::Official), 30, KINGS, Reason::KingsOnly);
    drawn_after(&game(SIX, Preset::Lidraughts), 120, KINGS, Reason::SixSeven);
}

#[test]
fn four_pieces_draw_after_30_moves_each_with_men_moving_in_between() {
    let game = line(&game("W:WKe1,c1:BKd8,f8", Preset::Official), 50, &|left, man, _| man == [0, 25].contains(&left));
    assert_eq!(game.counters(0), Clock { kings_only: 0, balance: 50, road: 0, ending: 50 });
    drawn_after(&game, 10, KINGS, Reason::FourFive);
}

#[test]
fn six_pieces_draw_after_60_moves_each_with_men_moving_in_between() {
    let men_at = |left| [0, 29, 58, 87].contains(&left);
    let game = line(&game("W:WKe1,c1,a1:BKd8,f8,h8", Preset::Official), 116, &|left, man, _| man == men_at(left));
    assert_eq!(game.counters(0), Clock { kings_only: 0, balance: 116, road: 0, ending: 116 });
    drawn_after(&game, 4, KINGS, Reason::SixSeven);
}

#[test]
fn three_kings_against_one_draw_after_15_moves_each() {
    // 7.2.5 holds at the same ply: the reports have an order.
    for preset in Preset::ALL {
        drawn_after(&game("W:WKb8,Kd8,Kc1:BKa5", preset), 30, &|_, _, p| !p.material(0).on_road[1], Reason::ThreeKings);
    }
}

#[test]
fn two_or_three_pieces_draw_after_5_moves_each() {
    for fen in ["W:WKb8,Ke1:BKa5", "W:WKb8,a3:BKh2", "W:WKb8:BKh4", "W:WKb8:BKh4,a7"] {
        for preset in [Preset::Official, Preset::Lidraughts] {
            drawn_after(&game(fen, preset), 10, KINGS, Reason::TwoThree);
        }
    }
    drawn_after(&game("W:WKb8,Ke1:BKa5", Preset::Basic), 30, KINGS, Reason::KingsOnly);
}

#[test]
fn the_ending_counts_from_the_capture_that_makes_it() {
    for preset in [Preset::Official, Preset::Lidraughts] {
        let mut game = game("B:WKe1,Kb8:BKh4,a5", preset);
        play(&mut game, &["h4-f6", "b8-a7", "f6-h4", "a7-b8", "a5-b4", "e1:a5"]);
        assert_eq!(game.counters(0), Clock::default());
        drawn_after(&game, 10, KINGS, Reason::TwoThree);
    }
}

#[test]
fn a_later_crowning_restarts_the_ending_except_on_lidraughts() {
    let after_six = |preset| {
        let mut game = line(&game("W:WKe1,a7:BKh4", preset), 6, KINGS);
        play(&mut game, &["a7-b8"]);
        game
    };
    drawn_after(&after_six(Preset::Official), 10, KINGS, Reason::TwoThree);
    drawn_after(&after_six(Preset::Lidraughts), 3, KINGS, Reason::TwoThree);
}

#[test]
fn the_first_crowning_of_a_side_starts_the_ending_in_both_presets() {
    for preset in [Preset::Official, Preset::Lidraughts] {
        let mut game = game("W:Wa7:BKh4", preset);
        play(&mut game, &["a7-b8"]);
        drawn_after(&game, 10, KINGS, Reason::TwoThree);
    }
}

#[test]
fn a_capture_within_the_ending_restarts_it_except_on_lidraughts() {
    for (preset, plies_left) in [(Preset::Official, 10), (Preset::Lidraughts, 5)] {
        let mut game = game("B:WKe1,g5:BKh2", preset);
        play(&mut game, &["h2-g1", "e1-a5", "g1-e3", "a5-e1", "e3:h6"]);
        assert_eq!(game.counters(0), Clock { kings_only: 0, balance: 0, road: 0, ending: 5 });
        drawn_after(&game, plies_left, KINGS, Reason::TwoThree);
    }
}

/// White's pieces stay off the main road, Black's king on it.
const ROAD_HELD: Fits<'static> = &|_, man, p| !man && p.material(0).holds_road[1];

/// Black's king stays off the main road.
const OFF_ROAD: Fits<'static> = &|_, man, p| !man && !p.material(0).on_road[1];

#[test]
fn a_lone_king_on_the_main_road_draws_after_5_moves_each() {
    for fen in ["W:WKb8,Kd8,Kf8:BKa1", "W:WKb8,Kd8,h4:BKa1", "W:WKb8,a3,h4:BKa1"] {
        for preset in [Preset::Official, Preset::Lidraughts] {
            drawn_after(&game(fen, preset), 10, ROAD_HELD, Reason::MainRoad);
        }
        let basic = if fen.contains("Kf8") { Reason::ThreeKings } else { Reason::KingsOnly };
        drawn_after(&game(fen, Preset::Basic), 30, ROAD_HELD, basic);
    }
}

#[test]
fn all_eleven_positions_must_have_the_road_held() {
    // The first position has a white king on the road too: White moves it away, and the count begins.
    let mut game = game("W:WKb8,Kd4,h2:BKh8", Preset::Official);
    play(&mut game, &["d4-a7"]);
    assert_eq!(game.counters(0).road, 0);
    drawn_after(&game, 10, ROAD_HELD, Reason::MainRoad);
}

#[test]
fn lidraughts_counts_plies_on_the_road_with_other_pieces_there() {
    let mut game = game("W:WKb8,Kd4,h2:BKh8", Preset::Lidraughts);
    play(&mut game, &["d4-a7"]);
    assert_eq!(game.counters(0).road, 1);
    drawn_after(&game, 9, ROAD_HELD, Reason::MainRoad);
    let mut game = self::game("W:WKb8,a1,h2:BKh8", Preset::Lidraughts);
    play(&mut game, &["b8-a7", "h8-g7"]);
    assert_eq!(game.counters(0).road, 2, "a man of White stands on the road all the time");
    let mut official = self::game("W:WKb8,a1,h2:BKh8", Preset::Official);
    play(&mut official, &["b8-a7", "h8-g7"]);
    assert_eq!(official.counters(0).road, 0);
}

#[test]
fn leaving_the_road_restarts_its_count_except_on_lidraughts() {
    // Nine plies on the road, Black leaves it, White moves, Black comes back.
    let fits: Fits = &|left, man, p| !man && p.material(0).holds_road[1] != [2, 1].contains(&left);
    let start = |preset| game("W:WKb8,Kd8,a3:BKa1", preset);
    let official = line(&start(Preset::Official), 12, fits);
    assert_eq!((official.outcome(), official.counters(0).road), (None, 0));
    drawn_after(&official, 10, ROAD_HELD, Reason::MainRoad);
    let lidraughts = line(&start(Preset::Lidraughts), 12, fits);
    assert_eq!((lidraughts.outcome(), lidraughts.counters(0).road), (draw(Reason::MainRoad), 10));
}

#[test]
fn on_lidraughts_three_pieces_off_the_road_have_30_plies() {
    drawn_after(&game("W:WKb8,Kd8,a3:BKh2", Preset::Lidraughts), 30, OFF_ROAD, Reason::MainRoad);
}

#[test]
fn the_third_occurrence_draws_and_a_set_up_position_is_the_first() {
    let cycle = ["e1-d2", "d8-e7", "d2-e1", "e7-d8"];
    for preset in Preset::ALL {
        let mut game = game(FOUR, preset);
        assert_eq!(game.occurrences(), 1);
        play(&mut game, &cycle);
        assert_eq!((game.occurrences(), game.outcome()), (2, None));
        play(&mut game, &cycle);
        assert_eq!((game.occurrences(), game.outcome()), (3, draw(Reason::Repetition)));
    }
}

#[test]
fn the_same_pieces_with_the_other_side_to_move_are_another_position() {
    let mut game = game("W:WKa1:BKh2", Preset::Official);
    // After the third ply the pieces stand as at first, with Black to move.
    play(&mut game, &["a1-c3", "h2-g1", "c3-a1", "g1-h2", "a1-d4", "h2-g1", "d4-a1"]);
    assert_eq!(game.occurrences(), 2);
    assert_eq!(game.outcome(), None);
}

#[test]
fn positions_before_a_mans_move_do_not_return() {
    let cycle = ["e1-d2", "d8-e7", "d2-e1", "e7-d8"];
    let mut game = game(FOUR, Preset::Official);
    play(&mut game, &cycle);
    play(&mut game, &["g1-h2", "b8-a7"]);
    assert_eq!(game.occurrences(), 1);
    play(&mut game, &cycle);
    assert_eq!(game.occurrences(), 2);
    play(&mut game, &cycle);
    assert_eq!(game.outcome(), draw(Reason::Repetition));
}

#[test]
fn repetition_is_reported_before_the_counts() {
    // The position after the second ply comes back at the sixth and at the tenth, when 2-3 pieces are a draw too.
    let mut game = game("W:WKa1:BKa7", Preset::Official);
    play(&mut game, &["a1-c3", "a7-g1"]);
    for _ in 0..2 {
        play(&mut game, &["c3-b4", "g1-h2", "b4-c3", "h2-g1"]);
    }
    assert_eq!((game.turns_played(), game.counters(0).balance), (10, 10));
    assert_eq!(game.outcome(), draw(Reason::Repetition));
}

#[test]
fn kings_only_is_reported_before_4_to_5_pieces() {
    let game = line(&game("W:WKe1,c1:BKd8,f8", Preset::Official), 30, &|left, man, _| man == (left == 0));
    assert_eq!(game.counters(0), Clock { kings_only: 0, balance: 30, road: 0, ending: 30 });
    drawn_after(&game, 30, KINGS, Reason::KingsOnly);
}

/// The stored game with other counters of king moves and of balance: a state that long play would lead to.
fn with_counts(game: &Russians, kings_only: u16, balance: u16) -> Russians {
    let mut bytes = game.to_bytes();
    let at = 4 + 1 + "russian".len() + 1 + 31;
    assert_eq!(bytes[at..at + 8], [0; 8], "the counters of a new game");
    bytes[at..at + 2].copy_from_slice(&kings_only.to_le_bytes());
    bytes[at + 2..at + 4].copy_from_slice(&balance.to_le_bytes());
    Game::from_bytes(&bytes).unwrap()
}

#[test]
fn a_side_without_a_move_has_lost_before_any_draw() {
    for preset in Preset::ALL {
        let mut game = with_counts(&game("W:WKe1,g3:Bh4", preset), 29, 29);
        play(&mut game, &["e1-f2"]);
        assert_eq!(game.counters(0).kings_only, 30);
        assert_eq!(game.outcome(), Some(Outcome { winner: Some(Side::White), reason: Reason::NoMove }));
    }
    // With a move left it is a draw.
    let mut game = with_counts(&game("W:WKe1,g3:Bh4,h8", Preset::Official), 29, 29);
    play(&mut game, &["e1-f2"]);
    assert_eq!(game.outcome(), draw(Reason::KingsOnly));
}

#[test]
fn counts_are_of_whole_turns() {
    let mut game = game("W:WKa1:Bb2,b4,b6,h8", Preset::Official);
    let turn = game.turns().into_iter().find(|turn| turn.hops().count() > 1).unwrap();
    for (i, hop) in turn.hops().enumerate() {
        assert_eq!((game.turns_played(), game.occurrences() > 0), (0, i == 0), "a chain is one turn");
        game.play_hop(hop).unwrap();
    }
    assert_eq!(game.turns_played(), 1);
}

/// White's tower is taken, set free again and back: two captures, and all stands as before.
fn towers_come_apart_again<P: Position>() {
    let round = ["g5:c1", "a1-c3", "e3-h6", "c3-a1", "c1-b2", "a1:d4", "h6-c1", "b2-a1", "c1-g5", "d4-e3"];
    let position = P::read_fen("B:Wa1W,e3WB:Bg5B").unwrap();
    let mut game = Game::from_position(position, Preset::Official).unwrap();
    play(&mut game, &round);
    assert_eq!((game.occurrences(), game.position()), (2, &position));
    play(&mut game, &round);
    assert_eq!((game.occurrences(), game.outcome()), (3, draw(Reason::Repetition)));
}

#[test]
fn with_towers_a_position_may_return_after_captures() {
    towers_come_apart_again::<Bashni>();
    towers_come_apart_again::<BashniIm>();
}

#[test]
fn a_game_drawn_on_one_board_goes_on_on_the_other() {
    // The dark position comes for the third time after the eighth turn; the light men have gone their way meanwhile.
    let position = Vigman::read_fen("W:WKa1,b1,h1:BKh4,a8,g8").unwrap();
    let mut game = Game::from_position(position, Preset::Basic).unwrap();
    let turns = ["a1-b2/b1-a2", "h4-g5/g8-h7", "b2-a1/h1-g2", "g5-h4/a8-b7"];
    play(&mut game, &turns);
    play(&mut game, &["a1-b2/a2-b3", "h4-g5/h7-g6", "b2-a1/g2-h3"]);
    assert_eq!((game.occurrences(), game.outcome()), (2, None));
    play(&mut game, &["g5-h4/b7-a6"]);
    assert_eq!(game.position().write_fen(), "W:WKa1,b3,h3:BKh4,a6,g6:Rdark=d");
    assert_eq!((game.outcome(), game.occurrences()), (None, 1), "a board that is over counts no more");
    play(&mut game, &["b3-a4"]);
    assert_eq!(game.plies_to_draw(), Some(30), "the count of the light board alone, which a man has restarted");
}

#[test]
fn a_turn_of_two_free_moves_is_one_ply() {
    let position = VigmanFree::read_fen("W:WKa1,Kb1:BKh4,Ka8").unwrap();
    let mut game = Game::from_position(position, Preset::Official).unwrap();
    play(&mut game, &["a1-b2"]);
    assert_eq!((game.counters(0).kings_only, game.side()), (0, Side::White));
    play(&mut game, &["b1-a2"]);
    assert_eq!((game.counters(0).kings_only, game.side()), (1, Side::Black));
    // The pieces stood as after the first move once more, but now White has both moves before them.
    let round = ["h4-g5", "g5-h4", "a2-b3", "b3-c4", "h4-g5", "g5-h4", "c4-d3", "d3-b1", "h4-g5", "g5-h4"];
    play(&mut game, &round);
    assert_eq!(game.position().write_fen(), "W:WKb1,Kb2:BKh4,Ka8");
    assert_eq!((game.occurrences(), game.outcome()), (1, None));
}

#[test]
fn an_offer_is_accepted_declined_or_passed_over() {
    let mut game = Game::<Russian>::new(Preset::Official).unwrap();
    assert!(game.accept_draw().is_err() && game.decline_draw().is_err(), "nothing is offered");
    game.offer_draw().unwrap();
    assert_eq!(game.offer(), Some(Side::White));
    play(&mut game, &["c3-d4"]);
    assert_eq!(game.offer(), Some(Side::White), "the offer stands until the other side answers");
    game.decline_draw().unwrap();
    assert_eq!((game.offer(), game.outcome()), (None, None));

    game.offer_draw().unwrap();
    play(&mut game, &["d6-c5"]);
    assert_eq!(game.offer(), Some(Side::Black));
    play(&mut game, &["b2-c3"]);
    assert_eq!(game.offer(), None, "White has played on");

    game.offer_draw().unwrap();
    game.accept_draw().unwrap();
    assert_eq!(game.outcome(), draw(Reason::Agreement));
    assert!(game.turns().is_empty());
    for refused in [game.offer_draw(), game.accept_draw(), game.decline_draw(), game.resign(Side::White)] {
        assert!(matches!(refused, Err(Error::GameOver(_))));
    }
    assert!(matches!(game.play_text("c5-b4"), Err(Error::GameOver(_))));
}

#[test]
fn the_side_that_resigns_loses() {
    for side in Side::BOTH {
        let mut game = Game::<Russian>::new(Preset::Official).unwrap();
        game.resign(side).unwrap();
        assert_eq!(game.outcome(), Some(Outcome { winner: Some(!side), reason: Reason::Resignation }));
    }
}

#[test]
fn reasons_have_the_names_of_the_reports() {
    let names = [
        "no move",
        "repetition",
        "three kings against one",
        "kings only",
        "4-5 pieces",
        "6-7 pieces",
        "2-3 pieces",
        "lone king on the main road",
        "agreement",
        "resignation",
        "time",
        "illegal",
        "turn limit",
        "sum of both games",
        "tables",
    ];
    assert_eq!(Reason::ALL.map(Reason::name), names);
}

#[test]
fn the_tightest_rule_that_pieces_start_is_told_by_how_long_they_win() {
    let tightest = |men, kings, longest, held| Draws::RUSSIAN.tightest(&Material::off_road(men, kings), longest, held);
    // Three kings against one: fifteen moves, five while it holds the main road.
    assert_eq!([tightest([0, 0], [3, 1], 30, 10), tightest([0, 0], [3, 1], 31, 10)], [None, Some(30)]);
    assert_eq!(tightest([0, 0], [1, 3], 26, 11), Some(10));
    // Two pieces against a king: five moves.
    assert_eq!([tightest([1, 0], [1, 1], 10, 0), tightest([1, 0], [1, 1], 11, 0)], [None, Some(10)]);
    // Where a side has no king, its men step.
    assert_eq!(tightest([3, 0], [0, 1], 85, 0), None);
    assert_eq!([tightest([1, 0], [2, 2], 30, 0), tightest([1, 0], [2, 2], 31, 0)], [None, Some(30)]);
    let basic = Draws::BASIC.tightest(&Material::off_road([0, 0], [2, 1]), 30, 0);
    assert_eq!(basic, None);
}
