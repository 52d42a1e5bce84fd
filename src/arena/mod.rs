//! Matches: paired openings, colours swapped, Elo with its interval, SPRT.

mod clock;
mod elo;
mod game;
mod openings;
mod scale;
mod summary;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

use crate::board::Side;
use crate::error::{Error, Result};
use crate::evaluator::Knowledge;
use crate::games::Preset;
use crate::games::position::Position;
use crate::player::Player;
use crate::threads;

pub use clock::TimeControl;
pub use elo::{Estimate, Sprt, Tally, Verdict, elo_of, score_of};
pub use game::GameRecord;
pub use openings::{Opening, Openings};
pub use scale::{Encounter, Rating, fit};
pub use summary::{Summary, Test};

/// The most games of a match: its openings are drawn before it begins.
pub const MOST_GAMES: u32 = 1_000_000;

/// The most threads.
const MOST_THREADS: usize = 1024;

/// Makes a player; called once by each thread.
pub type Factory<'a, P> = dyn Fn() -> Result<Box<dyn Player<P>>> + Sync + 'a;

/// How a match is played.
#[derive(Clone, Debug)]
pub struct Options<P> {
    /// Games, an even number up to [`MOST_GAMES`]: each opening is played twice, colours swapped.
    pub games: u32,
    /// Where they begin.
    pub openings: Openings<P>,
    /// The draw rules.
    pub draws: Preset,
    /// A game of this many turns of both sides together, opening included, is a draw by turn limit.
    pub max_turns: Option<u32>,
    /// The clock; without it players think as long as they were made to.
    pub clock: Option<TimeControl>,
    /// Stops the match as soon as this test decides.
    pub sprt: Option<Sprt>,
    /// A game whose end is certain by this ends there.
    pub knowledge: Knowledge<P>,
    /// Threads, each playing a pair of games at a time, up to 1024; 0 is one a core.
    pub threads: usize,
    /// Seeds openings and players. The same seed gives the same match whatever the number of threads, as long as nobody
    /// thinks by time.
    pub seed: u64,
}

impl<P: Position> Default for Options<P> {
    fn default() -> Self {
        Self {
            games: 100,
            openings: Openings::Random { plies: 4 },
            draws: Preset::Official,
            max_turns: None,
            clock: None,
            sprt: None,
            knowledge: Knowledge::default(),
            threads: 1,
            seed: 1,
        }
    }
}

/// The result of a match from the side of its first player, A.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Wins, draws, losses and the results of pairs.
    pub tally: Tally,
    /// The games that A played with White and with Black.
    pub by_colour: [Tally; 2],
    /// Draws by the name of the rule.
    pub draws_by: BTreeMap<&'static str, u32>,
    /// Decided games by the name of the reason.
    pub decided_by: BTreeMap<&'static str, u32>,
    /// Turns that A and B chose.
    pub turns: [u64; 2],
    /// Seconds that A and B thought in all.
    pub thought_s: [f64; 2],
    /// The match's own duration in seconds.
    pub seconds: f64,
    /// What the sequential test decided.
    pub verdict: Option<Verdict>,
    /// Whether the match was stopped from outside.
    pub interrupted: bool,
}

impl Report {
    /// Mean seconds a turn of A and of B.
    #[must_use]
    pub fn mean_turn_s(&self) -> [f64; 2] {
        [0, 1].map(|i| self.thought_s[i] / self.turns[i].max(1) as f64)
    }

    fn count<P: Position>(&mut self, game: &GameRecord<P>) {
        self.tally.count_game(game.half_points());
        self.by_colour[game.side_of_a().index()].count_game(game.half_points());
        let by = if game.outcome.winner.is_some() { &mut self.decided_by } else { &mut self.draws_by };
        *by.entry(game.outcome.reason.name()).or_default() += 1;
        for side in Side::BOTH {
            let player = usize::from(side != game.side_of_a());
            self.turns[player] += u64::from(game.chosen[side.index()]);
            self.thought_s[player] += game.thought_s[side.index()];
        }
    }
}

