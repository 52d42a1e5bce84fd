//! `pdn stats`: counts games, results, lengths, ends and openings.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::AtomicBool;

use clap::Args;
use serde::Serialize;

use crate::board::Side;
use crate::error::Result;
use crate::games::pdn::{Fault, Read};
use crate::games::position::Position;

use super::super::output::{self, Output};
use super::{Source, Visitor, count, end};

/// Openings that are counted apart; in a file with more the rest are counted together.
const OPENINGS: usize = 100_000;

/// Counts games, results, lengths, ends and openings.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  shashki pdn stats games.pdn\n  shashki pdn stats games.pdn --plies 6 --top 20 --json"
)]
pub(super) struct Stats {
    #[command(flatten)]
    source: Source,
    /// How many turns of both sides together an opening is.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=40))]
    plies: u32,
    /// How many of the most frequent openings to show.
    #[arg(long, default_value_t = 10)]
    top: usize,
}

/// Results counted for White.
#[derive(Copy, Clone, Default, Serialize)]
struct Results {
    white: u64,
    draws: u64,
    black: u64,
    unfinished: u64,
}

/// `pdn stats`.
struct Counter {
    plies: usize,
    games: u64,
    broken: u64,
    variants: BTreeMap<&'static str, u64>,
    results: Results,
    /// How many games have how many turns.
    lengths: BTreeMap<usize, u64>,
    ends: BTreeMap<&'static str, u64>,
    openings: HashMap<(&'static str, String), Results>,
    /// Openings beyond those that are counted apart.
    others: u64,
}

#[derive(Serialize)]
struct Counted<'a> {
    file: &'a str,
    games: u64,
    broken: u64,
    variants: &'a BTreeMap<&'static str, u64>,
    results: Results,
    turns: Lengths,
    ends: &'a BTreeMap<&'static str, u64>,
    openings: Vec<OpeningRow<'a>>,
    other_openings: u64,
    interrupted: bool,
}

#[derive(Serialize)]
struct Lengths {
    total: u64,
    min: usize,
    mean: f64,
    median: usize,
    max: usize,
}

#[derive(Serialize)]
struct OpeningRow<'a> {
    variant: &'static str,
    turns: &'a str,
    games: u64,
    #[serde(flatten)]
    results: Results,
}

impl Results {
    fn add<P: Position>(&mut self, read: &Read<P>) {
        let place = match read.record.outcome.map(|outcome| outcome.winner) {
            None => &mut self.unfinished,
            Some(Some(Side::White)) => &mut self.white,
            Some(None) => &mut self.draws,
            Some(Some(Side::Black)) => &mut self.black,
        };
        *place += 1;
    }

    const fn games(&self) -> u64 {
        self.white + self.draws + self.black + self.unfinished
    }
}

impl Visitor for Counter {
    fn game<P: Position>(&mut self, read: &Read<P>) -> Result<()> {
        let record = &read.record;
        self.games += 1;
        *self.variants.entry(P::SPEC.variant.name()).or_default() += 1;
        self.results.add(read);
        *self.lengths.entry(record.turns.len()).or_default() += 1;
        *self.ends.entry(record.outcome.map_or("unfinished", |outcome| outcome.reason.name())).or_default() += 1;
        if record.start != P::start() || record.turns.len() < self.plies {
            return Ok(());
        }
        let turns: Vec<_> = record.turns[..self.plies].iter().map(ToString::to_string).collect();
        let key = (P::SPEC.variant.name(), turns.join(" "));
        if self.openings.len() >= OPENINGS && !self.openings.contains_key(&key) {
            self.others += 1;
        } else {
            self.openings.entry(key).or_default().add(read);
        }
        Ok(())
    }

    fn fault(&mut self, _: Fault) -> Result<()> {
        self.broken += 1;
        Ok(())
    }
}

impl Counter {
    fn lengths(&self) -> Lengths {
        let total = self.lengths.iter().map(|(&turns, n)| turns as u64 * n).sum();
        let mut below = 0;
        let median = self.lengths.iter().find(|(_, n)| {
            below += *n;
            2 * below >= self.games
        });
        Lengths {
            total,
            min: self.lengths.first_key_value().map_or(0, |(&turns, _)| turns),
            mean: total as f64 / self.games.max(1) as f64,
            median: median.map_or(0, |(&turns, _)| turns),
            max: self.lengths.last_key_value().map_or(0, |(&turns, _)| turns),
        }
    }

    /// The most frequent openings.
    fn top(&self, n: usize) -> Vec<OpeningRow<'_>> {
        let mut all: Vec<_> = self.openings.iter().collect();
        all.sort_by_key(|&(key, results)| (Reverse(results.games()), key));
        all.truncate(n);
        all.into_iter()
            .map(|((variant, turns), results)| OpeningRow { variant, turns, games: results.games(), results: *results })
            .collect()
    }
}

impl Stats {
    pub fn run(self, out: &Output, stop: &AtomicBool) -> Result<()> {
        let mut counter = Counter {
            plies: self.plies as usize,
            games: 0,
            broken: 0,
            variants: BTreeMap::new(),
            results: Results::default(),
            lengths: BTreeMap::new(),
            ends: BTreeMap::new(),
            openings: HashMap::new(),
            others: 0,
        };
        let whole = self.source.walk(&output::bytes_bar("counting"), stop, &mut counter)?;
        let (name, openings, turns) = (self.source.name(), counter.top(self.top), counter.lengths());
        out.text(&table(&name, &counter, &turns, &openings))?;
        out.object(&Counted {
            file: &name,
            games: counter.games,
            broken: counter.broken,
            variants: &counter.variants,
            results: counter.results,
            turns,
            ends: &counter.ends,
            openings,
            other_openings: counter.others,
            interrupted: !whole,
        })?;
        if counter.broken > 0 {
            output::note(&format!(
                "{name}: {} broken, left out; `shashki pdn check` tells why",
                count(counter.broken, "game")
            ));
        }
        end(whole, || None)
    }
}

fn table(name: &str, counter: &Counter, turns: &Lengths, openings: &[OpeningRow]) -> String {
    let share = |n: u64| format!("{n} ({:.1}%)", 100.0 * n as f64 / counter.games.max(1) as f64);
    let list = |counts: &BTreeMap<&str, u64>| {
        let list: Vec<_> = counts.iter().map(|(name, n)| format!("{name} {n}")).collect();
        if list.is_empty() { "-".to_owned() } else { list.join(", ") }
    };
    let Results { white, draws, black, unfinished } = counter.results;
    let mut lines = vec![
        format!("{name}: {}", count(counter.games, "game")),
        format!("variants    {}", list(&counter.variants)),
        format!("White wins  {}", share(white)),
        format!("draws       {}", share(draws)),
        format!("Black wins  {}", share(black)),
        format!("unfinished  {}", share(unfinished)),
        format!("turns       {} to {}, mean {:.1}, median {}", turns.min, turns.max, turns.mean, turns.median),
        format!("ends        {}", list(&counter.ends)),
    ];
    if !openings.is_empty() {
        lines.push(format!("openings of {} turns, with White's wins, draws and losses", counter.plies));
    }
    for OpeningRow { variant, turns, games, results } in openings {
        let variant = if counter.variants.len() > 1 { format!("  {variant}") } else { String::new() };
        lines.push(format!("{games:>8}  {turns}  +{} ={} -{}{variant}", results.white, results.draws, results.black));
    }
    lines.join("\n")
}
