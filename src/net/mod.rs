//! Networks: their shape, their weights in files, and the forward pass on the CPU and on libtorch.

pub mod cpu;
pub mod load;
mod mlp;
mod resnet;
mod simd;
pub mod spec;
#[cfg(feature = "torch")]
pub mod torch;
pub mod weights;

pub use cpu::CpuNet;
pub use load::load;
pub use spec::NetSpec;
#[cfg(feature = "torch")]
pub use torch::TorchNet;
pub use weights::{Card, Weights};
