//! The classic engine: principal variation search with a shared table, on one thread or several.

mod busy;
mod methods;
mod ordering;
mod quiet;
mod table;
mod tree;
mod watch;
mod worker;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::error::{Error, Result};
use crate::evaluator::Knowledge;
use crate::games::game::Game;
use crate::games::position::Position;
use crate::games::turn::{self, Turn};
use crate::player::{Analysis, Clock, Line, Player};

use super::heuristic::Heuristic;
pub use super::limits::{DEFAULT_DEPTH, Limits};
pub use super::score::value_of;
use busy::Busy;
pub use methods::{Method, Methods};
use table::Table;
use watch::{Times, Watch};
use worker::{RootTurn, Worker};

/// The size of the transposition table where nothing else is said, in megabytes.
pub const DEFAULT_HASH_MB: usize = 32;

/// What an engine is made with.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Options {
    /// How far it looks.
    pub limits: Limits,
    /// The transposition table in megabytes, at most; where few nodes are asked for it is smaller.
    pub hash_mb: usize,
    /// Threads that search together, at least 1.
    pub threads: usize,
    /// What it does beyond plain alpha-beta.
    pub methods: Methods,
}

impl Default for Options {
    fn default() -> Self {
        Self { limits: Limits::default(), hash_mb: DEFAULT_HASH_MB, threads: 1, methods: Methods::ALL }
    }
}

/// A player that looks ahead by alpha-beta search and judges by its variant's [`Heuristic::tuned`].
///
/// On one thread and without a limit of time each answer depends on the game, the limits and the seed alone. Limited by
/// time it keeps what it has learnt from turn to turn. Several threads search the same tree and tell each other what they
/// find through the table; which of two equal turns they choose may differ from time to time.
///
/// ```
/// use shashki::games::{Game, Position, Preset, Russian};
/// use shashki::player::Player;
/// use shashki::search::alphabeta::{AlphaBeta, Limits, Options};
///
/// let limits = Limits { depth: Some(3), ..Limits::default() };
/// let mut engine = AlphaBeta::new(Options { limits, ..Options::default() });
/// let game = Game::from_position(Russian::read_fen("W:Wc3,g3:Bd6,h6")?, Preset::Official)?;
/// let analysis = engine.analyse(&game)?;
/// assert_eq!(analysis.lines[0].turn, engine.choose(&game)?);
/// # Ok::<(), shashki::Error>(())
/// ```
pub struct AlphaBeta<P> {
    options: Options,
    seed: Option<u64>,
    time_cap: Option<Duration>,
    clock: Option<Clock>,
    table: Arc<Table>,
    knowledge: Knowledge<P>,
    workers: Vec<Worker<P>>,
    /// Whether what the last game taught is to be forgotten.
    fresh: bool,
    stopper: Arc<AtomicBool>,
    /// Tells the other threads that the first one has done.
    done: Arc<AtomicBool>,
    nodes: u64,
}

impl<P: Heuristic> AlphaBeta<P> {
    /// An engine.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            options,
            seed: None,
            time_cap: None,
            clock: None,
            table: Arc::default(),
            knowledge: Knowledge::default(),
            workers: Vec::new(),
            fresh: true,
            stopper: Arc::default(),
            done: Arc::default(),
            nodes: 0,
        }
    }

    /// An engine that takes what is known of positions for certain, as far as the game's clock lets it be so.
    /// Whether anything went wrong in asking, [`Knowledge::check`] tells.
    #[must_use]
    pub fn with_knowledge(mut self, knowledge: Knowledge<P>) -> Self {
        self.knowledge = knowledge;
        self
    }

    /// The positions that the last choice or analysis looked at, all threads together.
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The legal turns in the order in which equal ones are preferred: by text, or as the seed shuffles them.
    fn root_turns(&self, game: &Game<P>) -> Result<Vec<RootTurn>> {
        if let Some(outcome) = game.outcome() {
            return Err(Error::GameOver(outcome.to_string()));
        }
        let mut turns = turn::list(game.position());
        if let Some(seed) = self.seed {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed ^ game.position().key());
            turns.shuffle(&mut rng);
        }
        Ok(turns.into_iter().map(RootTurn::new).collect())
    }

    /// Deepens until a limit or a proof; the best turn comes first, with its true score; the others' are bounds.
    fn deepen(&mut self, game: &Game<P>, roots: &mut [RootTurn], limits: Limits, times: Times) -> Result<()> {
        self.start(game, limits, times)?;
        let (first, helpers) = self.workers.split_first_mut().expect("there is at least one thread");
        if helpers.is_empty() {
            first.iterate(roots, 1);
        } else {
            let done = &*self.done;
            std::thread::scope(|scope| {
                let mut searches = Vec::with_capacity(helpers.len());
                for (i, helper) in helpers.iter_mut().enumerate() {
                    let mut roots = roots.to_vec();
                    searches.push(scope.spawn(move || {
                        // Half of them look a turn further ahead.
                        let reached = helper.iterate(&mut roots, 1 + i as u32 % 2);
                        done.store(true, Relaxed);
                        (reached, roots)
                    }));
                }
                let mut reached = first.iterate(roots, 1);
                done.store(true, Relaxed);
                // Whoever comes first to the end ends it for all, in the middle of an iteration of theirs.
                for search in searches {
                    let (further, found) = search.join().expect("a search does not panic");
                    if further > reached {
                        reached = further;
                        roots.clone_from_slice(&found);
                    }
                }
            });
        }
        self.done.store(false, Relaxed);
        self.nodes = self.workers.iter().map(|worker| worker.watch.nodes).sum();
        Ok(())
    }

    /// The time for the next answer; caps and clocks hold for one.
    fn times(&mut self) -> Times {
        Times::of(self.options.limits, self.time_cap.take(), self.clock.take())
    }

    /// Sets the root and the limits.
    fn start(&mut self, game: &Game<P>, limits: Limits, times: Times) -> Result<()> {
        let Options { hash_mb, threads, methods, .. } = self.options;
        let keeps = times.hard.is_some();
        let table = Table::new(hash_mb << 20, useful_entries(self.options.limits, keeps));
        if table.capacity() != self.table.capacity() {
            self.table = Arc::new(table);
            self.workers.clear();
            self.fresh = true;
        }
        self.table.begin(keeps)?;
        let threads = threads.max(1);
        while self.workers.len() < threads {
            let watch = Watch::new(Arc::clone(&self.done));
            self.workers.push(Worker::new(game.clone(), methods, Arc::clone(&self.table), watch));
        }
        let forgets = std::mem::take(&mut self.fresh) || !keeps;
        let most_nodes = limits.nodes.map(|nodes| nodes.div_ceil(threads as u64));
        let busy = (threads > 1).then(|| Arc::new(Busy::new()));
        for worker in &mut self.workers {
            worker.game.clone_from(game);
            worker.watch.heed(&self.stopper);
            worker.watch.start(limits, most_nodes, times);
            worker.knowledge.clone_from(&self.knowledge);
            worker.busy.clone_from(&busy);
            if forgets {
                worker.forget();
            }
        }
        Ok(())
    }

    /// Finds the true scores of all turns but the first and sorts them.
    fn score_others(&mut self, roots: &mut [RootTurn], limits: Limits, times: Times) {
        let worker = &mut self.workers[0];
        worker.watch.start(limits, limits.nodes, times);
        worker.score_others(roots);
        self.nodes += worker.watch.nodes;
    }
}

