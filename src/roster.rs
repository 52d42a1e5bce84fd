//! Players from short texts, the same in commands, configs and Python.
//!
//! ```text
//! random[:seed=N]
//! alphabeta[:depth=N,time=S,nodes=N,hash=MB,eval=basic]
//! mcts:MODEL[,visits=N,time=S,batch=N,temperature=T,seed=N,search=puct,device=cpu|cuda]
//! policy:MODEL[,device=cpu|cuda]
//! rollout[:visits=N,seed=N]
//! ```

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::games::draws::Preset;
use crate::games::game::Game;
use crate::games::turn::Turn;
use crate::net::load;
use crate::player::{Analysis, Player, RandomPlayer};
use crate::search::alphabeta::{AlphaBeta, Limits};
use crate::search::heuristic::Heuristic;
use crate::search::mcts_player::{MctsPlayer, PlayerSettings, PolicyPlayer, Rollout};

/// What a player text can begin with.
const KINDS: &str = "random, alphabeta, mcts:MODEL, policy:MODEL or rollout";

/// The size of an engine's transposition table unless said, in megabytes.
const HASH_MB: usize = 16;

/// Makes the player that a text describes.
///
/// ```
/// use shashki::games::Russian;
/// use shashki::player::Player;
/// use shashki::roster;
///
/// assert_eq!(roster::player::<Russian>("alphabeta:depth=4")?.name(), "alphabeta:depth=4");
/// let error = roster::player::<Russian>("alphabeta:deep=4").map(|_| ()).unwrap_err();
/// assert!(error.to_string().contains("depth"));
/// # Ok::<(), shashki::Error>(())
/// ```
///
/// # Errors
/// [`Error::Player`] for a text that makes no sense, with what it could be; [`Error::Io`] or [`Error::Model`] if its
/// network cannot be loaded.
pub fn player<P: Heuristic>(text: &str) -> Result<Box<dyn Player<P>>> {
    let (kind, rest) = text.split_once(':').map_or((text, None), |(kind, rest)| (kind, Some(rest)));
    let bad = |reason: String| Error::Player { text: text.to_owned(), reason };
    match kind {
        "random" => {
            let mut options = Options::read(text, rest, &["seed"])?;
            Ok(Box::new(RandomPlayer::new(options.take("seed", 0..=u64::MAX)?.unwrap_or(0))))
        }
        "alphabeta" => {
            let mut options = Options::read(text, rest, &["depth", "time", "nodes", "hash", "eval"])?;
            options.word("eval", &["basic"])?;
            let limits = Limits {
                depth: options.take("depth", 1..=99)?,
                time_s: options.seconds()?,
                nodes: options.take("nodes", 1..=u64::MAX)?,
            };
            let hash_mb = options.take("hash", 1..=65_536)?.unwrap_or(HASH_MB);
            Ok(Box::new(Named(AlphaBeta::<P>::new(limits, hash_mb), text.to_owned())))
        }
        "mcts" => {
            let (model, rest) = model(text, rest)?;
            let allowed = ["visits", "time", "batch", "temperature", "seed", "search", "device"];
            let mut options = Options::read(text, rest, &allowed)?;
            options.word("search", &["puct"])?;
            let defaults = PlayerSettings::default();
            let settings = PlayerSettings {
                visits: options.take("visits", 1..=100_000_000)?,
                time_s: options.seconds()?,
                batch: options.take("batch", 1..=4096)?.unwrap_or(defaults.batch),
                temperature: options.take("temperature", 0.0..=100.0)?.unwrap_or(defaults.temperature),
                seed: options.take("seed", 0..=u64::MAX)?.unwrap_or(defaults.seed),
                ..defaults
            };
            let evaluator = load::<P>(Path::new(model), &options.device()?)?;
            Ok(Box::new(MctsPlayer::new(evaluator, settings, text.to_owned())))
        }
        "policy" => {
            let (model, rest) = model(text, rest)?;
            let mut options = Options::read(text, rest, &["device"])?;
            Ok(Box::new(PolicyPlayer::new(load::<P>(Path::new(model), &options.device()?)?, text.to_owned())))
        }
        "rollout" => {
            let mut options = Options::read(text, rest, &["visits", "seed"])?;
            let seed = options.take("seed", 0..=u64::MAX)?.unwrap_or(0);
            let visits = Some(options.take("visits", 1..=100_000_000)?.unwrap_or(400));
            let settings = PlayerSettings { visits, seed, ..PlayerSettings::default() };
            Ok(Box::new(MctsPlayer::new(Box::new(Rollout::new(Preset::default(), seed)), settings, text.to_owned())))
        }
        "hub" => Err(bad("engines over the Hub protocol cannot be played yet".to_owned())),
        _ => Err(bad(format!("unknown player {kind:?}, expected {KINDS}"))),
    }
}

