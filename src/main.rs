//! The command `shashki`.

use std::process::ExitCode;

// The matrix products of self-play allocate on every call; the system's allocator lets the heap grow under that.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(shashki::cli::run(std::env::args_os()))
}
