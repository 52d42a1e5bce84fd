//! The trunk of a convolutional net on the CPU: 3x3 convolutions over the packed playable squares, without padding.

#![allow(clippy::needless_range_loop, reason = "counted loops over small arrays unroll and keep them in registers")]

use std::iter;

use ndarray::{ArrayView2, ArrayView4};
use pulp::Simd;

use crate::games::planes::Features;

use super::simd::{Aligned, Dense, NonZero, VECTORS, lanes_of, mul_add, padded, padded_row};
use super::spec::{NetSpec, POLICY_CHANNELS, VALUE_CHANNELS};
use super::weights::Weights;

/// Added to the variance in a norm.
const EPSILON: f32 = 1e-5;

/// The convolutions, and the 1x1 ones of both heads as one.
#[derive(Debug)]
pub(super) struct Resnet {
    spec: NetSpec,
    convs: Vec<Conv>,
    heads: Dense,
}

/// The units of a batch of positions, `[position, square, channel]` each.
#[derive(Debug, Default)]
pub(super) struct Units {
    planes: Aligned,
    /// The sum that runs through the blocks.
    stream: Aligned,
    /// What a block's first convolution makes of it, and its second.
    sums: [Aligned; 2],
    norm: Norm,
    heads: Aligned,
    /// What the policy head reads.
    pub(super) policy: Aligned,
    /// What the value head reads.
    pub(super) value: Aligned,
}

/// A norm as it applies to one position: each channel's `x * factor + offset`.
#[derive(Debug, Default)]
struct Norm {
    factor: Aligned,
    offset: Aligned,
    /// Each channel's sum over the squares.
    sums: Aligned,
}

/// A 3x3 convolution and its group norm.
#[derive(Debug)]
struct Conv {
    /// `[panel, kernel row, channel, kernel column, VECTORS * lanes]`.
    weights: Aligned,
    channels: usize,
    scale: Aligned,
    shift: Aligned,
}

impl Conv {
    fn new(weights: &Weights, name: &str, channels: usize, lanes: usize) -> Self {
        let [scale, shift] = ["weight", "bias"].map(|part| weights.tensor(&format!("{name}.norm.{part}")));
        let (width, panel) = (scale.len(), VECTORS * lanes);
        let values = weights.tensor(&format!("{name}.conv.weight"));
        let values = ArrayView4::from_shape((width, channels, 3, 3), values).expect("the convolution's own shape");
        let mut turned = Aligned::zeros(9 * channels * padded(width, lanes));
        for (i, to) in turned.iter_mut().enumerate() {
            let (rest, column) = (i / panel / 3, i / panel % 3);
            let (rest, channel) = (rest / channels, rest % channels);
            let output = rest / 3 * panel + i % panel;
            if output < width {
                *to = values[(output, channel, rest % 3, column)];
            }
        }
        Self { weights: turned, channels, scale: padded_row(scale, lanes), shift: padded_row(shift, lanes) }
    }

    /// Convolves positions of `[squares, stride]` into ones of `[squares, width]`, `C` squares to a rank.
    #[inline(always)]
    fn convolve<S: Simd, const C: usize>(&self, simd: S, squares: usize, input: &[f32], output: &mut [f32]) {
        let positions = output.len() / (squares * self.scale.len());
        // Two positions at once share the weights that are read; 32 registers hold their sums, 16 do not.
        let pairs = if lanes_of::<S>() == 16 { positions / 2 * 2 } else { 0 };
        let (taps, _) = S::as_simd_f32s(&self.weights).0.as_chunks::<VECTORS>();
        let (taps, _) = taps.as_chunks::<3>();
        for (p, taps) in taps.chunks_exact(3 * self.channels).enumerate() {
            for position in (0..pairs).step_by(2) {
                self.convolve_panel::<S, C, 2>(simd, squares, [p, position], taps, input, output);
            }
            for position in pairs..positions {
                self.convolve_panel::<S, C, 1>(simd, squares, [p, position], taps, input, output);
            }
        }
    }

