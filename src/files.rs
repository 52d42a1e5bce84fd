//! Files that are there whole or not at all.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use crate::error::{Error, Result};

/// Writes a file beside its place and moves it there, so that a crash leaves the old file or the new one, never half.
///
/// # Errors
/// If the folder or disk does not take it; then the old file stands.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let write = || {
        let mut file = File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        drop(file);
        fs::rename(&temporary, path)
    };
    write().map_err(|source| {
        let _ = fs::remove_file(&temporary);
        Error::io(path, source)
    })?;
    sync_folder_of(path)
}

/// Waits until the name of a file or folder is safe on disk, which it is once the folder that holds it is.
///
/// # Errors
/// If the disk fails.
pub fn sync_folder_of(path: &Path) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Not every system can open a folder.
    File::open(folder).map_or(Ok(()), |folder| folder.sync_all()).map_err(|source| Error::io(path, source))
}
