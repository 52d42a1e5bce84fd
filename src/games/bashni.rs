//! Bashni: towers. A jump takes the top piece of a tower and puts it under the tower that jumps; nothing leaves the board.

use crate::board::{Bits, Board, Geometry, Hop, Hops, Piece, Side, Square, Step, stir, unpack_sets};
use crate::error::{Error, Result};

use super::draws::{ClockView, Draws, Material, Preset};
use super::fen::{self, Dialect, Sections};
use super::planes::Features;
use super::position::{Position, Spec};
use super::variant::Variant;

type Eight = Geometry<8, 8>;

/// Single pieces of a position at most: each side's twelve.
pub const PIECES: usize = 24;

/// Pieces below the top of a tower, as one number: two bits a piece (king, black), the uppermost lowest, and a one above
/// the lowest piece. 1 where there is none.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
struct Stack(u64);

impl Stack {
    const EMPTY: Self = Self(1);

    const fn len(self) -> usize {
        (self.0.ilog2() / 2) as usize
    }

    /// Puts a piece under all others.
    fn push_bottom(&mut self, piece: Piece) {
        let end = 2 * self.len();
        let bits = u64::from(piece.king) | (piece.side as u64) << 1;
        self.0 = self.0 ^ 1 << end | bits << end | 1 << (end + 2);
    }

    /// Takes the uppermost piece off.
    fn pop_top(&mut self) -> Option<Piece> {
        let piece = self.iter().next()?;
        self.0 >>= 2;
        Some(piece)
    }

    /// Takes the lowest `n` pieces off.
    fn drop_bottom(&mut self, n: usize) {
        let end = 2 * self.len().saturating_sub(n);
        self.0 = self.0 & ((1 << end) - 1) | 1 << end;
    }

    /// The pieces, uppermost first.
    fn iter(self) -> impl Iterator<Item = Piece> {
        (0..self.len()).map(move |i| {
            let bits = self.0 >> (2 * i) & 3;
            Piece { side: Side::BOTH[(bits >> 1) as usize], king: bits & 1 == 1 }
        })
    }
}

/// A position of towers on 8x8.
///
/// Where prisoners are taken at once (`IMMEDIATE`) a tower jumped stands there with its next piece on top, and may be
/// jumped again in the same turn, but not by the next jump. Else jumped towers stay as they are until the turn is over.
/// Sources differ; both ways are variants of their own.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Towers<const IMMEDIATE: bool> {
    /// The tops. `pending` are the tops jumped and still standing, or the tower jumped last.
    tops: Board<8, 8>,
    /// What is below the top of each square, by place among the playable squares; the prisoners of the chain under way
    /// are under the tower that made them already, in the order of the jumps.
    below: [Stack; 32],
}

/// Towers whose prisoners are lifted when the turn is over.
///
/// ```
/// use shashki::games::{Bashni, Position, perft};
///
/// assert_eq!(perft(&Bashni::start(), 5), 7482);
/// ```
pub type Bashni = Towers<false>;

/// Towers whose prisoners are lifted at each jump.
pub type BashniIm = Towers<true>;

/// Layers below the top that the planes tell apart; what lies deeper is not seen.
pub const LAYERS: usize = 11;
const LAYER_PLANES: usize = 4 * LAYERS;
/// Planes of the tops, the chain, what it has jumped, and the layers.
const BOARD_PLANES: usize = 6 + LAYER_PLANES;

/// Planes, in this order, over the playable squares; then the scalars.
const PLANE_NAMES: [&str; BOARD_PLANES + 2] = [
    "own men on top",
    "own kings on top",
    "other's men on top",
    "other's kings on top",
    "the tower that must go on jumping",
    "towers jumped in this chain that may not be jumped next",
    "own men below the top",
    "own kings below the top",
    "other's men below the top",
    "other's kings below the top",
    "own men in layer 3",
    "own kings in layer 3",
    "other's men in layer 3",
    "other's kings in layer 3",
    "own men in layer 4",
    "own kings in layer 4",
    "other's men in layer 4",
    "other's kings in layer 4",
    "own men in layer 5",
    "own kings in layer 5",
    "other's men in layer 5",
    "other's kings in layer 5",
    "own men in layer 6",
    "own kings in layer 6",
    "other's men in layer 6",
    "other's kings in layer 6",
    "own men in layer 7",
    "own kings in layer 7",
    "other's men in layer 7",
    "other's kings in layer 7",
    "own men in layer 8",
    "own kings in layer 8",
    "other's men in layer 8",
    "other's kings in layer 8",
    "own men in layer 9",
    "own kings in layer 9",
    "other's men in layer 9",
    "other's kings in layer 9",
    "own men in layer 10",
    "own kings in layer 10",
    "other's men in layer 10",
    "other's kings in layer 10",
    "own men in layer 11",
    "own kings in layer 11",
    "other's men in layer 11",
    "other's kings in layer 11",
    "own men in layer 12",
    "own kings in layer 12",
    "other's men in layer 12",
    "other's kings in layer 12",
    "plies over limit of the nearest draw, in sixteenths",
    "earlier occurrences of the position over 2",
];

