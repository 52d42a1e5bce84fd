//! The classic engine without its methods is plain minimax, in every variant; with them it finds the same wins.
#![allow(clippy::unwrap_used)]

mod common;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use shashki::board::Hops;
use shashki::games::{Game, Position, Preset, Variant};
use shashki::player::Player;
use shashki::search::alphabeta::{AlphaBeta, Limits, Method, Methods, Options, value_of};
use shashki::search::heuristic::Heuristic;

use common::{forces, full};

fn engine<P: Heuristic>(depth: u32, methods: Methods) -> AlphaBeta<P> {
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    AlphaBeta::new(Options { limits, methods, ..Options::default() })
}

/// A position from a random game, as a game without a past: at a shallow depth no draw rule can end it.
fn random<P: Position>(rng: &mut StdRng) -> Game<P> {
    let mut hops = Hops::new();
    loop {
        let mut game = Game::<P>::new(Preset::Official).unwrap();
        for _ in 0..rng.random_range(0..90) {
            game.hops(&mut hops);
            if hops.is_empty() {
                break;
            }
            game.play_unchecked(hops[rng.random_range(0..hops.len())]);
        }
        if game.position().can_move() {
            return Game::from_position(*game.position(), Preset::Official).unwrap();
        }
    }
}

/// The turns that the engine plays out at the horizon, at most.
const PLAYED_OUT: u32 = 24;

/// The score by plain minimax, seen by the side to move; captures are played out where the depth ends. Only for towers,
/// which are captured back and forth for long, it leaves out what cannot matter (plain alpha-beta).
fn minimax<P: Heuristic>(position: &P, [depth, left, turns]: [u32; 3], mut alpha: i32, beta: i32) -> i32 {
    let side = position.side();
    let mut hops = Hops::new();
    position.hops(&mut hops);
    if hops.is_empty() {
        let won = 30_000 - turns as i32;
        return position.stuck().map_or(0, |winner| if winner == side { won } else { -won });
    }
    if depth == 0 && (left == 0 || !position.must_capture()) {
        return position.tuned();
    }
    let mut best = i32::MIN;
    for hop in hops {
        let mut after = *position;
        let over = u32::from(after.play_unchecked(hop).turn_over);
        let next = [depth.saturating_sub(over), if depth == 0 { left - over } else { left }, turns + over];
        let score = if after.side() == side {
            minimax(&after, next, alpha, beta)
        } else {
            -minimax(&after, next, -beta, -alpha)
        };
        best = best.max(score);
        alpha = alpha.max(best);
        if P::SPEC.towers && alpha >= beta {
            break;
        }
    }
    best
}

/// Compares the value of the best turn after a search of 1 to `most` turns.
fn check<P: Heuristic>(seed: u64, most: u32, count: u32) {
    let mut rng = StdRng::seed_from_u64(seed);
    let (mut compared, mut positions) = (0, 0);
    while compared < count {
        let game = random::<P>(&mut rng);
        let depth = 1 + positions % most;
        positions += 1;
        let expected = minimax(game.position(), [depth, PLAYED_OUT, 0], -i32::MAX, i32::MAX);
        for methods in [Methods::NONE, Methods::NONE.with(Method::Table).with(Method::Aspiration)] {
            let analysis = engine(depth, methods).analyse(&game).unwrap();
            // A proven result ends the deepening.
            if analysis.lines[0].depth == Some(depth) {
                let fen = game.position().write_fen();
                assert_eq!(analysis.value, value_of(expected), "{} of {fen} to depth {depth}", P::SPEC.variant);
                compared += 1;
            }
        }
    }
}

#[test]
fn without_its_methods_it_is_plain_minimax_in_every_variant() {
    let count = if full() { 1000 } else { 30 };
    for variant in Variant::ALL {
        let most = match variant {
            Variant::Vigman => 1,
            Variant::VigmanFree => 3,
            _ => 4,
        };
        shashki::for_variant!(variant, P => check::<P>(31, most, count));
    }
}

/// Positions near the end of random games, in which one side wins within three turns: the full search says so, and how soon.
fn check_wins<P: Heuristic>(seed: u64, count: u32) {
    let mut rng = StdRng::seed_from_u64(seed);
    let (mut hops, mut found) = (Hops::new(), 0);
    while found < count {
        let mut game = Game::<P>::new(Preset::Official).unwrap();
        let mut past = Vec::new();
        while game.outcome().is_none() {
            past.push(game.clone());
            game.hops(&mut hops);
            game.play_unchecked(hops[rng.random_range(0..hops.len())]);
        }
        let Some(game) = past.len().checked_sub(rng.random_range(1..6)).map(|n| past.swap_remove(n)) else { continue };
        let Some(soonest) = (1..=3).find(|&within| forces(game.side(), &game, within)) else { continue };
        let analysis = engine(7, Methods::ALL).analyse(&game).unwrap();
        let fen = game.position().write_fen();
        assert_eq!(
            (analysis.value, analysis.lines[0].line.len()),
            (1.0, soonest as usize),
            "{} {fen}",
            P::SPEC.variant
        );
        found += 1;
    }
}

#[test]
fn the_full_search_finds_near_wins_at_their_distance_in_every_variant() {
    let count = if full() { 300 } else { 15 };
    for variant in Variant::ALL {
        shashki::for_variant!(variant, P => check_wins::<P>(32, count));
    }
}
