//! Players from short texts: `random`, `alphabeta:depth=8`, `mcts:runs/a,visits=400`, `policy:MODEL`, `rollout:visits=800`,
//! `hub:time=1,cmd=COMMAND`.

use std::fmt::Display;
use std::marker::PhantomData;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::device::Device;
use crate::endgame::Tables;
use crate::error::{Error, Result};
use crate::evaluator::{Evaluator, Knowledge, Truth};
use crate::games::game::Game;
use crate::games::{Preset, Turn};
use crate::hub::{self, HubPlayer};
use crate::net::load;
use crate::net::weights::{Weights, model_file};
use crate::player::{Analysis, Clock, Player, RandomPlayer};
use crate::search::alphabeta::{AlphaBeta, DEFAULT_HASH_MB, Method, Methods, Options};
use crate::search::basic::{BASIC_HASH_MB, Basic};
use crate::search::heuristic::Heuristic;
use crate::search::limits::Limits;
use crate::search::mcts_player::{MctsPlayer, PlayerSettings, PolicyPlayer, Rollout};

/// The kinds of player: kind, name, whether a model comes first, keys.
const KINDS: [(Kind, &str, bool, &[&str]); 6] = [
    (Kind::Random, "random", false, &["seed"]),
    (Kind::AlphaBeta, "alphabeta", false, &["depth", "time", "nodes", "hash", "threads", "eval", "without", "tables"]),
    (Kind::Mcts, "mcts", true, &["visits", "time", "search", "batch", "temperature", "seed", "device", "tables"]),
    (Kind::Policy, "policy", true, &["device"]),
    (Kind::Rollout, "rollout", false, &["visits", "time", "seed"]),
    (Kind::Hub, "hub", false, &["time", "depth", "timeout", COMMAND]),
];

/// The key of a command, which is the rest of the text, commas included.
const COMMAND: &str = "cmd";

/// What later versions will know: kind, key, value (any, if empty).
const LATER: [(&str, &str, &str); 1] = [("mcts", "search", "gumbel")];

/// The longest thinking time of a turn, in seconds.
const LONGEST_S: f64 = 86_400.0;

/// The player that a text names.
///
/// ```
/// use shashki::games::{Game, Preset, Russian};
/// use shashki::roster;
///
/// let mut player = roster::player::<Russian>("alphabeta:depth=2")?;
/// let game = Game::new(Preset::Official)?;
/// assert!(game.turns().contains(&player.choose(&game)?));
/// let error = roster::player::<Russian>("alphabeta:depht=2").err().expect("a misspelt key");
/// assert!(error.to_string().contains("expected depth, time, nodes, hash, threads, eval, without, tables"));
/// # Ok::<(), shashki::Error>(())
/// ```
///
/// # Errors
/// [`Error::Player`] if the text makes no sense, and the errors of [`load::load`] about its model.
pub fn player<P: Heuristic>(text: &str) -> Result<Box<dyn Player<P>>> {
    Entrant::new(text)?.player()
}

/// What the endgame tables of a folder know; nothing without a folder.
///
/// # Errors
/// As [`Tables::open`].
pub fn knowledge<P: Heuristic>(tables: Option<&Path>) -> Result<Knowledge<P>> {
    Ok(Knowledge::new(truth(tables)?))
}

fn truth<P: Heuristic>(tables: Option<&Path>) -> Result<Option<Arc<dyn Truth<P>>>> {
    tables.map(|folder| Ok(Arc::new(Tables::<P>::open(folder)?) as _)).transpose()
}

/// Checks a text as far as that goes without reading its model.
///
/// # Errors
/// [`Error::Player`] if the text makes no sense.
pub fn check(text: &str) -> Result<()> {
    Plan::read(text).map(drop)
}

/// A player's text understood and its model read once, to make a player for each thread of a match.
#[derive(Debug)]
pub struct Entrant<P> {
    text: String,
    plan: Plan,
    model: Option<Weights>,
    /// Opened once for all threads.
    knowledge: Knowledge<P>,
    variant: PhantomData<fn() -> P>,
}

