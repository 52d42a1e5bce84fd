//! Workloads of the network's forward pass.

use std::path::Path;

use crate::config::{NetConfig, NetKind};
use crate::error::Result;
use crate::evaluator::{Evaluations, Evaluator};
use crate::games::Russian;
use crate::games::position::Position;
use crate::net::cpu::CpuNet;
use crate::net::spec::NetSpec;
use crate::net::weights::Weights;

use super::Size;
use super::rules::leaves;
use super::timing::Task;

/// Different positions; batches take them in turns.
const POSITIONS: usize = 4096;

/// The dense network that workloads use.
pub(super) fn mlp() -> Weights {
    weights(NetConfig { kind: NetKind::Mlp, width: 256, blocks: 1 })
}

/// The convolutional one.
fn resnet() -> Weights {
    weights(NetConfig { kind: NetKind::Resnet, width: 64, blocks: 5 })
}

fn weights(config: NetConfig) -> Weights {
    Weights::init(&NetSpec::new(&Russian::SPEC, &config), 1)
}

/// Writes both networks into a folder, as model files named after their shape.
pub(super) fn write(folder: &Path) -> Result<()> {
    for (name, weights) in [("mlp-256x1", mlp()), ("resnet-64x5", resnet())] {
        weights.write(&folder.join(name).with_extension("safetensors"))?;
    }
    Ok(())
}

/// The CPU forward pass on positions as a search asks for them, one at a time.
pub(super) fn cpu_1(size: Size) -> Result<Task> {
    cpu(&mlp(), 1, size.pick(16_384, 64))
}

/// The same, 64 positions at a time.
pub(super) fn cpu_64(size: Size) -> Result<Task> {
    cpu(&mlp(), 64, size.pick(65_536, 256))
}

/// The same, 256 positions at a time.
pub(super) fn cpu_256(size: Size) -> Result<Task> {
    cpu(&mlp(), 256, size.pick(65_536, 256))
}

/// The convolutional network, 64 positions at a time.
pub(super) fn cpu_resnet_64(size: Size) -> Result<Task> {
    cpu(&resnet(), 64, size.pick(2048, 64))
}

/// Encodes, evaluates and answers `evaluations` positions, `batch` at a time; with libtorch beside it, where there is any.
fn cpu(weights: &Weights, batch: usize, evaluations: usize) -> Result<Task> {
    let net = CpuNet::<Russian>::new(weights)?;
    let task = Task::new(evaluating(net, batch, evaluations)?).with_flops(weights.spec().flops() as f64);
    #[cfg(feature = "torch")]
    let task = task.against("torch eager", torch::forward(weights, batch, evaluations)?);
    Ok(task)
}

fn evaluating(
    mut net: impl Evaluator<Russian>,
    batch: usize,
    evaluations: usize,
) -> Result<impl FnMut() -> Result<u64>> {
    let leaves = leaves(POSITIONS)?;
    let mut answers = Evaluations::default();
    Ok(move || {
        for leaves in leaves.chunks_exact(batch).cycle().take(evaluations / batch) {
            net.evaluate(leaves, &mut answers)?;
        }
        Ok(evaluations as u64)
    })
}

/// The forward pass on libtorch, on one thread.
#[cfg(feature = "torch")]
pub(super) mod torch {
    use crate::device::Device;
    use crate::error::Result;
    use crate::games::Russian;
    use crate::games::planes::Features;
    use crate::games::position::Position;
    use crate::net::torch::{Network, TorchNet, find, set_threads};
    use crate::net::weights::Weights;

    use super::super::Size;
    use super::super::timing::{Reading, Task};
    use super::{POSITIONS, evaluating, leaves, mlp};

    /// All that a search pays for an evaluation, one position at a time.
    pub fn torch_1(size: Size) -> Result<Task> {
        whole(1, size.pick(1024, 64))
    }

    /// The same, 64 positions at a time.
    pub fn torch_64(size: Size) -> Result<Task> {
        whole(64, size.pick(16_384, 256))
    }

    /// The same, 256 positions at a time.
    pub fn torch_256(size: Size) -> Result<Task> {
        whole(256, size.pick(32_768, 256))
    }

    fn whole(batch: usize, evaluations: usize) -> Result<Task> {
        set_threads(1);
        let weights = mlp();
        let net = TorchNet::<Russian>::new(&weights, Device::Cpu)?;
        Ok(Task::new(evaluating(net, batch, evaluations)?).with_flops(weights.spec().flops() as f64))
    }

    /// The layers alone, their input being ready: the least that libtorch takes for a batch.
    pub fn forward(
        weights: &Weights,
        batch: usize,
        evaluations: usize,
    ) -> Result<impl FnMut() -> Result<Reading> + use<>> {
        set_threads(1);
        let network = Network::new(weights.spec(), find(Device::Cpu)?);
        let flat = weights.to_flat();
        let parameters = network.split(&network.upload(&flat, &[flat.len() as i64])?)?;
        let mut inputs = Vec::new();
        for leaves in leaves(POSITIONS)?.chunks_exact(batch) {
            let mut features = Features::default();
            leaves.iter().for_each(|leaf| leaf.position.encode(leaf.clock, &mut features));
            inputs.push(network.input(&features)?);
        }
        Ok(move || {
            for input in inputs.iter().cycle().take(evaluations / batch) {
                drop(std::hint::black_box(network.forward(&parameters, input)?));
            }
            Ok(Reading::Work(evaluations as u64))
        })
    }
}