impl<const IMMEDIATE: bool> Towers<IMMEDIATE> {
    /// The top pieces.
    #[must_use]
    pub const fn tops(&self) -> &Board<8, 8> {
        &self.tops
    }

    /// The pieces of the tower on a square, from the top; none where the square is empty or not playable.
    pub fn tower(&self, square: Square) -> impl Iterator<Item = Piece> + '_ {
        let stack = Eight::bit(square).map_or(Stack::EMPTY, |bit| self.below[dense(bit)]);
        self.tops.at(square).into_iter().chain(stack.iter())
    }

    /// The set of squares that are empty once their top is lifted.
    fn singles(&self, set: u64) -> u64 {
        Bits(set).filter(|&bit| self.below[dense(bit)] == Stack::EMPTY).fold(0, |set, bit| set | 1 << bit)
    }

    /// Lifts the tops of a set; the next piece of each tower comes to the top.
    fn lift(&mut self, set: u64) {
        self.tops.lift(set);
        for bit in Bits(set) {
            if let Some(piece) = self.below[dense(bit)].pop_top() {
                self.tops.put(Eight::SQUARE_OF[bit as usize], piece);
            }
        }
    }

    /// The tops that the chain under way has jumped, in an order that gives its prisoners: of equal ones the lower square
    /// first. Where prisoners are taken at once, the tower jumped last.
    fn jumped(&self) -> Vec<Square> {
        if IMMEDIATE {
            return Bits(self.tops.pending()).map(|bit| Eight::SQUARE_OF[bit as usize]).collect();
        }
        let mut left: Vec<Square> = Bits(self.tops.pending()).map(|bit| Eight::SQUARE_OF[bit as usize]).collect();
        let Some(at) = Bits(self.tops.chain()).next() else { return Vec::new() };
        let stack = self.below[dense(at)];
        let prisoners = stack.iter().skip(stack.len().saturating_sub(left.len()));
        let mut order = Vec::new();
        for prisoner in prisoners {
            if let Some(i) = left.iter().position(|&square| self.tops.at(square) == Some(prisoner)) {
                order.push(left.remove(i));
            }
        }
        order
    }

    /// Whether everything belongs together: no man on his last rank, prisoners only under tops, at most 24 pieces, and
    /// a chain that is possible. Answers what does not.
    fn check(&self) -> Result<(), String> {
        let occupied = self.tops.occupied();
        if (0..64).any(|bit| {
            Eight::BOARD >> bit & 1 == 1 && occupied >> bit & 1 == 0 && self.below[dense(bit)] != Stack::EMPTY
        }) {
            return Err("prisoners without a top".to_owned());
        }
        let pieces = occupied.count_ones() as usize + self.below.iter().map(|stack| stack.len()).sum::<usize>();
        if pieces > PIECES {
            return Err(format!("{pieces} single pieces, expected at most {PIECES}"));
        }
        Ok(())
    }

    /// Puts the position in mid chain: the tower on `at` must go on and has jumped these towers in this order.
    fn set_chain(&mut self, at: Square, jumped: &[Square]) -> Result<(), String> {
        let mover = self.tops.turn();
        let impossible =
            format!("expected a {mover} tower on {at} that has jumped towers of the other side and can go on");
        let set = Eight::set(at);
        if self.tops.side(mover) & set == 0
            || jumped.is_empty()
            || (IMMEDIATE && jumped.len() > 1)
            || jumped.contains(&at)
        {
            return Err(impossible);
        }
        let barred = jumped.iter().fold(0, |set, &square| set | Eight::set(square));
        if !IMMEDIATE {
            if barred & !self.tops.side(!mover) != 0 {
                return Err(impossible);
            }
            let bit = set.trailing_zeros();
            for &square in jumped {
                let top = self.tops.at(square).ok_or_else(|| impossible.clone())?;
                self.below[dense(bit)].push_bottom(top);
            }
        }
        self.tops.go_on(set, barred);
        if self.tops.can_jump(set) { Ok(()) } else { Err(impossible) }
    }
}

/// The place of a bit among the playable squares.
const fn dense(bit: u32) -> usize {
    Eight::DENSE_OF[bit as usize] as usize
}

