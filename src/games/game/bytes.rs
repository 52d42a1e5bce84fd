//! A game as bytes and back.

use crate::board::Side;
use crate::error::{Error, Result};
use crate::games::draws::{Clock, Material, Preset, TurnFacts};
use crate::games::outcome::{Outcome, Reason};
use crate::games::position::Position;
use crate::games::track::Track;

use super::Game;

impl<P: Position> Game<P> {
    /// The whole game as bytes: position, counters, earlier positions, outcome, open offer.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        let name = P::SPEC.variant.name();
        out.push(name.len() as u8);
        out.extend(name.as_bytes());
        out.push(number_in(&Preset::ALL, &self.preset));
        self.position.pack(&mut out);
        for (_, track) in self.boards() {
            let clock = track.clock;
            for count in [clock.kings_only, clock.balance, clock.road, clock.ending] {
                out.extend(count.to_le_bytes());
            }
            let facts = track.facts;
            out.extend([facts.captured, facts.promoted, facts.by_man].map(u8::from));
            for side in 0..2 {
                let before = &track.before;
                out.extend([before.men[side], before.kings[side]]);
                out.extend([before.on_road[side], before.holds_road[side]].map(u8::from));
            }
            let keys = &track.keys[track.first..];
            out.extend((keys.len() as u32).to_le_bytes());
            keys.iter().for_each(|key| out.extend(key.to_le_bytes()));
        }
        out.extend(self.turns.to_le_bytes());
        out.push(self.offer.map_or(2, |side| side.index() as u8));
        match self.outcome {
            None => out.push(0),
            Some(Outcome { winner, reason }) => {
                out.extend([1, winner.map_or(2, |side| side.index() as u8), number_in(&Reason::ALL, &reason)]);
            }
        }
        out
    }

    /// Restores a game from [`Game::to_bytes`].
    ///
    /// # Errors
    /// [`Error::State`] if the bytes are damaged, of another version or of another variant.
    pub fn from_bytes(mut bytes: &[u8]) -> Result<Self> {
        let game = Self::take(&mut bytes)?;
        if bytes.is_empty() { Ok(game) } else { Err(damaged("expected no more bytes behind the game")) }
    }

    /// Takes a game off the front of `bytes`.
    ///
    /// # Errors
    /// As [`Game::from_bytes`].
    pub fn take(bytes: &mut &[u8]) -> Result<Self> {
        if take::<4>(bytes)? != MAGIC {
            return Err(damaged("expected a game of format 3"));
        }
        let [len] = take::<1>(bytes)?;
        let name = bytes.split_off(..usize::from(len)).ok_or_else(|| damaged("cut short"))?;
        if name != P::SPEC.variant.name().as_bytes() {
            let name = String::from_utf8_lossy(name);
            return Err(damaged(&format!("expected a game of {}, found {name:?}", P::SPEC.variant)));
        }
        let preset = *by_number(&Preset::ALL, take(bytes)?)?;
        let mut game = Self::from_position(P::unpack(bytes)?, preset).map_err(|error| damaged(&error.to_string()))?;
        let flag = |bytes: &mut &[u8]| by_number(&[false, true], take(bytes)?).copied();
        for track in game.tracks.iter_mut().take(P::SPEC.boards) {
            *track = Track::default();
            let mut counts = [0; 4];
            for count in &mut counts {
                *count = u16::from_le_bytes(take(bytes)?);
            }
            let [kings_only, balance, road, ending] = counts;
            track.clock = Clock { kings_only, balance, road, ending };
            track.facts = TurnFacts { captured: flag(bytes)?, promoted: flag(bytes)?, by_man: flag(bytes)? };
            for side in 0..2 {
                [track.before.men[side], track.before.kings[side]] = take(bytes)?;
                track.before.on_road[side] = flag(bytes)?;
                track.before.holds_road[side] = flag(bytes)?;
            }
            for _ in 0..u32::from_le_bytes(take(bytes)?) {
                track.remember(u64::from_le_bytes(take(bytes)?), false);
            }
        }
        game.turns = u32::from_le_bytes(take(bytes)?);
        let side = |[n]: [u8; 1]| if n == 2 { Ok(None) } else { by_number(&Side::BOTH, [n]).copied().map(Some) };
        game.offer = side(take(bytes)?)?;
        game.outcome = match take(bytes)? {
            [0] => None,
            [1] => {
                let winner = side(take(bytes)?)?;
                Some(Outcome { winner, reason: *by_number(&Reason::ALL, take(bytes)?)? })
            }
            _ => return Err(damaged("expected an outcome")),
        };
        game.check_whole()?;
        Ok(game)
    }

    /// Refuses a restored game whose parts cannot belong together, so that what goes on from it is a game.
    fn check_whole(&self) -> Result<()> {
        for (board, track) in self.boards() {
            self.check_track(board, track)?;
        }
        let stuck = !self.position.can_move();
        let fits = match self.outcome {
            Some(outcome) if stuck || matches!(outcome.reason, Reason::NoMove | Reason::Sum) => {
                stuck && outcome == self.stuck()
            }
            _ => !stuck,
        };
        if fits { Ok(()) } else { Err(damaged("the outcome is not that of the position")) }
    }

    fn check_track(&self, board: usize, track: &Track) -> Result<()> {
        if !self.position.is_open(board) {
            return Ok(());
        }
        let (material, key) = (self.position.material(board), self.position.board_key(board));
        let before = track.before.men.iter().chain(&track.before.kings);
        if before.map(|&count| usize::from(count)).sum::<usize>() > P::SPEC.width * P::SPEC.height {
            return Err(damaged("more pieces than squares"));
        }
        if self.position.in_chain(board) {
            let pieces = |m: &Material| [0, 1].map(|s| u16::from(m.men[s]) + u16::from(m.kings[s]));
            // Where the mover's first of two moves may have captured too, or a jump frees a piece, they differ.
            let same = P::SPEC.towers || self.position.half_done() || pieces(&track.before) == pieces(&material);
            return if track.facts.captured && same {
                Ok(())
            } else {
                Err(damaged("the unfinished turn is no capture of this position"))
            };
        }
        if track.keys.last() != Some(&key) {
            return Err(damaged("the last of the earlier positions is not the present one"));
        }
        let counted = P::SPEC.boards > 1 || !self.position.half_done();
        if counted && (track.before != material || track.facts != TurnFacts::default()) {
            return Err(damaged("the unfinished turn is none"));
        }
        if self.outcome.is_none() && track.drawn(&self.draws, &material).is_some() {
            return Err(damaged("the counters are those of a drawn game"));
        }
        Ok(())
    }
}

/// The first bytes of a stored game; the last of them is the format's version.
const MAGIC: [u8; 4] = *b"shg\x03";

fn damaged(reason: &str) -> Error {
    Error::State { what: "game", reason: reason.to_owned() }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N]> {
    let (head, rest) = bytes.split_first_chunk().ok_or_else(|| damaged("cut short"))?;
    *bytes = rest;
    Ok(*head)
}

fn by_number<T>(all: &[T], [n]: [u8; 1]) -> Result<&T> {
    all.get(usize::from(n)).ok_or_else(|| damaged(&format!("byte {n} is out of range")))
}

fn number_in<T: PartialEq>(all: &[T], value: &T) -> u8 {
    all.iter().position(|v| v == value).expect("the list names every value") as u8
}
