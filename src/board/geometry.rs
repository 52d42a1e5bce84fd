//! Where the playable squares of a board lie in a word, its diagonals, and the numbers of its hops.
//!
//! Only squares of the colour of a1 are stored. Two ranks fill `W + 1` bits: `W / 2` squares, one bit that is never
//! set, `W / 2` squares. With the empty bit in between, the four diagonal neighbours of every square are the same four
//! shifts away, and a shift over the edge lands on a bit outside [`Geometry::BOARD`].

use super::side::Side;
use super::square::{Hop, Square};

/// The layout of a board of `W` files and `H` ranks, both even, `W` at most 10 and `H` at most 8.
#[derive(Copy, Clone, Debug)]
pub struct Geometry<const W: usize, const H: usize>;

/// The hop numbers of a board: the slot of each pair of bits, and the pair of each slot.
#[derive(Debug)]
pub struct HopIndex {
    slots: [[u16; 64]; 64],
    pairs: [(u8, u8); 1024],
    /// How many slots are used.
    pub len: usize,
}

/// No bit: the place of a square that the board does not play on.
const NOWHERE: u8 = 255;

impl<const W: usize, const H: usize> Geometry<W, H> {
    /// Playable squares.
    pub const SQUARES: usize = W * H / 2;
    /// The bits of all playable squares.
    pub const BOARD: u64 = Self::board();
    /// The shifts of the four directions: 0 up-left, 1 up-right (to the left in the word), 2 down-right, 3 down-left (to
    /// the right). Directions `d` and `d ^ 2` are opposite.
    pub const SHIFTS: [u32; 2] = [(W / 2) as u32, (W / 2 + 1) as u32];
    /// The last rank of each side: a man that comes there is crowned.
    pub const LAST_RANK: [u64; 2] = [Self::rank(H - 1), Self::rank(0)];
    /// The diagonal from a1 to the corner h8, on a square board; empty on others.
    pub const MAIN_ROAD: u64 = if W == H { Self::road() } else { 0 };
    /// The square of each bit, in table order.
    pub const SQUARE_OF: &'static [Square; 64] = &Self::squares();
    /// The place among the playable squares of each bit, rank 1 first, left to right.
    pub const DENSE_OF: &'static [u8; 64] = &Self::dense();
    /// The cell `rank * W + file` of each playable square in a picture of the board, in the order of [`Self::DENSE_OF`].
    pub const CELLS: &'static [u8] = Self::ALL_CELLS.split_at(Self::SQUARES).0;
    /// The squares on each of the four rays of each bit: up-left, up-right, down-right, down-left.
    pub const RAYS: &'static [[u64; 4]; 64] = &Self::rays();
    /// The numbers of all hops along diagonals, ordered by start square, then end square.
    pub const HOPS: &'static HopIndex = &Self::hop_index();

    const ALL_CELLS: &'static [u8; 64] = &Self::cells();
    const BIT_OF: &'static [(u64, u8); 128] = &Self::bits();

    /// The bit number of a playable square; `None` for any other square.
    #[must_use]
    #[inline]
    pub const fn bit(square: Square) -> Option<u32> {
        match Self::BIT_OF[square.slot()].1 {
            NOWHERE => None,
            bit => Some(bit as u32),
        }
    }

    /// The set of that one square; empty if it is not playable.
    #[must_use]
    #[inline]
    pub const fn set(square: Square) -> u64 {
        Self::BIT_OF[square.slot()].0
    }

    /// The bit after turning the board half round, so that Black sees it as White does.
    #[must_use]
    #[inline]
    pub const fn turned(bit: u32) -> u32 {
        ((W + 1) * H / 2 - 1) as u32 - bit
    }

    /// A bit as a side sees it: for Black the board is turned. What is seen twice is as it was.
    #[must_use]
    #[inline]
    pub const fn seen(side: Side, bit: u32) -> u32 {
        match side {
            Side::White => bit,
            Side::Black => Self::turned(bit),
        }
    }

