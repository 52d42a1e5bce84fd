//! Where a command's answers, notes and complaints go.

use std::io::{self, ErrorKind, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::error::{Error, Result};

/// What an error of standard output names in place of a path.
const STANDARD_OUTPUT: &str = "standard output";

/// A command's answers.
pub(super) struct Output {
    /// Whether they are JSON.
    pub json: bool,
}

impl Output {
    /// Writes a line of the answer for people; nothing in JSON.
    pub fn text(&self, line: &str) -> Result<()> {
        if self.json { Ok(()) } else { write(&format!("{line}\n")) }
    }

    /// Writes an object of the answer for programs; nothing otherwise.
    pub fn object(&self, value: &impl Serialize) -> Result<()> {
        if !self.json {
            return Ok(());
        }
        let line = serde_json::to_string(value).map_err(|error| Error::Failed(error.to_string()))?;
        write(&format!("{line}\n"))
    }

    /// Writes for a person at the terminal: to standard output, or to standard error where that is kept for JSON.
    pub fn talk(&self, text: &str) -> Result<()> {
        if self.json { write_to(&mut io::stderr().lock(), "standard error", text) } else { write(text) }
    }
}

/// Writes to standard output at once.
pub(super) fn write(text: &str) -> Result<()> {
    write_to(&mut io::stdout().lock(), STANDARD_OUTPUT, text)
}

fn write_to(out: &mut dyn Write, name: &str, text: &str) -> Result<()> {
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|source| Error::io(name, source))
}

/// Whether an error says only that nobody reads standard output any more.
pub(super) fn is_closed(error: &Error) -> bool {
    matches!(error, Error::Io { path, source }
        if path.as_os_str() == STANDARD_OUTPUT && source.kind() == ErrorKind::BrokenPipe)
}

/// Tells what went wrong, in one line on standard error.
pub(super) fn complain(text: &str) {
    note(&format!("error: {}", text.replace('\n', " ")));
}

/// Writes a line to standard error; where that is closed there is nobody left to tell.
pub(super) fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// A progress bar on standard error, seen on a terminal only.
pub(super) fn bar(length: u64, what: &str) -> ProgressBar {
    let bar = ProgressBar::new(length).with_message(what.to_owned());
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} [{elapsed}, {eta} left]");
    bar.set_style(style.expect("the template is fixed and right"));
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

/// A progress bar over the bytes of a file on standard error, seen on a terminal only; without a length it only turns.
pub(super) fn bytes_bar(what: &str) -> ProgressBar {
    let bar = ProgressBar::no_length().with_message(what.to_owned());
    let style = ProgressStyle::with_template("{msg} {wide_bar} {bytes}/{total_bytes} [{elapsed}, {bytes_per_sec}]");
    bar.set_style(style.expect("the template is fixed and right"));
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}
