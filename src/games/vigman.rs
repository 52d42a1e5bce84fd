//! Vigman's draughts: two games of Russian draughts at once, one on the dark squares, one on the light.

use crate::board::{Bits, Board, Geometry, Hop, Hops, Side, Square, Step, stir};
use crate::error::{Error, Result};

use super::draws::{ClockView, Draws, Material, Preset};
use super::fen::{self, Dialect, GameResult, Sections};
use super::planes::Features;
use super::position::{Position, Spec};
use super::variant::Variant;

type Eight = Geometry<8, 8>;

const DARK: usize = 0;
const LIGHT: usize = 1;
const NAMES: [&str; 2] = ["dark", "light"];

/// A position of two games. The light game is kept mirrored left to right, so that both lie on the same squares.
///
/// In the one variant a turn is a move in each game that goes on, in the dark one first (the order cannot matter); each
/// game has its own end and its own draws, and the sum of both decides. In the other (`FREE`) a side plays two moves
/// running, each on either board; capture is compulsory over both; whoever cannot move has lost everything. Such a move
/// is a turn of its own: each side has two turns running.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct TwoGames<const FREE: bool> {
    /// The dark game and the light one. A game that is over is White's to move, so that equal positions are equal.
    boards: [Board<8, 8>; 2],
    results: [Option<GameResult>; 2],
    turn: Side,
    /// Whether the first of two moves is played.
    second: bool,
}

/// A move in each of two games.
///
/// ```
/// use shashki::games::{Position, Vigman, perft};
///
/// assert_eq!(perft(&Vigman::start(), 2), 49 * 49);
/// ```
pub type Vigman = TwoGames<false>;

/// Two moves a side on either board.
pub type VigmanFree = TwoGames<true>;

/// Planes over the squares of each board; then the scalars. Where a turn is a move in each game the board to move on comes
/// first, so that a net sees both games by the same numbers; else the dark one. The light one is mirrored.
const BOARD_PLANES: usize = 12;
const SUM_NAMES: &[&str] = &[
    "to move on: own men",
    "to move on: own kings",
    "to move on: other's men",
    "to move on: other's kings",
    "to move on: the piece that must go on jumping",
    "to move on: pieces jumped in this chain, still standing",
    "other board: own men",
    "other board: own kings",
    "other board: other's men",
    "other board: other's kings",
    "other board: the piece that must go on jumping",
    "other board: pieces jumped in this chain, still standing",
    "the first of two moves is played",
    "to move on: it is the light board",
    "to move on: plies over limit of the nearest draw, in sixteenths",
    "to move on: earlier occurrences of the position over 2",
    "other board: plies over limit of the nearest draw, in sixteenths",
    "other board: earlier occurrences of the position over 2",
    "to move on: its game is over",
    "to move on: own points over 2",
    "other board: its game is over",
    "other board: own points over 2",
];
const FREE_NAMES: &[&str] = &[
    "dark: own men",
    "dark: own kings",
    "dark: other's men",
    "dark: other's kings",
    "dark: the piece that must go on jumping",
    "dark: pieces jumped in this chain, still standing",
    "light, mirrored: own men",
    "light, mirrored: own kings",
    "light, mirrored: other's men",
    "light, mirrored: other's kings",
    "light, mirrored: the piece that must go on jumping",
    "light, mirrored: pieces jumped in this chain, still standing",
    "the first of two moves is played",
    "turns over limit of the nearest draw, in sixteenths",
    "earlier occurrences of the position over 2",
];

/// The square of the other colour that takes its place when the board is mirrored left to right.
const fn mirrored(square: Square) -> Square {
    Square::new(7 - square.file(), square.rank())
}

/// The square of a bit of a board.
const fn square_of(board: usize, bit: u32) -> Square {
    let square = Eight::SQUARE_OF[bit as usize];
    if board == DARK { square } else { mirrored(square) }
}

