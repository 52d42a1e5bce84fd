//! The games of an environment: what a step does to each of them, and how threads share them.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::board::{Hops, Side};
use crate::error::{Error, Result};
use crate::games::game::{Game, Outcome, Reason};
use crate::games::planes::Features;
use crate::games::position::Position;
use crate::player::Player;

use super::batch::BatchMut;
use super::legal;
use super::options::Seat;

/// Fewer games than this to a thread cost more to hand over than to play, where no opponent thinks.
pub(super) const GAMES_PER_THREAD: usize = 128;

/// How many games a thread takes at once, where no opponent thinks.
const GAMES_AT_ONCE: usize = 32;

/// What holds for every game.
#[derive(Debug)]
pub(super) struct Rules<P> {
    /// A game before its first hop.
    pub fresh: Game<P>,
    pub seat: Seat,
    pub max_turns: Option<u32>,
}

/// One of the games.
#[derive(Debug)]
pub(super) struct Lane<P> {
    pub number: usize,
    pub game: Game<P>,
    /// Chooses seats and the opponent's seeds.
    pub rng: Xoshiro256PlusPlus,
    /// The caller's side against an opponent.
    pub agent: Option<Side>,
    /// Games begun since the seed.
    pub begun: u64,
}

/// What a thread needs.
pub(super) struct Worker<P> {
    pub opponent: Option<Box<dyn Player<P>>>,
    pub hops: Hops,
    pub features: Features,
}

impl<P> fmt::Debug for Worker<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("has_opponent", &self.opponent.is_some()).finish_non_exhaustive()
    }
}

/// What a call does to the game of a number within a part.
pub(super) type Act<P> = fn(&mut Part<'_, P>, usize, &Rules<P>, &mut Worker<P>) -> Result<()>;

/// Some of the games, and what belongs to them.
pub(super) struct Part<'a, P> {
    pub lanes: &'a mut [Lane<P>],
    pub legal: &'a mut [u64],
    /// What is to be played; empty where nothing is.
    pub actions: &'a [i64],
    pub batch: BatchMut<'a>,
}

impl<'a, P: Position> Part<'a, P> {
    /// Takes the first games away, if there are any.
    fn take(&mut self, games: usize) -> Option<Self> {
        let games = games.min(self.lanes.len());
        let lanes = self.lanes.split_off_mut(..games).filter(|lanes| !lanes.is_empty())?;
        let legal = self.legal.split_off_mut(..games * legal::words::<P>())?;
        let actions = self.actions.split_off(..games).unwrap_or_default();
        Some(Part { lanes, legal, actions, batch: self.batch.take(games, &P::SPEC) })
    }

    /// Splits the games into as many parts of about one size.
    pub fn split(mut self, parts: usize) -> impl Iterator<Item = Self> {
        (0..parts).filter_map(move |i| self.take(self.lanes.len().div_ceil(parts - i)))
    }

    /// Begins a game.
    pub fn reset(&mut self, i: usize, rules: &Rules<P>, worker: &mut Worker<P>) -> Result<()> {
        self.lanes[i].begin(rules, worker)?;
        self.batch.go_on(i, self.lanes[i].agent);
        self.show(i, worker)
    }

    /// Plays the hop chosen, and the opponent's reply; what it ends it begins anew.
    pub fn step(&mut self, i: usize, rules: &Rules<P>, worker: &mut Worker<P>) -> Result<()> {
        let lane = &mut self.lanes[i];
        let hop = usize::try_from(self.actions[i]).ok().and_then(|action| lane.game.position().hop_at(action));
        lane.game.play_unchecked(hop.expect("the actions of a step are legal"));
        lane.cut_off(rules)?;
        lane.reply(rules, worker)?;
        match lane.game.outcome() {
            None => self.batch.go_on(i, lane.agent),
            Some(outcome) => {
                self.batch.end(i, lane.agent, &lane.game, outcome, &mut worker.features);
                lane.begin(rules, worker)?;
            }
        }
        self.show(i, worker)
    }

    /// Writes what the mover of a game sees and may play.
    pub fn show(&mut self, i: usize, worker: &mut Worker<P>) -> Result<()> {
        let words = legal::words::<P>();
        let (lane, set) = (&mut self.lanes[i], &mut self.legal[i * words..(i + 1) * words]);
        lane.see(&mut worker.hops, set);
        if worker.hops.is_empty() {
            return Err(Error::Failed("a game was over before the first hop".to_owned()));
        }
        self.batch.show(i, &lane.game, set, &mut worker.features);
        Ok(())
    }
}

/// The games of a call that fall to one thread: always the same, so that they stay near its processor.
pub(super) struct Share<'a, P>(Mutex<Rest<'a, P>>);

/// What no thread has begun with yet.
struct Rest<'a, P> {
    part: Part<'a, P>,
    /// What failed, and in which game: of several the first.
    failed: Option<(usize, Error)>,
}

impl<'a, P: Position> Share<'a, P> {
    pub fn new(part: Part<'a, P>) -> Self {
        Self(Mutex::new(Rest { part, failed: None }))
    }

