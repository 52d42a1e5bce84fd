//! The classic engine: legal, proven against a plain minimax, deterministic, within its limits, and strong enough.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use shashki::board::{Board, Hops, Piece, Side, Square};
use shashki::games::draughts::Draughts;
use shashki::games::{Game, Position, Preset, Russian};
use shashki::player::{Player, RandomPlayer};
use shashki::search::alphabeta::{AlphaBeta, Limits, value_of};
use shashki::search::heuristic::Heuristic;

type Engine = AlphaBeta<Russian>;

fn full() -> bool {
    std::env::var_os("SHASHKI_FULL").is_some()
}

fn to_depth(depth: u32) -> Engine {
    Engine::new(Limits { depth: Some(depth), ..Limits::default() }, 16)
}

fn game(fen: &str) -> Game<Russian> {
    Game::from_position(Russian::read_fen(fen).unwrap(), Preset::Official).unwrap()
}

/// A game after some random turns from the start; never over.
fn random_opening(rng: &mut StdRng, turns: u32) -> Game<Russian> {
    let mut hops = Hops::new();
    loop {
        let mut game = Game::<Russian>::new(Preset::Official).unwrap();
        while game.outcome().is_none() && (game.turns_played() < turns || !game.position().at_turn_start()) {
            game.hops(&mut hops);
            game.play_unchecked(hops[rng.random_range(0..hops.len())]);
        }
        if game.outcome().is_none() {
            return game;
        }
    }
}

/// A random position of a few pieces, with kings and men.
fn few_pieces(rng: &mut StdRng) -> Game<Russian> {
    loop {
        let side = if rng.random_bool(0.5) { Side::White } else { Side::Black };
        let mut board = Board::<8, 8>::empty(side);
        for side in Side::BOTH {
            for _ in 0..rng.random_range(1..=3) {
                let rank = rng.random_range(0..8);
                let square = Square::new(2 * rng.random_range(0..4) + rank % 2, rank);
                let last = if side == Side::White { 7 } else { 0 };
                let king = rank == last || rng.random_bool(0.4);
                if board.at(square).is_none() {
                    board.put(square, Piece { side, king });
                }
            }
        }
        let game = Game::from_position(Draughts::from_board(board), Preset::Official).unwrap();
        if game.outcome().is_none() {
            return game;
        }
    }
}

/// Whether a side wins within so many turns whatever the other does: plain minimax, as slow as it looks.
fn forces(winner: Side, game: &Game<Russian>, within: u32) -> bool {
    if let Some(outcome) = game.outcome() {
        return outcome.winner == Some(winner);
    }
    let mut hops = Hops::new();
    game.hops(&mut hops);
    let mut holds = |hop| {
        let mut after = game.clone();
        let step = after.play_unchecked(hop);
        forces(winner, &after, within - u32::from(step.turn_over))
    };
    within > 0
        && if game.side() == winner { hops.into_iter().any(&mut holds) } else { hops.into_iter().all(&mut holds) }
}

/// The score of `a` in `pairs` openings of four random plies, each played with both colours.
fn match_score(mut a: impl Player<Russian>, mut b: impl Player<Russian>, pairs: u32, seed: u64) -> f64 {
    let mut rng = StdRng::seed_from_u64(seed);
    let (mut points, mut results) = (0.0, [0; 3]);
    for pair in 0..pairs {
        let opening = random_opening(&mut rng, 4);
        for a_side in Side::BOTH {
            let mut game = opening.clone();
            a.new_game();
            b.new_game();
            a.seed(seed + u64::from(pair));
            b.seed(seed + u64::from(pair));
            while game.outcome().is_none() {
                let turn = if game.side() == a_side { a.choose(&game) } else { b.choose(&game) }.unwrap();
                game.play(&turn).unwrap();
            }
            let (won, result) = match game.outcome().unwrap().winner {
                Some(winner) if winner == a_side => (1.0, 0),
                Some(_) => (0.0, 2),
                None => (0.5, 1),
            };
            points += won;
            results[result] += 1;
        }
    }
    let score = points / f64::from(2 * pairs);
    eprintln!("{} against {}: +{} ={} -{}, score {score:.3}", a.name(), b.name(), results[0], results[1], results[2]);
    score
}

/// What the engine says of a game: the sign of a proof and the turns until then, if it has one.
fn proof(depth: u32, game: &Game<Russian>) -> Option<(bool, u32)> {
    let best = to_depth(depth).analyse(game).unwrap().lines.swap_remove(0);
    (best.value.abs() == 1.0).then(|| {
        // The line is a real one, and ends with the win.
        let mut play = game.clone();
        best.line.iter().for_each(|turn| play.play(turn).unwrap());
        let won = best.value > 0.0;
        assert_eq!(play.outcome().unwrap().winner, Some(if won { game.side() } else { !game.side() }));
        (won, best.line.len() as u32)
    })
}

