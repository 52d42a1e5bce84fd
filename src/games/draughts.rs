//! Russian draughts, its giveaway and its wide board: men step forward and jump both ways, kings fly, capture is
//! compulsory; a side without a hop loses, or in giveaway wins.

use std::any::Any;

use crate::board::{Board, Geometry, Hop, Hops, Side, Square, Step};
use crate::error::Result;

use super::draws::{ClockView, Draws, Material, Preset};
use super::fen::{self, Dialect, Sections};
use super::planes::Features;
use super::position::{Position, Spec};
use super::variant::Variant;

/// A position of draughts by the Russian rules on a board of `W` files and `H` ranks; with `GIVEAWAY` the side without a
/// hop wins.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Draughts<const W: usize, const H: usize, const GIVEAWAY: bool = false> {
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

/// Giveaway draughts: the moves are those of Russian draughts.
pub type Poddavki = Draughts<8, 8, true>;

/// Spantsireti's draughts on the board of 80 squares, with fifteen men a side.
pub type Spantsireti = Draughts<10, 8>;

/// What tells the games of this file apart.
trait Kind {
    const VARIANT: Variant;
    const GAME_TYPE: Option<&'static str>;
    const NUMERIC: bool = false;
    /// The variant's own draw rules.
    const OFFICIAL: Draws;

    fn draws(preset: Preset) -> Option<Draws> {
        Self::OFFICIAL.preset(preset)
    }
}

impl Kind for Russian {
    const VARIANT: Variant = Variant::Russian;
    const GAME_TYPE: Option<&'static str> = Some("25,W,8,8,A0,0");
    const OFFICIAL: Draws = Draws::RUSSIAN;

    fn draws(preset: Preset) -> Option<Draws> {
        match preset {
            Preset::Lidraughts => Some(Draws { lidraughts: true, ..Self::OFFICIAL }),
            other => Self::OFFICIAL.preset(other),
        }
    }
}

impl Kind for Poddavki {
    const VARIANT: Variant = Variant::Poddavki;
    const GAME_TYPE: Option<&'static str> = None;
    const OFFICIAL: Draws = Draws { three_kings: false, ..Draws::BASIC };
}

impl Kind for Spantsireti {
    const VARIANT: Variant = Variant::Spantsireti;
    const GAME_TYPE: Option<&'static str> = Some("41,W,10,8,N2,0");
    const NUMERIC: bool = true;
    const OFFICIAL: Draws = Draws { main_road: false, ..Draws::RUSSIAN };

    fn draws(preset: Preset) -> Option<Draws> {
        match preset {
            // There is no main road on ten files.
            Preset::Russian => Some(Self::OFFICIAL),
            other => Self::OFFICIAL.preset(other),
        }
    }
}

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

impl<const W: usize, const H: usize, const GIVEAWAY: bool> Draughts<W, H, GIVEAWAY> {
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
}

impl<const W: usize, const H: usize, const GIVEAWAY: bool> Position for Draughts<W, H, GIVEAWAY>
where
    Self: Kind,
{
    const SPEC: Spec = Spec {
        variant: <Self as Kind>::VARIANT,
        width: W,
        height: H,
        actions: Geometry::<W, H>::HOPS.len,
        squares: Geometry::<W, H>::SQUARES,
        board_planes: 6,
        scalar_planes: 2,
        cells: Geometry::<W, H>::CELLS,
        boards: 1,
        light: false,
        towers: false,
        numeric: <Self as Kind>::NUMERIC,
        game_type: <Self as Kind>::GAME_TYPE,
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

    fn is_threatened(&self) -> bool {
        self.board.is_threatened()
    }

    fn can_crown(&self) -> bool {
        self.board.can_crown()
    }

    fn at_turn_start(&self) -> bool {
        self.board.chain() == 0
    }

    fn play_unchecked(&mut self, hop: Hop) -> Step {
        self.board.play_unchecked(hop)
    }

    fn stuck(&self) -> Option<Side> {
        Some(if GIVEAWAY { self.board.turn() } else { !self.board.turn() })
    }

    fn index(&self, hop: Hop) -> usize {
        Geometry::<W, H>::index(self.side(), hop)
    }

    fn hop_at(&self, index: usize) -> Option<Hop> {
        Geometry::<W, H>::hop_at(self.side(), index)
    }

    fn encode(&self, clock: ClockView, features: &mut Features) {
        features.mark_board(0, self.side(), &self.board);
        features.scalars.extend(clock.scalars(0));
        features.finish();
    }

    fn key(&self) -> u64 {
        self.board.key()
    }

    fn plain(&self) -> Option<&Board<8, 8>> {
        (&self.board as &dyn Any).downcast_ref()
    }

    fn material(&self, _board: usize) -> Material {
        Material::of(&self.board)
    }

    fn draws(preset: Preset) -> Option<Draws> {
        <Self as Kind>::draws(preset)
    }

    fn read_fen(text: &str) -> Result<Self> {
        let dialect = Dialect { towers: false, numbered: Self::numbered, squares: Geometry::<W, H>::SQUARES };
        Ok(Self { board: Sections::read(text, dialect)?.board()? })
    }

    fn write_fen(&self) -> String {
        fen::write(&self.board)
    }

    fn pack(&self, out: &mut Vec<u8>) {
        self.board.pack(out);
    }

    fn unpack(bytes: &mut &[u8]) -> Result<Self> {
        Ok(Self { board: Board::unpack(bytes)? })
    }

    fn numbered(n: usize) -> Option<Square> {
        Geometry::<W, H>::numbered(n)
    }

    fn count_turns(&self) -> Option<u64> {
        self.board.count_turns()
    }
}
