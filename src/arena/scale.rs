//! One Elo scale for many players, from the results of some of them against some others.

use super::elo::{Tally, Z95};

/// The results of two players against each other.
#[derive(Copy, Clone, Debug)]
pub struct Encounter {
    /// The numbers of the players, the first of whom the results are told of.
    pub players: [usize; 2],
    /// What came of it.
    pub tally: Tally,
}

/// Where a player stands.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct Rating {
    /// Elo above the anchor; `None` where no chain of games leads there.
    pub elo: Option<f64>,
    /// Lower end of the 95% interval of that difference.
    pub low: Option<f64>,
    /// Upper end of it.
    pub high: Option<f64>,
    /// Games played.
    pub games: u32,
}

/// Elo of one unit of the natural scale, on which the odds of a win are `e` to the power of the difference.
const ELO_A_UNIT: f64 = 400.0 / std::f64::consts::LN_10;
/// The largest step on the natural scale at which the search for the maximum ends.
const PRECISION: f64 = 1e-10;
/// The most steps of that search, which needs some ten.
const MOST_STEPS: usize = 200;

/// The games between two players, a virtual draw included.
struct Pair {
    players: [usize; 2],
    games: f64,
    /// Of the first of them.
    points: f64,
}

impl Pair {
    /// The first player's expected score.
    fn expected(&self, strengths: &[f64]) -> f64 {
        let [a, b] = self.players.map(|player| strengths[player]);
        1.0 / (1.0 + (b - a).exp())
    }

    /// The logarithm of the likelihood of its results.
    fn likelihood(&self, strengths: &[f64]) -> f64 {
        let [a, b] = self.players.map(|player| strengths[player]);
        // ln(1 / (1 + e^-x)), without overflow.
        let log = |x: f64| x.min(0.0) - (-x.abs()).exp().ln_1p();
        self.points * log(a - b) + (self.games - self.points) * log(b - a)
    }
}

/// Places `players` players on one scale, where the anchor is 0.
///
/// The model is that of Bradley and Terry (1952, "Rank analysis of incomplete block designs"), with draws as half a win and
/// half a loss, fitted by maximum likelihood in Newton's steps. One virtual draw is added to each pair that has met: with it
/// the maximum is finite whatever the scores (without it every player must, directly or not, have taken points from every
/// other: Hunter 2004, "MM algorithms for generalized Bradley-Terry models"). The intervals are those of the observed Fisher
/// information, ±1.96 √(its inverse's diagonal). Draws and the pairing of games make real results vary less than the model
/// says, so the intervals are rather too wide than too narrow.
///
/// # Panics
/// If a number names no player.
#[must_use]
pub fn fit(players: usize, encounters: &[Encounter], anchor: usize) -> Vec<Rating> {
    let pairs = pairs(encounters);
    let mut ratings = vec![Rating::default(); players];
    for encounter in encounters {
        encounter.players.iter().for_each(|&player| ratings[player].games += encounter.tally.games());
    }
    // The unknowns: everybody who is tied to the anchor by games, but for the anchor.
    let unknowns: Vec<usize> = tied(players, &pairs, anchor);
    let mut strengths = vec![0.0; players];
    let mut step = information(&pairs, &strengths, &unknowns).factor().solve(&gradient(&pairs, &strengths, &unknowns));
    for _ in 0..MOST_STEPS {
        let before: f64 = pairs.iter().map(|pair| pair.likelihood(&strengths)).sum();
        let mut next = strengths.clone();
        unknowns.iter().zip(&step).for_each(|(&player, step)| next[player] += step);
        let after: f64 = pairs.iter().map(|pair| pair.likelihood(&next)).sum();
        let longest = step.iter().fold(0.0_f64, |most, step| most.max(step.abs()));
        if longest < PRECISION {
            break;
        }
        if after < before {
            // Too far: the likelihood is concave, so a shorter step the same way climbs.
            step.iter_mut().for_each(|step| *step /= 2.0);
            continue;
        }
        strengths = next;
        step = information(&pairs, &strengths, &unknowns).factor().solve(&gradient(&pairs, &strengths, &unknowns));
    }
    let factor = information(&pairs, &strengths, &unknowns).factor();
    (ratings[anchor].elo, ratings[anchor].low, ratings[anchor].high) = (Some(0.0), Some(0.0), Some(0.0));
    for (i, &player) in unknowns.iter().enumerate() {
        let mut unit = vec![0.0; unknowns.len()];
        unit[i] = 1.0;
        let deviation = factor.solve(&unit)[i].sqrt();
        let [elo, reach] = [strengths[player], Z95 * deviation].map(|units| units * ELO_A_UNIT);
        let rating = &mut ratings[player];
        (rating.elo, rating.low, rating.high) = (Some(elo), Some(elo - reach), Some(elo + reach));
    }
    ratings
}

