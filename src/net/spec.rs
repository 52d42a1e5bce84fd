//! The shape of a network: its parameters by name, in order, for every forward pass and every file.

use std::fmt;

use crate::config::{NetConfig, NetKind};
use crate::games::planes::Features;
use crate::games::position::Spec;

/// Units of the hidden layer of a dense net's value head.
const MLP_VALUE_UNITS: usize = 32;
/// Channels that a convolutional net's policy head reads.
pub(super) const POLICY_CHANNELS: usize = 8;
/// Channels that a convolutional net's value head reads.
pub(super) const VALUE_CHANNELS: usize = 4;
/// Units of the hidden layer of a convolutional net's value head.
const RESNET_VALUE_UNITS: usize = 64;
/// Ones among the inputs of a typical position, the fan-in of the first layer's scale.
const TYPICAL_ONES: f32 = 20.0;

/// A network's shape. Two nets with equal shapes have the same parameters under the same names.
///
/// `mlp` reads the playable squares as one row of numbers `x` (see [`Spec::inputs`]):
///
/// ```text
/// h = W x + b
/// h = h + W relu(h) + b                          a block, as in He et al. 2016 (identity mappings)
/// policy logits = W relu(h) + b
/// win, draw, loss logits = W relu(V relu(h) + c) + b
/// ```
///
/// `resnet` reads planes of the playable squares alone, packed, `[channels, height, width / 2]`: a 3x3 convolution,
/// then blocks of two 3x3 convolutions, each followed by a group norm (Wu and He 2018: the same in training and
/// inference, nothing to store but scale and shift), then 1x1 convolutions into dense heads. Packed, every other rank lies
/// shifted by a file against its neighbours, so that the same place in a 3x3 kernel is a step along one diagonal here and
/// along the other there; a plane behind the game's own is one on those ranks and tells the net where it is.
///
/// ```
/// use shashki::config::NetConfig;
/// use shashki::games::{Position, Russian};
/// use shashki::net::NetSpec;
///
/// let spec = NetSpec::new(&Russian::SPEC, &NetConfig::default());
/// assert_eq!(spec.tensors()[0].name, "input.weight");
/// assert_eq!(spec.tensors()[0].shape, [256, 194]);
/// ```
#[derive(Copy, Clone, Debug)]
pub struct NetSpec {
    /// The variant's facts: inputs, planes, actions.
    pub game: Spec,
    /// The kind of net.
    pub kind: NetKind,
    /// Units of a dense layer, or channels of a convolution.
    pub width: usize,
    /// Residual blocks.
    pub blocks: usize,
}

impl PartialEq for NetSpec {
    fn eq(&self, other: &Self) -> bool {
        let shape = |s: &Self| (s.game.variant, s.game.planes(), s.game.actions, s.kind, s.width, s.blocks);
        shape(self) == shape(other)
    }
}

/// How a parameter's first values are drawn.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Init {
    /// All the same.
    Constant(f32),
    /// Normal around 0 with this standard deviation.
    Normal(f32),
}

/// One parameter tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorSpec {
    /// Its name in files.
    pub name: String,
    /// Its shape: `[out, in]` for a dense layer, `[out, in, 3, 3]` for a convolution, `[out]` for biases and norms.
    pub shape: Vec<usize>,
    /// Its first values.
    pub init: Init,
}

impl TensorSpec {
    /// How many numbers it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether it holds nothing, which no parameter of a net does.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether weight decay applies: to matrices and convolutions, not to biases and norms.
    #[must_use]
    pub fn decays(&self) -> bool {
        self.shape.len() > 1
    }
}

/// Lists tensors under construction.
struct Tensors(Vec<TensorSpec>);

impl Tensors {
    fn push(&mut self, name: String, shape: &[usize], init: Init) {
        self.0.push(TensorSpec { name, shape: shape.to_vec(), init });
    }

    /// Weights whose outputs have `gain` times the variance that keeps a signal behind a relu alive (He et al. 2015), and
    /// a bias of zeros.
    fn layer(&mut self, name: &str, shape: &[usize], gain: f32) {
        let fan_in: usize = shape[1..].iter().product();
        let deviation = (2.0 * gain / fan_in as f32).sqrt();
        self.push(format!("{name}.weight"), shape, Init::Normal(deviation));
        self.push(format!("{name}.bias"), &shape[..1], Init::Constant(0.0));
    }

    /// A 3x3 convolution without bias and its group norm.
    fn conv_norm(&mut self, name: &str, out: usize, channels: usize, scale: f32) {
        let deviation = (2.0 / (9 * channels) as f32).sqrt();
        self.push(format!("{name}.conv.weight"), &[out, channels, 3, 3], Init::Normal(deviation));
        self.push(format!("{name}.norm.weight"), &[out], Init::Constant(scale));
        self.push(format!("{name}.norm.bias"), &[out], Init::Constant(0.0));
    }
}

