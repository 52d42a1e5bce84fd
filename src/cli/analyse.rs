//! `analyse`: what a player thinks of a position.

use clap::Args;
use serde::Serialize;

use crate::error::{Error, Result};
use crate::for_variant;
use crate::games::game::Game;
use crate::games::{Turn, diagram};
use crate::player::Line;
use crate::roster;
use crate::search::heuristic::Heuristic;

use super::output::Output;
use super::{Place, Rules};

/// Shows what a player thinks: candidates, their values for the side to move, expected play.
#[derive(Args)]
#[command(
    after_help = "Values run from -1, lost for the side to move, to 1.\nExample: shashki analyse alphabeta:depth=10 --fen W:Wc3,e3:Bd6,f6"
)]
pub(super) struct Arguments {
    /// Who is asked, as a player text.
    player: String,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    rules: Rules,
    /// Draw the board in letters.
    #[arg(long)]
    ascii: bool,
}

#[derive(Serialize)]
struct Answer {
    fen: String,
    best: String,
    value: f32,
    lines: Vec<Candidate>,
}

#[derive(Serialize)]
struct Candidate {
    turn: String,
    value: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    visits: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    line: Vec<String>,
}

impl From<&Line> for Candidate {
    fn from(line: &Line) -> Self {
        Self {
            turn: line.turn.to_string(),
            value: line.value,
            visits: line.visits,
            depth: line.depth,
            line: line.line.iter().map(Turn::to_string).collect(),
        }
    }
}

impl Arguments {
    pub fn run(self, out: &Output) -> Result<()> {
        for_variant!(self.place.variant, P => self.show::<P>(out))
    }

    fn show<P: Heuristic>(&self, out: &Output) -> Result<()> {
        let game = Game::<P>::from_position(self.place.position()?, self.rules.draws)?;
        let fen = game.position().write_fen();
        roster::check(&self.player)?;
        if let Some(outcome) = game.outcome() {
            return Err(Error::Fen {
                text: fen,
                reason: format!("the game is over ({outcome}), expected one in play"),
            });
        }
        let analysis = roster::player::<P>(&self.player)?.analyse(&game)?;
        let lines: Vec<_> = analysis.lines.iter().map(Candidate::from).collect();
        let best = lines.first().ok_or_else(|| Error::Failed(format!("{} named no turn", self.player)))?;
        let effort = if best.visits.is_some() { "visits" } else { "depth" };
        let look = if self.ascii { &diagram::ASCII } else { &diagram::UNICODE };
        out.text(&format!("{}\n{fen}", diagram::text(&P::SPEC, &fen, game.side(), look)))?;
        out.text(&format!("{:12} {:>7} {effort:>9}  line", "turn", "value"))?;
        for line in &lines {
            let effort = line.visits.or(line.depth).map_or_else(|| "-".to_owned(), |n| n.to_string());
            out.text(&format!("{:12} {:>+7.3} {effort:>9}  {}", line.turn, line.value, line.line.join(" ")))?;
        }
        out.object(&Answer { fen, best: best.turn.clone(), value: analysis.value, lines })
    }
}
