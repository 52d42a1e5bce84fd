//! The command line.

use std::ffi::OsString;

/// Runs a command and answers its exit status.
pub fn run(args: impl IntoIterator<Item = OsString>) -> u8 {
    let _ = args.into_iter().count();
    2
}