/// A hop as its own board sees it, or the other way round.
fn across(board: usize, hop: Hop) -> Hop {
    if board == DARK { hop } else { Hop { from: mirrored(hop.from), to: mirrored(hop.to) } }
}

impl<const FREE: bool> TwoGames<FREE> {
    /// The dark game's board, and the light one's, mirrored.
    #[must_use]
    pub const fn boards(&self) -> &[Board<8, 8>; 2] {
        &self.boards
    }

    /// How the games ended that are over.
    #[must_use]
    pub const fn results(&self) -> [Option<GameResult>; 2] {
        self.results
    }

    /// The board that a square lies on.
    const fn on(square: Square) -> usize {
        if square.is_dark() { DARK } else { LIGHT }
    }

    /// On which boards the next hop may be, where a turn is a move in each game.
    fn active(&self) -> Option<usize> {
        match self.results {
            [Some(_), Some(_)] => None,
            [None, None] if !self.second => Some(DARK),
            [None, Some(_)] => Some(DARK),
            _ => Some(LIGHT),
        }
    }

    /// The boards that the next hop may be on, captures being compulsory.
    fn playable(&self) -> impl Iterator<Item = usize> + '_ {
        let chain = (0..2).find(|&board| self.boards[board].chain() != 0);
        let capture = self.boards.iter().any(Board::must_capture);
        let fits = move |board: usize| match (FREE, chain) {
            (false, _) => self.active() == Some(board),
            (true, Some(at)) => at == board,
            (true, None) => !capture || self.boards[board].must_capture(),
        };
        (0..2).filter(move |&board| fits(board))
    }

    /// Ends the games in which the side to move is stuck.
    fn settle(&mut self) {
        if FREE {
            return;
        }
        for board in 0..2 {
            if self.results[board].is_none() && !self.boards[board].can_move() {
                self.end(board, Some(!self.boards[board].turn()));
            }
        }
    }

    fn end(&mut self, board: usize, result: GameResult) {
        self.results[board] = Some(result);
        self.boards[board].set_turn(Side::White);
    }

    /// Sees to it that a position made from a text or bytes is one: answers what is wrong with it.
    fn complete(&mut self) -> Result<(), String> {
        let chained = (0..2).find(|&board| self.boards[board].chain() != 0);
        if let Some(board) = (0..2).find(|&board| self.results[board].is_some()) {
            if FREE {
                return Err("the result of one board, expected none: it is one game on both boards".to_owned());
            }
            if chained == Some(board) {
                return Err(format!("a chain in the {} game, which is over", NAMES[board]));
            }
        }
        if self.boards.iter().all(|board| board.chain() != 0) {
            return Err("a chain in both games".to_owned());
        }
        if !FREE && self.second && self.results[LIGHT].is_some() {
            return Err("the light game is over, expected no second move".to_owned());
        }
        if let Some(board) = chained
            && !FREE
            && self.active() != Some(board)
        {
            return Err(format!("a chain in the {} game, expected one in the other, which moves now", NAMES[board]));
        }
        self.settle();
        // The second move was to be in a game that is over by now: the turn is over.
        if !FREE && self.second && self.results[LIGHT].is_some() {
            (self.second, self.turn) = (false, !self.turn);
        }
        Ok(())
    }

    /// Who moves on a board: in mid turn the dark game is the other side's already, and one that is over is White's.
    fn due(&self, board: usize) -> Side {
        match self.results[board] {
            Some(_) => Side::White,
            None if !FREE && self.second && board == DARK => !self.turn,
            None => self.turn,
        }
    }
}

impl<const FREE: bool> Position for TwoGames<FREE> {
    const SPEC: Spec = Spec {
        variant: if FREE { Variant::VigmanFree } else { Variant::Vigman },
        width: 8,
        height: 8,
        actions: 2 * Eight::HOPS.len,
        squares: Eight::SQUARES,
        board_planes: BOARD_PLANES,
        scalar_planes: if FREE { 3 } else { 10 },
        cells: Eight::CELLS,
        boards: if FREE { 1 } else { 2 },
        light: true,
        towers: false,
        numeric: false,
        game_type: None,
        plane_names: if FREE { FREE_NAMES } else { SUM_NAMES },
    };

