//! The command line: one file a command; the Python console script enters here too.

mod analyse;
mod arena;
mod bench;
mod endgame;
mod hub;
mod ladder;
mod moves;
mod output;
mod pdn;
mod perft;
mod play;
mod train;
mod tune;

use std::error::Error as _;
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand};

use crate::error::{Error, Result};
use crate::games::position::Position;
use crate::games::{Preset, Variant};

use output::Output;

/// Raised by Ctrl-C while a command runs that can stop in good order.
static STOP: AtomicBool = AtomicBool::new(false);
/// Whether the running command watches [`STOP`].
static WATCHED: AtomicBool = AtomicBool::new(false);

#[derive(Parser)]
#[command(
    name = "shashki",
    version,
    about = "Russian draughts and its kin as a training environment: rules, search, self-play training, matches.",
    after_help = "Players are short texts: random, alphabeta:depth=8, mcts:MODEL,visits=400, policy:MODEL, rollout:visits=800,\n\
                  hub:time=1,cmd=COMMAND (another program that speaks Hub).\n\
                  Example: shashki arena alphabeta:depth=4 random --games 20"
)]
struct Cli {
    /// Answer in JSON: one object, or one a line, on standard output and nothing else there.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Perft(perft::Arguments),
    Moves(moves::Arguments),
    Train(train::Arguments),
    Arena(arena::Arguments),
    Ladder(ladder::Arguments),
    Analyse(analyse::Arguments),
    Play(play::Arguments),
    Endgame(endgame::Arguments),
    Hub(hub::Arguments),
    Pdn(pdn::Arguments),
    Tune(tune::Arguments),
    Bench(bench::Arguments),
}

/// Which variant, and where the game stands.
#[derive(Args)]
struct Place {
    /// The variant.
    #[arg(long, default_value_t = Variant::Russian)]
    variant: Variant,
    /// The position, like W:Wa1,c3,Kd4:Bb8,Kh2; the start of a game unless given.
    #[arg(long)]
    fen: Option<String>,
}

impl Place {
    fn position<P: Position>(&self) -> Result<P> {
        self.fen.as_deref().map_or_else(|| Ok(P::start()), P::read_fen)
    }
}

/// The draw rules of a game.
#[derive(Args)]
struct Rules {
    /// The draw rules: official or basic, or where the variant has them lidraughts or russian.
    #[arg(long, default_value_t = Preset::Official)]
    draws: Preset,
}

/// Runs a command, the program's name being the first of `args`, and answers its exit status: 0, 2 for anything wrong on
/// the command line, 1 for the rest, 130 after Ctrl-C.
pub fn run(args: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    STOP.store(false, Ordering::SeqCst);
    let orderly = matches!(
        cli.command,
        Command::Arena(_)
            | Command::Ladder(_)
            | Command::Train(_)
            | Command::Pdn(_)
            | Command::Tune(_)
            | Command::Endgame(_)
    );
    WATCHED.store(orderly, Ordering::SeqCst);
    // Fails only where a handler stands already, as it does when Python calls for the second time.
    let _ = ctrlc::set_handler(|| {
        if !WATCHED.load(Ordering::SeqCst) || STOP.swap(true, Ordering::SeqCst) {
            exit_at_once(Error::Interrupted.exit_status());
        }
    });
    let out = Output { json: cli.json };
    let done = match cli.command {
        Command::Perft(arguments) => arguments.run(&out),
        Command::Moves(arguments) => arguments.run(&out),
        Command::Train(arguments) => arguments.run(&out, &STOP),
        Command::Arena(arguments) => arguments.run(&out, &STOP),
        Command::Ladder(arguments) => arguments.run(&out, &STOP),
        Command::Analyse(arguments) => arguments.run(&out),
        Command::Play(arguments) => arguments.run(&out),
        Command::Endgame(arguments) => arguments.run(&out, &STOP),
        Command::Hub(arguments) => arguments.run(),
        Command::Pdn(arguments) => arguments.run(&out, &STOP),
        Command::Tune(arguments) => arguments.run(&out, &STOP),
        Command::Bench(arguments) => arguments.run(&out),
    };
    match done {
        Ok(()) => 0,
        Err(error) if output::is_closed(&error) => 0,
        Err(error @ Error::Interrupted) => {
            output::note(&error.to_string());
            error.exit_status()
        }
        Err(error) => {
            output::complain(&error.to_string());
            error.exit_status()
        }
    }
}

/// Ends the process as it stands, and the engines that it runs. An orderly exit would tear down libtorch under threads that
/// still compute with it, which crashes.
#[cfg(unix)]
#[allow(unsafe_code, reason = "the standard library has no exit without destructors")]
fn exit_at_once(status: u8) -> ! {
    crate::hub::process::end_all();
    // SAFETY: `_exit` takes any number, touches no memory of the process and does not return.
    unsafe { libc::_exit(i32::from(status)) }
}

#[cfg(not(unix))]
fn exit_at_once(status: u8) -> ! {
    crate::hub::process::end_all();
    std::process::exit(i32::from(status))
}

/// Shows help, or says in one line what is wrong with the command line.
fn refuse(error: &clap::Error) -> u8 {
    if !error.use_stderr() {
        let shown = output::write(&error.render().to_string());
        return u8::from(shown.is_err_and(|error| !output::is_closed(&error)));
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        output::note(error.render().to_string().trim_end());
        return 2;
    }
    let inner = error.source().and_then(|source| source.downcast_ref::<Error>());
    let text = inner.map_or_else(|| first_paragraph(&error.render().to_string()), Error::to_string);
    output::complain(&text);
    2
}

/// What clap says before it comes to usage and hints, in one line.
fn first_paragraph(text: &str) -> String {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let (text, help) = match text.split("\n\nUsage:").next().and_then(|text| text.split("\n\nFor more").next()) {
        Some(first) if first.len() < text.len() => (first, "; --help tells more"),
        _ => (text, ""),
    };
    let words: Vec<_> = text.split_whitespace().collect();
    format!("{}{help}", words.join(" "))
}
