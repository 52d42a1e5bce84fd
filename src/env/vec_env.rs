//! Many games stepped in one call.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::board::Hops;
use crate::error::{Error, Result};
use crate::games::game::Game;
use crate::games::planes::Features;
use crate::games::position::Position;
use crate::player::Player;
use crate::seal::{seal, unseal};
use crate::threads;

use super::batch::BatchMut;
use super::legal;
use super::options::{EnvOptions, LEAST_MAX_TURNS, MOST_GAMES, MOST_THREADS};
use super::part::{Act, GAMES_PER_THREAD, Lane, Part, Rules, Share, Worker, damaged, lock, put_rng, take, take_rng};

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
    /// Chooses the random actions.
    rng: Xoshiro256PlusPlus,
    workers: Vec<Mutex<Worker<P>>>,
    /// The threads but for the calling one; none where it works alone.
    pool: Option<ThreadPool>,
    /// Calls that the threads have worked for.
    calls: Arc<AtomicU64>,
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
            Ok(Mutex::new(Worker { opponent, hops: Hops::with_capacity(64), features: Features::default() }))
        };
        let lane = |number| Lane {
            number,
            game: fresh.clone(),
            rng: Xoshiro256PlusPlus::seed_from_u64(0),
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
            rng: Xoshiro256PlusPlus::seed_from_u64(0),
            workers: (0..threads).map(worker).collect::<Result<_>>()?,
            pool,
            calls: Arc::default(),
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
        self.rng = seeds;
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
        for (set, action) in self.legal.chunks_exact(legal::words::<P>()).zip(actions) {
            let n = self.rng.random_range(0..legal::count(set));
            *action = legal::actions(set).nth(n).expect("as many legal actions as were counted");
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
        let Self { lanes, legal, workers, pool, calls, rules, .. } = self;
        let whole = Part { lanes, legal, actions, batch };
        match pool {
            None => {
                let shares = [Share::new(whole)];
                lock(&workers[0]).work(&shares, 0, rules, act);
                shares.into_iter().find_map(Share::failed)
            }
            Some(pool) => {
                let shares = whole.split(workers.len()).map(Share::new).collect::<Vec<_>>();
                let work = |i: usize| lock(&workers[i]).work(&shares, i, rules, act);
                let call = calls.fetch_add(1, Ordering::Relaxed) + 1;
                let at_work = AtomicUsize::new(workers.len() - 1);
                pool.in_place_scope(|scope| {
                    scope.spawn_broadcast(|_, thread| {
                        work(thread.index() + 1);
                        at_work.fetch_sub(1, Ordering::Relaxed);
                    });
                    linger(pool, calls, call);
                    work(0);
                    look_out(|| at_work.load(Ordering::Relaxed) == 0);
                });
                shares.into_iter().find_map(Share::failed)
            }
        }
        .map_or(Ok(()), Err)?;
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
        put_rng(&self.rng, &mut out)?;
        for lane in &self.lanes {
            out.push(lane.agent.map_or(2, |side| side.index() as u8));
            out.extend(lane.begun.to_le_bytes());
            put_rng(&lane.rng, &mut out)?;
            out.extend(lane.game.to_bytes());
        }
        Ok(seal(out))
    }

    /// Restores the games of [`VecEnv::save`], taken from an environment with as many games; then nothing else differs
    /// from it but what the options say.
    ///
    /// # Errors
    /// [`Error::State`] if the bytes are damaged or of an environment that does not fit; then nothing has changed.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<()> {
        let mut rest = unseal("environment", bytes)?;
        if take(&mut rest)? != MAGIC {
            return Err(damaged("expected an environment of format 3"));
        }
        let games = u32::from_le_bytes(take(&mut rest)?) as usize;
        if games != self.games() {
            return Err(damaged(&format!("expected {} games, found {games}", self.games())));
        }
        let rng = take_rng(&mut rest)?;
        let has_opponent = self.workers.iter().any(|worker| lock(worker).opponent.is_some());
        let lanes = (0..games).map(|i| Lane::take(i, has_opponent, &mut rest));
        let lanes = lanes.collect::<Result<Vec<_>>>()?;
        let draws = self.rules.fresh.preset();
        if let Some(other) = lanes.iter().map(|lane| lane.game.preset()).find(|&other| other != draws) {
            return Err(damaged(&format!("expected games with the draw rules {draws}, found {other}")));
        }
        if !rest.is_empty() {
            return Err(damaged("expected no more bytes behind the games"));
        }
        (self.lanes, self.rng) = (lanes, rng);
        let mut hops = Hops::new();
        for (lane, set) in self.lanes.iter_mut().zip(self.legal.chunks_exact_mut(legal::words::<P>())) {
            lane.see(&mut hops, set);
        }
        self.ready = Ready::Yes;
        Ok(())
    }
}

/// The first bytes of a stored environment; the last of them is the format's version.
const MAGIC: [u8; 4] = *b"she\x03";

/// How long a thread looks out for what it waits for before it goes to sleep: waking it takes tens of microseconds, in
/// which it could step a hundred games.
const LOOKOUT: Duration = Duration::from_micros(200);

/// Waits until something is so, but not for long.
fn look_out(is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() && start.elapsed() < LOOKOUT {
        std::hint::spin_loop();
    }
}

/// Keeps the threads of the pool awake between a call's work and the next call.
fn linger(pool: &ThreadPool, calls: &Arc<AtomicU64>, call: u64) {
    let calls = Arc::clone(calls);
    pool.spawn_broadcast(move |_| look_out(|| calls.load(Ordering::Relaxed) != call));
}
