//! The results of finished matches, kept in a file so that a ladder goes on where it was stopped.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::arena::Tally;
use crate::error::{Error, Result};
use crate::games::Variant;

/// What the lines of the file begin with.
const BEGINNING: &str = "{\"variant\":\"";

/// The result of a match, from the side of its first player.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Match {
    pub variant: String,
    /// Games, openings, rules and seed, in words.
    pub conditions: String,
    pub a: String,
    pub b: String,
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
    /// Pairs of games in which the first player scored 0, ½, 1, 1½ and 2 points.
    pub pairs: [u32; 5],
}

impl Match {
    /// A match to be played.
    pub fn new(variant: Variant, [a, b]: [&str; 2], conditions: String) -> Self {
        let (variant, a, b) = (variant.name().to_owned(), a.to_owned(), b.to_owned());
        Self { variant, conditions, a, b, wins: 0, draws: 0, losses: 0, pairs: [0; 5] }
    }

    /// Takes up what came of it.
    pub fn count(&mut self, tally: &Tally) {
        let Tally { wins, draws, losses, pairs } = *tally;
        (self.wins, self.draws, self.losses, self.pairs) = (wins, draws, losses, pairs);
    }

    pub const fn tally(&self) -> Tally {
        Tally { wins: self.wins, draws: self.draws, losses: self.losses, pairs: self.pairs }
    }

    pub const fn games(&self) -> u32 {
        self.tally().games()
    }

    /// Whether the games and the pairs of games are as many as each other and give as many points.
    fn is_sound(&self) -> bool {
        let [wins, draws, losses] = [self.wins, self.draws, self.losses].map(u64::from);
        let pairs = self.pairs.map(u64::from);
        let half_points: u64 = pairs.iter().zip(0..).map(|(pairs, points)| pairs * points).sum();
        wins + draws + losses == 2 * pairs.iter().sum::<u64>()
            && 2 * wins + draws == half_points
            && half_points + losses > 0
    }

    fn is_like(&self, other: &Self) -> bool {
        let told = |m: &Self| [&m.variant, &m.conditions, &m.a, &m.b].map(Clone::clone);
        told(self) == told(other)
    }
}

/// The file of finished matches, a line of JSON each; nothing where none was named.
pub(super) struct Kept {
    file: Option<(PathBuf, File)>,
    matches: Vec<Match>,
}

impl Kept {
    /// Reads the file, or makes it. A last line without its end, of a run that was cut short, counts for nothing.
    ///
    /// # Errors
    /// If it cannot be read or written, or holds anything else than results of matches; then it stays as it is.
    pub fn open(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else { return Ok(Self { file: None, matches: Vec::new() }) };
        let failed = |source| Error::io(path, source);
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(error)),
        };
        let (whole, rest) = text.split_at(text.rfind('\n').map_or(0, |end| end + 1));
        let damaged = |number: usize, reason: &str| {
            let reason = format!("line {number}: {reason}, expected the result of a match");
            failed(std::io::Error::new(ErrorKind::InvalidData, reason))
        };
        let read = |(line, number): (&str, usize)| {
            let found: Match = serde_json::from_str(line).map_err(|error| damaged(number, &error.to_string()))?;
            if found.is_sound() { Ok(found) } else { Err(damaged(number, "its numbers do not fit together")) }
        };
        let matches = whole.lines().zip(1..).map(read).collect::<Result<Vec<_>>>()?;
        if !(rest.starts_with(BEGINNING) || BEGINNING.starts_with(rest)) {
            return Err(damaged(matches.len() + 1, "something else"));
        }
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(failed)?;
        file.set_len(whole.len() as u64).map_err(failed)?;
        Ok(Self { file: Some((path.to_owned(), file)), matches })
    }

    /// The result of a match that was played before.
    pub fn find(&self, wanted: &Match) -> Option<&Match> {
        self.matches.iter().rev().find(|known| known.is_like(wanted))
    }

    /// Whether no match is known.
    pub fn is_empty(&self) -> bool {
        self.matches.is_empty()
    }

    /// Keeps a result.
    pub fn add(&mut self, played: &Match) -> Result<()> {
        let Some((path, file)) = &mut self.file else { return Ok(()) };
        let line = serde_json::to_string(played).expect("plain numbers and texts are JSON");
        file.write_all(format!("{line}\n").as_bytes()).map_err(|source| Error::io(path, source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_list_of_matches_is_refused_and_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept");
        let mut played = Match::new(Variant::Russian, ["a", "b"], "4 games".to_owned());
        (played.wins, played.draws, played.losses, played.pairs) = (2, 1, 1, [0, 1, 0, 0, 1]);
        let line = serde_json::to_string(&played).unwrap();
        let wrong = line.replace("\"wins\":2", "\"wins\":4294967295");
        for text in ["{\"a\":1}", "notes", &format!("{line}\nnotes"), &format!("{wrong}\n")] {
            std::fs::write(&path, text).unwrap();
            assert!(Kept::open(Some(&path)).is_err(), "{text}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        // A line that was cut short goes.
        for cut in [1, 30] {
            std::fs::write(&path, format!("{line}\n{}", &line[..cut])).unwrap();
            assert_eq!(Kept::open(Some(&path)).unwrap().matches.len(), 1);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{line}\n"));
        }
    }
}
