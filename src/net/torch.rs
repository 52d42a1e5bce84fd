//! The forward pass of every kind of net on libtorch, for training and for inference on a GPU.

use std::marker::PhantomData;

use tch::{Cuda, Kind, TchError, Tensor};

use crate::board::Hops;
use crate::config::NetKind;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::evaluator::{Evaluations, Evaluator};
use crate::games::game::Leaf;
use crate::games::planes::Features;
use crate::games::position::Position;

use super::cpu::answer;
use super::spec::NetSpec;
use super::weights::Weights;

impl From<TchError> for Error {
    /// The first line of libtorch's word; the rest is a backtrace of its C++.
    fn from(error: TchError) -> Self {
        let text = error.to_string();
        let line = text.lines().next().unwrap_or_default().trim().trim_start_matches("Internal torch error: ");
        Self::Network(line.to_owned())
    }
}

/// Sets how many threads libtorch computes with in calls from this thread: one in a worker of many.
pub fn set_threads(threads: usize) {
    tch::set_num_threads(threads.clamp(1, 1024) as i32);
}

/// Finds a device as libtorch knows it.
///
/// # Errors
/// [`Error::Value`] if no such GPU is there.
pub fn find(device: Device) -> Result<tch::Device> {
    let Device::Cuda(number) = device else { return Ok(tch::Device::Cpu) };
    let number = usize::from(number);
    let count = if Cuda::is_available() { usize::try_from(Cuda::device_count()).unwrap_or(0) } else { 0 };
    match count {
        0 => Err(Error::value("device", device, "cpu: libtorch finds no usable GPU here")),
        n if number >= n => Err(Error::value("device", device, format!("cpu or cuda:0 to cuda:{}", n - 1))),
        _ => Ok(tch::Device::Cuda(number)),
    }
}

/// A net's computation, apart from its parameters: these are handed in as one list in the order of
/// [`NetSpec::tensors`], so that a learner can keep all of them in one piece of memory.
#[derive(Clone, Debug)]
pub struct Network {
    spec: NetSpec,
    device: tch::Device,
    shapes: Vec<Vec<i64>>,
    sizes: Vec<i64>,
}

impl Network {
    /// The computation for this shape on this device.
    #[must_use]
    pub fn new(spec: &NetSpec, device: tch::Device) -> Self {
        let tensors = spec.tensors();
        let shapes = tensors.iter().map(|t| t.shape.iter().map(|&n| n as i64).collect()).collect();
        let sizes = tensors.iter().map(|t| t.len() as i64).collect();
        Self { spec: *spec, device, shapes, sizes }
    }

    /// The network's shape.
    #[must_use]
    pub const fn spec(&self) -> &NetSpec {
        &self.spec
    }

    /// Moves numbers onto the device, as `shape`.
    ///
    /// # Errors
    /// If the device has no memory for them.
    pub fn upload<T: tch::kind::Element>(&self, values: &[T], shape: &[i64]) -> Result<Tensor> {
        let host = Tensor::f_from_slice(values)?.f_reshape(shape)?;
        if !self.device.is_cuda() {
            return Ok(host);
        }
        // From pinned memory the copy goes on while the next kernels are queued.
        let kind = host.f_kind()?;
        Ok(host.f_pin_memory(self.device)?.f_to_device_(self.device, kind, true, false)?)
    }

    /// The parameter tensors as views of one flat list of them all. Gradients flow back into the list.
    ///
    /// # Errors
    /// If the list is of another length.
    pub fn split(&self, flat: &Tensor) -> Result<Vec<Tensor>> {
        let parts = flat.f_split_with_sizes(&self.sizes, 0)?;
        parts.iter().zip(&self.shapes).map(|(part, shape)| Ok(part.f_reshape(shape)?)).collect()
    }

