//! The fixed facts of a variant.

use super::variant::Variant;

/// The fixed facts of a variant: names, shapes and sizes.
#[derive(Copy, Clone, Debug)]
pub struct Spec {
    /// Its name.
    pub variant: Variant,
    /// Files of the board.
    pub width: usize,
    /// Ranks of the board.
    pub height: usize,
    /// Hop numbers run from 0 to `actions - 1`.
    pub actions: usize,
    /// Playable squares of one board; each board plane has as many cells.
    pub squares: usize,
    /// Planes of zeros and ones over the playable squares.
    pub board_planes: usize,
    /// Planes that hold one number in all cells.
    pub scalar_planes: usize,
    /// The cell `height * width` of each playable square in a picture of the board: row 0 is the mover's first rank.
    pub cells: &'static [u8],
    /// Games that go on side by side, each with its own draw counters and its own end: 1, or 2 in Vigman's draughts.
    pub boards: usize,
    /// Whether the light squares are played on too.
    pub light: bool,
    /// Whether captured pieces stay on the board as prisoners under a tower, so that only a crowning is for good.
    pub towers: bool,
    /// Whether game records write squares as numbers, as the game type says.
    pub numeric: bool,
    /// The value of the PDN tag `GameType`, where the variant has one.
    pub game_type: Option<&'static str>,
    /// The name of each plane, board planes first.
    pub plane_names: &'static [&'static str],
}

impl Spec {
    /// The shape of an observation: `[channels, height, width]`.
    #[must_use]
    pub const fn planes(&self) -> [usize; 3] {
        [self.board_planes + self.scalar_planes, self.height, self.width]
    }

    /// The numbers a dense net reads: one for each playable square of each board plane, and one for each scalar plane.
    #[must_use]
    pub const fn inputs(&self) -> usize {
        self.board_planes * self.squares + self.scalar_planes
    }

    /// The numbers of one observation: the product of [`Spec::planes`].
    #[must_use]
    pub const fn observation_len(&self) -> usize {
        (self.board_planes + self.scalar_planes) * self.height * self.width
    }
}
