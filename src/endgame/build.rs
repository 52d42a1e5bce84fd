//! Builds all tables up to a number of pieces, ending by ending; what is there already is left as it is.

use std::fs;
#[cfg(unix)]
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use crate::error::{Error, Result};
use crate::games::Variant;
use crate::games::position::Position;

use super::file::{self, Counts, TableFile};
use super::index::Index;
use super::material::{Ending, MOST_PIECES};
use super::solve::{Finished, Solved, Solver};
use super::successors::Rules;
use super::tables::no_tables;

/// Bytes of memory beside the positions: the program, threads, blocks on their way to the disk.
const OVERHEAD: u64 = 48 << 20;

/// What there is to build, and where.
#[derive(Clone, Debug)]
pub struct Builder {
    variant: Variant,
    rules: Rules,
    dir: PathBuf,
    endings: Vec<Ending>,
}

/// An ending that is solved and written.
#[derive(Clone, Debug)]
pub struct Built {
    /// Which.
    pub ending: Ending,
    /// How the positions of its classes end: the first force to move, then the second, if they differ.
    pub counts: Vec<Counts>,
    /// The size of its file, in bytes.
    pub bytes: u64,
}

/// What a builder tells on its way.
#[derive(Clone, Debug)]
pub enum Progress {
    /// An ending begins.
    Begun(Ending),
    /// So many of the [`Builder::work`] are done.
    Done(u64),
    /// An ending's file is there.
    Built(Built),
}

impl Builder {
    /// Builds the tables of a variant up to so many pieces in a folder, which is made if it is not there.
    ///
    /// # Errors
    /// If the variant has no tables, the number is not 2 to [`MOST_PIECES`], or a file that is there already is not
    /// whole.
    pub fn new<P: Position>(pieces: u32, dir: &Path) -> Result<Self> {
        let (variant, rules) = (P::SPEC.variant, Rules::of::<P>().ok_or_else(no_tables::<P>)?);
        if !(2..=MOST_PIECES).contains(&pieces) {
            return Err(Error::value("pieces", pieces, format!("2 to {MOST_PIECES}")));
        }
        let builder = Self { variant, rules, dir: dir.to_owned(), endings: Ending::up_to(pieces) };
        for &ending in &builder.endings {
            if builder.path(ending).exists() {
                builder.open(ending)?;
            }
        }
        Ok(builder)
    }

    fn path(&self, ending: Ending) -> PathBuf {
        file::path(&self.dir, self.variant, ending)
    }

    fn open(&self, ending: Ending) -> Result<TableFile> {
        let open = TableFile::open(&self.path(ending), self.variant, ending);
        open.map_err(|error| match error {
            Error::Table { path, reason } => {
                Error::Table { path, reason: format!("{reason}; delete it to build it anew") }
            }
            other => other,
        })
    }

    /// The endings whose files are not there yet.
    pub fn missing(&self) -> Vec<Ending> {
        self.endings.iter().copied().filter(|&ending| !self.path(ending).exists()).collect()
    }

    /// Positions in all files together, seen by the side to move.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.endings.iter().map(|&ending| size(ending)).sum()
    }

    /// The sum of all that [`Progress::Done`] will tell.
    pub fn work(&self) -> u64 {
        self.missing().into_iter().map(|ending| 2 * size(ending)).sum()
    }

    /// Bytes of memory that building what is missing takes at most: of the ending in hand two bytes a position, of those
    /// that its turns lead to one.
    pub fn memory(&self) -> u64 {
        let needed = |ending: Ending| ending.after().into_iter().map(size).sum::<u64>() + 2 * size(ending);
        self.missing().into_iter().map(needed).max().unwrap_or(0) + OVERHEAD
    }

    /// Builds what is missing, on the threads of the rayon pool it is called in. Files appear whole or not at all, so that
    /// a build that was ended, however it was, goes on where it stood. One build at a time may write to a folder.
    ///
    /// # Errors
    /// If another build is at work in the folder, `stop` is raised, the disk fails, a file that is needed is damaged, or a
    /// win is too long to be kept.
    pub fn run(&self, stop: &AtomicBool, progress: &(dyn Fn(Progress) + Sync)) -> Result<Vec<Built>> {
        fs::create_dir_all(&self.dir).map_err(|source| Error::io(&self.dir, source))?;
        let _alone = self.lock()?;
        self.sweep()?;
        let (mut finished, mut all) = (Finished::new(), Vec::new());
        for ending in self.missing() {
            progress(Progress::Begun(ending));
            let after = ending.after();
            finished.keep(&after);
            for &needed in &after {
                if !finished.has(needed) {
                    self.open(needed)?.load()?.into_iter().for_each(|solved| finished.put(solved));
                }
            }
            let done = |positions| progress(Progress::Done(positions));
            let solved = Solver::new(self.rules, &finished, stop, &done).solve(ending)?;
            let counted: Vec<(Solved, Counts)> =
                solved.into_iter().map(|solved| (solved.clone(), Counts::of(self.rules, &solved))).collect();
            let path = self.path(ending);
            file::write(&path, self.variant, ending, &counted)?;
            let bytes = fs::metadata(&path).map_err(|source| Error::io(&path, source))?.len();
            let built = Built { ending, counts: counted.iter().map(|(_, counts)| *counts).collect(), bytes };
            counted.into_iter().for_each(|(solved, _)| finished.put(solved));
            progress(Progress::Built(built.clone()));
            all.push(built);
        }
        Ok(all)
    }

    /// Holds the folder until the file is dropped, so that no other build sweeps away what this one writes. Only Unix lets
    /// a folder be locked.
    #[cfg(unix)]
    fn lock(&self) -> Result<File> {
        let folder = File::open(&self.dir).map_err(|source| Error::io(&self.dir, source))?;
        match folder.try_lock() {
            Err(TryLockError::WouldBlock) => Err(Error::Table {
                path: self.dir.clone(),
                reason: "another build is at work in this folder".to_owned(),
            }),
            // A file system without locks does not keep anybody from building.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(folder),
        }
    }

    #[cfg(not(unix))]
    #[allow(clippy::unnecessary_wraps, reason = "as on Unix")]
    fn lock(&self) -> Result<()> {
        Ok(())
    }

    /// Removes what a build that was killed had not finished writing.
    fn sweep(&self) -> Result<()> {
        let mark = format!("{}-", self.variant);
        for entry in fs::read_dir(&self.dir).map_err(|source| Error::io(&self.dir, source))?.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with(&mark) && name.contains(".table.") && name.ends_with(".tmp") {
                fs::remove_file(entry.path()).map_err(|source| Error::io(entry.path(), source))?;
            }
        }
        Ok(())
    }
}

/// Positions of an ending, of both classes.
fn size(ending: Ending) -> u64 {
    ending.classes().into_iter().map(|class| Index::new(class).len() as u64).sum()
}
