//! Files of a run that must be whole: a mark, the content, its checksum.

use std::path::Path;

use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::files::write_whole;

/// Bytes of the checksum at the end.
const CHECKSUM: usize = 32;

/// Writes a file that is there whole or not at all, with `mark` (its kind and version) before and a checksum behind.
///
/// # Errors
/// If it cannot be written.
pub(super) fn write(path: &Path, mark: [u8; 4], content: &[u8]) -> Result<()> {
    let mut bytes = Vec::with_capacity(mark.len() + content.len() + CHECKSUM);
    bytes.extend(mark);
    bytes.extend(content);
    let checksum = Sha256::digest(&bytes);
    bytes.extend(checksum);
    write_whole(path, &bytes)
}

/// Reads the content of a file that [`write`] made.
///
/// # Errors
/// [`Error::Io`], or [`Error::Failed`] naming the file if it is damaged, cut short or of another kind.
pub(super) fn read(path: &Path, mark: [u8; 4]) -> Result<Vec<u8>> {
    let mut bytes = std::fs::read(path).map_err(|source| Error::io(path, source))?;
    let damaged = |reason: &str| Error::Failed(format!("{}: {reason}", path.display()));
    let end = bytes.len().checked_sub(CHECKSUM).ok_or_else(|| damaged("cut short"))?;
    if !bytes.starts_with(&mark) {
        return Err(damaged("expected another kind or version of file"));
    }
    if Sha256::digest(&bytes[..end])[..] != bytes[end..] {
        return Err(damaged("damaged: the checksum does not fit"));
    }
    bytes.truncate(end);
    bytes.drain(..mark.len());
    Ok(bytes)
}

/// Takes `N` bytes off the front.
///
/// # Errors
/// [`Error::State`] if there are fewer.
pub(super) fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N]> {
    let (head, rest) = bytes
        .split_first_chunk()
        .ok_or_else(|| Error::State { what: "training state", reason: "cut short".to_owned() })?;
    *bytes = rest;
    Ok(*head)
}

/// Takes a count, as four bytes, off the front.
///
/// # Errors
/// [`Error::State`] if there are fewer.
pub(super) fn take_count(bytes: &mut &[u8]) -> Result<usize> {
    Ok(u32::from_le_bytes(take(bytes)?) as usize)
}

/// Appends a count as four bytes.
pub(super) fn put_count(out: &mut Vec<u8>, count: usize) {
    out.extend((count as u32).to_le_bytes());
}
