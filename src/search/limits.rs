//! How far the classic engine looks, and the watch that stops it.

use std::time::{Duration, Instant};

/// The turns that an engine without limits looks ahead.
pub const DEFAULT_DEPTH: u32 = 6;
/// The most turns that any search looks ahead.
const MAX_DEPTH: u32 = 100;
/// Nodes between two looks at the watch.
const WATCH_INTERVAL: u64 = 2048;

/// How far the engine looks, for each turn. The nearest limit stops it, but never before it has looked one turn ahead.
/// Without any it looks [`DEFAULT_DEPTH`] turns ahead.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct Limits {
    /// Turns (of either side) to look ahead; captures are played out beyond.
    pub depth: Option<u32>,
    /// Seconds.
    pub time_s: Option<f64>,
    /// Positions looked at.
    pub nodes: Option<u64>,
}

impl Limits {
    /// The table entries that a search within these limits can make use of.
    pub(super) fn useful_entries(&self) -> usize {
        let by_depth = self.depth.map(|depth| 1 << (depth.min(20) + 10));
        let by_nodes = self.nodes.map(|nodes| usize::try_from(nodes).unwrap_or(usize::MAX));
        by_depth.into_iter().chain(by_nodes).min().unwrap_or(usize::MAX)
    }
}

/// Counts nodes and says when to stop.
#[derive(Debug, Default)]
pub(super) struct Watch {
    pub(super) nodes: u64,
    /// The turns to look ahead at most.
    pub(super) deepest: u32,
    most_nodes: Option<u64>,
    deadline: Option<Instant>,
    next_look: u64,
    /// Until armed it lets everything pass: the first iteration always ends.
    pub(super) armed: bool,
    pub(super) stopped: bool,
}

impl Watch {
    /// Starts anew, with these limits and what a clock leaves.
    pub(super) fn start(&mut self, limits: Limits, time_cap: Option<Duration>) {
        let time = limits.time_s.map(|s| Duration::try_from_secs_f64(s.max(0.0)).unwrap_or(Duration::MAX));
        let time = time.into_iter().chain(time_cap).min();
        let unlimited = time.is_none() && limits.nodes.is_none();
        *self = Self {
            deepest: limits.depth.unwrap_or(if unlimited { DEFAULT_DEPTH } else { MAX_DEPTH }).clamp(1, MAX_DEPTH),
            most_nodes: limits.nodes,
            deadline: time.and_then(|time| Instant::now().checked_add(time)),
            ..Self::default()
        };
    }

    /// Whether the search has to stop; once it has, it stays so.
    pub(super) fn over(&mut self) -> bool {
        if self.stopped || !self.armed {
            return self.stopped;
        }
        if self.nodes >= self.next_look {
            self.next_look = self.nodes + WATCH_INTERVAL;
            self.stopped = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        }
        self.stopped |= self.most_nodes.is_some_and(|most| self.nodes >= most);
        self.stopped
    }
}