/// What each pair that has met scored, with its virtual draw.
fn pairs(encounters: &[Encounter]) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = Vec::new();
    for Encounter { players: [a, b], tally } in encounters {
        let (games, points) = (f64::from(tally.games()), f64::from(tally.wins) + f64::from(tally.draws) / 2.0);
        if games == 0.0 || a == b {
            continue;
        }
        match pairs.iter_mut().find(|pair| pair.players == [*a, *b] || pair.players == [*b, *a]) {
            Some(pair) => {
                pair.games += games;
                pair.points += if pair.players[0] == *a { points } else { games - points };
            }
            None => pairs.push(Pair { players: [*a, *b], games: games + 1.0, points: points + 0.5 }),
        }
    }
    pairs
}

/// The players whom a chain of games ties to the anchor, in order, without the anchor.
fn tied(players: usize, pairs: &[Pair], anchor: usize) -> Vec<usize> {
    let mut reached = vec![false; players];
    let mut open = vec![anchor];
    while let Some(player) = open.pop() {
        if !std::mem::replace(&mut reached[player], true) {
            let met = pairs.iter().filter(|pair| pair.players.contains(&player));
            open.extend(met.map(|pair| pair.players[usize::from(pair.players[0] == player)]));
        }
    }
    (0..players).filter(|&player| reached[player] && player != anchor).collect()
}

/// How the likelihood grows with each unknown strength.
fn gradient(pairs: &[Pair], strengths: &[f64], unknowns: &[usize]) -> Vec<f64> {
    let mut all = vec![0.0; strengths.len()];
    for pair in pairs {
        let surplus = pair.points - pair.games * pair.expected(strengths);
        all[pair.players[0]] += surplus;
        all[pair.players[1]] -= surplus;
    }
    unknowns.iter().map(|&player| all[player]).collect()
}

/// The observed information on the unknown strengths: the negative second derivatives of the likelihood.
fn information(pairs: &[Pair], strengths: &[f64], unknowns: &[usize]) -> Matrix {
    let place = |player: usize| unknowns.binary_search(&player).ok();
    let mut matrix = Matrix { n: unknowns.len(), cells: vec![0.0; unknowns.len() * unknowns.len()] };
    for pair in pairs {
        let expected = pair.expected(strengths);
        let weight = pair.games * expected * (1.0 - expected);
        let [a, b] = pair.players.map(place);
        for (i, j, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
            if let (Some(i), Some(j)) = (i, j) {
                matrix.cells[i * matrix.n + j] += sign * weight;
            }
        }
    }
    matrix
}

/// A symmetric, positive definite matrix, row by row.
struct Matrix {
    n: usize,
    cells: Vec<f64>,
}

/// The lower triangle whose product with its transpose is the matrix.
struct Factor(Matrix);

impl Matrix {
    /// Cholesky's decomposition.
    fn factor(mut self) -> Factor {
        let n = self.n;
        for j in 0..n {
            for i in j..n {
                let dot: f64 = (0..j).map(|k| self.cells[i * n + k] * self.cells[j * n + k]).sum();
                let rest = self.cells[i * n + j] - dot;
                self.cells[i * n + j] =
                    if i == j { rest.max(f64::MIN_POSITIVE).sqrt() } else { rest / self.cells[j * n + j] };
            }
        }
        Factor(self)
    }
}

