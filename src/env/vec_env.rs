//! Many games stepped in one call.

use std::fmt;
use std::str::FromStr;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::board::{Hops, Side};
use crate::error::{Error, Result};
use crate::games::draws::Preset;
use crate::games::game::{Game, Outcome, Reason};
use crate::games::planes::Features;
use crate::games::position::Position;
use crate::player::Player;

use super::batch::BatchMut;

/// Fewer games than this to a thread cost more to hand over than to play, where no opponent thinks.
const GAMES_PER_THREAD: usize = 128;

/// The fewest turns a game may be limited to: with one, an agent of Black's would never move.
const LEAST_MAX_TURNS: u32 = 2;

/// The most games of one environment.
const MOST_GAMES: usize = 1 << 20;

/// The most threads.
const MOST_THREADS: usize = 1024;

/// Which side the caller plays against an opponent.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Seat {
    /// White in every game.
    White,
    /// Black in every game.
    Black,
    /// White in the first game of the environments 0, 2, 4, …, Black in the others', and changing with each game.
    #[default]
    Alternate,
    /// By lot in each game.
    Random,
}

impl Seat {
    /// Every seat, in the order of their stored numbers.
    pub const ALL: [Self; 4] = [Self::White, Self::Black, Self::Alternate, Self::Random];

    /// The name in options.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::White => "white",
            Self::Black => "black",
            Self::Alternate => "alternate",
            Self::Random => "random",
        }
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Seat {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|seat| seat.name() == text);
        found.ok_or_else(|| Error::value("side", text, "one of white, black, alternate, random"))
    }
}

/// How the games of an environment are played.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct EnvOptions {
    /// How many games are stepped at once: 1 to 1,048,576.
    pub games: usize,
    /// Seeds the choices by chance: same seed, options and actions, same games.
    pub seed: u64,
    /// The draw rules.
    pub draws: Preset,
    /// A game of this many turns (of both sides) is cut off: `truncated`. At least 2; `None` is without limit.
    pub max_turns: Option<u32>,
    /// Threads, at most 1024; 0 is one a core. Few games stay on the calling thread.
    pub threads: usize,
    /// The caller's side against an opponent.
    pub seat: Seat,
}

impl Default for EnvOptions {
    fn default() -> Self {
        Self { games: 1, seed: 0, draws: Preset::Official, max_turns: None, threads: 1, seat: Seat::Alternate }
    }
}

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

/// What holds for every game.
#[derive(Debug)]
struct Rules<P> {
    /// A game before its first hop.
    fresh: Game<P>,
    seat: Seat,
    max_turns: Option<u32>,
}

/// One of the games.
#[derive(Debug)]
struct Lane<P> {
    number: usize,
    game: Game<P>,
    /// The legal hops.
    hops: Hops,
    /// Which of them the next step plays.
    chosen: usize,
    rng: Xoshiro256PlusPlus,
    /// The caller's side against an opponent.
    agent: Option<Side>,
    /// Games begun since the seed.
    begun: u64,
}

/// What a thread needs.
struct Worker<P> {
    opponent: Option<Box<dyn Player<P>>>,
    features: Features,
}

