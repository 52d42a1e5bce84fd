//! From a model's file and a device to something that evaluates.

use std::path::Path;

use crate::config::NetKind;
use crate::error::{Error, Result};
use crate::evaluator::Evaluator;
use crate::games::position::Position;

use super::cpu::CpuNet;
use super::weights::{Weights, model_file};

/// Loads a model, named by its file or by the folder of the run that made it, onto `cpu`, `cuda` or `cuda:N`.
///
/// # Errors
/// If the file is unreadable, damaged or of another variant, the device unknown or not there, or if this build cannot
/// run such a model on it.
pub fn load<P: Position>(path: &Path, device: &str) -> Result<Box<dyn Evaluator<P>>> {
    check_device(device)?;
    let weights = Weights::read(&model_file(path)?)?;
    evaluator(&weights, device)
}

/// The forward pass that suits the weights and the device.
///
/// # Errors
/// As [`load`].
pub fn evaluator<P: Position>(weights: &Weights, device: &str) -> Result<Box<dyn Evaluator<P>>> {
    check_device(device)?;
    if device == "cpu" && weights.spec().kind == NetKind::Mlp {
        return Ok(Box::new(CpuNet::new(weights)?));
    }
    #[cfg(feature = "torch")]
    return Ok(Box::new(super::torch::TorchNet::new(weights, device)?));
    #[cfg(not(feature = "torch"))]
    match device {
        "cpu" => Ok(Box::new(CpuNet::new(weights)?)),
        _ => Err(Error::value("device", device, "cpu: this build has no libtorch (feature torch)")),
    }
}

/// Knows the texts of devices, whether they are there or not.
fn check_device(device: &str) -> Result<()> {
    let number = device.strip_prefix("cuda:").map(str::parse::<u8>);
    if matches!(device, "cpu" | "cuda") || matches!(number, Some(Ok(_))) {
        return Ok(());
    }
    Err(Error::value("device", device, "cpu, cuda or cuda:N"))
}
