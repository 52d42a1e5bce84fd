//! Every knob of a training run on one page: read from TOML, overridden by `--set`, checked, written back in full.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use toml::{Table, Value};

use crate::device::Device;
use crate::error::{Error, Result};
use crate::games::draws::Preset;
use crate::games::variant::Variant;
use crate::threads;

/// The largest file that is read as a config, in bytes.
const LARGEST_FILE: u64 = 1_000_000;

/// A whole run. A file names only what it changes; every other knob has the default given here.
///
/// ```
/// use shashki::config::Config;
///
/// let config = Config::parse("run.variant = 'russian'", &["learner.batch_size=256".to_owned()])?;
/// assert_eq!(config.learner.batch_size, 256);
/// assert!(Config::parse("learner.batchsize = 256", &[]).is_err());
/// # Ok::<(), shashki::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// What is played, for how long, and where it is kept.
    pub run: RunConfig,
    /// The network.
    pub net: NetConfig,
    /// The tree search of self-play.
    pub search: SearchConfig,
    /// The games of self-play.
    pub selfplay: SelfPlayConfig,
    /// The store of samples.
    pub replay: ReplayConfig,
    /// The optimiser.
    pub learner: LearnerConfig,
    /// The matches that measure the run.
    pub arena: ArenaConfig,
}

/// What is played, for how long, and where it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunConfig {
    /// Names the run folder, `runs/NAME-TIME`: letters, digits, `-` and `_`. Empty, it is the variant's name.
    pub name: String,
    /// The variant.
    pub variant: Variant,
    /// The draw rules: `official` or `basic`, or where the variant has them `lidraughts` or `russian`.
    pub draws: Preset,
    /// Seeds everything: same seed, same threads, same games on the CPU.
    pub seed: u64,
    /// Minutes of self-play and learning, matches not counted; 0 is without limit.
    pub minutes: f64,
    /// Rounds; 0 is without limit. A run ends at whichever limit comes first.
    pub rounds: u32,
    /// Self-play threads; 0 is one a core.
    pub threads: usize,
    /// Where the network is trained and evaluated: `cpu`, `cuda` or `cuda:N`.
    pub device: Device,
    /// Rounds between two numbered checkpoints in `checkpoints/`.
    pub checkpoint_every: u32,
}

/// The network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetConfig {
    /// `mlp`: dense layers, the choice for CPUs; `resnet`: convolutions, for GPUs.
    pub kind: NetKind,
    /// Units of a dense layer, or channels of a convolution: 8 to 4096.
    pub width: usize,
    /// Residual blocks: 0 to 64.
    pub blocks: usize,
}

/// The kinds of network.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NetKind {
    /// Residual dense layers over the playable squares.
    Mlp,
    /// Residual convolutions over the playable squares, packed.
    Resnet,
}

/// The tree search of self-play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SearchConfig {
    /// Simulations a hop: 1 to 1,000,000.
    pub visits: u32,
    /// PUCT's weight of priors and visits against values: 0.1 to 10 (Silver et al. 2018).
    pub c_puct: f32,
    /// A hop never visited counts as its parent's value less this: 0 to 2 (first-play urgency).
    pub fpu_reduction: f32,
    /// What a draw is worth to both sides in the search, while the network still learns draws as they are: −1, as bad as a
    /// loss, to 1. Below 0 for games that end in draws before much is learnt.
    pub draw_value: f32,
    /// The share of noise in the root's priors: 0 to 1.
    pub noise: f32,
    /// The root noise is Dirichlet with this over the number of legal hops as its parameter: 0.1 to 100.
    pub noise_concentration: f32,
    /// Hops are chosen by visits to the power 1 over this: 0 (the most visited) to 10.
    pub temperature: f32,
    /// Turns of a game in which the temperature applies; in later ones each hop is the most visited.
    pub temperature_turns: u32,
}

