//! Openings of matches from a short text: what the arena knows, and random ones that a search calls even.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::arena::Openings;
use crate::error::{Error, Result};
use crate::games::Preset;
use crate::roster;
use crate::search::heuristic::Heuristic;

/// Who judges whether an opening is even: a fixed yardstick.
const JUDGE: &str = "alphabeta:eval=basic,depth=6";
/// The values that count as even, which is some half a man to either side.
const EVEN: f32 = 0.25;
/// Openings drawn for each one wanted, at most.
const TRIES: usize = 16;

/// Reads what [`Openings::read`] reads, and `balanced:PLIES`: as many random openings as there are pairs of games, each
/// judged even by a search of six turns; where too few are found they come again.
///
/// # Errors
/// As [`Openings::read`]; [`Error::Interrupted`] once `stop` is raised.
pub fn read<P: Heuristic>(text: &str, preset: Preset, games: u32, seed: u64, stop: &AtomicBool) -> Result<Openings<P>> {
    let Some(plies) = text.strip_prefix("balanced:") else { return Openings::read(text, preset) };
    let random = Openings::<P>::read(&format!("random:{plies}"), preset)
        .map_err(|_| Error::value("openings", text, "balanced:PLIES with 0 to 100 plies"))?;
    let wanted = (games as usize / 2).max(1);
    let mut judge = roster::player::<P>(JUDGE)?;
    let mut even = Vec::with_capacity(wanted);
    let drawn = random.draw(TRIES * wanted, preset, seed).map_err(|error| match error {
        Error::Value { what, expected, .. } => Error::value(what, text, expected),
        other => other,
    })?;
    for opening in drawn {
        if even.len() == wanted {
            break;
        }
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        let value = judge.analyse(&opening.play(preset)?)?.value;
        // Of few openings the same one comes again.
        if value.abs() <= EVEN && !even.contains(&opening) {
            even.push(opening);
        }
    }
    if even.is_empty() {
        Err(Error::value("openings", text, "a number of plies after which a game may be even"))
    } else {
        Ok(Openings::List(even))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Russian;

    #[test]
    fn a_text_that_makes_no_sense_is_named_as_it_was_given() {
        for text in ["balanced:101", "balanced:100", "balanced:x"] {
            let read = read::<Russian>(text, Preset::Official, 2, 1, &AtomicBool::new(false));
            assert!(read.unwrap_err().to_string().contains(text), "{text}");
        }
    }
}
