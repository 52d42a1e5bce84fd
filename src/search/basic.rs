//! The first version of the classic engine, kept as it was: a fixed yardstick for everything that learns or is tuned.

mod ordering;
mod table;
mod watch;

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::board::{Hop, Hops};
use crate::error::{Error, Result};
use crate::games::game::Game;
use crate::games::position::Position;
use crate::games::turn::{self, Turn};
use crate::player::{Analysis, Line, Player};

use super::heuristic::Heuristic;
use super::limits::Limits;
use super::score::{HIGHEST_GUESS, INFINITE, Value, WIN, from_table, proven_within, to_table, value_of};
use ordering::{Candidate, Ordering};
use table::{Bound, Entry, Table};
use watch::Watch;

/// The size of the transposition table where nothing else is said, in megabytes.
pub const BASIC_HASH_MB: usize = 16;

/// Turns of captures that are played out before evaluating, at most. Where captured pieces leave the board there are
/// never as many; towers can be captured back and forth for long.
const MOST_CAPTURES: u32 = 24;

/// A player that looks ahead by alpha-beta search and judges by its variant's [`Heuristic::evaluate`].
///
/// Nothing here may change what it answers: learning curves and matches of all versions are measured against it. What
/// plays better belongs into [`AlphaBeta`](super::alphabeta::AlphaBeta).
///
/// It finds every win that can be forced within its depth, counted in turns, whatever the order of play; draws by
/// repetition and by counting are seen as the game counts them. Each answer depends on the game, the limits and the seed
/// alone, so that the engine is a fixed yardstick (unless time limits it).
///
/// ```
/// use shashki::games::{Game, Position, Preset, Russian};
/// use shashki::player::Player;
/// use shashki::search::basic::Basic;
/// use shashki::search::limits::Limits;
///
/// let mut engine = Basic::new(Limits { depth: Some(3), ..Limits::default() }, 1);
/// let game = Game::from_position(Russian::read_fen("W:Wc3,g3:Bd6,h6")?, Preset::Official)?;
/// let analysis = engine.analyse(&game)?;
/// assert_eq!(analysis.lines[0].turn, engine.choose(&game)?);
/// # Ok::<(), shashki::Error>(())
/// ```
#[derive(Debug)]
pub struct Basic<P> {
    limits: Limits,
    hash_mb: usize,
    seed: Option<u64>,
    time_cap: Option<Duration>,
    table: Table,
    ordering: Ordering,
    /// The line from the root to the node being searched, one level a hop (the root turn is one step).
    levels: Vec<Level<P>>,
    watch: Watch,
    variant: PhantomData<P>,
}

/// One node on the line being searched.
#[derive(Debug)]
struct Level<P> {
    game: Game<P>,
    /// Whole turns since the root.
    turns: u32,
    candidates: Vec<Candidate>,
    hops: Hops,
    /// The best play found from here on.
    line: Vec<Hop>,
}

/// A turn at the root and what was found of it.
#[derive(Clone, Debug)]
struct RootTurn {
    turn: Turn,
    score: i32,
    depth: u32,
    line: Vec<Hop>,
}

impl<P: Heuristic> Basic<P> {
    /// An engine with these limits and a transposition table of at most `hash_mb` megabytes.
    #[must_use]
    pub fn new(limits: Limits, hash_mb: usize) -> Self {
        Self {
            limits,
            hash_mb,
            seed: None,
            time_cap: None,
            table: Table::new(hash_mb << 20, limits.useful_entries()),
            ordering: Ordering::default(),
            levels: Vec::new(),
            watch: Watch::default(),
            variant: PhantomData,
        }
    }

