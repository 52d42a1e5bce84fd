//! `moves`: the legal turns of a position.

use clap::Args;
use serde::Serialize;

use crate::error::Result;
use crate::for_variant;
use crate::games::game::{Game, Outcome};
use crate::games::position::Position;
use crate::games::{Preset, Turn};

use super::Place;
use super::output::Output;

/// Lists the legal turns of a position in full notation, sorted.
#[derive(Args)]
#[command(after_help = "Example: shashki moves --fen W:Wc3,e3:Bd4,f6")]
pub(super) struct Arguments {
    #[command(flatten)]
    place: Place,
}

#[derive(Serialize)]
struct Answer<'a> {
    variant: &'a str,
    fen: String,
    side: String,
    moves: Vec<String>,
    outcome: Option<Ending>,
}

/// An outcome in JSON: the winner's side, `null` for a draw, and the reason.
#[derive(Serialize)]
pub(super) struct Ending {
    winner: Option<String>,
    reason: &'static str,
}

impl From<Outcome> for Ending {
    fn from(outcome: Outcome) -> Self {
        Self { winner: outcome.winner.map(|side| side.to_string()), reason: outcome.reason.name() }
    }
}

impl Arguments {
    pub fn run(self, out: &Output) -> Result<()> {
        for_variant!(self.place.variant, P => self.list::<P>(out))
    }

    fn list<P: Position>(&self, out: &Output) -> Result<()> {
        let game = Game::<P>::from_position(self.place.position()?, Preset::Official)?;
        let moves: Vec<_> = game.turns().iter().map(Turn::to_string).collect();
        moves.iter().try_for_each(|turn| out.text(turn))?;
        game.outcome().map_or(Ok(()), |outcome| out.text(&outcome.to_string()))?;
        out.object(&Answer {
            variant: self.place.variant.name(),
            fen: game.position().write_fen(),
            side: game.side().to_string(),
            moves,
            outcome: game.outcome().map(Ending::from),
        })
    }
}
