//! Sums of products in vectors as wide as the processor has them, over weights laid out for it once.

#![allow(clippy::needless_range_loop, reason = "counted loops over small arrays unroll and keep them in registers")]

use std::ops::{Deref, DerefMut, Range};

use pulp::{Arch, Simd, WithSimd};

/// Bytes of a line of the processor's cache.
const LINE: usize = 64;
/// Vectors of outputs that a tile of sums is wide.
pub(super) const VECTORS: usize = 2;

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

    #[inline(always)]
    fn deref(&self) -> &[f32] {
        &self.store[self.start..self.start + self.len]
    }
}

impl DerefMut for Aligned {
    #[inline(always)]
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
        let rows = output.len() / self.outputs();
        self.apply(simd, (input, stride), rows, list, &mut Relu(output));
    }

    /// `stream += input W + b`, and `active = relu(stream)`; rows of all are as long as the outputs.
    #[inline(always)]
    pub(super) fn add<S: Simd>(&self, simd: S, input: &[f32], [stream, active]: [&mut [f32]; 2], list: &mut NonZero) {
        let rows = stream.len() / self.outputs();
        self.apply(simd, (input, self.outputs()), rows, list, &mut Residual { stream, active });
    }

    #[inline(always)]
    fn apply<S: Simd>(&self, simd: S, input: (&[f32], usize), rows: usize, list: &mut NonZero, end: &mut impl End) {
        // As many rows at once as leave registers for the weights: of 32 where vectors have 16 lanes, else of 16.
        let whole = match lanes_of::<S>() {
            16 => rows / 8 * 8,
            _ => rows / 6 * 6,
        };
        let fours = whole + (rows - whole) / 4 * 4;
        let last = rows - fours;
        list.clear();
        list.reserve(self.inputs);
        if last == 1 {
            let values = &input.0[fours * input.1..][..self.inputs];
            list.extend((0..).zip(values).filter(|(_, value)| **value != 0.0).map(|(i, value)| (i, *value)));
        }
        let (bias, _) = S::as_simd_f32s(&self.bias).0.as_chunks::<VECTORS>();
        let (weights, _) = S::as_simd_f32s(&self.weights).0.as_chunks::<VECTORS>();
        for (i, (weights, bias)) in weights.chunks_exact(self.inputs).zip(bias).enumerate() {
            let panel = Panel { weights, bias, place: i * VECTORS * lanes_of::<S>(), outputs: self.outputs() };
            match lanes_of::<S>() {
                16 => panel.tiles::<S, 8>(simd, input, 0..whole, end),
                _ => panel.tiles::<S, 6>(simd, input, 0..whole, end),
            }
            panel.tiles::<S, 4>(simd, input, whole..fours, end);
            match last {
                3 => panel.tiles::<S, 3>(simd, input, fours..rows, end),
                2 => panel.tiles::<S, 2>(simd, input, fours..rows, end),
                1 => end.take(simd, fours * self.outputs() + panel.place, sparse_sums(simd, list, weights), bias),
                _ => {}
            }
        }
    }
}

/// What becomes of sums, a tile's row at a time.
trait End {
    /// Takes the sums, less the bias, of the outputs from `at` on.
    fn take<S: Simd>(&mut self, simd: S, at: usize, sums: [S::f32s; VECTORS], bias: &[S::f32s; VECTORS]);
}

struct Relu<'a>(&'a mut [f32]);

impl End for Relu<'_> {
    #[inline(always)]
    fn take<S: Simd>(&mut self, simd: S, at: usize, sums: [S::f32s; VECTORS], bias: &[S::f32s; VECTORS]) {
        let output = S::as_mut_simd_f32s(&mut self.0[at..at + VECTORS * lanes_of::<S>()]).0;
        for v in 0..VECTORS {
            output[v] = simd.max_f32s(simd.add_f32s(sums[v], bias[v]), simd.splat_f32s(0.0));
        }
    }
}

struct Residual<'a> {
    stream: &'a mut [f32],
    active: &'a mut [f32],
}

impl End for Residual<'_> {
    #[inline(always)]
    fn take<S: Simd>(&mut self, simd: S, at: usize, sums: [S::f32s; VECTORS], bias: &[S::f32s; VECTORS]) {
        let place = at..at + VECTORS * lanes_of::<S>();
        let stream = S::as_mut_simd_f32s(&mut self.stream[place.clone()]).0;
        let active = S::as_mut_simd_f32s(&mut self.active[place]).0;
        for v in 0..VECTORS {
            stream[v] = simd.add_f32s(stream[v], simd.add_f32s(sums[v], bias[v]));
            active[v] = simd.max_f32s(stream[v], simd.splat_f32s(0.0));
        }
    }
}

/// The weights of as many outputs as a tile is wide.
struct Panel<'a, V> {
    weights: &'a [[V; VECTORS]],
    bias: &'a [V; VECTORS],
    /// The first of these outputs, and how many there are in all.
    place: usize,
    outputs: usize,
}

impl<V: Copy> Panel<'_, V> {
    /// Computes `rows`, a multiple of `N`, of an input with its stride.
    #[inline(always)]
    fn tiles<S: Simd<f32s = V>, const N: usize>(
        &self,
        simd: S,
        (input, stride): (&[f32], usize),
        rows: Range<usize>,
        end: &mut impl End,
    ) {
        for first in rows.step_by(N) {
            let mut values: [&[f32]; N] = [&[]; N];
            for n in 0..N {
                values[n] = &input[(first + n) * stride..][..self.weights.len()];
            }
            let mut sums = [[simd.splat_f32s(0.0); VECTORS]; N];
            for (i, weights) in self.weights.iter().enumerate() {
                for n in 0..N {
                    let value = simd.splat_f32s(values[n][i]);
                    for v in 0..VECTORS {
                        sums[n][v] = mul_add(simd, value, weights[v], sums[n][v]);
                    }
                }
            }
            for n in 0..N {
                end.take(simd, (first + n) * self.outputs + self.place, sums[n], self.bias);
            }
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

    #[inline(always)]
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
        let (bias, sums) = (&bias[..N], &mut sums[..N]);
        block.copy_from_slice(bias);
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
        sums.copy_from_slice(&block);
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