/// The games of self-play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SelfPlayConfig {
    /// Games that each thread plays at once, one batch of leaves a step: 1 to 65,536, or 0 for as many as a probe of a few
    /// seconds finds fast before a run begins; then the run's own config has that number.
    pub games: usize,
    /// Positions recorded by each thread in a round: 1 to 100,000,000.
    pub samples_per_round: usize,
    /// A game begins with up to this many random turns: 0 to 40, and below `max_turns`.
    pub opening_turns: u32,
    /// A game of more turns than this is a draw: 20 to 10,000.
    pub max_turns: u32,
    /// The share of the search's own value in the value target, the rest being the game's result: 0 to 1.
    pub search_value_share: f32,
    /// A folder of endgame tables: what they are certain of ends a game and is exact in the search; empty is none.
    pub tables: String,
}

/// The store of samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReplayConfig {
    /// Samples kept; the oldest give way: 1,000 to 1,000,000,000.
    pub capacity: usize,
    /// Samples before learning starts.
    pub start: usize,
}

/// The optimiser: AdamW (Loshchilov and Hutter 2019).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LearnerConfig {
    /// The numbers that layers are computed in: `f32`, `bf16`, or `auto`, which is `bf16` for an `mlp` on a CPU that has
    /// instructions for it (AVX-512 BF16), where it is about twice as fast. Parameters, their gradient, optimiser and
    /// losses are f32 anyway.
    pub precision: Precision,
    /// Samples a step: 1 to 65,536.
    pub batch_size: usize,
    /// How often each new sample is used on average: 0.1 to 100.
    pub samples_per_new: f32,
    /// Step size after the warm-up: above 0, up to 1.
    pub learning_rate: f64,
    /// Step size at the end of the run, reached along a half cosine; a run without limit stays at `learning_rate`.
    pub final_learning_rate: f64,
    /// Steps over which the step size rises from 0.
    pub warmup_steps: u64,
    /// Decay of weights (not of biases and norms) per unit of step size: 0 to 1.
    pub weight_decay: f64,
    /// Gradients of a larger norm are scaled down to this; 0 is no clipping.
    pub clip_norm: f64,
    /// Weight of the value loss against the policy loss: 0 to 100.
    pub value_weight: f64,
    /// The player's weights are a running mean of the learner's with this memory a step: 0 (none) to below 1.
    pub average: f64,
}

/// The numbers that the learner multiplies layers in.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// What the processor is fastest with.
    Auto,
    /// 24 bits of precision.
    F32,
    /// 8 bits of precision over the range of f32 (bfloat16).
    Bf16,
}

/// The matches that measure the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ArenaConfig {
    /// Rounds between two measurements; 0 is never.
    pub every: u32,
    /// Games against each opponent: even.
    pub games: u32,
    /// Simulations a turn of the network's player.
    pub visits: u32,
    /// Fixed opponents, as player texts.
    pub opponents: Vec<String>,
    /// Games against each opponent at the end of the run, played by the trained network and by the one it began with; even,
    /// 0 is none.
    pub final_games: u32,
    /// Random turns of the openings: 0 to 40, and below `selfplay.max_turns`, which holds for matches too.
    pub opening_turns: u32,
}

impl Default for RunConfig {
    fn default() -> Self {
        Self {
            name: String::new(),
            variant: Variant::Russian,
            draws: Preset::Official,
            seed: 1,
            minutes: 0.0,
            rounds: 0,
            threads: 0,
            device: Device::Cpu,
            checkpoint_every: 10,
        }
    }
}

impl Default for NetConfig {
    fn default() -> Self {
        Self { kind: NetKind::Mlp, width: 256, blocks: 2 }
    }
}

impl Default for SearchConfig {
    fn default() -> Self {
        Self {
            visits: 32,
            c_puct: 1.5,
            fpu_reduction: 0.2,
            draw_value: 0.0,
            noise: 0.25,
            noise_concentration: 10.0,
            temperature: 1.0,
            temperature_turns: 12,
        }
    }
}

impl Default for SelfPlayConfig {
    fn default() -> Self {
        Self {
            games: 128,
            samples_per_round: 20_000,
            opening_turns: 6,
            max_turns: 300,
            search_value_share: 0.0,
            tables: String::new(),
        }
    }
}

impl Default for ReplayConfig {
    fn default() -> Self {
        Self { capacity: 500_000, start: 20_000 }
    }
}

