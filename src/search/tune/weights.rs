//! The file of tuned weights.

use std::path::Path;

use sha2::{Digest, Sha256};

use crate::error::Result;
use crate::files::write_whole;

use super::super::heuristic::{HEAD, UNIT};

/// Writes weights in units of the logistic function, one of which is `unit` hundredths of a man.
///
/// # Errors
/// If the disk does not take it.
pub fn write(path: &Path, weights: &[f64], unit: f64) -> Result<()> {
    let mut bytes = HEAD.to_vec();
    for weight in weights {
        let parts = (weight * unit * f64::from(UNIT)).round().clamp(f64::from(i16::MIN), f64::from(i16::MAX));
        bytes.extend((parts as i16).to_le_bytes());
    }
    let sum = Sha256::digest(&bytes);
    bytes.extend(&sum[..8]);
    write_whole(path, &bytes)
}
