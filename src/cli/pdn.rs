//! `pdn`: checks, rewrites and counts the games of a file of records.

mod stats;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, Subcommand};
use indicatif::ProgressBar;
use serde::Serialize;

use crate::error::{Error, Result};
use crate::files::WholeFile;
use crate::for_variant;
use crate::games::Variant;
use crate::games::pdn::{Fault, Read, Reader};
use crate::games::position::Position;

use super::output::{self, Output};

/// Faults and warnings that are kept for the JSON answer; all are counted.
const LISTED: usize = 1000;

/// Bytes written to standard output at once.
const CHUNK: usize = 64 * 1024;

/// Checks, rewrites or counts the games of a PDN file.
#[derive(Args)]
#[command(after_help = "Examples:\n  shashki pdn check games.pdn\n  \
                        shashki pdn convert old.pdn --out new.pdn\n  \
                        cat *.pdn | shashki pdn stats - --variant poddavki")]
pub(super) struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    Check(Check),
    Convert(Convert),
    Stats(stats::Stats),
}

/// Plays every game and tells what is wrong: file, game, line and what was expected. Faults end with status 1.
#[derive(Args)]
#[command(after_help = "Examples:\n  shashki pdn check games.pdn\n  shashki pdn check - --variant bashni < games.pdn")]
struct Check {
    #[command(flatten)]
    source: Source,
}

/// Writes every game anew: UTF-8, full notation, the tags in their order. Broken games are left out and reported.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  shashki pdn convert old.pdn --out new.pdn\n  shashki pdn convert old.pdn | head -20"
)]
struct Convert {
    #[command(flatten)]
    source: Source,
    /// Where to write; standard output unless given. It may be the file itself.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Where the games come from.
#[derive(Args)]
struct Source {
    /// The file of games; - is standard input.
    file: PathBuf,
    /// The variant of games that name none.
    #[arg(long, default_value_t = Variant::Russian)]
    variant: Variant,
}

impl Arguments {
    pub fn run(self, out: &Output, stop: &AtomicBool) -> Result<()> {
        match self.task {
            Task::Check(task) => task.run(out, stop),
            Task::Convert(task) => task.run(out, stop),
            Task::Stats(task) => task.run(out, stop),
        }
    }
}

/// What is done with each game.
trait Visitor {
    /// A good one.
    fn game<P: Position>(&mut self, read: &Read<P>) -> Result<()>;
    /// A broken one.
    fn fault(&mut self, fault: Fault) -> Result<()>;
}

impl Source {
    fn name(&self) -> String {
        if self.is_standard_input() { "standard input".to_owned() } else { self.file.display().to_string() }
    }

    fn is_standard_input(&self) -> bool {
        self.file.as_os_str() == "-"
    }

    /// Reads all games; answers whether it came to the end before `stop` was raised.
    fn walk(&self, bar: &ProgressBar, stop: &AtomicBool, visitor: &mut impl Visitor) -> Result<bool> {
        let failed = |source| Error::io(self.name(), source);
        let input: Box<dyn io::Read> = if self.is_standard_input() {
            Box::new(io::stdin().lock())
        } else {
            let file = File::open(&self.file).map_err(failed)?;
            bar.set_length(file.metadata().map_err(failed)?.len());
            Box::new(file)
        };
        for text in Reader::new(bar.wrap_read(input)) {
            if stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
            let text = text.map_err(failed)?;
            match text.variant(Some(self.variant)) {
                Ok(variant) => for_variant!(variant, P => match text.read::<P>() {
                    Ok(read) => visitor.game(&read)?,
                    Err(fault) => visitor.fault(fault)?,
                }),
                Err(fault) => visitor.fault(fault)?,
            }
        }
        bar.finish_and_clear();
        Ok(true)
    }
}

/// What was found wrong or odd.
#[derive(Default)]
struct Found {
    count: u64,
    /// The first of them.
    list: Vec<Fault>,
}

impl Found {
    fn add(&mut self, fault: Fault) {
        self.count += 1;
        if self.list.len() < LISTED {
            self.list.push(fault);
        }
    }

    fn rows(&self) -> Vec<Row<'_>> {
        self.list.iter().map(|Fault { game, line, reason }| Row { game: *game, line: *line, reason }).collect()
    }
}

#[derive(Serialize)]
struct Row<'a> {
    game: usize,
    line: usize,
    reason: &'a str,
}

/// What becomes of a command in the end.
fn end(whole: bool, failed: impl FnOnce() -> Option<String>) -> Result<()> {
    match (whole, failed()) {
        (false, _) => Err(Error::Interrupted),
        (true, Some(reason)) => Err(Error::Failed(reason)),
        (true, None) => Ok(()),
    }
}

fn count(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// `pdn check`.
struct Checker<'a> {
    name: String,
    out: &'a Output,
    bar: ProgressBar,
    games: u64,
    turns: u64,
    variants: BTreeMap<&'static str, u64>,
    faults: Found,
    warnings: Found,
}

#[derive(Serialize)]
struct Checked<'a> {
    file: &'a str,
    games: u64,
    turns: u64,
    variants: &'a BTreeMap<&'static str, u64>,
    faults: Vec<Row<'a>>,
    fault_count: u64,
    warnings: Vec<Row<'a>>,
    warning_count: u64,
    interrupted: bool,
}

