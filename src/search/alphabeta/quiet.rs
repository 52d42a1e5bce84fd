//! Beyond the horizon: captures and crownings are played out until the evaluation can be believed.

use crate::search::heuristic::Heuristic;
use crate::search::score::{HIGHEST_GUESS, INFINITE, WIN};

use super::methods::Method;
use super::tree::DEEPEST_LEVEL;
use super::worker::Worker;

/// Turns that are played out before evaluating, at most. Where captured pieces leave the board there are never as many;
/// towers can be captured back and forth for long.
const MOST_TURNS: u32 = 24;

impl<P: Heuristic> Worker<P> {
    /// The evaluation of a position, away from proven scores.
    pub(super) fn guess(position: &P) -> i32 {
        position.tuned().clamp(-HIGHEST_GUESS, HIGHEST_GUESS)
    }

    /// The score of a position at the horizon, `turns` after the root, seen by its side to move.
    pub(super) fn play_out(&mut self, at: usize, position: &P, turns: i32, alpha: i32, beta: i32) -> i32 {
        self.go_on(at, position, turns, MOST_TURNS, alpha, beta)
    }

    fn go_on(&mut self, at: usize, position: &P, turns: i32, left: u32, mut alpha: i32, beta: i32) -> i32 {
        self.watch.nodes += 1;
        self.levels[at].line.clear();
        let side = position.side();
        let mut best = -INFINITE;
        let mut only_crownings = false;
        if !position.must_capture() {
            if !position.can_move() {
                return match position.stuck() {
                    Some(winner) if winner == side => WIN - turns,
                    Some(_) => turns - WIN,
                    None => 0,
                };
            }
            best = Self::guess(position);
            let end = left == 0 || at >= DEEPEST_LEVEL;
            only_crownings = !end && self.methods.has(Method::Crownings) && position.can_crown();
            if !only_crownings || best >= beta {
                return best;
            }
            alpha = alpha.max(best);
        } else if left == 0 || at >= 2 * DEEPEST_LEVEL {
            return Self::guess(position);
        }
        self.open_level(at + 1);
        let mut hops = std::mem::take(&mut self.levels[at].hops);
        position.hops(&mut hops);
        for &hop in &hops {
            let mut next = *position;
            let step = next.play_unchecked(hop);
            if only_crownings && !step.promoted {
                continue;
            }
            let after = turns + i32::from(step.turn_over);
            let left = left - u32::from(step.turn_over);
            let score = if next.side() == side {
                self.go_on(at + 1, &next, after, left, alpha, beta)
            } else {
                -self.go_on(at + 1, &next, after, left, -beta, -alpha)
            };
            best = best.max(score);
            if score > alpha {
                alpha = score;
                self.lead(at, hop);
                if alpha >= beta {
                    break;
                }
            }
        }
        self.levels[at].hops = hops;
        best
    }
}