    fn start() -> Self {
        Self { boards: [Board::start(3); 2], results: [None; 2], turn: Side::White, second: false }
    }

    fn side(&self) -> Side {
        self.turn
    }

    fn hops(&self, out: &mut Hops) {
        out.clear();
        for board in self.playable() {
            let first = out.len();
            self.boards[board].add_hops(out);
            out[first..].iter_mut().for_each(|hop| *hop = across(board, *hop));
        }
    }

    fn can_move(&self) -> bool {
        if FREE { self.boards.iter().any(Board::can_move) } else { self.active().is_some() }
    }

    fn must_capture(&self) -> bool {
        self.playable().any(|board| self.boards[board].must_capture())
    }

    fn is_threatened(&self) -> bool {
        let threatened = |board: &Board<8, 8>| {
            let mut board = *board;
            board.set_turn(self.turn);
            board.is_threatened()
        };
        (0..2).any(|board| self.results[board].is_none() && threatened(&self.boards[board]))
    }

    fn can_crown(&self) -> bool {
        self.playable().any(|board| self.boards[board].can_crown())
    }

    fn at_turn_start(&self) -> bool {
        (FREE || !self.second) && self.boards.iter().all(|board| board.chain() == 0)
    }

    fn in_chain(&self, board: usize) -> bool {
        if FREE { !self.at_turn_start() } else { self.boards[board].chain() != 0 }
    }

    fn is_open(&self, board: usize) -> bool {
        FREE || self.results[board].is_none()
    }

    fn half_done(&self) -> bool {
        FREE && self.second
    }

    fn play_unchecked(&mut self, hop: Hop) -> Step {
        let board = Self::on(hop.from);
        debug_assert!(
            self.playable().any(|playable| playable == board),
            "{hop:?} is not legal in {}",
            self.write_fen()
        );
        let mut step = self.boards[board].play_unchecked(across(board, hop));
        step.captured = step.captured.map(|square| if board == DARK { square } else { mirrored(square) });
        if !step.move_over {
            return step;
        }
        if FREE {
            (self.second, self.turn) = if self.second { (false, !self.turn) } else { (true, self.turn) };
            self.boards.iter_mut().for_each(|board| board.set_turn(self.turn));
            return step;
        }
        let light_follows = board == DARK && self.results[LIGHT].is_none();
        self.settle();
        (self.second, step.turn_over) = (light_follows, !light_follows);
        if step.turn_over {
            self.turn = !self.turn;
        }
        step
    }

    fn stuck(&self) -> Option<Side> {
        if FREE {
            return Some(!self.turn);
        }
        let [white, black] = self.points().unwrap_or_default();
        match white.cmp(&black) {
            std::cmp::Ordering::Greater => Some(Side::White),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Less => Some(Side::Black),
        }
    }

    fn index(&self, hop: Hop) -> usize {
        let board = Self::on(hop.from);
        board * Eight::HOPS.len + Eight::index(self.turn, across(board, hop))
    }

    fn hop_at(&self, index: usize) -> Option<Hop> {
        let (board, index) = if index < Eight::HOPS.len { (DARK, index) } else { (LIGHT, index - Eight::HOPS.len) };
        Eight::hop_at(self.turn, index).map(|hop| across(board, hop))
    }