impl<P> fmt::Debug for Worker<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("has_opponent", &self.opponent.is_some()).finish_non_exhaustive()
    }
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
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if options.threads == 0 { cores() } else { options.threads };
        let useful = if opponents.is_some() { options.games } else { options.games / GAMES_PER_THREAD };
        let threads = threads.min(useful).max(1);
        let worker = |i| {
            let opponent = opponents.map(|make| make(i)).transpose()?;
            Ok(Worker { opponent, features: Features::default() })
        };
        let lane = |number| Lane {
            number,
            game: fresh.clone(),
            hops: Hops::with_capacity(32),
            chosen: 0,
            rng: Xoshiro256PlusPlus::seed_from_u64(0),
            agent: None,
            begun: 0,
        };
        let pool = match threads {
            1 => None,
            n => Some(
                ThreadPoolBuilder::new()
                    .num_threads(n)
                    .build()
                    .map_err(|e| Error::Failed(format!("cannot start {n} threads: {e}")))?,
            ),
        };
        let lanes = (0..options.games).map(lane).collect();
        let mut env = Self {
            lanes,
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
        self.each(batch, Lane::reset)
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
        for (lane, &action) in self.lanes.iter_mut().zip(actions) {
            lane.choose(action)?;
        }
        self.each(batch, Lane::step)
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
        for (lane, action) in self.lanes.iter_mut().zip(actions) {
            let hop = lane.hops[lane.rng.random_range(0..lane.hops.len())];
            *action = lane.game.position().index(hop) as i64;
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
        self.each(batch, |lane, _, worker, batch, i| {
            batch.go_on(i, lane.agent);
            batch.show(i, &lane.game, &lane.hops, &mut worker.features);
            Ok(())
        })
    }

    fn check_ready(&self) -> Result<()> {
        match self.ready {
            Ready::Yes => Ok(()),
            Ready::NotReset => Err(Error::Failed("the environment must be reset before its first step".to_owned())),
            Ready::Broken => Err(Error::Failed("an opponent failed in mid step; reset the environment".to_owned())),
        }
    }

    /// Does something to each game, on all threads.
    fn each(&mut self, mut batch: BatchMut<'_>, act: Act<P>) -> Result<()> {
        self.ready = Ready::Broken;
        let Self { lanes, workers, rules, .. } = self;
        match &self.pool {
            None => each(lanes, workers, rules, &mut batch, act)?,
            Some(pool) => pool.install(|| each(lanes, workers, rules, &mut batch, act))?,
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
        if !rest.is_empty() {
            return Err(damaged("expected no more bytes behind the games"));
        }
        self.lanes = lanes;
        self.ready = Ready::Yes;
        Ok(())
    }
}

type Act<P> = fn(&mut Lane<P>, &Rules<P>, &mut Worker<P>, &mut BatchMut<'_>, usize) -> Result<()>;

/// Halves the games and the workers until each worker has its own.
fn each<P: Position>(
    lanes: &mut [Lane<P>],
    workers: &mut [Worker<P>],
    rules: &Rules<P>,
    batch: &mut BatchMut<'_>,
    act: Act<P>,
) -> Result<()> {
    if let [worker] = workers {
        return lanes.iter_mut().enumerate().try_for_each(|(i, lane)| act(lane, rules, worker, batch, i));
    }
    let left = workers.len() / 2;
    let games = lanes.len() * left / workers.len();
    let (workers, workers_rest) = workers.split_at_mut(left);
    let (lanes, lanes_rest) = lanes.split_at_mut(games);
    let (mut batch, mut batch_rest) = batch.split_at(games, &P::SPEC);
    let (first, second) = rayon::join(
        || each(lanes, workers, rules, &mut batch, act),
        || each(lanes_rest, workers_rest, rules, &mut batch_rest, act),
    );
    first.and(second)
}

impl<P: Position> Lane<P> {
    /// Takes an action for the next step if it is legal.
    fn choose(&mut self, action: i64) -> Result<()> {
        let hop = usize::try_from(action).ok().and_then(|action| self.game.position().hop_at(action));
        if let Some(at) = hop.and_then(|hop| self.hops.iter().position(|&legal| legal == hop)) {
            self.chosen = at;
            return Ok(());
        }
        let mut legal: Vec<_> = self.hops.iter().map(|&hop| self.game.position().index(hop)).collect();
        legal.sort_unstable();
        Err(Error::IllegalAction { env: Some(self.number), action, legal: format!("{legal:?}") })
    }

    fn reset(&mut self, rules: &Rules<P>, worker: &mut Worker<P>, batch: &mut BatchMut<'_>, i: usize) -> Result<()> {
        self.begin(rules, worker)?;
        batch.go_on(i, self.agent);
        batch.show(i, &self.game, &self.hops, &mut worker.features);
        Ok(())
    }

    fn step(&mut self, rules: &Rules<P>, worker: &mut Worker<P>, batch: &mut BatchMut<'_>, i: usize) -> Result<()> {
        self.game.play_unchecked(self.hops[self.chosen]);
        self.cut_off(rules)?;
        self.reply(rules, worker)?;
        match self.game.outcome() {
            None => {
                self.game.hops(&mut self.hops);
                batch.go_on(i, self.agent);
            }
            Some(outcome) => {
                batch.end(i, self.agent, &self.game, outcome, &mut worker.features);
                self.begin(rules, worker)?;
            }
        }
        batch.show(i, &self.game, &self.hops, &mut worker.features);
        Ok(())
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
        self.reply(rules, worker)?;
        self.game.hops(&mut self.hops);
        if self.hops.is_empty() {
            return Err(Error::Failed("a game was over before the first hop".to_owned()));
        }
        Ok(())
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

    fn take(number: usize, has_opponent: bool, bytes: &mut &[u8]) -> Result<Self> {
        let agent = match take(bytes)? {
            [2] => None,
            [n] => Some(*Side::BOTH.get(usize::from(n)).ok_or_else(|| damaged("expected a side"))?),
        };
        let begun = u64::from_le_bytes(take(bytes)?);
        let [len] = take(bytes)?;
        let rng = bytes.split_off(..usize::from(len)).ok_or_else(|| damaged("cut short"))?;
        let rng = serde_json::from_slice(rng).map_err(|e| damaged(&format!("random state: {e}")))?;
        let game = Game::take(bytes)?;
        if agent.is_some() != has_opponent || agent.is_some_and(|agent| agent != game.side()) {
            return Err(damaged("expected games of both sides by the caller, or with an opponent, as this one has"));
        }
        let mut hops = Hops::new();
        game.hops(&mut hops);
        if hops.is_empty() {
            return Err(damaged("expected games that are not over"));
        }
        Ok(Self { number, game, hops, chosen: 0, rng, agent, begun })
    }
}

/// The first bytes of a stored environment; the last of them is the format's version.
const MAGIC: [u8; 4] = *b"she\x01";

fn damaged(reason: &str) -> Error {
    Error::State { what: "environment", reason: reason.to_owned() }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N]> {
    let (head, rest) = bytes.split_first_chunk().ok_or_else(|| damaged("cut short"))?;
    *bytes = rest;
    Ok(*head)
}
