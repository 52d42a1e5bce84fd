//! What the classic engine thinks of Russian draughts, its giveaway and its wide board.

use crate::board::{Bits, Board, Geometry, Side, Square};
use crate::games::{Poddavki, Position, Russian, Spantsireti};

use super::{Heuristic, KING, MAN, tuned};

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
/// The same on ten files, where c1, e1 and g1 guard the first rank.
const WIDE_MAN_BONUS: [[i16; 5]; 8] = [
    [0, 0, 0, 0, 0],
    [22, 24, 24, 24, 22],
    [14, 18, 18, 18, 12],
    [6, 14, 14, 14, 8],
    [5, 12, 12, 12, 2],
    [2, 6, 6, 6, 4],
    [2, 2, 2, 2, 0],
    [0, 8, 8, 8, 4],
];
/// What a king gains on the main road, where three kings cannot catch it.
const ROAD_BONUS: i16 = 20;
/// What a step open to a man is worth: a side that runs out of them has to give men away.
const OPEN_STEP: i32 = 5;
/// What the right to move is worth.
pub(super) const TEMPO: i32 = 3;

/// The worth of a man of each side, and of a king, on each bit, and how many men there are at the start of a game.
struct Worth {
    men: [[i16; 64]; 2],
    king: [i16; 64],
    full_board: i32,
}

const fn worth<const W: usize, const H: usize, const N: usize>(bonus: &[[i16; N]; 8], full_board: i32) -> Worth {
    let mut worth = Worth { men: [[0; 64]; 2], king: [0; 64], full_board };
    let mut n = 0;
    while n < W * H / 2 {
        let (rank, column) = (n / (W / 2), n % (W / 2));
        let set = Geometry::<W, H>::set(Square::new(2 * column + rank % 2, rank));
        let bit = set.trailing_zeros();
        let man = MAN as i16 + bonus[7 - rank][column];
        worth.men[0][bit as usize] = man;
        worth.men[1][Geometry::<W, H>::turned(bit) as usize] = man;
        let on_road = set & Geometry::<W, H>::MAIN_ROAD != 0;
        worth.king[bit as usize] = KING as i16 + if on_road { ROAD_BONUS } else { 0 };
        n += 1;
    }
    worth
}

static WORTH: Worth = worth::<8, 8, 4>(&MAN_BONUS, 24);
static WIDE_WORTH: Worth = worth::<10, 8, 5>(&WIDE_MAN_BONUS, 30);

/// Material, the squares of the men and their open steps, the main road, and endings that material overstates; seen by
/// a side.
fn judge<const W: usize, const H: usize>(board: &Board<W, H>, worth: &Worth, side: Side) -> i32 {
    let kings = board.kings();
    let mut sums = [0; 2];
    for side in Side::BOTH {
        let (i, own) = (side.index(), board.side(side));
        let men: i32 = Bits(own & !kings).map(|bit| i32::from(worth.men[i][bit as usize])).sum();
        let royal: i32 = Bits(own & kings).map(|bit| i32::from(worth.king[bit as usize])).sum();
        sums[i] = men + royal + OPEN_STEP * open_steps(board, side);
    }
    let mut score = sums[side.index()] - sums[(!side).index()];
    // Whoever is ahead gains by every exchange.
    let pieces = board.occupied().count_ones() as i32;
    score += score * (worth.full_board - pieces) / 64;
    let weaker = board.side(if score > 0 { !side } else { side });
    if weaker & kings == weaker && weaker.count_ones() == 1 {
        score = against_lone_king(score, weaker & Geometry::<W, H>::MAIN_ROAD != 0, pieces);
    }
    score
}

/// What a board of Russian draughts is worth to a side, whoever moves.
pub(super) fn russian(board: &Board<8, 8>, side: Side) -> i32 {
    judge(board, &WORTH, side)
}

impl Heuristic for Russian {
    fn evaluate(&self) -> i32 {
        russian(self.board(), self.side()) + TEMPO
    }

    const TERMS: usize = tuned::TERMS;

    fn tuned(&self) -> i32 {
        tuned::judge(self.board(), &tuned::RUSSIAN)
    }

    fn terms(&self, add: impl FnMut(usize, i32)) {
        tuned::visit(self.board(), add);
    }
}

impl Heuristic for Spantsireti {
    fn evaluate(&self) -> i32 {
        judge(self.board(), &WIDE_WORTH, self.side()) + TEMPO
    }
}

/// In giveaway: what a man costs his side, and what a king and an open step of a man are worth to it: whoever has many
/// moves is not made to capture. Found by matches of 1,000 games at depth 4 against the priors of a trained network: they
/// score .71, where a king that costs as much as a man and a half, and steps that cost, scored .56.
const GIVEAWAY_MAN: i32 = 100;
const GIVEAWAY_KING: i32 = 60;
const GIVEAWAY_STEP: i32 = 18;

/// The fewer men the better, more so the fewer pieces there are. What the other side can be made to capture is seen by
/// the search alone.
impl Heuristic for Poddavki {
    fn evaluate(&self) -> i32 {
        let board = self.board();
        let cost = |side: Side| {
            let (own, kings) = (board.side(side), board.kings());
            let (men, kings) = ((own & !kings).count_ones() as i32, (own & kings).count_ones() as i32);
            GIVEAWAY_MAN * men - GIVEAWAY_KING * kings - GIVEAWAY_STEP * open_steps(board, side)
        };
        let score = cost(!self.side()) - cost(self.side());
        score + score * (WORTH.full_board - board.occupied().count_ones() as i32) / 64
    }
}

/// How many steps the men of a side have.
fn open_steps<const W: usize, const H: usize>(board: &Board<W, H>, side: Side) -> i32 {
    let men = board.side(side) & !board.kings();
    let free = Geometry::<W, H>::BOARD & !board.occupied();
    // Directions 0 and 1 lead up the board, 2 and 3 down.
    let forward = 2 * side.index();
    (forward..forward + 2).map(|d| (Geometry::<W, H>::step(men, d) & free).count_ones() as i32).sum()
}

/// What is left of an advantage over a lone king: two pieces seldom catch it, nor do three when it holds the main road
/// (FMJD-64 7.2.7 and 7.2.8 give them five moves).
pub(super) const fn against_lone_king(score: i32, on_road: bool, pieces: i32) -> i32 {
    if pieces <= 3 {
        score / 8
    } else if pieces == 4 && on_road {
        score / 4
    } else {
        score
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluate(fen: &str) -> i32 {
        Russian::read_fen(fen).unwrap().evaluate()
    }

    #[test]
    fn the_board_turned_for_black_is_worth_the_same() {
        assert_eq!(evaluate("W:Wc3,g1,Kd4:Bb6,h8"), evaluate("B:Wg3,a1:Bf6,b8,Ke5"));
    }

    #[test]
    fn in_giveaway_the_side_with_fewer_pieces_is_ahead() {
        let evaluate = |fen: &str| Poddavki::read_fen(fen).unwrap().evaluate();
        assert!(evaluate("W:Wc3:Bf6,h6,b6") > 100 && evaluate("B:Wc3:Bf6,h6,b6") < -100);
    }

    #[test]
    fn the_wide_board_is_even_at_the_start() {
        assert_eq!(Spantsireti::start().evaluate(), TEMPO);
        assert!(Spantsireti::read_fen("W:Wc3,Kk2:Bf6").unwrap().evaluate() > KING / 2);
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
