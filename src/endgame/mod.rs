//! Endgame tables: who wins, and in how many turns, for every position of few pieces on a board of 64 squares.
//!
//! [`Builder`] makes them class by class from the rules alone, [`Tables`] reads them, [`verify`](verify::verify) holds
//! them against their own successors. They know the rules without draws by counting and repetition.

mod build;
mod cache;
mod clock;
mod file;
mod index;
mod material;
mod solve;
mod successors;
mod tables;
pub mod verify;

pub use build::{Builder, Built, Progress};
pub use file::Counts;
pub use material::{Class, Ending, Force, MOST_PIECES};
pub use tables::Tables;
