//! Lets binaries, tests and the Python module find libtorch by themselves, without LD_LIBRARY_PATH.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let on_linux = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux");
    if env::var_os("CARGO_FEATURE_TORCH").is_none() || !on_linux {
        return;
    }
    // First the folder of the PyTorch that is installed beside our Python package: a process must not load two of them.
    // Then the folder that torch-sys linked against.
    let folders = ["$ORIGIN/../torch/lib".to_owned()].into_iter().chain(env::var("DEP_TCH_LIBTORCH_LIB"));
    for folder in folders {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
    // Nothing refers to a symbol of libtorch itself, yet loading it is what registers CUDA.
    println!("cargo:rustc-link-arg=-Wl,--no-as-needed");
    println!("cargo:rustc-link-arg=-ltorch");
    println!("cargo:rustc-link-arg=-Wl,--as-needed");
}
