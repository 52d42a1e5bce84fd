//! Many games stepped in one call.

use std::sync::{Mutex, PoisonError};

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::board::Hops;
use crate::error::{Error, Result};
use crate::games::game::Game;
use crate::games::planes::Features;
use crate::games::position::Position;
use crate::player::Player;
use crate::threads;

use super::batch::BatchMut;
use super::legal;
use super::options::{EnvOptions, LEAST_MAX_TURNS, MOST_GAMES, MOST_THREADS};
use super::part::{Act, GAMES_PER_THREAD, Lane, Part, Rest, Rules, Worker, damaged, take};

/// Makes the opponent of each thread, numbered from 0.
pub type Opponents<'a, P> = &'a dyn Fn(usize) -> Result<Box<dyn Player<P>>>;

/// `n` games stepped in one call, each begun anew within the step that ends it.
///
/// Without an opponent the caller plays both sides. With one, the caller sees only positions in which its own side
/// moves: the opponent's whole reply, and its first turn where it has White, happen inside the call. Each thread has an
/// opponent of its own, which begins anew, from a seed of the game's, before each choice.
#[derive(Debug)]
pub struct VecEnv<P> {
    lanes: Vec<Lane<P>>,
    /// The legal hops of each game, a bit an action: so a batch of actions is checked without touching the games.
    legal: Vec<u64>,
    workers: Vec<Worker<P>>,
    pool: Option<ThreadPool>,
    rules: Rules<P>,
    ready: Ready,
}

/// Whether a step may be played.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Ready {
    Yes,
    NotReset,
    /// An opponent failed in mid step, so that some games are a hop ahead of others.
    Broken,
}

impl<P: Position> VecEnv<P> {
    /// An environment that waits for its first reset.
    ///
    /// # Errors
    /// If an option is out of range, the variant lacks the draw rules, or an opponent cannot be made.
    pub fn new(options: EnvOptions, opponents: Option<Opponents<'_, P>>) -> Result<Self> {
        if !(1..=MOST_GAMES).contains(&options.games) {
            return Err(Error::value("number of games", options.games, format!("1 to {MOST_GAMES}")));
        }
        if options.threads > MOST_THREADS {
            return Err(Error::value("threads", options.threads, format!("0 (one a core) to {MOST_THREADS}")));
        }
        if let Some(turns) = options.max_turns
            && turns < LEAST_MAX_TURNS
        {
            return Err(Error::value("max_turns", turns, format!("at least {LEAST_MAX_TURNS}")));
        }
        let fresh = Game::<P>::new(options.draws)?;
        let useful = if opponents.is_some() { options.games } else { options.games / GAMES_PER_THREAD };
        let threads = threads::count(options.threads).min(useful).max(1);
        let worker = |i| {
            let opponent = opponents.map(|make| make(i)).transpose()?;
            Ok(Worker { opponent, hops: Hops::with_capacity(64), features: Features::default() })
        };
        let lane = |number| Lane {
            number,
            game: fresh.clone(),
            rng: Xoshiro256PlusPlus::seed_from_u64(0),
            choices: 0,
            agent: None,
            begun: 0,
        };
        let pool = match threads {
            1 => None,
            // The calling thread is one of them.
            n => Some(
                ThreadPoolBuilder::new()
                    .num_threads(n - 1)
                    .build()
                    .map_err(|e| Error::Failed(format!("cannot start {n} threads: {e}")))?,
            ),
        };
        let lanes = (0..options.games).map(lane).collect();
        let mut env = Self {
            lanes,
            legal: vec![0; options.games * legal::words::<P>()],
            workers: (0..threads).map(worker).collect::<Result<_>>()?,
            pool,
            rules: Rules { fresh, seat: options.seat, max_turns: options.max_turns },
            ready: Ready::NotReset,
        };
        env.seed(options.seed);
        Ok(env)
    }

    /// How many games there are.
    pub fn games(&self) -> usize {
        self.lanes.len()
    }

    /// How many threads play them.
    pub fn threads(&self) -> usize {
        self.workers.len()
    }

    /// Game `i` as it stands; `None` beyond the last.
    pub fn game(&self, i: usize) -> Option<&Game<P>> {
        self.lanes.get(i).map(|lane| &lane.game)
    }

    /// Seeds every game's chance from one number.
    fn seed(&mut self, seed: u64) {
        let mut seeds = Xoshiro256PlusPlus::seed_from_u64(seed);
        for lane in &mut self.lanes {
            lane.rng = Xoshiro256PlusPlus::seed_from_u64(seeds.random());
            lane.begun = 0;
        }
    }

    /// Begins every game anew, from a new seed if one is given.
    ///
    /// # Errors
    /// If a buffer has the wrong length or an opponent fails.
    pub fn reset(&mut self, seed: Option<u64>, batch: BatchMut<'_>) -> Result<()> {
        batch.check(&P::SPEC, self.games())?;
        if let Some(seed) = seed {
            self.seed(seed);
        }
        self.each(&[], batch, |part, i, rules, worker| part.reset(i, rules, worker))
    }

