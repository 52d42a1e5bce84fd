//! Many games at once, each with its own search, all their leaves in one batch for the network.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::board::{Hop, Hops};
use crate::config::Config;
use crate::endgame::Tables;
use crate::error::{Error, Result};
use crate::evaluator::{Cache, Evaluations, Evaluator, Knowledge};
use crate::games::game::{Game, Leaf, Outcome, Reason};
use crate::games::pdn::Record;
use crate::games::position::Position;
use crate::games::turn::Turn;
use crate::search::mcts::{Gather, Settings, Ticket};
use crate::search::tree::Tree;

use super::replay::Sample;
use super::stats::RoundStats;
use super::stored::{put_count, take_count};

/// Games of a round that a worker keeps for the record.
const KEPT_GAMES: usize = 4;

/// Evaluations that a worker keeps: 8 MiB of them.
const CACHED: usize = 1 << 16;

/// Bytes of endgame tables that a worker keeps: all up to 4 pieces fit in.
const TABLES: usize = 16 << 20;

/// What a worker made in a round, or all workers together.
#[derive(Clone, Debug)]
pub struct Round<P> {
    /// The searched positions of the games finished.
    pub samples: Vec<Sample<P>>,
    /// A few of these games.
    pub games: Vec<Record<P>>,
    /// What the round was like.
    pub stats: RoundStats,
}

impl<P> Default for Round<P> {
    fn default() -> Self {
        Self { samples: Vec::new(), games: Vec::new(), stats: RoundStats::default() }
    }
}

impl<P> Round<P> {
    /// Adds another worker's round.
    pub fn merge(&mut self, other: Self) {
        self.samples.extend(other.samples);
        self.games.extend(other.games);
        self.stats += &other.stats;
    }
}

/// One of the games a worker plays at once.
#[derive(Debug)]
struct Seat<P> {
    game: Game<P>,
    tree: Tree<P>,
    /// The turns so far, and as far as it is played the turn under way.
    turns: Vec<Turn>,
    turn: Turn,
    /// Positions searched so far; their winner is not known yet.
    samples: Vec<Sample<P>>,
}

/// A self-play thread's own games, and its chance.
///
/// A round is a fixed number of samples, so the same seed gives the same games. Games that are not finished go on in
/// the next round, each searching its position anew: so a worker restored from bytes plays on exactly like one that
/// was never stored.
#[derive(Debug)]
pub struct Worker<P> {
    config: Config,
    settings: Settings,
    rng: Xoshiro256PlusPlus,
    seats: Vec<Seat<P>>,
    moves: Hops,
    policy: Vec<f32>,
    /// What this round's evaluator has answered.
    cache: Cache,
    /// What endgame tables say; nothing where the config names none.
    knowledge: Knowledge<P>,
}

