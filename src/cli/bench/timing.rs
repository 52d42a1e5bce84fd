//! Things timed in turns, so that whatever else the machine does hits all of them alike.

use ndarray::Array2;
use ndarray::linalg::general_mat_mul;

use crate::error::Result;

use super::clock::Stopwatch;

/// Rows of the matrix product that stands for the machine's peak: those of a batch.
const PEAK_ROWS: usize = 64;
/// Its inputs and outputs: those of a dense layer.
const PEAK_WIDTH: usize = 256;
/// Products timed together.
const PEAK_PRODUCTS: usize = 500;

/// What one run of a workload answers.
pub(super) enum Reading {
    /// So much was done in the time that this thread worked.
    Work(u64),
    /// The figure itself, where it is no rate, or one of several threads or of a part of the run, and what was done.
    Figure(f64, u64),
}

/// Does a fixed work.
pub(super) type Work = Box<dyn FnMut() -> Result<Reading>>;

/// Something done in turns with a workload, to compare it with.
struct Rival {
    name: &'static str,
    work: Work,
}

/// A workload that is set up, and what it is compared with.
pub(super) struct Task {
    work: Work,
    rivals: Vec<Rival>,
    flops: Option<f64>,
}

impl Task {
    /// A workload whose figure is its work over its time.
    pub fn new(mut work: impl FnMut() -> Result<u64> + 'static) -> Self {
        Self::of(move || work().map(Reading::Work))
    }

    /// A workload that answers in any way.
    pub fn of(work: impl FnMut() -> Result<Reading> + 'static) -> Self {
        Self { work: Box::new(work), rivals: Vec::new(), flops: None }
    }

    /// Compares it with something that answers in the same unit.
    pub fn against(mut self, name: &'static str, work: impl FnMut() -> Result<Reading> + 'static) -> Self {
        self.rivals.push(Rival { name, work: Box::new(work) });
        self
    }

    /// Compares it with the matrix product: a unit of its work is so many floating-point operations.
    pub fn with_flops(mut self, flops: f64) -> Self {
        self.flops = Some(flops);
        self
    }
}

/// What was measured of a workload.
pub(super) struct Measured {
    /// The median over the rounds.
    pub value: f64,
    /// The lowest of a round.
    pub low: f64,
    /// The highest of a round.
    pub high: f64,
    /// What was done in a round.
    pub work: u64,
    /// The matrix product beside it, in GFLOP/s: the median.
    pub peak_gflops: f64,
    /// How often the figure holds what it was compared with, by name: medians of the rounds' own ratios.
    pub ratios: Vec<(&'static str, f64)>,
}

/// Times a workload, the matrix product and the rivals in turns, so many rounds; every other round backwards, so that a
/// machine that grows slower or faster favours none.
pub(super) fn measure(task: &mut Task, peak: &mut Peak, rounds: usize) -> Result<Measured> {
    let Task { work, rivals, flops } = task;
    let (mut values, mut peaks) = (Vec::new(), Vec::new());
    let mut others = vec![Vec::new(); rivals.len()];
    let mut done = 0;
    if rounds > 1 {
        // The first run of all finds cold caches and memory never touched.
        run(work)?;
        rivals.iter_mut().try_for_each(|rival| run(&mut rival.work).map(drop))?;
    }
    for round in 0..rounds {
        let backwards = round % 2 == 1;
        let mut order: Vec<usize> = (0..rivals.len() + 2).collect();
        if backwards {
            order.reverse();
        }
        for at in order {
            match at {
                0 => peaks.push(peak.flops_per_s()),
                1 => {
                    let (value, work) = run(work)?;
                    values.push(value);
                    done = work;
                }
                rival => others[rival - 2].push(run(&mut rivals[rival - 2].work)?.0),
            }
        }
    }
    let ratio = |others: &[f64], scale: f64| {
        median(values.iter().zip(others).map(|(value, other)| value * scale / other).collect())
    };
    let mut ratios: Vec<_> = flops.map(|flops| (Peak::NAME, ratio(&peaks, flops))).into_iter().collect();
    ratios.extend(rivals.iter().zip(&others).map(|(rival, others)| (rival.name, ratio(others, 1.0))));
    Ok(Measured {
        low: values.iter().copied().fold(f64::INFINITY, f64::min),
        high: values.iter().copied().fold(0.0, f64::max),
        value: median(values),
        work: done,
        peak_gflops: median(peaks) / 1e9,
        ratios,
    })
}

/// Runs a workload once: its figure, and what it did.
fn run(work: &mut Work) -> Result<(f64, u64)> {
    let watch = Stopwatch::start();
    Ok(match work()? {
        Reading::Work(done) => (done as f64 / watch.seconds(), done),
        Reading::Figure(value, done) => (value, done),
    })
}

/// The middle one, or the mean of the middle two.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    if values.len().is_multiple_of(2) { (values[half - 1] + values[half]) / 2.0 } else { values[half] }
}