/// Plays a match of A against B. `on_game` sees every finished game in order, with the report so far; an error from it
/// stops the match. When `stop` becomes true, games under way are dropped and the finished ones reported.
///
/// A player that fails or answers with an illegal turn loses that game by `illegal`; the record says why.
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use shashki::arena::{self, Options};
/// use shashki::games::Russian;
/// use shashki::player::{Player, RandomPlayer};
///
/// let random = || Ok(Box::new(RandomPlayer::new(1)) as Box<dyn Player<Russian>>);
/// let options = Options { games: 4, ..Options::default() };
/// let report = arena::play(&random, &random, &options, &AtomicBool::new(false), &mut |_, _| Ok(()))?;
/// assert_eq!(report.tally.games(), 4);
/// # Ok::<(), shashki::Error>(())
/// ```
///
/// # Errors
/// If the options make no sense, a player cannot be made, `on_game` fails, an endgame table is damaged, or there is no memory
/// to think with.
pub fn play<P: Position>(
    a: &Factory<'_, P>,
    b: &Factory<'_, P>,
    options: &Options<P>,
    stop: &AtomicBool,
    on_game: &mut dyn FnMut(&GameRecord<P>, &Report) -> Result<()>,
) -> Result<Report> {
    options.check()?;
    let start = Instant::now();
    let pairs = options.games as usize / 2;
    let openings = options.openings.draw(pairs, options.draws, options.seed)?;
    // Set when no more games are wanted: the test has decided, or something failed.
    let enough = AtomicBool::new(false);
    let halted = || enough.load(Ordering::Relaxed) || stop.load(Ordering::Relaxed);
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let work = |sender: mpsc::Sender<Result<(usize, Vec<GameRecord<P>>)>>| {
        let players = a().and_then(|a| Ok([a, b()?]));
        let mut players = match players {
            Ok(players) => players,
            Err(error) => {
                // The receiver is gone only when it has an error already.
                let _ = sender.send(Err(error));
                return;
            }
        };
        while !halted() {
            let pair = next.fetch_add(1, Ordering::Relaxed);
            let Some(opening) = openings.get(pair) else { return };
            let games = game::play_pair(&mut players, opening, pair, options, &halted);
            if sender.send(games.map(|games| (pair, games))).is_err() {
                return;
            }
        }
    };
    let mut report = Report::default();
    let mut waiting = BTreeMap::new();
    let mut merged = 0;
    std::thread::scope(|scope| -> Result<()> {
        for _ in 0..threads::count(options.threads).min(pairs) {
            let (work, sender) = (&work, sender.clone());
            scope.spawn(move || work(sender));
        }
        drop(sender);
        let mut merge = || -> Result<()> {
            for message in &receiver {
                // A thread answers for every pair it began, in a halt with fewer games: none waits for ever.
                let (pair, games) = message?;
                waiting.insert(pair, games);
                while report.verdict.is_none()
                    && let Some(games) = waiting.remove(&merged)
                {
                    merged += 1;
                    report.merge(&games, on_game)?;
                    report.verdict = options.sprt.and_then(|sprt| sprt.verdict(&report.tally));
                    enough.fetch_or(report.verdict.is_some(), Ordering::Relaxed);
                }
            }
            Ok(())
        };
        let merged = merge();
        enough.store(true, Ordering::Relaxed);
        merged
    })?;
    report.interrupted = report.verdict.is_none() && report.tally.games() < options.games;
    report.seconds = start.elapsed().as_secs_f64();
    Ok(report)
}

impl Report {
    fn merge<P: Position>(
        &mut self,
        games: &[GameRecord<P>],
        on_game: &mut dyn FnMut(&GameRecord<P>, &Self) -> Result<()>,
    ) -> Result<()> {
        if let [first, second] = games {
            self.tally.count_pair(first.half_points() + second.half_points());
        }
        for game in games {
            self.count(game);
            on_game(game, self)?;
        }
        Ok(())
    }
}

impl<P: Position> Options<P> {
    /// Sees whether the options make sense; [`play`] does so too.
    ///
    /// # Errors
    /// The option, its value and what was expected.
    pub fn check(&self) -> Result<()> {
        if self.games == 0 || self.games % 2 == 1 || self.games > MOST_GAMES {
            let expected = format!("an even number from 2 to {MOST_GAMES}: each opening is played twice");
            return Err(Error::value("games", self.games, expected));
        }
        if self.threads > MOST_THREADS {
            return Err(Error::value("threads", self.threads, format!("0 (one a core) to {MOST_THREADS}")));
        }
        if self.max_turns == Some(0) {
            return Err(Error::value("max turns", 0, "at least 1"));
        }
        match self.sprt {
            Some(Sprt { elo0, elo1 }) if !(elo0 < elo1 && elo0.is_finite() && elo1.is_finite()) => {
                Err(Error::value("sprt", format!("{elo0},{elo1}"), "ELO0,ELO1 with ELO0 below ELO1"))
            }
            _ => Ok(()),
        }
    }
}
