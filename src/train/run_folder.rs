//! The folder of a run: what was asked for, what it has made, and what it needs to go on after any end.
//!
//! ```text
//! config.toml       every knob as run          run.json       seed, versions, git hash, machine
//! metrics.jsonl     a line a round             games/         PDN of matches and of some self-play games
//! final.json        the closing table
//! checkpoints/      numbered networks          best.safetensors
//! replay/           the samples of each round  state/NNNNNN/  the rest of what --resume needs, after round NNNNNN
//! lock              held while a process trains here
//! ```
//!
//! Files that a resumed run relies on are written under another name and renamed when complete, so that a run killed at
//! any moment goes on from its last complete round.

use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::files::{sync_folder_of, write_whole};

/// The folder of a run, kept from other processes as long as this lives.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    _lock: File,
}

impl RunFolder {
    /// Makes the folder of a new run: `path`, or `runs/NAME-TIME`.
    ///
    /// # Errors
    /// If the folder exists, or cannot be made and written.
    pub fn create(path: Option<&Path>, config: &Config) -> Result<Self> {
        let path = path.map_or_else(
            || {
                let time = jiff::ZonedDateTime::now().strftime("%Y%m%d-%H%M%S").to_string();
                PathBuf::from("runs").join(format!("{}-{time}", config.run.name()))
            },
            Path::to_owned,
        );
        if path.exists() {
            let way = format!("go on with it by `shashki train --resume {}`, or name another by --run", path.display());
            let reason = format!("this run folder exists already; {way}");
            return Err(Error::io(&path, std::io::Error::new(ErrorKind::AlreadyExists, reason)));
        }
        for part in ["checkpoints", "games", "replay", "state"] {
            let part = path.join(part);
            fs::create_dir_all(&part).map_err(|source| Error::io(&part, source))?;
        }
        let folder = Self { _lock: lock(&path)?, path };
        folder.write_config(config)?;
        let about = json!({
            "seed": config.run.seed,
            "shashki": env!("CARGO_PKG_VERSION"),
            "config_hash": config.hash(),
            "git": git_hash(),
            "started": jiff::ZonedDateTime::now().to_string(),
            "threads": config.threads(),
            "machine": machine(),
        });
        write_whole(&folder.path.join("run.json"), format!("{about:#}\n").as_bytes())?;
        Ok(folder)
    }

    /// Opens the folder of an earlier run, with its config and `overrides` over it.
    ///
    /// # Errors
    /// If there is no such folder, it holds no run, or another process trains in it.
    pub fn open(path: &Path, overrides: &[String]) -> Result<(Self, Config)> {
        let file = path.join("config.toml");
        if !file.is_file() {
            let source =
                std::io::Error::new(std::io::ErrorKind::NotFound, "no config.toml here; expected a run folder");
            return Err(Error::io(path, source));
        }
        let folder = Self { _lock: lock(path)?, path: path.to_owned() };
        folder.clear_away()?;
        let (before, config) = (Config::load(&file, &[])?, Config::load(&file, overrides)?);
        if config.run.seed != before.run.seed {
            // The games so far have their chance from it, and the untrained network its weights.
            return Err(Error::value("run.seed", config.run.seed, format!("{}, as the run began", before.run.seed)));
        }
        Ok((folder, config))
    }