    /// What the net reads of encoded positions: rows `[n, inputs]` for dense nets, else planes
    /// of the playable squares `[n, channels, height, width / 2]`.
    ///
    /// # Errors
    /// If the device has no memory for them.
    pub fn input(&self, features: &Features) -> Result<Tensor> {
        let (n, game) = (features.len(), &self.spec.game);
        match self.spec.kind {
            NetKind::Mlp => {
                let mut rows = vec![0.0; n * game.inputs()];
                let each = rows.chunks_exact_mut(game.inputs()).enumerate();
                each.for_each(|(i, row)| features.write_row(i, game, row));
                self.upload(&rows, &[n as i64, game.inputs() as i64])
            }
            NetKind::Resnet => {
                let [channels, ranks] = [self.spec.channels(), game.height];
                let mut planes = vec![0.0; n * channels * game.squares];
                let each = planes.chunks_exact_mut(channels * game.squares).enumerate();
                each.for_each(|(i, planes)| self.spec.write_packed(features, i, planes));
                let shape = [n, channels, ranks, game.squares / ranks].map(|n| n as i64);
                self.upload(&planes, &shape)
            }
        }
    }

    /// The logits of every hop, `[n, actions]`, and of win, draw and loss, `[n, 3]`.
    ///
    /// # Errors
    /// If the device fails or runs out of memory.
    ///
    /// # Panics
    /// If `parameters` are not as many as [`Network::split`] gives.
    pub fn forward(&self, parameters: &[Tensor], input: &Tensor) -> Result<(Tensor, Tensor)> {
        assert_eq!(parameters.len(), self.sizes.len(), "a net's parameters");
        let mut rest = Parameters(parameters.iter());
        Ok(match self.spec.kind {
            NetKind::Mlp => self.dense(&mut rest, input),
            NetKind::Resnet => self.convolutions(&mut rest, input),
        }?)
    }

    fn dense(&self, rest: &mut Parameters, input: &Tensor) -> Result<(Tensor, Tensor), TchError> {
        let mut stream = rest.linear(input)?;
        for _ in 0..self.spec.blocks {
            let change = rest.linear(&stream.f_relu()?)?;
            stream = stream.f_add(&change)?;
        }
        let active = stream.f_relu()?;
        let policy = rest.linear(&active)?;
        let hidden = rest.linear(&active)?.f_relu()?;
        Ok((policy, rest.linear(&hidden)?))
    }

    fn convolutions(&self, rest: &mut Parameters, input: &Tensor) -> Result<(Tensor, Tensor), TchError> {
        let groups = self.spec.groups() as i64;
        let mut stream = rest.conv_norm(input, groups)?.f_relu()?;
        for _ in 0..self.spec.blocks {
            let first = rest.conv_norm(&stream, groups)?.f_relu()?;
            let second = rest.conv_norm(&first, groups)?;
            stream = stream.f_add(&second)?.f_relu()?;
        }
        let channels = rest.conv(&stream)?.f_relu()?.f_flatten(1, -1)?;
        let policy = rest.linear(&channels)?;
        let channels = rest.conv(&stream)?.f_relu()?.f_flatten(1, -1)?;
        let hidden = rest.linear(&channels)?.f_relu()?;
        Ok((policy, rest.linear(&hidden)?))
    }
}

/// Hands out the parameters in order.
struct Parameters<'a>(std::slice::Iter<'a, Tensor>);

impl<'a> Parameters<'a> {
    fn next(&mut self) -> &'a Tensor {
        self.0.next().expect("the net's shape lists what its forward pass takes")
    }

    fn linear(&mut self, input: &Tensor) -> Result<Tensor, TchError> {
        let (weight, bias) = (self.next(), self.next());
        input.f_linear(weight, Some(bias))
    }

    /// A 1x1 convolution.
    fn conv(&mut self, input: &Tensor) -> Result<Tensor, TchError> {
        let (weight, bias) = (self.next(), self.next());
        input.f_conv2d(weight, Some(bias), 1, 0, 1, 1)
    }

    /// A 3x3 convolution and its group norm.
    fn conv_norm(&mut self, input: &Tensor, groups: i64) -> Result<Tensor, TchError> {
        let [weight, scale, shift] = [self.next(), self.next(), self.next()];
        let sums = input.f_conv2d(weight, None::<&Tensor>, 1, 1, 1, 1)?;
        sums.f_group_norm(groups, Some(scale), Some(shift), 1e-5, true)
    }
}

/// The numbers of a tensor, brought to the host.
///
/// # Errors
/// If the device fails.
pub fn download(tensor: &Tensor) -> Result<Vec<f32>> {
    let flat = tensor.f_detach()?.f_reshape([-1])?.f_to_device(tch::Device::Cpu)?.f_to_kind(Kind::Float)?;
    Ok(Vec::try_from(&flat)?)
}

