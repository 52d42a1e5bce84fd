//! Players that ask an evaluator: by a tree search of one game at a time, or by its priors alone.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::board::{Hop, Hops, Square};
use crate::config::Puct;
use crate::error::Result;
use crate::evaluator::{Evaluations, Evaluator, Knowledge, Wdl};
use crate::games::draws::Preset;
use crate::games::game::{Game, Leaf};
use crate::games::position::Position;
use crate::games::turn::{self, Turn};
use crate::player::{Analysis, Line, Player};

use super::mcts::{Gather, Settings, Ticket};
use super::tree::{Found, Tree};

/// Visits a turn where neither visits nor time are given.
const DEFAULT_VISITS: u32 = 400;
/// A tree of few visits fills small batches: one leaf at a time for each of so many visits, because leaves chosen before
/// the answers to the others are known are chosen worse.
const VISITS_A_LEAF: u32 = 8;
/// Later hops of a turn were searched with its first one: they are topped up to this share of its visits.
const CHAIN_SHARE: u32 = 4;

/// How an [`MctsPlayer`] searches.
#[derive(Clone, PartialEq, Debug)]
pub struct PlayerSettings {
    /// Visits a turn, those kept from the turn before included.
    pub visits: Option<u32>,
    /// Seconds a turn. The search ends at whichever limit comes first; with neither it is 400 visits.
    pub time_s: Option<f64>,
    /// Leaves evaluated at once, at most: 1 makes the most of each visit, more is faster where the network is a GPU's.
    pub batch: usize,
    /// Hops are chosen by visits to the power 1 over this; 0 is the most visited.
    pub temperature: f32,
    /// Seeds the choice by temperature.
    pub seed: u64,
    /// How values, priors and visits are weighed.
    pub puct: Puct,
}

impl Default for PlayerSettings {
    fn default() -> Self {
        Self { visits: None, time_s: None, batch: 1, temperature: 0.0, seed: 0, puct: Puct::default() }
    }
}

/// Searches a tree and plays the most visited hops. The tree is kept as long as the game goes on from it.
///
/// ```
/// use shashki::evaluator::Uniform;
/// use shashki::games::{Game, Position, Preset, Russian};
/// use shashki::player::Player;
/// use shashki::search::mcts_player::{MctsPlayer, PlayerSettings};
///
/// let settings = PlayerSettings { visits: Some(100), ..PlayerSettings::default() };
/// let mut player = MctsPlayer::new(Box::new(Uniform::default()), settings, "mcts:uniform".to_owned());
/// let game = Game::from_position(Russian::read_fen("W:Wc3,e3:Bd4,b6,f6")?, Preset::Official)?;
/// assert!(game.turns().contains(&player.choose(&game)?));
/// # Ok::<(), shashki::Error>(())
/// ```
pub struct MctsPlayer<P: Position> {
    evaluator: Box<dyn Evaluator<P>>,
    settings: PlayerSettings,
    name: String,
    rng: Xoshiro256PlusPlus,
    tree: Option<Tree<P>>,
    knowledge: Knowledge<P>,
    limit: Option<f64>,
    stop: Option<Arc<AtomicBool>>,
    leaves: Vec<Leaf<P>>,
    tickets: Vec<Ticket>,
    answers: Evaluations,
    hops: Hops,
}

