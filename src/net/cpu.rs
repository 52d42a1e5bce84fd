//! The forward pass of dense nets on the CPU, in plain Rust.

use std::marker::PhantomData;
use std::sync::Arc;

use ndarray::linalg::general_mat_mul;
use ndarray::{ArrayView2, ArrayViewMut2};

use crate::board::Hops;
use crate::config::NetKind;
use crate::error::Result;
use crate::evaluator::{Evaluations, Evaluator, Wdl};
use crate::games::game::Leaf;
use crate::games::planes::Features;
use crate::games::position::Position;

use super::weights::Weights;

/// Positions taken through the layers together, so that their units stay in the processor's cache.
const CHUNK: usize = 128;
/// From so many rows on, a packed matrix product beats adding the rows of a matrix that count.
const PRODUCT_ROWS: usize = 6;

/// Evaluates positions with an `mlp` on one thread. A clone shares the weights and computes for another
/// thread.
///
/// Only what is needed is computed: the first layer adds a row for each input that is one, and of the policy only the
/// legal hops' logits are taken.
///
/// ```
/// use shashki::config::NetConfig;
/// use shashki::evaluator::{Evaluations, Evaluator};
/// use shashki::games::{Game, Position, Preset, Russian};
/// use shashki::net::{CpuNet, NetSpec, Weights};
///
/// let weights = Weights::init(&NetSpec::new(&Russian::SPEC, &NetConfig::default()), 1);
/// let mut net = CpuNet::<Russian>::new(&weights)?;
/// let mut out = Evaluations::default();
/// net.evaluate(&[Game::<Russian>::new(Preset::Official)?.leaf()], &mut out)?;
/// assert_eq!(out.priors_of(0).len(), 7);
/// # Ok::<(), shashki::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct CpuNet<P> {
    layers: Arc<Layers>,
    features: Features,
    units: Units,
    hops: Hops,
    logits: Vec<f32>,
    variant: PhantomData<P>,
}

/// A dense layer, its weights `[inputs, outputs]`.
#[derive(Debug)]
struct Dense {
    weight: Vec<f32>,
    bias: Vec<f32>,
}

impl Dense {
    /// The named layer, turned from `[outputs, inputs]` as files have it.
    fn turned(weights: &Weights, name: &str) -> Self {
        let Self { weight, bias } = Self::plain(weights, name);
        let inputs = weight.len() / bias.len();
        let turned = (0..inputs).flat_map(|i| weight[i..].iter().step_by(inputs)).copied().collect();
        Self { weight: turned, bias }
    }

    /// The named layer, one row of weights an output.
    fn plain(weights: &Weights, name: &str) -> Self {
        let [weight, bias] = ["weight", "bias"].map(|part| weights.tensor(&format!("{name}.{part}")).to_vec());
        Self { weight, bias }
    }

    /// Adds the product of `[rows, inputs]` and the weights to `[rows, outputs]`; the bias is not part of it.
    fn add_product(&self, input: &[f32], output: &mut [f32]) {
        let outputs = self.bias.len();
        let (rows, inputs) = (output.len() / outputs, self.weight.len() / outputs);
        if rows >= PRODUCT_ROWS {
            let view = |shape, values| ArrayView2::from_shape(shape, values).expect("the layers fit each other");
            let mut output = ArrayViewMut2::from_shape((rows, outputs), output).expect("whole rows");
            general_mat_mul(
                1.0,
                &view((rows, inputs), input),
                &view((inputs, outputs), &self.weight),
                1.0,
                &mut output,
            );
            return;
        }
        for (input, output) in input.chunks_exact(inputs).zip(output.chunks_exact_mut(outputs)) {
            self.add_row_product(input, output);
        }
    }

