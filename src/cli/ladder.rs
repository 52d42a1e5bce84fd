//! `ladder`: many players, their matches, and one scale for all of them.

mod kept;
mod table;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::Args;
use serde::Serialize;

use crate::arena::{self, Encounter, Options, Rating};
use crate::balanced;
use crate::error::{Error, Result};
use crate::files;
use crate::for_variant;
use crate::games::Variant;
use crate::roster::{self, Entrant};
use crate::search::heuristic::Heuristic;

use super::Rules;
use super::arena::Pdn;
use super::output::{self, Output};

use kept::{Kept, Match};

/// Who is 0 on the scale, if it plays.
const ANCHOR: &str = "random";
/// The most players.
const MOST_PLAYERS: usize = 200;

/// Plays matches among many players and places all of them on one Elo scale.
#[derive(Args)]
#[command(
    after_help = "The scale is fitted by maximum likelihood (Bradley-Terry, draws as half wins, one virtual draw a pair); random is 0,\n\
                  or else the first player. The 95% intervals are those of a player's distance from there.\n\
                  Examples:\n  shashki ladder random alphabeta:depth=1 alphabeta:depth=2 --games 100\n  \
                  shashki ladder random alphabeta:time=0.01 alphabeta:time=0.1 --neighbours --games 200 \
                  --games-for 60:alphabeta:time=0.1 --keep ladder.jsonl"
)]
pub(super) struct Arguments {
    /// The players, as texts; each plays each, but for --neighbours.
    #[arg(required = true, num_args = 2..)]
    players: Vec<String>,
    /// The variant.
    #[arg(long, default_value_t = Variant::Russian)]
    variant: Variant,
    /// Games a pair, an even number: each opening is played twice, colours swapped.
    #[arg(long, default_value_t = 100)]
    games: u32,
    /// Games of the pairs that this player is in, where they differ; may be given several times.
    #[arg(long, value_name = "N:PLAYER", value_parser = read_games_for)]
    games_for: Vec<(u32, String)>,
    /// Each player plays only the next one, in the order given.
    #[arg(long)]
    neighbours: bool,
    /// Each player plays each other one; so it is unless told otherwise.
    #[arg(long, conflicts_with = "neighbours")]
    all_pairs: bool,
    /// As for arena; the pairs play the same ones. balanced:PLIES are random ones that a search of six turns calls even.
    #[arg(long, default_value = "balanced:6")]
    openings: String,
    #[command(flatten)]
    rules: Rules,
    /// A game of so many turns of both sides together is a draw.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    max_turns: Option<u32>,
    /// Write every game to this file; where --keep knows earlier matches, behind what it holds.
    #[arg(long, value_name = "FILE")]
    pdn: Option<PathBuf>,
    /// Keep the result of each pair in this file, and take from it what an earlier run has played.
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,
    /// Write the table between the lines <!-- ladder --> and <!-- end of ladder --> of this Markdown file.
    #[arg(long, value_name = "FILE")]
    into: Option<PathBuf>,
    /// Threads, each playing a pair of games at a time; 0 is one a core.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=1024))]
    threads: u32,
    /// Seeds openings and players: the same seed gives the same matches, unless players think by time.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn read_games_for(text: &str) -> Result<(u32, String)> {
    let parts = text.split_once(':').and_then(|(games, player)| Some((games.parse().ok()?, player.to_owned())));
    parts.ok_or_else(|| Error::value("games-for", text, "N:PLAYER, like 60:alphabeta:time=0.1"))
}

/// A player's place.
#[derive(Debug, Serialize)]
struct Place<'a> {
    name: &'a str,
    elo: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    games: u32,
}

/// What the command answers.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    variant: &'static str,
    anchor: &'a str,
    players: Vec<Place<'a>>,
    pairs: &'a [Match],
    openings: &'a str,
    seed: u64,
    seconds: f64,
    interrupted: bool,
}

impl Arguments {
    pub fn run(self, out: &Output, stop: &AtomicBool) -> Result<()> {
        self.check()?;
        for_variant!(self.variant, P => self.play::<P>(out, stop))
    }

    /// Sees whether the command line makes sense, before any file is touched.
    fn check(&self) -> Result<()> {
        if self.players.len() > MOST_PLAYERS {
            return Err(Error::value("players", self.players.len(), format!("at most {MOST_PLAYERS}")));
        }
        for (i, player) in self.players.iter().enumerate() {
            roster::check(player)?;
            if self.players[..i].contains(player) {
                return Err(Error::value("player", player, "each player once"));
            }
        }
        files::apart("pdn", self.pdn.as_deref(), self.keep.as_deref())?;
        files::apart("into", self.into.as_deref(), self.keep.as_deref())?;
        files::apart("into", self.into.as_deref(), self.pdn.as_deref())?;
        match self.games_for.iter().find(|(_, player)| !self.players.contains(player)) {
            Some((_, player)) => Err(Error::value("games-for", player, "one of the players")),
            None => Ok(()),
        }
    }