impl<P: Position> std::fmt::Debug for MctsPlayer<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MctsPlayer").field("name", &self.name).field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl<P: Position> MctsPlayer<P> {
    /// A player of this name whose trees ask this evaluator.
    #[must_use]
    pub fn new(evaluator: Box<dyn Evaluator<P>>, settings: PlayerSettings, name: String) -> Self {
        let rng = Xoshiro256PlusPlus::seed_from_u64(settings.seed);
        Self {
            evaluator,
            settings,
            name,
            rng,
            tree: None,
            knowledge: Knowledge::default(),
            limit: None,
            stop: None,
            leaves: Vec::new(),
            tickets: Vec::new(),
            answers: Evaluations::default(),
            hops: Hops::new(),
        }
    }

    /// A player whose trees take what is certain for proven.
    /// Whether anything went wrong in asking, [`Knowledge::check`] tells.
    #[must_use]
    pub fn with_knowledge(self, knowledge: Knowledge<P>) -> Self {
        Self { knowledge, tree: None, ..self }
    }

    /// The tree of the last search.
    #[must_use]
    pub const fn tree(&self) -> Option<&Tree<P>> {
        self.tree.as_ref()
    }

    /// A tree rooted at this game: the last one if the game goes on from it, with what was found there.
    fn tree_of(&mut self, game: &Game<P>) -> Tree<P> {
        let Some(mut tree) = self.tree.take() else {
            return Tree::new(game).with_knowledge(self.knowledge.clone());
        };
        match path_within(&tree, game) {
            Some(path) => path.into_iter().for_each(|hop| tree.advance(hop)),
            None => tree.reset(game),
        }
        tree
    }

    /// Searches until the root has these visits, the time is over, or the root is proven.
    fn search(&mut self, tree: &mut Tree<P>, visits: u32, deadline: Option<Instant>) -> Result<()> {
        let settings = Settings { puct: self.settings.puct, ..Settings::default() };
        loop {
            let stopped = self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
            let late = stopped || deadline.is_some_and(|deadline| Instant::now() >= deadline);
            // Without any visit there is nothing to choose by, however late it is.
            if tree.visits() >= visits || tree.winner().is_some() || (late && tree.visits() > 0) {
                return Ok(());
            }
            self.leaves.clear();
            self.tickets.clear();
            let most = self.settings.batch.min(1 + (tree.visits() / VISITS_A_LEAF) as usize);
            while self.leaves.len() < most && tree.visits() + tree.in_flight() < visits {
                match tree.gather(&settings, &mut self.rng) {
                    Gather::Leaf(leaf, ticket) => {
                        self.leaves.push(leaf);
                        self.tickets.push(ticket);
                    }
                    Gather::Done if tree.winner().is_some() => break,
                    Gather::Done => {}
                    Gather::Busy => break,
                }
            }
            if let Err(error) = self.ask() {
                self.tickets.drain(..).for_each(|ticket| tree.release(ticket));
                return Err(error);
            }
            for (i, ticket) in self.tickets.drain(..).enumerate() {
                tree.apply(ticket, self.answers.wdl[i], self.answers.priors_of(i));
            }
        }
    }

    fn ask(&mut self) -> Result<()> {
        if self.leaves.is_empty() { Ok(()) } else { self.evaluator.evaluate(&self.leaves, &mut self.answers) }
    }

    /// The limits of the turn that begins now: visits, and the moment when the time is over.
    fn limits(&mut self) -> (u32, Option<Instant>) {
        let time_s = match (self.settings.time_s, self.limit.take()) {
            (Some(own), Some(cap)) => Some(own.min(cap)),
            (own, cap) => own.or(cap),
        };
        let visits = match (self.settings.visits, self.settings.time_s) {
            (Some(visits), _) => visits.max(1),
            (None, Some(_)) => u32::MAX,
            (None, None) => DEFAULT_VISITS,
        };
        let span = time_s.map(|s| Duration::try_from_secs_f64(s.max(0.0)).unwrap_or(Duration::MAX));
        (visits, span.and_then(|span| Instant::now().checked_add(span)))
    }

    /// Chooses the hops of the turn one by one; the tree goes along but for the last one.
    fn choose_turn(&mut self, tree: &mut Tree<P>) -> Result<Turn> {
        let (visits, deadline) = self.limits();
        let later = if visits == u32::MAX { self.settings.batch as u32 } else { (visits / CHAIN_SHARE).max(1) };
        let mut wanted = visits;
        let mut turn = Turn::default();
        loop {
            let mut position = *tree.root().position();
            position.hops(&mut self.hops);
            let hop = match self.hops.as_slice() {
                &[only] => only,
                _ => {
                    self.search(tree, wanted, deadline)?;
                    wanted = later;
                    let hop = tree.choose(self.settings.temperature, &mut self.rng);
                    hop.expect("a searched position with hops has a best one")
                }
            };
            let step = position.play_unchecked(hop);
            turn.push(hop, step);
            if step.turn_over {
                return Ok(turn);
            }
            tree.advance(hop);
        }
    }
}

