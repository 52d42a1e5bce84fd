//! Small regions of the board, and the number of the men that stand in each.
//!
//! A region of eight squares has 3^8 fillings: on each square nothing, an own man or another's; which one it is, a number
//! in base three tells. (Weights for the fillings of overlapping regions, found by logistic regression: Michael Buro,
//! "From simple features to sophisticated evaluation functions", 1999.)

use crate::board::{Board, Side};

/// Fillings of a region.
pub(super) const FILLINGS: usize = 3_usize.pow(8);
/// Regions, each of which is looked at once for each side, the board turned for Black. Of each pair of regions that
/// turning makes each other it is enough to know one.
pub(super) const REGIONS: usize = 12;
/// The lowest bit of each rank.
const RANK: [u32; 8] = [0, 5, 9, 14, 18, 23, 27, 32];

/// What the men on a rank come to, in fields of sixteen bits, two digits each of the left, the middle and the right two
/// squares, and four digits of all. The lowest bit is the leftmost square.
const DIGITS: [u64; 16] = digits(false);
/// The same of a rank that is turned.
const TURNED: [u64; 16] = digits(true);
/// Where the field of all squares lies.
const ALL: u32 = 48;

const fn digits(turned: bool) -> [u64; 16] {
    let mut table = [0; 16];
    let mut men = 0;
    while men < 16 {
        let (mut digits, mut n) = ([0; 4], 0);
        while n < 4 {
            digits[n] = (men >> (if turned { 3 - n } else { n }) & 1) as u64;
            n += 1;
        }
        let [a, b, c, d] = digits;
        table[men] = (a + 3 * b) | ((b + 3 * c) << 16) | ((c + 3 * d) << 32) | ((a + 3 * b + 9 * c + 27 * d) << ALL);
        men += 1;
    }
    table
}

/// The numbers of all regions as a side sees them whose men on each rank, nearest first, `ranks` tells: first the bands
/// of two whole ranks, then the blocks of four files and four ranks. Plain loops: closures for arrays would be calls.
#[inline(always)]
fn numbers_of(ranks: &[u64; 8]) -> [usize; REGIONS] {
    // Two ranks of two squares each.
    let mut pairs = [0; 7];
    for (rank, pair) in pairs.iter_mut().enumerate() {
        *pair = ranks[rank] + 9 * ranks[rank + 1];
    }
    let mut blocks = [0; 5];
    for (rank, block) in blocks.iter_mut().enumerate() {
        // What flows over the uppermost field, whole ranks that would be too many digits, is gone.
        *block = pairs[rank].wrapping_add(pairs[rank + 2].wrapping_mul(81));
    }
    let band = |rank: usize| ((ranks[rank] + 81 * ranks[rank + 1]) >> ALL) as usize;
    let left = |rank: usize| (blocks[rank] & 0xffff) as usize;
    let middle = |rank: usize| (blocks[rank] >> 16 & 0xffff) as usize;
    [band(0), band(1), band(2), band(3), left(0), left(1), left(2), left(3), left(4), middle(0), middle(1), middle(2)]
}

/// The numbers of all regions as White sees them, and as Black does, for whom the board is turned and the colours
/// swapped.
#[inline(always)]
pub(super) fn numbers(board: &Board<8, 8>) -> [[usize; REGIONS]; 2] {
    let (white, black) = (board.side(Side::White) & !board.kings(), board.side(Side::Black) & !board.kings());
    let (mut upright, mut turned) = ([0; 8], [0; 8]);
    for rank in 0..8 {
        let (white, black) = ((white >> RANK[rank]) as usize & 15, (black >> RANK[rank]) as usize & 15);
        upright[rank] = DIGITS[white] + 2 * DIGITS[black];
        turned[7 - rank] = TURNED[black] + 2 * TURNED[white];
    }
    [numbers_of(&upright), numbers_of(&turned)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Geometry;
    use crate::games::{Position, Russian};

    /// The men on some squares, in base three, the first square counting least.
    fn number(board: &Board<8, 8>, squares: [&str; 8]) -> usize {
        let digit = |square: &str| {
            let set = Geometry::<8, 8>::set(square.parse().unwrap());
            let men = |side| usize::from(board.side(side) & !board.kings() & set != 0);
            men(Side::White) + 2 * men(Side::Black)
        };
        squares.iter().rev().fold(0, |number, square| 3 * number + digit(square))
    }

    #[test]
    fn the_numbers_are_those_of_the_men_on_the_squares_of_a_region() {
        let position = Russian::read_fen("W:Wa1,c1,g1,b2,h2,c3,Ke3,d4,h4:Bb4,a5,c5,f6,h6,Ka7,e7,b8,d8").unwrap();
        let board = position.board();
        let [white, black] = numbers(board);
        assert_eq!(white[0], number(board, ["a1", "c1", "e1", "g1", "b2", "d2", "f2", "h2"]));
        assert_eq!(white[1], number(board, ["b2", "d2", "f2", "h2", "a3", "c3", "e3", "g3"]));
        assert_eq!(white[3], number(board, ["b4", "d4", "f4", "h4", "a5", "c5", "e5", "g5"]));
        assert_eq!(white[4], number(board, ["a1", "c1", "b2", "d2", "a3", "c3", "b4", "d4"]));
        assert_eq!(white[8], number(board, ["a5", "c5", "b6", "d6", "a7", "c7", "b8", "d8"]));
        assert_eq!(white[10], number(board, ["d2", "f2", "c3", "e3", "d4", "f4", "c5", "e5"]));
        let swapped = Russian::read_fen("B:Wg1,e1,a7,d2,h2,c3,a3,f4,h4,g5:Bb8").unwrap();
        let [white, black_seen] = numbers(swapped.board());
        let turned = Russian::read_fen("W:Wg1:Bb8,d8,h2,e7,a7,f6,h6,c5,a5,b4").unwrap();
        let [white_turned, black_turned] = numbers(turned.board());
        assert_eq!((white, black_seen), (black_turned, white_turned));
        assert_ne!(black, numbers(board)[0]);
    }
}