/// The fewest turns within which plain minimax proves a win or loss, up to a depth.
fn minimax_proof(depth: u32, game: &Game<Russian>) -> Option<(bool, u32)> {
    (1..=depth).find_map(|n| match () {
        () if forces(game.side(), game, n) => Some((true, n)),
        () if forces(!game.side(), game, n) => Some((false, n)),
        () => None,
    })
}

fn assert_same_proofs(game: &Game<Russian>, depth: u32) -> bool {
    let expected = minimax_proof(depth, game);
    let found = proof(depth, game);
    // Captures are played out beyond the depth, so more may be found, but then it is true.
    match found {
        Some((won, n)) if n > depth => {
            assert_eq!(expected, None, "{} to depth {depth}", game.position().write_fen());
            if n <= 6 {
                let winner = if won { game.side() } else { !game.side() };
                assert!(forces(winner, game, n), "{}: within {n}", game.position().write_fen());
            }
        }
        _ => assert_eq!(found, expected, "{} to depth {depth}", game.position().write_fen()),
    }
    expected.is_some()
}

#[test]
fn a_forced_win_is_found_iff_minimax_finds_it() {
    let mut rng = StdRng::seed_from_u64(11);
    let (mut proofs, count) = (0, if full() { 20_000 } else { 1000 });
    for n in 0..count {
        let game = few_pieces(&mut rng);
        let pieces = game.position().board().occupied().count_ones();
        let depth = if pieces <= 4 { 1 + n % 5 } else { 1 + n % 4 };
        proofs += u32::from(assert_same_proofs(&game, depth));
    }
    assert!(proofs > count / 10, "only {proofs} of {count} positions had something to find");
}

/// Few pieces after kings went to and fro, so that counters run and positions have come back; between turns, not over.
fn few_pieces_with_a_past(rng: &mut StdRng) -> Game<Russian> {
    let mut hops = Hops::new();
    loop {
        let mut game = few_pieces(rng);
        for _ in 0..rng.random_range(4..30) {
            game.hops(&mut hops);
            if hops.is_empty() {
                break;
            }
            let back = hops.iter().copied().find(|hop| {
                let mut after = *game.position();
                after.play_unchecked(*hop);
                game.keys(0).contains(&after.key())
            });
            let random = hops[rng.random_range(0..hops.len())];
            game.play_unchecked(back.filter(|_| rng.random_bool(0.6)).unwrap_or(random));
        }
        let pieces = game.position().board().occupied().count_ones();
        if game.outcome().is_none() && game.position().at_turn_start() && game.keys(0).len() > 2 && pieces <= 4 {
            return game;
        }
    }
}

#[test]
fn draws_by_repetition_and_counting_spoil_a_win_exactly_when_they_do_in_the_game() {
    let mut rng = StdRng::seed_from_u64(12);
    let (mut proofs, count) = (0, if full() { 10_000 } else { 500 });
    for n in 0..count {
        proofs += u32::from(assert_same_proofs(&few_pieces_with_a_past(&mut rng), 1 + n % 5));
    }
    assert!(proofs > count / 20, "only {proofs} of {count} positions had something to find");
}

#[test]
fn the_table_changes_no_proof_where_draws_are_near() {
    let mut rng = StdRng::seed_from_u64(20);
    let limits = Limits { depth: Some(6), ..Limits::default() };
    let (mut with, mut without) = (Engine::new(limits, 16), Engine::new(limits, 0));
    let (mut proofs, count) = (0, if full() { 3000 } else { 200 });
    for _ in 0..count {
        let game = few_pieces_with_a_past(&mut rng);
        let [one, other] = [&mut with, &mut without].map(|engine| engine.analyse(&game).unwrap().value);
        if one.abs() == 1.0 || other.abs() == 1.0 {
            proofs += 1;
            let draw = game.plies_to_draw();
            assert_eq!(one, other, "{}, a draw in {draw:?}, {:?}", game.position().write_fen(), game.keys(0));
        }
    }
    assert!(proofs > count / 20, "only {proofs} of {count} positions had something to find");
}

#[test]
fn the_nearest_win_is_played_out() {
    let mut rng = StdRng::seed_from_u64(13);
    let (mut won, mut engine) = (0, to_depth(5));
    for _ in 0..200 {
        let mut game = few_pieces(&mut rng);
        let Some((true, turns)) = proof(5, &game) else { continue };
        let winner = game.side();
        for left in (1..=turns).rev() {
            let turn = engine.choose(&game).unwrap();
            game.play(&turn).unwrap();
            assert!(game.outcome().is_some() == (left == 1) || left > 1, "the win comes in time");
            if game.outcome().is_some() {
                break;
            }
        }
        assert_eq!(game.outcome().and_then(|outcome| outcome.winner), Some(winner));
        won += 1;
    }
    assert!(won > 20, "only {won} wins to play out");
}

