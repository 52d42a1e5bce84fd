//! How far a run has come, and which files belong to it there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::files::write_whole;

/// The largest count, by far, that a run reaches: from here on not every number is one of `f64`.
const MOST: u64 = 1 << 53;

/// How far a run has come: all that `--resume` needs besides networks, samples and games.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Progress {
    pub round: u64,
    /// Of self-play and learning.
    pub seconds: f64,
    pub games: u64,
    pub hops: u64,
    pub samples: u64,
    pub steps: u64,
    /// Optimiser steps that the samples so far allow but that are less than one.
    pub steps_owed: f64,
    /// The highest score of a network over all rungs, and its games.
    pub best: Option<(f64, u32)>,
    /// The files that belong to it, named from the run folder, and their SHA-256; none in runs of before they were
    /// listed.
    #[serde(default)]
    pub files: Option<BTreeMap<PathBuf, String>>,
}

impl Progress {
    /// Notes a network's score over so many games. Answers whether it becomes the best: unless it is clearly worse, its
    /// score below the highest so far by more than the standard error of their difference.
    pub fn note_score(&mut self, score: f64, games: u32) -> bool {
        let Some((highest, its_games)) = self.best else {
            self.best = Some((score, games));
            return true;
        };
        if score > highest {
            self.best = Some((score, games));
        }
        // A game's result, 0 to 1, has a standard deviation of at most a half.
        let error = (0.25 / f64::from(games.max(1)) + 0.25 / f64::from(its_games.max(1))).sqrt();
        score + error >= highest
    }

    /// Reads the progress after a round.
    ///
    /// # Errors
    /// If the file cannot be read or holds what no run comes to.
    pub fn read(path: &Path, round: u64) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|source| Error::io(path, source))?;
        let wrong = |reason: String| Error::Failed(format!("{}: {reason}", path.display()));
        let progress: Self = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let Self { seconds, games, hops, samples, steps, steps_owed, best, .. } = progress;
        let counts = [("games", games), ("hops", hops), ("samples", samples), ("steps", steps)];
        let out_of_range = |name, value: &dyn ToString, expected: &str| {
            Err(wrong(format!("{name} = {}: expected {expected}", value.to_string())))
        };
        if progress.round != round {
            return out_of_range("round", &progress.round, &format!("{round}, as the folder says"));
        }
        if let Some((name, count)) = counts.iter().find(|(_, count)| *count > MOST) {
            return out_of_range(name, count, &format!("0 to {MOST}"));
        }
        if !(0.0..=1e12).contains(&seconds) {
            return out_of_range("seconds", &seconds, "0 to 1e12");
        }
        if !(0.0..=1.0).contains(&steps_owed) {
            return out_of_range("steps_owed", &steps_owed, "0 to 1");
        }
        match best {
            Some((score, _)) if !(0.0..=1.0).contains(&score) => out_of_range("best", &score, "a score of 0 to 1"),
            _ => Ok(progress),
        }
    }

    /// Writes it whole or not at all.
    ///
    /// # Errors
    /// If the disk does not take it.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self).expect("numbers and names are JSON");
        write_whole(path, text.as_bytes())
    }

    /// Whether a file, named from the run folder, belongs to it.
    pub fn owns(&self, file: &Path) -> bool {
        self.files.as_ref().is_none_or(|files| files.contains_key(file))
    }

    /// Finds out whether every file that belongs to it is there and the one it was.
    ///
    /// # Errors
    /// Naming the first file that is not.
    pub fn check_files(&self, folder: &Path) -> Result<()> {
        for (name, expected) in self.files.iter().flatten() {
            let path = folder.join(name);
            if checksum(&path)? != *expected {
                let reason = format!("not the file that round {} left, by its checksum in progress.json", self.round);
                return Err(Error::Failed(format!("{}: {reason}", path.display())));
            }
        }
        Ok(())
    }
}

/// The SHA-256 of a file in hexadecimal digits.
///
/// # Errors
/// If it cannot be read.
pub(super) fn checksum(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).map_err(|source| Error::io(path, source))?;
    Ok(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_network_does_not_get_worse_by_small_steps() {
        let mut progress = Progress::default();
        let scores = [0.5, 0.7, 0.68, 0.66, 0.64, 0.62, 0.75];
        let becomes_best = scores.map(|score| progress.note_score(score, 160));
        assert_eq!(becomes_best, [true, true, true, true, false, false, true]);
    }

    #[test]
    fn what_no_run_comes_to_is_refused_by_file_and_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("progress.json");
        let read = |spoil: &dyn Fn(&mut Progress)| {
            let mut progress = Progress { round: 2, steps_owed: 0.25, best: Some((0.5, 4)), ..Progress::default() };
            spoil(&mut progress);
            progress.write(&path).unwrap();
            Progress::read(&path, 2).map_err(|error| error.to_string())
        };
        let refused = |words: &str, spoil: &dyn Fn(&mut Progress)| {
            let message = read(spoil).unwrap_err();
            assert!(message.contains("progress.json: ") && message.contains(words), "{message}");
        };
        assert_eq!(read(&|_| {}).unwrap().best, Some((0.5, 4)));
        refused("round = 3", &|progress| progress.round = 3);
        refused("games = 1844674407370955161", &|progress| progress.games = u64::MAX);
        refused("seconds = -1", &|progress| progress.seconds = -1.0);
        refused("steps_owed = 1000", &|progress| progress.steps_owed = 1e300);
        refused("best = 7", &|progress| progress.best = Some((7.0, 1)));
        std::fs::write(&path, "{").unwrap();
        assert!(Progress::read(&path, 2).unwrap_err().to_string().contains("progress.json: EOF"));
    }

    #[test]
    fn a_file_that_is_missing_or_another_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.bin");
        std::fs::write(&file, b"one").unwrap();
        let files = BTreeMap::from([(PathBuf::from("a.bin"), checksum(&file).unwrap())]);
        let progress = Progress { files: Some(files), ..Progress::default() };
        progress.check_files(dir.path()).unwrap();
        std::fs::write(&file, b"two").unwrap();
        let message = || progress.check_files(dir.path()).unwrap_err().to_string();
        assert!(message().contains("a.bin: not the file"), "{}", message());
        std::fs::remove_file(&file).unwrap();
        assert!(message().contains("a.bin: No such file"), "{}", message());
    }
}
