//! Hand-written evaluation of positions, per variant; material by default.

mod draughts;
mod patterns;
mod towers;
mod tuned;
mod vigman;

pub(super) use tuned::{FILLED, HEAD};

use crate::board::Side;
use crate::games::Position;

/// What a man is worth.
pub const MAN: i32 = 100;
/// What a flying king is worth: about three men.
pub const KING: i32 = 300;

/// A position that the classic engine can judge without looking ahead.
///
/// ```
/// use shashki::games::{Position, Russian};
/// use shashki::search::heuristic::Heuristic;
///
/// let ahead = Russian::read_fen("W:Wc3,e3:Bf6")?;
/// assert!(ahead.evaluate() > 50);
/// # Ok::<(), shashki::Error>(())
/// ```
pub trait Heuristic: Position {
    /// How many terms the tuned evaluation has; 0 where there is none.
    const TERMS: usize = 0;

    /// The worth of the position in hundredths of a man, seen by the side to move. Meant for positions in which nothing
    /// has to be captured; it knows no won or lost positions.
    fn evaluate(&self) -> i32 {
        let worth = |side: Side| -> i32 {
            (0..Self::SPEC.boards)
                .map(|board| {
                    let material = self.material(board);
                    let (men, kings) = (material.men[side.index()], material.kings[side.index()]);
                    MAN * i32::from(men) + KING * i32::from(kings)
                })
                .sum()
        };
        worth(self.side()) - worth(!self.side())
    }

    /// The tuned evaluation in hundredths of a man, seen by the side to move; the first version's where nothing was tuned.
    fn tuned(&self) -> i32 {
        self.evaluate()
    }

    /// Tells the terms of the tuned evaluation that are there, each by its number and how often, seen by White.
    fn terms(&self, _add: impl FnMut(usize, i32)) {}
}

/// Judges by material the variants whose row in the table says so.
macro_rules! judge_by_material {
    ([] $($(#[$doc:meta])* $name:ident = $text:literal, $type:ty, $how:ident;)*) => {
        $(judge_by_material!($how $type);)*
    };
    (judged $type:ty) => {};
    (material $type:ty) => {
        impl Heuristic for $type {}
    };
}

crate::variants!(judge_by_material, []);