impl<const IMMEDIATE: bool> Position for Towers<IMMEDIATE> {
    const SPEC: Spec = Spec {
        variant: if IMMEDIATE { Variant::BashniIm } else { Variant::Bashni },
        width: 8,
        height: 8,
        actions: Eight::HOPS.len,
        squares: Eight::SQUARES,
        board_planes: BOARD_PLANES,
        scalar_planes: 2,
        cells: Eight::CELLS,
        boards: 1,
        light: false,
        towers: true,
        numeric: false,
        game_type: None,
        plane_names: &PLANE_NAMES,
    };

    fn start() -> Self {
        Self { tops: Board::start(3), below: [Stack::EMPTY; 32] }
    }

    fn side(&self) -> Side {
        self.tops.turn()
    }

    fn hops(&self, out: &mut Hops) {
        if IMMEDIATE {
            let other = self.tops.side(!self.side());
            let singles = self.singles(other);
            self.tops.hops_where(|over| (self.tops.occupied() & !(over & singles), other & !over), out);
        } else {
            self.tops.hops(out);
        }
    }

    fn can_move(&self) -> bool {
        self.tops.can_move()
    }

    fn must_capture(&self) -> bool {
        self.tops.must_capture()
    }

    fn is_threatened(&self) -> bool {
        self.tops.is_threatened()
    }

    fn can_crown(&self) -> bool {
        self.tops.can_crown()
    }

    fn at_turn_start(&self) -> bool {
        self.tops.chain() == 0
    }

    fn play_unchecked(&mut self, hop: Hop) -> Step {
        debug_assert!(self.is_legal(hop), "{hop:?} is not legal in {}", self.write_fen());
        let [from, to] = [hop.from, hop.to].map(Eight::bit_of);
        let moved = self.tops.advance(hop);
        // A capture may end where it began: then the tower stays there.
        let mut tower = std::mem::replace(&mut self.below[dense(from)], Stack::EMPTY);
        let mut captured = None;
        if moved.jumped != 0 {
            let square = Eight::SQUARE_OF[moved.jumped.trailing_zeros() as usize];
            tower.push_bottom(self.tops.at(square).expect("a piece was jumped"));
            captured = Some(square);
        }
        self.below[dense(to)] = tower;
        let barred = if IMMEDIATE { moved.jumped } else { self.tops.pending() | moved.jumped };
        if IMMEDIATE {
            self.lift(moved.jumped);
        }
        self.tops.go_on(1 << to, barred);
        let goes_on = captured.is_some() && self.tops.can_jump(1 << to);
        if !goes_on {
            if !IMMEDIATE {
                self.lift(barred);
            }
            self.tops.pass();
        }
        let (promoted, by_king) = (moved.promoted, moved.by_king);
        Step { captured, promoted, by_king, move_over: !goes_on, turn_over: !goes_on }
    }

    fn stuck(&self) -> Option<Side> {
        Some(!self.side())
    }

    fn index(&self, hop: Hop) -> usize {
        Eight::index(self.side(), hop)
    }

    fn hop_at(&self, index: usize) -> Option<Hop> {
        Eight::hop_at(self.side(), index)
    }

    /// Lossless as long as no tower is higher than twelve pieces: [`LAYERS`] below the top are told apart.
    fn encode(&self, clock: ClockView, features: &mut Features) {
        features.mark_board(0, self.side(), &self.tops);
        for bit in Bits(self.tops.occupied()) {
            for (layer, piece) in self.below[dense(bit)].iter().take(LAYERS).enumerate() {
                let kind = 2 * usize::from(piece.side != self.side()) + usize::from(piece.king);
                features.mark::<8, 8>(6 + 4 * layer + kind, self.side(), bit);
            }
        }
        features.scalars.extend(clock.scalars(0));
        features.finish();
    }

    fn key(&self) -> u64 {
        self.below.iter().fold(self.tops.key(), |hash, stack| stir(hash, stack.0))
    }

    fn material(&self, _board: usize) -> Material {
        Material::of(&self.tops)
    }

    fn draws(preset: Preset) -> Option<Draws> {
        match preset {
            // The counts by material mean nothing where no piece leaves the board.
            Preset::Russian => None,
            other => Draws { three_kings: false, ..Draws::BASIC }.preset(other),
        }
    }

    fn read_fen(text: &str) -> Result<Self> {
        let bad = |reason: String| Error::Fen { text: text.to_owned(), reason };
        let dialect = Dialect { towers: true, numbered: Self::numbered, squares: Eight::SQUARES };
        let sections = Sections::read(text, dialect)?;
        let mut position = Self { tops: Board::empty(sections.turn), below: [Stack::EMPTY; 32] };
        for (square, tower) in &sections.towers {
            let (top, rest) = tower.split_first().expect("a tower has a piece");
            fen::place(&mut position.tops, *square, *top).map_err(bad)?;
            let stack = &mut position.below[dense(Eight::bit_of(*square))];
            if rest.len() >= PIECES {
                return Err(bad(format!("{square} holds {} pieces, expected at most {PIECES}", tower.len())));
            }
            rest.iter().for_each(|&piece| stack.push_bottom(piece));
        }
        position.check().map_err(bad)?;
        if let Some((at, jumped)) = &sections.chain {
            let chain = |reason: String| sections.bad_chain(&reason);
            fen::playable::<8, 8>(*at).map_err(chain)?;
            jumped.iter().try_for_each(|&square| fen::playable::<8, 8>(square)).map_err(chain)?;
            position.set_chain(*at, jumped).map_err(chain)?;
        }
        sections.refuse_halves()?;
        Ok(position)
    }

