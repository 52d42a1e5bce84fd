//! The nodes of the search: what is looked up, cut off, reduced and extended.

use crate::evaluator::{Proven, Truth};
use crate::search::heuristic::Heuristic;
use crate::search::score::{INFINITE, PROVEN, Value, WIN, from_table, to_table};

use super::busy::Busy;
use super::methods::Method;
use super::ordering::{self, Candidate, NO_ACTION};
use super::table::{Bound, Entry};
use super::worker::Worker;

/// Levels beyond which no node is searched: the stack is finite, and chains take a level a hop.
pub(super) const DEEPEST_LEVEL: usize = 240;
/// No evaluation.
const NO_GUESS: i16 = i16::MIN;
/// Below this depth looking into the table takes longer than what is found there saves.
const KEYED_FROM: i32 = 2;
/// Below this depth late hops are not looked at less deep.
const REDUCED_FROM: i32 = 3;
/// Below this depth there is no shallower search worth asking.
const PROBCUT_FROM: i32 = 5;
/// How far above the window the shallower search must be, in hundredths of a man.
const PROBCUT_MARGIN: i32 = 50;
/// Up to this depth evaluations far outside the window are believed.
const MARGINS_TO: i32 = 3;
/// What a turn may change, in hundredths of a man.
const MARGIN: i32 = 70;
/// Below this depth a hop from the table is not missed.
const INTERNAL_FROM: i32 = 4;

/// A node whose hops are tried.
struct Node<P> {
    at: usize,
    position: P,
    depth: i32,
    turns: i32,
    /// Whether it has only one reply, which costs no depth.
    forced: bool,
    /// Whether no capture is compulsory.
    calm: bool,
    /// Whether its true score is asked for, not only whether it is better than a bound.
    open_window: bool,
    /// Whether the next position may be a draw by the past.
    may_draw: bool,
}

