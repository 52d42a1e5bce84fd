//! Hand-written evaluation of positions, per variant; material by default.

use crate::board::{Bits, Board, Geometry, Side, Square};
use crate::games::Position;
use crate::games::{Bashni, BashniIm, Poddavki, Russian, Spantsireti, Vigman, VigmanFree};

/// What a man is worth.
pub const MAN: i32 = 100;
/// What a flying king is worth: about three men.
pub const KING: i32 = 300;

/// A position that the classic engine can judge without looking ahead.
///
/// ```
/// use shashki::games::{Position, Russian};
/// use shashki::search::heuristic::Heuristic;
///
/// let ahead = Russian::read_fen("W:Wc3,e3:Bf6")?;
/// assert!(ahead.evaluate() > 50);
/// # Ok::<(), shashki::Error>(())
/// ```
pub trait Heuristic: Position {
    /// The worth of the position in hundredths of a man, seen by the side to move. Meant for positions between turns in
    /// which nothing has to be captured; it knows no won or lost positions.
    fn evaluate(&self) -> i32 {
        let worth = |side: Side| -> i32 {
            (0..Self::SPEC.boards)
                .map(|board| {
                    let material = self.material(board);
                    let (men, kings) = (material.men[side.index()], material.kings[side.index()]);
                    MAN * i32::from(men) + KING * i32::from(kings)
                })
                .sum()
        };
        worth(self.side()) - worth(!self.side())
    }
}

/// What a white man gains by its square: a way towards crowning, the middle, and guarding the first rank, of which c1
/// and e1 alone keep most men from crowning. Rank 8 first, the playable squares from left to right.
const MAN_BONUS: [[i16; 4]; 8] = [
    [0, 0, 0, 0],
    [22, 24, 24, 22],
    [14, 18, 18, 12],
    [6, 14, 14, 8],
    [5, 12, 12, 2],
    [2, 6, 6, 4],
    [2, 2, 2, 0],
    [0, 10, 10, 4],
];
/// What a king gains on the main road, where three kings cannot catch it.
const ROAD_BONUS: i16 = 20;
/// What a step open to a man is worth: a side that runs out of them has to give men away.
const OPEN_STEP: i32 = 5;
/// What the right to move is worth.
const TEMPO: i32 = 3;
/// All men of both sides at the start of a game.
const FULL_BOARD: i32 = 24;

/// The worth of a man of each side, and of a king, on each bit.
struct Worth {
    men: [[i16; 64]; 2],
    king: [i16; 64],
}

const fn worth() -> Worth {
    let mut worth = Worth { men: [[0; 64]; 2], king: [0; 64] };
    let mut n = 0;
    while n < 32 {
        let (rank, column) = (n / 4, n % 4);
        let set = Geometry::<8, 8>::set(Square::new(2 * column + rank % 2, rank));
        let bit = set.trailing_zeros();
        let man = MAN as i16 + MAN_BONUS[7 - rank][column];
        worth.men[0][bit as usize] = man;
        worth.men[1][Geometry::<8, 8>::turned(bit) as usize] = man;
        let on_road = set & Geometry::<8, 8>::MAIN_ROAD != 0;
        worth.king[bit as usize] = KING as i16 + if on_road { ROAD_BONUS } else { 0 };
        n += 1;
    }
    worth
}

static WORTH: Worth = worth();

/// Russian draughts: material, the squares of the men and their open steps, the main road, and endings that material
/// overstates.
impl Heuristic for Russian {
    fn evaluate(&self) -> i32 {
        let board = self.board();
        let kings = board.kings();
        let mut sums = [0; 2];
        for side in Side::BOTH {
            let (i, own) = (side.index(), board.side(side));
            let men: i32 = Bits(own & !kings).map(|bit| i32::from(WORTH.men[i][bit as usize])).sum();
            let royal: i32 = Bits(own & kings).map(|bit| i32::from(WORTH.king[bit as usize])).sum();
            sums[i] = men + royal + OPEN_STEP * open_steps(board, side);
        }
        let (own, other) = (self.side().index(), (!self.side()).index());
        let mut score = sums[own] - sums[other];
        // Whoever is ahead gains by every exchange.
        let pieces = board.occupied().count_ones() as i32;
        score += score * (FULL_BOARD - pieces) / 64;
        let weaker = board.side(if score > 0 { !self.side() } else { self.side() });
        if weaker & kings == weaker && weaker.count_ones() == 1 {
            score = against_lone_king(score, weaker, pieces);
        }
        score + TEMPO
    }
}

/// How many steps the men of a side have.
fn open_steps(board: &Board<8, 8>, side: Side) -> i32 {
    let men = board.side(side) & !board.kings();
    let free = Geometry::<8, 8>::BOARD & !board.occupied();
    // Directions 0 and 1 lead up the board, 2 and 3 down.
    let forward = 2 * side.index();
    (forward..forward + 2).map(|d| (Geometry::<8, 8>::step(men, d) & free).count_ones() as i32).sum()
}

/// What is left of an advantage over a lone king: two pieces seldom catch it, nor do three when it holds the main road
/// (FMJD-64 7.2.7 and 7.2.8 give them five moves).
fn against_lone_king(score: i32, king: u64, pieces: i32) -> i32 {
    if pieces <= 3 {
        score / 8
    } else if pieces == 4 && king & Geometry::<8, 8>::MAIN_ROAD != 0 {
        score / 4
    } else {
        score
    }
}

impl Heuristic for Poddavki {}
impl Heuristic for Spantsireti {}
impl Heuristic for Bashni {}
impl Heuristic for BashniIm {}
impl Heuristic for Vigman {}
impl Heuristic for VigmanFree {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Russian;

    fn evaluate(fen: &str) -> i32 {
        Russian::read_fen(fen).unwrap().evaluate()
    }

    #[test]
    fn the_board_turned_for_black_is_worth_the_same() {
        assert_eq!(evaluate("W:Wc3,g1,Kd4:Bb6,h8"), evaluate("B:Wg3,a1:Bf6,b8,Ke5"));
    }

    #[test]
    fn the_worth_is_that_of_the_side_to_move() {
        let (white, black) = (evaluate("W:Wc3,e3:Bf6"), evaluate("B:Wc3,e3:Bf6"));
        assert!(white > 0 && black < 0);
        assert_eq!(white - TEMPO, TEMPO - black);
    }

    #[test]
    fn the_start_is_even_but_for_the_right_to_move() {
        assert_eq!(Russian::start().evaluate(), TEMPO);
    }

    #[test]
    fn a_lone_king_on_the_main_road_devalues_three_kings() {
        let on_road = evaluate("W:WKb4,Kc1,Ke1:BKd4");
        let off_road = evaluate("W:WKb4,Kc1,Ke1:BKh4");
        assert!(on_road > 0 && on_road * 3 < off_road, "{on_road} and {off_road}");
    }
}