    /// The squares one step away in direction `d`; bits off the board must be masked by the caller.
    #[must_use]
    #[inline]
    pub const fn step(set: u64, d: usize) -> u64 {
        match d {
            0 => set << Self::SHIFTS[0],
            1 => set << Self::SHIFTS[1],
            2 => set >> Self::SHIFTS[0],
            _ => set >> Self::SHIFTS[1],
        }
    }

    /// The square numbered `n` from 1, left to right, top to bottom: 1 is b8.
    #[must_use]
    pub const fn numbered(n: usize) -> Option<Square> {
        if n == 0 || n > Self::SQUARES {
            return None;
        }
        let (row, column) = ((n - 1) / (W / 2), (n - 1) % (W / 2));
        let rank = H - 1 - row;
        Some(Square::new(2 * column + rank % 2, rank))
    }

    const fn place(file: usize, rank: usize) -> u8 {
        ((rank / 2) * (W + 1) + (rank % 2) * (W / 2 + 1) + file / 2) as u8
    }

    const fn bits() -> [(u64, u8); 128] {
        let mut table = [(0, NOWHERE); 128];
        let mut rank = 0;
        while rank < H {
            let mut file = rank % 2;
            while file < W {
                let bit = Self::place(file, rank);
                table[Square::new(file, rank).slot()] = (1 << bit, bit);
                file += 2;
            }
            rank += 1;
        }
        table
    }

    const fn rank(rank: usize) -> u64 {
        let mut set = 0;
        let mut file = rank % 2;
        while file < W {
            set |= 1 << Self::place(file, rank);
            file += 2;
        }
        set
    }

    const fn board() -> u64 {
        let (mut set, mut rank) = (0, 0);
        while rank < H {
            set |= Self::rank(rank);
            rank += 1;
        }
        set
    }

    const fn road() -> u64 {
        let (mut set, mut i) = (0, 0);
        while i < H {
            set |= 1 << Self::place(i, i);
            i += 1;
        }
        set
    }

    const fn squares() -> [Square; 64] {
        let mut table = [Square::new(0, 0); 64];
        let mut rank = 0;
        while rank < H {
            let mut file = rank % 2;
            while file < W {
                table[Self::place(file, rank) as usize] = Square::new(file, rank);
                file += 2;
            }
            rank += 1;
        }
        table
    }

    const fn dense() -> [u8; 64] {
        let mut table = [NOWHERE; 64];
        let (mut bit, mut next) = (0, 0);
        while bit < 64 {
            if Self::BOARD >> bit & 1 == 1 {
                table[bit] = next;
                next += 1;
            }
            bit += 1;
        }
        table
    }

    const fn cells() -> [u8; 64] {
        let mut table = [0; 64];
        let mut n = 0;
        while n < Self::SQUARES {
            let (rank, column) = (n / (W / 2), n % (W / 2));
            table[n] = (rank * W + 2 * column + rank % 2) as u8;
            n += 1;
        }
        table
    }

    const fn rays() -> [[u64; 4]; 64] {
        let mut table = [[0; 4]; 64];
        let mut bit = 0;
        while bit < 64 {
            if Self::BOARD >> bit & 1 == 1 {
                let mut d = 0;
                while d < 4 {
                    let mut at = Self::step(1 << bit, d) & Self::BOARD;
                    while at != 0 {
                        table[bit][d] |= at;
                        at = Self::step(at, d) & Self::BOARD;
                    }
                    d += 1;
                }
            }
            bit += 1;
        }
        table
    }

    const fn hop_index() -> HopIndex {
        let mut slots = [[u16::MAX; 64]; 64];
        let mut pairs = [(0, 0); 1024];
        let (mut from, mut len) = (0, 0);
        while from < 64 {
            let rays = Self::RAYS[from];
            let reach = rays[0] | rays[1] | rays[2] | rays[3];
            let mut to = 0;
            while to < 64 {
                if reach >> to & 1 == 1 {
                    slots[from][to] = len as u16;
                    pairs[len] = (from as u8, to as u8);
                    len += 1;
                }
                to += 1;
            }
            from += 1;
        }
        HopIndex { slots, pairs, len }
    }
}