    /// One panel of the outputs of `N` positions.
    #[inline(always)]
    fn convolve_panel<S: Simd, const C: usize, const N: usize>(
        &self,
        simd: S,
        squares: usize,
        [panel, position]: [usize; 2],
        taps: &[[[S::f32s; VECTORS]; 3]],
        input: &[f32],
        output: &mut [f32],
    ) {
        let (width, ranks) = (self.scale.len(), squares / C);
        let stride = input.len() / (output.len() / width);
        for rank in 0..ranks {
            let mut sums = [[[simd.splat_f32s(0.0); VECTORS]; C]; N];
            for (from, taps) in (rank..).zip(taps.chunks_exact(self.channels)) {
                // A kernel row beyond the first or last rank meets nothing.
                let Some(from) = from.checked_sub(1).filter(|from| *from < ranks) else { continue };
                let cell = |n: usize, c: usize| ((position + n) * squares + from * C + c) * stride;
                let mut values: [[&[f32]; C]; N] = [[&[]; C]; N];
                for n in 0..N {
                    for c in 0..C {
                        values[n][c] = &input[cell(n, c)..][..taps.len()];
                    }
                }
                for (i, [left, middle, right]) in taps.iter().enumerate() {
                    for n in 0..N {
                        for c in 0..C {
                            let value = simd.splat_f32s(values[n][c][i]);
                            for v in 0..VECTORS {
                                if c + 1 < C {
                                    sums[n][c + 1][v] = mul_add(simd, value, left[v], sums[n][c + 1][v]);
                                }
                                sums[n][c][v] = mul_add(simd, value, middle[v], sums[n][c][v]);
                                if c > 0 {
                                    sums[n][c - 1][v] = mul_add(simd, value, right[v], sums[n][c - 1][v]);
                                }
                            }
                        }
                    }
                }
            }
            for (n, sums) in sums.into_iter().enumerate() {
                for (c, sums) in sums.into_iter().enumerate() {
                    let at = ((position + n) * squares + rank * C + c) * width + panel * VECTORS * lanes_of::<S>();
                    S::as_mut_simd_f32s(&mut output[at..]).0[..VECTORS].copy_from_slice(&sums);
                }
            }
        }
    }

    /// What the norm does to the sums of one position, `[squares, width]`.
    #[inline(always)]
    fn norm<S: Simd>(&self, simd: S, spec: &NetSpec, values: &[f32], norm: &mut Norm) {
        let width = self.scale.len();
        let Norm { factor, offset, sums } = norm;
        for buffer in [&mut *factor, &mut *offset, &mut *sums] {
            buffer.resize(width);
        }
        let group = spec.width / spec.groups();
        let share = 1.0 / (group * spec.game.squares) as f32;
        // The channels behind the last group are padding and zero throughout.
        factor.fill(0.0);
        offset.fill(0.0);
        sum_over_squares(simd, values, offset, sums, false);
        for (sums, mean) in sums.chunks_exact(group).zip(offset.chunks_exact_mut(group)).take(spec.groups()) {
            mean.fill(share * sums.iter().sum::<f32>());
        }
        sum_over_squares(simd, values, offset, sums, true);
        for (i, sums) in sums.chunks_exact(group).take(spec.groups()).enumerate() {
            let deviation = (share * sums.iter().sum::<f32>() + EPSILON).sqrt();
            for channel in i * group..(i + 1) * group {
                factor[channel] = self.scale[channel] / deviation;
                offset[channel] = self.shift[channel] - offset[channel] * factor[channel];
            }
        }
    }
}

/// Each channel's sum over the squares of `x - mean`, or of its square.
#[inline(always)]
fn sum_over_squares<S: Simd>(simd: S, values: &[f32], mean: &[f32], sums: &mut [f32], square: bool) {
    let width = sums.len() / lanes_of::<S>();
    let (values, mean, sums) = (S::as_simd_f32s(values).0, S::as_simd_f32s(mean).0, S::as_mut_simd_f32s(sums).0);
    for (place, (sum, mean)) in sums.iter_mut().zip(mean).enumerate() {
        let mut total = simd.splat_f32s(0.0);
        for &value in values[place..].iter().step_by(width) {
            let away = simd.sub_f32s(value, *mean);
            total = if square { mul_add(simd, away, away, total) } else { simd.add_f32s(total, away) };
        }
        *sum = total;
    }
}

impl Norm {
    /// `values = relu(norm(values))`.
    #[inline(always)]
    fn relu<S: Simd>(&self, simd: S, values: &mut [f32]) {
        let (factor, offset) = (S::as_simd_f32s(&self.factor).0, S::as_simd_f32s(&self.offset).0);
        let zero = simd.splat_f32s(0.0);
        for square in S::as_mut_simd_f32s(values).0.chunks_exact_mut(factor.len()) {
            for ((value, factor), offset) in square.iter_mut().zip(factor).zip(offset) {
                *value = simd.max_f32s(mul_add(simd, *value, *factor, *offset), zero);
            }
        }
    }

    /// `stream = relu(stream + norm(values))`.
    #[inline(always)]
    fn add<S: Simd>(&self, simd: S, values: &[f32], stream: &mut [f32]) {
        let (factor, offset) = (S::as_simd_f32s(&self.factor).0, S::as_simd_f32s(&self.offset).0);
        let zero = simd.splat_f32s(0.0);
        let values = S::as_simd_f32s(values).0.chunks_exact(factor.len());
        for (square, values) in S::as_mut_simd_f32s(stream).0.chunks_exact_mut(factor.len()).zip(values) {
            for (((sum, value), factor), offset) in square.iter_mut().zip(values).zip(factor).zip(offset) {
                let change = mul_add(simd, *value, *factor, *offset);
                *sum = simd.max_f32s(simd.add_f32s(*sum, change), zero);
            }
        }
    }
}

