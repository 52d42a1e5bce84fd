//! A board of men and kings of two sides, whose turn it is, and how a hop changes it.

use std::fmt;

use crate::error::{Error, Result};

use super::geometry::Geometry;
use super::hash::stir;
use super::side::Side;
use super::square::{Hop, Square};

/// A man or a king of one side.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Piece {
    /// Whose it is.
    pub side: Side,
    /// Whether it is a king.
    pub king: bool,
}

/// What one hop did.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The square of the piece jumped, if the hop was a jump.
    pub captured: Option<Square>,
    /// Whether a man was crowned.
    pub promoted: bool,
    /// Whether the piece was a king before the hop.
    pub by_king: bool,
    /// Whether the piece has come to the end of its move; in a chain it goes on.
    pub move_over: bool,
    /// Whether the turn is over: the move, and where a turn is a move on each of two boards, both.
    pub turn_over: bool,
}

/// What moving one piece came to, as [`Board::advance`] tells it.
#[derive(Copy, Clone, Debug)]
pub struct Moved {
    /// The set of the piece jumped; empty for a step.
    pub jumped: u64,
    /// Whether the piece was a king before.
    pub by_king: bool,
    /// Whether it was crowned.
    pub promoted: bool,
}

/// Men and kings on the playable squares of a board of `W` files and `H` ranks.
///
/// A captured piece stays on the board until the turn is over (the Turkish rule): it is in `pending` and in its
/// side's set as long as the chain lasts.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub struct Board<const W: usize, const H: usize> {
    pub(super) sides: [u64; 2],
    pub(super) kings: u64,
    /// Jumped in this chain and still standing.
    pub(super) pending: u64,
    /// The piece that must go on jumping: one bit, or none.
    pub(super) chain: u64,
    pub(super) turn: Side,
}

impl<const W: usize, const H: usize> Board<W, H> {
    /// A board without pieces.
    #[must_use]
    pub const fn empty(turn: Side) -> Self {
        Self { sides: [0; 2], kings: 0, pending: 0, chain: 0, turn }
    }

    /// The board at the start of a game: each side's men fill the nearest `rows` ranks.
    #[must_use]
    pub fn start(rows: usize) -> Self {
        let mut board = Self::empty(Side::White);
        for rank in 0..rows {
            for file in (rank % 2..W).step_by(2) {
                let square = Square::new(file, rank);
                board.put(square, Piece { side: Side::White, king: false });
                board.put(Square::new(W - 1 - file, H - 1 - rank), Piece { side: Side::Black, king: false });
            }
        }
        board
    }

    /// Puts a piece on an empty playable square.
    ///
    /// # Panics
    /// In debug builds, if the square is occupied or not playable.
    pub fn put(&mut self, square: Square, piece: Piece) {
        let set = Geometry::<W, H>::set(square);
        debug_assert!(set != 0 && self.occupied() & set == 0, "{square} is no empty playable square");
        self.sides[piece.side.index()] |= set;
        if piece.king {
            self.kings |= set;
        }
    }

    /// The piece on a square; `None` if it is empty or not playable.
    #[must_use]
    pub fn at(&self, square: Square) -> Option<Piece> {
        let set = Geometry::<W, H>::set(square);
        let side = Side::BOTH.into_iter().find(|s| self.sides[s.index()] & set != 0)?;
        Some(Piece { side, king: self.kings & set != 0 })
    }

    /// Who moves.
    #[must_use]
    pub const fn turn(&self) -> Side {
        self.turn
    }

    /// The set of all pieces of a side.
    #[must_use]
    pub const fn side(&self, side: Side) -> u64 {
        self.sides[side.index()]
    }

    /// The set of all kings.
    #[must_use]
    pub const fn kings(&self) -> u64 {
        self.kings
    }

    /// The set of pieces jumped in this chain and still standing.
    #[must_use]
    pub const fn pending(&self) -> u64 {
        self.pending
    }

