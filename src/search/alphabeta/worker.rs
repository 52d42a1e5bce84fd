//! One thread's search: the root, deepened turn by turn.

use std::sync::Arc;

use crate::board::{Hop, Hops};
use crate::evaluator::Knowledge;
use crate::games::game::Game;
use crate::games::turn::Turn;
use crate::search::heuristic::Heuristic;
use crate::search::score::{INFINITE, PROVEN, proven_within};

use super::busy::Busy;
use super::methods::{Method, Methods};
use super::ordering::{Candidate, NO_ACTION, Ordering};
use super::table::Table;
use super::watch::Watch;

/// Half the width of the window around the score of the iteration before, in hundredths of a man.
const ASPIRATION: i32 = 12;
/// The iteration from which on the window is narrow.
const ASPIRATION_FROM: u32 = 4;

/// Further than any depth: nothing more is to be found.
pub(super) const PROOF: u32 = u32::MAX;

/// What one thread needs for its search.
pub(super) struct Worker<P> {
    pub(super) methods: Methods,
    pub(super) table: Arc<Table>,
    /// What the other threads are at, where there are any.
    pub busy: Option<Arc<Busy>>,
    /// Knows positions of few pieces for certain.
    pub knowledge: Knowledge<P>,
    pub(super) ordering: Ordering,
    pub watch: Watch,
    /// The game at the node being searched.
    pub(super) game: Game<P>,
    /// The line from the root to that node, one level a hop (the root turn is one step).
    pub(super) levels: Vec<Level>,
    /// The turns that the iteration under way looks ahead.
    pub(super) iteration: u32,
}

/// One node on the line being searched.
#[derive(Debug)]
pub(super) struct Level {
    /// Whole turns since the root.
    pub turns: u32,
    /// The number of the other side's last hop.
    pub last: u16,
    pub candidates: Vec<Candidate>,
    pub hops: Hops,
    /// The best play found from here on.
    pub line: Vec<Hop>,
}

/// A turn at the root and what was found of it.
#[derive(Clone, Debug)]
pub(super) struct RootTurn {
    pub turn: Turn,
    pub score: i32,
    pub depth: u32,
    pub line: Vec<Hop>,
}

impl RootTurn {
    /// A turn of which nothing is known yet.
    pub const fn new(turn: Turn) -> Self {
        Self { turn, score: 0, depth: 0, line: Vec::new() }
    }
}

impl<P: Heuristic> Worker<P> {
    /// A worker that will stand at the root of this game.
    pub fn new(game: Game<P>, methods: Methods, table: Arc<Table>, watch: Watch) -> Self {
        let levels = vec![Level::new()];
        Self {
            methods,
            table,
            busy: None,
            knowledge: Knowledge::default(),
            ordering: Ordering::default(),
            watch,
            game,
            levels,
            iteration: 0,
        }
    }

    /// Forgets what it has learnt of hops.
    pub fn forget(&mut self) {
        self.ordering.forget(P::SPEC.actions);
    }

    /// Deepens until a limit or a proof; the best turn comes first, with its true score; the others' are bounds. Answers the
    /// depth of the last iteration that came to its end, after a proof [`PROOF`].
    pub fn iterate(&mut self, roots: &mut [RootTurn], first: u32) -> u32 {
        let (mut steady, mut last) = (0, None);
        let mut reached = 0;
        let is_known = self.knowledge.certain(&self.game).is_some();
        for depth in first..=self.watch.deepest {
            self.iteration = depth;
            let Some(score) = self.aspire(roots, depth) else { break };
            // What is known of the root is known of what follows its turns.
            if proven_within(score, depth) || (is_known && score.abs() >= PROVEN) {
                return PROOF;
            }
            reached = depth;
            self.watch.armed = true;
            steady = if last.as_ref() == Some(&roots[0].turn) { steady + 1 } else { 0 };
            last = Some(roots[0].turn.clone());
            // What has been best for long will stay so.
            if self.watch.is_enough(if steady > 3 { 0.5 } else { 0.8 }) {
                break;
            }
        }
        reached
    }