impl<P: Heuristic> Entrant<P> {
    /// Reads a text and the model it names.
    ///
    /// # Errors
    /// As [`player`].
    pub fn new(text: &str) -> Result<Self> {
        let plan = Plan::read(text)?;
        if plan.kind == Kind::Hub {
            hub::text::check::<P>()?;
        }
        let model = match &plan.model {
            Some(path) => {
                let weights = Weights::read(&model_file(Path::new(path))?)?;
                // What does not fit shall show before a match begins.
                load::evaluator::<P>(&weights, plan.device)?;
                Some(weights)
            }
            None => None,
        };
        let knowledge = knowledge(plan.tables.as_deref().map(Path::new))?;
        Ok(Self { text: text.to_owned(), plan, model, knowledge, variant: PhantomData })
    }

    /// Makes a player.
    ///
    /// # Errors
    /// If the device refuses the network.
    pub fn player(&self) -> Result<Box<dyn Player<P>>> {
        self.player_of(&self.plan)
    }

    /// Makes a player that looks no more than `depth` turns ahead and at no more than `nodes` positions (for a tree: makes
    /// no more visits), where it knows such a limit.
    ///
    /// # Errors
    /// As [`Entrant::player`].
    pub fn player_within(&self, depth: Option<u32>, nodes: Option<u64>) -> Result<Box<dyn Player<P>>> {
        let mut plan = self.plan.clone();
        plan.limits.depth = plan.limits.depth.into_iter().chain(depth).min();
        plan.limits.nodes = plan.limits.nodes.into_iter().chain(nodes).min();
        let visits = nodes.map(|nodes| u32::try_from(nodes).unwrap_or(u32::MAX));
        plan.settings.visits = plan.settings.visits.into_iter().chain(visits).min();
        if let Some(hub) = &mut plan.hub {
            hub.depth = hub.depth.into_iter().chain(depth).min();
        }
        self.player_of(&plan)
    }

    fn player_of(&self, plan: &Plan) -> Result<Box<dyn Player<P>>> {
        let name = || self.text.clone();
        let Plan { settings, limits, hash_mb, seed, .. } = plan;
        let weights = || self.model.as_ref().expect("a text of this kind names its model");
        let network = || load::evaluator::<P>(weights(), self.plan.device);
        let tree = |evaluator: Box<dyn Evaluator<P>>, settings| {
            Box::new(MctsPlayer::new(evaluator, settings, name()).with_knowledge(self.knowledge.clone()))
        };
        let player: Box<dyn Player<P>> = match plan.kind {
            Kind::Random => Box::new(RandomPlayer::new(*seed)),
            Kind::AlphaBeta => match &self.plan.options {
                None => Box::new(Basic::new(*limits, hash_mb.unwrap_or(BASIC_HASH_MB))),
                Some(options) => {
                    let hash_mb = hash_mb.unwrap_or(DEFAULT_HASH_MB);
                    let engine = AlphaBeta::new(Options { limits: *limits, hash_mb, ..*options });
                    Box::new(engine.with_knowledge(self.knowledge.clone()))
                }
            },
            Kind::Mcts => tree(network()?, PlayerSettings { puct: weights().card.search, ..settings.clone() }),
            Kind::Policy => Box::new(PolicyPlayer::new(network()?, name())),
            Kind::Rollout => tree(Box::new(Rollout::new(Preset::Official, *seed)), settings.clone()),
            Kind::Hub => Box::new(HubPlayer::new(plan.hub.clone().expect("a text of this kind has a command"))?),
        };
        let knowledge = self.knowledge.clone();
        Ok(Box::new(Entered { player, knowledge, text: self.text.clone(), seed: *seed }))
    }
}

/// A player under the text that named it, its own seed mixed into those of its matches. What it has thought with tables
/// that turned out to be damaged is an error.
struct Entered<P> {
    player: Box<dyn Player<P>>,
    knowledge: Knowledge<P>,
    text: String,
    seed: u64,
}

impl<P: Heuristic> Player<P> for Entered<P> {
    fn name(&self) -> String {
        self.text.clone()
    }

    fn choose(&mut self, game: &Game<P>) -> Result<Turn> {
        let turn = self.player.choose(game)?;
        self.knowledge.check().map(|()| turn)
    }

    fn analyse(&mut self, game: &Game<P>) -> Result<Analysis> {
        let analysis = self.player.analyse(game)?;
        self.knowledge.check().map(|()| analysis)
    }

