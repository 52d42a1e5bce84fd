//! `endgame`: builds endgame tables, asks them, holds them against themselves.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use clap::{Args, Subcommand};
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::Serialize;

use crate::endgame::verify::{Extent, verify};
use crate::endgame::{Builder, Built, Counts, Progress, Tables};
use crate::error::{Error, Result};
use crate::evaluator::{Proven, Truth};
use crate::for_variant;
use crate::games::position::Position;
use crate::games::{Turn, Variant, turn};
use crate::threads;

use super::Place;
use super::output::{self, Output};

/// Builds, asks and checks endgame tables: win, draw or loss and the turns it takes, for all positions of few pieces.
#[derive(Args)]
#[command(after_help = "Tables know the rules without draws by counting and repetition (docs/endgames.md).\n\
                        Examples:\n  shashki endgame build --pieces 4 --dir tables\n  \
                        shashki endgame probe --dir tables --fen W:WKa1,Kc1,Ke1:BKf8\n  \
                        shashki endgame verify --dir tables")]
pub(super) struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    Build(Build),
    Probe(Probe),
    Verify(Verify),
}

impl Arguments {
    pub fn run(self, out: &Output, stop: &AtomicBool) -> Result<()> {
        match self.task {
            Task::Build(task) => for_variant!(task.variant, P => task.run::<P>(out, stop)),
            Task::Probe(task) => for_variant!(task.place.variant, P => task.run::<P>(out)),
            Task::Verify(task) => task.run(out, stop),
        }
    }
}

/// Threads to work with.
#[derive(Args)]
struct Crew {
    /// Threads; 0 is one a core.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=1024))]
    threads: u32,
}

impl Crew {
    fn pool(&self) -> Result<ThreadPool> {
        let pool = ThreadPoolBuilder::new().num_threads(threads::count(self.threads as usize)).build();
        pool.map_err(|error| Error::Failed(error.to_string()))
    }
}

/// Builds the tables of a variant, russian or poddavki, up to a number of pieces of both sides together. A build that was
/// stopped or killed goes on where it stood.
#[derive(Args)]
#[command(
    after_help = "With --json: a line for each ending built: ending (kkm-k: two kings and a man against a king), \
                        classes (the first force to move, then the second: wins, draws, losses of the side to move, \
                        longest_win, longest_loss and longest_held, with a lone king on the main road, in turns), bytes; and a last line: variant, pieces, endings, \
                        positions, memory (bytes, at most), seconds.\n\
                        Example: shashki endgame build --variant russian --pieces 4 --dir tables"
)]
struct Build {
    /// The variant.
    #[arg(long, default_value_t = Variant::Russian)]
    variant: Variant,
    /// The most pieces of both sides together, 2 to 6.
    #[arg(long)]
    pieces: u32,
    /// The folder of the tables.
    #[arg(long)]
    dir: PathBuf,
    #[command(flatten)]
    crew: Crew,
}

#[derive(Serialize)]
struct Ending<'a> {
    ending: String,
    classes: &'a [Counts],
    bytes: u64,
}

#[derive(Serialize)]
struct Summary<'a> {
    variant: &'a str,
    pieces: u32,
    endings: usize,
    positions: u64,
    memory: u64,
    seconds: f64,
}

impl Build {
    fn run<P: Position>(&self, out: &Output, stop: &AtomicBool) -> Result<()> {
        let start = Instant::now();
        let builder = Builder::new::<P>(self.pieces, &self.dir)?;
        let (positions, memory, missing) = (builder.positions(), builder.memory(), builder.missing().len());
        out.text(&format!(
            "{}, up to {} pieces: {} million positions, at most so many megabytes on disk and as a rule half of it; \
             {missing} endings to build, with at most {} MB of memory",
            self.variant,
            self.pieces,
            positions.div_ceil(1_000_000),
            memory.div_ceil(1 << 20)
        ))?;
        let bar = output::bar(builder.work(), "tables");
        let told = |progress| match progress {
            Progress::Begun(ending) => bar.set_message(ending.to_string()),
            Progress::Done(positions) => bar.inc(positions),
            Progress::Built(built) => drop(bar.suspend(|| show(&built, out))),
        };
        let built = self.crew.pool()?.install(|| builder.run(stop, &told));
        bar.finish_and_clear();
        let endings = built?.len();
        let seconds = start.elapsed().as_secs_f64();
        out.text(&format!("{endings} endings built in {seconds:.1} s"))?;
        let variant = self.variant.name();
        out.object(&Summary { variant, pieces: self.pieces, endings, positions, memory, seconds })
    }
}

/// Shows an ending that is built.
fn show(built: &Built, out: &Output) -> Result<()> {
    let longest = built.counts.iter().map(|counts| counts.longest_win.max(counts.longest_loss)).max().unwrap_or(0);
    let sum = |part: fn(&Counts) -> u64| built.counts.iter().map(part).sum::<u64>();
    out.text(&format!(
        "{:8} won {:>9}, drawn {:>9}, lost {:>9} by the side to move; longest {longest} turns, {} kB",
        built.ending.to_string(),
        sum(|counts| counts.wins),
        sum(|counts| counts.draws),
        sum(|counts| counts.losses),
        built.bytes.div_ceil(1000)
    ))?;
    out.object(&Ending { ending: built.ending.to_string(), classes: &built.counts, bytes: built.bytes })
}

