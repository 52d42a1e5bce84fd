//! Python's `arena`: a match of two players.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use pyo3::prelude::*;

use crate::arena::{self, MOST_GAMES, Openings, Options, Sprt, Summary};
use crate::balanced;
use crate::error::Result;
use crate::for_variant;
use crate::games::draws::Preset;
use crate::games::variant::Variant;
use crate::roster::{self, Entrant};

use super::errors::number;
use super::signals::Signals;

/// What the caller gave, before the variant is a type.
struct Request<'a> {
    a: &'a str,
    b: &'a str,
    games: u32,
    openings: &'a str,
    draws: Preset,
    max_turns: Option<u32>,
    clock: Option<arena::TimeControl>,
    sprt: Option<(f64, f64)>,
    tables: Option<PathBuf>,
    threads: usize,
    seed: u64,
}

/// Plays the match until it is over or `stop` is raised, and answers its numbers as JSON.
fn play(variant: Variant, request: &Request<'_>, stop: &AtomicBool) -> Result<String> {
    for_variant!(variant, P => {
        let options = Options::<P> {
            games: request.games,
            openings: Openings::Random { plies: 0 },
            draws: request.draws,
            max_turns: request.max_turns,
            clock: request.clock,
            sprt: request.sprt.map(|(elo0, elo1)| Sprt { elo0, elo1 }),
            knowledge: roster::knowledge(request.tables.as_deref())?,
            threads: request.threads,
            seed: request.seed,
        };
        options.check()?;
        let openings = balanced::read(request.openings, request.draws, request.games, request.seed, stop)?;
        let options = Options { openings, ..options };
        let (a, b) = (Entrant::<P>::new(request.a)?, Entrant::<P>::new(request.b)?);
        let report = arena::play(&|| a.player(), &|| b.player(), &options, stop, &mut |_, _| Ok(()))?;
        let summary = Summary::new(variant, [request.a, request.b], &options, &report);
        Ok(serde_json::to_string(&summary).expect("plain numbers are JSON"))
    })
}

/// Play a match and return what the command ``arena --json`` prints, seen from ``a``'s side.
///
/// Args:
///     a: The first player's text.
///     b: The second player's.
///     variant: What is played.
///     games: An even number, 100 unless given: each opening is played twice, colours swapped.
///     openings: ``"random:PLIES"``, ``"balanced:PLIES"`` (of random ones those that a search
///         of six turns calls even), or a file with an opening a line or of games (PDN).
///     draws: The draw rules.
///     max_turns: A longer game is a draw.
///     clock: ``"blitz"``, ``"rapid"``, ``"classic"`` or ``"SECONDS+INCREMENT"``.
///     sprt: ``(elo0, elo1)`` ends the match as soon as this test decides.
///     tables: A folder of endgame tables: a game ends where they are certain of its end.
///     threads: 0, and nothing given, is one a core.
///     seed: Same seed, same match, as long as nobody thinks by time.
///
/// Raises:
///     ValueError: If a text or number makes no sense, or tables are missing or damaged.
///     OSError: If a file cannot be read.
#[pyfunction(name = "arena")]
#[pyo3(signature = (a, b, variant = "russian", games = None, *, openings = "random:4", draws = "official",
                    max_turns = None, clock = None, sprt = None, tables = None, threads = None, seed = None))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub fn arena_match<'py>(
    py: Python<'py>,
    a: &str,
    b: &str,
    variant: &str,
    games: Option<&Bound<'py, PyAny>>,
    openings: &str,
    draws: &str,
    max_turns: Option<&Bound<'py, PyAny>>,
    clock: Option<&str>,
    sprt: Option<(f64, f64)>,
    tables: Option<PathBuf>,
    threads: Option<&Bound<'py, PyAny>>,
    seed: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let variant: Variant = variant.parse()?;
    let request = Request {
        a,
        b,
        games: games
            .map(|n| number("games", &format!("an even number from 2 to {MOST_GAMES}"), n))
            .transpose()?
            .unwrap_or(100),
        openings,
        draws: draws.parse()?,
        max_turns: max_turns.map(|n| number("max_turns", "1 to 4294967295", n)).transpose()?,
        clock: clock.map(str::parse).transpose()?,
        sprt,
        tables,
        threads: threads.map(|n| number("threads", "0 (one a core) to 1024", n)).transpose()?.unwrap_or(0),
        seed: seed.map(|n| number("seed", "a whole number from 0 to 2^64 - 1", n)).transpose()?.unwrap_or(1),
    };
    let signals = Signals::default();
    let summary = py.detach(|| signals.run(|stop| play(variant, &request, stop)));
    if let Some(error) = signals.take() {
        return Err(error);
    }
    // Python reads the very text that the command prints.
    py.import("json")?.call_method1("loads", (summary?,))
}