impl Default for LearnerConfig {
    fn default() -> Self {
        Self {
            precision: Precision::Auto,
            batch_size: 512,
            samples_per_new: 4.0,
            learning_rate: 1e-3,
            final_learning_rate: 1e-4,
            warmup_steps: 100,
            weight_decay: 1e-4,
            clip_norm: 1.0,
            value_weight: 1.0,
            average: 0.0,
        }
    }
}

impl Default for ArenaConfig {
    fn default() -> Self {
        Self {
            every: 10,
            games: 40,
            visits: 100,
            opponents: [
                "random",
                "alphabeta:eval=basic,depth=1",
                "alphabeta:eval=basic,depth=2",
                "alphabeta:eval=basic,depth=4",
            ]
            .map(str::to_owned)
            .to_vec(),
            final_games: 100,
            opening_turns: 4,
        }
    }
}

/// How a search weighs values, priors and visits. A network keeps what it was trained with, so that whoever plays it
/// searches the same way.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Puct {
    /// The weight of priors and visits against values.
    pub c_puct: f32,
    /// A hop never visited counts as its parent's value less this.
    pub fpu_reduction: f32,
    /// What a draw is worth to both sides, from −1, as bad as a loss, over 0 to 1.
    pub draw_value: f32,
}

impl Default for Puct {
    fn default() -> Self {
        SearchConfig::default().puct()
    }
}

impl Puct {
    /// Checks every range.
    ///
    /// # Errors
    /// The key, its value and what was expected.
    pub fn validate(&self) -> Result<(), String> {
        range("search.c_puct", self.c_puct, 0.1, 10.0)?;
        range("search.fpu_reduction", self.fpu_reduction, 0.0, 2.0)?;
        range("search.draw_value", self.draw_value, -1.0, 1.0)
    }
}

impl SearchConfig {
    /// How it weighs values, priors and visits.
    #[must_use]
    pub const fn puct(&self) -> Puct {
        Puct { c_puct: self.c_puct, fpu_reduction: self.fpu_reduction, draw_value: self.draw_value }
    }
}

impl RunConfig {
    /// The run's name: as configured, or the variant's.
    #[must_use]
    pub fn name(&self) -> &str {
        if self.name.is_empty() { self.variant.name() } else { &self.name }
    }
}

impl Config {
    /// Reads a file and applies overrides of the form `table.key=value`.
    ///
    /// # Errors
    /// If the file cannot be read, or the file or an override has an unknown key, a wrong type or a value out of range;
    /// the message names the key and what was expected.
    pub fn load(path: &Path, overrides: &[String]) -> Result<Self> {
        if path.is_dir() {
            let reason = "a folder, expected a config file; a run goes on by --resume".to_owned();
            return Err(Error::Config { path: path.to_owned(), reason });
        }
        let mut text = String::new();
        let file = File::open(path).and_then(|file| file.take(LARGEST_FILE + 1).read_to_string(&mut text));
        file.map_err(|source| Error::io(path, source))?;
        let in_file = |reason: String| Error::Config { path: path.to_owned(), reason };
        if text.len() as u64 > LARGEST_FILE {
            return Err(in_file(format!("larger than {LARGEST_FILE} bytes, expected a config")));
        }
        // The file alone first, so that what is wrong in it is not blamed on an override.
        read(&text, &Table::new()).map_err(in_file)?;
        Self::parse(&text, overrides)
    }

    /// Reads a text and applies overrides.
    ///
    /// # Errors
    /// As [`Config::load`].
    pub fn parse(text: &str, overrides: &[String]) -> Result<Self> {
        let mut changes = Table::new();
        for change in overrides {
            set(&mut changes, change)?;
        }
        let shown = if overrides.is_empty() { "text".to_owned() } else { overrides.join(" ") };
        let wrong = |reason| Error::Override { text: shown.clone(), reason };
        let config = read(text, &changes).map_err(wrong)?;
        config.validate().map_err(wrong)?;
        Ok(config)
    }

