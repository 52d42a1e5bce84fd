//! Tables opened for reading: the truth about positions of few pieces.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::board::Board;
use crate::error::{Error, Result};
use crate::evaluator::{Proven, Truth, is_in_time};
use crate::games::Game;
use crate::games::position::Position;

use super::cache::Cache;
use super::clock::Clocks;
use super::file::{self, TableFile};
use super::index::{Index, Placement};
use super::material::{Ending, MOST_PIECES, SLOTS};
use super::successors::{Choice, Code, OVER, Rules, Walker};

/// The tables of a variant in one folder. Any number of threads may ask them.
///
/// Blocks are read where they are needed and kept in a cache, of 64 MiB unless [`Tables::with_cache`] says otherwise.
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use shashki::endgame::{Builder, Tables};
/// use shashki::evaluator::{Proven, Truth};
/// use shashki::games::{Position, Russian};
///
/// let folder = tempfile::tempdir()?;
/// Builder::new::<Russian>(2, folder.path())?.run(&AtomicBool::new(false), &|_| {})?;
/// let tables = Tables::<Russian>::open(folder.path())?;
/// // The king waits on the road that the man must cross.
/// let proven = tables.probe(&Russian::read_fen("W:WKa1:Bh6")?);
/// assert_eq!(proven, Some(Proven { value: 1, turns: 3 }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Tables<P> {
    rules: Rules,
    files: Vec<TableFile>,
    /// For each class, where it is: the numbering, the file and its place there.
    slots: Vec<Option<(Index, usize, usize)>>,
    most_pieces: u32,
    clocks: Clocks,
    cache: Cache,
    /// The first thing that went wrong where no error could be answered, and the file that it went wrong with.
    fault: OnceLock<(PathBuf, String)>,
    variant: PhantomData<fn() -> P>,
}

/// Bytes of blocks that are kept unless said otherwise.
const CACHE: usize = 64 << 20;

impl<P: Position> Tables<P> {
    /// Opens the tables of a folder: all endings up to the most pieces of which none is missing.
    ///
    /// # Errors
    /// If the variant has no tables, the folder holds none of it, or a file is damaged as far as its header and length
    /// tell; what is wrong in the blocks shows when they are read.
    pub fn open(dir: &Path) -> Result<Self> {
        let rules = Rules::of::<P>().ok_or_else(|| no_tables::<P>())?;
        let variant = P::SPEC.variant;
        std::fs::read_dir(dir).map_err(|source| Error::io(dir, source))?;
        let there = |ending: &Ending| file::path(dir, variant, *ending).exists();
        let complete = |pieces: &u32| Ending::up_to(*pieces).iter().all(there);
        let most_pieces = (2..=MOST_PIECES).take_while(complete).last().ok_or_else(|| {
            let expected = format!(
                "no complete set of tables of {variant}; `shashki endgame build --variant {variant} --pieces 4 --dir {}` makes them",
                dir.display()
            );
            file::damaged(dir, &expected)
        })?;
        let open = |ending| TableFile::open(&file::path(dir, variant, ending), variant, ending);
        let files = Ending::up_to(most_pieces).into_iter().map(|ending| Ok((ending, open(ending)?)));
        let files: Vec<(Ending, TableFile)> = files.collect::<Result<_>>()?;
        let clocks = Clocks::new::<P>(&files);
        let files: Vec<TableFile> = files.into_iter().map(|(_, file)| file).collect();
        let mut slots = vec![None; SLOTS];
        for (f, file) in files.iter().enumerate() {
            for (c, (index, _)) in file.classes().enumerate() {
                slots[index.class().slot()] = Some((*index, f, c));
            }
        }
        let (cache, fault) = (Cache::new(CACHE), OnceLock::new());
        Ok(Self { rules, files, slots, most_pieces, clocks, cache, fault, variant: PhantomData })
    }

    /// The same tables with so many bytes of blocks kept.
    #[must_use]
    pub fn with_cache(self, bytes: usize) -> Self {
        Self { cache: Cache::new(bytes), ..self }
    }

