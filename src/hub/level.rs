//! How far and how long an engine is to think: the command `level`.

use crate::games::position::Position;
use crate::player::{Clock, Player};

use super::message::Message;

/// The most turns that the time left is kept for.
const MOST_TURNS: f64 = 20.0;
/// The longest thinking time, in seconds.
const LONGEST_S: f64 = 86_400.0;

/// What `level` has said. Without anything the player thinks as it was made to.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Level {
    /// The most turns to look ahead.
    pub depth: Option<u32>,
    /// The most positions to look at.
    pub nodes: Option<u64>,
    move_time_s: Option<f64>,
    time_s: Option<f64>,
    increment_s: f64,
    turns_left: Option<f64>,
    /// Whether a search has begun since: then the next command replaces all, until then it adds.
    pub used: bool,
}

impl Level {
    /// Takes up a command; values that make no sense count as not given, and `infinite` is a day, so that a player does not
    /// stop at its own default depth.
    pub fn read(&mut self, message: &Message) {
        if self.used {
            *self = Self::default();
        }
        let positive = |name: &str| message.number(name).filter(|n| *n > 0.0);
        let replace = |old: &mut Option<f64>, new: Option<f64>| *old = new.or(*old);
        self.depth = positive("depth").map(|n| n.clamp(1.0, 100.0) as u32).or(self.depth);
        self.nodes = positive("nodes").map(|n| n.max(1.0) as u64).or(self.nodes);
        let endless = message.value("infinite").map(|_| LONGEST_S);
        replace(&mut self.move_time_s, message.number("move-time").map(|s| s.max(0.0)).or(endless));
        replace(&mut self.time_s, message.number("time").map(|s| s.max(0.0)));
        self.increment_s = positive("inc").unwrap_or(self.increment_s);
        replace(&mut self.turns_left, positive("moves"));
    }

    /// Tells a player how long it may think: by its clock, or at most so many seconds. Without times it is told nothing.
    pub fn show<P: Position>(&self, player: &mut dyn Player<P>) {
        match (self.clock(), self.seconds()) {
            (Some(clock), _) if self.move_time_s.is_none() && self.turns_left.is_none() => player.show_clock(clock),
            (_, Some(seconds)) => player.limit_time(seconds),
            _ => {}
        }
    }

    fn clock(&self) -> Option<Clock> {
        let left_s = self.time_s?.clamp(0.001, LONGEST_S);
        Some(Clock { left_s, increment_s: self.increment_s.min(LONGEST_S) })
    }

    /// The seconds to think at most; `None` where only the player itself knows an end. Where it is said for how many turns
    /// the time left is, that is an equal share and most of the increment.
    fn seconds(&self) -> Option<f64> {
        let share = self.clock().map(|clock| match self.turns_left {
            Some(turns) => (clock.left_s / turns.clamp(1.0, MOST_TURNS) + 0.8 * clock.increment_s).min(clock.most_s()),
            None => clock.budget_s(),
        });
        self.move_time_s.into_iter().chain(share).reduce(f64::min).map(|s| s.clamp(0.001, LONGEST_S))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(lines: &[&str]) -> Level {
        let mut level = Level::default();
        lines.iter().for_each(|line| level.read(&Message::read(line)));
        level
    }

    #[test]
    fn a_level_is_read_in_each_of_its_forms() {
        assert_eq!(level(&["level depth=7"]).depth, Some(7));
        assert_eq!(level(&["level nodes=1000"]).nodes, Some(1000));
        assert_eq!(level(&["level move-time=0.25"]).seconds(), Some(0.25));
        assert_eq!(level(&["level infinite"]).seconds(), Some(LONGEST_S));
        assert_eq!(level(&["level time=100"]).seconds(), Some(5.0));
        assert_eq!(level(&["level time=100 inc=1"]).seconds(), Some(5.8));
        assert_eq!(level(&["level moves=4 time=100"]).seconds(), Some(25.0));
        let both = level(&["level depth=7", "level move-time=2"]);
        assert_eq!((both.depth, both.seconds()), (Some(7), Some(2.0)));
    }

    #[test]
    fn a_level_after_a_search_replaces_the_one_before() {
        let mut level = level(&["level depth=7"]);
        level.used = true;
        level.read(&Message::read("level move-time=2"));
        assert_eq!((level.depth, level.seconds()), (None, Some(2.0)));
    }

    #[test]
    fn a_level_that_makes_no_sense_never_asks_for_the_impossible() {
        for line in [
            "level",
            "level depth=-1 nodes=0 move-time=-3",
            "level depth=nan time=inf",
            "level time=1e300 inc=-5 moves=0",
            "level time=0 moves=1e300",
            "level depth=1e300 nodes=1e300",
        ] {
            let level = level(&[line]);
            assert!(level.seconds().is_none_or(|s| (0.001..=86_400.0).contains(&s)), "{line}: {level:?}");
            assert!(level.depth.is_none_or(|depth| (1..=100).contains(&depth)), "{line}: {level:?}");
        }
        // The last second is never spent.
        for left in [10.0, 1.0, 0.1] {
            assert!(level(&[&format!("level time={left} moves=1 inc=9")]).seconds().unwrap() < left);
        }
    }
}
