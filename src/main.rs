//! The command `shashki`.

use std::process::ExitCode;

/// The matrix product allocates packing buffers at every call, between small vectors that live long: the system's
/// allocator answers with a heap of many gigabytes.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(shashki::cli::run(std::env::args_os()))
}