    /// As [`Dense::add_product`] for one row: behind a relu about half the inputs are zero and cost nothing.
    fn add_row_product(&self, input: &[f32], output: &mut [f32]) {
        let outputs = output.len();
        let row = |i: usize| &self.weight[i * outputs..(i + 1) * outputs];
        let mut active = (0..input.len()).filter(|&i| input[i] != 0.0);
        // Four rows at a time: the sums are loaded and stored once for all of them.
        while let Some(a) = active.next() {
            let [b, c, d] = [active.next(), active.next(), active.next()];
            match (b, c, d) {
                (Some(b), Some(c), Some(d)) => {
                    let (x, rows) = ([a, b, c, d].map(|i| input[i]), [a, b, c, d].map(row));
                    let sums = output.iter_mut().zip(rows[0]).zip(rows[1]).zip(rows[2]).zip(rows[3]);
                    for ((((sum, w0), w1), w2), w3) in sums {
                        *sum += (x[0] * w0 + x[1] * w1) + (x[2] * w2 + x[3] * w3);
                    }
                }
                _ => {
                    for i in [Some(a), b, c].into_iter().flatten() {
                        output.iter_mut().zip(row(i)).for_each(|(sum, w)| *sum += input[i] * w);
                    }
                }
            }
        }
    }
}

/// The parameters as the forward pass reads them.
#[derive(Debug)]
struct Layers {
    input: Dense,
    blocks: Vec<Dense>,
    policy: Dense,
    value_hidden: Dense,
    value: Dense,
}

/// The units of a chunk of positions.
#[derive(Clone, Debug, Default)]
struct Units {
    /// The sum that runs through the blocks, `[rows, width]`.
    stream: Vec<f32>,
    /// The same behind a relu.
    active: Vec<f32>,
    /// The value head's hidden layer.
    hidden: Vec<f32>,
}

impl Layers {
    fn new(weights: &Weights) -> Self {
        let block = |i| Dense::turned(weights, &format!("blocks.{i}"));
        Self {
            input: Dense::turned(weights, "input"),
            blocks: (0..weights.spec().blocks).map(block).collect(),
            policy: Dense::plain(weights, "policy"),
            value_hidden: Dense::turned(weights, "value.hidden"),
            value: Dense::plain(weights, "value"),
        }
    }

    /// Fills the units: `active` is what the policy head reads, `hidden` what the value's last layer reads.
    fn forward(&self, features: &Features, units: &mut Units) {
        let Units { stream, active, hidden } = units;
        let (rows, width) = (features.len(), self.input.bias.len());
        stream.resize(rows * width, 0.0);
        active.resize(rows * width, 0.0);
        for (i, sums) in stream.chunks_exact_mut(width).enumerate() {
            self.add_inputs(features, i, sums);
        }
        for block in &self.blocks {
            for (sums, active) in stream.chunks_exact_mut(width).zip(active.chunks_exact_mut(width)) {
                for ((sum, active), bias) in sums.iter_mut().zip(active).zip(&block.bias) {
                    *active = sum.max(0.0);
                    *sum += bias;
                }
            }
            block.add_product(active, stream);
        }
        active.iter_mut().zip(&*stream).for_each(|(active, sum)| *active = sum.max(0.0));
        hidden.clear();
        (0..rows).for_each(|_| hidden.extend(&self.value_hidden.bias));
        self.value_hidden.add_product(active, hidden);
        hidden.iter_mut().for_each(|unit| *unit = unit.max(0.0));
    }

    /// The first layer for position `i`.
    fn add_inputs(&self, features: &Features, i: usize, sums: &mut [f32]) {
        let Dense { weight, bias } = &self.input;
        let width = sums.len();
        let row = |n: usize| &weight[n * width..(n + 1) * width];
        sums.copy_from_slice(bias);
        let ones = features.ones_of(i).chunks_exact(2);
        for &one in ones.remainder() {
            sums.iter_mut().zip(row(usize::from(one))).for_each(|(sum, w)| *sum += w);
        }
        for pair in ones {
            let [a, b] = [pair[0], pair[1]].map(|one| row(usize::from(one)));
            sums.iter_mut().zip(a).zip(b).for_each(|((sum, a), b)| *sum += a + b);
        }
        let scalars = features.scalars_of(i);
        let first = weight.len() / width - scalars.len();
        for (n, &scalar) in scalars.iter().enumerate().filter(|&(_, &scalar)| scalar != 0.0) {
            sums.iter_mut().zip(row(first + n)).for_each(|(sum, w)| *sum += scalar * w);
        }
    }