impl<P: Heuristic> Worker<P> {
    /// The value of the node at a level, looking `depth` turns ahead, seen by its side to move: exact between `alpha`
    /// and `beta`, else a bound.
    pub(super) fn search(&mut self, at: usize, mut depth: i32, mut alpha: i32, beta: i32) -> Value {
        let level = &mut self.levels[at];
        level.line.clear();
        let (turns, last) = (level.turns as i32, level.last);
        let position = *self.game.position();
        let side = position.side();
        if let Some(outcome) = self.game.outcome() {
            self.watch.nodes += 1;
            return match outcome.winner {
                Some(winner) => Value::of_position(if winner == side { WIN - turns } else { turns - WIN }),
                None => Value { score: 0, of_path: true },
            };
        }
        if let Some(score) = self.certain(&position, turns) {
            self.watch.nodes += 1;
            return Value::of_position(score);
        }
        if depth <= 0 || at >= DEEPEST_LEVEL {
            return Value::of_position(self.play_out(at, &position, turns, alpha, beta));
        }
        self.watch.nodes += 1;
        // Nobody can win sooner than by this turn.
        if alpha >= WIN - turns - 1 {
            return Value::of_position(WIN - turns - 1);
        }
        let open_window = beta - 1 > alpha;
        let in_chain = (0..P::SPEC.boards).any(|board| position.in_chain(board));
        let keyed = !in_chain && depth >= KEYED_FROM && self.methods.has(Method::Table);
        let key = if keyed { self.game.key() } else { 0 };
        let known = if keyed { self.table.probe(key) } else { None };
        if let Some(entry) = known
            && !open_window
            && let Some(score) = self.answered(entry, depth, turns, alpha, beta)
        {
            return Value::of_position(score);
        }
        let calm = !in_chain && !position.must_capture();
        let mut guess = known.map_or(NO_GUESS, |entry| entry.guess);
        if !open_window && calm && alpha.abs() < PROVEN {
            if guess == NO_GUESS {
                guess = Self::guess(&position) as i16;
            }
            let ahead = i32::from(guess);
            if depth <= MARGINS_TO && self.methods.has(Method::Margins) {
                if ahead - MARGIN * depth >= beta && !position.is_threatened() {
                    return Value::of_position(ahead);
                }
            } else if depth >= PROBCUT_FROM && ahead >= beta && self.methods.has(Method::ProbCut) {
                let bound = beta + PROBCUT_MARGIN;
                let value = self.search(at, depth - 4, bound - 1, bound);
                if self.watch.stopped || value.score >= bound {
                    return value;
                }
            }
        }
        let best_known = known.map_or(NO_ACTION, |entry| entry.action);
        if keyed && best_known == NO_ACTION && depth >= INTERNAL_FROM && self.methods.has(Method::Internal) {
            depth -= 1;
        }
        self.open_level(at + 1);
        let level = &mut self.levels[at];
        let mut candidates = std::mem::take(&mut level.candidates);
        self.ordering.list(&position, at, [best_known, last], &mut level.hops, &mut candidates);
        let forced =
            candidates.len() == 1 && !in_chain && turns < 2 * self.iteration as i32 && self.methods.has(Method::Forced);
        let may_draw = self.game.may_draw();
        let node = Node { at, position, depth, turns, forced, calm, open_window, may_draw };
        let floor = alpha;
        let mut best = Value::of_position(-INFINITE);
        let mut best_action = candidates[0].action;
        // Those that other threads are at come last, in the order in which they were met.
        let (mut n, mut left) = (0, candidates.len());
        while n < candidates.len() {
            if self.watch.over() {
                break;
            }
            let candidate = if n < left { ordering::bring_best(&mut candidates[..left], n) } else { candidates[n] };
            let claim = self.busy.as_ref().and_then(|_| Busy::claim_of(key, candidate.action, depth)).filter(|_| keyed);
            if let (Some(busy), Some(claim)) = (&self.busy, claim) {
                if 0 < n && n + 1 < left && busy.has(claim) {
                    candidates[n..].rotate_left(1);
                    left -= 1;
                    continue;
                }
                busy.begin(claim);
            }
            let value = self.try_hop(&node, candidate, n, alpha, beta);
            if let (Some(busy), Some(claim)) = (&self.busy, claim) {
                busy.end(claim);
            }
            if self.watch.stopped {
                break;
            }
            let of_path = best.of_path | value.of_path;
            if value.score > best.score {
                (best.score, best_action) = (value.score, candidate.action);
            }
            best.of_path = of_path;
            if value.score > alpha {
                alpha = value.score;
                if open_window {
                    self.lead(at, candidate.hop);
                }
            }
            if alpha >= beta {
                // The bound rests on this hop alone.
                best.of_path = value.of_path;
                self.ordering.reward(side, at, last, &candidates[..=n], depth);
                break;
            }
            n += 1;
        }
        self.levels[at].candidates = candidates;
        if keyed && !self.watch.stopped && !best.of_path {
            let bound = match best.score {
                score if score >= beta => Bound::Lower,
                score if score <= floor => Bound::Upper,
                _ => Bound::Exact,
            };
            let score = to_table(best.score, turns);
            self.table.store(key, Entry { score, guess, action: best_action, depth: depth as u8, bound });
        }
        best
    }

    /// What may know the position or those after it.
    fn truth_from(&self, position: &P) -> Option<&dyn Truth<P>> {
        let truth = self.knowledge.truth()?;
        let material = position.material(0);
        let pieces: u32 = material.men.iter().chain(&material.kings).map(|&count| u32::from(count)).sum();
        (P::SPEC.boards == 1 && pieces <= truth.most_pieces() + 2).then_some(truth)
    }

    /// The score of a position that is known for certain.
    fn certain(&self, position: &P, turns: i32) -> Option<i32> {
        let truth = self.truth_from(position).filter(|_| position.at_turn_start())?;
        let Proven { value, turns: left } = truth.certain(&self.game)?;
        // A win too far off reads as a guess.
        let score = WIN - turns - i32::from(left);
        (value == 0 || score >= PROVEN).then_some(score * i32::from(value))
    }