impl Visitor for Checker<'_> {
    fn game<P: Position>(&mut self, read: &Read<P>) -> Result<()> {
        self.games += 1;
        self.turns += read.record.turns.len() as u64;
        *self.variants.entry(P::SPEC.variant.name()).or_default() += 1;
        for warning in &read.warnings {
            self.bar.suspend(|| self.out.text(&format!("{}: {warning} (warning)", self.name)))?;
            self.warnings.add(warning.clone());
        }
        Ok(())
    }

    fn fault(&mut self, fault: Fault) -> Result<()> {
        self.games += 1;
        self.bar.suspend(|| self.out.text(&format!("{}: {fault}", self.name)))?;
        self.faults.add(fault);
        Ok(())
    }
}

impl Check {
    fn run(self, out: &Output, stop: &AtomicBool) -> Result<()> {
        let name = self.source.name();
        let mut checker = Checker {
            name: name.clone(),
            out,
            bar: output::bytes_bar("checking"),
            games: 0,
            turns: 0,
            variants: BTreeMap::new(),
            faults: Found::default(),
            warnings: Found::default(),
        };
        let whole = self.source.walk(&checker.bar.clone(), stop, &mut checker)?;
        let Checker { games, turns, variants, faults, warnings, .. } = &checker;
        let kinds: Vec<_> = variants.iter().map(|(variant, n)| format!("{variant} {n}")).collect();
        out.text(&format!(
            "{name}: {} ({}), {}, {}, {}",
            count(*games, "game"),
            if kinds.is_empty() { "none read".to_owned() } else { kinds.join(", ") },
            count(*turns, "turn"),
            count(faults.count, "fault"),
            count(warnings.count, "warning")
        ))?;
        out.object(&Checked {
            file: &name,
            games: *games,
            turns: *turns,
            variants,
            faults: faults.rows(),
            fault_count: faults.count,
            warnings: warnings.rows(),
            warning_count: warnings.count,
            interrupted: !whole,
        })?;
        end(whole, || {
            (faults.count > 0).then(|| format!("{name}: {} of {} broken", faults.count, count(*games, "game")))
        })
    }
}

/// Where `pdn convert` writes.
enum Sink {
    /// Standard output, by chunks.
    Output(String),
    /// A file that replaces the old one at the end.
    Whole(WholeFile),
    /// What is no ordinary file.
    Device(PathBuf, File),
}

impl Sink {
    fn open(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else { return Ok(Self::Output(String::new())) };
        if fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
            let file = File::options().write(true).open(path).map_err(|source| Error::io(path, source))?;
            return Ok(Self::Device(path.to_owned(), file));
        }
        // A link stays one: what it points to is replaced.
        Ok(Self::Whole(WholeFile::create(&fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()))?))
    }

    fn write(&mut self, text: &str) -> Result<()> {
        match self {
            Self::Output(chunk) => {
                chunk.push_str(text);
                if chunk.len() >= CHUNK {
                    output::write(&std::mem::take(chunk))?;
                }
                Ok(())
            }
            Self::Whole(file) => file.write(text.as_bytes()),
            Self::Device(path, file) => file.write_all(text.as_bytes()).map_err(|source| Error::io(path, source)),
        }
    }

    fn finish(self) -> Result<()> {
        match self {
            Self::Output(chunk) => output::write(&chunk),
            Self::Whole(file) => file.finish(),
            Self::Device(..) => Ok(()),
        }
    }
}

/// `pdn convert`.
struct Converter {
    name: String,
    bar: ProgressBar,
    sink: Sink,
    written: u64,
    faults: Found,
}

#[derive(Serialize)]
struct Converted<'a> {
    file: &'a str,
    out: String,
    games: u64,
    written: u64,
    faults: Vec<Row<'a>>,
    fault_count: u64,
}

impl Visitor for Converter {
    fn game<P: Position>(&mut self, read: &Read<P>) -> Result<()> {
        self.written += 1;
        self.sink.write(&read.record.to_string())
    }

    fn fault(&mut self, fault: Fault) -> Result<()> {
        self.bar.suspend(|| output::note(&format!("{}: {fault}", self.name)));
        self.faults.add(fault);
        Ok(())
    }
}

impl Convert {
    fn run(self, out: &Output, stop: &AtomicBool) -> Result<()> {
        if out.json && self.out.is_none() {
            let expected = "a file by --out, for with --json standard output has nothing but the answer";
            return Err(Error::value("out", "none", expected));
        }
        let (name, sink) = (self.source.name(), Sink::open(self.out.as_deref())?);
        let bar = output::bytes_bar("converting");
        let mut converter = Converter { name, bar: bar.clone(), sink, written: 0, faults: Found::default() };
        if !self.source.walk(&bar, stop, &mut converter)? {
            return Err(Error::Interrupted);
        }
        let Converter { name, sink, written, faults, .. } = converter;
        sink.finish()?;
        let games = written + faults.count;
        if let Some(path) = &self.out {
            let shown = path.display().to_string();
            out.text(&format!("{shown}: {} of {} written", written, count(games, "game")))?;
            let (faults, fault_count) = (faults.rows(), faults.count);
            out.object(&Converted { file: &name, out: shown, games, written, faults, fault_count })?;
        }
        end(true, || (faults.count > 0).then(|| format!("{name}: {} broken, left out", count(faults.count, "game"))))
    }
}
