//! Blocks of tables that were read last, for many threads.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::Result;

use super::successors::Code;

/// Locks, so that threads seldom wait for each other.
const SHARDS: usize = 64;

/// A block by its file and its place there.
pub(super) type Key = (u32, u32);

/// Keeps blocks up to a number of codes; of those it drops, the ones asked for since they last might have been dropped
/// go later (second chance).
#[derive(Debug)]
pub(super) struct Cache {
    shards: Vec<Mutex<Shard>>,
    /// Codes that each shard keeps.
    most: usize,
}

#[derive(Debug, Default)]
struct Shard {
    blocks: HashMap<Key, Kept>,
    order: VecDeque<Key>,
    codes: usize,
}

#[derive(Debug)]
struct Kept {
    block: Arc<[Code]>,
    asked: bool,
}

impl Cache {
    /// A cache of so many bytes.
    pub fn new(bytes: usize) -> Self {
        Self { shards: (0..SHARDS).map(|_| Mutex::default()).collect(), most: bytes / SHARDS }
    }

    /// The code at a place of a block, which is read if it is not here.
    pub fn code(&self, key: Key, at: usize, read: impl FnOnce() -> Result<Arc<[Code]>>) -> Result<Code> {
        if let Some(kept) = self.shard(key).blocks.get_mut(&key) {
            kept.asked = true;
            return Ok(kept.block[at]);
        }
        // Others may use the shard meanwhile, and read the same block.
        let block = read()?;
        let code = block[at];
        self.shard(key).put(key, block, self.most);
        Ok(code)
    }

    fn shard(&self, (file, block): Key) -> MutexGuard<'_, Shard> {
        // A panic elsewhere leaves the blocks as good as they were.
        let mixed = (file.wrapping_mul(0x9e37_79b9) ^ block).wrapping_mul(0x85eb_ca6b) >> 16;
        self.shards[mixed as usize % SHARDS].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shard {
    fn put(&mut self, key: Key, block: Arc<[Code]>, most: usize) {
        self.codes += block.len();
        match self.blocks.insert(key, Kept { block, asked: false }) {
            Some(old) => self.codes -= old.block.len(),
            None => self.order.push_back(key),
        }
        while self.codes > most && self.order.len() > 1 {
            let oldest = self.order.pop_front().expect("there are two");
            let kept = self.blocks.get_mut(&oldest).expect("every block in order is kept");
            if std::mem::take(&mut kept.asked) || oldest == key {
                self.order.push_back(oldest);
            } else {
                self.codes -= kept.block.len();
                self.blocks.remove(&oldest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_keeps_to_its_size_and_reads_what_it_dropped_again() {
        let cache = Cache::new(SHARDS * 40);
        let mut reads = 0;
        for round in 0..3 {
            for block in 0..1000 {
                let code = cache.code((0, block), 3, || {
                    reads += 1;
                    Ok(vec![block as u8; 16].into())
                });
                assert_eq!(code.unwrap(), block as u8, "round {round}");
            }
        }
        let kept: usize = cache.shards.iter().map(|shard| shard.lock().unwrap().blocks.len()).sum();
        assert!(kept <= SHARDS * 2 && reads > 2500, "{kept} kept, {reads} read");
        assert_eq!(cache.code((0, 999), 0, || unreachable!("it was read last")).unwrap(), 999_u32 as u8);
    }
}
