//! Hops that a search plays and takes back.

use crate::board::{Hop, Side, Step};
use crate::games::outcome::Outcome;
use crate::games::position::Position;
use crate::games::track::Mark;

use super::Game;

/// What [`Game::play_ahead`] changed, for [`Game::take_back`].
#[derive(Copy, Clone, Debug)]
pub struct Back<P> {
    position: P,
    tracks: [Mark; 2],
    turns: u32,
    outcome: Option<Outcome>,
    offer: Option<Side>,
}

impl<P: Position> Game<P> {
    /// As [`Game::play_unchecked`], for a search that looks ahead: answers also how to take the hop back. Until hops have
    /// been taken back, in order, the game should not be kept.
    pub fn play_ahead(&mut self, hop: Hop) -> (Step, Back<P>) {
        let mut tracks = [Mark::default(); 2];
        for (mark, track) in tracks.iter_mut().zip(&self.tracks).take(P::SPEC.boards) {
            *mark = track.mark();
        }
        let Self { position, turns, outcome, offer, .. } = *self;
        (self.advance(hop), Back { position, tracks, turns, outcome, offer })
    }

    /// Takes back the last hop that [`Game::play_ahead`] played and that is not taken back yet.
    pub fn take_back(&mut self, back: Back<P>) {
        for (track, mark) in self.tracks.iter_mut().zip(back.tracks).take(P::SPEC.boards) {
            track.go_back(mark);
        }
        let Back { position, turns, outcome, offer, .. } = back;
        (self.position, self.turns, self.outcome, self.offer) = (position, turns, outcome, offer);
    }

    /// Whether a draw may follow on the next move, by repetition or a counter; if not, only a stuck side ends the game.
    pub fn may_draw(&self) -> bool {
        self.open_boards().any(|(_, track)| track.may_draw())
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::board::Hops;
    use crate::games::{Bashni, Poddavki, Preset, Russian, Vigman, VigmanFree};

    /// Goes down random lines from the positions of a random game and back up, and compares with a game that only goes on.
    fn check<P: Position>(seed: u64) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut game = Game::<P>::new(Preset::Official).unwrap();
        let mut hops = Hops::new();
        while game.outcome().is_none() {
            let (before, mut plain, mut backs) = (game.clone(), game.clone(), Vec::new());
            for _ in 0..rng.random_range(1..60) {
                game.hops(&mut hops);
                if hops.is_empty() {
                    break;
                }
                let hop = hops[rng.random_range(0..hops.len())];
                let may_draw = game.may_draw();
                let (step, back) = game.play_ahead(hop);
                backs.push(back);
                assert_eq!(step, plain.play_unchecked(hop));
                let draw = game.outcome().filter(|outcome| outcome.winner.is_none());
                assert!(may_draw || draw.is_none() || P::SPEC.boards > 1, "a draw that could not be");
                let [seen, expected] = [&game, &plain].map(|g| (g.outcome(), g.key(), g.occurrences(), g.repeated()));
                assert_eq!(seen, expected);
                assert_eq!(game.keys(0), plain.keys(0));
                assert_eq!(game.plies_to_draw(), plain.plies_to_draw());
            }
            while let Some(back) = backs.pop() {
                game.take_back(back);
            }
            assert!(game == before, "taking back led elsewhere");
            game.hops(&mut hops);
            game.play_unchecked(hops[rng.random_range(0..hops.len())]);
        }
    }

    #[test]
    fn a_line_played_ahead_is_the_game_and_taking_it_back_leaves_no_trace() {
        for seed in 0..4 {
            check::<Russian>(seed);
            check::<Poddavki>(seed);
            check::<Bashni>(seed);
            check::<Vigman>(seed);
            check::<VigmanFree>(seed);
        }
    }
}
