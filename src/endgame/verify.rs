//! Holds tables against themselves: checksums, and positions against those that their turns lead to.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::board::{Board, Side};
use crate::error::{Error, Result};
use crate::evaluator::Proven;
use crate::games::position::Position;

use super::index::Index;
use super::successors::Walker;
use super::tables::Tables;

/// Numbers that one thread looks at in one go.
const CHUNK: usize = 4096;

/// What was checked.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Verified {
    /// Files, each with all its checksums and counts.
    pub files: usize,
    /// Blocks in them.
    pub blocks: usize,
    /// Positions derived anew from those that their turns lead to.
    pub positions: u64,
}

/// How many positions to derive anew.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Extent {
    /// So many, chosen by a seed, as many in each class; all where there are no more.
    Samples {
        /// How many.
        positions: u64,
        /// Chooses them.
        seed: u64,
    },
    /// All of them.
    All,
}

/// Reads every block against its checksum, counts wins, draws and losses and their lengths anew, and derives positions from
/// those that their turns lead to. Runs on the threads of the rayon pool it is called in; `done` is told of positions on the
/// way.
///
/// # Errors
/// If a block is damaged, a count is wrong, a position is not what its turns make it, or `stop` is raised.
pub fn verify<P: Position>(
    tables: &Tables<P>,
    extent: Extent,
    stop: &AtomicBool,
    done: &(dyn Fn(u64) + Sync),
) -> Result<Verified> {
    let extent = match extent {
        Extent::Samples { positions, .. } if positions >= tables.positions() => Extent::All,
        some => some,
    };
    let mut verified = Verified::default();
    for file in tables.files() {
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        verified.blocks += file.check(tables.rules())?;
        verified.files += 1;
    }
    let classes: Vec<(&Path, &Index)> =
        tables.files().iter().flat_map(|file| file.classes().map(|(index, _)| (file.path(), index))).collect();
    let check = |path: &Path, index: &Index, number: usize, walker: &mut Walker| -> Result<u64> {
        let Some(placement) = index.placement(number) else { return Ok(0) };
        // Either side in turn.
        let board = placement.board(if number.is_multiple_of(2) { Side::White } else { Side::Black });
        check_one(tables, &board, walker).map_err(|error| match error {
            Error::Failed(reason) => super::file::damaged(path, &reason),
            other => other,
        })?;
        Ok(1)
    };
    let chunks =
        |len: u64| (0..len.div_ceil(CHUNK as u64)).map(move |c| c * CHUNK as u64..((c + 1) * CHUNK as u64).min(len));
    let work: Vec<(usize, std::ops::Range<u64>)> = match extent {
        Extent::Samples { positions, .. } => chunks(positions).map(|range| (0, range)).collect(),
        Extent::All => {
            let all = classes.iter().enumerate();
            all.flat_map(|(c, (_, index))| chunks(index.len() as u64).map(move |range| (c, range))).collect()
        }
    };
    let checked = work.into_par_iter().map_init(Walker::default, |walker, (class, range)| {
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        let mut checked = 0;
        match extent {
            Extent::All => {
                let (path, index) = classes[class];
                for number in range.clone() {
                    checked += check(path, index, number as usize, walker)?;
                }
            }
            Extent::Samples { seed, .. } => {
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed ^ range.start.rotate_left(32));
                for sample in range.clone() {
                    let (path, index) = classes[sample as usize % classes.len()];
                    checked += check(path, index, rng.random_range(0..index.len()), walker)?;
                }
            }
        }
        done(range.end - range.start);
        Ok(checked)
    });
    verified.positions = checked.try_reduce(|| 0, |a, b| Ok(a + b))?;
    Ok(verified)
}

/// Holds what a table says of a position against its turns: a win needs a turn to a lost position, and takes one turn more
/// than the quickest; a loss has none but such as lead to won positions, and takes one turn more than the slowest.
fn check_one<P: Position>(tables: &Tables<P>, board: &Board<8, 8>, walker: &mut Walker) -> Result<()> {
    let mut bytes = Vec::new();
    board.pack(&mut bytes);
    let position = P::unpack(&mut bytes.as_slice())?;
    let said = tables.lookup(&position)?;
    let (mut best, mut fault): (Option<Proven>, Option<Error>) = (None, None);
    walker.ends(&position, &mut |after, _| match tables.lookup(after) {
        Ok(Some(Proven { value, turns })) => {
            let turn = Proven { value: -value, turns: if value == 0 { 0 } else { turns + 1 } };
            let better = |best: &Proven| match turn.value - best.value {
                0 => (turn.value == 1 && turn.turns < best.turns) || (turn.value == -1 && turn.turns > best.turns),
                more => more > 0,
            };
            if best.as_ref().is_none_or(better) {
                best = Some(turn);
            }
        }
        Ok(None) => fault = Some(Error::Failed(format!("nothing is known of {}", after.write_fen()))),
        Err(error) => fault = Some(error),
    });
    if let Some(fault) = fault {
        return Err(fault);
    }
    let stuck = || Proven { value: if position.stuck() == Some(position.side()) { 1 } else { -1 }, turns: 0 };
    let expected = best.unwrap_or_else(stuck);
    if said == Some(expected) {
        return Ok(());
    }
    let said = said.map_or_else(|| "nothing".to_owned(), |proven| format!("{proven:?}"));
    Err(Error::Failed(format!("says {said} of {}, its turns make it {expected:?}", position.write_fen())))
}
