//! What the classic engine thinks of towers.

use crate::board::{Bits, Geometry, Side};
use crate::games::Position;
use crate::games::bashni::Towers;

use super::Heuristic;

type Eight = Geometry<8, 8>;

/// A tower with a man on top, and with a king.
const MAN_ON_TOP: i32 = 100;
const KING_ON_TOP: i32 = 260;
/// An own piece right below the top, or below such pieces: when the top is captured it commands the tower.
const RESERVE: i32 = 45;
/// An own king in reserve is worth that much more.
const KING_IN_RESERVE: i32 = 40;
/// A captive below the own pieces: it is out of play as long as they hold.
const CAPTIVE: i32 = 22;
/// Captives under a top without reserve are freed by one capture.
const LOOSE_CAPTIVE: i32 = 6;
/// A rank towards crowning.
const ADVANCE: i32 = 4;
/// An open step of a man on top.
const OPEN_STEP: i32 = 4;
/// The right to move.
const TEMPO: i32 = 3;

/// A tower is worth what its top can do, what holds it when the top is captured, and what it keeps captive.
impl<const IMMEDIATE: bool> Heuristic for Towers<IMMEDIATE> {
    fn evaluate(&self) -> i32 {
        let worth = |side: Side| -> i32 {
            let towers: i32 = Bits(self.tops().side(side)).map(|bit| self.worth(bit, side)).sum();
            towers + OPEN_STEP * self.open_steps(side)
        };
        worth(self.side()) - worth(!self.side()) + TEMPO
    }
}

impl<const IMMEDIATE: bool> Towers<IMMEDIATE> {
    fn worth(&self, bit: u32, side: Side) -> i32 {
        let square = Eight::SQUARE_OF[bit as usize];
        let mut pieces = self.tower(square);
        let Some(top) = pieces.next() else { return 0 };
        let rank = if side == Side::White { square.rank() } else { 7 - square.rank() };
        let mut worth = if top.king { KING_ON_TOP } else { MAN_ON_TOP + ADVANCE * rank as i32 };
        let (mut reserve, mut captives) = (0, 0);
        for piece in pieces {
            if piece.side == side && captives == 0 {
                reserve += 1;
                worth += RESERVE + if piece.king { KING_IN_RESERVE } else { 0 };
            } else if piece.side != side {
                captives += 1;
            }
        }
        worth + captives * if reserve > 0 { CAPTIVE } else { LOOSE_CAPTIVE }
    }

    fn open_steps(&self, side: Side) -> i32 {
        let men = self.tops().side(side) & !self.tops().kings();
        let free = Eight::BOARD & !self.tops().occupied();
        let forward = 2 * side.index();
        (forward..forward + 2).map(|d| (Eight::step(men, d) & free).count_ones() as i32).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Bashni;

    fn evaluate(fen: &str) -> i32 {
        Bashni::read_fen(fen).unwrap().evaluate()
    }

    #[test]
    fn the_start_is_even_but_for_the_right_to_move() {
        assert_eq!(Bashni::start().evaluate(), TEMPO);
    }

    #[test]
    fn reserve_and_captives_count() {
        let single = evaluate("W:Wc3w:Bf6b");
        let captive = evaluate("W:Wc3wb:Bf6b");
        let reserve = evaluate("W:Wc3ww:Bf6b");
        assert!(single < captive && captive < reserve, "{single} {captive} {reserve}");
        assert!(evaluate("W:Wc3wwbb:Bf6b") - reserve > captive - single, "captives are safer with a reserve");
    }

    #[test]
    fn the_board_turned_for_black_is_worth_the_same() {
        assert_eq!(evaluate("W:Wc3wwb,g1W:Bb6b,h8Bw"), evaluate("B:Wg3w,a1Wb:Bf6bbw,b8B"));
    }
}
