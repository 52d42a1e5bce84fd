//! Small regions of the board, and the number of the men that stand in each.
//!
//! A region of eight squares has 3^8 fillings: on each square nothing, an own man or another's. Its number in base three
//! is found from the men of both sides by adding up table entries, a rank at a time, for all regions at once. (Weights
//! for the fillings of overlapping regions, found by logistic regression: Michael Buro, "From simple features to
//! sophisticated evaluation functions", 1999.)

use crate::board::{Board, Side};

/// Squares of a region.
const SQUARES: usize = 8;
/// Fillings of a region.
pub(super) const FILLINGS: usize = 3_usize.pow(SQUARES as u32);
/// Regions, each of which is looked at once for each side, the board turned for Black.
pub(super) const REGIONS: usize = 12;
/// Numbers that are added up side by side.
const LANES: usize = 16;
/// Places of the squares of a rank.
const RANK: [u32; 8] = [0, 5, 9, 14, 18, 23, 27, 32];

/// The numbers of the fillings of all regions.
pub(super) type Numbers = [u16; LANES];

/// What the men on a rank add to the number of each region, the lowest bit of a rank being its leftmost square.
type Table = [[Numbers; 16]; 8];

static UPRIGHT: Table = table(false);
static TURNED: Table = table(true);

/// The squares of a region: `4 * rank + column` from the lower left corner on.
type Region = [usize; SQUARES];

/// Two whole ranks, from `rank` on.
const fn band(rank: usize) -> Region {
    let mut region = [0; SQUARES];
    let mut i = 0;
    while i < SQUARES {
        region[i] = 4 * rank + i;
        i += 1;
    }
    region
}

/// Four files and four ranks, from the file `2 * column` and from `rank` on.
const fn block(column: usize, rank: usize) -> Region {
    let mut region = [0; SQUARES];
    let mut i = 0;
    while i < SQUARES {
        region[i] = 4 * (rank + i / 2) + column + i % 2;
        i += 1;
    }
    region
}

/// Those of each pair of regions that turning the board makes each other: what is missing here, Black sees.
const fn regions() -> [Region; REGIONS] {
    [
        band(0),
        band(1),
        band(2),
        band(3),
        block(0, 0),
        block(0, 1),
        block(0, 2),
        block(0, 3),
        block(0, 4),
        block(1, 0),
        block(1, 1),
        block(1, 2),
    ]
}

const fn table(turned: bool) -> Table {
    let regions = regions();
    let mut table = [[[0; LANES]; 16]; 8];
    let mut n = 0;
    while n < REGIONS {
        let (mut i, mut power) = (0, 1);
        while i < SQUARES {
            let square = if turned { 31 - regions[n][i] } else { regions[n][i] };
            let mut men = 0;
            while men < 16 {
                if men >> (square % 4) & 1 == 1 {
                    table[square / 4][men][n] += power;
                }
                men += 1;
            }
            i += 1;
            power *= 3;
        }
        n += 1;
    }
    table
}

fn add(table: &[Numbers; 16], men: u64, rank: usize, sum: &mut Numbers) {
    let row = &table[(men >> RANK[rank]) as usize & 15];
    sum.iter_mut().zip(row).for_each(|(sum, n)| *sum += n);
}

/// The numbers of all regions as White sees them, and as Black does, for whom the board is turned and the colours
/// swapped.
pub(super) fn numbers(board: &Board<8, 8>) -> [Numbers; 2] {
    let [white, black] = Side::BOTH.map(|side| board.side(side) & !board.kings());
    let mut sums = [[0; LANES]; 4];
    for rank in 0..8 {
        add(&UPRIGHT[rank], white, rank, &mut sums[0]);
        add(&UPRIGHT[rank], black, rank, &mut sums[1]);
        add(&TURNED[rank], black, rank, &mut sums[2]);
        add(&TURNED[rank], white, rank, &mut sums[3]);
    }
    let [own_white, other_white, own_black, other_black] = sums;
    let number = |own: Numbers, other: Numbers| std::array::from_fn(|n| own[n] + 2 * other[n]);
    [number(own_white, other_white), number(own_black, other_black)]
}
