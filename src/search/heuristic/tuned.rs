//! The tuned evaluation of the board of 64 squares: terms of a position, and what each weighs.

use crate::board::{Bits, Board, Geometry, Side};

use super::draughts::against_lone_king;
use super::patterns::{self, FILLINGS, REGIONS};

type Eight = Geometry<8, 8>;

/// Where the terms of kings by their square begin, and those that count something.
const KING_SQUARES: usize = REGIONS * FILLINGS;
const COUNTS: usize = KING_SQUARES + 32;
/// How many terms there are. Each has two weights, for a full board and for an empty one.
pub(super) const TERMS: usize = COUNTS + COUNTED;
/// What is counted, in the order of [`visit`].
const COUNTED: usize = 10;
/// Pieces on a full board.
pub(super) const FULL: i32 = 24;
/// Parts of a hundredth of a man that a weight counts.
pub(in crate::search) const UNIT: i32 = 16;

/// What every file of weights begins with.
pub(in crate::search) const HEAD: &[u8; 8] = b"shashki1";
/// Bytes of a file of weights: the head, for each term its weight on a full board and on an empty one, two bytes each, the
/// low one first, and the first eight bytes of the SHA-256 of all that.
pub(super) const BYTES: usize = HEAD.len() + 4 * TERMS + 8;

/// The two weights of each term: on a full board, and on an empty one.
pub(super) type Weights = [[i16; 2]; TERMS];

/// The weights of Russian draughts; docs/evaluation.md tells how they were found.
pub(super) static RUSSIAN: Weights = weights(RUSSIAN_BYTES);
const RUSSIAN_BYTES: &[u8; BYTES] = include_bytes!("russian.weights");

const fn weights(bytes: &[u8; BYTES]) -> Weights {
    let mut weights = [[0; 2]; TERMS];
    let mut term = 0;
    while term < TERMS {
        let at = HEAD.len() + 4 * term;
        weights[term] =
            [i16::from_le_bytes([bytes[at], bytes[at + 1]]), i16::from_le_bytes([bytes[at + 2], bytes[at + 3]])];
        term += 1;
    }
    weights
}

/// The worth of a position in hundredths of a man, seen by the side to move.
pub(super) fn judge(board: &Board<8, 8>, weights: &Weights) -> i32 {
    let (mut full, mut empty) = (0, 0);
    visit(board, |term, times| {
        let [on_full, on_empty] = weights[term];
        full += times * i32::from(on_full);
        empty += times * i32::from(on_empty);
    });
    let pieces = ones(board.occupied());
    let score = (full * pieces + empty * (FULL - pieces)) / (FULL * UNIT);
    let score = if board.turn() == Side::White { score } else { -score };
    let (kings, mover) = (board.kings(), board.turn());
    let weaker = board.side(if score > 0 { !mover } else { mover });
    if weaker & !kings == 0 && weaker.is_power_of_two() {
        against_lone_king(score, weaker & Eight::MAIN_ROAD != 0, pieces)
    } else {
        score
    }
}