    fn encode(&self, clock: ClockView, features: &mut Features) {
        let first = if FREE { DARK } else { self.active().unwrap_or(DARK) };
        let order = [first, 1 - first];
        for (place, board) in order.into_iter().enumerate() {
            features.mark_board(6 * place, self.turn, &self.boards[board]);
        }
        let flag = |yes: bool| f32::from(u8::from(yes));
        features.scalars.push(flag(self.second));
        if FREE {
            features.scalars.extend(clock.scalars(0));
        } else {
            features.scalars.push(flag(first == LIGHT));
            features.scalars.extend(order.into_iter().flat_map(|board| clock.scalars(board)));
            let points = |result: GameResult| result.map_or(0.5, |winner| if winner == self.turn { 1.0 } else { 0.0 });
            for result in order.map(|board| self.results[board]) {
                features.scalars.extend([flag(result.is_some()), result.map_or(0.0, points)]);
            }
        }
        features.finish();
    }

    fn key(&self) -> u64 {
        let result = |result: Option<GameResult>| match result {
            None => 0,
            Some(None) => 1,
            Some(Some(side)) => 2 + side as u64,
        };
        let [dark, light] = self.results.map(result);
        let rest = dark | light << 2 | (self.turn as u64) << 4 | u64::from(self.second) << 5;
        [self.boards[LIGHT].key(), rest].into_iter().fold(self.boards[DARK].key(), stir)
    }

    fn material(&self, board: usize) -> Material {
        if !FREE {
            return Material::of(&self.boards[board]);
        }
        let [mut sum, light] = [0, 1].map(|board| Material::of(&self.boards[board]));
        for side in 0..2 {
            sum.men[side] += light.men[side];
            sum.kings[side] += light.kings[side];
        }
        sum
    }

    fn board_of(square: Square) -> usize {
        if FREE { 0 } else { Self::on(square) }
    }

    fn board_key(&self, board: usize) -> u64 {
        if FREE { self.key() } else { self.boards[board].key() }
    }

    fn close(&mut self, board: usize) {
        if self.results[board].is_none() {
            self.end(board, None);
        }
    }

    fn points(&self) -> Option<[u8; 2]> {
        let mut points = [0; 2];
        for result in self.results.into_iter().flatten() {
            match result {
                Some(winner) => points[winner.index()] += 2,
                None => points.iter_mut().for_each(|side| *side += 1),
            }
        }
        (!FREE).then_some(points)
    }

    fn draws(preset: Preset) -> Option<Draws> {
        if !FREE {
            return Draws::RUSSIAN.preset(preset);
        }
        match preset {
            Preset::Official | Preset::Basic => Some(Draws { three_kings: false, ..Draws::BASIC }),
            Preset::Lidraughts | Preset::Russian => None,
        }
    }

    fn read_fen(text: &str) -> Result<Self> {
        let dialect = Dialect { towers: false, numbered: Self::numbered, squares: 0 };
        let sections = Sections::read(text, dialect)?;
        let (turn, second, results) = (sections.turn, sections.second, sections.results);
        let mut position = Self { boards: [Board::empty(turn); 2], results, turn, second };
        position.boards = [DARK, LIGHT].map(|board| Board::empty(position.due(board)));
        let own = |square: Square| -> Result<(usize, Square), String> {
            match square {
                _ if square.file() > 7 => Err(format!("{square} is not a playable square of this board")),
                _ if square.is_dark() => Ok((DARK, square)),
                _ => Ok((LIGHT, mirrored(square))),
            }
        };
        for (square, tower) in &sections.towers {
            let placed = own(*square).and_then(|(board, place)| {
                // The message names the square as it was written.
                fen::place(&mut position.boards[board], place, tower[0])
                    .map_err(|reason| reason.replace(&place.to_string(), &square.to_string()))
            });
            placed.map_err(|reason| sections.bad(reason))?;
        }
        if let Some((at, jumped)) = &sections.chain {
            let chain = own(*at).and_then(|(board, place)| {
                let of_board = |&square: &Square| match own(square)? {
                    (other, place) if other == board => Ok(place),
                    _ => Err(format!("{square} lies on the other board")),
                };
                let jumped = jumped.iter().map(of_board).collect::<Result<Vec<_>, String>>()?;
                fen::set_chain(&mut position.boards[board], place, &jumped)
                    .map_err(|reason| reason.replace(&place.to_string(), &at.to_string()))
            });
            chain.map_err(|reason| sections.bad_chain(&reason))?;
        }
        position.complete().map_err(|reason| sections.bad(reason))?;
        Ok(position)
    }

