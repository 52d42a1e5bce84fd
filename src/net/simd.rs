//! Sums of products in vectors as wide as the processor has them, over weights laid out for it once.

#![allow(clippy::needless_range_loop, reason = "counted loops over small arrays unroll and keep them in registers")]

use std::ops::{Deref, DerefMut};

use pulp::{Arch, Simd, WithSimd};

/// Bytes of a line of the processor's cache.
const LINE: usize = 64;
/// Vectors of outputs that a tile of sums is wide.
pub(super) const VECTORS: usize = 2;
/// Rows that are left over are taken four at a time, fewer of them one by one.
const FEW: usize = 4;

/// Numbers that begin at a line of the cache, so that no vector straddles two.
#[derive(Debug, Default)]
pub(super) struct Aligned {
    store: Vec<f32>,
    start: usize,
    len: usize,
}

impl Aligned {
    pub(super) fn zeros(len: usize) -> Self {
        let mut zeros = Self::default();
        zeros.resize(len);
        zeros
    }

    /// Makes room for so many numbers. What they are is unspecified: older ones or zeros.
    pub(super) fn resize(&mut self, len: usize) {
        const SLACK: usize = LINE / size_of::<f32>() - 1;
        if self.store.len() < len + SLACK {
            self.store = vec![0.0; len + SLACK];
            self.start = self.store.as_ptr().align_offset(LINE).min(SLACK);
        }
        self.len = len;
    }
}

impl Deref for Aligned {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.store[self.start..self.start + self.len]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.store[self.start..self.start + self.len]
    }
}

/// How many numbers a vector of this processor holds.
pub(super) fn lanes(arch: Arch) -> usize {
    struct Lanes;
    impl WithSimd for Lanes {
        type Output = usize;

        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) -> usize {
            lanes_of::<S>()
        }
    }
    arch.dispatch(Lanes)
}

pub(super) const fn lanes_of<S: Simd>() -> usize {
    size_of::<S::f32s>() / size_of::<f32>()
}

/// `a * b + c`, in one rounding where the processor can.
#[inline(always)]
pub(super) fn mul_add<S: Simd>(simd: S, a: S::f32s, b: S::f32s, c: S::f32s) -> S::f32s {
    // Numbers taken one by one belong to a processor that would fuse them in software.
    if lanes_of::<S>() == 1 { simd.add_f32s(simd.mul_f32s(a, b), c) } else { simd.mul_add_e_f32s(a, b, c) }
}

/// So many outputs rounded up to whole tiles: the length of a row of units, zeros at its end.
pub(super) fn padded(outputs: usize, lanes: usize) -> usize {
    outputs.next_multiple_of(VECTORS * lanes)
}

/// A dense layer: its weights as panels `[panel][input][VECTORS * lanes]`, so that a tile of sums reads them in order.
#[derive(Debug)]
pub(super) struct Dense {
    weights: Aligned,
    bias: Aligned,
    inputs: usize,
}

/// Inputs of one row that are not zero, with their places.
pub(super) type NonZero = Vec<(u32, f32)>;

impl Dense {
    /// A layer of `weight(output, input)`.
    pub(super) fn new(lanes: usize, inputs: usize, bias: &[f32], weight: impl Fn(usize, usize) -> f32) -> Self {
        let (outputs, panel) = (bias.len(), VECTORS * lanes);
        let mut layer =
            Self { weights: Aligned::zeros(padded(outputs, lanes) * inputs), bias: padded_row(bias, lanes), inputs };
        for (i, to) in layer.weights.iter_mut().enumerate() {
            let output = i / (panel * inputs) * panel + i % panel;
            if output < outputs {
                *to = weight(output, i / panel % inputs);
            }
        }
        layer
    }

    /// Outputs, rounded up to whole tiles.
    pub(super) fn outputs(&self) -> usize {
        self.bias.len()
    }

    /// `output = relu(input W + b)`; rows of `input` are `stride` apart.
    #[inline(always)]
    pub(super) fn relu<S: Simd>(&self, simd: S, input: &[f32], stride: usize, output: &mut [f32], list: &mut NonZero) {
        self.each_tile(
            simd,
            input,
            stride,
            output.len() / self.outputs(),
            list,
            #[inline(always)]
            |at, sums, bias| {
                let zero = simd.splat_f32s(0.0);
                let to = S::as_mut_simd_f32s(&mut output[at..at + VECTORS * lanes_of::<S>()]).0;
                for v in 0..VECTORS {
                    to[v] = simd.max_f32s(simd.add_f32s(sums[v], bias[v]), zero);
                }
            },
        );
    }

