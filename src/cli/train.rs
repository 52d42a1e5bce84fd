//! `train`: the training loop.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use clap::Args;

use crate::error::Result;

use super::output::Output;

/// Trains a network by self-play.
#[derive(Args)]
#[command(after_help = "Examples:\n  shashki train configs/quick.toml --set run.minutes=5\n  \
                        shashki train configs/russian.toml --estimate\n  \
                        shashki train --resume runs/quick-20260101-120000")]
#[cfg_attr(not(feature = "torch"), allow(dead_code, reason = "read by the training build only"))]
pub(super) struct Arguments {
    /// The config of a new run, a TOML file.
    #[arg(required_unless_present = "resume", conflicts_with = "resume")]
    config: Option<PathBuf>,
    /// Change a knob of the config, like learner.batch_size=512; may be given again.
    #[arg(long = "set", value_name = "TABLE.KEY=VALUE")]
    overrides: Vec<String>,
    /// The folder of the new run; runs/NAME-TIME unless given.
    #[arg(long = "run", value_name = "DIR", conflicts_with = "resume")]
    run_dir: Option<PathBuf>,
    /// Start from this model's weights.
    #[arg(long, value_name = "MODEL", conflicts_with = "resume")]
    init: Option<PathBuf>,
    /// Begin with the positions of these games (PDN) as samples: what was played, and who won.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["resume", "estimate"])]
    from_pdn: Option<PathBuf>,
    /// Probe for a few seconds, say what the run would come to on this machine, and train nothing.
    #[arg(long, conflicts_with = "resume")]
    estimate: bool,
    /// Go on with the run in this folder.
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,
}

impl Arguments {
    #[cfg(not(feature = "torch"))]
    pub fn run(self, _: &Output, _: &'static AtomicBool) -> Result<()> {
        let reason = "this build has no training: get one that has by `make install-train` in the source folder, or use `make train`";
        Err(crate::error::Error::Failed(reason.to_owned()))
    }

    #[cfg(feature = "torch")]
    pub fn run(self, out: &Output, stop: &'static AtomicBool) -> Result<()> {
        use crate::train::console::Console;
        use crate::train::trainer::{self, TrainArgs};

        let Self { config, overrides, run_dir, resume, init, from_pdn, estimate } = self;
        if let (true, Some(config)) = (estimate, &config) {
            return tell(out, &crate::train::estimate::estimate(config, &overrides, stop)?);
        }
        let args = TrainArgs { config, overrides, run_dir, resume, init, from_pdn };
        // A reader that has gone away does not end a run.
        let mut on_row = |row: &serde_json::Value| drop(out.object(row));
        let table = trainer::run(&args, stop, &mut Console::new(&mut on_row))?;
        if table.rungs.is_empty() {
            return Ok(());
        }
        out.text(&table.to_string())?;
        out.object(&table.row())
    }
}

/// Prints an estimate: a line a number for people, one object for programs.
#[cfg(feature = "torch")]
fn tell(out: &Output, estimate: &serde_json::Value) -> Result<()> {
    for (name, number) in estimate.as_object().into_iter().flatten() {
        let shown = number.as_f64().map_or_else(|| "without limit".to_owned(), |number| format!("{number:.0}"));
        out.text(&format!("{:24}{shown:>14}", name.replace('_', " ")))?;
    }
    out.object(estimate)
}