/// Names each term of a position and how often it is there, White's counted upwards and Black's downwards.
#[inline(always)]
pub(super) fn visit(board: &Board<8, 8>, mut add: impl FnMut(usize, i32)) {
    let [white, black] = patterns::numbers(board);
    for n in 0..REGIONS {
        add(n * FILLINGS + white[n], 1);
        add(n * FILLINGS + black[n], -1);
    }
    let kings = board.kings();
    let sides = Side::BOTH.map(|side| board.side(side));
    let [white_men, black_men] = sides.map(|side| side & !kings);
    let mut count = |n: usize, times: i32| add(COUNTS + n, times);
    let mover = if board.turn() == Side::White { 1 } else { -1 };
    count(0, mover);
    let men = ones(white_men) - ones(black_men);
    count(1, men);
    let own = board.turn().index();
    let hanging = ones(hanging(sides[own], sides[1 - own], board.occupied()));
    count(2, mover * i32::from(hanging > 0));
    count(3, mover * (hanging - 1).max(0));
    if kings != 0 {
        for bit in Bits(sides[0] & kings) {
            add(KING_SQUARES + usize::from(Eight::DENSE_OF[bit as usize]), 1);
        }
        for bit in Bits(sides[1] & kings) {
            add(KING_SQUARES + usize::from(Eight::DENSE_OF[Eight::turned(bit) as usize]), -1);
        }
        let mut count = |n: usize, times: i32| add(COUNTS + n, times);
        let [white, black] = sides.map(|side| ones(side & kings));
        count(4, i32::from(white > 0) - i32::from(black > 0));
        count(5, white - black);
        if white > 0 && black > 0 {
            count(6, men);
            count(7, white - black);
            count(8, mover);
        }
        let road = Eight::MAIN_ROAD & kings;
        count(9, i32::from(sides[0] & road != 0) - i32::from(sides[1] & road != 0));
    }
}

/// The pieces of a side that pieces beside them could capture.
fn hanging(own: u64, other: u64, occupied: u64) -> u64 {
    let free = Eight::BOARD & !occupied;
    own & (0..4).fold(0, |struck, e| struck | Eight::step(other, e ^ 2) & Eight::step(free, e))
}

fn ones(set: u64) -> i32 {
    set.count_ones() as i32
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use sha2::{Digest, Sha256};

    use super::*;
    use crate::board::Hops;
    use crate::games::{Position, Russian};
    use crate::search::heuristic::Heuristic;

    /// The same game with the colours swapped.
    fn turned(board: &Board<8, 8>) -> Russian {
        let turn = |set: u64| Bits(set).fold(0, |set, bit| set | 1 << Eight::turned(bit));
        let sides = [turn(board.side(Side::Black)), turn(board.side(Side::White))];
        let board = Board::from_sets(sides, turn(board.kings()), 0, 0, !board.turn());
        Russian::from_board(board.expect("a position turned is a position"))
    }

    #[test]
    fn the_file_of_weights_is_whole() {
        let (said, sum) = RUSSIAN_BYTES.split_at(BYTES - 8);
        assert!(said.starts_with(HEAD));
        assert_eq!(Sha256::digest(said)[..8], *sum);
        let used = said[HEAD.len()..].iter().filter(|&&byte| byte != 0).count();
        assert!(used > BYTES / 8, "{used} bytes that are not zero");
    }

    #[test]
    fn both_sides_are_judged_alike() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut hops = Hops::new();
        let (mut worths, mut kings) = (0, 0);
        for _ in 0..400 {
            let mut position = Russian::start();
            while position.can_move() {
                if position.at_turn_start() {
                    let worth = position.tuned();
                    assert_eq!(worth, turned(position.board()).tuned(), "{}", position.write_fen());
                    worths += u32::from(worth != 0);
                    kings += u32::from(position.board().kings() != 0);
                }
                position.hops(&mut hops);
                position.play_unchecked(hops[rng.random_range(0..hops.len())]);
                if position.board().occupied().count_ones() < 4 {
                    break;
                }
            }
        }
        assert!(worths > 10_000 && kings > 1_000, "{worths} positions were no draw, {kings} had kings");
    }

    #[test]
    fn a_man_more_is_worth_about_a_hundred_and_a_king_more_than_a_man() {
        let worth = |fen: &str| Russian::read_fen(fen).expect("the text is right").tuned();
        let man = worth("W:Wc1,e1,g1,b2,d2,a3,c3,e3,g3:Bb8,d8,f8,c7,e7,b6,d6,f6");
        assert!((50..200).contains(&man), "{man}");
        let king = worth("W:WKa1,c1,e1,d2,f2:Bd8,f8,c7,e7,g7");
        assert!(king > 100, "{king}");
    }
}
