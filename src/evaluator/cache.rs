//! Evaluations of positions met before, so that the network is asked once for each.

use crate::evaluator::Wdl;

/// The most hops of a position that is kept: with their priors an entry fills two cache lines of 64 bytes.
const MOST_HOPS: usize = 26;

/// What was answered for one leaf.
#[derive(Copy, Clone, Debug)]
#[repr(align(64))]
struct Entry {
    key: u64,
    wdl: Wdl,
    /// How many hops there are; 0 in an entry that holds nothing.
    hops: u32,
    priors: [f32; MOST_HOPS],
}

const NOTHING: Entry = Entry { key: 0, wdl: Wdl::DRAW, hops: 0, priors: [0.0; MOST_HOPS] };

/// Answers of one evaluator by [`Leaf::key`](crate::games::game::Leaf::key), which covers the draw counters as far as a
/// network sees them. A new answer takes the place of an old one; positions of more than 26 hops are not kept.
///
/// A search that starts anew at each hop meets half its positions again, and games share their openings.
///
/// ```
/// use shashki::evaluator::{Cache, Wdl};
///
/// let mut cache = Cache::new(1 << 10);
/// cache.put(7, Wdl::DRAW, &[0.25, 0.75]);
/// assert_eq!(cache.get(7), Some((Wdl::DRAW, [0.25, 0.75].as_slice())));
/// assert_eq!(cache.get(8), None);
/// ```
#[derive(Clone, Debug)]
pub struct Cache {
    entries: Vec<Entry>,
}

impl Cache {
    /// A cache of `entries` answers of 128 bytes each, rounded up to a power of two.
    #[must_use]
    pub fn new(entries: usize) -> Self {
        Self { entries: vec![NOTHING; entries.next_power_of_two()] }
    }

    /// What was answered for the leaf of this key: its value, and the priors of its hops in their order.
    #[must_use]
    pub fn get(&self, key: u64) -> Option<(Wdl, &[f32])> {
        let entry = &self.entries[self.place(key)];
        (entry.key == key && entry.hops > 0).then(|| (entry.wdl, &entry.priors[..entry.hops as usize]))
    }

    /// Keeps an answer.
    pub fn put(&mut self, key: u64, wdl: Wdl, priors: &[f32]) {
        let place = self.place(key);
        let entry = &mut self.entries[place];
        if let Some(kept) = entry.priors.get_mut(..priors.len()) {
            kept.copy_from_slice(priors);
            (entry.key, entry.wdl, entry.hops) = (key, wdl, priors.len() as u32);
        }
    }

    /// Forgets all, as another evaluator would answer otherwise.
    pub fn clear(&mut self) {
        self.entries.fill(NOTHING);
    }

    const fn place(&self, key: u64) -> usize {
        key as usize & (self.entries.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Side;

    #[test]
    fn a_new_answer_takes_the_place_of_an_old_one() {
        let mut cache = Cache::new(3);
        assert_eq!((cache.entries.len(), size_of::<Entry>()), (4, 128));
        cache.put(1, Wdl::DRAW, &[1.0]);
        let won = Wdl::certain(Some(Side::White));
        cache.put(5, won, &[0.5; MOST_HOPS]);
        assert_eq!(cache.get(1), None);
        assert_eq!(cache.get(5), Some((won, [0.5; MOST_HOPS].as_slice())));
        cache.clear();
        assert_eq!((cache.get(5), cache.get(0)), (None, None));
    }

    #[test]
    fn a_position_of_too_many_hops_is_not_kept_and_displaces_nothing() {
        let mut cache = Cache::new(4);
        cache.put(1, Wdl::DRAW, &[1.0]);
        cache.put(5, Wdl::DRAW, &[0.1; MOST_HOPS + 1]);
        assert_eq!(cache.get(5), None);
        assert!(cache.get(1).is_some());
    }
}