    /// `stream += input W + b`, and `active = relu(stream)`; rows of all are as long as the outputs.
    #[inline(always)]
    pub(super) fn add<S: Simd>(
        &self,
        simd: S,
        input: &[f32],
        stream: &mut [f32],
        active: &mut [f32],
        list: &mut NonZero,
    ) {
        let width = self.outputs();
        self.each_tile(
            simd,
            input,
            width,
            stream.len() / width,
            list,
            #[inline(always)]
            |at, sums, bias| {
                let zero = simd.splat_f32s(0.0);
                let place = at..at + VECTORS * lanes_of::<S>();
                let stream = S::as_mut_simd_f32s(&mut stream[place.clone()]).0;
                let active = S::as_mut_simd_f32s(&mut active[place]).0;
                for v in 0..VECTORS {
                    stream[v] = simd.add_f32s(stream[v], simd.add_f32s(sums[v], bias[v]));
                    active[v] = simd.max_f32s(stream[v], zero);
                }
            },
        );
    }

    /// Hands out the sums of each row and panel, and the panel's bias, with their place among the outputs.
    #[inline(always)]
    fn each_tile<S: Simd>(
        &self,
        simd: S,
        input: &[f32],
        stride: usize,
        rows: usize,
        list: &mut NonZero,
        mut take: impl FnMut(usize, [S::f32s; VECTORS], &[S::f32s; VECTORS]),
    ) {
        // As many rows as leave registers for the weights: 32 of them with 16 lanes, else 16.
        let (whole, few) = match lanes_of::<S>() {
            16 => (rows / 8 * 8, rows % 8),
            _ => (rows / 6 * 6, rows % 6),
        };
        let fours = whole + few / FEW * FEW;
        let (bias, _) = S::as_simd_f32s(&self.bias).0.as_chunks::<VECTORS>();
        let (weights, _) = S::as_simd_f32s(&self.weights).0.as_chunks::<VECTORS>();
        for (p, (weights, bias)) in weights.chunks_exact(self.inputs).zip(bias).enumerate() {
            let place = |row: usize| row * self.outputs() + p * VECTORS * lanes_of::<S>();
            match lanes_of::<S>() {
                16 => tiles::<S, 8>(
                    simd,
                    input,
                    stride,
                    0..whole,
                    weights,
                    #[inline(always)]
                    |row, sums| take(place(row), sums, bias),
                ),
                _ => tiles::<S, 6>(
                    simd,
                    input,
                    stride,
                    0..whole,
                    weights,
                    #[inline(always)]
                    |row, sums| take(place(row), sums, bias),
                ),
            }
            tiles::<S, FEW>(
                simd,
                input,
                stride,
                whole..fours,
                weights,
                #[inline(always)]
                |row, sums| take(place(row), sums, bias),
            );
        }
        for row in fours..rows {
            list.clear();
            let values = &input[row * stride..][..self.inputs];
            list.extend((0..).zip(values).filter(|(_, value)| **value != 0.0).map(|(i, value)| (i, *value)));
            for (p, (weights, bias)) in weights.chunks_exact(self.inputs).zip(bias).enumerate() {
                let at = row * self.outputs() + p * VECTORS * lanes_of::<S>();
                take(at, sparse_sums(simd, list, weights), bias);
            }
        }
    }
}

/// The sums of `rows`, a multiple of `N`, over one panel of weights.
#[inline(always)]
fn tiles<S: Simd, const N: usize>(
    simd: S,
    input: &[f32],
    stride: usize,
    rows: std::ops::Range<usize>,
    weights: &[[S::f32s; VECTORS]],
    mut take: impl FnMut(usize, [S::f32s; VECTORS]),
) {
    for first in rows.step_by(N) {
        let values: [&[f32]; N] = std::array::from_fn(|n| &input[(first + n) * stride..][..weights.len()]);
        let mut sums = [[simd.splat_f32s(0.0); VECTORS]; N];
        for (i, weights) in weights.iter().enumerate() {
            for n in 0..N {
                let value = simd.splat_f32s(values[n][i]);
                for v in 0..VECTORS {
                    sums[n][v] = mul_add(simd, value, weights[v], sums[n][v]);
                }
            }
        }
        for (n, sums) in sums.into_iter().enumerate() {
            take(first + n, sums);
        }
    }
}

