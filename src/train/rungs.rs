//! The rungs: matches of a run's network against fixed opponents, during the run and at its end.

use std::fmt;
use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};

use crate::arena::{self, Openings, Options, Report, score_of};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::net::load;
use crate::net::weights::Weights;
use crate::player::Player;
use crate::roster;
use crate::search::heuristic::Heuristic;
use crate::search::mcts_player::{MctsPlayer, PlayerSettings};

use super::console::Console;

/// The network's match against one opponent.
#[derive(Clone, Debug)]
pub struct Rung {
    /// The opponent's text.
    pub opponent: String,
    /// The trained network's result.
    pub report: Report,
    /// The result of the network that the run began with, with the same search, where it was asked for.
    pub start: Option<Report>,
}

impl Rung {
    /// Its numbers: score with 95% interval, Elo with interval, games won, drawn and lost, seconds.
    #[must_use]
    pub fn row(&self) -> Value {
        let row = |report: &Report| {
            let (tally, estimate) = (&report.tally, report.tally.estimate());
            let [score, low, high] = score(report);
            json!({
                "games": tally.games(), "wins": tally.wins, "draws": tally.draws, "losses": tally.losses,
                "score": score, "score_low": low, "score_high": high,
                "elo": estimate.elo, "elo_low": estimate.low, "elo_high": estimate.high,
                "seconds": report.seconds,
            })
        };
        let mut numbers = row(&self.report);
        if let Some(start) = &self.start {
            numbers["start"] = row(start);
        }
        numbers
    }
}

/// A report's score and its 95% interval.
fn score(report: &Report) -> [f64; 3] {
    let estimate = report.tally.estimate();
    let score = report.tally.score().unwrap_or(0.5);
    [score, estimate.low.map_or(0.0, score_of), estimate.high.map_or(1.0, score_of)]
}

/// Plays the network against every configured opponent. `on_pdn` gets each game as PDN text.
///
/// # Errors
/// [`Error::Interrupted`] when stopped; whatever is wrong with an opponent or the network.
pub fn measure<P: Heuristic>(
    weights: &Weights,
    config: &Config,
    games: u32,
    seed: u64,
    stop: &AtomicBool,
    console: &mut Console,
    on_pdn: &mut dyn FnMut(&str),
) -> Result<Vec<Rung>> {
    let visits = config.arena.visits;
    let name = format!("net:step={},visits={visits}", weights.card.step);
    let net = || {
        let evaluator = load::evaluator::<P>(weights, config.run.device)?;
        let settings = PlayerSettings { visits: Some(visits), puct: config.search.puct(), ..PlayerSettings::default() };
        Ok(Box::new(MctsPlayer::new(evaluator, settings, name.clone())) as Box<dyn Player<P>>)
    };
    let options = Options {
        games,
        openings: Openings::Random { plies: config.arena.opening_turns },
        draws: config.run.draws,
        max_turns: Some(config.selfplay.max_turns),
        threads: config.threads(),
        seed,
        ..Options::default()
    };
    let mut rungs = Vec::with_capacity(config.arena.opponents.len());
    for opponent in &config.arena.opponents {
        let other = || roster::player::<P>(opponent);
        let report = arena::play(&net, &other, &options, stop, &mut |game, report| {
            on_pdn(&game.record([&name, opponent], config.run.draws).to_string());
            console.matching(opponent, report.tally.games(), games);
            Ok(())
        })?;
        if report.interrupted {
            return Err(Error::Interrupted);
        }
        console.matched(&name, opponent, &report);
        rungs.push(Rung { opponent: opponent.clone(), report, start: None });
    }
    Ok(rungs)
}

/// The closing table of a run: each opponent, the scores of the trained network and of the one the run began with, with 95% intervals.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Simulations a turn of both networks.
    pub visits: u32,
    /// Whether the run began with an untrained network, and not with one that it was given.
    pub untrained: bool,
    /// A row an opponent; none where the run wanted no closing games.
    pub rungs: Vec<Rung>,
}

impl Table {
    /// The table as JSON: `{"final": {OPPONENT: {…}}}`.
    #[must_use]
    pub fn row(&self) -> Value {
        let rows: serde_json::Map<_, _> = self.rungs.iter().map(|rung| (rung.opponent.clone(), rung.row())).collect();
        json!({ "final": rows })
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |report: &Report| {
            let [score, low, high] = score(report);
            let tally = &report.tally;
            format!("{score:.3} [{low:.3}, {high:.3}] +{} ={} -{}", tally.wins, tally.draws, tally.losses)
        };
        let width = self.rungs.iter().map(|rung| rung.opponent.len()).max().unwrap_or(0).max("opponent".len());
        let start = if self.untrained { "untrained" } else { "start" };
        write!(
            f,
            "score = (wins + draws/2) / games, 95% interval, at {} visits a turn\n{:width$}  {:36}  {start}, same search",
            self.visits, "opponent", "trained"
        )?;
        for rung in &self.rungs {
            let start = rung.start.as_ref().map_or_else(String::new, shown);
            write!(f, "\n{:width$}  {:36}  {start}", rung.opponent, shown(&rung.report))?;
        }
        Ok(())
    }
}