impl Resnet {
    pub(super) fn new(weights: &Weights, lanes: usize) -> Self {
        let spec = *weights.spec();
        let both = |part: &str| ["policy", "value"].map(|head| weights.tensor(&format!("{head}.conv.{part}"))).concat();
        let (rows, bias) = (both("weight"), both("bias"));
        let rows = ArrayView2::from_shape((bias.len(), spec.width), &rows).expect("a row of channels an output");
        let blocks = (0..spec.blocks).flat_map(|i| [0, 1].map(|half| format!("blocks.{i}.{half}")));
        let blocks = blocks.map(|name| Conv::new(weights, &name, spec.width, lanes));
        let convs = iter::once(Conv::new(weights, "input", spec.channels(), lanes)).chain(blocks).collect();
        Self { spec, convs, heads: Dense::new(lanes, spec.width, &bias, |output, input| rows[(output, input)]) }
    }

    /// Fills `units.policy` and `units.value`.
    #[inline(always)]
    pub(super) fn forward<S: Simd>(&self, simd: S, features: &Features, units: &mut Units, list: &mut NonZero) {
        let squares = self.spec.game.squares;
        match squares / self.spec.game.height {
            4 => self.pass::<S, 4>(simd, features, units, list),
            5 => self.pass::<S, 5>(simd, features, units, list),
            n => unreachable!("boards have 8 or 10 files, not {}", 2 * n),
        }
        let Units { heads, policy, value, .. } = units;
        policy.resize(features.len() * squares * POLICY_CHANNELS);
        value.resize(features.len() * squares * VALUE_CHANNELS);
        let heads = heads.chunks_exact(self.heads.outputs());
        let parts = policy.chunks_exact_mut(POLICY_CHANNELS).zip(value.chunks_exact_mut(VALUE_CHANNELS));
        for (square, (policy, value)) in heads.zip(parts) {
            policy.copy_from_slice(&square[..POLICY_CHANNELS]);
            value.copy_from_slice(&square[POLICY_CHANNELS..][..VALUE_CHANNELS]);
        }
    }

    #[inline(always)]
    fn pass<S: Simd, const C: usize>(&self, simd: S, features: &Features, units: &mut Units, list: &mut NonZero) {
        let Units { planes, stream, sums: [first, second], norm, heads, .. } = units;
        let squares = self.spec.game.squares;
        let width = self.convs[0].scale.len();
        planes.resize(features.len() * squares * self.spec.channels());
        for buffer in [&mut *stream, &mut *first, &mut *second] {
            buffer.resize(features.len() * squares * width);
        }
        heads.resize(features.len() * squares * self.heads.outputs());
        self.write_planes(features, planes);
        for (i, conv) in self.convs.iter().enumerate() {
            // The first reads the planes; then two and two are a block.
            let (from, to) = match i {
                0 => (&**planes, &mut **stream),
                _ if i % 2 == 1 => (&**stream, &mut **first),
                _ => (&**first, &mut **second),
            };
            conv.convolve::<S, C>(simd, squares, from, to);
            if i == 0 || i % 2 == 1 {
                for position in to.chunks_exact_mut(squares * width) {
                    conv.norm(simd, &self.spec, position, norm);
                    norm.relu(simd, position);
                }
                continue;
            }
            let each = stream.chunks_exact_mut(squares * width).zip(second.chunks_exact(squares * width));
            for (stream, position) in each {
                conv.norm(simd, &self.spec, position, norm);
                norm.add(simd, position, stream);
            }
        }
        self.heads.relu(simd, stream, width, heads, list);
    }

    /// The packed planes, `[position, square, channel]`.
    fn write_planes(&self, features: &Features, planes: &mut [f32]) {
        let (game, channels) = (&self.spec.game, self.spec.channels());
        planes.fill(0.0);
        for (i, planes) in planes.chunks_exact_mut(game.squares * channels).enumerate() {
            for &one in features.ones_of(i) {
                let (plane, square) = (usize::from(one) / game.squares, usize::from(one) % game.squares);
                planes[square * channels + plane] = 1.0;
            }
            for (square, cell) in planes.chunks_exact_mut(channels).enumerate() {
                cell[game.board_planes..channels - 1].copy_from_slice(features.scalars_of(i));
                cell[channels - 1] = self.spec.shifted(square);
            }
        }
    }
}