    fn new_game(&mut self) {
        self.player.new_game();
    }

    fn seed(&mut self, seed: u64) {
        self.player.seed(seed ^ self.seed.rotate_left(32));
    }

    fn limit_time(&mut self, seconds: f64) {
        self.player.limit_time(seconds);
    }

    fn show_clock(&mut self, clock: Clock) {
        self.player.show_clock(clock);
    }

    fn heed(&mut self, stop: &Arc<AtomicBool>) {
        self.player.heed(stop);
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Kind {
    Random,
    AlphaBeta,
    Mcts,
    Policy,
    Rollout,
    Hub,
}

/// What a text says.
#[derive(Clone, Debug)]
struct Plan {
    kind: Kind,
    model: Option<String>,
    tables: Option<String>,
    device: Device,
    limits: Limits,
    hash_mb: Option<usize>,
    /// What the classic engine does; none where its first version is meant.
    options: Option<Options>,
    settings: PlayerSettings,
    hub: Option<hub::Settings>,
    seed: u64,
}

impl Plan {
    fn new(kind: Kind, model: Option<String>) -> Self {
        Self {
            kind,
            model,
            tables: None,
            device: Device::Cpu,
            limits: Limits::default(),
            hash_mb: None,
            options: None,
            settings: PlayerSettings::default(),
            hub: None,
            seed: 0,
        }
    }

    fn read(text: &str) -> Result<Self> {
        let bad = |reason: String| Error::Player { text: text.to_owned(), reason };
        let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let Some(&(kind, name, has_model, known)) = KINDS.iter().find(|(_, kind, ..)| *kind == name) else {
            let names = KINDS.map(|(_, name, ..)| name).join(", ");
            return Err(bad(format!("no such kind of player, expected one of {names}")));
        };
        let (rest, command) = if known.contains(&COMMAND) {
            let (rest, command) = split_command(rest.unwrap_or_default()).ok_or_else(|| {
                bad(format!(
                    "expected {COMMAND}=COMMAND at the end, before it {}",
                    known.split_last().map_or_else(String::new, |(_, keys)| keys.join(", "))
                ))
            })?;
            (rest, Some(command))
        } else {
            (rest, None)
        };
        let mut items = rest.into_iter().flat_map(|rest| rest.split(','));
        let mut model = None;
        if has_model {
            let first = items.next().unwrap_or_default();
            let is_key = first.split_once('=').is_some_and(|(key, _)| known.contains(&key));
            if first.is_empty() || is_key {
                return Err(bad(format!("expected a model after \"{name}:\", a file or the folder of a run")));
            }
            model = Some(first.to_owned());
        }
        let keys = Keys { name, known, given: Keys::read(items, name, known).map_err(bad)? };
        let plan = match command {
            Some(command) => keys.hub_plan(kind, command),
            None => keys.plan(kind, model),
        };
        plan.map_err(bad)
    }
}

/// The keys before a command, and the command; `None` without one.
fn split_command(rest: &str) -> Option<(Option<&str>, &str)> {
    let mark = format!("{COMMAND}=");
    let (keys, command) = match rest.strip_prefix(&mark) {
        Some(command) => (None, command),
        None => rest.split_once(&format!(",{mark}")).map(|(keys, command)| (Some(keys), command))?,
    };
    (!command.trim().is_empty()).then_some((keys, command))
}

/// The keys of one text.
struct Keys<'a> {
    name: &'static str,
    known: &'static [&'static str],
    given: Vec<(&'a str, &'a str)>,
}

impl<'a> Keys<'a> {
    fn read(
        items: impl Iterator<Item = &'a str>,
        kind: &str,
        known: &[&str],
    ) -> Result<Vec<(&'a str, &'a str)>, String> {
        let mut given: Vec<(&str, &str)> = Vec::new();
        for item in items {
            let expected = known.join(", ");
            let Some((key, value)) = item.split_once('=') else {
                return Err(format!("{item:?} is no KEY=VALUE, expected {expected}"));
            };
            let later = |&(k, name, v): &(&str, &str, &str)| k == kind && name == key && (v.is_empty() || v == value);
            if LATER.iter().any(later) {
                return Err(format!("not yet known: {item}, expected {expected}"));
            }
            if !known.contains(&key) {
                return Err(format!("unknown key {key:?}, expected {expected}"));
            }
            if given.iter().any(|(k, _)| *k == key) {
                return Err(format!("key {key:?} is given twice"));
            }
            given.push((key, value));
        }
        Ok(given)
    }

