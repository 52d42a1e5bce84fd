//! The forward pass of every kind of net on the CPU, in plain Rust.

use std::marker::PhantomData;
use std::sync::Arc;

use ndarray::ArrayView3;
use pulp::{Arch, Simd, WithSimd};

use crate::board::Hops;
use crate::config::NetKind;
use crate::error::Result;
use crate::evaluator::{Evaluations, Evaluator, Wdl};
use crate::games::game::Leaf;
use crate::games::planes::Features;
use crate::games::position::Position;

use super::mlp::{self, Mlp};
use super::resnet::{self, Resnet};
use super::simd::{Aligned, Dense, NonZero, Rows, lanes};
use super::spec::{POLICY_CHANNELS, VALUE_CHANNELS};
use super::weights::Weights;

/// Positions taken through the layers together, so that their units stay in the processor's cache: of dense nets ...
const DENSE_CHUNK: usize = 128;
/// ... and of convolutional ones.
const CONV_CHUNK: usize = 8;

/// Evaluates positions on one thread. A clone shares the weights and computes for another thread.
///
/// Only what is needed is computed: the first layer of an `mlp` adds a row for each input that is one, a `resnet` meets
/// no square that is not played on, and of the policy only the legal hops' logits are taken.
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
#[derive(Debug)]
pub struct CpuNet<P> {
    layers: Arc<Layers>,
    arch: Arch,
    features: Features,
    wanted: Wanted,
    units: Units,
    logits: Logits,
    hops: Hops,
    variant: PhantomData<fn() -> P>,
}

impl<P> Clone for CpuNet<P> {
    fn clone(&self) -> Self {
        Self::of(Arc::clone(&self.layers), self.arch)
    }
}

/// The parameters as the forward pass reads them.
#[derive(Debug)]
struct Layers {
    trunk: Trunk,
    policy: Rows,
    value_hidden: Dense,
    value: Rows,
}

/// What stands below the heads.
#[derive(Debug)]
enum Trunk {
    Mlp(Mlp),
    Resnet(Resnet),
}

/// The units of a chunk of positions.
#[derive(Debug, Default)]
struct Units {
    mlp: mlp::Units,
    resnet: resnet::Units,
    /// The value head's hidden layer.
    hidden: Aligned,
    list: NonZero,
}

/// The hops whose logits are wanted, by number, position after position.
#[derive(Debug, Default)]
struct Wanted {
    hops: Vec<u16>,
    ends: Vec<usize>,
}

/// The logits of the wanted hops, and of each position's win, draw and loss.
#[derive(Debug, Default)]
struct Logits {
    policy: Vec<f32>,
    wdl: Vec<[f32; 3]>,
}

impl Layers {
    fn new(weights: &Weights, lanes: usize) -> Self {
        let spec = weights.spec();
        let (trunk, [policy, value]) = match spec.kind {
            NetKind::Mlp => (Trunk::Mlp(Mlp::new(weights, lanes)), [1, 1]),
            NetKind::Resnet => (Trunk::Resnet(Resnet::new(weights, lanes)), [POLICY_CHANNELS, VALUE_CHANNELS]),
        };
        // A head reads squares of channels, in files channels of squares; what an mlp's reads is one channel.
        let head = |name: &str, channels: usize| {
            let [weight, bias] = ["weight", "bias"].map(|part| weights.tensor(&format!("{name}.{part}")));
            let inputs = weight.len() / bias.len();
            let shape = (bias.len(), channels, inputs / channels);
            let view = ArrayView3::from_shape(shape, weight).expect("channels of equally many inputs");
            (inputs, bias, move |output: usize, i: usize| view[(output, i % channels, i / channels)])
        };
        let rows = |name: &str, channels: usize| {
            let (inputs, bias, weight) = head(name, channels);
            Rows::new(lanes, [bias.len(), inputs], bias, weight)
        };
        let (inputs, bias, weight) = head("value.hidden", value);
        Self {
            trunk,
            policy: rows("policy", policy),
            value_hidden: Dense::new(lanes, inputs, bias, weight),
            value: rows("value", 1),
        }
    }

    const fn chunk(&self) -> usize {
        match self.trunk {
            Trunk::Mlp(_) => DENSE_CHUNK,
            Trunk::Resnet(_) => CONV_CHUNK,
        }
    }
}

/// A forward pass, to be compiled for each kind of processor.
struct Pass<'a> {
    layers: &'a Layers,
    features: &'a Features,
    wanted: &'a Wanted,
    units: &'a mut Units,
    logits: &'a mut Logits,
}

impl WithSimd for Pass<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { layers, features, wanted, units: Units { mlp, resnet, hidden, list }, logits } = self;
        let (policy, value): (&[f32], &[f32]) = match &layers.trunk {
            Trunk::Mlp(trunk) => {
                trunk.forward(simd, features, mlp, list);
                (&mlp.active, &mlp.active)
            }
            Trunk::Resnet(trunk) => {
                trunk.forward(simd, features, resnet, list);
                (&resnet.policy, &resnet.value)
            }
        };
        let rows = features.len();
        debug_assert_eq!(policy.len(), rows * layers.policy.width(), "whole tiles of squares");
        hidden.resize(rows * layers.value_hidden.outputs());
        layers.value_hidden.relu(simd, value, value.len() / rows, hidden, list);
        let mut start = 0;
        for (row, &end) in policy.chunks_exact(layers.policy.width()).zip(&wanted.ends) {
            for &hop in &wanted.hops[start..end] {
                logits.policy.push(layers.policy.logit(simd, row, usize::from(hop)));
            }
            start = end;
        }
        for row in hidden.chunks_exact(layers.value.width()) {
            let mut wdl = [0.0; 3];
            for (i, logit) in wdl.iter_mut().enumerate() {
                *logit = layers.value.logit(simd, row, i);
            }
            logits.wdl.push(wdl);
        }
    }
}