    /// The logits of win, draw and loss.
    fn wdl(&self, hidden: &[f32]) -> [f32; 3] {
        [0, 1, 2].map(|i| self.value.logit(hidden, i))
    }
}

impl Dense {
    /// One output of a plain layer.
    fn logit(&self, input: &[f32], output: usize) -> f32 {
        self.bias[output] + dot(input, &self.weight[output * input.len()..(output + 1) * input.len()])
    }
}

impl<P: Position> CpuNet<P> {
    /// The net with these weights.
    ///
    /// # Errors
    /// [`Error::Model`](crate::Error::Model) if they are of another variant, or of a kind that needs libtorch.
    pub fn new(weights: &Weights) -> Result<Self> {
        weights.expect_variant::<P>()?;
        if weights.spec().kind != NetKind::Mlp {
            return Err(weights.refuse("a resnet runs on libtorch only, expected a build with the feature torch"));
        }
        Ok(Self {
            layers: Arc::new(Layers::new(weights)),
            features: Features::default(),
            units: Units::default(),
            hops: Hops::new(),
            logits: Vec::new(),
            variant: PhantomData,
        })
    }

    /// The logits of every hop, `[n, actions]`, and of win, draw and loss, `[n, 3]`, legal or not.
    pub fn logits(&mut self, features: &Features) -> (Vec<f32>, Vec<f32>) {
        self.layers.forward(features, &mut self.units);
        let layers = &self.layers;
        let policy = self.units.active.chunks_exact(layers.input.bias.len());
        let policy = policy.flat_map(|row| (0..layers.policy.bias.len()).map(move |i| layers.policy.logit(row, i)));
        let wdl = self.units.hidden.chunks_exact(layers.value_hidden.bias.len()).flat_map(|row| layers.wdl(row));
        (policy.collect(), wdl.collect())
    }
}

impl<P: Position> Evaluator<P> for CpuNet<P> {
    fn evaluate(&mut self, leaves: &[Leaf<P>], out: &mut Evaluations) -> Result<()> {
        let Self { layers, features, units, hops, logits, .. } = self;
        let (width, hidden) = (layers.input.bias.len(), layers.value_hidden.bias.len());
        out.clear();
        for chunk in leaves.chunks(CHUNK) {
            features.clear();
            chunk.iter().for_each(|leaf| leaf.position.encode(leaf.clock, features));
            layers.forward(features, units);
            let rows = units.active.chunks_exact(width).zip(units.hidden.chunks_exact(hidden));
            for (leaf, (active, hidden)) in chunk.iter().zip(rows) {
                leaf.position.hops(hops);
                logits.clear();
                logits.extend(hops.iter().map(|&hop| layers.policy.logit(active, leaf.position.index(hop))));
                answer(leaf, logits, layers.wdl(hidden), out);
            }
        }
        Ok(())
    }
}

/// Appends the answer about one leaf: `logits` of its legal hops and of the mover's win, draw and loss.
pub(super) fn answer<P: Position>(leaf: &Leaf<P>, logits: &mut [f32], mut wdl: [f32; 3], out: &mut Evaluations) {
    softmax(logits);
    softmax(&mut wdl);
    out.priors.extend_from_slice(logits);
    out.ends.push(out.priors.len() as u32);
    out.wdl.push(Wdl::of(leaf.position.side(), wdl));
}

/// Turns logits into chances in place.
fn softmax(logits: &mut [f32]) {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for logit in &mut *logits {
        *logit = (*logit - most).exp();
        sum += *logit;
    }
    logits.iter_mut().for_each(|chance| *chance /= sum);
}

/// The sum of products, in sixteen lanes that the compiler turns into vectors.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a, a_rest) = a.as_chunks::<16>();
    let (b, b_rest) = b.as_chunks::<16>();
    let mut lanes = [0.0; 16];
    for (a, b) in a.iter().zip(b) {
        for i in 0..16 {
            lanes[i] += a[i] * b[i];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    lanes.iter().sum::<f32>() + rest
}
