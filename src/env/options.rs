//! The options of an environment.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::games::draws::Preset;

/// The most games of one environment.
pub const MOST_GAMES: usize = 1 << 20;

/// The most threads.
pub(super) const MOST_THREADS: usize = 1024;

/// The fewest turns a game may be limited to: with one, an agent of Black's would never move.
pub(super) const LEAST_MAX_TURNS: u32 = 2;

/// Which side the caller plays against an opponent.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Seat {
    /// White in every game.
    White,
    /// Black in every game.
    Black,
    /// White in the first game of the environments 0, 2, 4, …, Black in the others', and changing with each game.
    #[default]
    Alternate,
    /// By lot in each game.
    Random,
}

impl Seat {
    /// Every seat, in the order of their stored numbers.
    pub const ALL: [Self; 4] = [Self::White, Self::Black, Self::Alternate, Self::Random];

    /// The name in options.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::White => "white",
            Self::Black => "black",
            Self::Alternate => "alternate",
            Self::Random => "random",
        }
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Seat {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|seat| seat.name() == text);
        found.ok_or_else(|| Error::value("side", text, "one of white, black, alternate, random"))
    }
}

/// How the games of an environment are played.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct EnvOptions {
    /// How many games are stepped at once: 1 to 1,048,576.
    pub games: usize,
    /// Seeds the choices by chance: same seed, options and actions, same games.
    pub seed: u64,
    /// The draw rules.
    pub draws: Preset,
    /// A game of this many turns (of both sides) is cut off: `truncated`. At least 2; `None` is without limit.
    pub max_turns: Option<u32>,
    /// Threads, at most 1024; 0 is one a core. Few games stay on the calling thread.
    pub threads: usize,
    /// The caller's side against an opponent.
    pub seat: Seat,
}

impl Default for EnvOptions {
    fn default() -> Self {
        Self { games: 1, seed: 0, draws: Preset::Official, max_turns: None, threads: 1, seat: Seat::Alternate }
    }
}
