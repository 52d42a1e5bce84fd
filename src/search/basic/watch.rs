//! The watch that stops the basic engine.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use crate::search::limits::{DEFAULT_DEPTH, Limits, MAX_DEPTH};

/// Nodes between two looks at the watch.
const WATCH_INTERVAL: u64 = 2048;

/// Counts nodes and says when to stop.
#[derive(Debug, Default)]
pub(super) struct Watch {
    pub(super) nodes: u64,
    /// The turns to look ahead at most.
    pub(super) deepest: u32,
    most_nodes: Option<u64>,
    deadline: Option<Instant>,
    next_look: u64,
    /// Set by whoever asked, from outside.
    pub(super) stopper: Arc<AtomicBool>,
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
            stopper: std::mem::take(&mut self.stopper),
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
            let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            self.stopped = late || self.stopper.load(Relaxed);
        }
        self.stopped |= self.most_nodes.is_some_and(|most| self.nodes >= most);
        self.stopped
    }
}