    fn write_fen(&self) -> String {
        let list = |side: Side| {
            let mut pieces: Vec<(Square, bool)> = Vec::new();
            for (n, board) in self.boards.iter().enumerate() {
                pieces.extend(Bits(board.side(side)).map(|bit| (square_of(n, bit), board.kings() >> bit & 1 == 1)));
            }
            pieces.sort_unstable();
            pieces.into_iter().map(|(square, king)| fen::named(square, king)).collect::<Vec<_>>().join(",")
        };
        let mut text = format!("{}:W{}:B{}", fen::initial(self.turn), list(Side::White), list(Side::Black));
        for (n, board) in self.boards.iter().enumerate() {
            if let Some(at) = Bits(board.chain()).next() {
                let mut jumped: Vec<_> = Bits(board.pending()).map(|bit| square_of(n, bit)).collect();
                jumped.sort_unstable();
                let jumped: Vec<_> = jumped.iter().map(Square::to_string).collect();
                text += &format!(":C{}x{}", square_of(n, at), jumped.join(","));
            }
        }
        if self.second {
            text += ":N2";
        }
        let over = NAMES.iter().zip(self.results).filter_map(|(name, result)| {
            let letter = result?.map_or('d', |winner| fen::initial(winner).to_ascii_lowercase());
            Some(format!("{name}={letter}"))
        });
        let over: Vec<_> = over.collect();
        if over.is_empty() { text } else { text + ":R" + &over.join(",") }
    }

    fn pack(&self, out: &mut Vec<u8>) {
        self.boards.iter().for_each(|board| board.pack(out));
        let result =
            |result: Option<GameResult>| result.map_or(3, |winner| winner.map_or(2, |side| side.index() as u8));
        let [dark, light] = self.results.map(result);
        out.extend([dark, light, self.turn.index() as u8, u8::from(self.second)]);
    }

    fn unpack(bytes: &mut &[u8]) -> Result<Self> {
        let bad = |reason: &str| Error::State { what: "position", reason: reason.to_owned() };
        let boards = [Board::unpack(bytes)?, Board::unpack(bytes)?];
        let &[dark, light, turn, second] = bytes.split_off(..4).ok_or_else(|| bad("cut short"))? else {
            return Err(bad("cut short"));
        };
        let result = |byte: u8| match byte {
            0 | 1 => Ok(Some(Some(Side::BOTH[usize::from(byte)]))),
            2 => Ok(Some(None)),
            3 => Ok(None),
            _ => Err(bad("expected a result, 0 to 3")),
        };
        let turn = *Side::BOTH.get(usize::from(turn)).ok_or_else(|| bad("expected a side, 0 or 1"))?;
        let second = [false, true].get(usize::from(second)).copied().ok_or_else(|| bad("expected 0 or 1"))?;
        let packed = Self { boards, results: [result(dark)?, result(light)?], turn, second };
        let mut position = packed;
        position.complete().map_err(|reason| bad(&reason))?;
        let movers = (0..2).all(|board| packed.boards[board].turn() == packed.due(board));
        if position != packed || !movers {
            return Err(bad("the games do not belong together"));
        }
        Ok(position)
    }

    fn numbered(_n: usize) -> Option<Square> {
        None
    }

    fn count_turns(&self) -> Option<u64> {
        if !self.at_turn_start() || self.boards.iter().any(Board::must_capture) {
            return None;
        }
        let steps = self.boards.map(|board| board.count_steps());
        Some(match (FREE, self.results) {
            (true, _) => steps[DARK] + steps[LIGHT],
            (false, [None, None]) => steps[DARK] * steps[LIGHT],
            (false, [None, _]) => steps[DARK],
            (false, [_, None]) => steps[LIGHT],
            (false, _) => 0,
        })
    }
}
