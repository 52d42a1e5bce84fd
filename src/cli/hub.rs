//! `hub`: a player as an engine that speaks Hub.

use std::io;

use clap::Args;

use crate::error::Result;
use crate::for_variant;
use crate::games::Variant;
use crate::hub::{self, Served, Session};
use crate::roster::{self, Entrant};
use crate::search::heuristic::Heuristic;

use super::output;
use super::{Rules, exit_at_once};

/// Is an engine for programs that speak Hub 2, as draughts GUIs and bots do, on standard input and output.
#[derive(Args)]
#[command(
    after_help = "Plays russian, poddavki and spantsireti; the other program may choose by set-param name=variant.\n\
                  The player's own limits hold beside those that the other program sets.\n\
                  Example: shashki hub alphabeta:hash=64"
)]
pub(super) struct Arguments {
    /// Who thinks, as a player text.
    player: String,
    /// What is played unless the other program says so.
    #[arg(long, default_value_t = Variant::Russian)]
    variant: Variant,
    #[command(flatten)]
    rules: Rules,
}

impl Arguments {
    pub fn run(self) -> Result<()> {
        roster::check(&self.player)?;
        for_variant!(self.variant, P => hub::text::check::<P>()?);
        let mut write = |line: &str| output::write(line);
        let mut session = Session::new(self.player.clone(), self.variant, io::stdin(), &mut write);
        while session.greet()? {
            match for_variant!(session.variant(), P => self.serve::<P>(&mut session))? {
                Served::Variant => {}
                Served::Left { searching: false } => break,
                Served::Left { searching: true } => exit_at_once(0),
            }
        }
        Ok(())
    }

    fn serve<P: Heuristic>(&self, session: &mut Session<'_>) -> Result<Served> {
        let mut entrant = None;
        let mut make = |depth, nodes| {
            let entrant = match &mut entrant {
                Some(entrant) => entrant,
                None => entrant.insert(Entrant::<P>::new(&self.player)?),
            };
            entrant.player_within(depth, nodes)
        };
        hub::serve(session, self.rules.draws, &mut make)
    }
}