    /// The set of the piece that must go on jumping; empty between turns.
    #[must_use]
    pub const fn chain(&self) -> u64 {
        self.chain
    }

    /// The set of all pieces of both sides.
    #[must_use]
    pub const fn occupied(&self) -> u64 {
        self.sides[0] | self.sides[1]
    }

    /// Puts the board in the middle of a chain: the mover's piece on `at` must go on and has jumped `jumped`. Answers
    /// whether that describes a possible chain.
    #[must_use]
    pub fn set_chain(&mut self, at: Square, jumped: u64) -> bool {
        let set = Geometry::<W, H>::set(at);
        let (own, other) = (self.sides[self.turn.index()], self.sides[(!self.turn).index()]);
        if set & own == 0 || jumped == 0 || jumped & !other != 0 {
            return false;
        }
        (self.chain, self.pending) = (set, jumped);
        self.can_jump(set)
    }

    /// The board from sets of bits; `None` if they cannot be a position.
    #[must_use]
    pub fn from_sets(sides: [u64; 2], kings: u64, pending: u64, chain: u64, turn: Side) -> Option<Self> {
        let men = (sides[0] | sides[1]) & !kings;
        let own_last_rank = (0..2).any(|s| men & sides[s] & Geometry::<W, H>::LAST_RANK[s] != 0);
        let mut board = Self { sides, kings, pending: 0, chain: 0, turn };
        if (sides[0] | sides[1]) & !Geometry::<W, H>::BOARD != 0
            || sides[0] & sides[1] != 0
            || kings & !board.occupied() != 0
            || own_last_rank
        {
            return None;
        }
        match (chain.count_ones(), pending) {
            (0, 0) => Some(board),
            (1, _) if chain & Geometry::<W, H>::BOARD != 0 => {
                let at = Geometry::<W, H>::SQUARE_OF[chain.trailing_zeros() as usize];
                board.set_chain(at, pending).then_some(board)
            }
            _ => None,
        }
    }

    /// Appends the board as bytes.
    pub fn pack(&self, out: &mut Vec<u8>) {
        for word in [self.sides[0], self.sides[1], self.kings, self.pending, self.chain] {
            out.extend(&word.to_le_bytes()[..6]);
        }
        out.push(self.turn.index() as u8);
    }

    /// Takes a board off the front of `bytes`, as [`Board::pack`] wrote it.
    ///
    /// # Errors
    /// [`Error::State`] if the bytes are too few or no possible board.
    pub fn unpack(bytes: &mut &[u8]) -> Result<Self> {
        let (words, turn) = unpack_sets(bytes)?;
        Self::from_sets([words[0], words[1]], words[2], words[3], words[4], turn)
            .ok_or_else(|| damaged("the pieces are no possible position"))
    }

    /// Plays a hop that [`Board::hops`] lists.
    ///
    /// # Panics
    /// In debug builds, if the hop is not legal.
    pub fn play_unchecked(&mut self, hop: Hop) -> Step {
        debug_assert!(self.is_legal(hop), "{hop:?} is not legal on {self:?}");
        let Moved { jumped, by_king, promoted } = self.advance(hop);
        self.pending |= jumped;
        let to = Geometry::<W, H>::set(hop.to);
        let goes_on = jumped != 0 && self.can_jump(to);
        if goes_on {
            self.chain = to;
        } else {
            self.lift(self.pending);
            self.pass();
        }
        let captured = (jumped != 0).then(|| Geometry::<W, H>::SQUARE_OF[jumped.trailing_zeros() as usize]);
        Step { captured, promoted, by_king, move_over: !goes_on, turn_over: !goes_on }
    }

