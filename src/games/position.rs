//! What a variant must answer so that everything else can play and learn it.

use std::fmt;

use crate::board::{Board, Hop, Hops, Side, Square, Step};
use crate::error::Result;

use super::draws::{ClockView, Draws, Material, Preset};
use super::planes::Features;
pub use super::spec::Spec;

/// A position of one variant: the board, whose turn it is, and where a turn stands that is not over. It knows no
/// history; counters and earlier positions are kept by [`Game`](super::game::Game).
///
/// # What an implementer keeps
/// - `hops` is empty iff the side to move is stuck, and then [`Position::stuck`] names the winner.
/// - [`Position::index`] is one-to-one on the legal hops and below `SPEC.actions`, and [`Position::hop_at`] inverts it.
/// - Equal positions have equal keys and different ones (but for chance) different keys.
/// - Sides need not alternate: ask [`Position::side`].
/// - Where `SPEC.boards` is more than 1, a board on which the side to move is stuck is over, and the other goes on;
///   only when all are over is there no legal hop. `board_of`, `board_key`, `in_chain`, `is_open`, `close` and `points`
///   tell the boards apart.
pub trait Position: Copy + Eq + Send + Sync + fmt::Debug + 'static {
    /// The fixed facts of the variant.
    const SPEC: Spec;

    /// The position at the start of a game.
    fn start() -> Self;

    /// Who moves.
    fn side(&self) -> Side;

    /// Lists the legal hops into `out`, which is cleared first.
    fn hops(&self, out: &mut Hops);

    /// Whether there is any legal hop.
    fn can_move(&self) -> bool;

    /// Whether the legal hops are captures.
    fn must_capture(&self) -> bool;

    /// Whether the other side could capture if it were its turn: a hint for searches, which may leave it out.
    fn is_threatened(&self) -> bool {
        false
    }

    /// Whether a step can crown a man, where no capture is compulsory: a hint for searches, which may leave it out.
    fn can_crown(&self) -> bool {
        false
    }

    /// Whether the position lies between two turns, not within one.
    fn at_turn_start(&self) -> bool;

    /// Whether a capture is under way on a board.
    fn in_chain(&self, _board: usize) -> bool {
        !self.at_turn_start()
    }

    /// Whether the game on a board goes on, as far as the position knows.
    fn is_open(&self, _board: usize) -> bool {
        true
    }

    /// Whether the side to move has played the first of two turns in a row.
    fn half_done(&self) -> bool {
        false
    }

    /// Plays a legal hop; an illegal one is a bug that debug builds report.
    fn play_unchecked(&mut self, hop: Hop) -> Step;

    /// Who wins when there is no legal hop; `None` for a draw, as the sum of two games may be.
    fn stuck(&self) -> Option<Side>;

    /// The number of a legal hop, the board turned for Black.
    fn index(&self, hop: Hop) -> usize;

    /// The hop that a number stands for, seen by the side to move; `None` beyond the last number.
    fn hop_at(&self, index: usize) -> Option<Hop>;

    /// Appends the position as a net sees it, from the side of the mover.
    fn encode(&self, clock: ClockView, features: &mut Features);

    /// A hash of the whole state.
    fn key(&self) -> u64;

    /// The board of 64 squares, where it is all there is of a position and its moves are those of the generator: what
    /// endgame tables are made for.
    fn plain(&self) -> Option<&Board<8, 8>> {
        None
    }

    /// What the draw rules need to know of the pieces on a board, numbered from 0.
    fn material(&self, board: usize) -> Material;

    /// On which board a square lies.
    fn board_of(_square: Square) -> usize {
        0
    }

    /// A hash of what repeats on one board: the whole state where there is only one.
    fn board_key(&self, _board: usize) -> u64 {
        self.key()
    }

    /// Ends the game on one of several boards as drawn, if it goes on there.
    fn close(&mut self, _board: usize) {}

    /// White's and Black's points, where boards that are over are summed: 2 for a won one, 1 for a drawn one.
    fn points(&self) -> Option<[u8; 2]> {
        None
    }

    /// The draw rules of a preset; `None` where the variant has no such preset.
    fn draws(preset: Preset) -> Option<Draws>;

    /// Reads a position text.
    ///
    /// # Errors
    /// [`Error::Fen`](crate::Error::Fen), naming what is wrong.
    fn read_fen(text: &str) -> Result<Self>;

    /// Writes the canonical position text.
    fn write_fen(&self) -> String;

    /// Appends the position as bytes.
    fn pack(&self, out: &mut Vec<u8>);

    /// Takes a position off the front of `bytes`, as [`Position::pack`] wrote it.
    ///
    /// # Errors
    /// [`Error::State`](crate::Error::State) if the bytes are too few or no position.
    fn unpack(bytes: &mut &[u8]) -> Result<Self>;

    /// The square that the number `n` of the numeric notation stands for; `None` beyond the last one.
    fn numbered(n: usize) -> Option<Square>;

    /// The number of legal turns, distinct by start square and resulting position. `None` where only listing them tells.
    fn count_turns(&self) -> Option<u64> {
        None
    }
}
