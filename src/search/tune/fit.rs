//! Logistic regression: the weights under which a position's worth best tells how its game ended.
//!
//! The chance that White wins is taken to be `1 / (1 + exp(-worth))`, a draw being half a win, and the weights are those
//! that make the results likeliest, with a penalty on their squares (Andrew Ng, "Feature selection, L1 vs. L2
//! regularization, and rotational invariance", 2004). The loss is convex; L-BFGS (Jorge Nocedal, "Updating quasi-Newton
//! matrices with limited storage", 1980) finds its minimum, each weight scaled by how often its term is there.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde::Serialize;

use crate::board::Side;
use crate::error::{Error, Result};
use crate::games::position::Position;
use crate::threads;

use super::super::heuristic::Heuristic;
use super::games::Played;

/// Parts of the samples that are summed apart, so that the sums do not hang on the number of threads.
const PARTS: usize = 16;
/// Earlier steps that L-BFGS remembers.
const MEMORY: usize = 8;
/// Pieces of positions that are left out: endings are known better than any sum of terms tells.
const FEWEST: u32 = 5;
/// One game of so many is kept apart, to see how the weights do on games they have not seen.
const HELD_OUT: usize = 10;

/// A position, the share of the pieces that are still there, and White's points.
#[derive(Copy, Clone, Debug)]
struct Sample<P> {
    position: P,
    full: f32,
    points: f32,
}

/// Positions to learn from, and positions of other games to check with.
#[derive(Debug)]
pub struct Samples<P> {
    learnt: Vec<Sample<P>>,
    held_out: Vec<Sample<P>>,
}

/// How well something tells the results: mean losses in nats, of the positions learnt from and of those held out.
#[derive(Copy, Clone, Debug, Serialize)]
pub struct Losses {
    /// Of the positions learnt from.
    pub learnt: f64,
    /// Of those of other games.
    pub held_out: f64,
}

impl<P: Heuristic> Samples<P> {
    /// The positions of these games.
    #[must_use]
    pub fn new(games: &[Played<P>]) -> Self {
        let mut samples = Self { learnt: Vec::new(), held_out: Vec::new() };
        let all = f32::from(count(&P::start()) as u16);
        for (n, game) in games.iter().enumerate() {
            let list = if n % HELD_OUT == HELD_OUT - 1 { &mut samples.held_out } else { &mut samples.learnt };
            for &position in &game.positions {
                let pieces = count(&position);
                if pieces >= FEWEST {
                    let full = f32::from(pieces as u16) / all;
                    list.push(Sample { position, full, points: f32::from(game.points) / 2.0 });
                }
            }
        }
        samples
    }

    /// How many positions there are: to learn from, and held out.
    #[must_use]
    pub fn len(&self) -> [usize; 2] {
        [self.learnt.len(), self.held_out.len()]
    }

    /// How many hundredths of a man of the first version's evaluation are worth one unit of the logistic function, and
    /// how well it tells the results so.
    #[must_use]
    pub fn basic(&self) -> (f64, Losses) {
        let worth = |list: &[Sample<P>]| -> Vec<(f64, f64)> {
            let one = |sample: &Sample<P>| {
                let worth = f64::from(sample.position.evaluate());
                let white = sample.position.side() == Side::White;
                (if white { worth } else { -worth }, f64::from(sample.points))
            };
            list.iter().map(one).collect()
        };
        let (learnt, held_out) = (worth(&self.learnt), worth(&self.held_out));
        let loss = |list: &[(f64, f64)], unit: f64| {
            list.iter().map(|&(worth, points)| loss(worth / unit, points)).sum::<f64>() / list.len().max(1) as f64
        };
        // The loss has one minimum in 1 / unit: halving an interval by golden section finds it.
        let (mut low, mut high) = (1e-4, 1e-1);
        for _ in 0..40 {
            let (a, b) = (high - 0.618 * (high - low), low + 0.618 * (high - low));
            if loss(&learnt, 1.0 / a) < loss(&learnt, 1.0 / b) { high = b } else { low = a }
        }
        let unit = 2.0 / (low + high);
        (unit, Losses { learnt: loss(&learnt, unit), held_out: loss(&held_out, unit) })
    }
}

fn count<P: Position>(position: &P) -> u32 {
    let material = position.material(0);
    material.men.iter().chain(&material.kings).map(|&n| u32::from(n)).sum()
}

/// The loss of telling a result by `worth`, in units of the logistic function.
fn loss(worth: f64, points: f64) -> f64 {
    worth.max(0.0) + (-worth.abs()).exp().ln_1p() - points * worth
}

/// The worth of a position to White.
fn worth<P: Heuristic>(sample: &Sample<P>, weights: &[f64]) -> f64 {
    let (mut full, mut empty) = (0.0, 0.0);
    sample.position.terms(|term, times| {
        full += f64::from(times) * weights[2 * term];
        empty += f64::from(times) * weights[2 * term + 1];
    });
    let share = f64::from(sample.full);
    full * share + empty * (1.0 - share)
}