    /// Plays one hop in each game, given by its number, and the opponent's reply. If one of them is illegal nothing
    /// moves.
    ///
    /// # Errors
    /// If an action is illegal, there are too few or too many, a buffer has the wrong length, the environment has not
    /// been reset, or an opponent fails; after the last it must be reset.
    pub fn step(&mut self, actions: &[i64], batch: BatchMut<'_>) -> Result<()> {
        batch.check(&P::SPEC, self.games())?;
        self.check_ready()?;
        if actions.len() != self.games() {
            return Err(Error::value("number of actions", actions.len(), format!("{}", self.games())));
        }
        for (i, (set, &action)) in self.legal.chunks_exact(legal::words::<P>()).zip(actions).enumerate() {
            if !legal::contains(set, action) {
                let legal = format!("{:?}", legal::actions(set).collect::<Vec<_>>());
                return Err(Error::IllegalAction { env: Some(i), action, legal });
            }
        }
        self.each(actions, batch, |part, i, rules, worker| part.step(i, rules, worker))
    }

    /// Chooses a legal hop of each game by lot.
    ///
    /// # Errors
    /// If `actions` has the wrong length or the environment has not been reset.
    pub fn random_actions(&mut self, actions: &mut [i64]) -> Result<()> {
        self.check_ready()?;
        if actions.len() != self.games() {
            return Err(Error::value("number of actions", actions.len(), format!("{}", self.games())));
        }
        let games = self.lanes.iter_mut().zip(self.legal.chunks_exact(legal::words::<P>()));
        for ((lane, set), action) in games.zip(actions) {
            let n = lane.rng.random_range(0..lane.choices);
            *action = legal::actions(set).nth(n).expect("as many legal actions as there are choices");
        }
        Ok(())
    }

    /// Writes the games as they stand, as if none had just ended.
    ///
    /// # Errors
    /// If a buffer has the wrong length or the environment has not been reset.
    pub fn observe(&mut self, batch: BatchMut<'_>) -> Result<()> {
        batch.check(&P::SPEC, self.games())?;
        self.check_ready()?;
        self.each(&[], batch, |part, i, _, worker| {
            part.batch.go_on(i, part.lanes[i].agent);
            part.show(i, worker)
        })
    }

    fn check_ready(&self) -> Result<()> {
        match self.ready {
            Ready::Yes => Ok(()),
            Ready::NotReset => Err(Error::Failed("the environment must be reset before its first step".to_owned())),
            Ready::Broken => Err(Error::Failed("an opponent failed in mid step; reset the environment".to_owned())),
        }
    }

    /// Does something to each game, on all threads: the calling one takes part, the others are woken for it.
    fn each(&mut self, actions: &[i64], batch: BatchMut<'_>, act: Act<P>) -> Result<()> {
        self.ready = Ready::Broken;
        let Self { lanes, legal, workers, pool, rules, .. } = self;
        let mut whole = Part { lanes, legal, actions, batch };
        let (own, others) = workers.split_first_mut().expect("an environment has a worker");
        match pool {
            None => whole.each(rules, own, act).map_err(|(_, error)| error)?,
            Some(pool) => {
                let rest = Mutex::new(Rest { part: whole, failed: None });
                pool.in_place_scope(|scope| {
                    let (rest, rules) = (&rest, &*rules);
                    for worker in others {
                        scope.spawn(move |_| worker.share(rest, rules, act));
                    }
                    own.share(rest, rules, act);
                });
                if let Some((_, error)) = rest.into_inner().unwrap_or_else(PoisonError::into_inner).failed {
                    return Err(error);
                }
            }
        }
        self.ready = Ready::Yes;
        Ok(())
    }

    /// All games and their chance as bytes; what an opponent has thought is not among them.
    ///
    /// # Errors
    /// If the environment has not been reset.
    pub fn save(&self) -> Result<Vec<u8>> {
        self.check_ready()?;
        let mut out = MAGIC.to_vec();
        out.extend((self.lanes.len() as u32).to_le_bytes());
        for lane in &self.lanes {
            out.push(lane.agent.map_or(2, |side| side.index() as u8));
            out.extend(lane.begun.to_le_bytes());
            let rng = serde_json::to_vec(&lane.rng).map_err(|e| damaged(&e.to_string()))?;
            out.push(rng.len() as u8);
            out.extend(rng);
            out.extend(lane.game.to_bytes());
        }
        Ok(out)
    }

    /// Restores the games of [`VecEnv::save`], taken from an environment with as many games; then nothing else differs
    /// from it but what the options say.
    ///
    /// # Errors
    /// [`Error::State`] if the bytes are damaged or of an environment that does not fit; then nothing has changed.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<()> {
        let mut rest = bytes;
        if take(&mut rest)? != MAGIC {
            return Err(damaged("expected an environment of format 1"));
        }
        let games = u32::from_le_bytes(take(&mut rest)?) as usize;
        if games != self.games() {
            return Err(damaged(&format!("expected {} games, found {games}", self.games())));
        }
        let has_opponent = self.workers.iter().any(|worker| worker.opponent.is_some());
        let lanes = (0..games).map(|i| Lane::take(i, has_opponent, &mut rest));
        let lanes = lanes.collect::<Result<Vec<_>>>()?;
        let draws = self.rules.fresh.preset();
        if let Some(other) = lanes.iter().map(|lane| lane.game.preset()).find(|&other| other != draws) {
            return Err(damaged(&format!("expected games with the draw rules {draws}, found {other}")));
        }
        if !rest.is_empty() {
            return Err(damaged("expected no more bytes behind the games"));
        }
        self.lanes = lanes;
        let mut hops = Hops::new();
        for (lane, set) in self.lanes.iter_mut().zip(self.legal.chunks_exact_mut(legal::words::<P>())) {
            lane.see(&mut hops, set);
        }
        self.ready = Ready::Yes;
        Ok(())
    }
}

/// The first bytes of a stored environment; the last of them is the format's version.
const MAGIC: [u8; 4] = *b"she\x01";