/// Tells what tables know of a position and of each of its turns.
#[derive(Args)]
#[command(
    after_help = "With --json: fen, value (1 won for the side to move, 0 drawn, -1 lost), turns (until the end by \
                        best play of both; 0 for a draw), best (the best turns), lines: [{turn, value, turns}], best \
                        first, seen by the side that plays the turn.\n\
                        Example: shashki endgame probe --dir tables --fen W:WKa1,Kc1,Ke1:BKf8"
)]
struct Probe {
    #[command(flatten)]
    place: Place,
    /// The folder of the tables.
    #[arg(long)]
    dir: PathBuf,
}

#[derive(Serialize)]
struct Answer {
    fen: String,
    value: i8,
    turns: u16,
    best: Vec<String>,
    lines: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    turn: String,
    value: i8,
    turns: u16,
}

impl Probe {
    fn run<P: Position>(&self, out: &Output) -> Result<()> {
        let position: P = self.place.position()?;
        let fen = position.write_fen();
        let tables = Tables::<P>::open(&self.dir)?;
        let reach = tables.most_pieces();
        let known = |position: &P| {
            let expected = format!("at most {reach} pieces: more the tables in {} do not hold", self.dir.display());
            tables.lookup(position)?.ok_or(Error::Fen { text: fen.clone(), reason: format!("expected {expected}") })
        };
        let proven = known(&position)?;
        let line = |(turn, after): (Turn, P)| -> Result<Line> {
            let Proven { value, turns } = known(&after)?;
            Ok(Line { turn: turn.to_string(), value: -value, turns: if value == 0 { 0 } else { turns + 1 } })
        };
        let mut lines = turn::list_with_positions(&position).into_iter().map(line).collect::<Result<Vec<_>>>()?;
        // The winner hastens, the loser delays.
        let key = |line: &Line| (Reverse(line.value), i32::from(line.turns) * i32::from(line.value));
        lines.sort_by_key(key);
        let best: Vec<String> = lines.iter().take_while(|l| key(l) == key(&lines[0])).map(|l| l.turn.clone()).collect();
        out.text(&format!("{fen}\n{}", says(proven.value, proven.turns)))?;
        for line in &lines {
            out.text(&format!("{:14} {}", line.turn, says(line.value, line.turns)))?;
        }
        out.object(&Answer { fen, value: proven.value, turns: proven.turns, best, lines })
    }
}

/// A value in words.
fn says(value: i8, turns: u16) -> String {
    let turns = if turns == 1 { "1 turn".to_owned() } else { format!("{turns} turns") };
    match value {
        0 => "drawn".to_owned(),
        1 => format!("won in {turns}"),
        _ => format!("lost in {turns}"),
    }
}

/// Reads every table against its checksums, and derives positions anew from those that their turns lead to. A fault ends
/// with status 1.
#[derive(Args)]
#[command(
    after_help = "With --json: a line for each variant in the folder: variant, pieces, files, blocks, positions \
                        (derived anew).\n\
                        Examples:\n  shashki endgame verify --dir tables\n  shashki endgame verify --dir tables --all"
)]
struct Verify {
    /// The folder of the tables.
    #[arg(long)]
    dir: PathBuf,
    /// Positions to derive anew, as many in each class of pieces; all if there are no more.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    samples: u64,
    /// Derive every position.
    #[arg(long, conflicts_with = "samples")]
    all: bool,
    /// Seeds the choice of the positions.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    crew: Crew,
}

#[derive(Serialize)]
struct Checked<'a> {
    variant: &'a str,
    pieces: u32,
    files: usize,
    blocks: usize,
    positions: u64,
}

impl Verify {
    fn run(&self, out: &Output, stop: &AtomicBool) -> Result<()> {
        let there = variants_in(&self.dir)?;
        if there.is_empty() {
            return Err(Error::Table { path: self.dir.clone(), reason: "no tables in this folder".to_owned() });
        }
        for variant in there {
            for_variant!(variant, P => self.verify::<P>(out, stop))?;
        }
        Ok(())
    }

    fn verify<P: Position>(&self, out: &Output, stop: &AtomicBool) -> Result<()> {
        let tables = Tables::<P>::open(&self.dir)?;
        let extent = if self.all { Extent::All } else { Extent::Samples { positions: self.samples, seed: self.seed } };
        let bar =
            output::bar(if self.all { tables.positions() } else { self.samples.min(tables.positions()) }, "positions");
        let verified = self.crew.pool()?.install(|| verify(&tables, extent, stop, &|positions| bar.inc(positions)));
        bar.finish_and_clear();
        let (verified, variant, pieces) = (verified?, P::SPEC.variant.name(), tables.most_pieces());
        let (files, blocks, positions) = (verified.files, verified.blocks, verified.positions);
        out.text(&format!(
            "{variant}, up to {pieces} pieces: {files} files, {blocks} blocks and {positions} positions checked, no fault"
        ))?;
        out.object(&Checked { variant, pieces, files, blocks, positions })
    }
}

/// The variants of which there is any table in a folder.
fn variants_in(dir: &Path) -> Result<Vec<Variant>> {
    let entries = std::fs::read_dir(dir).map_err(|source| Error::io(dir, source))?;
    let names: Vec<_> = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    // The ending follows the name of the variant: no dash in it but the one between the forces.
    let of = |name: &str, variant: Variant| {
        let ending = name.strip_prefix(variant.name()).and_then(|rest| rest.strip_prefix('-')?.strip_suffix(".table"));
        ending.is_some_and(|ending| ending.parse::<crate::endgame::Ending>().is_ok())
    };
    Ok(Variant::ALL.iter().copied().filter(|&variant| names.iter().any(|name| of(name, variant))).collect())
}
