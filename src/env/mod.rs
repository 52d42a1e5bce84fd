//! The vectorized environment: many games stepped in one call, into buffers that the caller owns.

pub mod batch;
pub mod vec_env;

pub use batch::{BatchMut, Buffers};
pub use vec_env::{EnvOptions, Opponents, Seat, VecEnv};
