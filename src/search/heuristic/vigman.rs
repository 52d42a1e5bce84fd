//! What the classic engine thinks of two games at once.

use crate::board::{Board, Hops, Side};
use crate::games::Position;
use crate::games::vigman::TwoGames;

use super::Heuristic;
use super::draughts::{TEMPO, russian};

/// What a game won is worth, and the most that one under way can seem to be.
const GAME: i32 = 1_000;
/// Deeper than captures can go on a board of 24 pieces.
const CAPTURES: u32 = 24;

/// The sum of both games: what each is worth once its captures are played out, or how it ended.
impl<const FREE: bool> Heuristic for TwoGames<FREE> {
    fn evaluate(&self) -> i32 {
        let side = self.side();
        let worth = |(board, result): (&Board<8, 8>, Option<Option<Side>>)| match result {
            Some(Some(winner)) if winner == side => GAME,
            Some(Some(_)) => -GAME,
            Some(None) => 0,
            // Captures are compulsory over both boards: the search has played them out.
            None if FREE => russian(board, side),
            None => {
                let value = captured_out(board, -GAME, GAME, CAPTURES);
                if board.turn() == side { value } else { -value }
            }
        };
        self.boards().iter().zip(self.results()).map(worth).sum()
    }
}

/// The worth of a game to its side to move once captures are played out, both sides choosing the best.
fn captured_out(board: &Board<8, 8>, mut alpha: i32, beta: i32, depth: u32) -> i32 {
    if depth == 0 || !board.must_capture() {
        let stuck = !board.can_move();
        return if stuck { -GAME } else { (russian(board, board.turn()) + TEMPO).clamp(-GAME + 1, GAME - 1) };
    }
    let (mut hops, mut best) = (Hops::new(), -GAME);
    board.hops(&mut hops);
    for &hop in &hops {
        let mut after = *board;
        let score = if after.play_unchecked(hop).move_over {
            -captured_out(&after, -beta, -alpha, depth - 1)
        } else {
            captured_out(&after, alpha, beta, depth)
        };
        best = best.max(score);
        alpha = alpha.max(score);
        if alpha >= beta {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Vigman, VigmanFree};

    fn evaluate(fen: &str) -> i32 {
        Vigman::read_fen(fen).unwrap().evaluate()
    }

    #[test]
    fn both_games_count_and_so_do_their_ends() {
        let both = evaluate("W:Wc3,e3,d3,f3:Bf6,e6");
        let one = evaluate("W:Wc3,d3,f3:Bf6,e6");
        assert!(both > one && one > 0, "{both} {one}");
        assert!(evaluate("W:Wc3,d3:Bf6,e6:Rdark=b") < evaluate("W:Wc3,d3:Bf6,e6:Rdark=d"));
    }

    #[test]
    fn a_capture_in_the_other_game_is_seen() {
        // In the light game White takes a man for nothing.
        let free = evaluate("W:Wc3,d3:Bf6,e4,a8");
        assert!(free > evaluate("W:Wc3,d3:Bf6,h6,a8") + 50, "{free}");
        assert!(VigmanFree::start().evaluate() == 0);
    }
}
