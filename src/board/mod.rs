//! Squares, sets of squares and the hops of pieces on them. Knows boards, but no game.

mod bits;
mod geometry;
mod hash;
mod hops;
mod pieces;
mod side;
mod square;

pub use bits::Bits;
pub use geometry::{Geometry, HopIndex};
pub(crate) use hash::stir;
pub use hops::Hops;
pub(crate) use pieces::unpack_sets;
pub use pieces::{Board, Moved, Piece, Step};
pub use side::Side;
pub use square::{Hop, Square};
