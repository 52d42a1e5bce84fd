//! `arena`: a match between two players.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use clap::Args;

use crate::arena::{self, GameRecord, Options, Report, Sprt, Summary, Test, TimeControl};
use crate::balanced;
use crate::error::{Error, Result};
use crate::for_variant;
use crate::games::Variant;
use crate::games::position::Position;
use crate::roster::{self, Entrant};
use crate::search::heuristic::Heuristic;

use super::Rules;
use super::output::{self, Output};

/// Plays a match of A against B and tells how strong A is beside B.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  shashki arena alphabeta:depth=6 alphabeta:depth=4 --games 200 --pdn games.pdn\n  \
                        shashki arena mcts:runs/a,visits=100 alphabeta:depth=4 --games 2000 --sprt 0,20"
)]
pub(super) struct Arguments {
    /// The first player, as a text.
    a: String,
    /// The second player, as a text.
    b: String,
    /// The variant.
    #[arg(long, default_value_t = Variant::Russian)]
    variant: Variant,
    /// Games, an even number: each opening is played twice, colours swapped.
    #[arg(long, default_value_t = 100)]
    games: u32,
    /// random:PLIES, balanced:PLIES (of random ones those that a search of six turns calls even), a file with an opening a
    /// line (turns or a position), or a PDN file: the first 8 turns of its games, FILE:PLIES for more or fewer.
    #[arg(long, default_value = "random:4")]
    openings: String,
    /// The time of each side: blitz (180+2), rapid (600+5), classic (2700+15) or SECONDS+INCREMENT.
    #[arg(long)]
    clock: Option<TimeControl>,
    #[command(flatten)]
    rules: Rules,
    /// A game of so many turns of both sides together is a draw.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    max_turns: Option<u32>,
    /// Stop once it is known (5% error) that A is stronger by at most ELO0 or at least ELO1.
    #[arg(long, value_name = "ELO0,ELO1", value_parser = read_sprt, allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// Write every game to this file.
    #[arg(long, value_name = "FILE")]
    pdn: Option<PathBuf>,
    /// Adjudicate by the endgame tables of this folder: a game ends where they are certain of its end.
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
    /// Threads, each playing a pair of games at a time; 0 is one a core.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=1024))]
    threads: u32,
    /// Seeds openings and players: the same seed gives the same match, whatever the threads, unless players think by time.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn read_sprt(text: &str) -> Result<Sprt> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|elo| elo.abs() <= 2000.0);
    let both = text.split_once(',').and_then(|(elo0, elo1)| Some((number(elo0)?, number(elo1)?)));
    match both {
        Some((elo0, elo1)) if elo0 < elo1 => Ok(Sprt { elo0, elo1 }),
        _ => Err(Error::value("sprt", text, "ELO0,ELO1 with ELO0 below ELO1, like 0,10")),
    }
}

impl Arguments {
    pub fn run(self, out: &Output, stop: &AtomicBool) -> Result<()> {
        for_variant!(self.variant, P => self.play::<P>(out, stop))
    }

    fn play<P: Heuristic>(&self, out: &Output, stop: &AtomicBool) -> Result<()> {
        // What is wrong on the command line shows before any file is touched.
        roster::check(&self.a)?;
        roster::check(&self.b)?;
        let options = Options::<P> {
            games: self.games,
            openings: arena::Openings::Random { plies: 0 },
            draws: self.rules.draws,
            max_turns: self.max_turns,
            clock: self.clock,
            sprt: self.sprt,
            knowledge: roster::knowledge(self.tables.as_deref())?,
            threads: self.threads as usize,
            seed: self.seed,
        };
        options.check()?;
        let openings = balanced::read(&self.openings, self.rules.draws, self.games, self.seed, stop)?;
        let options = Options { openings, ..options };
        let (a, b) = (Entrant::<P>::new(&self.a)?, Entrant::<P>::new(&self.b)?);
        let mut pdn = self.pdn.as_ref().map(|path| Pdn::create(path.clone())).transpose()?;
        let bar = output::bar(u64::from(self.games), "games");
        let report = arena::play(&|| a.player(), &|| b.player(), &options, stop, &mut |game, report| {
            bar.set_position(u64::from(report.tally.games()));
            bar.set_message(format!("games, score {:.3}", report.tally.score().unwrap_or(0.5)));
            if let Some(warning) = &game.warning {
                bar.suspend(|| output::note(&format!("warning: {warning}")));
            }
            pdn.as_mut().map_or(Ok(()), |pdn| pdn.write(game, [&self.a, &self.b], &options))
        });
        bar.finish_and_clear();
        let report = report?;
        let test = self.sprt.map(|sprt| Test::new(sprt, &report));
        out.text(&self.table(&report, test.as_ref()))?;
        out.object(&Summary::new(self.variant, [&self.a, &self.b], &options, &report))?;
        if report.interrupted { Err(Error::Interrupted) } else { Ok(()) }
    }

