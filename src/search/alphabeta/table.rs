//! The transposition table: what searches found out about positions, shared by threads without a lock.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

use crate::error::{Error, Result};

/// What a stored score says of the true one.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Bound {
    /// The true score is at least this.
    Lower,
    /// The true score is at most this.
    Upper,
    /// The true score is this.
    Exact,
}

/// What a search found out about one position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The score, seen by the side to move; wins and losses are counted from this position.
    pub score: i16,
    /// The position's evaluation without looking ahead, seen by the side to move.
    pub guess: i16,
    /// The number of the best hop.
    pub action: u16,
    /// How many turns deep the search was.
    pub depth: u8,
    /// What the score says.
    pub bound: Bound,
}

impl Entry {
    /// The entry as a word with the search it comes from; never 0.
    const fn pack(self, age: u8) -> u64 {
        let bound = self.bound as u64 + 1;
        self.score as u16 as u64
            | (self.guess as u16 as u64) << 16
            | (self.action as u64) << 32
            | (self.depth as u64) << 48
            | (bound | (age as u64) << 2) << 56
    }

    const fn unpack(word: u64) -> Option<Self> {
        let bound = match word >> 56 & 3 {
            1 => Bound::Lower,
            2 => Bound::Upper,
            3 => Bound::Exact,
            _ => return None,
        };
        Some(Self {
            score: word as u16 as i16,
            guess: (word >> 16) as u16 as i16,
            action: (word >> 32) as u16,
            depth: (word >> 48) as u8,
            bound,
        })
    }
}

const fn age_of(word: u64) -> u8 {
    (word >> 58) as u8
}

/// A place of the table. The first word is the key with the second mixed in: of an entry that two threads wrote at once
/// the halves do not fit, and it is not found (Hyatt and Mann 2002, "A lockless transposition table implementation for
/// parallel search").
#[derive(Debug, Default)]
struct Place([AtomicU64; 2]);

impl Place {
    fn get(&self, key: u64) -> Option<u64> {
        let word = self.0[1].load(Relaxed);
        (self.0[0].load(Relaxed) ^ word == key && word != 0).then_some(word)
    }

    fn set(&self, key: u64, word: u64) {
        self.0[0].store(key ^ word, Relaxed);
        self.0[1].store(word, Relaxed);
    }
}

/// The places that a key may lie in: as many as the processor fetches at once.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Bucket([Place; 4]);

/// Ages are numbered below this.
const AGES: u8 = 64;
/// How many turns of depth a search later an entry is worth less.
const AGEING: i32 = 4;

/// Entries by key. The one that is worth least in its bucket gives way: shallow, or of an earlier search.
#[derive(Debug, Default)]
pub struct Table {
    buckets: OnceLock<Vec<Bucket>>,
    capacity: usize,
    age: AtomicU8,
    /// For how many searches an entry lives, its own included. Dead ones are neither found nor spared.
    lives: AtomicU8,
}

impl Table {
    /// A table of at most `bytes`, and of about as many places as `entries` where fewer suffice: a small one stays in the
    /// processor's cache. Its memory is taken when it is first used.
    #[must_use]
    pub fn new(bytes: usize, entries: usize) -> Self {
        let places = (bytes / size_of::<Place>()).min(entries);
        let capacity = (places / 4).max(1);
        // The largest power of two that fits.
        Self { capacity: 1 << capacity.ilog2(), ..Self::default() }
    }

    /// Its buckets, whether their memory is taken yet or not; 0 of a table that cannot be used.
    #[must_use]
    pub const fn capacity(&self) -> usize {
        self.capacity
    }

    /// Makes the table ready for a search, which finds what earlier ones left or, unless it `keeps` them, nothing.
    ///
    /// # Errors
    /// If the system does not give the memory.
    pub fn begin(&self, keeps: bool) -> Result<()> {
        if !keeps {
            self.end();
        }
        let age = (self.age.load(Relaxed) + 1) % AGES;
        let lives = (self.lives.load(Relaxed) + 1).min(AGES);
        self.age.store(age, Relaxed);
        self.lives.store(lives, Relaxed);
        if self.buckets.get().is_none() {
            let mut buckets = Vec::new();
            let mib = (self.capacity * size_of::<Bucket>()) >> 20;
            buckets
                .try_reserve_exact(self.capacity)
                .map_err(|_| Error::Memory(format!("a table of {mib} MiB; hash=MIB makes it smaller")))?;
            buckets.resize_with(self.capacity, Bucket::default);
            self.buckets.get_or_init(|| buckets);
        }
        // Where ages begin anew, dead entries would pass for living ones.
        if age == 0 && lives < AGES {
            self.clear();
        }
        Ok(())
    }

    /// Ends a series of searches: the next one finds nothing.
    pub fn end(&self) {
        // Entries of all ages live: whatever age comes next would pass for one of theirs.
        if self.lives.swap(0, Relaxed) == AGES {
            self.clear();
        }
    }

    /// By how many searches an entry is older than the present one, if it lives.
    fn searches_since(&self, word: u64) -> Option<u8> {
        let since = self.age.load(Relaxed).wrapping_sub(age_of(word)) % AGES;
        (word != 0 && since < self.lives.load(Relaxed)).then_some(since)
    }

    /// Forgets every entry.
    fn clear(&self) {
        for place in self.buckets.get().into_iter().flatten().flat_map(|bucket| &bucket.0) {
            place.set(0, 0);
        }
    }