/// A matrix product of the size that networks here are made of: what one core can do at best.
pub(super) struct Peak {
    input: Array2<f32>,
    weights: Array2<f32>,
    output: Array2<f32>,
}

impl Peak {
    /// What ratios to it are called.
    pub const NAME: &'static str = "matrix product";

    pub fn new() -> Self {
        let filled = |rows, columns| Array2::from_shape_fn((rows, columns), |(i, j)| ((i * 7 + j) % 13) as f32 / 13.0);
        Self {
            input: filled(PEAK_ROWS, PEAK_WIDTH),
            weights: filled(PEAK_WIDTH, PEAK_WIDTH),
            output: Array2::zeros((PEAK_ROWS, PEAK_WIDTH)),
        }
    }

    /// Floating-point operations a second, a multiplication and an addition counted as two.
    fn flops_per_s(&mut self) -> f64 {
        let watch = Stopwatch::start();
        for _ in 0..PEAK_PRODUCTS {
            general_mat_mul(1.0, &self.input, &self.weights, 0.0, &mut self.output);
            std::hint::black_box(&mut self.output);
        }
        (PEAK_PRODUCTS * 2 * PEAK_ROWS * PEAK_WIDTH * PEAK_WIDTH) as f64 / watch.seconds()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_or_between_the_middle_two() {
        assert_eq!(median(vec![5.0, 1.0, 3.0]), 3.0);
        assert_eq!(median(vec![5.0, 1.0, 3.0, 4.0]), 3.5);
    }

    #[test]
    fn ratios_are_of_rounds_that_stood_side_by_side() -> Result<()> {
        // Each round is twice as fast as the one before for both, so only their own ratios are alike.
        let mut speed = 1.0;
        let own = move || {
            speed *= 2.0;
            Ok(Reading::Figure(3.0 * speed, 7))
        };
        let mut other = 1.0;
        let rival = move || {
            other *= 2.0;
            Ok(Reading::Figure(other, 7))
        };
        let measured = measure(&mut Task::of(own).against("rival", rival), &mut Peak::new(), 4)?;
        assert_eq!(measured.ratios, [("rival", 3.0)]);
        // The first run of all is not counted.
        assert_eq!((measured.low, measured.high, measured.work), (12.0, 96.0, 7));
        Ok(())
    }

    #[test]
    fn operations_are_compared_with_the_matrix_product() -> Result<()> {
        let mut task = Task::of(|| Ok(Reading::Figure(1000.0, 1))).with_flops(2e6);
        let measured = measure(&mut task, &mut Peak::new(), 1)?;
        let [(name, ratio)] = measured.ratios[..] else { panic!("one ratio") };
        assert_eq!(name, "matrix product");
        assert!((ratio * measured.peak_gflops - 2.0).abs() < 1e-9);
        Ok(())
    }
}
