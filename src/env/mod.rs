//! The vectorized environment: many games stepped in one call, into buffers that the caller owns.

pub mod batch;
mod legal;
pub mod options;
mod part;
pub mod vec_env;

pub use batch::{BatchMut, Buffers, PlanesMut};
pub use options::{EnvOptions, Seat};
pub use vec_env::{Opponents, VecEnv};
