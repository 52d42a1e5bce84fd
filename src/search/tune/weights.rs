//! The file of tuned weights.

use sha2::{Digest, Sha256};

use crate::error::Result;
use crate::files::WholeFile;

use super::super::heuristic::{FILLED, HEAD};

/// Writes weights, two a term, in units of the logistic function, one of which is `unit` hundredths of a man.
///
/// # Errors
/// If the disk does not take it.
pub fn write(mut file: WholeFile, weights: &[f64], unit: f64) -> Result<()> {
    let mut bytes = HEAD.to_vec();
    for (n, weight) in weights.iter().enumerate() {
        let hundredths = (weight * unit).round();
        if n < 2 * FILLED {
            bytes.extend((hundredths.clamp(-127.0, 127.0) as i8).to_le_bytes());
        } else {
            bytes.extend((hundredths.clamp(-32767.0, 32767.0) as i16).to_le_bytes());
        }
    }
    let sum = Sha256::digest(&bytes);
    bytes.extend(&sum[..8]);
    file.write(&bytes)?;
    file.finish()
}
