//! Workloads of the rules alone: perft and random games.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::board::Hops;
use crate::error::Result;
use crate::games::game::{Game, Leaf};
use crate::games::position::Position;
use crate::games::turn::perft;
use crate::games::{Preset, Russian, Spantsireti};

use super::Size;
use super::timing::Task;

/// Counts the turns of Russian draughts from the start.
pub(super) fn count_russian(size: Size) -> Result<Task> {
    let depth = size.pick(11, 8);
    Ok(Task::new(move || Ok(perft(&Russian::start(), depth))))
}

/// Counts those of the wide board.
pub(super) fn count_wide(size: Size) -> Result<Task> {
    let depth = size.pick(9, 7);
    Ok(Task::new(move || Ok(perft(&Spantsireti::start(), depth))))
}

/// Plays whole games at random, every draw rule on; the work is games.
pub(super) fn games(size: Size) -> Result<Task> {
    let games = size.pick(40_000, 400);
    Ok(Task::new(move || play_at_random(games, |_, _| true).map(|_| games)))
}

/// The same; the work is hops.
pub(super) fn hops(size: Size) -> Result<Task> {
    let games = size.pick(40_000, 400);
    Ok(Task::new(move || play_at_random(games, |_, _| true)))
}

/// Plays so many games at random, shows each position and its hops until told that this is enough, and answers how many
/// hops were played.
fn play_at_random(games: u64, mut show: impl FnMut(&Game<Russian>, &Hops) -> bool) -> Result<u64> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut hops, mut played) = (Hops::new(), 0);
    let start = Game::<Russian>::new(Preset::Official)?;
    let mut game = start.clone();
    for _ in 0..games {
        game.clone_from(&start);
        while game.outcome().is_none() {
            game.hops(&mut hops);
            if !show(&game, &hops) {
                return Ok(played);
            }
            game.play_unchecked(hops[rng.random_range(0..hops.len())]);
            played += 1;
        }
    }
    Ok(played)
}

/// The first `n` positions of random games that leave a choice, as a search would ask for them.
pub(super) fn leaves(n: usize) -> Result<Vec<Leaf<Russian>>> {
    let mut leaves = Vec::with_capacity(n);
    play_at_random(u64::MAX, |game, hops| {
        if hops.len() > 1 {
            leaves.push(game.leaf());
        }
        leaves.len() < n
    })?;
    Ok(leaves)
}

/// Games that have gone on for 0 to 19 random turns, to search in.
pub(super) fn openings(n: usize) -> Result<Vec<Game<Russian>>> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut found = Vec::new();
    while found.len() < n {
        let mut game = Game::<Russian>::new(Preset::Official)?;
        while game.outcome().is_none() && (game.turns_played() as usize) < found.len() % 20 {
            let turns = game.turns();
            game.play(&turns[rng.random_range(0..turns.len())])?;
        }
        if game.outcome().is_none() {
            found.push(game);
        }
    }
    Ok(found)
}
