//! What a run says on standard error while it goes on: a progress bar with rates and time left, a line a round.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;

use crate::arena::Report;
use crate::games::variant::Variant;

/// Steps of the bar.
const STEPS: u64 = 1000;

/// The console of a run, and the place where each round's numbers are handed on.
pub struct Console<'a> {
    bar: ProgressBar,
    started: Instant,
    first_share: Option<f64>,
    /// Seconds of all rounds so far, by stage.
    spent: BTreeMap<String, f64>,
    on_row: &'a mut dyn FnMut(&Value),
}

/// What this program is called by: its path where it is the command itself, its name where Python runs it.
fn program() -> String {
    let name = std::env::args().next().unwrap_or_default();
    if name.ends_with("shashki") { name } else { "shashki".to_owned() }
}

impl<'a> Console<'a> {
    /// A console on standard error; `on_row` gets each round's numbers as they go into `metrics.jsonl`.
    pub fn new(on_row: &'a mut dyn FnMut(&Value)) -> Self {
        let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
        let style =
            ProgressStyle::with_template("[{elapsed_precise}] {wide_bar} {msg}").expect("the template is fixed");
        bar.set_style(style);
        Self { bar, started: Instant::now(), first_share: None, spent: BTreeMap::new(), on_row }
    }

    /// The run folder is there.
    pub fn started(&self, folder: &Path) {
        self.line(&format!(
            "run folder {0}\nwatch it by `tensorboard --logdir {0}`; stop it by Ctrl-C and go on by `{1} train --resume {0}`",
            folder.display(),
            program()
        ));
    }

    /// The run is over.
    pub fn finished(&self, folder: &Path, variant: Variant) {
        let (program, folder) = (program(), folder.display());
        let whole: f64 = self.spent.values().sum();
        if whole > 0.0 {
            let mut stages: Vec<_> = self.spent.iter().map(|(stage, s)| (stage, 100.0 * s / whole)).collect();
            stages.sort_by(|a, b| b.1.total_cmp(&a.1));
            let shares: Vec<_> = stages.iter().map(|(stage, share)| format!("{stage} {share:.0}%")).collect();
            self.line(&format!("where the time went, the bottleneck first: {}", shares.join(", ")));
        }
        self.line(&format!(
            "the best network is {folder}/best.safetensors; play against it by `{program} play mcts:{folder} --variant {variant}`"
        ));
    }

    /// The run was stopped before its end.
    pub fn stopped(&self, folder: &Path) {
        self.line(&format!("stopped; go on by `{} train --resume {}`", program(), folder.display()));
    }

    /// Self-play has recorded `done` of `all` samples of the round; `share` of the run was done before it.
    pub fn playing(&mut self, done: u64, all: u64, share: f64) {
        self.show(share, &format!("self-play {:>3}%", 100 * done.min(all) / all.max(1)));
    }

    /// The learner has taken `done` of `all` steps of the round.
    pub fn learning(&mut self, done: u64, all: u64, share: f64) {
        if done.is_multiple_of(16) {
            self.show(share, &format!("learning {:>3}%", 100 * done / all.max(1)));
        }
    }

    /// A match goes on.
    pub fn matching(&mut self, opponent: &str, done: u32, all: u32) {
        self.bar.set_message(format!("match against {opponent} {done}/{all}"));
        self.bar.tick();
    }

    /// A match is over.
    pub fn matched(&self, name: &str, opponent: &str, report: &Report) {
        let (tally, score) = (&report.tally, report.tally.score().unwrap_or(0.5));
        self.line(&format!(
            "  {name} against {opponent}: score {score:.3} in {} games, {:.0} s",
            tally.games(),
            report.seconds
        ));
    }

    /// A round is complete; `share` of the run is done.
    pub fn round(&mut self, row: &Value, share: f64) {
        (self.on_row)(row);
        let number = |path: &str| row.pointer(path).and_then(Value::as_f64);
        let shown = |path: &str, digits: usize| number(path).map_or("-".to_owned(), |n| format!("{n:.digits$}"));
        let line = format!(
            "round {:>4}  games {:>7}  samples {:>9}  policy {}  value {}  draws {}%  {} games/s  {} leaves/s  net {}% search {}% learn {}%",
            shown("/round", 0),
            shown("/games", 0),
            shown("/samples", 0),
            shown("/losses/policy", 3),
            shown("/losses/value", 3),
            number("/play/draw_rate").map_or("-".to_owned(), |n| format!("{:.0}", 100.0 * n)),
            shown("/rate/games_per_s", 0),
            shown("/rate/leaves_per_s", 0),
            shown("/time/percent/net", 0),
            shown("/time/percent/search", 0),
            shown("/time/percent/learn", 0),
        );
        self.line(&line);
        let seconds = number("/time/self_play_s").unwrap_or(0.0) + number("/time/learn_s").unwrap_or(0.0);
        for (stage, share) in row.pointer("/time/percent").and_then(Value::as_object).into_iter().flatten() {
            *self.spent.entry(stage.clone()).or_default() += share.as_f64().unwrap_or(0.0) / 100.0 * seconds;
        }
        if number("/play/draw_rate").is_some_and(|rate| rate > 0.95) {
            self.line("warning: over 95% of the games are draws: there is little to learn from; raise selfplay.opening_turns or search.noise");
        }
        self.show(share, "");
    }

    fn show(&mut self, share: f64, message: &str) {
        let first = *self.first_share.get_or_insert(share);
        let elapsed = self.started.elapsed().as_secs_f64();
        let left = if share > first { elapsed * (1.0 - share).max(0.0) / (share - first) } else { 0.0 };
        self.bar.set_position((share.clamp(0.0, 1.0) * STEPS as f64) as u64);
        let left = if left > 0.0 { format!(", {:.0} min left", (left / 60.0).ceil()) } else { String::new() };
        self.bar.set_message(format!("{message}{left}"));
    }

    /// Shows a line.
    #[allow(clippy::print_stderr, reason = "without a terminal the bar is hidden, and lines are all there is")]
    pub(super) fn line(&self, text: &str) {
        if self.bar.is_hidden() {
            eprintln!("{text}");
        } else {
            self.bar.println(text);
        }
    }
}

impl Drop for Console<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
