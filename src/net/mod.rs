//! Networks: their shape, their weights in files, and the forward pass on the CPU and on libtorch.

pub mod cpu;
pub mod spec;
#[cfg(feature = "torch")]
pub mod torch;
pub mod weights;
