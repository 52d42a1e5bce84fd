//! What several tests share.

#![allow(dead_code, reason = "no test takes all of it")]

use shashki::board::{Hops, Side};
use shashki::games::{Game, Position};

/// Whether the long checks are asked for, as `make verify` does.
pub fn full() -> bool {
    std::env::var_os("SHASHKI_FULL").is_some()
}

/// Whether a side wins within so many turns whatever the other does.
pub fn forces<P: Position>(winner: Side, game: &Game<P>, within: u32) -> bool {
    if let Some(outcome) = game.outcome() {
        return outcome.winner == Some(winner);
    }
    let mut hops = Hops::new();
    game.hops(&mut hops);
    let mut holds = |hop| {
        let mut after = game.clone();
        let step = after.play_unchecked(hop);
        forces(winner, &after, within - u32::from(step.turn_over))
    };
    within > 0
        && if game.side() == winner { hops.into_iter().any(&mut holds) } else { hops.into_iter().all(&mut holds) }
}