impl<P: Position> Player<P> for MctsPlayer<P> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn choose(&mut self, game: &Game<P>) -> Result<Turn> {
        let mut tree = self.tree_of(game);
        let turn = self.choose_turn(&mut tree);
        self.tree = Some(tree);
        turn
    }

    fn analyse(&mut self, game: &Game<P>) -> Result<Analysis> {
        let mut tree = self.tree_of(game);
        let (visits, deadline) = self.limits();
        let searched = self.search(&mut tree, visits, deadline);
        let analysis = searched.map(|()| Analysis { value: tree.wdl().value(game.side()), lines: lines(&tree) });
        self.tree = Some(tree);
        analysis
    }

    fn new_game(&mut self) {
        self.tree = None;
    }

    fn seed(&mut self, seed: u64) {
        self.rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    }

    fn limit_time(&mut self, seconds: f64) {
        self.limit = Some(seconds);
    }

    fn heed(&mut self, stop: &Arc<AtomicBool>) {
        self.stop = Some(Arc::clone(stop));
    }
}

/// The hops that lead from a tree's root to a game that is at most two turns on, within the tree; `None` if there are
/// none: then nothing that was found is of use.
fn path_within<P: Position>(tree: &Tree<P>, to: &Game<P>) -> Option<Vec<Hop>> {
    fn walk<P: Position>(tree: &Tree<P>, at: &Game<P>, to: &Game<P>, path: &mut Vec<Hop>) -> bool {
        if at == to {
            return true;
        }
        let (here, there) = (at.turns_played(), to.turns_played());
        if at.outcome().is_some() || here > there || (here == there && to.position().at_turn_start()) {
            return false;
        }
        let mut hops = Hops::new();
        at.hops(&mut hops);
        hops.into_iter().any(|hop| {
            path.push(hop);
            let found = tree.at(path.iter().copied()).is_some() && {
                let mut after = at.clone();
                after.play_unchecked(hop);
                walk(tree, &after, to, path)
            };
            if !found {
                path.pop();
            }
            found
        })
    }
    let (mut path, from) = (Vec::new(), tree.root());
    let near = to.turns_played().checked_sub(from.turns_played()).is_some_and(|turns| turns <= 2);
    (near && walk(tree, from, to, &mut path)).then_some(path)
}

/// The visited turns at the root, best first: proven wins, then by visits, proven losses last.
fn lines<P: Position>(tree: &Tree<P>) -> Vec<Line> {
    struct Candidate {
        /// Its most visited path of hops, and what was found at the end of it.
        hops: Vec<Hop>,
        found: Found,
        /// Over all paths that are this turn.
        visits: u32,
    }
    let (position, side) = (tree.root().position(), tree.root().side());
    let mut candidates: Vec<(Square, P, Candidate)> = Vec::new();
    // What was looked at or is known without a look; a search that did not come so far tells of all turns.
    let is_known = |found: &Found| found.visits > 0 || found.winner.is_some();
    let any_known =
        turn::paths(position).into_iter().any(|(path, _)| tree.at(path.hops()).as_ref().is_some_and(is_known));
    for (path, after) in turn::paths(position) {
        let Some(found) = tree.at(path.hops()).filter(|found| !any_known || is_known(found)) else { continue };
        let (start, hops) = (path.start(), path.hops().collect());
        match candidates.iter_mut().find(|(s, a, _)| *s == start && *a == after) {
            None => candidates.push((start, after, Candidate { hops, found, visits: found.visits })),
            Some((_, _, candidate)) => {
                candidate.visits += found.visits;
                if found.visits > candidate.found.visits {
                    (candidate.hops, candidate.found) = (hops, found);
                }
            }
        }
    }
    let mut lines: Vec<((i32, u32), Line)> = Vec::new();
    for (turn, after) in turn::list_with_positions(position) {
        let start = turn.start();
        let Some((_, _, found)) = candidates.iter().find(|(s, a, _)| *s == start && *a == after) else { continue };
        let class = match found.found.winner {
            Some(winner) if winner == side => 2,
            Some(_) => 0,
            None => 1,
        };
        let path = found.hops.iter().copied();
        let line = tree.root().turns_of(path.clone().chain(tree.line(path)));
        let value = found.found.wdl.value(side);
        lines.push(((class, found.visits), Line { turn, value, visits: Some(found.visits), depth: None, line }));
    }
    // Of proven wins the one to play comes first, whatever its visits.
    let best = tree.line([]);
    lines.sort_by_key(|((class, visits), line)| {
        let chosen = *class != 1 && line.turn.hops().next() == best.first().copied();
        std::cmp::Reverse((*class, chosen, *visits))
    });
    lines.into_iter().map(|(_, line)| line).collect()
}

