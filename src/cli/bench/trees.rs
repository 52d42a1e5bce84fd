//! Workloads of the two searches.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::error::Result;
use crate::evaluator::{Evaluations, Evaluator, Uniform};
use crate::games::Russian;
use crate::player::Player;
use crate::search::alphabeta::{AlphaBeta, Options};
use crate::search::limits::Limits;
use crate::search::mcts::{Gather, Settings};
use crate::search::tree::Tree;

use super::Size;
use super::rules::openings;
use super::timing::Task;

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

/// Looks ahead by alpha-beta in four positions.
pub(super) fn look_ahead(size: Size) -> Result<Task> {
    let limits = Limits { depth: Some(size.pick(10, 6)), ..Limits::default() };
    let mut engine = AlphaBeta::<Russian>::new(Options { limits, ..Options::default() });
    let games = openings(GAMES)?;
    Ok(Task::new(move || {
        let mut nodes = 0;
        for game in [0, 4, 8, 12].map(|turns| &games[turns]) {
            engine.new_game();
            engine.choose(game)?;
            nodes += engine.nodes();
        }
        Ok(nodes)
    }))
}
