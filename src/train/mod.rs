//! Learning by self-play.

#[cfg(feature = "torch")]
mod adamw;
pub mod console;
#[cfg(feature = "torch")]
pub mod estimate;
#[cfg(feature = "torch")]
pub mod learner;
pub mod metrics;
#[cfg(feature = "torch")]
mod probe;
#[cfg(feature = "torch")]
mod progress;
pub mod replay;
pub mod run_folder;
pub mod rungs;
pub mod selfplay;
pub mod stats;
mod stored;
#[cfg(feature = "torch")]
pub mod trainer;
pub mod warm_start;