impl HopIndex {
    /// The number of the hop between two bits on one diagonal.
    #[must_use]
    #[inline]
    pub fn slot(&self, from: u32, to: u32) -> usize {
        let slot = self.slots[from as usize][to as usize];
        debug_assert_ne!(slot, u16::MAX, "bits {from} and {to} share no diagonal");
        usize::from(slot)
    }

    /// The two bits of a number; `None` beyond the last one.
    #[must_use]
    #[inline]
    pub fn pair(&self, slot: usize) -> Option<(u32, u32)> {
        let &(from, to) = self.pairs[..self.len].get(slot)?;
        Some((from.into(), to.into()))
    }
}

impl<const W: usize, const H: usize> Geometry<W, H> {
    /// The bit number of a square that is known to be playable.
    ///
    /// # Panics
    /// If it is not.
    #[must_use]
    #[inline]
    pub fn bit_of(square: Square) -> u32 {
        Self::bit(square).expect("the square is playable")
    }

    /// The hop between two bits.
    #[must_use]
    #[inline]
    pub fn hop(from: u32, to: u32) -> Hop {
        Hop { from: Self::SQUARE_OF[from as usize], to: Self::SQUARE_OF[to as usize] }
    }

    /// The number of a hop, as a side sees it.
    #[must_use]
    #[inline]
    pub fn index(side: Side, hop: Hop) -> usize {
        let seen = |square| Self::seen(side, Self::bit_of(square));
        Self::HOPS.slot(seen(hop.from), seen(hop.to))
    }

    /// The hop of a number, as a side sees it; `None` beyond the last one.
    #[must_use]
    #[inline]
    pub fn hop_at(side: Side, index: usize) -> Option<Hop> {
        let (from, to) = Self::HOPS.pair(index)?;
        Some(Self::hop(Self::seen(side, from), Self::seen(side, to)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Eight = Geometry<8, 8>;
    type Ten = Geometry<10, 8>;

    #[test]
    fn hops_are_numbered_without_gaps() {
        assert_eq!(Eight::HOPS.len, 280);
        assert_eq!(Ten::HOPS.len, 392);
    }

    #[test]
    fn neighbours_are_one_file_and_one_rank_away() {
        for bit in 0..64 {
            if Ten::BOARD >> bit & 1 == 0 {
                continue;
            }
            let square = Ten::SQUARE_OF[bit];
            let (file, rank) = (square.file() as i32, square.rank() as i32);
            for (d, (df, dr)) in [(-1, 1), (1, 1), (1, -1), (-1, -1)].into_iter().enumerate() {
                let (f, r) = (file + df, rank + dr);
                let on_board = (0..10).contains(&f) && (0..8).contains(&r);
                let step = Ten::step(1 << bit, d) & Ten::BOARD;
                assert_eq!(on_board, step != 0, "{square} in direction {d}");
                if on_board {
                    assert_eq!(step, Ten::set(Square::new(f as usize, r as usize)));
                }
            }
        }
    }

    #[test]
    fn turning_the_board_swaps_corners() {
        let bit = |text: &str| Eight::bit(text.parse().unwrap()).unwrap();
        assert_eq!(Eight::turned(bit("a1")), bit("h8"));
        assert_eq!(Eight::turned(bit("c3")), bit("f6"));
    }

    #[test]
    fn numbers_run_from_the_upper_left() {
        let name = |n| Eight::numbered(n).unwrap().to_string();
        assert_eq!([name(1), name(3), name(5), name(32)], ["b8", "f8", "a7", "g1"]);
        assert_eq!(Ten::numbered(40).unwrap().to_string(), "i1");
        assert_eq!(Eight::numbered(33), None);
    }

    #[test]
    fn the_main_road_joins_the_corners() {
        assert_eq!(Eight::MAIN_ROAD.count_ones(), 8);
        assert_eq!(Ten::MAIN_ROAD, 0);
    }
}
