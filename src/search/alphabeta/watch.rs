//! The watch that stops a search.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::player::Clock;
use crate::search::limits::{DEFAULT_DEPTH, Limits, MAX_DEPTH};

/// Nodes between two looks at the watch: a fraction of a millisecond.
const INTERVAL: u64 = 512;

/// The time of one search.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub(super) struct Times {
    /// After this much no iteration begins any more, where stopping saves time for later turns.
    pub soft: Option<Duration>,
    /// After this much the search stops.
    pub hard: Option<Duration>,
}

impl Times {
    /// The time that limits, a cap on this turn and a clock leave.
    pub fn of(limits: Limits, cap: Option<Duration>, clock: Option<Clock>) -> Self {
        let fixed = limits.time_s.map(seconds);
        let (soft, by_clock) = match clock {
            Some(clock) => {
                let soft = clock.budget_s();
                // A turn that is hard to choose may take several times its share, but never all that is left.
                let hard = (4.0 * soft).min(clock.left_s * 0.3).max(soft).min(clock.most_s());
                (Some(seconds(soft)), Some(seconds(hard)))
            }
            None => (None, None),
        };
        Self { soft, hard: fixed.into_iter().chain(cap).chain(by_clock).min() }
    }

    /// Half as much.
    pub fn half(self) -> Self {
        Self { soft: self.soft.map(|soft| soft / 2), hard: self.hard.map(|hard| hard / 2) }
    }
}

fn seconds(s: f64) -> Duration {
    Duration::try_from_secs_f64(s.max(0.0)).unwrap_or(Duration::MAX)
}

/// Counts nodes and says when to stop.
#[derive(Debug, Default)]
pub(super) struct Watch {
    pub nodes: u64,
    /// The turns to look ahead at most.
    pub deepest: u32,
    most_nodes: Option<u64>,
    began: Option<Instant>,
    times: Times,
    next_look: u64,
    /// Until armed it lets everything pass: the first iteration always ends.
    pub armed: bool,
    pub stopped: bool,
    /// Set by whoever asked, from outside.
    stopper: Arc<AtomicBool>,
    /// Set when the thread that answers has done.
    done: Arc<AtomicBool>,
}

impl Watch {
    /// A watch that this flag stops too.
    pub fn new(done: Arc<AtomicBool>) -> Self {
        Self { done, ..Self::default() }
    }

    /// From now on this flag stops it too.
    pub fn heed(&mut self, stopper: &Arc<AtomicBool>) {
        self.stopper = Arc::clone(stopper);
    }

    /// Starts anew.
    pub fn start(&mut self, limits: Limits, most_nodes: Option<u64>, times: Times) {
        let unlimited = times.hard.is_none() && most_nodes.is_none();
        *self = Self {
            deepest: limits.depth.unwrap_or(if unlimited { DEFAULT_DEPTH } else { MAX_DEPTH }).clamp(1, MAX_DEPTH),
            most_nodes,
            began: times.hard.map(|_| Instant::now()),
            times,
            stopper: std::mem::take(&mut self.stopper),
            done: std::mem::take(&mut self.done),
            ..Self::default()
        };
    }

    /// Whether the search has to stop; once it has, it stays so.
    pub fn over(&mut self) -> bool {
        if self.stopped || !self.armed {
            return self.stopped;
        }
        if self.nodes >= self.next_look {
            self.next_look = self.nodes + INTERVAL;
            self.stopped = self.passed(self.times.hard) || self.stopper.load(Relaxed) || self.done.load(Relaxed);
        }
        self.stopped |= self.most_nodes.is_some_and(|most| self.nodes >= most);
        self.stopped
    }

    /// Whether another iteration is not worth the time; `share` of the time meant for the turn is enough.
    pub fn is_enough(&self, share: f64) -> bool {
        self.passed(self.times.soft.map(|soft| soft.mul_f64(share)))
    }

    fn passed(&self, time: Option<Duration>) -> bool {
        matches!((self.began, time), (Some(began), Some(time)) if began.elapsed() >= time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_turn_takes_what_is_left_on_the_clock() {
        for left_s in [0.002, 0.05, 1.0, 60.0, 3000.0] {
            for increment_s in [0.0, 0.1, 15.0] {
                let times = Times::of(Limits::default(), None, Some(Clock { left_s, increment_s }));
                let [soft, hard] = [times.soft, times.hard].map(|time| time.unwrap().as_secs_f64());
                assert!(soft <= hard && hard < left_s, "{soft} and {hard} of {left_s}+{increment_s}");
            }
        }
    }

    #[test]
    fn the_shortest_of_the_times_holds() {
        let limits = Limits { time_s: Some(0.5), ..Limits::default() };
        let clock = Clock { left_s: 100.0, increment_s: 0.0 };
        let hard = |cap: Option<f64>, clock| Times::of(limits, cap.map(seconds), clock).hard;
        assert_eq!(hard(None, None), Some(seconds(0.5)));
        assert_eq!(hard(Some(0.1), None), Some(seconds(0.1)));
        assert_eq!(hard(Some(0.7), Some(clock)), Some(seconds(0.5)));
    }

    #[test]
    fn a_flag_ends_an_armed_watch_and_lets_the_first_iteration_end() {
        let stopper = Arc::new(AtomicBool::new(true));
        let mut watch = Watch::new(Arc::default());
        watch.heed(&stopper);
        watch.start(Limits::default(), None, Times::default());
        assert!(!watch.over());
        watch.armed = true;
        assert!(watch.over());
    }
}