    /// The score of a table entry, if it answers a node of this depth and window. An entry knows nothing of this game's
    /// clock: what it saw must lie before the draw that the clock brings.
    fn answered(&self, entry: Entry, depth: i32, turns: i32, alpha: i32, beta: i32) -> Option<i32> {
        let score = from_table(entry.score, turns);
        let cuts = match entry.bound {
            Bound::Lower => score >= beta,
            Bound::Upper => score <= alpha,
            Bound::Exact => true,
        };
        let seen = if score.abs() >= PROVEN { WIN - i32::from(entry.score).abs() } else { i32::from(entry.depth) };
        let fits = cuts
            && i32::from(entry.depth) >= depth
            && !self.game.repeated()
            && self.game.plies_to_draw().is_none_or(|plies| i32::from(plies) > seen.max(i32::from(entry.depth)));
        fits.then_some(score)
    }

    /// Plays a hop of a node, searches what follows and takes it back: its value, seen by the node's side. All but the
    /// first in the order are first asked only whether they are better than `alpha` (principal variation search).
    fn try_hop(&mut self, node: &Node<P>, candidate: Candidate, place: usize, alpha: i32, beta: i32) -> Value {
        let Node { at, depth, .. } = *node;
        let (hop, side) = (candidate.hop, node.position.side());
        self.open_level(at + 1);
        if depth == 1 && !node.forced && !node.may_draw && self.truth_from(&node.position).is_none() {
            // What is at the horizon needs no past.
            let mut next = node.position;
            let step = next.play_unchecked(hop);
            if step.turn_over || (!step.move_over && P::SPEC.boards == 1) {
                let turns = node.turns + i32::from(step.turn_over);
                let score = if next.side() == side {
                    self.play_out(at + 1, &next, turns, alpha, beta)
                } else {
                    -self.play_out(at + 1, &next, turns, -beta, -alpha)
                };
                return Value::of_position(score);
            }
        }
        let (step, back) = self.game.play_ahead(hop);
        let same_side = self.game.side() == side;
        let last = if same_side { self.levels[at].last } else { candidate.action };
        let level = &mut self.levels[at + 1];
        (level.turns, level.last) = ((node.turns + i32::from(step.turn_over)) as u32, last);
        let below = depth - i32::from(step.turn_over && !node.forced);
        let mut value = None;
        if place > 0 {
            let mut reduction = 0;
            if node.calm
                && !node.open_window
                && depth >= REDUCED_FROM
                && !step.promoted
                && self.methods.has(Method::Reductions)
            {
                reduction = reduction_of(depth, place);
            }
            if reduction > 0 {
                value = Some(self.search_child(at, (below - reduction).max(1), same_side, alpha, alpha + 1));
            }
            if value.is_none_or(|value| value.score > alpha) {
                value = Some(self.search_child(at, below, same_side, alpha, alpha + 1));
            }
        }
        let value = match value {
            Some(value) if value.score <= alpha || value.score >= beta => value,
            _ => self.search_child(at, below, same_side, alpha, beta),
        };
        self.game.take_back(back);
        value
    }

    /// Searches the next level, seen by this level's side to move.
    pub(super) fn search_child(&mut self, at: usize, depth: i32, same_side: bool, alpha: i32, beta: i32) -> Value {
        if same_side { self.search(at + 1, depth, alpha, beta) } else { -self.search(at + 1, depth, -beta, -alpha) }
    }
}

/// By how many turns a hop is looked at less deep, by its place in the order.
const fn reduction_of(depth: i32, place: usize) -> i32 {
    match place {
        0..=2 => 0,
        3..=5 => 1,
        _ => 1 + (depth >= 5) as i32,
    }
}