    /// The positions that the last choice or analysis looked at.
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        self.watch.nodes
    }

    /// The legal turns in the order in which equal ones are preferred: by text, or as the seed shuffles them.
    fn root_turns(&self, game: &Game<P>) -> Vec<RootTurn> {
        let mut turns = turn::list(game.position());
        if let Some(seed) = self.seed {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed ^ game.position().key());
            turns.shuffle(&mut rng);
        }
        turns.into_iter().map(|turn| RootTurn { turn, score: 0, depth: 0, line: Vec::new() }).collect()
    }

    /// Deepens until a limit or a proof; the best turn comes first, with its true score; the others' are bounds.
    fn deepen(&mut self, game: &Game<P>, roots: &mut [RootTurn]) {
        self.start(game);
        self.iterate(roots);
    }

    fn iterate(&mut self, roots: &mut [RootTurn]) {
        for depth in 1..=self.watch.deepest {
            let mut alpha = -INFINITE;
            for i in 0..roots.len() {
                let Some(score) = self.try_root(&roots[i].turn, depth, alpha, INFINITE) else { return };
                if score > alpha {
                    alpha = score;
                    roots[i] = self.root_turn(roots[i].turn.clone(), score, depth);
                    roots[..=i].rotate_right(1);
                }
            }
            if proven_within(alpha, depth) {
                return;
            }
            self.watch.armed = true;
        }
    }

    /// Finds the true scores of all turns but the first, deepening as far as the first was searched, and sorts them.
    fn score_others(&mut self, game: &Game<P>, roots: &mut [RootTurn]) {
        let Some((best, others)) = roots.split_first_mut() else { return };
        let nodes = self.watch.nodes;
        self.watch.start(self.limits, None);
        'deepening: for depth in 1..=best.depth {
            for root in &mut *others {
                let Some(score) = self.try_root(&root.turn, depth, -INFINITE, INFINITE) else { break 'deepening };
                *root = self.root_turn(root.turn.clone(), score.min(best.score), depth);
            }
            self.watch.armed = true;
        }
        others.sort_by_key(|root| -root.score);
        self.watch.nodes += nodes;
        debug_assert!(self.levels[0].game == *game, "the root stays as it was");
    }

    /// Forgets earlier searches and sets the root.
    fn start(&mut self, game: &Game<P>) {
        self.watch.start(self.limits, self.time_cap.take());
        self.table.forget();
        self.ordering.forget(P::SPEC.actions);
        self.set_root(game);
    }

    fn set_root(&mut self, game: &Game<P>) {
        match self.levels.first_mut() {
            Some(root) => root.game.clone_from(game),
            None => self.levels.push(Level::new(game.clone())),
        }
    }

    /// The score of a root turn within a window, seen by the side to move at the root: exact inside, else a bound;
    /// `None` if the search had to stop. A turn after the first is first asked only whether it is better at all.
    fn try_root(&mut self, turn: &Turn, depth: u32, alpha: i32, beta: i32) -> Option<i32> {
        if self.watch.over() {
            return None;
        }
        self.open_level(1);
        let (root, child) = self.level_pair(0);
        child.game.clone_from(&root.game);
        for hop in turn.hops() {
            child.game.play_unchecked(hop);
        }
        child.turns = 1;
        let same_side = child.game.side() == root.game.side();
        let value = self.search_child(0, depth - 1, same_side, alpha, beta, alpha == -INFINITE);
        (!self.watch.stopped).then_some(value.score)
    }

    fn root_turn(&self, turn: Turn, score: i32, depth: u32) -> RootTurn {
        RootTurn { turn, score, depth, line: self.levels[1].line.clone() }
    }

    /// The value of the node at a level, looking `depth` turns ahead, seen by its side to move: exact between `alpha`
    /// and `beta`, else a bound.
    fn search(&mut self, at: usize, depth: u32, mut alpha: i32, beta: i32) -> Value {
        let level = &mut self.levels[at];
        level.line.clear();
        let (position, turns) = (*level.game.position(), level.turns as i32);
        let side = position.side();
        if let Some(outcome) = level.game.outcome() {
            self.watch.nodes += 1;
            return match outcome.winner {
                Some(winner) => Value::of_position(if winner == side { WIN - turns } else { turns - WIN }),
                None => Value { score: 0, of_path: true },
            };
        }
        if depth == 0 {
            return Value::of_position(self.play_out(at, &position, turns, MOST_CAPTURES, alpha, beta));
        }
        self.watch.nodes += 1;
        // Nobody can win sooner than by this turn.
        if alpha >= WIN - turns - 1 {
            return Value::of_position(WIN - turns - 1);
        }
        let open_window = beta - 1 > alpha;
        let key = level.game.key();
        let known = self.table.probe(key).copied();
        // An entry knows nothing of this game's clock: what it saw must lie before the draw that the clock brings.
        if let Some(entry) = known
            && !open_window
            && u32::from(entry.depth) >= depth
            && !level.game.repeated()
            && level.game.plies_to_draw().is_none_or(|plies| plies > u16::from(entry.depth))
        {
            let score = from_table(entry.score, turns);
            let cuts = match entry.bound {
                Bound::Lower => score >= beta,
                Bound::Upper => score <= alpha,
                Bound::Exact => true,
            };
            if cuts {
                return Value::of_position(score);
            }
        }
        self.open_level(at + 1);
        let level = &mut self.levels[at];
        let mut candidates = std::mem::take(&mut level.candidates);
        self.ordering.list(&position, at, known.as_ref(), &mut level.hops, &mut candidates);
        let floor = alpha;
        let mut best = Value::of_position(-INFINITE);
        let mut best_action = candidates[0].action;
        for n in 0..candidates.len() {
            if self.watch.over() {
                break;
            }
            let Candidate { hop, action, .. } = ordering::bring_best(&mut candidates, n);
            let (turn_over, same_side) = self.enter(at, hop);
            let value = self.search_child(at, depth - u32::from(turn_over), same_side, alpha, beta, n == 0);
            if self.watch.stopped {
                break;
            }
            let of_path = best.of_path | value.of_path;
            if value.score > best.score {
                (best.score, best_action) = (value.score, action);
            }
            best.of_path = of_path;
            if value.score > alpha {
                alpha = value.score;
                if open_window {
                    self.lead(at, hop);
                }
            }
            if alpha >= beta {
                // The bound rests on this hop alone.
                best.of_path = value.of_path;
                self.ordering.reward(side, at, action, depth);
                break;
            }
        }
        self.levels[at].candidates = candidates;
        if !self.watch.stopped && !best.of_path {
            let bound = match best.score {
                score if score >= beta => Bound::Lower,
                score if score <= floor => Bound::Upper,
                _ => Bound::Exact,
            };
            let score = to_table(best.score, turns);
            self.table.store(Entry::new(key, depth as u8, score, bound, best_action));
        }
        best
    }

    /// Searches the next level, seen by this level's side to move. All but the first of a node's children are asked
    /// first only whether they are better than `alpha` (principal variation search).
    fn search_child(&mut self, at: usize, depth: u32, same_side: bool, alpha: i32, beta: i32, first: bool) -> Value {
        let mut seen = |alpha: i32, beta: i32| {
            if same_side { self.search(at + 1, depth, alpha, beta) } else { -self.search(at + 1, depth, -beta, -alpha) }
        };
        if first {
            return seen(alpha, beta);
        }
        let value = seen(alpha, alpha + 1);
        if value.score > alpha && value.score < beta { seen(alpha, beta) } else { value }
    }

    /// Plays captures to their end (they are compulsory, so nothing is left out) and judges the quiet position.
    fn play_out(&mut self, at: usize, position: &P, turns: i32, most: u32, mut alpha: i32, beta: i32) -> i32 {
        self.watch.nodes += 1;
        self.levels[at].line.clear();
        let side = position.side();
        let guess = || position.evaluate().clamp(-HIGHEST_GUESS, HIGHEST_GUESS);
        if !position.must_capture() {
            if !position.can_move() {
                return match position.stuck() {
                    Some(winner) if winner == side => WIN - turns,
                    Some(_) => turns - WIN,
                    None => 0,
                };
            }
            return guess();
        }
        if most == 0 {
            return guess();
        }
        self.open_level(at + 1);
        let mut hops = std::mem::take(&mut self.levels[at].hops);
        position.hops(&mut hops);
        let mut best = -INFINITE;
        for &hop in &hops {
            let mut next = *position;
            let turn_over = next.play_unchecked(hop).turn_over;
            let (turns, most) = (turns + i32::from(turn_over), most - u32::from(turn_over));
            let score = if next.side() == side {
                self.play_out(at + 1, &next, turns, most, alpha, beta)
            } else {
                -self.play_out(at + 1, &next, turns, most, -beta, -alpha)
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

    /// Plays a hop from a level on to the next. Answers whether the turn is over and whether the same side goes on.
    fn enter(&mut self, at: usize, hop: Hop) -> (bool, bool) {
        let (parent, child) = self.level_pair(at);
        child.game.clone_from(&parent.game);
        let step = child.game.play_unchecked(hop);
        child.turns = parent.turns + u32::from(step.turn_over);
        (step.turn_over, child.game.side() == parent.game.side())
    }

    /// Makes the hop and the next level's best play the best play of this level.
    fn lead(&mut self, at: usize, hop: Hop) {
        let (parent, child) = self.level_pair(at);
        parent.line.clear();
        parent.line.push(hop);
        parent.line.extend_from_slice(&child.line);
    }

    fn level_pair(&mut self, at: usize) -> (&mut Level<P>, &mut Level<P>) {
        let (upper, lower) = self.levels.split_at_mut(at + 1);
        (&mut upper[at], &mut lower[0])
    }

    fn open_level(&mut self, at: usize) {
        if self.levels.len() == at {
            let game = self.levels[0].game.clone();
            self.levels.push(Level::new(game));
        }
    }
}

impl<P: Position> Level<P> {
    fn new(game: Game<P>) -> Self {
        Self { game, turns: 0, candidates: Vec::new(), hops: Hops::new(), line: Vec::new() }
    }
}

impl<P: Heuristic> Player<P> for Basic<P> {
    fn name(&self) -> String {
        let hash = (self.hash_mb != BASIC_HASH_MB).then(|| format!("hash={}", self.hash_mb));
        let options: Vec<_> = self.limits.options().chain(hash).collect();
        format!("alphabeta:eval=basic{}", options.iter().map(|option| format!(",{option}")).collect::<String>())
    }

    fn choose(&mut self, game: &Game<P>) -> Result<Turn> {
        let mut roots = self.open_roots(game)?;
        if roots.len() > 1 {
            self.deepen(game, &mut roots);
        } else {
            self.time_cap = None;
            self.watch.nodes = 0;
        }
        Ok(roots.swap_remove(0).turn)
    }

    fn analyse(&mut self, game: &Game<P>) -> Result<Analysis> {
        let mut roots = self.open_roots(game)?;
        self.deepen(game, &mut roots);
        self.score_others(game, &mut roots);
        let lines: Vec<_> = roots.into_iter().map(|root| root.told(game)).collect();
        Ok(Analysis { value: lines[0].value, lines })
    }

    fn new_game(&mut self) {
        self.table.forget();
    }

    fn seed(&mut self, seed: u64) {
        self.seed = Some(seed);
    }

    fn limit_time(&mut self, seconds: f64) {
        self.time_cap = Some(Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX));
    }

    fn heed(&mut self, stop: &Arc<AtomicBool>) {
        self.watch.stopper = Arc::clone(stop);
    }
}

impl<P: Heuristic> Basic<P> {
    fn open_roots(&self, game: &Game<P>) -> Result<Vec<RootTurn>> {
        match game.outcome() {
            Some(outcome) => Err(Error::GameOver(outcome.to_string())),
            None => Ok(self.root_turns(game)),
        }
    }
}

impl RootTurn {
    /// The turn, its value and the expected play, as players tell it.
    fn told<P: Position>(self, game: &Game<P>) -> Line {
        let line = game.turns_of(self.turn.hops().chain(self.line));
        Line { turn: self.turn, value: value_of(self.score), visits: None, depth: Some(self.depth), line }
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::board::{Board, Piece, Side, Square};
    use crate::games::draughts::Draughts;
    use crate::games::{Preset, Russian};

    const DEPTH: u32 = 5;

    /// Three kings against one, whose game is drawn within a few turns (FMJD-64 7.2.4 or 7.2.7): turns that offered
    /// nothing to capture, some of them back to an earlier position, have worn it out.
    fn worn_out(rng: &mut Xoshiro256PlusPlus) -> Option<Game<Russian>> {
        let mut board = Board::<8, 8>::empty(Side::White);
        for side in [Side::White, Side::White, Side::White, Side::Black] {
            let rank = rng.random_range(0..8);
            let square = Square::new(2 * rng.random_range(0..4) + rank % 2, rank);
            if board.at(square).is_none() {
                board.put(square, Piece { side, king: true });
            }
        }
        let mut game = Game::from_position(Draughts::from_board(board), Preset::Official).unwrap();
        let (mut hops, left) = (Hops::new(), rng.random_range(1..6));
        while game.outcome().is_none() && game.plies_to_draw().is_some_and(|plies| plies > left) {
            let after = |hop| {
                let mut after = *game.position();
                after.play_unchecked(hop);
                after
            };
            game.hops(&mut hops);
            hops.retain(|&hop| !after(hop).must_capture());
            let hop = *hops.get(rng.random_range(0..hops.len().max(1)))?;
            let back = hops.iter().copied().find(|&hop| game.keys(0).contains(&after(hop).key()));
            game.play_unchecked(back.filter(|_| rng.random_bool(0.2)).unwrap_or(hop));
        }
        game.outcome().is_none().then_some(game)
    }

    /// The score of the root if it is proven within the depth.
    fn proof(engine: &mut Basic<Russian>, game: &Game<Russian>) -> Option<i32> {
        engine.watch.start(engine.limits, None);
        engine.set_root(game);
        let mut roots = engine.root_turns(game);
        engine.iterate(&mut roots);
        proven_within(roots[0].score, DEPTH).then_some(roots[0].score)
    }

    /// The proofs of two games by one engine, the second knowing the table of the first, and the second's by another.
    fn proofs(first: &Game<Russian>, second: &Game<Russian>) -> [Option<i32>; 3] {
        let engine = || {
            let mut engine = Basic::new(Limits { depth: Some(DEPTH), ..Limits::default() }, 1);
            engine.start(first);
            engine
        };
        let mut knowing = engine();
        [proof(&mut knowing, first), proof(&mut knowing, second), proof(&mut engine(), second)]
    }

    #[test]
    fn draws_by_counting_and_repetition_neither_enter_the_table_nor_are_hidden_by_it() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let (mut spoilt, mut games) = (0, 0);
        while games < 1500 {
            let Some(worn) = worn_out(&mut rng) else { continue };
            games += 1;
            let fresh = Game::from_position(*worn.position(), Preset::Official).unwrap();
            let [of_fresh, of_worn, expected] = proofs(&fresh, &worn);
            assert_eq!(of_worn, expected, "{} with {:?}", worn.position().write_fen(), worn.plies_to_draw());
            spoilt += u32::from(of_fresh != of_worn);
            let [_, of_fresh, expected] = proofs(&worn, &fresh);
            assert_eq!(of_fresh, expected, "{}", worn.position().write_fen());
        }
        assert!(spoilt > 0, "no win was spoilt by a draw");
    }
}