/// The sums of one row over one panel of weights: behind a relu about half the inputs are zero and cost nothing.
#[inline(always)]
fn sparse_sums<S: Simd>(simd: S, list: &[(u32, f32)], weights: &[[S::f32s; VECTORS]]) -> [S::f32s; VECTORS] {
    let mut sums = [[simd.splat_f32s(0.0); VECTORS]; 4];
    // Four sums each, for one alone would wait for its last addition.
    let (fours, rest) = list.as_chunks::<4>();
    for four in fours {
        for n in 0..4 {
            let (i, value) = four[n];
            let (weights, value) = (&weights[i as usize], simd.splat_f32s(value));
            for v in 0..VECTORS {
                sums[n][v] = mul_add(simd, value, weights[v], sums[n][v]);
            }
        }
    }
    for &(i, value) in rest {
        let (weights, value) = (&weights[i as usize], simd.splat_f32s(value));
        for v in 0..VECTORS {
            sums[0][v] = mul_add(simd, value, weights[v], sums[0][v]);
        }
    }
    let [a, b, c, d] = sums;
    let mut total = a;
    for v in 0..VECTORS {
        total[v] = simd.add_f32s(simd.add_f32s(a[v], b[v]), simd.add_f32s(c[v], d[v]));
    }
    total
}

/// A row of numbers with zeros up to whole tiles.
pub(super) fn padded_row(row: &[f32], lanes: usize) -> Aligned {
    let mut wide = Aligned::zeros(padded(row.len(), lanes));
    wide[..row.len()].copy_from_slice(row);
    wide
}

/// Rows of weights of which each answers for itself: the first layer, whose inputs are few, and the heads' last, of
/// which few outputs are wanted.
#[derive(Debug)]
pub(super) struct Rows {
    weights: Aligned,
    width: usize,
    /// One number a row of heads; the first layer's one row.
    bias: Aligned,
}

impl Rows {
    /// `count` rows of `weight(row, place)`, each padded to whole tiles.
    pub(super) fn new(
        lanes: usize,
        [count, width]: [usize; 2],
        bias: &[f32],
        weight: impl Fn(usize, usize) -> f32,
    ) -> Self {
        let wide = padded(width, lanes);
        let mut weights = Aligned::zeros(count * wide);
        for (i, row) in weights.chunks_exact_mut(wide).enumerate() {
            row[..width].iter_mut().enumerate().for_each(|(place, to)| *to = weight(i, place));
        }
        Self { weights, width: wide, bias: padded_row(bias, lanes) }
    }

    /// The length of a row, rounded up to whole tiles.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    fn row(&self, i: usize) -> &[f32] {
        &self.weights[i * self.width..][..self.width]
    }

    /// `sums = bias +` the rows named and, from row `first` on, one row for each scalar, times it.
    #[inline(always)]
    pub(super) fn add_up<S: Simd>(&self, simd: S, ones: &[u16], first: usize, scalars: &[f32], sums: &mut [f32]) {
        // As many sums as hide the time that an addition takes.
        const WIDE: usize = 8;
        let (bias, sums) = (S::as_simd_f32s(&self.bias).0, S::as_mut_simd_f32s(sums).0);
        let narrow = sums.len() / WIDE * WIDE;
        let all = (ones, first, scalars);
        for place in (0..narrow).step_by(WIDE) {
            self.add_block::<S, WIDE>(simd, all, place, &bias[place..], &mut sums[place..]);
        }
        for place in (narrow..sums.len()).step_by(VECTORS) {
            self.add_block::<S, VECTORS>(simd, all, place, &bias[place..], &mut sums[place..]);
        }
    }

    #[inline(always)]
    fn add_block<S: Simd, const N: usize>(
        &self,
        simd: S,
        (ones, first, scalars): (&[u16], usize, &[f32]),
        place: usize,
        bias: &[S::f32s],
        sums: &mut [S::f32s],
    ) {
        let mut block = [simd.splat_f32s(0.0); N];
        block.copy_from_slice(&bias[..N]);
        for &one in ones {
            let row = &S::as_simd_f32s(self.row(usize::from(one))).0[place..place + N];
            for v in 0..N {
                block[v] = simd.add_f32s(block[v], row[v]);
            }
        }
        for (i, &scalar) in scalars.iter().enumerate() {
            let row = &S::as_simd_f32s(self.row(first + i)).0[place..place + N];
            for v in 0..N {
                block[v] = mul_add(simd, simd.splat_f32s(scalar), row[v], block[v]);
            }
        }
        sums[..N].copy_from_slice(&block);
    }

    /// One output: the row's sum of products with `input`, and its bias.
    #[inline(always)]
    pub(super) fn logit<S: Simd>(&self, simd: S, input: &[f32], row: usize) -> f32 {
        let (a, _) = S::as_simd_f32s(&input[..self.width]).0.as_chunks::<VECTORS>();
        let (b, _) = S::as_simd_f32s(self.row(row)).0.as_chunks::<VECTORS>();
        let mut sums = [simd.splat_f32s(0.0); VECTORS];
        for (a, b) in a.iter().zip(b) {
            for v in 0..VECTORS {
                sums[v] = mul_add(simd, a[v], b[v], sums[v]);
            }
        }
        let [a, b] = sums;
        self.bias[row] + simd.reduce_sum_f32s(simd.add_f32s(a, b))
    }
}