impl<P: Position> CpuNet<P> {
    /// The net with these weights.
    ///
    /// # Errors
    /// [`Error::Model`](crate::Error::Model) if they are of another variant.
    pub fn new(weights: &Weights) -> Result<Self> {
        Self::on(weights, Arch::new())
    }

    /// As [`CpuNet::new`], for a kind of processor.
    fn on(weights: &Weights, arch: Arch) -> Result<Self> {
        weights.expect_variant::<P>()?;
        Ok(Self::of(Arc::new(Layers::new(weights, lanes(arch))), arch))
    }

    /// The logits of every hop, `[n, actions]`, and of win, draw and loss, `[n, 3]`, legal or not.
    pub fn logits(&mut self, features: &Features) -> (Vec<f32>, Vec<f32>) {
        let (n, actions) = (features.len(), P::SPEC.actions);
        if n == 0 {
            return (Vec::new(), Vec::new());
        }
        self.wanted.clear();
        for i in 1..=n {
            self.wanted.hops.extend(0..actions as u16);
            self.wanted.ends.push(i * actions);
        }
        self.pass(Some(features));
        (self.logits.policy.clone(), self.logits.wdl.concat())
    }
}

impl<P> CpuNet<P> {
    fn of(layers: Arc<Layers>, arch: Arch) -> Self {
        Self {
            layers,
            arch,
            features: Features::default(),
            wanted: Wanted::default(),
            units: Units::default(),
            logits: Logits::default(),
            hops: Hops::new(),
            variant: PhantomData,
        }
    }

    /// Fills the logits that are wanted of some positions, or else of its own.
    fn pass(&mut self, features: Option<&Features>) {
        let Self { layers, arch, features: own, wanted, units, logits, .. } = self;
        logits.policy.clear();
        logits.wdl.clear();
        arch.dispatch(Pass { layers, features: features.unwrap_or(&*own), wanted, units, logits });
    }
}

impl Wanted {
    fn clear(&mut self) {
        self.hops.clear();
        self.ends.clear();
    }
}

impl<P: Position> Evaluator<P> for CpuNet<P> {
    fn evaluate(&mut self, leaves: &[Leaf<P>], out: &mut Evaluations) -> Result<()> {
        out.clear();
        for chunk in leaves.chunks(self.layers.chunk()) {
            let Self { features, wanted, hops, .. } = self;
            features.clear();
            wanted.clear();
            for leaf in chunk {
                leaf.position.encode(leaf.clock, features);
                leaf.position.hops(hops);
                wanted.hops.extend(hops.iter().map(|&hop| leaf.position.index(hop) as u16));
                wanted.ends.push(wanted.hops.len());
            }
            self.pass(None);
            let mut start = 0;
            for ((leaf, &end), wdl) in chunk.iter().zip(&self.wanted.ends).zip(&self.logits.wdl) {
                answer(leaf, &mut self.logits.policy[start..end], *wdl, out);
                start = end;
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

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use pulp::x86::{V3, V4};

    use super::*;
    use crate::config::NetConfig;
    use crate::games::{Preset, Russian, Spantsireti};
    use crate::net::NetSpec;

    fn answers<P: Position>(weights: &Weights, arch: Arch) -> Vec<f32> {
        let mut game = crate::games::Game::<P>::new(Preset::Official).expect("official rules");
        let (mut leaves, mut hops) = (Vec::new(), Hops::new());
        for i in 0..19 {
            leaves.push(game.leaf());
            game.hops(&mut hops);
            game.play_unchecked(hops[i * 5 % hops.len()]);
        }
        let mut net = CpuNet::<P>::on(weights, arch).expect("weights of the variant");
        let mut out = Evaluations::default();
        let mut all = Vec::new();
        // A whole batch, and every number of rows that may be left over.
        for size in [19, 1, 2, 3, 4, 5, 6, 7] {
            net.evaluate(&leaves[..size], &mut out).expect("a net on the CPU");
            all.extend_from_slice(&out.priors);
            all.extend(out.wdl.iter().map(|wdl| wdl.value(crate::board::Side::White)));
        }
        all
    }

    fn agree<P: Position>(arch: Arch, kind: NetKind) {
        let spec = NetSpec::new(&P::SPEC, &NetConfig { kind, width: 40, blocks: 2 });
        let flat: Vec<f32> = Weights::init(&spec, 1).to_flat().iter().map(|x| x + 0.02).collect();
        let weights = Weights::from_flat(&spec, crate::net::Card::new(&spec), &flat);
        for (one, other) in answers::<P>(&weights, Arch::Scalar).into_iter().zip(answers::<P>(&weights, arch)) {
            assert!((one - other).abs() < 1e-5, "{arch:?}, {spec}: {one} is not {other}");
        }
    }

    #[test]
    fn every_kind_of_processor_gives_the_same_answers() {
        let kinds = [V3::try_new().map(Arch::V3), V4::try_new().map(Arch::V4)];
        for arch in kinds.into_iter().flatten() {
            for kind in [NetKind::Mlp, NetKind::Resnet] {
                agree::<Russian>(arch, kind);
                agree::<Spantsireti>(arch, kind);
            }
        }
    }
}
