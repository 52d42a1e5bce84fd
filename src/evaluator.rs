//! What a search asks and what it is told: values and priors of positions.

mod cache;

use crate::board::{Hops, Side};
use crate::error::Result;
use crate::games::game::Leaf;
use crate::games::position::Position;

pub use cache::Cache;

/// The chances of White's win, a draw and Black's win; they sum to 1.
///
/// Values are kept in White's view everywhere; [`Wdl::of`] and [`Wdl::seen_by`] are the only ways in and out.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct Wdl {
    white: f32,
    draw: f32,
    black: f32,
}

impl Wdl {
    /// Certain draw.
    pub const DRAW: Self = Self { white: 0.0, draw: 1.0, black: 0.0 };

    /// From the chances `[win, draw, loss]` of a side.
    #[must_use]
    pub const fn of(side: Side, [win, draw, loss]: [f32; 3]) -> Self {
        match side {
            Side::White => Self { white: win, draw, black: loss },
            Side::Black => Self { white: loss, draw, black: win },
        }
    }

    /// Certain: the winner wins, or nobody.
    #[must_use]
    pub const fn certain(winner: Option<Side>) -> Self {
        match winner {
            Some(side) => Self::of(side, [1.0, 0.0, 0.0]),
            None => Self::DRAW,
        }
    }

    /// The chances `[win, draw, loss]` of a side.
    #[must_use]
    pub const fn seen_by(self, side: Side) -> [f32; 3] {
        match side {
            Side::White => [self.white, self.draw, self.black],
            Side::Black => [self.black, self.draw, self.white],
        }
    }

    /// Chance of a win less chance of a loss, −1 to 1, for a side.
    #[must_use]
    pub const fn value(self, side: Side) -> f32 {
        let [win, _, loss] = self.seen_by(side);
        win - loss
    }
}

/// Answers for a batch of leaves. Priors are in the order of each position's `hops`, one flat list.
#[derive(Clone, Debug, Default)]
pub struct Evaluations {
    /// One value a leaf.
    pub wdl: Vec<Wdl>,
    /// The priors of all leaves, each leaf's summing to 1.
    pub priors: Vec<f32>,
    /// Where each leaf's priors end.
    pub ends: Vec<u32>,
}

impl Evaluations {
    /// Forgets all answers, keeps the memory.
    pub fn clear(&mut self) {
        self.wdl.clear();
        self.priors.clear();
        self.ends.clear();
    }

    /// How many leaves are answered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether none is answered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The priors of leaf `i`.
    #[must_use]
    pub fn priors_of(&self, i: usize) -> &[f32] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        &self.priors[start..self.ends[i] as usize]
    }
}

/// Values positions and weighs their hops, a batch at a time.
pub trait Evaluator<P: Position>: Send {
    /// Answers every leaf, in order, into `out`, which is cleared first. Leaves are positions with at least one hop.
    ///
    /// # Errors
    /// If the network behind it fails.
    fn evaluate(&mut self, leaves: &[Leaf<P>], out: &mut Evaluations) -> Result<()>;
}

impl<P: Position, E: Evaluator<P> + ?Sized> Evaluator<P> for Box<E> {
    fn evaluate(&mut self, leaves: &[Leaf<P>], out: &mut Evaluations) -> Result<()> {
        (**self).evaluate(leaves, out)
    }
}

/// What is certain of a position, seen by the side to move, by the rules without draws by counting or repetition.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Proven {
    /// 1 for a win of the side to move, 0 for a draw, −1 for a loss.
    pub value: i8,
    /// Turns of either side until the game ends by best play: the winner hastens, the loser delays. 0 for a draw, and where
    /// the game is over; in mid chain the rest of the turn counts as one.
    pub turns: u16,
}

/// Knows some positions for certain, as endgame tables do.
pub trait Truth<P: Position>: Send + Sync {
    /// The pieces, of both sides together, up to which positions are known.
    fn most_pieces(&self) -> u32;

    /// What is certain of a position, be it between turns or in mid chain; `None` where it is not covered.
    fn probe(&self, position: &P) -> Option<Proven>;
}

/// Knows nothing: every hop alike, every game even.
#[derive(Clone, Debug, Default)]
pub struct Uniform {
    hops: Hops,
}

impl<P: Position> Evaluator<P> for Uniform {
    fn evaluate(&mut self, leaves: &[Leaf<P>], out: &mut Evaluations) -> Result<()> {
        out.clear();
        for leaf in leaves {
            leaf.position.hops(&mut self.hops);
            out.wdl.push(Wdl::DRAW);
            out.priors.extend(std::iter::repeat_n(1.0 / self.hops.len() as f32, self.hops.len()));
            out.ends.push(out.priors.len() as u32);
        }
        Ok(())
    }
}
