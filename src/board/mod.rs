//! Squares, sets of squares and the hops of pieces on them. Knows boards, but no game.

mod bits;
mod geometry;
mod hops;
mod pieces;
mod square;

pub use bits::Bits;
pub use geometry::{Geometry, HopIndex};
pub use hops::Hops;
pub(crate) use pieces::unpack_sets;
pub use pieces::{Board, Moved, Piece, Side, Step};
pub use square::{Hop, Square};
