//! The transposition table of the basic engine.

/// What a stored score says of the true one.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Bound {
    /// The true score is at least this.
    #[default]
    Lower,
    /// The true score is at most this.
    Upper,
    /// The true score is this.
    Exact,
}

/// What a search found out about one position.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Entry {
    key: u64,
    /// The score, seen by the side to move; wins and losses are counted from this position.
    pub score: i16,
    /// The number of the best hop.
    pub action: u16,
    age: u16,
    /// How many turns deep the search was.
    pub depth: u8,
    /// What the score says.
    pub bound: Bound,
}

impl Entry {
    /// What a search of `depth` turns found for the position of this key.
    #[must_use]
    pub const fn new(key: u64, depth: u8, score: i16, bound: Bound, action: u16) -> Self {
        Self { key, score, action, age: 0, depth, bound }
    }
}

/// Entries by key, two places for each: the deeper entry stays, the other gives way.
#[derive(Debug)]
pub(super) struct Table {
    entries: Vec<Entry>,
    capacity: usize,
    /// Entries of another age are forgotten ones.
    age: u16,
}

impl Table {
    /// A table of at most `bytes`, and of at most `entries` where fewer suffice: a small one stays in the processor's
    /// cache. Its memory is taken when it is first used.
    #[must_use]
    pub fn new(bytes: usize, entries: usize) -> Self {
        let fitting = (bytes / size_of::<Entry>()).min(entries).max(2);
        // The largest power of two that fits.
        Self { entries: Vec::new(), capacity: 1 << fitting.ilog2(), age: 0 }
    }

    /// Forgets every entry and makes the table ready for a search.
    pub fn forget(&mut self) {
        self.age = self.age.wrapping_add(1);
        if self.entries.is_empty() || self.age == 0 {
            self.entries.clear();
            self.entries.resize(self.capacity, Entry::default());
            self.age = 1;
        }
    }

    /// What is known of the position of this key.
    #[must_use]
    pub fn probe(&self, key: u64) -> Option<&Entry> {
        let place = self.place(key);
        self.entries.get(place..place + 2)?.iter().find(|entry| entry.key == key && entry.age == self.age)
    }

    /// Keeps an entry. Does nothing before [`Table::forget`] was called for the first time.
    pub fn store(&mut self, entry: Entry) {
        let place = self.place(entry.key);
        let entry = Entry { age: self.age, ..entry };
        let Some([deep, recent]) = self.entries.get_mut(place..place + 2) else { return };
        if deep.age != self.age || deep.key == entry.key {
            *deep = entry;
        } else if entry.depth >= deep.depth {
            *recent = *deep;
            *deep = entry;
        } else {
            *recent = entry;
        }
    }

    const fn place(&self, key: u64) -> usize {
        key as usize & (self.capacity - 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depths(table: &Table, keys: [u64; 3]) -> [Option<u8>; 3] {
        keys.map(|key| table.probe(key).map(|entry| entry.depth))
    }

    #[test]
    fn the_deepest_entry_of_a_place_stays() {
        let mut table = Table::new(1 << 10, usize::MAX);
        table.forget();
        let keys = [1 << 32, 2 << 32, 3 << 32];
        for (key, depth) in keys.into_iter().zip([5, 3, 2]) {
            table.store(Entry::new(key, depth, 0, Bound::Exact, 0));
        }
        assert_eq!(depths(&table, keys), [Some(5), None, Some(2)]);
        table.store(Entry::new(keys[1], 6, 0, Bound::Exact, 0));
        assert_eq!(depths(&table, keys), [Some(5), Some(6), None]);
    }

    #[test]
    fn a_forgotten_entry_is_not_found() {
        let mut table = Table::new(1 << 10, usize::MAX);
        table.store(Entry::new(7, 1, 0, Bound::Exact, 0));
        table.forget();
        table.store(Entry::new(7, 1, 25, Bound::Lower, 4));
        let entry = table.probe(7).unwrap();
        assert_eq!((entry.score, entry.action, entry.bound), (25, 4, Bound::Lower));
        table.forget();
        assert!(table.probe(7).is_none());
        for _ in 0..=u16::MAX {
            table.forget();
        }
        assert!(table.probe(7).is_none());
    }

    #[test]
    fn an_entry_takes_16_bytes_and_a_table_no_more_than_it_may() {
        assert_eq!(size_of::<Entry>(), 16);
        let mut table = Table::new(1 << 10, usize::MAX);
        table.forget();
        assert_eq!(table.entries.len(), 64);
        assert_eq!(Table::new(1 << 20, 1000).capacity, 512);
    }
}
