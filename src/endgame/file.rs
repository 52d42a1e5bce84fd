//! The file of one ending: a header with counts and the place of each block, then the blocks, compressed one by one.
//!
//! ```text
//! "shkend\r\n"  format: u32  variant: 16 bytes  ending: 16 bytes  classes: u32  codes in a block: u32
//! for each class   codes: u64  wins, draws, losses: u64  longest win, longest loss, longest held: u16
//! for each block   compressed length: u32  CRC-32 of the compressed bytes: u32
//! CRC-32 of all this: u32
//! the blocks: LZ4, the classes behind each other
//! ```
//!
//! Numbers are little-endian, names filled with zeros.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::slice::ParallelSlice;
use serde::Serialize;

use crate::error::{Error, Result};
use crate::files::{WholeFile, read_at};
use crate::games::Variant;

use super::index::Index;
use super::material::Ending;
use super::solve::Solved;
use super::successors::{Code, DRAW, Rules};

const MAGIC: &[u8; 8] = b"shkend\r\n";
const FORMAT: u32 = 2;
const NAME: usize = 16;
/// Bytes before the classes, of a class, of a block.
const HEAD: usize = 8 + 4 + 2 * NAME + 4 + 4;
const CLASS: usize = 4 * 8 + 3 * 2;
const BLOCK: usize = 4 + 4;
/// Codes in a block.
const BLOCK_CODES: usize = 1 << 14;

/// How the positions of one class end.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Counts {
    /// Positions that the side to move wins.
    pub wins: u64,
    /// Positions that nobody wins.
    pub draws: u64,
    /// Positions that the side to move loses.
    pub losses: u64,
    /// Turns of the longest win.
    pub longest_win: u16,
    /// Turns of the longest loss.
    pub longest_loss: u16,
    /// Turns of the longest win of either side while a lone king, facing three pieces with a king, is the only piece on the
    /// main road; 0 where there is none.
    pub longest_held: u16,
}

impl Counts {
    pub(super) fn of(rules: Rules, solved: &Solved) -> Self {
        let chunks = solved.codes.par_chunks(BLOCK_CODES).map(|codes| {
            let mut by_code = [0_u64; 256];
            codes.iter().for_each(|&code| by_code[usize::from(code)] += 1);
            by_code
        });
        let sum = |mut a: [u64; 256], b: [u64; 256]| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
            a
        };
        let by_code = chunks.reduce(|| [0; 256], sum);
        let draws = by_code[usize::from(DRAW)] - solved.empty();
        let mut counts = Self { draws, longest_held: solved.longest_held(), ..Self::default() };
        for (code, &count) in (1..=Code::MAX).zip(&by_code[1..]).filter(|(_, count)| **count > 0) {
            if rules.wins(code) {
                counts.wins += count;
                counts.longest_win = u16::from(code) - 1;
            } else {
                counts.losses += count;
                counts.longest_loss = u16::from(code) - 1;
            }
        }
        counts
    }
}

/// The name of an ending's file.
pub(super) fn path(dir: &Path, variant: Variant, ending: Ending) -> PathBuf {
    dir.join(format!("{variant}-{ending}.table"))
}

/// Writes an ending's file, whole or not at all.
pub(super) fn write(path: &Path, variant: Variant, ending: Ending, classes: &[(Solved, Counts)]) -> Result<()> {
    let blocks: Vec<Vec<u8>> = classes
        .iter()
        .flat_map(|(solved, _)| solved.codes.par_chunks(BLOCK_CODES).map(lz4_flex::block::compress).collect::<Vec<_>>())
        .collect();
    let mut head = MAGIC.to_vec();
    head.extend(FORMAT.to_le_bytes());
    for name in [variant.to_string(), ending.to_string()] {
        head.extend(name.as_bytes());
        head.resize(head.len() + NAME - name.len(), 0);
    }
    head.extend((classes.len() as u32).to_le_bytes());
    head.extend((BLOCK_CODES as u32).to_le_bytes());
    for (solved, counts) in classes {
        for count in [solved.codes.len() as u64, counts.wins, counts.draws, counts.losses] {
            head.extend(count.to_le_bytes());
        }
        head.extend(counts.longest_win.to_le_bytes());
        head.extend(counts.longest_loss.to_le_bytes());
        head.extend(counts.longest_held.to_le_bytes());
    }
    for block in &blocks {
        head.extend((block.len() as u32).to_le_bytes());
        head.extend(crc32fast::hash(block).to_le_bytes());
    }
    head.extend(crc32fast::hash(&head).to_le_bytes());
    let mut file = WholeFile::create(path)?;
    file.write(&head)?;
    blocks.iter().try_for_each(|block| file.write(block))?;
    file.finish()
}

/// Where a block lies, and its checksum.
#[derive(Copy, Clone, Debug)]
struct Block {
    offset: u64,
    len: u32,
    crc: u32,
}

/// The file of an ending, open for reading. Blocks are read when they are asked for.
#[derive(Debug)]
pub(super) struct TableFile {
    path: PathBuf,
    file: File,
    /// Each class: its numbering, counts and first block.
    classes: Vec<(Index, Counts, usize)>,
    blocks: Vec<Block>,
}

