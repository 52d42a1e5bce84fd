//! Files that are there whole or not at all.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Writes a file beside its place and moves it there, so that a crash leaves the old file or the new one, never half. What
/// is no file but a device or a pipe is written to as it stands.
///
/// # Errors
/// If the folder or disk does not take it; then the old file stands.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = WholeFile::create(path)?;
    file.write(bytes)?;
    file.finish()
}

/// Sees that a file to be written is not also another one that is read or written.
///
/// # Errors
/// If both are the same, named by the option of the first.
pub fn apart(option: &'static str, one: Option<&Path>, other: Option<&Path>) -> Result<()> {
    // Of a file that is not there yet, the folder that it will be in.
    let new = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
    };
    let place = |path: &Path| fs::canonicalize(path).ok().or_else(|| new(path)).unwrap_or_else(|| path.to_owned());
    match (one, other) {
        (Some(one), Some(other)) if place(one) == place(other) => {
            Err(Error::value(option, one.display(), "another file than that of the other options"))
        }
        _ => Ok(()),
    }
}

/// A file that is written bit by bit beside its place and moved there at the end. Dropped before that, it is gone and
/// the old file stands.
#[derive(Debug)]
pub struct WholeFile {
    path: PathBuf,
    /// Where it grows; `None` for what cannot be moved to: a device, a pipe.
    temporary: Option<PathBuf>,
    /// `None` once it is moved to its place.
    file: Option<BufWriter<File>>,
}

impl WholeFile {
    /// Begins a file.
    ///
    /// # Errors
    /// If the folder does not take it.
    pub fn create(path: &Path) -> Result<Self> {
        // What a link names is written, not the link.
        let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if path.is_dir() {
            return Err(Error::io(path, std::io::ErrorKind::IsADirectory.into()));
        }
        let in_place = fs::metadata(path).is_ok_and(|found| !found.is_file());
        let temporary = (!in_place).then(|| {
            let mut name = path.file_name().unwrap_or_default().to_owned();
            name.push(format!(".{}.tmp", std::process::id()));
            path.with_file_name(name)
        });
        let file = File::create(temporary.as_deref().unwrap_or(path)).map_err(|source| Error::io(path, source))?;
        Ok(Self { path: path.to_owned(), temporary, file: Some(BufWriter::new(file)) })
    }

    /// Writes more.
    ///
    /// # Errors
    /// If the disk does not take it.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let file = self.file.as_mut().expect("it is there until finish");
        file.write_all(bytes).map_err(|source| Error::io(&self.path, source))
    }

    /// Moves the file to its place.
    ///
    /// # Errors
    /// If the folder or disk does not take it; then the old file stands.
    pub fn finish(mut self) -> Result<()> {
        self.move_to_place().map_err(|source| Error::io(&self.path, source))?;
        self.file = None;
        if self.temporary.is_some() { sync_folder_of(&self.path) } else { Ok(()) }
    }

    fn move_to_place(&mut self) -> std::io::Result<()> {
        let file = self.file.as_mut().expect("it is there until finish");
        file.flush()?;
        let Some(temporary) = &self.temporary else { return Ok(()) };
        file.get_ref().sync_all()?;
        fs::rename(temporary, &self.path)
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if let (Some(_), Some(temporary)) = (&self.file, &self.temporary) {
            let _ = fs::remove_file(temporary);
        }
    }
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

/// Fills `bytes` from a place in a file, wherever others read it.
///
/// # Errors
/// If the file ends before, or the disk fails.
#[cfg(unix)]
pub fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

/// Fills `bytes` from a place in a file, wherever others read it.
///
/// # Errors
/// If the file ends before, or the disk fails.
#[cfg(windows)]
pub fn read_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> std::io::Result<()> {
    while !bytes.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, bytes, offset)?;
        if read == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        offset += read as u64;
        bytes = &mut bytes[read..];
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_is_written_to_and_stays_what_it_is() {
        use std::os::unix::fs::FileTypeExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let reader = std::thread::spawn({
            let path = path.clone();
            move || fs::read(path).unwrap()
        });
        write_whole(&path, b"told").unwrap();
        assert_eq!(reader.join().unwrap(), b"told");
        assert!(fs::metadata(&path).unwrap().file_type().is_fifo());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