/// Splits `MODEL,key=value,…`.
fn model<'a>(text: &str, rest: Option<&'a str>) -> Result<(&'a str, Option<&'a str>)> {
    let rest = rest.unwrap_or_default();
    let (model, options) = rest.split_once(',').map_or((rest, None), |(model, options)| (model, Some(options)));
    if model.is_empty() || model.contains('=') {
        let reason = "expected a model behind the colon: a .safetensors file or a run folder".to_owned();
        return Err(Error::Player { text: text.to_owned(), reason });
    }
    Ok((model, options))
}

/// A player under the name that asked for it.
struct Named<T>(T, String);

impl<P: Heuristic, T: Player<P>> Player<P> for Named<T> {
    fn name(&self) -> String {
        self.1.clone()
    }

    fn choose(&mut self, game: &Game<P>) -> Result<Turn> {
        self.0.choose(game)
    }

    fn analyse(&mut self, game: &Game<P>) -> Result<Analysis> {
        self.0.analyse(game)
    }

    fn new_game(&mut self) {
        self.0.new_game();
    }

    fn seed(&mut self, seed: u64) {
        self.0.seed(seed);
    }

    fn limit_time(&mut self, seconds: f64) {
        self.0.limit_time(seconds);
    }
}

/// The `key=value` pairs of a player text.
struct Options<'a> {
    text: &'a str,
    pairs: Vec<(&'a str, &'a str)>,
}

impl<'a> Options<'a> {
    fn read(text: &'a str, rest: Option<&'a str>, allowed: &[&str]) -> Result<Self> {
        let mut options = Self { text, pairs: Vec::new() };
        let Some(rest) = rest else { return Ok(options) };
        for part in rest.split(',') {
            let expected = || format!("expected KEY=VALUE with a key of {}, found {part:?}", allowed.join(", "));
            let (key, value) = part.split_once('=').ok_or_else(|| options.bad(expected()))?;
            if !allowed.contains(&key) {
                return Err(options.bad(expected()));
            }
            if options.pairs.iter().any(|&(k, _)| k == key) {
                return Err(options.bad(format!("{key} is given twice")));
            }
            options.pairs.push((key, value));
        }
        Ok(options)
    }

    fn bad(&self, reason: String) -> Error {
        Error::Player { text: self.text.to_owned(), reason }
    }

    fn raw(&mut self, key: &str) -> Option<&'a str> {
        let at = self.pairs.iter().position(|&(k, _)| k == key)?;
        Some(self.pairs.swap_remove(at).1)
    }

    fn take<T: FromStr + PartialOrd + fmt::Display>(
        &mut self,
        key: &str,
        range: std::ops::RangeInclusive<T>,
    ) -> Result<Option<T>> {
        let Some(text) = self.raw(key) else { return Ok(None) };
        match text.parse() {
            Ok(value) if range.contains(&value) => Ok(Some(value)),
            _ => Err(self.bad(format!("{key}={text}: expected a number from {} to {}", range.start(), range.end()))),
        }
    }

    fn seconds(&mut self) -> Result<Option<f64>> {
        self.take("time", 0.001..=86_400.0)
    }

    fn word(&mut self, key: &str, words: &[&str]) -> Result<()> {
        match self.raw(key) {
            Some(word) if !words.contains(&word) => {
                Err(self.bad(format!("{key}={word}: expected {}", words.join(" or "))))
            }
            _ => Ok(()),
        }
    }

    fn device(&mut self) -> Result<String> {
        let device = self.raw("device").unwrap_or("cpu");
        if device == "cpu" || device.starts_with("cuda") {
            Ok(device.to_owned())
        } else {
            Err(self.bad(format!("device={device}: expected cpu or cuda")))
        }
    }
}