#[test]
fn every_answer_is_a_legal_turn() {
    let mut rng = StdRng::seed_from_u64(14);
    let mut engines = [
        to_depth(3),
        Engine::new(Limits { nodes: Some(500), ..Limits::default() }, 1),
        Engine::new(Limits { time_s: Some(0.0), ..Limits::default() }, 1),
    ];
    let mut random = RandomPlayer::new(5);
    for n in 0..30 {
        let mut game = random_opening(&mut rng, n % 6);
        while game.outcome().is_none() {
            for engine in &mut engines {
                let turn = engine.choose(&game).unwrap();
                assert!(game.turns().contains(&turn), "{turn} in {}", game.position().write_fen());
            }
            game.play(&random.choose(&game).unwrap()).unwrap();
        }
        assert!(engines[0].choose(&game).is_err(), "a game that is over has no turn");
    }
}

#[test]
fn the_rest_of_a_chain_is_chosen_within_the_chain() {
    let mut rng = StdRng::seed_from_u64(15);
    let (mut hops, mut chains, mut engine) = (Hops::new(), 0, to_depth(3));
    while chains < 50 {
        let mut game = few_pieces(&mut rng);
        while game.outcome().is_none() && game.turns_played() < 40 {
            game.hops(&mut hops);
            game.play_unchecked(hops[rng.random_range(0..hops.len())]);
            if !game.position().at_turn_start() {
                let turn = engine.choose(&game).unwrap();
                assert!(game.turns().contains(&turn));
                chains += 1;
            }
        }
    }
}

#[test]
fn equal_engines_answer_alike_whatever_they_thought_of_before() {
    let mut rng = StdRng::seed_from_u64(16);
    let (mut one, mut other) = (to_depth(4), to_depth(4));
    for engine in [&mut one, &mut other] {
        Player::<Russian>::seed(engine, 9);
    }
    for n in 0..60 {
        let game = random_opening(&mut rng, n);
        let expected = one.choose(&game).unwrap();
        other.choose(&random_opening(&mut rng, 10)).unwrap();
        assert_eq!(other.choose(&game).unwrap(), expected);
        assert_eq!(other.analyse(&game).unwrap().lines[0].turn, expected);
    }
}

#[test]
fn seeds_choose_only_among_equals() {
    // Any square of the long road is as good as another.
    let kings = Game::from_position(Russian::read_fen("W:WKd4:BKh2").unwrap(), Preset::Official).unwrap();
    let values: Vec<_> = to_depth(4).analyse(&kings).unwrap().lines;
    let mut chosen = std::collections::BTreeSet::new();
    for seed in 0..20 {
        let mut engine = to_depth(4);
        Player::<Russian>::seed(&mut engine, seed);
        let turn = engine.choose(&kings).unwrap();
        let value = values.iter().find(|line| line.turn == turn).unwrap().value;
        assert_eq!(value, values[0].value, "{turn}");
        chosen.insert(turn.to_string());
    }
    assert!(chosen.len() > 1, "the seeds make no difference");
}

#[test]
fn an_analysis_lists_every_turn_once_best_first() {
    let mut rng = StdRng::seed_from_u64(17);
    for n in 0..40 {
        let game = random_opening(&mut rng, n);
        let analysis = to_depth(3).analyse(&game).unwrap();
        let mut turns: Vec<_> = analysis.lines.iter().map(|line| line.turn.clone()).collect();
        turns.sort_by_key(ToString::to_string);
        assert_eq!(turns, game.turns());
        assert!(analysis.lines.is_sorted_by(|a, b| a.value >= b.value));
        assert_eq!(analysis.value, analysis.lines[0].value);
        for line in &analysis.lines {
            assert!(line.depth >= Some(1) && line.line[0] == line.turn);
            let mut play = game.clone();
            line.line.iter().for_each(|turn| play.play(turn).unwrap());
        }
    }
}