    fn write_fen(&self) -> String {
        // In mid chain the prisoners still stand on the board; their order is that of the jumps.
        let jumped = self.jumped();
        let mut shown = *self;
        if !IMMEDIATE && let Some(at) = Bits(self.tops.chain()).next() {
            shown.below[dense(at)].drop_bottom(jumped.len());
        }
        let list = |side: Side| {
            let tower = |bit| {
                let square = Eight::SQUARE_OF[bit as usize];
                let letters: String = shown.tower(square).map(fen::letter).collect();
                format!("{square}{letters}")
            };
            Bits(self.tops.side(side)).map(tower).collect::<Vec<_>>().join(",")
        };
        let mut text = format!("{}:W{}:B{}", fen::initial(self.side()), list(Side::White), list(Side::Black));
        if let Some(at) = Bits(self.tops.chain()).next() {
            let names: Vec<_> = jumped.iter().map(Square::to_string).collect();
            text += &format!(":C{}x{}", Eight::SQUARE_OF[at as usize], names.join(","));
        }
        text
    }

    fn pack(&self, out: &mut Vec<u8>) {
        self.tops.pack(out);
        let towers = self.below.iter().enumerate().filter(|(_, stack)| **stack != Stack::EMPTY);
        out.push(towers.clone().count() as u8);
        for (place, stack) in towers {
            out.push(place as u8);
            out.extend(&stack.0.to_le_bytes()[..7]);
        }
    }

    fn unpack(bytes: &mut &[u8]) -> Result<Self> {
        let bad = |reason: &str| Error::State { what: "position", reason: reason.to_owned() };
        let ([white, black, kings, pending, chain], turn) = unpack_sets(bytes)?;
        let tops = Board::from_sets([white, black], kings, 0, 0, turn).ok_or_else(|| bad("no possible position"))?;
        let mut position = Self { tops, below: [Stack::EMPTY; 32] };
        let count = bytes.split_off_first().ok_or_else(|| bad("cut short"))?;
        for _ in 0..*count {
            let tower = bytes.split_off(..8).ok_or_else(|| bad("cut short"))?;
            let mut le = [0; 8];
            le[..7].copy_from_slice(&tower[1..]);
            let bits = u64::from_le_bytes(le);
            // The one above the lowest piece stands in an even place.
            if bits < 4 || bits.ilog2() % 2 == 1 {
                return Err(bad("a tower is none"));
            }
            let stack = position.below.get_mut(usize::from(tower[0])).ok_or_else(|| bad("a tower is off the board"))?;
            *stack = Stack(bits);
        }
        if chain | pending != 0 {
            position.restore_chain(chain, pending).ok_or_else(|| bad("the chain is impossible"))?;
        } else {
            position.check().map_err(|reason| bad(&reason))?;
        }
        Ok(position)
    }

    fn numbered(n: usize) -> Option<Square> {
        Eight::numbered(n)
    }

    fn count_turns(&self) -> Option<u64> {
        (!self.tops.must_capture()).then(|| self.tops.count_steps())
    }
}

impl<const IMMEDIATE: bool> Towers<IMMEDIATE> {
    fn is_legal(&self, hop: Hop) -> bool {
        let mut hops = Hops::new();
        self.hops(&mut hops);
        hops.contains(&hop)
    }

    /// Puts an unpacked position, whose prisoners lie under their tower already, in mid chain.
    fn restore_chain(&mut self, chain: u64, pending: u64) -> Option<()> {
        let on_board = (chain | pending) & !Eight::BOARD == 0 && chain.count_ones() == 1;
        if !on_board || pending == 0 || chain & pending != 0 || (IMMEDIATE && pending.count_ones() != 1) {
            return None;
        }
        let at = chain.trailing_zeros();
        let mut plain = *self;
        plain.tops.go_on(chain, pending);
        let order = plain.jumped();
        if !IMMEDIATE {
            // Each tower jumped has its top among the prisoners.
            if order.len() != pending.count_ones() as usize || self.below[dense(at)].len() < order.len() {
                return None;
            }
            self.below[dense(at)].drop_bottom(order.len());
        }
        self.check().ok()?;
        self.set_chain(Eight::SQUARE_OF[at as usize], &order).ok()
    }
}
