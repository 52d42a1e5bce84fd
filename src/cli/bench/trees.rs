//! Workloads of the two searches.

use std::time::Instant;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::error::Result;
use crate::evaluator::{Evaluations, Evaluator, Uniform};
use crate::games::game::Game;
use crate::games::{Position, Preset, Russian};
use crate::player::Player;
use crate::search::alphabeta::{AlphaBeta, Options};
use crate::search::limits::Limits;
use crate::search::mcts::{Gather, Settings};
use crate::search::tree::Tree;

use super::Size;
use super::rules::openings;
use super::timing::{Reading, Task};

/// Games whose trees grow side by side.
const GAMES: usize = 64;
/// Simulations of each tree.
const VISITS: u32 = 400;

/// Grows the trees of many games, a leaf of each in every batch, by an evaluator that knows nothing.
pub(super) fn simulate(size: Size) -> Result<Task> {
    let (searches, visits) = (size.pick(20, 1), size.pick(VISITS, 32));
    let games = openings(GAMES)?;
    let mut trees: Vec<_> = games.iter().map(Tree::new).collect();
    let (mut leaves, mut tickets) = (Vec::new(), Vec::new());
    let (mut evaluator, mut answers) = (Uniform::default(), Evaluations::default());
    let settings = Settings::default();
    Ok(Task::new(move || {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut simulations = 0;
        for _ in 0..searches {
            trees.iter_mut().zip(&games).for_each(|(tree, game)| tree.reset(game));
            loop {
                leaves.clear();
                for (i, tree) in trees.iter_mut().enumerate() {
                    while tree.visits() < visits && tree.winner().is_none() {
                        if let Gather::Leaf(leaf, ticket) = tree.gather(&settings, &mut rng) {
                            leaves.push(leaf);
                            tickets.push((i, ticket));
                            break;
                        }
                    }
                }
                if leaves.is_empty() {
                    break;
                }
                evaluator.evaluate(&leaves, &mut answers)?;
                for (n, (i, ticket)) in tickets.drain(..).enumerate() {
                    trees[i].apply(ticket, answers.wdl[n], answers.priors_of(n));
                }
            }
            simulations += trees.iter().map(|tree| u64::from(tree.visits())).sum::<u64>();
        }
        Ok(simulations)
    }))
}

/// Positions of the middle game, from games of the first engine after openings of chance.
const MIDDLE_GAMES: [&str; 8] = [
    "W:Wa1,c1,e1,g1,f2,h2,c3,e3,g3:Ba3,c5,e5,b6,h6,e7,b8,d8,f8,h8",
    "W:Wa1,c1,e1,g1,d2,a3,c3:Bf4,e5,a7,e7,g7,b8,d8,f8,h8",
    "W:Wa1,c1,g1,f2,h2,c3,g3:Ba5,f6,h6,c7,b8,d8,h8",
    "W:Wa1,g1,b2,d2,f2,h2,g3,h6:Bd4,a7,e7,g7,d8,f8,h8",
    "W:Wc1,e1,b2,h2,a3,c3,e3,b4,f4,h4:Ba5,c5,g5,b6,d6,f6,h6,d8,f8,h8",
    "W:Wc1,e1,g1,f2,c3,e3,g3,d4,f4:Bh4,c5,g5,b6,h6,d8,f8,h8",
    "W:Wc1,e1,g1,b2,d4:Bd6,h6,a7,d8,h8",
    "W:Wa1,c1,e1,g1,e3,f4,h4,a5:Bc5,g5,d6,f6,h6,d8,h8",
];

/// The games that begin there.
fn middle_games() -> Result<Vec<Game<Russian>>> {
    MIDDLE_GAMES.iter().map(|fen| Game::from_position(Russian::read_fen(fen)?, Preset::Official)).collect()
}

/// Looks ahead by alpha-beta in the positions of the middle game, on one thread.
pub(super) fn look_ahead(size: Size) -> Result<Task> {
    let limits = Limits { depth: Some(size.pick(13, 7)), ..Limits::default() };
    let mut engine = AlphaBeta::<Russian>::new(Options { limits, ..Options::default() });
    let games = middle_games()?;
    Ok(Task::new(move || {
        let mut nodes = 0;
        for game in &games {
            engine.choose(game)?;
            nodes += engine.nodes();
        }
        Ok(nodes)
    }))
}

/// How much sooner two threads reach a depth than one, by the clock on the wall, over positions of games of chance.
pub(super) fn two_threads(size: Size) -> Result<Task> {
    let (count, depth) = (size.pick(100, 4), size.pick(16, 5));
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let engine = |threads| AlphaBeta::<Russian>::new(Options { limits, threads, ..Options::default() });
    let mut engines = [engine(1), engine(2)];
    let games = openings(count)?;
    Ok(Task::of(move || {
        // In turns, so that whatever else the machine does hits both.
        let mut seconds = [0.0; 2];
        let mut nodes = 0;
        for game in &games {
            for (engine, seconds) in engines.iter_mut().zip(&mut seconds) {
                let start = Instant::now();
                engine.choose(game)?;
                *seconds += start.elapsed().as_secs_f64();
            }
            nodes += engines[0].nodes();
        }
        Ok(Reading::Figure(seconds[0] / seconds[1], nodes))
    }))
}
