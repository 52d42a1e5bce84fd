//! Russian draughts: men step forward and jump both ways, kings fly, capture is compulsory, a side without a hop loses.

use crate::board::{Bits, Board, Geometry, Hop, Hops, Side, Square, Step};
use crate::error::{Error, Result};

use super::draws::{ClockView, Draws, Material, Preset};
use super::fen;
use super::planes::Features;
use super::position::{Position, Spec};
use super::variant::Variant;

/// A position of draughts by the Russian rules on a board of `W` files and `H` ranks.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Draughts<const W: usize, const H: usize> {
    board: Board<W, H>,
}

/// Russian draughts on the board of 64 squares.
///
/// ```
/// use shashki::games::{Position, Russian, perft};
///
/// assert_eq!(perft(&Russian::start(), 4), 1469);
/// ```
pub type Russian = Draughts<8, 8>;

/// Planes, in this order, over the playable squares; then the scalars.
const PLANE_NAMES: [&str; 8] = [
    "own men",
    "own kings",
    "other's men",
    "other's kings",
    "the piece that must go on jumping",
    "pieces jumped in this chain, still standing",
    "plies over limit of the nearest draw, in sixteenths",
    "earlier occurrences of the position over 2",
];

/// The cell of each playable square, row by row from the mover's first rank.
const fn cells<const W: usize, const N: usize>() -> [u8; N] {
    let mut cells = [0; N];
    let mut n = 0;
    while n < N {
        let (rank, column) = (n / (W / 2), n % (W / 2));
        cells[n] = (rank * W + 2 * column + rank % 2) as u8;
        n += 1;
    }
    cells
}

impl<const W: usize, const H: usize> Draughts<W, H> {
    /// The position with this board.
    #[must_use]
    pub const fn from_board(board: Board<W, H>) -> Self {
        Self { board }
    }

    /// The board.
    #[must_use]
    pub const fn board(&self) -> &Board<W, H> {
        &self.board
    }

    /// A bit as the side to move sees it.
    fn seen(&self, bit: u32) -> u32 {
        match self.board.turn() {
            Side::White => bit,
            Side::Black => Geometry::<W, H>::turned(bit),
        }
    }
}

/// The number of a square's bit.
///
/// # Panics
/// If the board does not play on it: hops come from the generator, so that is a bug.
fn bit_of<const W: usize, const H: usize>(square: Square) -> u32 {
    Geometry::<W, H>::bit(square).expect("hops run over playable squares")
}

impl Position for Draughts<8, 8> {
    const SPEC: Spec = Spec {
        variant: Variant::Russian,
        width: 8,
        height: 8,
        actions: Geometry::<8, 8>::HOPS.len,
        squares: Geometry::<8, 8>::SQUARES,
        board_planes: 6,
        scalar_planes: 2,
        cells: &cells::<8, 32>(),
        game_type: Some("25,W,8,8,A0,0"),
        plane_names: &PLANE_NAMES,
    };

    fn start() -> Self {
        Self { board: Board::start(3) }
    }

    fn side(&self) -> Side {
        self.board.turn()
    }

    fn hops(&self, out: &mut Hops) {
        self.board.hops(out);
    }

    fn can_move(&self) -> bool {
        self.board.can_move()
    }

    fn must_capture(&self) -> bool {
        self.board.must_capture()
    }

    fn at_turn_start(&self) -> bool {
        self.board.chain() == 0
    }

    fn play_unchecked(&mut self, hop: Hop) -> Step {
        self.board.play_unchecked(hop)
    }

    fn stuck(&self) -> Side {
        !self.board.turn()
    }

    fn index(&self, hop: Hop) -> usize {
        let (from, to) = (bit_of::<8, 8>(hop.from), bit_of::<8, 8>(hop.to));
        Geometry::<8, 8>::HOPS.slot(self.seen(from), self.seen(to))
    }

    fn hop_at(&self, index: usize) -> Option<Hop> {
        let (from, to) = Geometry::<8, 8>::HOPS.pair(index)?;
        Some(Geometry::<8, 8>::hop(self.seen(from), self.seen(to)))
    }

    fn encode(&self, clock: ClockView, features: &mut Features) {
        let (own, other) = (self.board.side(self.side()), self.board.side(!self.side()));
        let kings = self.board.kings();
        let sets = [own & !kings, own & kings, other & !kings, other & kings, self.board.chain(), self.board.pending()];
        for (plane, set) in sets.into_iter().enumerate() {
            for bit in Bits(set) {
                let square = usize::from(Geometry::<8, 8>::DENSE_OF[self.seen(bit) as usize]);
                features.ones.push((plane * Self::SPEC.squares + square) as u16);
            }
        }
        features.scalars.extend(clock.scalars());
        features.finish();
    }

    fn key(&self) -> u64 {
        self.board.key()
    }

    fn material(&self) -> Material {
        let (kings, occupied) = (self.board.kings(), self.board.occupied());
        let on_road = occupied & Geometry::<8, 8>::MAIN_ROAD;
        let mut material = Material::default();
        for side in Side::BOTH {
            let (i, own) = (side.index(), self.board.side(side));
            material.men[i] = (own & !kings).count_ones() as u8;
            material.kings[i] = (own & kings).count_ones() as u8;
            material.on_road[i] = on_road & own & kings != 0;
            material.holds_road[i] = material.on_road[i] && on_road.count_ones() == 1;
        }
        material
    }

    fn draws(preset: Preset) -> Option<Draws> {
        let official = Draws {
            repetition: true,
            three_kings: true,
            kings_only: true,
            few_pieces: true,
            ending: true,
            main_road: true,
            lidraughts: false,
        };
        Some(match preset {
            Preset::Official => official,
            Preset::Lidraughts => Draws { lidraughts: true, ..official },
            Preset::Basic => Draws { few_pieces: false, ending: false, main_road: false, ..official },
        })
    }

    fn read_fen(text: &str) -> Result<Self> {
        Ok(Self { board: fen::read(text)? })
    }

    fn write_fen(&self) -> String {
        fen::write(&self.board)
    }

    fn pack(&self, out: &mut Vec<u8>) {
        let [white, black] = Side::BOTH.map(|s| self.board.side(s));
        for word in [white, black, self.board.kings(), self.board.pending(), self.board.chain()] {
            out.extend(&word.to_le_bytes()[..5]);
        }
        out.push(self.side().index() as u8);
    }

    fn unpack(bytes: &mut &[u8]) -> Result<Self> {
        let bad = |reason: &str| Error::State { what: "position", reason: reason.to_owned() };
        let (packed, rest) = bytes.split_at_checked(26).ok_or_else(|| bad("expected 26 bytes"))?;
        let word = |i: usize| {
            let mut le = [0; 8];
            le[..5].copy_from_slice(&packed[5 * i..5 * i + 5]);
            u64::from_le_bytes(le)
        };
        let side = *Side::BOTH.get(usize::from(packed[25])).ok_or_else(|| bad("expected a side, 0 or 1"))?;
        let board = Board::from_sets([word(0), word(1)], word(2), word(3), word(4), side)
            .ok_or_else(|| bad("the pieces are no possible position"))?;
        *bytes = rest;
        Ok(Self { board })
    }

    fn numbered(n: usize) -> Option<Square> {
        Geometry::<8, 8>::numbered(n)
    }

    fn count_turns(&self) -> Option<u64> {
        (!self.board.must_capture()).then(|| self.board.count_steps())
    }
}
