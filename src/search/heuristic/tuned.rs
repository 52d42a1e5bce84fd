//! The tuned evaluation of the board of 64 squares: terms of a position, and what each weighs.

use crate::board::{Bits, Board, Geometry, Side};

use super::draughts::against_lone_king;
use super::patterns::{self, FILLINGS, REGIONS};

type Eight = Geometry<8, 8>;

/// The terms of filled regions, the first ones. Their weights are small and many, so that each has a byte.
pub(in crate::search) const FILLED: usize = REGIONS * FILLINGS;
/// How many terms there are: filled regions, kings by their square, and what is counted, in the order of [`other_terms`].
pub(super) const TERMS: usize = FILLED + OTHERS;
const OTHERS: usize = 32 + 10;
/// Pieces on a full board.
const FULL: i32 = 24;

/// What every file of weights begins with.
pub(in crate::search) const HEAD: &[u8; 8] = b"shashki1";
/// Bytes of a file of weights: the head, for each term its weight on a full board and on an empty one, a byte each for
/// filled regions and two each, the low one first, for the other terms, and the first eight bytes of the SHA-256 of all
/// that.
const BYTES: usize = HEAD.len() + 2 * FILLED + 4 * OTHERS + 8;

/// The two weights of each term, in hundredths of a man: on a full board, and on an empty one.
#[derive(Debug)]
pub(super) struct Weights {
    /// Both in one number: `65536 * full + empty`. All of a position together stay far below 32768 either way.
    filled: [[i32; FILLINGS]; REGIONS],
    others: [[i16; 2]; OTHERS],
}

/// The weights of Russian draughts; docs/evaluation.md tells how they were found.
pub(super) static RUSSIAN: Weights = weights(RUSSIAN_BYTES);
const RUSSIAN_BYTES: &[u8; BYTES] = include_bytes!("russian.weights");

const fn weights(bytes: &[u8; BYTES]) -> Weights {
    let mut weights = Weights { filled: [[0; FILLINGS]; REGIONS], others: [[0; 2]; OTHERS] };
    let mut at = HEAD.len();
    let mut n = 0;
    while n < FILLED {
        let [on_full, on_empty] = [bytes[at].cast_signed() as i32, bytes[at + 1].cast_signed() as i32];
        weights.filled[n / FILLINGS][n % FILLINGS] = (on_full << 16) + on_empty;
        at += 2;
        n += 1;
    }
    n = 0;
    while n < OTHERS {
        let on_full = i16::from_le_bytes([bytes[at], bytes[at + 1]]);
        weights.others[n] = [on_full, i16::from_le_bytes([bytes[at + 2], bytes[at + 3]])];
        at += 4;
        n += 1;
    }
    weights
}

/// The worth of a position in hundredths of a man, seen by the side to move.
pub(super) fn judge(board: &Board<8, 8>, weights: &Weights) -> i32 {
    let [white, black] = patterns::numbers(board);
    let mut filled = 0;
    for (n, weights) in weights.filled.iter().enumerate() {
        filled += weights[white[n]] - weights[black[n]];
    }
    let mut empty = i32::from(filled as i16);
    let mut full = (filled - empty) >> 16;
    other_terms(board, |n, times| {
        let [on_full, on_empty] = weights.others[n];
        full += times * i32::from(on_full);
        empty += times * i32::from(on_empty);
    });
    let pieces = ones(board.occupied());
    let score = (full * pieces + empty * (FULL - pieces)) / FULL;
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
pub(super) fn visit(board: &Board<8, 8>, mut add: impl FnMut(usize, i32)) {
    let [white, black] = patterns::numbers(board);
    for n in 0..REGIONS {
        add(n * FILLINGS + white[n], 1);
        add(n * FILLINGS + black[n], -1);
    }
    other_terms(board, |n, times| add(FILLED + n, times));
}

/// The terms that are no filled regions.
#[inline(always)]
fn other_terms(board: &Board<8, 8>, mut add: impl FnMut(usize, i32)) {
    let kings = board.kings();
    let sides = [board.side(Side::White), board.side(Side::Black)];
    let [white_men, black_men] = [sides[0] & !kings, sides[1] & !kings];
    let mover = if board.turn() == Side::White { 1 } else { -1 };
    let men = ones(white_men) - ones(black_men);
    let own = board.turn().index();
    let hanging = hanging(sides[own], sides[1 - own], board.occupied());
    add(32, mover);
    add(33, men);
    add(34, mover * i32::from(hanging != 0));
    add(35, mover * i32::from(hanging & hanging.wrapping_sub(1) != 0));
    if kings == 0 {
        return;
    }
    for bit in Bits(sides[0] & kings) {
        add(usize::from(Eight::DENSE_OF[bit as usize]), 1);
    }
    for bit in Bits(sides[1] & kings) {
        add(usize::from(Eight::DENSE_OF[Eight::turned(bit) as usize]), -1);
    }
    let [white, black] = [ones(sides[0] & kings), ones(sides[1] & kings)];
    add(36, i32::from(white > 0) - i32::from(black > 0));
    add(37, white - black);
    if white > 0 && black > 0 {
        add(38, men);
        add(39, white - black);
        add(40, mover);
    }
    let road = Eight::MAIN_ROAD & kings;
    add(41, i32::from(sides[0] & road != 0) - i32::from(sides[1] & road != 0));
}

/// The pieces of a side that pieces beside them could capture.
fn hanging(own: u64, other: u64, occupied: u64) -> u64 {
    let free = Eight::BOARD & !occupied;
    let mut struck = 0;
    for d in 0..4 {
        struck |= Eight::step(other, d ^ 2) & Eight::step(free, d);
    }
    own & struck
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
