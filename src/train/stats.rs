//! What a round of self-play was like, in numbers.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde_json::{Value, json};

use crate::board::Side;
use crate::games::game::Outcome;
use crate::games::position::Position;

use super::replay::Sample;

/// Sums over the games and searches of a round; those of several workers add up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoundStats {
    /// Games finished.
    pub games: u64,
    /// Turns of the finished games.
    pub turns: u64,
    /// Hops played.
    pub hops: u64,
    /// Games that White won.
    pub white_wins: u64,
    /// Games drawn, by the name of the rule.
    pub draws: BTreeMap<&'static str, u64>,
    /// Positions the network evaluated.
    pub evaluations: u64,
    /// Positions whose evaluation was known from before.
    pub cached: u64,
    /// Hops chosen by a search.
    pub searches: u64,
    /// Entropies of the searches' policies, in nats.
    pub entropy: f64,
    /// Divergences of the searches' policies from the priors, in nats.
    pub kl: f64,
    /// Seconds in the network, over all threads.
    pub net_s: f64,
    /// Seconds in all, over all threads.
    pub all_s: f64,
}

impl AddAssign<&Self> for RoundStats {
    fn add_assign(&mut self, other: &Self) {
        self.games += other.games;
        self.turns += other.turns;
        self.hops += other.hops;
        self.white_wins += other.white_wins;
        other.draws.iter().for_each(|(&rule, count)| *self.draws.entry(rule).or_default() += count);
        self.evaluations += other.evaluations;
        self.cached += other.cached;
        self.searches += other.searches;
        self.entropy += other.entropy;
        self.kl += other.kl;
        self.net_s += other.net_s;
        self.all_s += other.all_s;
    }
}

impl RoundStats {
    /// Counts a finished game.
    pub fn count_game(&mut self, outcome: Outcome, turns: u32) {
        self.games += 1;
        self.turns += u64::from(turns);
        match outcome.winner {
            Some(side) => self.white_wins += u64::from(side == Side::White),
            None => *self.draws.entry(outcome.reason.name()).or_default() += 1,
        }
    }

    /// Counts a search that answered `policy` where the network had said `priors`.
    pub fn count_search(&mut self, policy: &[f32], priors: impl Iterator<Item = f32>) {
        self.searches += 1;
        for (&share, prior) in policy.iter().zip(priors) {
            if share > 0.0 {
                let (share, prior) = (f64::from(share), f64::from(prior).max(1e-9));
                self.entropy -= share * share.ln();
                self.kl += share * (share / prior).ln();
            }
        }
    }

    /// The share of the searches' leaves whose evaluation was known from before.
    #[must_use]
    pub fn cached_share(&self) -> f64 {
        self.cached as f64 / (self.evaluations + self.cached).max(1) as f64
    }

    fn drawn(&self) -> u64 {
        self.draws.values().sum()
    }

    /// Length of the games in turns and hops, share of draws, White's score.
    #[must_use]
    pub fn play_row(&self) -> Value {
        let games = self.games.max(1) as f64;
        json!({
            "game_length": self.turns as f64 / games,
            "hops": self.hops as f64 / games,
            "draw_rate": self.drawn() as f64 / games,
            "white_score": (self.white_wins as f64 + self.drawn() as f64 / 2.0) / games,
        })
    }

    /// The share of games that each rule drew.
    #[must_use]
    pub fn draw_row(&self) -> Value {
        let games = self.games.max(1) as f64;
        self.draws.iter().map(|(&rule, &count)| (rule.to_owned(), json!(count as f64 / games))).collect()
    }

    /// Mean entropy of the searches' policies and their divergence from the network's, in nats.
    #[must_use]
    pub fn policy_row(&self) -> Value {
        let searches = self.searches.max(1) as f64;
        json!({"entropy": self.entropy / searches, "kl": self.kl / searches})
    }
}

/// Where a round's time went, in seconds of the clock on the wall: those of self-play are means over its threads.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct TimeSpent {
    /// Self-play, until its last thread was done.
    pub self_play_s: f64,
    /// Learning.
    pub learn_s: f64,
    /// The network in self-play.
    pub net_s: f64,
    /// Trees and games in self-play.
    pub search_s: f64,
    /// Drawing and encoding samples, within learning.
    pub encode_s: f64,
}

impl TimeSpent {
    /// The seconds, and the shares in percent of the whole that each stage took, by name: network, search, threads waiting
    /// for the last, encoding, learning. The largest is the bottleneck.
    #[must_use]
    pub fn row(&self) -> Value {
        let Self { self_play_s, learn_s, net_s, search_s, encode_s } = *self;
        let stages = [
            ("net", net_s),
            ("search", search_s),
            ("wait", (self_play_s - net_s - search_s).max(0.0)),
            ("encode", encode_s),
            ("learn", (learn_s - encode_s).max(0.0)),
        ];
        let whole = (self_play_s + learn_s).max(1e-9);
        let share: Value = stages.iter().map(|&(name, s)| (name.to_owned(), json!(100.0 * s / whole))).collect();
        let (bottleneck, _) =
            stages.into_iter().fold(stages[0], |most, stage| if stage.1 > most.1 { stage } else { most });
        json!({
            "self_play_s": self_play_s,
            "learn_s": learn_s,
            "net_s": net_s,
            "search_s": search_s,
            "encode_s": encode_s,
            "percent": share,
            "bottleneck": bottleneck,
        })
    }
}

/// How well the searches' values foretold the results of the games: for the mover's expected score, 0 to 1, the mean
/// squared error (the score of Brier 1950, with draws a half) and the expected calibration error over ten bins.
#[must_use]
pub fn calibration<P: Position>(samples: &[Sample<P>]) -> Value {
    let mut bins = [(0.0, 0.0, 0u32); 10];
    let mut squares = 0.0;
    for sample in samples {
        let side = sample.leaf.position.side();
        let score = |[win, draw, _]: [f32; 3]| f64::from(win + draw / 2.0);
        let (foretold, result) = (score(sample.root.seen_by(side)), score(sample.target(0.0)));
        squares += (foretold - result).powi(2);
        let bin = &mut bins[((foretold * 10.0) as usize).min(9)];
        *bin = (bin.0 + foretold, bin.1 + result, bin.2 + 1);
    }
    let n = samples.len().max(1) as f64;
    let error: f64 = bins.iter().map(|(foretold, result, _)| f64::abs(foretold - result)).sum();
    json!({"squared_error": squares / n, "calibration_error": error / n})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stage_that_took_longest_is_the_bottleneck_and_all_of_the_time_is_told() {
        let spent = TimeSpent { self_play_s: 5.0, learn_s: 5.0, net_s: 3.0, search_s: 1.5, encode_s: 1.0 };
        let row = spent.row();
        assert_eq!(row["bottleneck"], "learn");
        let percent = [("net", 30.0), ("search", 15.0), ("wait", 5.0), ("encode", 10.0), ("learn", 40.0)];
        assert_eq!(row["percent"].as_object().map(|stages| stages.len()), Some(percent.len()));
        percent.iter().for_each(|&(stage, share)| assert_eq!(row["percent"][stage], share, "{stage}"));
    }
}
