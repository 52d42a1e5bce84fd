//! Bytes with a checksum behind them, which tells whether they are what was stored.

use crate::error::{Error, Result};

/// Puts a checksum (CRC-32) behind bytes that are to be stored.
#[must_use]
pub fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// The bytes that [`seal`] was given. `what` they are is said where they are damaged.
///
/// # Errors
/// [`Error::State`] if the checksum is not theirs.
///
/// ```
/// use shashki::seal::{seal, unseal};
///
/// let mut sealed = seal(b"a game".to_vec());
/// assert_eq!(unseal("game", &sealed)?, b"a game");
/// sealed[2] ^= 1;
/// assert!(unseal("game", &sealed).is_err());
/// # Ok::<(), shashki::Error>(())
/// ```
pub fn unseal<'a>(what: &'static str, bytes: &'a [u8]) -> Result<&'a [u8]> {
    match bytes.split_last_chunk() {
        Some((inner, sum)) if crc32fast::hash(inner).to_le_bytes() == *sum => Ok(inner),
        _ => Err(Error::State { what, reason: "its checksum does not fit, or it is of an earlier version".to_owned() }),
    }
}
