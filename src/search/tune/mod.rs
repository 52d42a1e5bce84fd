//! Tuning of the classic engine's evaluation: self-play games, and weights that explain their results.

pub mod fit;
pub mod games;
pub mod weights;
