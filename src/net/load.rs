//! From a model's file and a device to something that evaluates.

use std::path::Path;

use crate::device::Device;
use crate::error::Result;
use crate::evaluator::Evaluator;
use crate::games::position::Position;

use super::cpu::CpuNet;
use super::weights::{Weights, model_file};

/// Loads a model, named by its file or by the folder of the run that made it, onto a device.
///
/// # Errors
/// If the file is unreadable, damaged or of another variant, the device not there, or if this build cannot use it.
pub fn load<P: Position>(path: &Path, device: Device) -> Result<Box<dyn Evaluator<P>>> {
    let weights = Weights::read(&model_file(path)?)?;
    evaluator(&weights, device)
}

/// Evaluators of one network, one for each of `count` threads; on the CPU they share their weights.
///
/// # Errors
/// As [`load`].
pub fn evaluators<P: Position>(weights: &Weights, device: Device, count: usize) -> Result<Vec<Box<dyn Evaluator<P>>>> {
    if device == Device::Cpu {
        let net = CpuNet::new(weights)?;
        return Ok((0..count).map(|_| Box::new(net.clone()) as Box<dyn Evaluator<P>>).collect());
    }
    (0..count).map(|_| evaluator(weights, device)).collect()
}

/// The forward pass that suits the weights and the device.
///
/// # Errors
/// As [`load`].
pub fn evaluator<P: Position>(weights: &Weights, device: Device) -> Result<Box<dyn Evaluator<P>>> {
    match device {
        Device::Cpu => Ok(Box::new(CpuNet::new(weights)?)),
        #[cfg(feature = "torch")]
        Device::Cuda(_) => Ok(Box::new(super::torch::TorchNet::new(weights, device)?)),
        #[cfg(not(feature = "torch"))]
        Device::Cuda(_) => {
            Err(crate::error::Error::value("device", device, "cpu: this build has no libtorch (feature torch)"))
        }
    }
}
