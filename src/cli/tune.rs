//! `tune`: fits the classic engine's evaluation to the results of games.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use clap::Args;
use serde::Serialize;

use crate::error::{Error, Result};
use crate::files::{self, WholeFile};
use crate::for_variant;
use crate::games::Variant;
use crate::roster::Entrant;
use crate::search::heuristic::Heuristic;
use crate::search::tune::fit::{self, Losses, Samples};
use crate::search::tune::games::{self, Played, Settings};
use crate::search::tune::weights;

use super::output::{self, Output};

/// Plays games of a player with itself, and fits the weights of the classic engine's evaluation to their results.
///
/// Games are kept in a file as they are played, and a second call goes on with it: Ctrl-C loses nothing. The weights are
/// those that make the results likeliest (logistic regression, penalised); every tenth game is held out to see how they do
/// on games they have not seen. The same options make the same files, byte for byte, unless the player thinks by time.
#[derive(Args)]
#[command(after_help = "Examples:\n  shashki tune --variant russian --games 20000 --player alphabeta:nodes=3000\n  \
                        shashki tune --games 0 --from old.games --from masters.pdn --out russian.weights")]
pub(super) struct Arguments {
    /// The variant.
    #[arg(long, default_value_t = Variant::Russian)]
    variant: Variant,
    /// Games to play; 0 to fit to games of files alone.
    #[arg(long, default_value_t = 20_000)]
    games: u64,
    /// The player that plays them against itself.
    #[arg(long, value_name = "PLAYER", default_value = "alphabeta:nodes=3000")]
    player: String,
    /// Where they are kept.
    #[arg(long, value_name = "FILE", default_value = "tune.games")]
    keep: PathBuf,
    /// Fit to the games of this file too: one that tune has kept, or game records (PDN). May be given again.
    #[arg(long, value_name = "FILE")]
    from: Vec<PathBuf>,
    /// Where the weights go.
    #[arg(long, value_name = "FILE", default_value = "tune.weights")]
    out: PathBuf,
    /// The penalty on the squares of the weights: the more games, the less it matters.
    #[arg(long, default_value_t = 8.0, allow_hyphen_values = true)]
    penalty: f64,
    /// Steps of the fit, at most.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    steps: u32,
    /// Threads; 0 is one a core.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=1024))]
    threads: u32,
    /// Seeds the games.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// What came out.
#[derive(Serialize)]
struct Summary<'a> {
    variant: Variant,
    games: usize,
    /// White's wins, draws, Black's wins.
    results: [usize; 3],
    /// Positions learnt from.
    positions: usize,
    /// Positions of the games held out.
    held_out: usize,
    /// How well the first version's evaluation tells the results.
    basic: Losses,
    /// How well the weights do.
    tuned: Losses,
    out: &'a PathBuf,
}

impl Arguments {
    pub fn run(self, out: &Output, stop: &AtomicBool) -> Result<()> {
        if !(self.penalty > 0.0 && self.penalty.is_finite()) {
            return Err(Error::value("penalty", self.penalty, "a number above 0"));
        }
        let mut read = self.from.iter().chain((self.games > 0).then_some(&self.keep));
        read.try_for_each(|path| files::apart("out", Some(&self.out), Some(path)))?;
        for_variant!(self.variant, P => self.tune::<P>(out, stop))
    }

    fn tune<P: Heuristic>(&self, out: &Output, stop: &AtomicBool) -> Result<()> {
        if P::TERMS == 0 {
            let able = Variant::ALL.iter().filter(|&&variant| for_variant!(variant, Q => Q::TERMS) > 0);
            let names: Vec<_> = able.map(|variant| variant.name()).collect();
            return Err(Error::value(
                "variant",
                self.variant,
                format!("one whose evaluation has weights: {}", names.join(", ")),
            ));
        }
        // What cannot be written in the end is better known now.
        let file = WholeFile::create(&self.out)?;
        let games = self.games::<P>(stop)?;
        let samples = Samples::new(&games);
        let [positions, held_out] = samples.len();
        if positions == 0 || held_out == 0 {
            return Err(Error::value(
                "games",
                games.len(),
                "enough of them for positions to learn from and to hold out",
            ));
        }
        let (unit, basic) = samples.basic();
        let bar = output::bar(u64::from(self.steps), "steps");
        let fitted = fit::fit(&samples, self.penalty, self.steps, self.threads as usize, stop, &mut |step, losses| {
            bar.set_position(u64::from(step));
            bar.set_message(format!("steps, loss {:.4} held out", losses.held_out));
        });
        bar.finish_and_clear();
        let (fitted, tuned) = fitted?;
        if !tuned.learnt.is_finite() {
            return Err(Error::value("penalty", self.penalty, "one large enough for a fit"));
        }
        weights::write(file, &fitted, unit)?;
        let results = [2, 1, 0].map(|points| games.iter().filter(|game| game.points == points).count());
        let [won, drawn, lost] = results;
        out.text(&format!("{} games of {}: +{won} ={drawn} -{lost} for White", games.len(), self.variant))?;
        out.text(&format!("{:18} {:>10} {:>10}", "", "learnt", "held out"))?;
        out.text(&format!("{:18} {positions:>10} {held_out:>10}", "positions"))?;
        for (name, Losses { learnt, held_out }) in [("loss, basic", basic), ("loss, tuned", tuned)] {
            out.text(&format!("{name:18} {learnt:>10.4} {held_out:>10.4}"))?;
        }
        out.text(&format!("weights in {}", self.out.display()))?;
        let (variant, games) = (self.variant, games.len());
        out.object(&Summary { variant, games, results, positions, held_out, basic, tuned, out: &self.out })
    }

    /// Plays what is to be played, and reads what is to be read.
    fn games<P: Heuristic>(&self, stop: &AtomicBool) -> Result<Vec<Played<P>>> {
        let mut games = Vec::new();
        if self.games > 0 {
            let settings = Settings { variant: self.variant, player: self.player.clone(), seed: self.seed };
            let entrant = Entrant::<P>::new(&self.player)?;
            let bar = output::bar(self.games, "games");
            let mut on_game = |n: u64| bar.set_position(n);
            let (wanted, threads) = (self.games, self.threads as usize);
            let played = games::play(&self.keep, &settings, &|| entrant.player(), wanted, threads, stop, &mut on_game);
            bar.finish_and_clear();
            played?;
            games = games::read(&self.keep)?;
            games.truncate(usize::try_from(wanted).unwrap_or(usize::MAX));
        }
        for path in &self.from {
            games.extend(games::read(path)?);
        }
        Ok(games)
    }
}