/// The last layer of each head starts small, so that an untrained net is nearly uniform.
const HEAD_GAIN: f32 = 0.01;

impl NetSpec {
    /// The shape that a config asks for.
    #[must_use]
    pub fn new(game: &Spec, config: &NetConfig) -> Self {
        Self { game: *game, kind: config.kind, width: config.width, blocks: config.blocks }
    }

    /// Every parameter tensor, in the order in which forward passes take them.
    #[must_use]
    pub fn tensors(&self) -> Vec<TensorSpec> {
        let mut list = Tensors(Vec::new());
        let (width, actions) = (self.width, self.game.actions);
        // Each block adds its share, so that the sum keeps its size whatever the depth.
        let share = 1.0 / self.blocks.max(1) as f32;
        match self.kind {
            NetKind::Mlp => {
                list.push(
                    "input.weight".into(),
                    &[width, self.game.inputs()],
                    Init::Normal(TYPICAL_ONES.recip().sqrt()),
                );
                list.push("input.bias".into(), &[width], Init::Constant(0.0));
                for i in 0..self.blocks {
                    list.layer(&format!("blocks.{i}"), &[width, width], share);
                }
                list.layer("policy", &[actions, width], HEAD_GAIN);
                list.layer("value.hidden", &[MLP_VALUE_UNITS, width], 1.0);
                list.layer("value", &[3, MLP_VALUE_UNITS], HEAD_GAIN);
            }
            NetKind::Resnet => {
                let squares = self.game.squares;
                list.conv_norm("input", width, self.channels(), 1.0);
                for i in 0..self.blocks {
                    list.conv_norm(&format!("blocks.{i}.0"), width, width, 1.0);
                    list.conv_norm(&format!("blocks.{i}.1"), width, width, share.sqrt());
                }
                list.layer("policy.conv", &[POLICY_CHANNELS, width, 1, 1], 1.0);
                list.layer("policy", &[actions, POLICY_CHANNELS * squares], HEAD_GAIN);
                list.layer("value.conv", &[VALUE_CHANNELS, width, 1, 1], 1.0);
                list.layer("value.hidden", &[RESNET_VALUE_UNITS, VALUE_CHANNELS * squares], 1.0);
                list.layer("value", &[3, RESNET_VALUE_UNITS], HEAD_GAIN);
            }
        }
        list.0
    }

    /// The planes that a `resnet` reads: the game's, and the one that tells the ranks apart.
    #[must_use]
    pub const fn channels(&self) -> usize {
        self.game.board_planes + self.game.scalar_planes + 1
    }

    /// The last plane's value on a square: 1 on the ranks whose first playable square is on the second file.
    #[must_use]
    pub const fn shifted(&self, square: usize) -> f32 {
        (square / (self.game.width / 2) % 2) as f32
    }

    /// Writes position `i` as a `resnet` reads it: `[channels, height, width / 2]`.
    ///
    /// # Panics
    /// If `planes` has another length.
    pub fn write_packed(&self, features: &Features, i: usize, planes: &mut [f32]) {
        let squares = self.game.squares;
        assert_eq!(planes.len(), self.channels() * squares, "a position holds every plane");
        planes.fill(0.0);
        features.ones_of(i).iter().for_each(|&one| planes[usize::from(one)] = 1.0);
        let behind = planes[self.game.board_planes * squares..].chunks_exact_mut(squares);
        for (plane, value) in behind.zip(features.scalars_of(i)) {
            plane.fill(*value);
        }
        let last = planes.len() - squares;
        planes[last..].iter_mut().enumerate().for_each(|(square, value)| *value = self.shifted(square));
    }

    /// Groups of channels that are normed together: 8, or as many as divide the width.
    #[must_use]
    pub fn groups(&self) -> usize {
        (1..=8).rev().find(|n| self.width.is_multiple_of(*n)).expect("1 divides every width")
    }

    /// How many numbers are learned.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.tensors().iter().map(TensorSpec::len).sum()
    }

    /// Floating-point operations of one position, a multiplication and an addition counted as two, every product taken in
    /// full. The forward pass on the CPU does less: it skips the zeros among the inputs and the illegal hops.
    #[must_use]
    pub fn flops(&self) -> usize {
        let products = |t: &TensorSpec| if t.shape.len() == 4 { t.len() * self.game.squares } else { t.len() };
        2 * self.tensors().iter().filter(|t| t.decays()).map(products).sum::<usize>()
    }
}

impl fmt::Display for NetSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            NetKind::Mlp => "mlp",
            NetKind::Resnet => "resnet",
        };
        write!(f, "{kind} {} x {} for {}", self.width, self.blocks, self.game.variant)
    }
}
