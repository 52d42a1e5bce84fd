//! Openings: random ones, distinct where that is possible, and those of a file.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::error::{Error, Result};
use crate::games::Preset;
use crate::games::game::Game;
use crate::games::pdn::{Fault, Reader};
use crate::games::position::Position;
use crate::games::turn::Turn;

/// How often an opening is drawn again because the game is over after it or it has been drawn before.
const TRIES: usize = 50;

/// How many turns of each game of a PDN file make an opening, unless told otherwise.
const PDN_PLIES: usize = 8;

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
    /// numbers are skipped). Blank lines and those that begin with `#` count for nothing. A file of games (PDN) gives the
    /// first 8 turns of each, or behind `FILE:PLIES` as many as that says; games of other variants and those that begin
    /// as an earlier one did are passed over.
    ///
    /// # Errors
    /// If the number is none, or the file cannot be read or has a bad line or game, which is then named.
    pub fn read(text: &str, preset: Preset) -> Result<Self> {
        let number = |plies: &str| plies.parse().ok().filter(|n| *n <= 100);
        if let Some(plies) = text.strip_prefix("random:") {
            let expected = "random:PLIES with 0 to 100 plies";
            let plies = number(plies).ok_or_else(|| Error::value("openings", text, expected))?;
            return Ok(Self::Random { plies });
        }
        let with_plies = text.rsplit_once(':').and_then(|(file, plies)| Some((file, number(plies)?)));
        let (path, plies) = match with_plies {
            Some((file, plies)) if !Path::new(text).exists() => (file, Some(plies)),
            _ => (text, None),
        };
        let mut file = BufReader::new(File::open(path).map_err(|source| Error::io(path, source))?);
        let head = file.fill_buf().map_err(|source| Error::io(path, source))?;
        let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
        let games =
            head.starts_with(b"[") || Path::new(path).extension().is_some_and(|e| e.eq_ignore_ascii_case("pdn"));
        let list = match (games, plies) {
            (true, plies) => Opening::of_games(path, file, plies.map_or(PDN_PLIES, |n| n as usize), preset)?,
            (false, None) => Opening::of_lines(path, file, preset)?,
            (false, Some(_)) => return Err(Error::value("openings", text, "a file of games (PDN) before :PLIES")),
        };
        if list.is_empty() {
            let expected =
                if games { format!("a game of {}", P::SPEC.variant) } else { "an opening a line".to_owned() };
            Err(wrong(path, format!("expected {expected}")))
        } else {
            Ok(Self::List(list))
        }
    }

    /// The openings of `pairs` pairs, the same for the same seed.
    ///
    /// # Errors
    /// If no random opening leads to a game that goes on.
    pub fn draw(&self, pairs: usize, preset: Preset, seed: u64) -> Result<Vec<Opening<P>>> {
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
    fn of_lines(path: &str, mut file: impl Read, preset: Preset) -> Result<Vec<Self>> {
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(|source| Error::io(path, source))?;
        let mut list = Vec::new();
        for (line, number) in text.lines().map(str::trim).zip(1..) {
            if !line.is_empty() && !line.starts_with('#') {
                let opening = Self::read(line, preset);
                list.push(opening.map_err(|error| wrong(path, format!("line {number}: {error}")))?);
            }
        }
        Ok(list)
    }

    /// The first turns of each game; of a game that is over by then, those before its end.
    fn of_games(path: &str, file: impl Read, plies: usize, preset: Preset) -> Result<Vec<Self>> {
        let (mut list, mut seen) = (Vec::new(), HashSet::new());
        for text in Reader::new(file) {
            let text = text.map_err(|source| Error::io(path, source))?;
            let failed = |fault: Fault| wrong(path, fault.to_string());
            if text.variant(Some(P::SPEC.variant)).map_err(failed)? != P::SPEC.variant {
                continue;
            }
            let record = text.read::<P>().map_err(failed)?.record;
            let (mut game, mut turns) = (Game::from_position(record.start, preset)?, Vec::new());
            for turn in record.turns.into_iter().take(plies) {
                let mut after = game.clone();
                if after.play(&turn).is_err() || after.outcome().is_some() {
                    break;
                }
                game = after;
                turns.push(turn);
            }
            if game.outcome().is_none() && seen.insert((record.start.write_fen(), turns.clone())) {
                list.push(Self { start: record.start, turns });
            }
        }
        Ok(list)
    }

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

/// An error of what a file of openings holds.
fn wrong(path: &str, reason: String) -> Error {
    Error::io(path, std::io::Error::new(std::io::ErrorKind::InvalidData, reason))
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
    fn a_file_of_games_gives_their_first_turns() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pdn");
        let games = "[GameType \"25\"]\n\n1. c3-d4 d6-c5 2. b2-c3 f6-g5 2-0\n\n[GameType \"41\"]\n\n1. 22-18 *\n\n\
                     [GameType \"25\"]\n\n1. c3-d4 d6-c5 2. e3-f4 *\n\n[FEN \"W:Wc3:Bd4\"]\n\n1. c3:e5 2-0\n";
        std::fs::write(&path, games).unwrap();
        let read = |plies: &str| {
            let text = format!("{}{plies}", path.display());
            let Openings::List(list) = Openings::<Russian>::read(&text, Preset::Official).unwrap() else { panic!() };
            list.iter().map(|opening| opening.turns.len()).collect::<Vec<_>>()
        };
        assert_eq!(read(""), [4, 3, 0], "the game won by a capture is an opening up to there");
        assert_eq!(read(":2"), [2, 0], "two games that begin alike are one opening");
        std::fs::write(&path, "[GameType \"25\"]\n1. c3-d5 *").unwrap();
        let error = Openings::<Russian>::read(path.to_str().unwrap(), Preset::Official).unwrap_err().to_string();
        assert!(error.contains("games.pdn: game 1, line 2: turn"), "{error}");
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
