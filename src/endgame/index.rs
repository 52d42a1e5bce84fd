//! A number for each position of a class: men of each side on their 28 squares, kings on the squares that are left.

use crate::board::{Bits, Board, Geometry, Side};

use super::material::{Class, Force};

type Eight = Geometry<8, 8>;

/// Squares of the board.
const SQUARES: usize = 32;
/// Squares on which a man of one side may stand: all but its last rank.
const MEN_SQUARES: u32 = 28;

/// `CHOOSE[n][k]`: the ways to choose `k` of `n` squares.
const CHOOSE: [[u64; 8]; SQUARES + 1] = {
    let mut table = [[0; 8]; SQUARES + 1];
    let mut n = 0;
    while n <= SQUARES {
        table[n][0] = 1;
        let mut k = 1;
        while n > 0 && k < 8 {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
};

/// The bit of a [`Board`] for each of the 32 squares, rank 1 first, left to right.
const BIT_OF: [u8; SQUARES] = {
    let (mut table, mut bit) = ([0; SQUARES], 0);
    while bit < 64 {
        if Eight::BOARD >> bit & 1 == 1 {
            table[Eight::DENSE_OF[bit] as usize] = bit as u8;
        }
        bit += 1;
    }
    table
};

/// The squares on the four diagonals of each square, near ones first, the two upward ones first; [`NO_SQUARE`] ends them.
const RAYS: [[[u8; 8]; 4]; SQUARES] = {
    let (mut table, mut square) = ([[[NO_SQUARE; 8]; 4]; SQUARES], 0);
    while square < SQUARES {
        let mut d = 0;
        while d < 4 {
            let (mut at, mut n) = (Eight::step(1 << BIT_OF[square], d) & Eight::BOARD, 0);
            while at != 0 {
                table[square][d][n] = Eight::DENSE_OF[at.trailing_zeros() as usize];
                n += 1;
                at = Eight::step(at, d) & Eight::BOARD;
            }
            d += 1;
        }
        square += 1;
    }
    table
};
const NO_SQUARE: u8 = 255;

/// The pieces of a position as sets of the 32 squares, seen by the side to move: its men step up the board.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Placement {
    pub own_men: u32,
    pub own_kings: u32,
    pub other_men: u32,
    pub other_kings: u32,
}

/// A set of board bits as a set of squares: two ranks of four have a bit between them that is never set.
const fn squares_of(set: u64) -> u32 {
    let (mut squares, mut pair) = (0, 0);
    while pair < 4 {
        let ranks = set >> (9 * pair);
        squares |= ((ranks & 0xf | ranks >> 1 & 0xf0) as u32) << (8 * pair);
        pair += 1;
    }
    squares
}

/// The squares of the main road, seen by either side.
pub(super) const MAIN_ROAD: u32 = squares_of(Eight::MAIN_ROAD);

fn bits_of(squares: u32) -> u64 {
    Bits(squares.into()).fold(0, |set, square| set | 1 << BIT_OF[square as usize])
}

impl Placement {
    /// The pieces of a board between two turns.
    pub fn of(board: &Board<8, 8>) -> Self {
        let (own, other, kings) = (board.side(board.turn()), board.side(!board.turn()), board.kings());
        let seen = |set| match board.turn() {
            Side::White => squares_of(set),
            Side::Black => squares_of(set).reverse_bits(),
        };
        Self {
            own_men: seen(own & !kings),
            own_kings: seen(own & kings),
            other_men: seen(other & !kings),
            other_kings: seen(other & kings),
        }
    }

    /// The board with these pieces and this side to move.
    pub fn board(&self, side: Side) -> Board<8, 8> {
        let white = match side {
            Side::White => *self,
            Side::Black => self.turned(),
        };
        let kings = bits_of(white.own_kings | white.other_kings);
        let (own, other) = (bits_of(white.own_men | white.own_kings), bits_of(white.other_men | white.other_kings));
        Board::from_sets([own, other], kings, 0, 0, side).expect("an index names possible positions alone")
    }

    /// The same pieces seen by the other side, which is to move.
    pub const fn turned(&self) -> Self {
        Self {
            own_men: self.other_men.reverse_bits(),
            own_kings: self.other_kings.reverse_bits(),
            other_men: self.own_men.reverse_bits(),
            other_kings: self.own_kings.reverse_bits(),
        }
    }

    pub fn class(&self) -> Class {
        let count = |set: u32| set.count_ones() as u8;
        Class {
            own: Force::new(count(self.own_men), count(self.own_kings)),
            other: Force::new(count(self.other_men), count(self.other_kings)),
        }
    }

    pub const fn occupied(&self) -> u32 {
        self.own_men | self.own_kings | self.other_men | self.other_kings
    }
}

/// The numbering of the positions of one class. A few numbers are no positions: both sides' men on one square.
#[derive(Copy, Clone, Debug)]
pub(super) struct Index {
    class: Class,
    /// Ways to place the other side's men, the own kings and the other kings.
    other_men: u64,
    own_kings: u64,
    other_kings: u64,
    len: u64,
}

impl Index {
    pub const fn new(class: Class) -> Self {
        let (own, other) = (class.own, class.other);
        let free = SQUARES as u32 - own.men() - other.men();
        let other_men = CHOOSE[MEN_SQUARES as usize][other.men() as usize];
        let own_kings = CHOOSE[free as usize][own.kings() as usize];
        let other_kings = CHOOSE[(free - own.kings()) as usize][other.kings() as usize];
        let own_men = CHOOSE[MEN_SQUARES as usize][own.men() as usize];
        Self { class, other_men, own_kings, other_kings, len: own_men * other_men * own_kings * other_kings }
    }

    pub const fn class(&self) -> Class {
        self.class
    }

    /// How many numbers there are.
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// The number of a position of this class.
    pub fn number(&self, placement: &Placement) -> usize {
        let men = placement.own_men | placement.other_men;
        let mut number = rank(placement.own_men, 0);
        number = number * self.other_men + rank(placement.other_men >> 4, 0);
        number = number * self.own_kings + rank(placement.own_kings, men);
        number = number * self.other_kings + rank(placement.other_kings, men | placement.own_kings);
        debug_assert!(number < self.len, "{placement:?} is none of {:?}", self.class);
        number as usize
    }

    /// The position of a number below [`Index::len`]; `None` where it stands for none.
    pub fn placement(&self, number: usize) -> Option<Placement> {
        let Class { own, other } = self.class;
        let number = number as u64;
        let (number, other_kings) = (number / self.other_kings, number % self.other_kings);
        let (number, own_kings) = (number / self.own_kings, number % self.own_kings);
        let (own_men, other_men) = (number / self.other_men, number % self.other_men);
        let own_men = chosen(own_men, own.men(), 0);
        let other_men = chosen(other_men, other.men(), 0) << 4;
        if own_men & other_men != 0 {
            return None;
        }
        let own_kings = chosen(own_kings, own.kings(), own_men | other_men);
        let other_kings = chosen(other_kings, other.kings(), own_men | other_men | own_kings);
        Some(Placement { own_men, own_kings, other_men, other_kings })
    }
}

/// Shows every position, seen by its side to move, from which a step without a capture or crowning may have led here.
/// Whether a capture was compulsory there is not asked.
pub(super) fn quiet_origins(placement: &Placement, mut found: impl FnMut(Placement)) {
    let after = placement.turned();
    let occupied = after.occupied();
    for man in Bits(after.own_men.into()) {
        for ray in &RAYS[man as usize][2..] {
            let from = ray[0];
            if from != NO_SQUARE && occupied >> from & 1 == 0 {
                found(Placement { own_men: after.own_men ^ (1 << man | 1 << from), ..after });
            }
        }
    }
    for king in Bits(after.own_kings.into()) {
        for ray in &RAYS[king as usize] {
            for &from in ray.iter().take_while(|&&from| from != NO_SQUARE && occupied >> from & 1 == 0) {
                found(Placement { own_kings: after.own_kings ^ (1 << king | 1 << from), ..after });
            }
        }
    }
}

/// The place of a set among the sets of its size, counted on the squares that are not `taken` (the combinatorial number
/// system).
fn rank(set: u32, taken: u32) -> u64 {
    let mut sum = 0;
    for (k, square) in Bits(set.into()).enumerate() {
        let place = square - (taken & ((1 << square) - 1)).count_ones();
        sum += CHOOSE[place as usize][k + 1];
    }
    sum
}

/// The set of `size` squares at this place: the inverse of [`rank`].
fn chosen(mut number: u64, size: u32, taken: u32) -> u32 {
    let mut set = 0;
    let mut place = SQUARES;
    for k in (1..=size as usize).rev() {
        place -= 1;
        while CHOOSE[place][k] > number {
            place -= 1;
        }
        number -= CHOOSE[place][k];
        set |= free_square(place, taken);
    }
    set
}

/// The square at a place among those that are not taken.
const fn free_square(place: usize, taken: u32) -> u32 {
    let mut free = !taken;
    let mut skipped = 0;
    while skipped < place {
        free &= free - 1;
        skipped += 1;
    }
    free & free.wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_positions_name_each_other() {
        for ending in super::super::material::Ending::up_to(3) {
            for class in ending.classes() {
                let index = Index::new(class);
                for number in 0..index.len() {
                    let Some(placement) = index.placement(number) else { continue };
                    assert_eq!(placement.class(), class);
                    assert_eq!(index.number(&placement), number, "{placement:?}");
                    for side in Side::BOTH {
                        assert_eq!(Placement::of(&placement.board(side)), placement);
                    }
                }
            }
        }
    }

    #[test]
    fn black_to_move_is_seen_from_the_other_side() {
        use crate::games::{Position, Russian};
        let board = |fen| *Russian::read_fen(fen).unwrap().board();
        let white = Placement::of(&board("W:Wc3,Kd4:Bf6,Kh2"));
        assert_eq!(Placement::of(&board("B:Wc3,Ka7:Bf6,Ke5")), white);
        assert_eq!(white.turned(), Placement::of(&board("B:Wc3,Kd4:Bf6,Kh2")));
    }
}
