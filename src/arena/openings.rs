//! Openings: random ones, distinct where that is possible, and those of a file.

use std::collections::HashSet;
use std::path::Path;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::error::{Error, Result};
use crate::games::Preset;
use crate::games::game::Game;
use crate::games::position::Position;
use crate::games::turn::Turn;

/// How often an opening is drawn again because the game is over after it or it has been drawn before.
const TRIES: usize = 50;

/// Where a pair of games begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening<P> {
    /// The first position.
    pub start: P,
    /// The turns played before the players take over.
    pub turns: Vec<Turn>,
}

/// Where the games of a match begin.
#[derive(Clone, Debug, PartialEq)]
pub enum Openings<P> {
    /// This many random turns from the start position.
    Random {
        /// Turns of both sides together.
        plies: u32,
    },
    /// These, in order and from the first again when they run out. Not empty.
    List(Vec<Opening<P>>),
}

impl<P: Position> Openings<P> {
    /// Reads `random:PLIES`, or a file with an opening a line: a position text, or turns from the start position (move
    /// numbers are skipped). Blank lines and those that begin with `#` count for nothing.
    ///
    /// # Errors
    /// If the number is none, or the file cannot be read or has a bad line, which is then named.
    pub fn read(text: &str, preset: Preset) -> Result<Self> {
        if let Some(plies) = text.strip_prefix("random:") {
            let plies = plies.parse().ok().filter(|n| *n <= 100);
            let expected = "random:PLIES with 0 to 100 plies, or a file";
            return plies.map(|plies| Self::Random { plies }).ok_or_else(|| Error::value("openings", text, expected));
        }
        let file = std::fs::read_to_string(Path::new(text)).map_err(|source| Error::io(text, source))?;
        let wrong = |reason| Error::io(text, std::io::Error::new(std::io::ErrorKind::InvalidData, reason));
        let mut list = Vec::new();
        for (line, number) in file.lines().map(str::trim).zip(1..) {
            if !line.is_empty() && !line.starts_with('#') {
                let opening = Opening::read(line, preset);
                list.push(opening.map_err(|error| wrong(format!("line {number}: {error}")))?);
            }
        }
        if list.is_empty() { Err(wrong("expected an opening a line".to_owned())) } else { Ok(Self::List(list)) }
    }

    /// The openings of `pairs` pairs, the same for the same seed.
    ///
    /// # Errors
    /// If no random opening leads to a game that goes on.
    pub(super) fn draw(&self, pairs: usize, preset: Preset, seed: u64) -> Result<Vec<Opening<P>>> {
        let plies = match self {
            Self::List(list) => return Ok(list.iter().cycle().take(pairs).cloned().collect()),
            Self::Random { plies } => *plies,
        };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut seen = HashSet::new();
        let mut drawn = Vec::with_capacity(pairs);
        for _ in 0..pairs {
            let mut found = None;
            let mut fresh = false;
            for _ in 0..TRIES {
                if let Some((opening, key)) = random::<P>(plies, preset, &mut rng)? {
                    fresh = seen.insert(key);
                    found = Some(opening);
                }
                if fresh {
                    break;
                }
            }
            if !fresh {
                // Nearly all have been drawn: all may come again, so that none comes much more often than another.
                seen.clear();
            }
            let expected = "so few plies that a game can go on after them";
            drawn.push(found.ok_or_else(|| Error::value("openings", format!("random:{plies}"), expected))?);
        }
        Ok(drawn)
    }
}

impl<P: Position> Opening<P> {
    /// Reads a position text, or turns from the start position.
    ///
    /// # Errors
    /// If it is neither, or the game is over after it.
    pub fn read(text: &str, preset: Preset) -> Result<Self> {
        // A position text begins with its side and a colon, a turn with a square.
        let opening = if text.get(1..2) == Some(":") {
            Self { start: P::read_fen(text)?, turns: Vec::new() }
        } else {
            let mut game = Game::<P>::new(preset)?;
            let is_number = |word: &str| word.strip_suffix('.').is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
            let words = text.split_whitespace().filter(|word| !is_number(word));
            Self { start: P::start(), turns: words.map(|word| game.play_text(word)).collect::<Result<_>>()? }
        };
        match opening.play(preset)?.outcome() {
            Some(outcome) => Err(Error::GameOver(outcome.to_string())),
            None => Ok(opening),
        }
    }

    /// The game after it.
    ///
    /// # Errors
    /// If its turns are not legal or the variant has no such draw rules.
    pub fn play(&self, preset: Preset) -> Result<Game<P>> {
        let mut game = Game::from_position(self.start, preset)?;
        self.turns.iter().try_for_each(|turn| game.play(turn))?;
        Ok(game)
    }
}

/// A random opening and the key of the position it leads to; `None` if the game is over before or there.
fn random<P: Position>(plies: u32, preset: Preset, rng: &mut Xoshiro256PlusPlus) -> Result<Option<(Opening<P>, u64)>> {
    let mut game = Game::<P>::new(preset)?;
    let mut turns = Vec::new();
    for _ in 0..plies {
        let mut legal = game.turns();
        if legal.is_empty() {
            return Ok(None);
        }
        let turn = legal.swap_remove(rng.random_range(0..legal.len()));
        game.play(&turn)?;
        turns.push(turn);
    }
    Ok(game.outcome().is_none().then(|| (Opening { start: P::start(), turns }, game.position().key())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Russian;

    #[test]
    fn random_openings_differ_while_there_are_enough() {
        // Two turns lead to 49 positions.
        let openings = Openings::<Russian>::Random { plies: 2 };
        let ends = |pairs| {
            let drawn = openings.draw(pairs, Preset::Official, 1).unwrap();
            drawn.iter().map(|o| o.play(Preset::Official).unwrap().position().key()).collect::<HashSet<_>>().len()
        };
        assert_eq!(ends(30), 30);
        assert!(ends(100) <= 49);
    }

    #[test]
    fn an_opening_is_a_position_or_turns() {
        let by_turns = Opening::<Russian>::read("1. c3-d4 d6-c5", Preset::Official).unwrap();
        let game = by_turns.play(Preset::Official).unwrap();
        let by_fen = Opening::<Russian>::read(&game.position().write_fen(), Preset::Official).unwrap();
        assert_eq!(by_fen.start, *game.position());
        assert!(Opening::<Russian>::read("c3-d5", Preset::Official).is_err());
        assert!(Opening::<Russian>::read("B:Wc3:B", Preset::Official).is_err(), "decided already");
    }
}