impl TableFile {
    /// Opens a file, which must be of this variant and ending and whole as far as its length tells.
    pub fn open(path: &Path, variant: Variant, ending: Ending) -> Result<Self> {
        let file = File::open(path).map_err(|source| Error::io(path, source))?;
        let size = file.metadata().map_err(|source| Error::io(path, source))?.len();
        let bad = |reason: &str| damaged(path, reason);
        let read = |offset: u64, len: usize| {
            let mut bytes = vec![0; len];
            if offset + len as u64 > size {
                return Err(bad("cut short"));
            }
            read_at(&file, &mut bytes, offset).map_err(|source| Error::io(path, source))?;
            Ok(bytes)
        };
        if size < MAGIC.len() as u64 || read(0, MAGIC.len())? != MAGIC {
            return Err(bad("no endgame table"));
        }
        let numbered: Vec<Index> = ending.classes().into_iter().map(Index::new).collect();
        let blocks: usize = numbered.iter().map(|index| index.len().div_ceil(BLOCK_CODES)).sum();
        let len = HEAD + CLASS * numbered.len() + BLOCK * blocks;
        let mut head = read(0, HEAD)?;
        let mut fields = Fields(&head[MAGIC.len()..]);
        let format = fields.u32();
        if format != FORMAT {
            return Err(bad(&format!("of format {format}, expected {FORMAT}")));
        }
        let names = [fields.name(), fields.name()];
        if names != [variant.to_string(), ending.to_string()] {
            return Err(bad(&format!("a table of {} {}, expected {variant} {ending}", names[0], names[1])));
        }
        if [fields.u32(), fields.u32()] != [numbered.len() as u32, BLOCK_CODES as u32] {
            return Err(bad("damaged"));
        }
        head = read(0, len + 4)?;
        let crc = head.split_off(len);
        if crc != crc32fast::hash(&head).to_le_bytes() {
            return Err(bad("its header is damaged"));
        }
        let mut fields = Fields(&head[HEAD..]);
        let (mut classes, mut first) = (Vec::new(), 0);
        for index in numbered {
            if fields.u64() != index.len() as u64 {
                return Err(bad("its header is damaged"));
            }
            let [wins, draws, losses] = std::array::from_fn(|_| fields.u64());
            let [longest_win, longest_loss, longest_held] = std::array::from_fn(|_| fields.u16());
            classes.push((index, Counts { wins, draws, losses, longest_win, longest_loss, longest_held }, first));
            first += index.len().div_ceil(BLOCK_CODES);
        }
        let mut offset = len as u64 + 4;
        let mut block = |_| {
            let block = Block { offset, len: fields.u32(), crc: fields.u32() };
            offset += u64::from(block.len);
            block
        };
        let blocks = (0..blocks).map(&mut block).collect();
        if offset != size {
            return Err(bad(&format!("{size} bytes long, expected {offset}: cut short, or something was added")));
        }
        Ok(Self { path: path.to_owned(), file, classes, blocks })
    }

    /// The numbering of each class.
    pub fn classes(&self) -> impl ExactSizeIterator<Item = (&Index, &Counts)> {
        self.classes.iter().map(|(index, counts, _)| (index, counts))
    }

    /// The block that holds a number of a class, and the number's place in it.
    pub fn place(&self, class: usize, number: usize) -> (usize, usize) {
        (self.classes[class].2 + number / BLOCK_CODES, number % BLOCK_CODES)
    }

    /// Reads a block and holds it against its checksum.
    pub fn block(&self, at: usize) -> Result<Arc<[Code]>> {
        let bad = |reason: &str| damaged(&self.path, &format!("block {at} {reason}"));
        let Block { offset, len, crc } = self.blocks[at];
        let mut bytes = vec![0; len as usize];
        read_at(&self.file, &mut bytes, offset).map_err(|source| match source.kind() {
            std::io::ErrorKind::UnexpectedEof => bad("is cut short"),
            _ => Error::io(&self.path, source),
        })?;
        if crc32fast::hash(&bytes) != crc {
            return Err(bad("is damaged"));
        }
        let codes = self.codes_in(at);
        let block = lz4_flex::block::decompress(&bytes, codes).map_err(|error| bad(&error.to_string()))?;
        if block.len() == codes { Ok(block.into()) } else { Err(bad("is too short")) }
    }

    fn codes_in(&self, block: usize) -> usize {
        let (index, _, first) = self.classes.iter().rfind(|(.., first)| *first <= block).expect("the first is 0");
        (index.len() - (block - first) * BLOCK_CODES).min(BLOCK_CODES)
    }

    /// Reads everything.
    pub fn load(&self) -> Result<Vec<Solved>> {
        self.classes.iter().map(|class| self.solved(class)).collect()
    }

    fn solved(&self, &(index, _, first): &(Index, Counts, usize)) -> Result<Solved> {
        let blocks = (first..first + index.len().div_ceil(BLOCK_CODES)).into_par_iter();
        let blocks: Vec<_> = blocks.map(|at| self.block(at)).collect::<Result<_>>()?;
        Ok(Solved { index, codes: blocks.concat().into() })
    }

    /// Reads every block and counts anew: an error if one is damaged or the counts are others. Answers how many blocks
    /// there are.
    pub fn check(&self, rules: Rules) -> Result<usize> {
        for class in &self.classes {
            if Counts::of(rules, &self.solved(class)?) != class.1 {
                return Err(damaged(&self.path, "its counts are not those of its positions"));
            }
        }
        Ok(self.blocks.len())
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Takes numbers and names off the front of a header that is known to be long enough.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (field, rest) = self.0.split_first_chunk().expect("the header's length is checked");
        self.0 = rest;
        *field
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }

    fn name(&mut self) -> String {
        let bytes: [u8; NAME] = self.take();
        String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned()
    }
}

pub(super) fn damaged(path: &Path, reason: &str) -> Error {
    Error::Table { path: path.to_owned(), reason: reason.to_owned() }
}