    fn bucket(&self, key: u64) -> Option<&Bucket> {
        self.buckets.get()?.get(key as usize & (self.capacity - 1))
    }

    /// What is known of the position of this key.
    #[must_use]
    pub fn probe(&self, key: u64) -> Option<Entry> {
        let bucket = self.bucket(key)?;
        let mut found = bucket.0.iter().filter_map(|place| place.get(key));
        Entry::unpack(found.find(|&word| self.searches_since(word).is_some())?)
    }

    /// Keeps an entry. Does nothing before [`Table::begin`] was called for the first time.
    pub fn store(&self, key: u64, entry: Entry) {
        let Some(bucket) = self.bucket(key) else { return };
        let age = self.age.load(Relaxed);
        let mut worst = (i32::MAX, &bucket.0[0]);
        for place in &bucket.0 {
            let word = place.0[1].load(Relaxed);
            let since = self.searches_since(word);
            if since.is_some() && place.0[0].load(Relaxed) ^ word == key {
                worst.1 = place;
                break;
            }
            let worth = since.map_or(i32::MIN, |since| (word >> 48 & 0xff) as i32 - AGEING * i32::from(since));
            if worth < worst.0 {
                worst = (worth, place);
            }
        }
        worst.1.set(key, entry.pack(age));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(depth: u8) -> Entry {
        Entry { score: -7, guess: 300, action: 279, depth, bound: Bound::Upper }
    }

    fn ready(keeps: bool) -> Table {
        let table = Table::new(1 << 10, usize::MAX);
        table.begin(keeps).unwrap();
        table
    }

    /// Keys of one bucket.
    fn key(n: u64) -> u64 {
        n << 32 | 5
    }

    #[test]
    fn what_was_stored_is_found_as_it_was() {
        let table = ready(false);
        for bound in [Bound::Lower, Bound::Upper, Bound::Exact] {
            let entry = Entry { score: i16::MIN + 1, guess: -1, action: u16::MAX, depth: u8::MAX, bound };
            table.store(key(1), entry);
            assert_eq!(table.probe(key(1)), Some(entry));
        }
        assert_eq!(table.probe(key(2)), None);
    }

    #[test]
    fn the_shallowest_entry_of_a_full_bucket_gives_way() {
        let table = ready(false);
        for (n, depth) in [(1, 5), (2, 3), (3, 9), (4, 4), (5, 1)] {
            table.store(key(n), entry(depth));
        }
        let found: Vec<_> = (1..=5).filter(|&n| table.probe(key(n)).is_some()).collect();
        assert_eq!(found, [1, 3, 4, 5]);
    }

    #[test]
    fn entries_of_earlier_searches_grow_old_where_they_are_kept() {
        let table = ready(true);
        table.store(key(1), entry(8));
        for _ in 0..2 {
            table.begin(true).unwrap();
        }
        assert_eq!(table.probe(key(1)), Some(entry(8)));
        for n in 2..=5 {
            table.store(key(n), entry(1));
        }
        assert_eq!(table.probe(key(1)), None, "two searches ago weighs more than seven turns");
        table.begin(false).unwrap();
        assert_eq!(table.probe(key(5)), None);
    }

    #[test]
    fn a_forgotten_entry_is_never_found_again() {
        let table = ready(false);
        table.store(key(1), entry(8));
        for _ in 0..200 {
            table.begin(false).unwrap();
            assert_eq!(table.probe(key(1)), None);
        }
    }

    #[test]
    fn after_the_end_of_a_long_series_nothing_is_found() {
        let table = ready(true);
        for n in 0..100 {
            table.begin(true).unwrap();
            table.store(key(n) + n % 16, entry(8));
        }
        // An untimed search ends it too.
        table.begin(false).unwrap();
        for _ in 0..100 {
            table.begin(true).unwrap();
            assert!((0..100).all(|n| table.probe(key(n) + n % 16).is_none()));
        }
    }

    #[test]
    fn half_an_entry_is_not_found() {
        let table = ready(false);
        table.store(key(1), entry(8));
        table.bucket(key(1)).unwrap().0[0].0[1].store(entry(7).pack(1), Relaxed);
        assert_eq!(table.probe(key(1)), None);
    }

    #[test]
    fn an_entry_takes_16_bytes_and_a_table_no_more_than_it_may() {
        assert_eq!((size_of::<Place>(), size_of::<Bucket>()), (16, 64));
        assert_eq!(ready(false).buckets.get().map(Vec::len), Some(16));
        assert_eq!(Table::new(1 << 20, 1000).capacity, 128);
    }

    #[test]
    fn memory_that_is_not_there_is_an_error() {
        let error = Table::new(1 << 60, usize::MAX).begin(false).unwrap_err();
        assert!(error.to_string().contains("1099511627776 MiB"), "{error}");
    }

    #[test]
    fn a_used_table_that_keeps_nothing_is_as_good_as_a_new_one() {
        let used = ready(true);
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        for _ in 0..150 {
            let new = ready(false);
            used.begin(false).unwrap();
            for _ in 0..200 {
                let (key, entry) = (random() % 300, entry(random() as u8));
                assert_eq!(used.probe(key), new.probe(key));
                used.store(key, entry);
                new.store(key, entry);
            }
            used.end();
        }
    }
}