/// Plays the hop of the largest prior, without a search.
pub struct PolicyPlayer<P: Position> {
    evaluator: Box<dyn Evaluator<P>>,
    name: String,
    answers: Evaluations,
    hops: Hops,
}

impl<P: Position> std::fmt::Debug for PolicyPlayer<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PolicyPlayer").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<P: Position> PolicyPlayer<P> {
    /// A player of this name that asks this evaluator once for each hop that is not forced.
    #[must_use]
    pub fn new(evaluator: Box<dyn Evaluator<P>>, name: String) -> Self {
        Self { evaluator, name, answers: Evaluations::default(), hops: Hops::new() }
    }
}

impl<P: Position> Player<P> for PolicyPlayer<P> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn choose(&mut self, game: &Game<P>) -> Result<Turn> {
        let mut leaf = game.leaf();
        let mut turn = Turn::default();
        loop {
            leaf.position.hops(&mut self.hops);
            let mut best = 0;
            if self.hops.len() > 1 {
                self.evaluator.evaluate(&[leaf], &mut self.answers)?;
                let priors = self.answers.priors_of(0);
                best = (1..priors.len()).fold(0, |best, i| if priors[i] > priors[best] { i } else { best });
            }
            let hop = self.hops[best];
            let step = leaf.position.play_unchecked(hop);
            turn.push(hop, step);
            if step.turn_over {
                return Ok(turn);
            }
            // No position within a chain has been on the board before.
            leaf.clock.repetitions[P::board_of(hop.from)] = 0;
        }
    }

    fn analyse(&mut self, game: &Game<P>) -> Result<Analysis> {
        let turn = self.choose(game)?;
        self.evaluator.evaluate(&[game.leaf()], &mut self.answers)?;
        let value = self.answers.wdl[0].value(game.side());
        let line = Line { turn: turn.clone(), value, visits: None, depth: None, line: vec![turn] };
        Ok(Analysis { value, lines: vec![line] })
    }
}

/// Values a position by one game played out at random under the draw rules, every hop alike. The counters of the draw
/// rules start at zero, and a position is always played out alike: the chance comes from the position and the seed.
#[derive(Debug)]
pub struct Rollout {
    preset: Preset,
    seed: u64,
    hops: Hops,
}

impl Rollout {
    /// An evaluator under these draw rules.
    #[must_use]
    pub const fn new(preset: Preset, seed: u64) -> Self {
        Self { preset, seed, hops: Hops::new() }
    }
}

impl<P: Position> Evaluator<P> for Rollout {
    fn evaluate(&mut self, leaves: &[Leaf<P>], out: &mut Evaluations) -> Result<()> {
        out.clear();
        for leaf in leaves {
            let mut game = Game::from_position(leaf.position, self.preset)?;
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed ^ leaf.position.key());
            game.hops(&mut self.hops);
            out.priors.extend(std::iter::repeat_n(1.0 / self.hops.len() as f32, self.hops.len()));
            out.ends.push(out.priors.len() as u32);
            let outcome = loop {
                if let Some(outcome) = game.outcome() {
                    break outcome;
                }
                game.hops(&mut self.hops);
                game.play_unchecked(self.hops[rng.random_range(0..self.hops.len())]);
            };
            out.wdl.push(Wdl::certain(outcome.winner));
        }
        Ok(())
    }
}