/// Evaluates positions with any kind of net on libtorch, on a GPU in half precision.
///
/// A call returns when the answer is there. Batches of several threads are in flight at once, each with an evaluator of
/// its own, so that one thread's search goes on while the device computes for another.
#[derive(Debug)]
pub struct TorchNet<P> {
    network: Network,
    parameters: Vec<Tensor>,
    /// What layers are computed in.
    kind: Kind,
    features: Features,
    hops: Hops,
    logits: Vec<f32>,
    variant: PhantomData<fn() -> P>,
}

impl<P: Position> TorchNet<P> {
    /// The net with these weights on a device.
    ///
    /// # Errors
    /// If the weights are of another variant or the device is not there.
    pub fn new(weights: &Weights, device: Device) -> Result<Self> {
        let device = find(device)?;
        Self::in_kind(weights, device, if device.is_cuda() { Kind::Half } else { Kind::Float })
    }

    fn in_kind(weights: &Weights, device: tch::Device, kind: Kind) -> Result<Self> {
        weights.expect_variant::<P>()?;
        let network = Network::new(weights.spec(), device);
        let flat = weights.to_flat();
        let parameters = network.split(&network.upload(&flat, &[flat.len() as i64])?.f_to_kind(kind)?)?;
        let (features, hops, logits) = (Features::default(), Hops::new(), Vec::new());
        Ok(Self { network, parameters, kind, features, hops, logits, variant: PhantomData })
    }

    /// The logits of every hop, `[n, actions]`, and of win, draw and loss, `[n, 3]`, legal or not.
    ///
    /// # Errors
    /// If the device fails.
    pub fn logits(&mut self, features: &Features) -> Result<(Vec<f32>, Vec<f32>)> {
        let _no_gradients = tch::no_grad_guard();
        let input = self.network.input(features)?.f_to_kind(self.kind)?;
        let (policy, wdl) = self.network.forward(&self.parameters, &input)?;
        Ok((download(&policy)?, download(&wdl)?))
    }
}

impl<P: Position> Evaluator<P> for TorchNet<P> {
    fn evaluate(&mut self, leaves: &[Leaf<P>], out: &mut Evaluations) -> Result<()> {
        out.clear();
        if leaves.is_empty() {
            return Ok(());
        }
        let mut features = std::mem::take(&mut self.features);
        features.clear();
        leaves.iter().for_each(|leaf| leaf.position.encode(leaf.clock, &mut features));
        let (policy, wdl) = self.logits(&features)?;
        self.features = features;
        let (wdl, _) = wdl.as_chunks::<3>();
        for ((leaf, policy), wdl) in leaves.iter().zip(policy.chunks_exact(P::SPEC.actions)).zip(wdl) {
            leaf.position.hops(&mut self.hops);
            self.logits.clear();
            self.logits.extend(self.hops.iter().map(|&hop| policy[leaf.position.index(hop)]));
            answer(leaf, &mut self.logits, *wdl, out);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::NetConfig;
    use crate::games::Russian;

    #[test]
    fn half_precision_answers_about_the_same() {
        let position = Russian::read_fen("W:Wc3,e3,Ka1:Bd6,f6,h8").unwrap();
        let mut features = Features::default();
        position.encode(Default::default(), &mut features);
        for kind in [NetKind::Mlp, NetKind::Resnet] {
            let spec = NetSpec::new(&Russian::SPEC, &NetConfig { kind, width: 32, blocks: 2 });
            let weights = Weights::init(&spec, 3);
            let mut answers = [Kind::Float, Kind::Half].map(|kind| {
                let (policy, wdl) =
                    TorchNet::<Russian>::in_kind(&weights, tch::Device::Cpu, kind).unwrap().logits(&features).unwrap();
                [policy, wdl].concat()
            });
            let [exact, half] = &mut answers;
            let differences = exact.iter().zip(half.iter()).map(|(a, b)| (a - b).abs());
            let most = differences.fold(0.0, f32::max);
            assert!(most > 0.0 && most < 0.02, "{kind:?}: {most}");
        }
    }
}