/// The score by plain minimax, seen by the side to move; captures are played out where the depth ends.
fn minimax(game: &Game<Russian>, depth: u32, turns: u32) -> i32 {
    if let Some(outcome) = game.outcome() {
        let won = 30_000 - turns as i32;
        return outcome.winner.map_or(0, |winner| if winner == game.side() { won } else { -won });
    }
    if depth == 0 && !game.position().must_capture() {
        return game.position().evaluate();
    }
    let mut hops = Hops::new();
    game.hops(&mut hops);
    let score = |hop| {
        let mut after = game.clone();
        let over = u32::from(after.play_unchecked(hop).turn_over);
        let score = minimax(&after, depth.saturating_sub(over), turns + over);
        if after.side() == game.side() { score } else { -score }
    };
    hops.into_iter().map(score).max().unwrap()
}

#[test]
fn the_values_of_an_analysis_are_those_of_plain_minimax() {
    let mut rng = StdRng::seed_from_u64(19);
    for n in 0..if full() { 1000 } else { 150 } {
        let game = random_opening(&mut rng, n % 50);
        let depth = 1 + n % 4;
        for line in to_depth(depth).analyse(&game).unwrap().lines {
            // A proven result ends the deepening.
            if line.depth == Some(depth) {
                let mut after = game.clone();
                after.play(&line.turn).unwrap();
                let score = -minimax(&after, depth - 1, 1);
                assert_eq!(line.value, value_of(score), "{} of {}", line.turn, game.position().write_fen());
            }
        }
    }
}

#[test]
fn table_and_ordering_keep_the_tree_small() {
    let start = Game::<Russian>::new(Preset::Official).unwrap();
    let nodes = |mut engine: Engine| {
        engine.choose(&start).unwrap();
        engine.nodes()
    };
    let eight = nodes(to_depth(8));
    assert!(eight < 30_000, "{eight} nodes");
    let without_table = nodes(Engine::new(Limits { depth: Some(8), ..Limits::default() }, 0));
    assert!(eight * 5 < without_table * 4, "{eight} nodes, without a table {without_table}");
}

#[test]
fn the_node_limit_holds_to_within_one_capture() {
    let mut rng = StdRng::seed_from_u64(18);
    for limit in [1, 300, 5_000] {
        let mut engine = Engine::new(Limits { nodes: Some(limit), ..Limits::default() }, 4);
        for n in 0..20 {
            let game = random_opening(&mut rng, n);
            let mut shallow = to_depth(1);
            shallow.choose(&game).unwrap();
            engine.choose(&game).unwrap();
            let most = limit.max(shallow.nodes()) + 100;
            assert!(engine.nodes() <= most, "{} nodes, limit {limit}", engine.nodes());
            if game.turns().len() > 1 && game.position().board().occupied().count_ones() > 12 {
                assert!(engine.nodes() >= limit, "the limit is made use of: {} of {limit}", engine.nodes());
            }
        }
    }
}

#[test]
fn a_cap_on_time_stops_an_engine_without_other_limits_in_reach() {
    let start = Game::<Russian>::new(Preset::Official).unwrap();
    let mut engine = to_depth(60);
    Player::<Russian>::limit_time(&mut engine, 0.02);
    assert!(start.turns().contains(&engine.choose(&start).unwrap()));
    // The cap held for one choice only; a node limit bounds this one.
    let mut engine = Engine::new(Limits { nodes: Some(20_000), ..Limits::default() }, 4);
    Player::<Russian>::limit_time(&mut engine, 0.0);
    engine.choose(&start).unwrap();
    assert!(engine.nodes() < 10_000);
    engine.choose(&start).unwrap();
    assert!(engine.nodes() >= 20_000);
}

#[test]
fn a_single_turn_is_played_without_thought() {
    let mut engine = to_depth(60);
    let turn = engine.choose(&game("W:Wc3,Ka1:Bd4,f6,h8")).unwrap();
    assert_eq!((turn.to_string().as_str(), engine.nodes()), ("c3:e5:g7", 0));
}

#[test]
fn the_name_is_a_player_text() {
    let limits = Limits { depth: Some(4), time_s: Some(0.5), nodes: None };
    let name = |limits, hash| Player::<Russian>::name(&Engine::new(limits, hash));
    assert_eq!(name(Limits::default(), 16), "alphabeta");
    assert_eq!(name(limits, 16), "alphabeta:depth=4,time=0.5");
    assert_eq!(name(Limits { nodes: Some(9), ..Limits::default() }, 4), "alphabeta:nodes=9,hash=4");
}

#[test]
fn one_turn_ahead_beats_chance() {
    let score = match_score(to_depth(1), RandomPlayer::new(1), if full() { 250 } else { 20 }, 21);
    assert!(score >= if full() { 0.95 } else { 0.85 }, "{score}");
}

#[test]
fn four_turns_ahead_beat_two() {
    let score = match_score(to_depth(4), to_depth(2), if full() { 250 } else { 20 }, 22);
    assert!(score >= if full() { 0.75 } else { 0.6 }, "{score}");
}