    fn value(&self, key: &str) -> Option<&'a str> {
        debug_assert!(self.known.contains(&key), "{key} is no key of {}", self.name);
        self.given.iter().find(|(k, _)| *k == key).map(|(_, value)| *value)
    }

    fn number<T: FromStr + PartialOrd + Display>(&self, key: &str, low: T, high: T) -> Result<Option<T>, String> {
        let Some(value) = self.value(key) else { return Ok(None) };
        match value.parse().ok().filter(|n| *n >= low && *n <= high) {
            Some(n) => Ok(Some(n)),
            None => Err(format!("{key}={value}, expected a number from {low} to {high}")),
        }
    }

    fn word(&self, key: &str, words: &[&'static str]) -> Result<(), String> {
        match self.value(key) {
            Some(value) if !words.contains(&value) => Err(format!("{key}={value}, expected {}", words.join(" or "))),
            _ => Ok(()),
        }
    }

    /// No options: the first version has none.
    fn basic_only(&self) -> Result<Option<Options>, String> {
        match ["threads", "without", "tables"].into_iter().find(|key| self.value(key).is_some()) {
            Some(key) => Err(format!("eval=basic, the first version of the engine, has no {key}")),
            None => Ok(None),
        }
    }

    fn options(&self) -> Result<Options, String> {
        let threads = self.number("threads", 1, 256)?.unwrap_or(1);
        let mut methods = Methods::ALL;
        for name in self.value("without").into_iter().flat_map(|names| names.split('+')) {
            let Some((method, _)) = Method::ALL.into_iter().find(|(_, method)| *method == name) else {
                let names = Method::ALL.map(|(_, name)| name).join(", ");
                return Err(format!("without={name}, expected some of {names}, joined by +"));
            };
            methods = methods.without(method);
        }
        Ok(Options { threads, methods, ..Options::default() })
    }

    fn hub_plan(&self, kind: Kind, command: &str) -> Result<Plan, String> {
        let command = command.to_owned();
        let time_s = self.number("time", 0.001, LONGEST_S)?;
        let depth = self.number("depth", 1, 100)?;
        if time_s.is_some() && depth.is_some() {
            return Err("expected time or depth, not both".to_owned());
        }
        let timeout_s = self.number("timeout", 0.1, LONGEST_S)?;
        let hub = Some(hub::Settings { command, time_s, depth, timeout_s });
        Ok(Plan { hub, ..Plan::new(kind, None) })
    }

    fn plan(&self, kind: Kind, model: Option<String>) -> Result<Plan, String> {
        let mut plan = Plan::new(kind, model);
        let has = |key: &str| self.known.contains(&key);
        if has("seed") {
            plan.seed = self.number("seed", 0, u64::MAX)?.unwrap_or(0);
            plan.settings.seed = plan.seed;
        }
        if has("time") {
            let time_s = self.number("time", 0.001, LONGEST_S)?;
            plan.limits.time_s = time_s;
            plan.settings.time_s = time_s;
        }
        if has("depth") {
            plan.limits.depth = self.number("depth", 1, 100)?;
            plan.limits.nodes = self.number("nodes", 1, u64::MAX)?;
            plan.hash_mb = self.number("hash", 1, 65_536)?;
            self.word("eval", &["basic", "tuned"])?;
            plan.options = if self.value("eval") == Some("basic") { self.basic_only()? } else { Some(self.options()?) };
        }
        if has("visits") {
            plan.settings.visits = self.number("visits", 1, 100_000_000)?;
        }
        if has("batch") {
            self.word("search", &["puct"])?;
            plan.settings.batch = self.number("batch", 1, 4096)?.unwrap_or(plan.settings.batch);
            plan.settings.temperature = self.number("temperature", 0.0, 10.0)?.unwrap_or(0.0);
        }
        if has("tables") {
            plan.tables = self.value("tables").map(str::to_owned);
        }
        if has("device")
            && let Some(device) = self.value("device")
        {
            plan.device = device.parse().map_err(|error: Error| error.to_string())?;
        }
        Ok(plan)
    }
}
