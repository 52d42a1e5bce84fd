//! The order in which the engine tries hops: the best first cut off the rest.

use crate::board::{Hop, Hops, Side};
use crate::games::Position;

/// A hop with its number and its rank among the others.
#[derive(Copy, Clone, Debug)]
pub struct Candidate {
    /// The hop.
    pub hop: Hop,
    /// Its number.
    pub action: u16,
    rank: i32,
}

/// No hop has this number.
pub const NO_ACTION: u16 = u16::MAX;
const TABLE_RANK: i32 = i32::MAX;
const KILLER_RANK: i32 = 1 << 29;
/// Histories stay within this on either side of 0.
const HISTORY_LIMIT: i32 = 1 << 14;

/// What the search has learnt of hops that cut off others.
#[derive(Debug, Default)]
pub struct Ordering {
    actions: usize,
    /// By side and number: how often a hop cut off others and how often it did not, deep searches counting more.
    history: [Vec<i32>; 2],
    /// By side and number of the other side's last hop: the hop that answered it best.
    answers: [Vec<u16>; 2],
    /// By side, number of the other side's last hop and own number: as the history.
    replies: [Vec<i16>; 2],
    /// By level of the search: the last two hops that cut off others there.
    killers: Vec<[u16; 2]>,
}

impl Ordering {
    /// Forgets all, for a variant with so many hop numbers.
    pub fn forget(&mut self, actions: usize) {
        self.actions = actions;
        for side in 0..2 {
            self.history[side].clear();
            self.history[side].resize(actions, 0);
            self.answers[side].clear();
            self.answers[side].resize(actions, NO_ACTION);
            self.replies[side].clear();
            self.replies[side].resize(actions * actions, 0);
        }
        self.killers.clear();
    }

    /// Lists the legal hops of a position at a level of the search, each with its rank. `best` is the hop that the table
    /// knows, `last` the other side's last one. `hops` is scratch space.
    pub fn list<P: Position>(
        &mut self,
        position: &P,
        level: usize,
        [best, last]: [u16; 2],
        hops: &mut Hops,
        out: &mut Vec<Candidate>,
    ) {
        position.hops(hops);
        out.clear();
        if self.killers.len() <= level {
            self.killers.resize(level + 1, [NO_ACTION; 2]);
        }
        let side = position.side().index();
        let (history, killers) = (&self.history[side], self.killers[level]);
        let answer = self.answers[side].get(usize::from(last)).copied().unwrap_or(NO_ACTION);
        let replies = self.replies[side].chunks_exact(self.actions).nth(usize::from(last));
        out.extend(hops.iter().map(|&hop| {
            let action = position.index(hop) as u16;
            let rank = match action {
                _ if action == best => TABLE_RANK,
                _ if action == killers[0] => KILLER_RANK + 2,
                _ if action == killers[1] => KILLER_RANK + 1,
                _ if action == answer => KILLER_RANK,
                _ => {
                    history[usize::from(action)] + replies.map_or(0, |replies| i32::from(replies[usize::from(action)]))
                }
            };
            Candidate { hop, action, rank }
        }));
    }

    /// Learns that the last of the tried hops cut off the others after a search of `depth` turns, and those before it
    /// did not.
    pub fn reward(&mut self, side: Side, level: usize, last: u16, tried: &[Candidate], depth: i32) {
        let Some((cut, others)) = tried.split_last() else { return };
        let (action, side) = (cut.action, side.index());
        let killers = &mut self.killers[level];
        if killers[0] != action {
            *killers = [action, killers[0]];
        }
        let bonus = (depth * depth * 8).min(HISTORY_LIMIT / 4);
        let last = usize::from(last);
        let known = last < self.actions;
        if known {
            self.answers[side][last] = action;
        }
        let learn = |count: i32, bonus: i32| count + bonus - count * bonus.abs() / HISTORY_LIMIT;
        let mut count = |action: u16, bonus: i32| {
            let action = usize::from(action);
            let history = &mut self.history[side][action];
            *history = learn(*history, bonus);
            if known {
                let reply = &mut self.replies[side][last * self.actions + action];
                *reply = learn(i32::from(*reply), bonus) as i16;
            }
        };
        count(action, bonus);
        others.iter().for_each(|other| count(other.action, -bonus));
    }
}

/// Brings the best of the candidates from `n` on to place `n`. Equal ones keep their order as far as they are not moved.
pub fn bring_best(candidates: &mut [Candidate], n: usize) -> Candidate {
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
    use super::*;
    use crate::games::Russian;

    #[test]
    fn the_table_comes_first_then_killers_then_the_answer_then_history() {
        let position = Russian::start();
        let (mut hops, mut list) = (Hops::new(), Vec::new());
        let mut ordering = Ordering::default();
        ordering.forget(Russian::SPEC.actions);
        ordering.list(&position, 3, [NO_ACTION; 2], &mut hops, &mut list);
        let all = list.clone();
        let mut reward = |level, last, n: usize, depth| {
            ordering.reward(Side::White, level, last, &all[n..=n], depth);
        };
        // The history of two hops, the answer to hop 7, two killers at level 3.
        reward(0, NO_ACTION, 1, 2);
        reward(0, NO_ACTION, 0, 4);
        reward(0, 7, 2, 1);
        reward(3, NO_ACTION, 3, 1);
        reward(3, NO_ACTION, 4, 1);
        ordering.list(&position, 3, [all[5].action, 7], &mut hops, &mut list);
        let order: Vec<u16> = (0..6).map(|n| bring_best(&mut list, n).action).collect();
        assert_eq!(order, [5, 4, 3, 2, 0, 1].map(|n: usize| all[n].action));
    }

    #[test]
    fn hops_that_were_tried_in_vain_come_later() {
        let position = Russian::start();
        let (mut hops, mut list) = (Hops::new(), Vec::new());
        let mut ordering = Ordering::default();
        ordering.forget(Russian::SPEC.actions);
        ordering.list(&position, 9, [NO_ACTION; 2], &mut hops, &mut list);
        let (first, second) = (list[0].action, list[1].action);
        let tried = [list[0], list[2]];
        ordering.reward(Side::White, 9, NO_ACTION, &tried, 5);
        ordering.list(&position, 0, [NO_ACTION; 2], &mut hops, &mut list);
        let order: Vec<u16> = (0..list.len()).map(|n| bring_best(&mut list, n).action).collect();
        assert_eq!((order[0], *order.last().unwrap()), (tried[1].action, first));
        assert_ne!(order[0], second);
    }
}
