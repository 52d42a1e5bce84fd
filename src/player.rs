//! Who chooses turns: the trait of every player, and the one that plays at random.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::board::Hops;
use crate::error::Result;
use crate::games::game::Game;
use crate::games::position::Position;
use crate::games::turn::Turn;

/// What a player thinks of one turn.
#[derive(Clone, Debug)]
pub struct Line {
    /// The turn.
    pub turn: Turn,
    /// Its worth to the mover, −1 to 1.
    pub value: f32,
    /// Visits of a tree search.
    pub visits: Option<u32>,
    /// Depth of an alpha-beta search, in turns.
    pub depth: Option<u32>,
    /// The expected play, the turn itself first.
    pub line: Vec<Turn>,
}

/// What a player thinks of a position: the best turn's value and its candidates, best first.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The value to the mover, −1 to 1.
    pub value: f32,
    /// At least one candidate, best first.
    pub lines: Vec<Line>,
}

/// What a player's clock shows when its turn begins.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Clock {
    /// Seconds left for the rest of the game.
    pub left_s: f64,
    /// Seconds added after each turn.
    pub increment_s: f64,
}

impl Clock {
    /// The seconds that this turn may take so that the game can be finished: a twentieth of those left and most of the
    /// increment, and never the last of them.
    #[must_use]
    pub fn budget_s(self) -> f64 {
        (self.left_s / 20.0 + self.increment_s * 0.8).min(self.most_s()).max(0.001)
    }

    /// The seconds that this turn may take without risking the fall of the flag.
    #[must_use]
    pub fn most_s(self) -> f64 {
        (self.left_s - (self.left_s * 0.1).min(0.05)).max(0.001)
    }
}

/// Chooses turns. Games go on for many turns, so a player may keep what it has thought between calls.
pub trait Player<P: Position>: Send {
    /// Its text, as the roster reads it.
    fn name(&self) -> String;

    /// Chooses a turn (in a chain: the rest of it) in a game that is not over.
    ///
    /// # Errors
    /// If an engine or network behind it fails.
    fn choose(&mut self, game: &Game<P>) -> Result<Turn>;

    /// Says what it thinks of a game that is not over.
    ///
    /// # Errors
    /// As [`Player::choose`].
    fn analyse(&mut self, game: &Game<P>) -> Result<Analysis> {
        let turn = self.choose(game)?;
        let line = Line { turn: turn.clone(), value: 0.0, visits: None, depth: None, line: vec![turn] };
        Ok(Analysis { value: 0.0, lines: vec![line] })
    }

    /// Forgets the game before.
    fn new_game(&mut self) {}

    /// Seeds the player's chance for the next games, so that a match can be played again.
    fn seed(&mut self, _seed: u64) {}

    /// Caps the seconds of the next choice.
    fn limit_time(&mut self, _seconds: f64) {}

    /// Shows the clock before the next choice. A player that does not plan its time is capped at [`Clock::budget_s`].
    fn show_clock(&mut self, clock: Clock) {
        self.limit_time(clock.budget_s());
    }

    /// Hands over a flag for all choices to come: while it is raised, a choice ends soon with the best found so far. A
    /// player that ignores it answers when it would have anyway.
    fn heed(&mut self, _stop: &Arc<AtomicBool>) {}
}

/// Plays each hop at random, all legal hops alike.
#[derive(Debug)]
pub struct RandomPlayer {
    rng: Xoshiro256PlusPlus,
    hops: Hops,
}

impl RandomPlayer {
    /// A player whose games repeat for the same seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { rng: Xoshiro256PlusPlus::seed_from_u64(seed), hops: Hops::new() }
    }
}

impl<P: Position> Player<P> for RandomPlayer {
    fn name(&self) -> String {
        "random".to_owned()
    }

    fn choose(&mut self, game: &Game<P>) -> Result<Turn> {
        let mut position = *game.position();
        let mut turn = Turn::default();
        loop {
            position.hops(&mut self.hops);
            let hop = self.hops[self.rng.random_range(0..self.hops.len())];
            let step = position.play_unchecked(hop);
            turn.push(hop, step);
            if step.turn_over {
                return Ok(turn);
            }
        }
    }

    fn seed(&mut self, seed: u64) {
        self.rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    }
}
