//! The legal hops of a game as a set, a bit an action: small enough that a whole batch is checked in no time.

use crate::board::{Bits, Hops};
use crate::games::position::Position;

/// Words of a set of actions.
pub const fn words<P: Position>() -> usize {
    P::SPEC.actions.div_ceil(64)
}

/// Makes a set of hops.
pub fn set<P: Position>(position: &P, hops: &Hops, set: &mut [u64]) {
    set.fill(0);
    for &hop in hops {
        let action = position.index(hop);
        set[action / 64] |= 1 << (action % 64);
    }
}

/// Whether the action of a caller, which may be any number, is in the set.
pub fn contains(set: &[u64], action: i64) -> bool {
    let word = usize::try_from(action / 64).ok().and_then(|word| set.get(word));
    word.is_some_and(|word| action >= 0 && word >> (action % 64) & 1 == 1)
}

/// How many actions are in the set.
pub fn count(set: &[u64]) -> usize {
    set.iter().map(|word| word.count_ones() as usize).sum()
}

/// The actions of the set, in order.
pub fn actions(set: &[u64]) -> impl Iterator<Item = i64> {
    set.iter().enumerate().flat_map(|(i, &word)| Bits(word).map(move |bit| 64 * i as i64 + i64::from(bit)))
}

/// Writes 1 for each action of the set, 0 for every other.
pub fn write(set: &[u64], mask: &mut [i8]) {
    mask.fill(0);
    for (i, &word) in set.iter().enumerate() {
        for bit in Bits(word) {
            mask[64 * i + bit as usize] = 1;
        }
    }
}
