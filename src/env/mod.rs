//! The vectorized environment.

pub mod batch;
pub mod vec_env;
