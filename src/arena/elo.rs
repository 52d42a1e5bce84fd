//! What a match's results say: score, Elo with its interval, likelihood of superiority, and the sequential test.

/// Results from the side of the first player. Games come in pairs, one opening played with both colours; the two games of
/// a pair depend on each other, so the spread is measured on pairs.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
    /// Whole pairs in which the first player scored 0, ½, 1, 1½ and 2 points.
    pub pairs: [u32; 5],
}

/// A 95% interval reaches this many standard deviations to each side.
pub(super) const Z95: f64 = 1.959_963_984_540_054;

/// The weight of the pair that is added to the pairs played, spread evenly over its five results: without it, a match in
/// which every pair ends alike would claim to be certain (Agresti and Coull 1998, "Approximate is better than exact").
const PRIOR: f64 = 1.0;

impl Tally {
    /// Games played.
    #[must_use]
    pub const fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// Wins and half the draws over games; `None` before the first game.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        let games = f64::from(self.games());
        (games > 0.0).then(|| (f64::from(self.wins) + f64::from(self.draws) / 2.0) / games)
    }

    /// Counts a game: 2 half points for a win, 1 for a draw.
    pub const fn count_game(&mut self, half_points: usize) {
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }

    /// Counts a pair by its half points, 0 to 4. Its games are counted apart.
    ///
    /// # Panics
    /// If there are more than 4.
    pub const fn count_pair(&mut self, half_points: usize) {
        self.pairs[half_points] += 1;
    }

    /// Mean and variance of a pair's score (0 to 1), each result weighing as often as it came plus `prior / 5`; and the
    /// sum of the weights.
    fn moments(&self, prior: f64) -> (f64, f64, f64) {
        let weights = self.pairs.map(|n| f64::from(n) + prior / 5.0);
        let total: f64 = weights.iter().sum();
        let sum = |f: &dyn Fn(f64) -> f64| -> f64 {
            weights.iter().enumerate().map(|(i, w)| w * f(i as f64 / 4.0)).sum::<f64>() / total
        };
        let mean = sum(&|x| x);
        (mean, sum(&|x| (x - mean).powi(2)), total)
    }

    /// Elo, its 95% interval and the likelihood of superiority.
    ///
    /// The interval is that of the mean score of pairs, `mean ± 1.96 √(variance / pairs)`, read as Elo: the pentanomial
    /// estimate of engine testing (M. Van den Bergh, "Normalized Elo", 2020), here with one pair added for the prior.
    #[must_use]
    pub fn estimate(&self) -> Estimate {
        let (mean, variance, pairs) = self.moments(PRIOR);
        let deviation = (variance / pairs).sqrt();
        Estimate {
            elo: self.score().and_then(elo_of),
            low: elo_of(mean - Z95 * deviation),
            high: elo_of(mean + Z95 * deviation),
            los: normal_cdf((mean - 0.5) / deviation),
        }
    }
}

/// What is known of the difference in strength. Infinite figures are `None`.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Elo by the score.
    pub elo: Option<f64>,
    /// Lower end of its 95% interval.
    pub low: Option<f64>,
    /// Upper end of its 95% interval.
    pub high: Option<f64>,
    /// The likelihood that the first player is the stronger one, 0 to 1.
    pub los: f64,
}

/// The Elo difference at which a score is expected, `-400 log₁₀(1/score - 1)` (Elo 1978, in the logistic form);
/// `None` for scores that no finite difference explains.
///
/// ```
/// use shashki::arena::elo_of;
///
/// assert_eq!(elo_of(0.5), Some(0.0));
/// assert_eq!(elo_of(1.0), None);
/// ```
#[must_use]
pub fn elo_of(score: f64) -> Option<f64> {
    // `0.0 - …` so that an even score is 0, not -0.
    (score > 0.0 && score < 1.0).then(|| 0.0 - 400.0 * (1.0 / score - 1.0).log10())
}

/// The score expected at an Elo difference.
#[must_use]
pub fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// A sequential probability ratio test (Wald 1945) of "the difference is `elo0`" against "it is `elo1`", both errors 5%.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Sprt {
    /// The difference that the test is to reject, in Elo.
    pub elo0: f64,
    /// The difference that it is to accept, in Elo, above `elo0`.
    pub elo1: f64,
}

/// What a sequential test has decided.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The difference is no more than `elo0`.
    H0,
    /// The difference is at least `elo1`.
    H1,
}

impl Sprt {
    /// The log-likelihood ratios at which H0 and H1 are accepted: `ln(β / (1 - α))` and `ln((1 - β) / α)` with α = β = 0.05.
    pub const BOUNDS: (f64, f64) = (-2.944_438_979_166_44, 2.944_438_979_166_44);

    /// The log-likelihood ratio of the pairs, by the normal approximation of the generalized test
    /// `pairs (s₁ - s₀)(2 mean - s₀ - s₁) / (2 variance)` (M. Van den Bergh, "A practical introduction to the GSPRT"); the
    /// variance is taken with one pair added for the prior, so that it is never 0.
    #[must_use]
    pub fn llr(&self, tally: &Tally) -> f64 {
        let pairs: u32 = tally.pairs.iter().sum();
        if pairs == 0 {
            return 0.0;
        }
        let (mean, ..) = tally.moments(0.0);
        let (_, variance, _) = tally.moments(PRIOR);
        let (s0, s1) = (score_of(self.elo0), score_of(self.elo1));
        f64::from(pairs) * (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance)
    }

