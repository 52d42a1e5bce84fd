//! The order in which the basic engine tries hops: the best first cut off the rest.

use crate::board::{Hop, Hops, Side};
use crate::games::Position;

use super::table::Entry;

/// A hop with its number and its rank among the others.
#[derive(Copy, Clone, Debug)]
pub(super) struct Candidate {
    /// The hop.
    pub hop: Hop,
    /// Its number.
    pub action: u16,
    rank: i32,
}

/// No hop has this number.
const NO_ACTION: u16 = u16::MAX;
const TABLE_RANK: i32 = i32::MAX;
const KILLER_RANK: i32 = 1 << 29;
/// Where counts are halved, so that they stay below the killers.
const HISTORY_LIMIT: i32 = 1 << 28;

/// What the search has learnt of hops that cut off others, wherever they were played.
#[derive(Debug, Default)]
pub(super) struct Ordering {
    /// By side and number: how often a hop cut off others, deep searches counting more.
    history: [Vec<i32>; 2],
    /// By level of the search: the last two quiet hops that cut off others there.
    killers: Vec<[u16; 2]>,
}

impl Ordering {
    /// Forgets all, for a variant with so many hop numbers.
    pub fn forget(&mut self, actions: usize) {
        for history in &mut self.history {
            history.clear();
            history.resize(actions, 0);
        }
        self.killers.clear();
    }

    /// Lists the legal hops of a position at a level of the search, each with its rank. `hops` is scratch space.
    pub fn list<P: Position>(
        &mut self,
        position: &P,
        level: usize,
        known: Option<&Entry>,
        hops: &mut Hops,
        out: &mut Vec<Candidate>,
    ) {
        if self.killers.len() <= level {
            self.killers.resize(level + 1, [NO_ACTION; 2]);
        }
        let (history, killers) = (&self.history[position.side().index()], self.killers[level]);
        let best = known.map_or(NO_ACTION, |entry| entry.action);
        position.hops(hops);
        out.clear();
        out.extend(hops.iter().map(|&hop| {
            let action = position.index(hop) as u16;
            let rank = match action {
                _ if action == best => TABLE_RANK,
                _ if action == killers[0] => KILLER_RANK + 1,
                _ if action == killers[1] => KILLER_RANK,
                _ => history[usize::from(action)],
            };
            Candidate { hop, action, rank }
        }));
    }

    /// Learns that a hop cut off the others after a search of `depth` turns.
    pub fn reward(&mut self, side: Side, level: usize, action: u16, depth: u32) {
        let killers = &mut self.killers[level];
        if killers[0] != action {
            *killers = [action, killers[0]];
        }
        let history = &mut self.history[side.index()];
        let count = &mut history[usize::from(action)];
        *count += (depth * depth) as i32;
        if *count >= HISTORY_LIMIT {
            history.iter_mut().for_each(|count| *count /= 2);
        }
    }
}

/// Brings the best of the candidates from `n` on to place `n`. Equal ones keep their order as far as they are not moved.
pub(super) fn bring_best(candidates: &mut [Candidate], n: usize) -> Candidate {
    let mut best = n;
    for i in n + 1..candidates.len() {
        if candidates[i].rank > candidates[best].rank {
            best = i;
        }
    }
    candidates.swap(n, best);
    candidates[n]
}

#[cfg(test)]
mod tests {
    use super::super::table::Bound;
    use super::*;
    use crate::games::Russian;

    #[test]
    fn the_table_comes_first_then_killers_then_history() {
        let position = Russian::start();
        let (mut hops, mut list) = (Hops::new(), Vec::new());
        position.hops(&mut hops);
        let actions: Vec<u16> = hops.iter().map(|&hop| position.index(hop) as u16).collect();
        let mut ordering = Ordering::default();
        ordering.forget(Russian::SPEC.actions);
        ordering.list(&position, 3, None, &mut hops, &mut list);
        ordering.reward(Side::White, 3, actions[2], 9);
        ordering.list(&position, 0, None, &mut hops, &mut list);
        ordering.reward(Side::White, 3, actions[4], 1);
        ordering.reward(Side::White, 3, actions[5], 2);
        let known = Entry::new(0, 1, 0, Bound::Exact, actions[6]);
        ordering.list(&position, 3, Some(&known), &mut hops, &mut list);
        let order: Vec<u16> = (0..4).map(|n| bring_best(&mut list, n).action).collect();
        assert_eq!(order, [actions[6], actions[5], actions[4], actions[2]]);
    }
}