impl<P: Position> Worker<P> {
    /// The worker number `index` of a run.
    ///
    /// # Errors
    /// If the variant has no such draw rules, the config wants no games, or its tables are missing or damaged.
    pub fn new(config: &Config, seed: u64, index: usize) -> Result<Self> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        // Streams 2^128 steps apart.
        (0..index).for_each(|_| rng.jump());
        let mut worker = Self::without_seats(config, rng)?;
        worker.fill_seats()?;
        Ok(worker)
    }

    fn without_seats(config: &Config, rng: Xoshiro256PlusPlus) -> Result<Self> {
        let folder = Some(config.selfplay.tables.as_str()).filter(|folder| !folder.is_empty());
        let tables = folder.map(|folder| Tables::<P>::open(Path::new(folder))).transpose()?;
        Ok(Self {
            config: config.clone(),
            settings: Settings::from(&config.search),
            rng,
            seats: Vec::new(),
            moves: Hops::new(),
            policy: Vec::new(),
            cache: Cache::new(CACHED),
            knowledge: Knowledge::new(tables.map(|tables| Arc::new(tables.with_cache(TABLES)) as _)),
        })
    }

    /// Brings the games to as many as the config wants.
    fn fill_seats(&mut self) -> Result<()> {
        if self.config.selfplay.games == 0 {
            return Err(Error::value("selfplay.games", 0, "at least 1 for a worker: 0 is for a run to probe"));
        }
        self.seats.truncate(self.config.selfplay.games);
        while self.seats.len() < self.config.selfplay.games {
            let seat = self.new_seat()?;
            self.seats.push(seat);
        }
        Ok(())
    }

    /// A game after its random opening.
    fn new_seat(&mut self) -> Result<Seat<P>> {
        let game = Game::new(self.config.run.draws)?;
        let tree = self.tree(&game);
        let mut seat = Seat { tree, game, turns: Vec::new(), turn: Turn::default(), samples: Vec::new() };
        self.open(&mut seat)?;
        Ok(seat)
    }

    fn tree(&self, game: &Game<P>) -> Tree<P> {
        Tree::new(game).with_knowledge(self.knowledge.clone())
    }

    /// Starts a seat's game anew: a random number of random turns.
    fn open(&mut self, seat: &mut Seat<P>) -> Result<()> {
        seat.samples.clear();
        loop {
            seat.game = Game::new(self.config.run.draws)?;
            seat.turns.clear();
            let opening = self.rng.random_range(0..=self.config.selfplay.opening_turns);
            while seat.game.turns_played() < opening && seat.game.outcome().is_none() {
                seat.game.hops(&mut self.moves);
                let hop = self.moves[self.rng.random_range(0..self.moves.len())];
                seat.play(hop);
            }
            if seat.game.outcome().is_none() {
                seat.tree.reset(&seat.game);
                return Ok(());
            }
        }
    }

    /// Plays until `samples_per_round` positions of finished games are recorded, or `stop` is raised: then the round is
    /// not complete and of no use. `recorded` counts along, over all workers.
    ///
    /// # Errors
    /// If the evaluator fails, or an endgame table is damaged.
    pub fn generate(
        &mut self,
        evaluator: &mut dyn Evaluator<P>,
        stop: &AtomicBool,
        recorded: &AtomicU64,
    ) -> Result<Round<P>> {
        let start = Instant::now();
        let mut round = Round::default();
        let (mut leaves, mut tickets, mut answers) = (Vec::new(), Vec::new(), Evaluations::default());
        self.cache.clear();
        for seat in &mut self.seats {
            seat.tree.reset(&seat.game);
        }
        loop {
            leaves.clear();
            // The seats step aside while the worker plays on them, and come back whatever happens.
            let mut seats = std::mem::take(&mut self.seats);
            let gathered = seats.iter_mut().try_for_each(|seat| -> Result<()> {
                if let Some((leaf, ticket)) = self.next_leaf(seat, &mut round, stop, recorded)? {
                    leaves.push(leaf);
                    tickets.push(ticket);
                }
                Ok(())
            });
            self.seats = seats;
            gathered?;
            if self.is_over(&round, stop) {
                break;
            }
            let asked = Instant::now();
            evaluator.evaluate(&leaves, &mut answers)?;
            round.stats.net_s += asked.elapsed().as_secs_f64();
            round.stats.evaluations += leaves.len() as u64;
            for (i, (seat, ticket)) in self.seats.iter_mut().zip(tickets.drain(..)).enumerate() {
                let (wdl, priors) = (answers.wdl[i], answers.priors_of(i));
                seat.tree.apply(ticket, wdl, priors);
                self.cache.put(leaves[i].key(), wdl, priors);
            }
        }
        round.stats.all_s = start.elapsed().as_secs_f64();
        Ok(round)
    }

    /// Whether the round has its samples, or is given up.
    fn is_over(&self, round: &Round<P>, stop: &AtomicBool) -> bool {
        round.samples.len() >= self.config.selfplay.samples_per_round || stop.load(Ordering::Relaxed)
    }

    /// Searches and plays in one game until its search needs an evaluation; `None` where the round is over before.
    fn next_leaf(
        &mut self,
        seat: &mut Seat<P>,
        round: &mut Round<P>,
        stop: &AtomicBool,
        recorded: &AtomicU64,
    ) -> Result<Option<(Leaf<P>, Ticket)>> {
        // The cache may know every leaf of game after game.
        while !self.is_over(round, stop) {
            let fresh = seat.tree.is_empty();
            if fresh {
                seat.game.hops(&mut self.moves);
            }
            if let (true, &[hop]) = (fresh, self.moves.as_slice()) {
                self.advance(seat, hop, round, recorded)?;
            } else if seat.tree.visits() >= self.config.search.visits || seat.tree.winner().is_some() {
                let hop = self.choose(seat, &mut round.stats);
                self.advance(seat, hop, round, recorded)?;
            } else if let Gather::Leaf(leaf, ticket) = seat.tree.gather(&self.settings, &mut self.rng) {
                let Some((wdl, priors)) = self.cache.get(leaf.key()) else { return Ok(Some((leaf, ticket))) };
                seat.tree.apply(ticket, wdl, priors);
                round.stats.cached += 1;
            }
        }
        Ok(None)
    }

    /// Records the search's answer and chooses a hop.
    fn choose(&mut self, seat: &mut Seat<P>, stats: &mut RoundStats) -> Hop {
        seat.tree.policy(&mut self.policy);
        stats.count_search(&self.policy, seat.tree.children().map(|child| child.prior));
        seat.samples.push(Sample::new(seat.game.leaf(), &self.policy, seat.tree.wdl()));
        let search = &self.config.search;
        let hot = seat.game.turns_played() < search.temperature_turns;
        let temperature = if hot { search.temperature } else { 0.0 };
        seat.tree.choose(temperature, &mut self.rng).expect("a searched root has a best hop")
    }

    /// Plays a hop; a finished game is recorded and its seat taken by a new one.
    fn advance(&mut self, seat: &mut Seat<P>, hop: Hop, round: &mut Round<P>, recorded: &AtomicU64) -> Result<()> {
        seat.play(hop);
        round.stats.hops += 1;
        if seat.game.outcome().is_none()
            && seat.turn.is_empty()
            && let Some(proven) = self.knowledge.certain(&seat.game)
        {
            seat.game.end(Outcome { winner: proven.winner(seat.game.side()), reason: Reason::Tables })?;
        }
        self.knowledge.check()?;
        let limit = self.config.selfplay.max_turns;
        if seat.game.outcome().is_none() && seat.turn.is_empty() && seat.game.turns_played() >= limit {
            seat.game.end(Outcome { winner: None, reason: Reason::TurnLimit })?;
        }
        let Some(outcome) = seat.game.outcome() else {
            seat.tree.reset(&seat.game);
            return Ok(());
        };
        round.stats.count_game(outcome, seat.game.turns_played());
        recorded.fetch_add(seat.samples.len() as u64, Ordering::Relaxed);
        round.samples.extend(seat.samples.drain(..).map(|sample| Sample { winner: outcome.winner, ..sample }));
        if round.games.len() < KEPT_GAMES {
            let mut record = Record::new(P::start(), self.config.run.draws);
            record.set_tag("Event", "self-play");
            record.turns.append(&mut seat.turns);
            record.outcome = Some(outcome);
            round.games.push(record);
        }
        self.open(seat)
    }

    /// The worker's games, their samples so far and its chance, as bytes.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        let rng = serde_json::to_vec(&self.rng).expect("four numbers are JSON");
        let mut out = Vec::new();
        put_count(&mut out, rng.len());
        out.extend(rng);
        put_count(&mut out, self.seats.len());
        for seat in &self.seats {
            out.extend(seat.game.to_bytes());
            put_count(&mut out, seat.turns.len());
            for turn in seat.turns.iter().chain([&seat.turn]) {
                let text = turn.to_string();
                put_count(&mut out, text.len());
                out.extend(text.as_bytes());
            }
            put_count(&mut out, seat.samples.len());
            seat.samples.iter().for_each(|sample| sample.pack(&mut out));
        }
        out
    }

    /// The worker that was saved; `config` may have changed, but for the variant and the draw rules. Games begin or are
    /// dropped where it wants more or fewer of them.
    ///
    /// # Errors
    /// [`Error::State`] if the bytes are damaged.
    pub fn restore(config: &Config, mut bytes: &[u8]) -> Result<Self> {
        let bytes = &mut bytes;
        let damaged = |reason: String| Error::State { what: "self-play", reason };
        let len = take_count(bytes)?;
        let rng = bytes.split_off(..len).ok_or_else(|| damaged("cut short".to_owned()))?;
        let rng = serde_json::from_slice(rng).map_err(|error| damaged(error.to_string()))?;
        let mut worker = Self::without_seats(config, rng)?;
        for _ in 0..take_count(bytes)? {
            let game = Game::<P>::take(bytes)?;
            let turns = (0..take_count(bytes)?).map(|_| take_turn(bytes)).collect::<Result<_>>()?;
            let turn = take_turn(bytes)?;
            let samples = (0..take_count(bytes)?).map(|_| Sample::unpack(bytes)).collect::<Result<_>>()?;
            worker.seats.push(Seat { tree: worker.tree(&game), game, turns, turn, samples });
        }
        if worker.seats.is_empty() || !bytes.is_empty() {
            return Err(damaged("expected games and nothing behind them".to_owned()));
        }
        worker.fill_seats()?;
        Ok(worker)
    }
}

impl<P: Position> Seat<P> {
    fn play(&mut self, hop: Hop) {
        let step = self.game.play_unchecked(hop);
        self.turn.push(hop, step);
        if step.turn_over {
            self.turns.push(std::mem::take(&mut self.turn));
        }
    }
}

fn take_turn(bytes: &mut &[u8]) -> Result<Turn> {
    let len = take_count(bytes)?;
    let text = bytes.split_off(..len).and_then(|text| std::str::from_utf8(text).ok());
    let damaged = || Error::State { what: "self-play", reason: "a turn is none".to_owned() };
    text.ok_or_else(damaged)?.parse()
}