    /// The whole config as TOML, every knob with its value.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::to_string_pretty(self).expect("plain tables of plain values are TOML")
    }

    /// The first 16 hexadecimal digits of the SHA-256 of [`Config::to_toml`].
    #[must_use]
    pub fn hash(&self) -> String {
        Sha256::digest(self.to_toml()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Self-play threads: as configured, or one a core.
    #[must_use]
    pub fn threads(&self) -> usize {
        threads::count(self.run.threads)
    }

    /// Checks every range.
    ///
    /// # Errors
    /// The key, its value and what was expected.
    pub fn validate(&self) -> Result<(), String> {
        let Self { run, net, search, selfplay, replay, learner, arena } = self;
        let named = run.name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
        demand(named, "run.name", &format!("{:?}", run.name), "letters, digits, - and _")?;
        range("run.minutes", run.minutes, 0.0, 1e7)?;
        range("run.threads", run.threads, 0, 1024)?;
        range("run.checkpoint_every", run.checkpoint_every, 1, u32::MAX)?;
        range("net.width", net.width, 8, 4096)?;
        range("net.blocks", net.blocks, 0, 64)?;
        range("search.visits", search.visits, 1, 1_000_000)?;
        search.puct().validate()?;
        range("search.noise", search.noise, 0.0, 1.0)?;
        range("search.noise_concentration", search.noise_concentration, 0.1, 100.0)?;
        range("search.temperature", search.temperature, 0.0, 10.0)?;
        range("selfplay.games", selfplay.games, 0, 65_536)?;
        range("selfplay.samples_per_round", selfplay.samples_per_round, 1, 100_000_000)?;
        range("selfplay.max_turns", selfplay.max_turns, 20, 10_000)?;
        // A game goes on behind its opening.
        let longest_opening = (selfplay.max_turns - 1).min(40);
        range("selfplay.opening_turns", selfplay.opening_turns, 0, longest_opening)?;
        range("selfplay.search_value_share", selfplay.search_value_share, 0.0, 1.0)?;
        range("replay.capacity", replay.capacity, 1000, 1_000_000_000)?;
        range("replay.start", replay.start, 1, replay.capacity)?;
        range("learner.batch_size", learner.batch_size, 1, 65_536)?;
        range("learner.samples_per_new", learner.samples_per_new, 0.1, 100.0)?;
        range("learner.learning_rate", learner.learning_rate, f64::MIN_POSITIVE, 1.0)?;
        range("learner.final_learning_rate", learner.final_learning_rate, 0.0, learner.learning_rate)?;
        range("learner.weight_decay", learner.weight_decay, 0.0, 1.0)?;
        range("learner.clip_norm", learner.clip_norm, 0.0, 1e6)?;
        range("learner.value_weight", learner.value_weight, 0.0, 100.0)?;
        range("learner.average", learner.average, 0.0, 0.999_999)?;
        range("arena.visits", arena.visits, 1, 1_000_000)?;
        range("arena.opening_turns", arena.opening_turns, 0, longest_opening)?;
        range("arena.games", arena.games, 2, 1_000_000)?;
        range("arena.final_games", arena.final_games, 0, 1_000_000)?;
        for (key, games) in [("arena.games", arena.games), ("arena.final_games", arena.final_games)] {
            demand(games.is_multiple_of(2), key, &games, "an even number: every opening is played twice")?;
        }
        Ok(())
    }
}

fn demand(holds: bool, key: &str, value: &dyn fmt::Display, expected: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("{key} = {value}: expected {expected}")) }
}

fn range<T: PartialOrd + fmt::Display>(key: &str, value: T, low: T, high: T) -> Result<(), String> {
    let expected = format!("{low} to {high}");
    demand(value >= low && value <= high, key, &value, &expected)
}

/// Reads a text over which `changes` are laid; errors are one line.
fn read(text: &str, changes: &Table) -> Result<Config, String> {
    let one_line = |error: toml::de::Error| {
        let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let message = error.message().trim().replace('\n', "; ");
        line.map_or(message.clone(), |line| format!("line {line}: {message}"))
    };
    if changes.is_empty() {
        let config: Config = toml::from_str(text).map_err(one_line)?;
        config.validate()?;
        return Ok(config);
    }
    let mut table: Table = toml::from_str(text).map_err(one_line)?;
    for (name, change) in changes {
        let Value::Table(change) = change else { return Err(format!("unknown table {name:?}")) };
        let entry = table.entry(name).or_insert_with(|| Value::Table(Table::new()));
        let Value::Table(entry) = entry else { return Err(format!("{name} is not a table")) };
        entry.extend(change.clone());
    }
    table.try_into().map_err(|error: toml::de::Error| error.message().trim().replace('\n', "; "))
}