    /// What is certain of a position; `None` where the tables do not reach.
    ///
    /// # Errors
    /// If a file is damaged or cannot be read.
    pub fn lookup(&self, position: &P) -> Result<Option<Proven>> {
        let Some(board) = position.plain() else { return Ok(None) };
        let pieces = board.occupied().count_ones() - board.pending().count_ones();
        if board.chain() == 0 {
            return Ok(self.code(position)?.map(|code| self.rules.proven(code)));
        }
        // At least one more piece will be taken.
        if pieces > self.most_pieces + 1 {
            return Ok(None);
        }
        let (mut choice, mut known) = (Choice::default(), Ok(true));
        Walker::default().ends(position, &mut |after, _| match (&known, self.code(after)) {
            (Ok(true), Ok(Some(code))) => choice.add(self.rules, code),
            (Ok(_), Ok(None)) => known = Ok(false),
            (Ok(_), Err(error)) => known = Err(error),
            _ => {}
        });
        Ok(known?.then(|| choice.proven()))
    }

    pub(super) const fn rules(&self) -> Rules {
        self.rules
    }

    pub(super) fn files(&self) -> &[TableFile] {
        &self.files
    }

    /// How many positions there are, each seen by its side to move; some numbers that stand for none are among them.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.files.iter().flat_map(TableFile::classes).map(|(index, _)| index.len() as u64).sum()
    }

    /// The code of a position between two turns.
    fn code(&self, position: &P) -> Result<Option<Code>> {
        let Some(board) = position.plain() else { return Ok(None) };
        if board.occupied().count_ones() > self.most_pieces {
            return Ok(None);
        }
        let side = board.turn();
        if board.side(side) == 0 {
            return Ok(Some(OVER));
        }
        if board.side(!side) == 0 {
            // Whatever is played, the other side has nothing to play then; or there is nothing to play at once.
            return Ok(Some(OVER + u8::from(position.can_move())));
        }
        let placement = Placement::of(board);
        let Some((index, f, class)) = &self.slots[placement.class().slot()] else { return Ok(None) };
        let file = &self.files[*f];
        let (block, at) = file.place(*class, index.number(&placement));
        self.cache.code((*f as u32, block as u32), at, || file.block(block)).map(Some)
    }
}

impl<P: Position> Truth<P> for Tables<P> {
    fn most_pieces(&self) -> u32 {
        self.most_pieces
    }

    /// After the first file that cannot be read nothing is known any more; [`Truth::check`] tells.
    fn probe(&self, position: &P) -> Option<Proven> {
        if self.fault.get().is_some() {
            return None;
        }
        self.lookup(position).unwrap_or_else(|error| {
            // Another thread's may have been the first.
            let _ = self.fault.set(match error {
                Error::Table { path, reason } => (path, reason),
                Error::Io { path, source } => (path, source.to_string()),
                other => (PathBuf::new(), other.to_string()),
            });
            None
        })
    }

    fn check(&self) -> Result<()> {
        match self.fault.get() {
            None => Ok(()),
            Some((path, reason)) => Err(Error::Table { path: path.clone(), reason: reason.clone() }),
        }
    }

    /// Besides short wins those that fit the counters that run, if no counter that starts later can come in their way: the
    /// longest wins of all endings that they can lead to are known.
    fn in_time(&self, game: &Game<P>, turns: u16) -> bool {
        if is_in_time(game, turns) {
            return true;
        }
        // In mid chain there may be more pieces on the board than tables reach.
        let reached = |board: &&Board<8, 8>| board.occupied().count_ones() <= self.most_pieces;
        let Some(class) = game.position().plain().filter(reached).map(|board| Placement::of(board).class()) else {
            return false;
        };
        self.slots[class.slot()].is_some()
            && self.clocks.most(game.draws(), class).is_some_and(|most| turns <= most)
            && game.plies_threatened().is_none_or(|left| turns <= left)
            && !game.repeated()
    }
}

/// That a variant has no tables.
pub(super) fn no_tables<P: Position>() -> Error {
    let variant = P::SPEC.variant;
    Error::value("variant", variant, "one with endgame tables: russian, poddavki")
}