    /// The pairs that meet, by the players' numbers.
    fn pairs(&self) -> Vec<[usize; 2]> {
        let n = self.players.len();
        let all = (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b]));
        all.filter(|[a, b]| !self.neighbours || b - a == 1).collect()
    }

    /// The games of a pair: what was said of either player, the fewer where something was said of both.
    fn games_of(&self, pair: [usize; 2]) -> u32 {
        let said = self.games_for.iter().filter(|(_, player)| pair.iter().any(|&i| self.players[i] == *player));
        said.map(|(games, _)| *games).min().unwrap_or(self.games)
    }

    /// How all pairs play, but for the number of games.
    fn options<P: Heuristic>(&self, most_games: u32, stop: &AtomicBool) -> Result<Options<P>> {
        Ok(Options {
            openings: balanced::read(&self.openings, self.rules.draws, most_games, self.seed, stop)?,
            draws: self.rules.draws,
            max_turns: self.max_turns,
            threads: self.threads as usize,
            seed: self.seed,
            ..Options::default()
        })
    }

    fn play<P: Heuristic>(&self, out: &Output, stop: &AtomicBool) -> Result<()> {
        let start = Instant::now();
        let pairs = self.pairs();
        let games: Vec<_> = pairs.iter().map(|&pair| self.games_of(pair)).collect();
        games.iter().try_for_each(|&games| Options::<P> { games, ..Options::default() }.check())?;
        let options = self.options::<P>(games.iter().copied().max().unwrap_or(0), stop)?;
        let entrants = self.players.iter().map(|text| Entrant::<P>::new(text)).collect::<Result<Vec<_>>>()?;
        // What is wrong with a file shows before hours of play.
        self.into.as_deref().map(table::around).transpose()?;
        let mut kept = Kept::open(self.keep.as_deref())?;
        let mut pdn = self.pdn.as_ref().map(|path| Pdn::open(path.clone(), !kept.is_empty())).transpose()?;
        let bar = output::bar(games.iter().map(|&games| u64::from(games)).sum(), "games");
        let mut matches: Vec<Match> = Vec::new();
        let mut interrupted = false;
        for (&pair, &games) in pairs.iter().zip(&games) {
            let before: u64 = matches.iter().map(|played| u64::from(played.games())).sum();
            let [a, b] = pair.map(|i| self.players[i].as_str());
            let mut played = Match::new(self.variant, [a, b], self.conditions(games));
            if let Some(known) = kept.find(&played) {
                bar.set_position(before + u64::from(known.games()));
                matches.push(known.clone());
                continue;
            }
            if stop.load(Ordering::Relaxed) {
                interrupted = true;
                break;
            }
            let options = Options { games, ..options.clone() };
            let makers = pair.map(|i| &entrants[i]);
            let report =
                arena::play(&|| makers[0].player(), &|| makers[1].player(), &options, stop, &mut |game, report| {
                    bar.set_position(before + u64::from(report.tally.games()));
                    bar.set_message(format!("{a} against {b}"));
                    if let Some(warning) = &game.warning {
                        bar.suspend(|| output::note(&format!("warning: {warning}")));
                    }
                    pdn.as_mut().map_or(Ok(()), |pdn| pdn.write(game, [a, b], &options))
                })?;
            played.count(&report.tally);
            interrupted = report.interrupted;
            if !interrupted {
                kept.add(&played)?;
            }
            matches.push(played);
            if interrupted {
                break;
            }
        }
        bar.finish_and_clear();
        let anchor = self.players.iter().position(|player| player == ANCHOR).unwrap_or(0);
        let ratings = self.fit(&matches, anchor);
        let places: Vec<_> = self.players.iter().map(String::as_str).zip(ratings).collect();
        out.text(&table::text(&places, &matches))?;
        if let Some(path) = self.into.as_ref().filter(|_| !interrupted) {
            table::write_into(path, &table::markdown(&places, &matches, &self.heading(&games)))?;
        }
        let place = |&(name, Rating { elo, low, high, games })| Place { name, elo, low, high, games };
        out.object(&Answer {
            variant: self.variant.name(),
            anchor: &self.players[anchor],
            players: places.iter().map(place).collect(),
            pairs: &matches,
            openings: &self.openings,
            seed: self.seed,
            seconds: start.elapsed().as_secs_f64(),
            interrupted,
        })?;
        if interrupted { Err(Error::Interrupted) } else { Ok(()) }
    }

    /// All that a match's result depends on beside its players.
    fn conditions(&self, games: u32) -> String {
        let max_turns = self.max_turns.map_or_else(String::new, |turns| format!(", at most {turns} turns"));
        format!("{games} games, openings {}, draws {}, seed {}{max_turns}", self.openings, self.rules.draws, self.seed)
    }

    fn fit(&self, matches: &[Match], anchor: usize) -> Vec<Rating> {
        let number = |name: &str| self.players.iter().position(|player| player == name);
        let encounters: Vec<_> = matches
            .iter()
            .filter_map(|played| {
                Some(Encounter { players: [number(&played.a)?, number(&played.b)?], tally: played.tally() })
            })
            .collect();
        arena::fit(self.players.len(), &encounters, anchor)
    }

    /// What a table says of how it was made.
    fn heading(&self, games: &[u32]) -> String {
        let (fewest, most) = (games.iter().min().unwrap_or(&0), games.iter().max().unwrap_or(&0));
        let games = if fewest == most { format!("{most}") } else { format!("{fewest} to {most}") };
        let who = if self.neighbours { "neighbours play each other" } else { "all play each other" };
        format!(
            "{}, {who}: {games} games a pair, openings `{}`, draws `{}`, seed {}, shashki {}.",
            self.variant,
            self.openings,
            self.rules.draws,
            self.seed,
            env!("CARGO_PKG_VERSION")
        )
    }
}
