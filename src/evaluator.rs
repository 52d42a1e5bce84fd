//! What a search asks and what it is told: values and priors of positions.

mod cache;

use std::fmt;
use std::sync::Arc;

use crate::board::{Hops, Side};
use crate::error::Result;
use crate::games::game::{Game, Leaf};
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

    /// Whether a win of the game's position that takes so many turns comes before any draw rule can. Who knows more than
    /// [`is_in_time`], may say so of longer wins.
    fn in_time(&self, game: &Game<P>, turns: u16) -> bool {
        is_in_time(game, turns)
    }

    /// What is certain of a game that is not over, as [`certain`] tells.
    fn certain(&self, game: &Game<P>) -> Option<Proven> {
        let proven = self.probe(game.position())?;
        (proven.value == 0 || self.in_time(game, proven.turns)).then_some(proven)
    }

    /// Sees that nothing has gone wrong in [`Truth::probe`], which cannot answer errors.
    ///
    /// # Errors
    /// The first thing that did.
    fn check(&self) -> Result<()> {
        Ok(())
    }
}

/// What is certain of a game under its own draw rules; `None` where nothing is, or the game is over.
///
/// A [`Truth`] leaves the draw rules out. What follows from it under them:
///
/// - A drawn position stays drawn. Either side can hold it for ever, and draw rules only end games that go on.
/// - A won position is won if the win comes before any rule can call a draw. By best play it takes at most
///   [`Proven::turns`] plies, whatever the loser does, and each position on the way is nearer to the end than the one
///   before, so none comes twice. Three things could still come between:
///   - a counter that runs now, if fewer plies are left to it ([`Game::plies_to_draw`]); at the last of them a side without
///     a move has lost before the draw is looked for;
///   - a counter of a rule that begins to hold on the way, because a capture or crowning changed the pieces. Every counter
///     that such a change gives a meaning starts from zero there, after at least one ply; so what is left must fit the
///     shortest count that any rule in force allows ([`Game::shortest_draw`]);
///   - a position from before the present one that was on the board twice and comes for the third time: where any was, the
///     win is not called certain ([`Game::repeated`]).
///
/// Wins that are longer than that may well be wins; they are not called certain unless the truth's own
/// [`Truth::in_time`] knows them to be.
pub fn certain<P: Position>(truth: &dyn Truth<P>, game: &Game<P>) -> Option<Proven> {
    if game.outcome().is_some() { None } else { truth.certain(game) }
}

/// Whether a win that takes so many turns comes before any draw rule can, whatever the pieces; [`certain`] tells why.
pub fn is_in_time<P: Position>(game: &Game<P>, turns: u16) -> bool {
    game.plies_to_draw().is_none_or(|left| turns <= left)
        && game.shortest_draw().is_none_or(|shortest| turns <= shortest + 1)
        && !game.repeated()
}

/// What somebody knows for certain, if anybody does.
pub struct Knowledge<P>(Option<Arc<dyn Truth<P>>>);

impl<P: Position> Knowledge<P> {
    /// What a truth knows.
    #[must_use]
    pub const fn new(truth: Option<Arc<dyn Truth<P>>>) -> Self {
        Self(truth)
    }

    /// Who knows it.
    #[must_use]
    pub fn truth(&self) -> Option<&dyn Truth<P>> {
        self.0.as_deref()
    }

    /// What is certain of a game, as [`certain`] tells.
    #[must_use]
    pub fn certain(&self, game: &Game<P>) -> Option<Proven> {
        certain(self.0.as_deref()?, game)
    }

    /// Sees that whoever knows it has met no error.
    ///
    /// # Errors
    /// As [`Truth::check`].
    pub fn check(&self) -> Result<()> {
        self.truth().map_or(Ok(()), Truth::check)
    }

    /// Whether anything is known of a position, be it certain in a game or not.
    #[must_use]
    pub fn reaches(&self, position: &P) -> bool {
        self.0.as_ref().is_some_and(|truth| truth.probe(position).is_some())
    }
}

impl<P> Clone for Knowledge<P> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<P> Default for Knowledge<P> {
    fn default() -> Self {
        Self(None)
    }
}

impl<P> fmt::Debug for Knowledge<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Knowledge(Some(_))" } else { "Knowledge(None)" })
    }
}

impl Proven {
    /// The winner, if the side to move is this one; `None` for a draw.
    #[must_use]
    pub fn winner(self, side: Side) -> Option<Side> {
        match self.value {
            0 => None,
            1 => Some(side),
            _ => Some(!side),
        }
    }
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
