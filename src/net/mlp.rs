//! The trunk of a dense net on the CPU: the first layer as sums of rows, then residual blocks.

use ndarray::ArrayView2;
use pulp::Simd;

use crate::games::planes::Features;

use super::simd::{Aligned, Dense, NonZero, Rows};
use super::weights::Weights;

/// The first layer and the blocks.
#[derive(Debug)]
pub(super) struct Mlp {
    input: Rows,
    /// Inputs that are zeros and ones; the scalars come behind them.
    binary: usize,
    blocks: Vec<Dense>,
}

/// The units of a batch of positions, `[rows, width]` each.
#[derive(Debug, Default)]
pub(super) struct Units {
    /// The sum that runs through the blocks.
    stream: Aligned,
    /// The same behind a relu: in the end what the heads read.
    pub(super) active: Aligned,
    /// What a block makes of it.
    next: Aligned,
}

impl Mlp {
    pub(super) fn new(weights: &Weights, lanes: usize) -> Self {
        let spec = weights.spec();
        let (width, inputs) = (spec.width, spec.game.inputs());
        let layer = |name: &str, inputs: usize| {
            let [weight, bias] = ["weight", "bias"].map(|part| weights.tensor(&format!("{name}.{part}")));
            (ArrayView2::from_shape((width, inputs), weight).expect("the layer's own shape"), bias)
        };
        let (first, bias) = layer("input", inputs);
        let block = |i: usize| {
            let (values, bias) = layer(&format!("blocks.{i}"), width);
            Dense::new(lanes, width, bias, |output, input| values[(output, input)])
        };
        Self {
            input: Rows::new(lanes, [inputs, width], bias, |input, unit| first[(unit, input)]),
            binary: spec.game.board_planes * spec.game.squares,
            blocks: (0..spec.blocks).map(block).collect(),
        }
    }

    /// Fills `units.active`.
    #[inline(always)]
    pub(super) fn forward<S: Simd>(&self, simd: S, features: &Features, units: &mut Units, list: &mut NonZero) {
        let Units { stream, active, next } = units;
        let width = self.input.width();
        for buffer in [&mut *stream, &mut *active, &mut *next] {
            buffer.resize(features.len() * width);
        }
        for (i, sums) in stream.chunks_exact_mut(width).enumerate() {
            self.input.add_up(simd, features.ones_of(i), self.binary, features.scalars_of(i), sums);
        }
        active.iter_mut().zip(&**stream).for_each(|(active, sum)| *active = sum.max(0.0));
        for block in &self.blocks {
            block.add(simd, active, [&mut *stream, &mut *next], list);
            std::mem::swap(active, next);
        }
    }
}