    /// What the pairs decide, if anything yet.
    #[must_use]
    pub fn verdict(&self, tally: &Tally) -> Option<Verdict> {
        let llr = self.llr(tally);
        if llr <= Self::BOUNDS.0 {
            Some(Verdict::H0)
        } else if llr >= Self::BOUNDS.1 {
            Some(Verdict::H1)
        } else {
            None
        }
    }
}

/// The chance that a standard normal number lies below `x`, to 1e-7 (Abramowitz and Stegun 1964, 26.2.17).
fn normal_cdf(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let polynomial = [1.330_274_429, -1.821_255_978, 1.781_477_937, -0.356_563_782, 0.319_381_530]
        .iter()
        .fold(0.0, |sum, c| (sum + c) * t);
    let tail = (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt() * polynomial;
    if x < 0.0 { tail } else { 1.0 - tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64, within: f64) {
        assert!((value - expected).abs() <= within, "{value} is not {expected}");
    }

    fn pairs(pairs: [u32; 5]) -> Tally {
        let points: u32 = pairs.iter().zip(0..).map(|(n, half)| n * half).sum();
        let games = 2 * pairs.iter().sum::<u32>();
        // Any split into wins, draws and losses with this score will do: as few draws as possible.
        Tally { wins: points / 2, draws: points % 2, losses: games - points / 2 - points % 2, pairs }
    }

    #[test]
    fn a_score_of_three_quarters_is_191_elo() {
        near(elo_of(0.75).unwrap(), 190.848_501_887_865, 1e-9);
        near(score_of(190.848_501_887_865), 0.75, 1e-12);
        near(elo_of(0.25).unwrap(), -190.848_501_887_865, 1e-9);
        assert_eq!((elo_of(0.0), elo_of(1.0), elo_of(1.2)), (None, None, None));
    }

    #[test]
    fn the_normal_distribution_is_tabulated_right() {
        near(normal_cdf(0.0), 0.5, 1e-7);
        near(normal_cdf(1.0), 0.841_344_746, 1e-7);
        near(normal_cdf(-1.959_963_985), 0.025, 1e-7);
        near(normal_cdf(3.0), 0.998_650_102, 1e-7);
    }

    /// The pairs of a published test: 256 games, expected value 0.4375, variance 0.05762, Elo -43.66.
    #[test]
    fn the_moments_of_a_published_test_come_out() {
        let (mean, variance, total) = pairs([13, 37, 50, 25, 3]).moments(0.0);
        near(mean, 0.4375, 1e-12);
        near(variance, 0.057_62, 5e-6);
        near(total, 128.0, 0.0);
        near(pairs([13, 37, 50, 25, 3]).estimate().elo.unwrap(), -43.657_8, 5e-5);
    }

    #[test]
    fn the_interval_of_a_hundred_pairs_is_as_worked_out_by_hand() {
        // 25 pairs each of 0.25 and 0.75, 50 of 0.5: with the prior pair, mean 0.5 and variance
        // (50.4 * 0.0625 + 0.4 * 0.25) / 101 = 0.032178; deviation of the mean 0.017849; 0.5 ± 0.034984; ± 24.35 Elo.
        let estimate = pairs([0, 25, 50, 25, 0]).estimate();
        assert_eq!(estimate.elo, Some(0.0));
        near(estimate.low.unwrap(), -24.35, 0.01);
        near(estimate.high.unwrap(), 24.35, 0.01);
        near(estimate.los, 0.5, 1e-7);
    }

    #[test]
    fn a_clean_sweep_has_no_upper_end_but_a_lower_one() {
        let estimate = pairs([0, 0, 0, 0, 50]).estimate();
        assert_eq!((estimate.elo, estimate.high), (None, None));
        assert!(estimate.low.unwrap() > 400.0);
        assert!(estimate.los > 0.999);
    }

    #[test]
    fn nothing_played_says_nothing() {
        let estimate = Tally::default().estimate();
        assert_eq!((Tally::default().score(), estimate.elo, estimate.low, estimate.high), (None, None, None, None));
        near(estimate.los, 0.5, 1e-7);
    }

    #[test]
    fn the_test_ratio_is_as_worked_out_by_hand() {
        // Mean 0.6, variance with the prior pair: 0.2 of each result, weights 0.2, 10.2, 50.2, 30.2, 10.2 of 101:
        // mean 0.599010, variance 0.040940; s1 - s0 = 0.528751 - 0.5; 2 * 0.6 - 1.028751 = 0.171249;
        // 100 * 0.028751 * 0.171249 / (2 * 0.040940) = 6.013.
        let sprt = Sprt { elo0: 0.0, elo1: 20.0 };
        let tally = pairs([0, 10, 50, 30, 10]);
        near(sprt.llr(&tally), 6.013, 1e-3);
        assert_eq!(sprt.verdict(&tally), Some(Verdict::H1));
        assert_eq!(sprt.verdict(&pairs([10, 30, 50, 10, 0])), Some(Verdict::H0));
        assert_eq!(sprt.verdict(&pairs([0, 1, 5, 3, 1])), None);
    }
}
