//! The classic engine: legal, right about wins, deterministic, within its limits, and strong enough.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod common;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use shashki::board::{Board, Hops, Piece, Side, Square};
use shashki::evaluator::{Knowledge, Proven, Truth};
use shashki::games::draughts::Draughts;
use shashki::games::{Game, Position, Preset, Russian};
use shashki::player::{Player, RandomPlayer};
use shashki::search::alphabeta::{AlphaBeta, Limits, Method, Methods, Options};

use common::{forces, full};

type Engine = AlphaBeta<Russian>;

fn within(limits: Limits) -> Engine {
    Engine::new(Options { limits, hash_mb: 16, ..Options::default() })
}

fn to_depth(depth: u32) -> Engine {
    within(Limits { depth: Some(depth), ..Limits::default() })
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

/// Checks what the engine proves against minimax: nothing that is not so, and what there is within `depth` turns, though it
/// looks less deep here and there, by four turns more. Answers whether there was something to find.
fn assert_proofs(game: &Game<Russian>, depth: u32) -> bool {
    let fen = || format!("{} to depth {depth}, a draw in {:?}", game.position().write_fen(), game.plies_to_draw());
    let expected = minimax_proof(depth, game);
    let found = proof(depth + 4, game);
    if let Some((won, turns)) = found
        && turns <= 5
    {
        assert!(forces(if won { game.side() } else { !game.side() }, game, turns), "{}: within {turns}", fen());
    }
    if let Some((won, turns)) = expected {
        let (found_won, found_turns) = found.unwrap_or_else(|| panic!("{}: {expected:?} is not found", fen()));
        assert_eq!(found_won, won, "{}", fen());
        assert!(found_turns >= turns && found_turns <= turns + 4, "{}: {found:?} for {expected:?}", fen());
    }
    expected.is_some()
}

#[test]
fn a_forced_win_is_found_and_none_is_made_up() {
    let mut rng = StdRng::seed_from_u64(11);
    let (mut proofs, count) = (0, if full() { 20_000 } else { 1000 });
    for n in 0..count {
        let game = few_pieces(&mut rng);
        let pieces = game.position().board().occupied().count_ones();
        let depth = if pieces <= 4 { 1 + n % 5 } else { 1 + n % 4 };
        proofs += u32::from(assert_proofs(&game, depth));
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
        proofs += u32::from(assert_proofs(&few_pieces_with_a_past(&mut rng), 1 + n % 5));
    }
    assert!(proofs > count / 20, "only {proofs} of {count} positions had something to find");
}

#[test]
fn the_table_changes_no_proof_where_draws_are_near() {
    let mut rng = StdRng::seed_from_u64(20);
    let limits = Limits { depth: Some(6), ..Limits::default() };
    let methods = Methods::NONE.with(Method::Aspiration);
    let plain = |methods| Engine::new(Options { limits, methods, ..Options::default() });
    let (mut with, mut without) = (plain(methods.with(Method::Table)), plain(methods));
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
        within(Limits { nodes: Some(500), ..Limits::default() }),
        within(Limits { time_s: Some(0.0), ..Limits::default() }),
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
    for limits in [Limits::default(), Limits { nodes: Some(3000), ..Limits::default() }] {
        let mut timed = within(limits);
        for n in 0..20 {
            let game = random_opening(&mut rng, n);
            Player::<Russian>::limit_time(&mut timed, 0.01);
            timed.choose(&random_opening(&mut rng, 10)).unwrap();
            let [seen, expected] = [&mut timed, &mut within(limits)].map(|engine| {
                let analysis = engine.analyse(&game).unwrap();
                (engine.nodes(), analysis.value)
            });
            assert_eq!(seen, expected, "{limits:?}");
        }
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

#[test]
fn the_methods_that_prune_keep_the_tree_small() {
    let start = Game::<Russian>::new(Preset::Official).unwrap();
    let nodes = |methods| {
        let limits = Limits { depth: Some(11), ..Limits::default() };
        let mut engine = Engine::new(Options { limits, methods, ..Options::default() });
        engine.choose(&start).unwrap();
        engine.nodes()
    };
    let all = nodes(Methods::ALL);
    assert!(all < 400_000, "{all} nodes");
    for method in [Method::Table, Method::Reductions, Method::Margins] {
        let without = nodes(Methods::ALL.without(method));
        assert!(all < without, "{all} nodes, without {method:?} {without}");
    }
}

#[test]
fn the_node_limit_holds_to_within_one_capture() {
    let mut rng = StdRng::seed_from_u64(18);
    for limit in [1, 300, 5_000] {
        let mut engine = within(Limits { nodes: Some(limit), ..Limits::default() });
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
    let mut engine = within(Limits { nodes: Some(20_000), ..Limits::default() });
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
    let name = |options| Player::<Russian>::name(&Engine::new(options));
    assert_eq!(name(Options::default()), "alphabeta");
    assert_eq!(name(Options { limits, ..Options::default() }), "alphabeta:depth=4,time=0.5");
    let methods = Methods::ALL.without(Method::Forced).without(Method::ProbCut);
    let limits = Limits { nodes: Some(9), ..Limits::default() };
    let options = Options { limits, hash_mb: 4, threads: 2, methods };
    assert_eq!(name(options), "alphabeta:nodes=9,hash=4,threads=2,without=probcut+forced");
}

#[test]
fn a_stopped_search_answers_at_once() {
    let start = Game::<Russian>::new(Preset::Official).unwrap();
    let mut engine = to_depth(60);
    let stopper = Arc::new(AtomicBool::new(true));
    Player::<Russian>::heed(&mut engine, &stopper);
    assert!(start.turns().contains(&engine.choose(&start).unwrap()));
    assert!(engine.nodes() < 10_000);
    stopper.store(false, Relaxed);
    let waiting = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(20));
        stopper.store(true, Relaxed);
    });
    assert!(start.turns().contains(&engine.choose(&start).unwrap()));
    waiting.join().unwrap();
}

#[test]
fn an_engine_that_has_searched_before_searches_the_same_nodes() {
    let limits = Limits { nodes: Some(3000), ..Limits::default() };
    let mut rng = StdRng::seed_from_u64(29);
    let mut used = Engine::new(Options { limits, hash_mb: 1, ..Options::default() });
    for n in 0..80 {
        let game = random_opening(&mut rng, n);
        let mut new = Engine::new(Options { limits, hash_mb: 1, ..Options::default() });
        assert_eq!(used.choose(&game).unwrap(), new.choose(&game).unwrap());
        assert_eq!(used.nodes(), new.nodes(), "{n}");
    }
}

#[test]
fn a_cap_on_time_holds_for_an_analysis_too() {
    let start = Game::<Russian>::new(Preset::Official).unwrap();
    let mut engine = to_depth(60);
    Player::<Russian>::limit_time(&mut engine, 0.05);
    // Depth 60 is never reached: without the cap this would not return.
    assert_eq!(engine.analyse(&start).unwrap().lines.len(), start.turns().len());
}

#[test]
fn two_threads_find_the_wins_that_one_finds() {
    let mut rng = StdRng::seed_from_u64(23);
    let limits = Limits { depth: Some(9), ..Limits::default() };
    let mut two = Engine::new(Options { limits, hash_mb: 4, threads: 2, ..Options::default() });
    let mut wins = 0;
    for _ in 0..60 {
        let game = few_pieces(&mut rng);
        let Some((won, turns)) = minimax_proof(3, &game) else { continue };
        let analysis = two.analyse(&game).unwrap();
        assert_eq!(analysis.value, if won { 1.0 } else { -1.0 }, "{}", game.position().write_fen());
        assert!(analysis.lines[0].line.len() as u32 >= turns);
        wins += 1;
    }
    assert!(wins > 10, "only {wins} of 60 positions had something to find");
}

#[test]
fn many_threads_answer_what_one_answers() {
    let won = game("W:WKa1,a5,c7:BKd2,b6");
    let limits = Limits { depth: Some(8), ..Limits::default() };
    let mut eight = Engine::new(Options { limits, threads: 8, methods: Methods::NONE, ..Options::default() });
    for _ in 0..if full() { 200 } else { 20 } {
        let best = &eight.analyse(&won).unwrap().lines[0];
        assert_eq!((best.turn.to_string().as_str(), best.value), ("a1-c3", 1.0));
    }
}

/// Says the same of all positions of two pieces.
struct Told(Proven);

impl Truth<Russian> for Told {
    fn most_pieces(&self) -> u32 {
        2
    }

    fn probe(&self, position: &Russian) -> Option<Proven> {
        (position.board().occupied().count_ones() <= 2).then_some(self.0)
    }
}

#[test]
fn what_is_known_for_certain_is_believed_as_far_as_the_clock_reaches() {
    let value = |game: &Game<Russian>, value, turns| {
        let mut engine = to_depth(3).with_knowledge(Knowledge::new(Some(Arc::new(Told(Proven { value, turns })))));
        engine.analyse(game).unwrap().value
    };
    let mut kings = game("W:WKb2:BKh2");
    assert_eq!(kings.plies_to_draw(), Some(10));
    assert_eq!([value(&kings, -1, 6), value(&kings, 1, 6), value(&kings, 0, 0)], [1.0, -1.0, 0.0]);
    assert!(value(&kings, -1, 10).abs() < 1.0, "the draw comes first");
    for turn in ["b2-a1", "h2-g1", "a1-b2", "g1-a7"] {
        kings.play_text(turn).unwrap();
    }
    assert_eq!(kings.plies_to_draw(), Some(6));
    assert!(value(&kings, -1, 6).abs() < 1.0, "the draw comes first");
    assert_eq!([value(&kings, -1, 5), value(&kings, 0, 0)], [1.0, 0.0]);
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
