//! A match as programs read it, from the command line and from Python alike.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::board::Side;
use crate::games::variant::Variant;

use super::elo::{Sprt, Verdict};
use super::{Options, Report};

/// The numbers of a match from the side of its first player, A.
#[derive(Clone, Debug, Serialize)]
pub struct Summary<'a> {
    variant: &'static str,
    a: &'a str,
    b: &'a str,
    games: u32,
    wins: u32,
    draws: u32,
    losses: u32,
    score: Option<f64>,
    elo: Option<f64>,
    elo_low: Option<f64>,
    elo_high: Option<f64>,
    los: f64,
    seconds: f64,
    score_white: Option<f64>,
    score_black: Option<f64>,
    pairs: [u32; 5],
    draws_by: &'a BTreeMap<&'static str, u32>,
    decided_by: &'a BTreeMap<&'static str, u32>,
    mean_turn_seconds: [f64; 2],
    sprt: Option<Test>,
    seed: u64,
    interrupted: bool,
}

/// What came of the sequential test.
#[derive(Copy, Clone, Debug, Serialize)]
pub struct Test {
    /// A is at most this much stronger: the hypothesis H0.
    pub elo0: f64,
    /// A is at least this much stronger: the hypothesis H1.
    pub elo1: f64,
    /// The log of their likelihood ratio.
    pub llr: f64,
    /// Down here H0 is accepted.
    pub low: f64,
    /// Up here H1 is.
    pub high: f64,
    /// Which of them was.
    pub accepted: Option<&'static str>,
}

impl Test {
    /// The test of a match.
    #[must_use]
    pub fn new(sprt: Sprt, report: &Report) -> Self {
        let Sprt { elo0, elo1 } = sprt;
        let (low, high) = Sprt::BOUNDS;
        let accepted = report.verdict.map(|verdict| match verdict {
            Verdict::H0 => "H0",
            Verdict::H1 => "H1",
        });
        Self { elo0, elo1, llr: sprt.llr(&report.tally), low, high, accepted }
    }
}

impl<'a> Summary<'a> {
    /// The numbers of a match between players of these texts, played with these options.
    #[must_use]
    pub fn new<P>(variant: Variant, [a, b]: [&'a str; 2], options: &Options<P>, report: &'a Report) -> Self {
        let (tally, estimate) = (&report.tally, report.tally.estimate());
        let [white, black] = Side::BOTH.map(|side| report.by_colour[side.index()]);
        Self {
            variant: variant.name(),
            a,
            b,
            games: tally.games(),
            wins: tally.wins,
            draws: tally.draws,
            losses: tally.losses,
            score: tally.score(),
            elo: estimate.elo,
            elo_low: estimate.low,
            elo_high: estimate.high,
            los: estimate.los,
            seconds: report.seconds,
            score_white: white.score(),
            score_black: black.score(),
            pairs: tally.pairs,
            draws_by: &report.draws_by,
            decided_by: &report.decided_by,
            mean_turn_seconds: report.mean_turn_s(),
            sprt: options.sprt.map(|sprt| Test::new(sprt, report)),
            seed: options.seed,
            interrupted: report.interrupted,
        }
    }
}