    /// Takes the next games away, unless none are left or one has failed.
    fn take(&self, games: usize) -> Option<Part<'a, P>> {
        let mut rest = lock(&self.0);
        if rest.failed.is_some() { None } else { rest.part.take(games) }
    }

    fn fail(&self, game: usize, error: Error) {
        let mut rest = lock(&self.0);
        if rest.failed.as_ref().is_none_or(|&(first, _)| game < first) {
            rest.failed = Some((game, error));
        }
    }

    /// Why a game failed, if one did.
    pub fn failed(self) -> Option<Error> {
        let (_, error) = self.0.into_inner().unwrap_or_else(PoisonError::into_inner).failed?;
        Some(error)
    }
}

impl<P: Position> Worker<P> {
    /// Does its own share, the `own`-th, and then what is left of the others'.
    pub fn work(&mut self, shares: &[Share<'_, P>], own: usize, rules: &Rules<P>, act: Act<P>) {
        // Thinking opponents are the whole cost of a step, and some think longer than others.
        let games = if self.opponent.is_some() { 1 } else { GAMES_AT_ONCE };
        let (before, from_own) = shares.split_at(own);
        for share in from_own.iter().chain(before) {
            while let Some(mut part) = share.take(games) {
                for i in 0..part.lanes.len() {
                    if let Err(error) = act(&mut part, i, rules, self) {
                        share.fail(part.lanes[i].number, error);
                        break;
                    }
                }
            }
        }
    }
}

/// Locks what no thread leaves half changed.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<P: Position> Lane<P> {
    /// Looks for the legal hops.
    pub fn see(&mut self, hops: &mut Hops, set: &mut [u64]) {
        self.game.hops(hops);
        legal::set(self.game.position(), hops, set);
    }

    /// Begins a game, up to the caller's first hop.
    fn begin(&mut self, rules: &Rules<P>, worker: &mut Worker<P>) -> Result<()> {
        self.game.clone_from(&rules.fresh);
        if worker.opponent.is_some() {
            let even = (self.number as u64 + self.begun).is_multiple_of(2);
            let white = match rules.seat {
                Seat::White => true,
                Seat::Black => false,
                Seat::Alternate => even,
                Seat::Random => self.rng.random(),
            };
            self.agent = Some(if white { Side::White } else { Side::Black });
        }
        self.begun += 1;
        self.reply(rules, worker)
    }

    /// Lets the opponent play until the caller's side moves or the game is over.
    fn reply(&mut self, rules: &Rules<P>, worker: &mut Worker<P>) -> Result<()> {
        let (Some(opponent), Some(agent)) = (&mut worker.opponent, self.agent) else { return Ok(()) };
        while self.game.outcome().is_none() && self.game.side() != agent {
            // What it remembers depends on the games that share its thread: their number must change nothing.
            opponent.new_game();
            opponent.seed(self.rng.random());
            let turn = opponent.choose(&self.game)?;
            self.game.play(&turn)?;
            self.cut_off(rules)?;
        }
        Ok(())
    }

    /// Ends the game where it has reached the limit of turns.
    fn cut_off(&mut self, rules: &Rules<P>) -> Result<()> {
        match rules.max_turns {
            Some(limit) if self.game.turns_played() >= limit && self.game.outcome().is_none() => {
                self.game.end(Outcome { winner: None, reason: Reason::TurnLimit })
            }
            _ => Ok(()),
        }
    }

    /// Takes a stored game off the front of `bytes`.
    pub fn take(number: usize, has_opponent: bool, bytes: &mut &[u8]) -> Result<Self> {
        let agent = match take(bytes)? {
            [2] => None,
            [n] => Some(*Side::BOTH.get(usize::from(n)).ok_or_else(|| damaged("expected a side"))?),
        };
        let begun = u64::from_le_bytes(take(bytes)?);
        let rng = take_rng(bytes)?;
        let game = Game::take(bytes)?;
        if agent.is_some() != has_opponent || agent.is_some_and(|agent| agent != game.side()) {
            return Err(damaged("expected games of both sides by the caller, or with an opponent, as this one has"));
        }
        if game.outcome().is_some() {
            return Err(damaged("expected games that are not over"));
        }
        Ok(Self { number, game, rng, agent, begun })
    }
}

/// Says that the bytes of a stored environment are none.
pub(super) fn damaged(reason: &str) -> Error {
    Error::State { what: "environment", reason: reason.to_owned() }
}

/// Takes so many bytes off the front.
pub(super) fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N]> {
    let (head, rest) = bytes.split_first_chunk().ok_or_else(|| damaged("cut short"))?;
    *bytes = rest;
    Ok(*head)
}

/// Adds the state of a generator, its length first.
pub(super) fn put_rng(rng: &Xoshiro256PlusPlus, out: &mut Vec<u8>) -> Result<()> {
    let rng = serde_json::to_vec(rng).map_err(|e| damaged(&e.to_string()))?;
    out.push(rng.len() as u8);
    out.extend(rng);
    Ok(())
}

/// Takes the state of a generator off the front.
pub(super) fn take_rng(bytes: &mut &[u8]) -> Result<Xoshiro256PlusPlus> {
    let [len] = take(bytes)?;
    let rng = bytes.split_off(..usize::from(len)).ok_or_else(|| damaged("cut short"))?;
    serde_json::from_slice(rng).map_err(|e| damaged(&format!("random state: {e}")))
}