/// Notes the override `table.key=value`. A value that is no TOML is taken as a string.
fn set(changes: &mut Table, text: &str) -> Result<()> {
    let bad = || Error::value("--set", text, "TABLE.KEY=VALUE, like learner.batch_size=512");
    let (path, value) = text.split_once('=').ok_or_else(bad)?;
    let (table, key) = path.trim().split_once('.').ok_or_else(bad)?;
    let value = match toml::from_str::<Table>(&format!("value = {value}")) {
        Ok(mut parsed) => parsed.remove("value").ok_or_else(bad)?,
        Err(_) => Value::String(value.trim().to_owned()),
    };
    let entry = changes.entry(table).or_insert_with(|| Value::Table(Table::new()));
    let Value::Table(entry) = entry else { return Err(bad()) };
    entry.insert(key.to_owned(), value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str, overrides: &[&str]) -> String {
        let overrides: Vec<_> = overrides.iter().map(|&s| s.to_owned()).collect();
        Config::parse(text, &overrides).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_reads_back_the_same() {
        let config = Config::parse("[net]\nwidth = 64", &["run.minutes=1.5".to_owned()]).unwrap();
        assert_eq!(Config::parse(&config.to_toml(), &[]).unwrap(), config);
        assert_eq!(config.net.width, 64);
    }

    #[test]
    fn a_run_without_a_name_has_its_variants() {
        let config = Config::parse("run.variant = 'bashni'", &[]).unwrap();
        assert_eq!(config.run.name(), "bashni");
        assert_eq!(Config::parse("run.name = 'a'", &[]).unwrap().run.name(), "a");
    }

    #[test]
    fn a_wrong_key_type_or_range_is_named() {
        assert!(message("[net]\nwidht = 64", &[]).contains("widht"));
        assert!(message("[net]\nwidth = 'wide'", &[]).contains("expected usize"));
        assert!(message("[net]\nwidth = 7", &[]).contains("net.width = 7: expected 8 to 4096"));
        assert!(message("", &["net.widht=64"]).contains("widht"));
        assert!(message("", &["nett.width=64"]).contains("nett"));
        assert!(message("", &["net.width"]).contains("TABLE.KEY=VALUE"));
        let opening = ["selfplay.max_turns=20", "selfplay.opening_turns=20"];
        assert!(message("", &opening).contains("opening_turns = 20: expected 0 to 19"));
        assert!(message("", &["run.minutes=nan"]).contains("run.minutes"));
        assert!(message("", &["run.device=cudax"]).contains("expected cpu, cuda or cuda:N"));
        assert!(message("", &["run.variant=chess"]).contains("russian"));
    }

    #[test]
    fn an_override_replaces_what_the_file_says() {
        let config = Config::parse("[run]\nname = 'a'\nseed = 3", &["run.name=b".to_owned()]).unwrap();
        assert_eq!((config.run.name.as_str(), config.run.seed), ("b", 3));
    }

    #[test]
    fn a_file_without_end_is_no_config() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("long.toml");
        std::fs::write(&path, "#".repeat(1_000_000)).unwrap();
        assert_eq!(Config::load(&path, &[]).unwrap(), Config::default());
        std::fs::write(&path, "#".repeat(1_000_001)).unwrap();
        let message = Config::load(&path, &[]).unwrap_err().to_string();
        assert!(message.contains("long.toml: larger than 1000000 bytes"), "{message}");
    }

    #[test]
    fn the_hash_changes_with_any_knob() {
        let plain = Config::default();
        let other = Config::parse("", &["search.c_puct=1.6".to_owned()]).unwrap();
        assert_ne!(plain.hash(), other.hash());
        assert_eq!(plain.hash(), Config::default().hash());
    }
}