    /// Removes the files that a killed process was just writing.
    fn clear_away(&self) -> Result<()> {
        for part in ["", "checkpoints", "games", "replay"] {
            let part = self.path.join(part);
            for entry in fs::read_dir(&part).map_err(|source| Error::io(&part, source))?.flatten() {
                let path = entry.path();
                if path.extension().is_some_and(|ending| ending == "tmp") {
                    fs::remove_file(&path).map_err(|source| Error::io(&path, source))?;
                }
            }
        }
        Ok(())
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file's name from this folder on.
    #[must_use]
    pub fn name_of(&self, file: &Path) -> PathBuf {
        file.strip_prefix(&self.path).unwrap_or(file).to_owned()
    }

    /// The best network so far.
    #[must_use]
    pub fn best(&self) -> PathBuf {
        self.path.join("best.safetensors")
    }

    /// The network after a round.
    #[must_use]
    pub fn checkpoint(&self, round: u64) -> PathBuf {
        self.path.join("checkpoints").join(format!("{round:06}.safetensors"))
    }

    /// The games of a round in PDN; `kind` tells matches from self-play.
    #[must_use]
    pub fn games(&self, kind: &str, round: u64) -> PathBuf {
        self.path.join("games").join(format!("{kind}-{round:06}.pdn"))
    }

    /// The samples of a round.
    #[must_use]
    pub fn samples(&self, round: u64) -> PathBuf {
        self.path.join("replay").join(format!("{round:06}.bin"))
    }

    /// The rounds whose samples are kept, oldest first.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn sampled_rounds(&self) -> Result<Vec<u64>> {
        numbered(&self.path.join("replay"), ".bin")
    }

    /// Saves the state after a round: `write` fills a folder, which takes its place when it is complete; then the
    /// earlier state goes.
    ///
    /// # Errors
    /// If anything cannot be written; the earlier state stays.
    pub fn save_state(&self, round: u64, write: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
        let states = self.path.join("state");
        let (temporary, whole) = (states.join("unfinished"), self.state_after(round));
        for stale in [&temporary, &whole] {
            if stale.exists() {
                fs::remove_dir_all(stale).map_err(|source| Error::io(stale, source))?;
            }
        }
        fs::create_dir_all(&temporary).map_err(|source| Error::io(&temporary, source))?;
        write(&temporary)?;
        fs::rename(&temporary, &whole).map_err(|source| Error::io(&whole, source))?;
        // The earlier state goes only when this one would outlast a power cut.
        sync_folder_of(&whole)?;
        for earlier in numbered(&states, "")?.into_iter().filter(|&r| r != round) {
            let earlier = states.join(format!("{earlier:06}"));
            fs::remove_dir_all(&earlier).map_err(|source| Error::io(&earlier, source))?;
        }
        Ok(())
    }

    /// The round of the last complete state and its folder; `None` where no round was completed.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn state(&self) -> Result<Option<(u64, PathBuf)>> {
        let last = numbered(&self.path.join("state"), "")?.pop();
        Ok(last.map(|round| (round, self.state_after(round))))
    }

    /// The folder of the state after a round.
    #[must_use]
    pub fn state_after(&self, round: u64) -> PathBuf {
        self.path.join("state").join(format!("{round:06}"))
    }

    /// Writes the config with every knob.
    ///
    /// # Errors
    /// If it cannot be written; the earlier one stays.
    pub fn write_config(&self, config: &Config) -> Result<()> {
        write_whole(&self.path.join("config.toml"), config.to_toml().as_bytes())
    }
}