    /// Moves the piece of a hop, crowns it on its last rank, and answers what it jumped, which stays where it is.
    pub fn advance(&mut self, hop: Hop) -> Moved {
        let (own, other) = (self.turn.index(), (!self.turn).index());
        let (from, to) = (Geometry::<W, H>::set(hop.from), Geometry::<W, H>::set(hop.to));
        let by_king = self.kings & from != 0;
        let passed = if by_king { Self::between(from, to) } else { Self::middle(from, to) };
        let jumped = passed & self.sides[other] & !self.pending;
        self.sides[own] ^= from | to;
        let promoted = !by_king && to & Geometry::<W, H>::LAST_RANK[own] != 0;
        if by_king {
            self.kings ^= from | to;
        } else if promoted {
            self.kings |= to;
        }
        Moved { jumped, by_king, promoted }
    }

    /// Takes pieces off the board.
    pub fn lift(&mut self, set: u64) {
        self.sides.iter_mut().for_each(|side| *side &= !set);
        self.kings &= !set;
    }

    /// Ends the move: no chain, nothing jumped, the other side to move.
    pub fn pass(&mut self) {
        (self.pending, self.chain, self.turn) = (0, 0, !self.turn);
    }

    /// Says whose turn it is.
    pub const fn set_turn(&mut self, turn: Side) {
        self.turn = turn;
    }

    /// Puts the board in mid chain, unchecked: the piece on `at` goes on, and may not jump `barred` next.
    pub const fn go_on(&mut self, at: u64, barred: u64) {
        (self.chain, self.pending) = (at, barred);
    }

    /// The squares strictly between two squares of one diagonal. On every other line than theirs the two rays are
    /// parallel, or point away from each other.
    fn between(from: u64, to: u64) -> u64 {
        let (a, b) = (from.trailing_zeros() as usize, to.trailing_zeros() as usize);
        let (there, back) = (&Geometry::<W, H>::RAYS[a], &Geometry::<W, H>::RAYS[b]);
        (0..4).fold(0, |set, d| set | there[d] & back[d ^ 2])
    }

    /// The square in the middle of a man's jump, or none for a step: what both squares have beside them.
    fn middle(from: u64, to: u64) -> u64 {
        let beside = |set| (0..4).fold(0, |beside, d| beside | Geometry::<W, H>::step(set, d));
        beside(from) & beside(to)
    }

    /// A hash of the whole state, chain included: equal boards have equal keys.
    #[must_use]
    pub fn key(&self) -> u64 {
        let words = [self.sides[0], self.sides[1], self.kings, self.pending, self.chain << 1 | self.turn as u64];
        words.into_iter().fold(0x9e37_79b9_7f4a_7c15, stir)
    }
}

/// Bytes of a packed board: five sets of at most 48 bits, and the side to move.
const PACKED: usize = 5 * 6 + 1;

/// The sets of a packed board (White, Black, kings, pending, chain) and the side to move, not yet checked.
pub(crate) fn unpack_sets(bytes: &mut &[u8]) -> Result<([u64; 5], Side)> {
    let packed = bytes.split_off(..PACKED).ok_or_else(|| damaged("cut short"))?;
    let word = |i: usize| {
        let mut le = [0; 8];
        le[..6].copy_from_slice(&packed[6 * i..6 * i + 6]);
        u64::from_le_bytes(le)
    };
    let side = packed[PACKED - 1];
    let turn = *Side::BOTH.get(usize::from(side)).ok_or_else(|| damaged("expected a side, 0 or 1"))?;
    Ok((std::array::from_fn(word), turn))
}

fn damaged(reason: &str) -> Error {
    Error::State { what: "position", reason: reason.to_owned() }
}

impl<const W: usize, const H: usize> fmt::Debug for Board<W, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} to move", self.turn)?;
        for rank in (0..H).rev() {
            for file in 0..W {
                let square = Square::new(file, rank);
                let letter = match self.at(square) {
                    Some(Piece { side: Side::White, king: false }) => 'w',
                    Some(Piece { side: Side::White, king: true }) => 'W',
                    Some(Piece { side: Side::Black, king: false }) => 'b',
                    Some(Piece { side: Side::Black, king: true }) => 'B',
                    None if square.is_dark() => '.',
                    None => ' ',
                };
                write!(f, "{letter} ")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