/// The sum of the losses and its gradient, and how often each weight counts where `squares` are wanted in its place.
fn sum<P: Heuristic>(list: &[Sample<P>], weights: &[f64], out: &mut [f64], squares: bool) -> f64 {
    out.fill(0.0);
    let mut total = 0.0;
    for sample in list {
        let (share, points) = (f64::from(sample.full), f64::from(sample.points));
        let slope = if squares {
            0.0
        } else {
            let worth = worth(sample, weights);
            total += loss(worth, points);
            1.0 / (1.0 + (-worth).exp()) - points
        };
        sample.position.terms(|term, times| {
            let times = f64::from(times);
            let (full, empty) = (times * share, times * (1.0 - share));
            out[2 * term] += if squares { full * full } else { slope * full };
            out[2 * term + 1] += if squares { empty * empty } else { slope * empty };
        });
    }
    total
}

/// [`sum`] over all, by several threads.
fn sum_all<P: Heuristic>(list: &[Sample<P>], weights: &[f64], threads: usize, out: &mut [f64], squares: bool) -> f64 {
    let chunk = list.len().div_ceil(PARTS).max(1);
    let parts: Vec<_> = list.chunks(chunk).map(|part| (part, Mutex::new((0.0, vec![0.0; weights.len()])))).collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads::count(threads).min(parts.len()) {
            scope.spawn(|| {
                while let Some((part, place)) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut place = place.lock().expect("each part is summed by one thread");
                    let (total, slopes) = &mut *place;
                    *total = sum(part, weights, slopes, squares);
                }
            });
        }
    });
    out.fill(0.0);
    let mut total = 0.0;
    for (_, place) in parts {
        let (part, slopes) = place.into_inner().expect("the threads have ended");
        total += part;
        out.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += slope);
    }
    total
}

/// Finds the weights, two a term, for a full board and for an empty one, in units of the logistic function, in at most so
/// many steps. `on_step` is told of each how well the weights do.
///
/// # Errors
/// [`Error::Interrupted`] once `stop` is true.
pub fn fit<P: Heuristic>(
    samples: &Samples<P>,
    penalty: f64,
    steps: u32,
    threads: usize,
    stop: &AtomicBool,
    on_step: &mut dyn FnMut(u32, Losses),
) -> Result<(Vec<f64>, Losses)> {
    let n = 2 * P::TERMS;
    let (learnt, held_out) = (&samples.learnt, &samples.held_out);
    let size = learnt.len().max(1) as f64;
    let objective = |weights: &[f64], slopes: &mut [f64]| {
        let total = sum_all(learnt, weights, threads, slopes, false);
        slopes.iter_mut().zip(weights).for_each(|(slope, weight)| *slope += penalty * weight);
        (total, total + penalty / 2.0 * dot(weights, weights))
    };
    let mut weights = vec![0.0; n];
    // A start for the inverse of the second derivatives: a fair game's, p (1 - p) = 1/4, weight by weight.
    let mut scale = vec![0.0; n];
    sum_all(learnt, &weights, threads, &mut scale, true);
    scale.iter_mut().for_each(|squares| *squares = 1.0 / (0.25 * *squares + penalty));
    let mut slopes = vec![0.0; n];
    let (mut total, mut value) = objective(&weights, &mut slopes);
    let mut memory: VecDeque<(Vec<f64>, Vec<f64>, f64)> = VecDeque::new();
    let mut scratch = vec![0.0; n];
    let mut step = 0;
    loop {
        let held = sum_all(held_out, &weights, threads, &mut scratch, false);
        let losses = Losses { learnt: total / size, held_out: held / held_out.len().max(1) as f64 };
        on_step(step, losses);
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        let direction = direction(&slopes, &memory, &scale);
        let fall = dot(&direction, &slopes);
        if step == steps || -fall < 1e-7 * size {
            return Ok((weights, losses));
        }
        step += 1;
        let mut length = 1.0;
        let moved = loop {
            let moved: Vec<_> = weights.iter().zip(&direction).map(|(w, d)| w + length * d).collect();
            let (new_total, new_value) = objective(&moved, &mut scratch);
            if new_value <= value + 1e-4 * length * fall || length < 1e-3 {
                (total, value) = (new_total, new_value);
                break moved;
            }
            length /= 2.0;
        };
        let change: Vec<_> = moved.iter().zip(&weights).map(|(new, old)| new - old).collect();
        let turn: Vec<_> = scratch.iter().zip(&slopes).map(|(new, old)| new - old).collect();
        let product = dot(&change, &turn);
        if product > 0.0 {
            memory.push_back((change, turn, 1.0 / product));
            if memory.len() > MEMORY {
                memory.pop_front();
            }
        }
        weights = moved;
        std::mem::swap(&mut slopes, &mut scratch);
    }
}

/// Where L-BFGS goes next: the two loops of Nocedal's recursion.
fn direction(slopes: &[f64], memory: &VecDeque<(Vec<f64>, Vec<f64>, f64)>, scale: &[f64]) -> Vec<f64> {
    let mut direction: Vec<_> = slopes.iter().map(|slope| -slope).collect();
    let mut shares = Vec::with_capacity(memory.len());
    for (change, turn, inverse) in memory.iter().rev() {
        let share = inverse * dot(change, &direction);
        direction.iter_mut().zip(turn).for_each(|(d, t)| *d -= share * t);
        shares.push(share);
    }
    direction.iter_mut().zip(scale).for_each(|(d, s)| *d *= s);
    for ((change, turn, inverse), share) in memory.iter().zip(shares.into_iter().rev()) {
        let back = inverse * dot(turn, &direction);
        direction.iter_mut().zip(change).for_each(|(d, c)| *d += (share - back) * c);
    }
    direction
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