impl Factor {
    fn solve(&self, right: &[f64]) -> Vec<f64> {
        let Matrix { n, cells } = &self.0;
        let mut x = right.to_vec();
        for i in 0..*n {
            let dot: f64 = (0..i).map(|k| cells[i * n + k] * x[k]).sum();
            x[i] = (x[i] - dot) / cells[i * n + i];
        }
        for i in (0..*n).rev() {
            let dot: f64 = (i + 1..*n).map(|k| cells[k * n + i] * x[k]).sum();
            x[i] = (x[i] - dot) / cells[i * n + i];
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::score_of;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn near(value: f64, expected: f64, within: f64) {
        assert!((value - expected).abs() <= within, "{value} is not {expected}");
    }

    fn tally(wins: u32, draws: u32, losses: u32) -> Tally {
        Tally { wins, draws, losses, pairs: [0; 5] }
    }

    fn met(a: usize, b: usize, tally: Tally) -> Encounter {
        Encounter { players: [a, b], tally }
    }

    /// Games between players of known strengths, none drawn.
    fn played(elos: &[f64], pairs: &[[usize; 2]], games: u32, rng: &mut Xoshiro256PlusPlus) -> Vec<Encounter> {
        let meet = |&[a, b]: &[usize; 2]| {
            let mut sum = Tally::default();
            (0..games).for_each(|_| sum.count_game(2 * usize::from(rng.random::<f64>() < score_of(elos[a] - elos[b]))));
            met(a, b, sum)
        };
        pairs.iter().map(meet).collect()
    }

    #[test]
    fn two_players_stand_as_far_apart_as_their_score_and_a_draw_say() {
        let ratings = fit(2, &[met(0, 1, tally(25, 9, 65))], 1);
        // 30 of 100 points with the virtual draw: -400 log10(0.7 / 0.3) = -147.19; information 100 * 0.3 * 0.7 = 21, so
        // ±1.96 * 173.72 / √21 = ±74.30.
        near(ratings[0].elo.unwrap(), -147.19, 0.01);
        near(ratings[0].low.unwrap(), -147.19 - 74.30, 0.01);
        near(ratings[0].high.unwrap(), -147.19 + 74.30, 0.01);
        assert_eq!(ratings[1], Rating { elo: Some(0.0), low: Some(0.0), high: Some(0.0), games: 99 });
    }

    #[test]
    fn known_strengths_lie_within_their_intervals_as_often_as_these_promise() {
        let elos = [0.0, 250.0, 310.0, 480.0, 400.0, 700.0];
        let chain: Vec<_> = (0..5).map(|i| [i, i + 1]).collect();
        let all: Vec<_> = (0..6).flat_map(|a| (a + 1..6).map(move |b| [a, b])).collect();
        for pairs in [chain, all] {
            let (mut inside, mut told) = (0, 0);
            for seed in 0..200 {
                let encounters = played(&elos, &pairs, 100, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
                for (rating, elo) in fit(6, &encounters, 0).iter().zip(elos).skip(1) {
                    told += 1;
                    inside += u32::from(rating.low.unwrap() <= elo && elo <= rating.high.unwrap());
                }
            }
            let share = f64::from(inside) / f64::from(told);
            assert!((0.93..0.985).contains(&share), "{share}");
        }
    }

    #[test]
    fn what_is_expected_exactly_is_found_exactly_but_for_the_virtual_draws() {
        let elos = [0.0, 100.0, 170.0, -60.0];
        let games = 1_000_000;
        let meet = |a: usize, b: usize| {
            let wins = (score_of(elos[a] - elos[b]) * f64::from(games)).round() as u32;
            met(a, b, tally(wins, 0, games - wins))
        };
        let ratings = fit(4, &[meet(0, 1), meet(1, 2), meet(3, 0), meet(2, 3)], 0);
        ratings.iter().zip(elos).for_each(|(rating, elo)| near(rating.elo.unwrap(), elo, 0.01));
    }

    #[test]
    fn perfect_scores_stay_finite() {
        let chain: Vec<_> = (0..20).map(|i| met(i + 1, i, tally(1_000_000, 0, 0))).collect();
        let ratings = fit(21, &chain, 0);
        let step = ratings[1].elo.unwrap();
        // A million wins and a draw: odds of 2,000,001 to 1.
        near(step, 400.0 * 2_000_001_f64.log10(), 0.01);
        for (i, rating) in ratings.iter().enumerate() {
            near(rating.elo.unwrap(), step * i as f64, 0.01);
            assert!(rating.low.unwrap().is_finite() && rating.high.unwrap().is_finite());
        }
        assert!(ratings.windows(2).all(|pair| pair[0].high.unwrap() - pair[0].low.unwrap() < pair[1].high.unwrap() - pair[1].low.unwrap()));
    }

    #[test]
    fn the_order_of_players_and_of_results_does_not_matter() {
        let elos = [0.0, 250.0, 310.0, 480.0, 400.0];
        let all: Vec<_> = (0..5).flat_map(|a| (a + 1..5).map(move |b| [a, b])).collect();
        let encounters = played(&elos, &all, 50, &mut Xoshiro256PlusPlus::seed_from_u64(7));
        let ratings = fit(5, &encounters, 2);
        let moved = |player: usize| (player * 3 + 1) % 5;
        let turned: Vec<_> = encounters
            .iter()
            .rev()
            .map(|encounter| {
                let Tally { wins, draws, losses, .. } = encounter.tally;
                let [a, b] = encounter.players.map(moved);
                met(b, a, tally(losses, draws, wins))
            })
            .collect();
        let again = fit(5, &turned, moved(2));
        for (player, rating) in ratings.iter().enumerate() {
            let other = again[moved(player)];
            assert_eq!(rating.games, other.games);
            for (one, two) in [(rating.elo, other.elo), (rating.low, other.low), (rating.high, other.high)] {
                near(one.unwrap(), two.unwrap(), 1e-6);
            }
        }
    }

    #[test]
    fn who_has_met_nobody_of_the_others_has_no_rating() {
        let ratings = fit(5, &[met(0, 1, tally(3, 0, 1)), met(2, 3, tally(1, 0, 1)), met(4, 0, Tally::default())], 0);
        assert!(ratings[0].elo == Some(0.0) && ratings[1].elo.unwrap() < 0.0);
        assert_eq!(ratings[2], Rating { games: 2, ..Rating::default() });
        assert_eq!(ratings[4], Rating::default());
        assert_eq!(fit(1, &[], 0)[0].elo, Some(0.0));
    }

    #[test]
    fn several_encounters_of_a_pair_count_as_one() {
        let once = fit(2, &[met(0, 1, tally(10, 5, 3))], 0);
        let twice = fit(2, &[met(0, 1, tally(4, 5, 1)), met(1, 0, tally(2, 0, 6))], 0);
        assert_eq!(once, twice);
    }
}