impl<P: Heuristic> Player<P> for AlphaBeta<P> {
    fn name(&self) -> String {
        let Options { limits, hash_mb, threads, methods } = self.options;
        let left_out: Vec<_> = methods.left_out().collect();
        let others = [
            (hash_mb != DEFAULT_HASH_MB).then(|| format!("hash={hash_mb}")),
            (threads > 1).then(|| format!("threads={threads}")),
            (!left_out.is_empty()).then(|| format!("without={}", left_out.join("+"))),
        ];
        let options: Vec<_> = limits.options().chain(others.into_iter().flatten()).collect();
        if options.is_empty() { "alphabeta".to_owned() } else { format!("alphabeta:{}", options.join(",")) }
    }

    fn choose(&mut self, game: &Game<P>) -> Result<Turn> {
        let mut roots = self.root_turns(game)?;
        let times = self.times();
        if roots.len() > 1 {
            self.deepen(game, &mut roots, self.options.limits, times)?;
        } else {
            self.nodes = 0;
        }
        Ok(roots.swap_remove(0).turn)
    }

    fn analyse(&mut self, game: &Game<P>) -> Result<Analysis> {
        let mut roots = self.root_turns(game)?;
        // Half of the time and the nodes for the best turn, half for what the others are worth.
        let (limits, times) = (self.options.limits.half(), self.times().half());
        self.deepen(game, &mut roots, limits, times)?;
        self.score_others(&mut roots, limits, times);
        let lines: Vec<_> = roots.into_iter().map(|root| root.told(game)).collect();
        Ok(Analysis { value: lines[0].value, lines })
    }

    fn new_game(&mut self) {
        self.table.end();
        self.fresh = true;
    }

    fn seed(&mut self, seed: u64) {
        self.seed = Some(seed);
    }

    fn limit_time(&mut self, seconds: f64) {
        self.time_cap = Some(Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX));
    }

    fn show_clock(&mut self, clock: Clock) {
        self.clock = Some(clock);
    }

    fn heed(&mut self, stop: &Arc<AtomicBool>) {
        self.stopper = Arc::clone(stop);
    }
}

/// The table entries that a search within these limits can make use of, where it also may be `timed` by its caller: memory
/// that is not touched is not waited for.
fn useful_entries(limits: Limits, timed: bool) -> usize {
    let unlimited = limits == Limits::default() && !timed;
    Limits { depth: limits.depth.or(unlimited.then_some(DEFAULT_DEPTH)), ..limits }.useful_entries()
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
    use super::*;
    use crate::games::{Preset, Russian};

    #[test]
    fn an_engine_without_limits_that_is_timed_by_its_caller_has_its_whole_table() -> Result<()> {
        let mut engine = AlphaBeta::<Russian>::new(Options { hash_mb: 2, ..Options::default() });
        let game = Game::new(Preset::Official)?;
        engine.choose(&game)?;
        assert_eq!(engine.table.capacity(), (1 << (DEFAULT_DEPTH + 10)) / 4);
        engine.limit_time(0.001);
        engine.choose(&game)?;
        assert_eq!(engine.table.capacity(), (2 << 20) / 64);
        engine.choose(&game)?;
        assert_eq!(engine.table.capacity(), (1 << (DEFAULT_DEPTH + 10)) / 4);
        Ok(())
    }

    #[test]
    fn an_analysis_has_the_table_of_a_choice() -> Result<()> {
        let limits = Limits { nodes: Some(4096), ..Limits::default() };
        let mut engine = AlphaBeta::<Russian>::new(Options { limits, ..Options::default() });
        engine.analyse(&Game::new(Preset::Official)?)?;
        assert_eq!(engine.table.capacity(), 4096 / 4);
        Ok(())
    }
}