/// Takes the lock of a run folder. The system releases it with the file, however the process ends.
fn lock(folder: &Path) -> Result<File> {
    let path = folder.join("lock");
    let take = || {
        let mut file = File::options().read(true).write(true).create(true).truncate(false).open(&path)?;
        match file.try_lock() {
            Ok(()) => {
                file.set_len(0)?;
                write!(file, "{}", std::process::id())?;
            }
            Err(TryLockError::WouldBlock) => return Err(ErrorKind::WouldBlock.into()),
            // A disk that knows no locks is no reason not to train.
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
        Ok(file)
    };
    take().map_err(|error: std::io::Error| {
        if error.kind() != ErrorKind::WouldBlock {
            return Error::io(&path, error);
        }
        let holder = fs::read_to_string(&path).unwrap_or_default();
        let holder = if holder.is_empty() { "another process".to_owned() } else { format!("process {holder}") };
        Error::Failed(format!("run folder {} is in use by {holder}", folder.display()))
    })
}

/// The numbers of the entries of a folder named by six digits and `ending`, in order.
fn numbered(folder: &Path, ending: &str) -> Result<Vec<u64>> {
    let entries = fs::read_dir(folder).map_err(|source| Error::io(folder, source))?;
    let mut numbers: Vec<u64> =
        entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(ending)?.parse().ok()).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// The commit checked out in the working directory, if it is one.
fn git_hash() -> Option<String> {
    let output = Command::new("git").args(["rev-parse", "HEAD"]).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Processor, cores and system, as far as they tell.
fn machine() -> serde_json::Value {
    let cpu = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    json!({
        "system": std::env::consts::OS,
        "architecture": std::env::consts::ARCH,
        "processor": cpu,
        "cores": std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, RunFolder) {
        let dir = tempfile::tempdir().unwrap();
        let folder = RunFolder::create(Some(&dir.path().join("run")), &Config::default()).unwrap();
        (dir, folder)
    }

    #[test]
    fn a_folder_that_exists_is_refused_with_the_way_to_resume() {
        let (_dir, folder) = folder();
        let error = RunFolder::create(Some(folder.path()), &Config::default()).unwrap_err();
        assert!(error.to_string().contains("--resume"), "{error}");
    }

    #[test]
    fn what_a_killed_process_was_writing_is_cleared_away() {
        let (_dir, folder) = folder();
        let path = folder.path().to_owned();
        drop(folder);
        let left = ["metrics.jsonl.12.tmp", "replay/000002.bin.12.tmp"].map(|name| path.join(name));
        left.iter().for_each(|file| fs::write(file, "half").unwrap());
        RunFolder::open(&path, &[]).unwrap();
        assert!(left.iter().all(|file| !file.exists()));
    }

    #[test]
    fn another_seed_is_refused() {
        let (_dir, folder) = folder();
        let path = folder.path().to_owned();
        let seed = Config::default().run.seed;
        drop(folder);
        let set = |seed: u64| RunFolder::open(&path, &[format!("run.seed={seed}")]);
        assert!(set(seed).is_ok());
        let refused = set(seed + 1).unwrap_err().to_string();
        assert!(refused.contains("run.seed") && refused.contains("as the run began"), "{refused}");
    }

    #[test]
    fn a_state_that_failed_halfway_leaves_the_earlier_one() {
        let (_dir, folder) = folder();
        assert!(folder.state().unwrap().is_none());
        folder.save_state(1, |dir| write_whole(&dir.join("a"), b"first")).unwrap();
        let failed = folder.save_state(2, |dir| {
            write_whole(&dir.join("a"), b"second")?;
            Err(Error::Interrupted)
        });
        assert!(failed.is_err());
        let (round, state) = folder.state().unwrap().unwrap();
        assert_eq!((round, fs::read(state.join("a")).unwrap().as_slice()), (1, b"first".as_slice()));
        folder.save_state(3, |dir| write_whole(&dir.join("a"), b"third")).unwrap();
        assert_eq!(folder.state().unwrap().unwrap().0, 3);
        assert!(!state.exists());
    }

    #[test]
    fn overrides_of_a_resumed_run_are_kept_once_they_are_written() {
        let (_dir, folder) = folder();
        let path = folder.path().to_owned();
        drop(folder);
        let (folder, config) = RunFolder::open(&path, &["run.minutes=7".to_owned()]).unwrap();
        assert_eq!(config.run.minutes, 7.0);
        drop(folder);
        let (folder, as_before) = RunFolder::open(&path, &[]).unwrap();
        assert_ne!(as_before, config);
        folder.write_config(&config).unwrap();
        drop(folder);
        assert_eq!(RunFolder::open(&path, &[]).unwrap().1, config);
    }

    #[test]
    fn a_folder_in_use_is_refused_until_its_holder_is_gone() {
        let (_dir, folder) = folder();
        let path = folder.path().to_owned();
        let refused = RunFolder::open(&path, &[]).unwrap_err();
        let holder = format!("is in use by process {}", std::process::id());
        assert!(refused.to_string().ends_with(&holder) && refused.exit_status() == 1, "{refused}");
        drop(folder);
        // As a killed process leaves it: with its number, but free.
        fs::write(path.join("lock"), "1").unwrap();
        RunFolder::open(&path, &[]).unwrap();
    }
}