    fn table(&self, report: &Report, test: Option<&Test>) -> String {
        let (tally, estimate) = (&report.tally, report.tally.estimate());
        let score = |tally: &arena::Tally| tally.score().map_or_else(|| "-".to_owned(), |score| format!("{score:.3}"));
        let elo =
            |elo: Option<f64>, infinite: &str| elo.map_or_else(|| infinite.to_owned(), |elo| format!("{elo:+.0}"));
        let sign = if tally.score().is_some_and(|score| score < 0.5) { "-∞" } else { "+∞" };
        let result =
            |tally: &arena::Tally| format!("{}  +{} ={} -{}", score(tally), tally.wins, tally.draws, tally.losses);
        let [white, black] = report.by_colour;
        let reasons = |by: &BTreeMap<&'static str, u32>| {
            let list: Vec<_> = by.iter().map(|(reason, n)| format!("{reason} {n}")).collect();
            if list.is_empty() { "-".to_owned() } else { list.join(", ") }
        };
        let [a_ms, b_ms] = report.mean_turn_s().map(|s| 1000.0 * s);
        let mut lines = vec![
            format!("{} against {}", self.a, self.b),
            format!(
                "{}, {} games in {:.1} s, openings {}, seed {}",
                self.variant,
                tally.games(),
                report.seconds,
                self.openings,
                self.seed
            ),
            format!("score       {}", result(tally)),
            format!(
                "Elo         {} (95%: {} to {}), superior with likelihood {:.1}%",
                elo(estimate.elo, sign),
                elo(estimate.low, "-∞"),
                elo(estimate.high, "+∞"),
                100.0 * estimate.los
            ),
            format!("with White  {}", result(&white)),
            format!("with Black  {}", result(&black)),
            format!("decided by  {}", reasons(&report.decided_by)),
            format!("drawn by    {}", reasons(&report.draws_by)),
            format!("a turn      {a_ms:.2} ms against {b_ms:.2} ms"),
        ];
        if let Some(Test { elo0, elo1, llr, low, high, accepted }) = test {
            let verdict = accepted.unwrap_or("undecided");
            lines.push(format!(
                "SPRT        {verdict}: [{elo0}, {elo1}] Elo, ratio {llr:.2} within {low:.2} to {high:.2}"
            ));
        }
        lines.join("\n")
    }
}

/// The file of a match's games.
pub(super) struct Pdn {
    path: PathBuf,
    file: File,
    date: String,
}

impl Pdn {
    pub fn create(path: PathBuf) -> Result<Self> {
        Self::open(path, false)
    }

    /// Opens the file to write behind what it holds, or in its place.
    pub fn open(path: PathBuf, behind: bool) -> Result<Self> {
        let mut how = File::options();
        let how = if behind { how.append(true) } else { how.write(true).truncate(true) };
        let file = how.create(true).open(&path).map_err(|source| Error::io(&path, source))?;
        let date = jiff::ZonedDateTime::now().strftime("%Y.%m.%d").to_string();
        Ok(Self { path, file, date })
    }

    pub fn write<P: Position>(&mut self, game: &GameRecord<P>, names: [&str; 2], options: &Options<P>) -> Result<()> {
        let mut record = game.record(names, options.draws);
        record.set_tag("Date", &self.date);
        if let Some(clock) = options.clock {
            record.set_tag("TimeControl", format!("{}+{}", clock.base_s, clock.increment_s));
        }
        self.file.write_all(record.to_string().as_bytes()).map_err(|source| Error::io(&self.path, source))
    }
}