    /// One iteration, in windows around the score of the one before that widen until the score lies within.
    fn aspire(&mut self, roots: &mut [RootTurn], depth: u32) -> Option<i32> {
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        let guess = roots[0].score;
        if depth >= ASPIRATION_FROM && guess.abs() < PROVEN && self.methods.has(Method::Aspiration) {
            (alpha, beta) = (guess - ASPIRATION, guess + ASPIRATION);
        }
        let mut widening = 4 * ASPIRATION;
        loop {
            let score = self.iterate_within(roots, depth, alpha, beta)?;
            if score <= alpha {
                alpha = if widening > 1000 { -INFINITE } else { score - widening };
            } else if score >= beta {
                beta = if widening > 1000 { INFINITE } else { score + widening };
            } else {
                return Some(score);
            }
            widening *= 4;
        }
    }

    fn iterate_within(&mut self, roots: &mut [RootTurn], depth: u32, mut alpha: i32, beta: i32) -> Option<i32> {
        let mut best = -INFINITE;
        for i in 0..roots.len() {
            let score = self.try_root(&roots[i].turn, depth, alpha, beta, i == 0)?;
            best = best.max(score);
            if score > alpha {
                alpha = score;
                roots[i] = self.root_turn(roots[i].turn.clone(), score, depth);
                roots[..=i].rotate_right(1);
                if score >= beta {
                    break;
                }
            }
        }
        Some(best)
    }

    /// Finds the true scores of all turns but the first, deepening as far as the first was searched, and sorts them.
    pub fn score_others(&mut self, roots: &mut [RootTurn]) {
        let Some((best, others)) = roots.split_first_mut() else { return };
        'deepening: for depth in 1..=best.depth {
            self.iteration = depth;
            for root in &mut *others {
                let found = self.try_root(&root.turn, depth, -INFINITE, INFINITE, true);
                let Some(score) = found else { break 'deepening };
                *root = self.root_turn(root.turn.clone(), score.min(best.score), depth);
            }
            self.watch.armed = true;
        }
        others.sort_by_key(|root| -root.score);
    }

    /// The score of a root turn within a window, seen by the side to move at the root: exact inside, else a bound;
    /// `None` if the search had to stop. A turn after the first is first asked only whether it is better at all.
    fn try_root(&mut self, turn: &Turn, depth: u32, alpha: i32, beta: i32, first: bool) -> Option<i32> {
        if self.watch.over() {
            return None;
        }
        let side = self.game.side();
        let mut backs = Vec::new();
        let mut last = NO_ACTION;
        for hop in turn.hops() {
            last = self.game.position().index(hop) as u16;
            backs.push(self.game.play_ahead(hop).1);
        }
        let same_side = self.game.side() == side;
        self.open_level(1);
        self.levels[1].turns = 1;
        self.levels[1].last = if same_side { NO_ACTION } else { last };
        let depth = depth as i32 - 1;
        let mut value = None;
        if !first {
            value = Some(self.search_child(0, depth, same_side, alpha, alpha + 1));
        }
        if value.is_none_or(|value| value.score > alpha && value.score < beta) {
            value = Some(self.search_child(0, depth, same_side, alpha, beta));
        }
        while let Some(back) = backs.pop() {
            self.game.take_back(back);
        }
        value.map(|value| value.score).filter(|_| !self.watch.stopped)
    }

    fn root_turn(&self, turn: Turn, score: i32, depth: u32) -> RootTurn {
        RootTurn { turn, score, depth, line: self.levels[1].line.clone() }
    }

    /// Makes the hop and the next level's best play the best play of this level.
    pub(super) fn lead(&mut self, at: usize, hop: Hop) {
        let (upper, lower) = self.levels.split_at_mut(at + 1);
        let (parent, child) = (&mut upper[at], &lower[0]);
        parent.line.clear();
        parent.line.push(hop);
        parent.line.extend_from_slice(&child.line);
    }

    pub(super) fn open_level(&mut self, at: usize) {
        if self.levels.len() <= at {
            self.levels.resize_with(at + 1, Level::new);
        }
    }
}

impl Level {
    const fn new() -> Self {
        Self { turns: 0, last: NO_ACTION, candidates: Vec::new(), hops: Hops::new(), line: Vec::new() }
    }
}
