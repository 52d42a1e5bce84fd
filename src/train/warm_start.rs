//! Games of a file as the first samples of a run: what was played is the policy, how it ended the value.

use std::fmt;
use std::fs::File;
use std::path::Path;

use crate::board::Hops;
use crate::error::{Error, Result};
use crate::evaluator::Wdl;
use crate::games::draws::Preset;
use crate::games::game::{Game, Leaf};
use crate::games::pdn::{Fault, Reader, Record};
use crate::games::position::Position;

use super::replay::{Replay, Sample};

/// What a file of games gave.
#[derive(Clone, Debug, Default)]
pub struct Taken {
    /// Games whose positions were taken.
    pub games: u64,
    /// Their positions.
    pub samples: u64,
    /// Games without a result, which teach no value.
    pub unfinished: u64,
    /// Games of other variants.
    pub others: u64,
    /// Broken games.
    pub broken: u64,
    /// The first of their faults.
    pub fault: Option<Fault>,
}

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, samples, unfinished, others, broken, .. } = self;
        write!(
            f,
            "warm start: {samples} positions of {games} games; left out {unfinished} unfinished, {others} of other variants, {broken} broken"
        )?;
        self.fault.as_ref().map_or(Ok(()), |fault| write!(f, " (the first: {fault})"))
    }
}

/// Puts every position of the finished games of a PDN file where there was a choice into the window, the last ones at its
/// end: the hop played has the whole policy, and the game's result is the search's value too. Games that name no variant
/// are taken for the run's own.
///
/// # Errors
/// If the file cannot be read or gives no position.
pub fn take<P: Position>(path: &Path, preset: Preset, replay: &mut Replay<P>) -> Result<Taken> {
    let failed = |source| Error::io(path, source);
    let mut taken = Taken::default();
    for text in Reader::new(File::open(path).map_err(failed)?) {
        let text = text.map_err(failed)?;
        let variant = text.variant(Some(P::SPEC.variant));
        if variant.as_ref().is_ok_and(|named| *named != P::SPEC.variant) {
            taken.others += 1;
            continue;
        }
        match variant.and_then(|_| text.read::<P>()) {
            Ok(read) if read.record.outcome.is_none() => taken.unfinished += 1,
            Ok(read) => {
                let samples = samples(&read.record, preset)?;
                taken.games += 1;
                taken.samples += samples.len() as u64;
                replay.extend(samples);
            }
            Err(fault) => {
                taken.broken += 1;
                taken.fault.get_or_insert(fault);
            }
        }
    }
    if taken.samples == 0 {
        let first = taken.fault.as_ref().map_or_else(String::new, |fault| format!("; {fault}"));
        let reason = format!("expected finished games of {}, found none with a choice{first}", P::SPEC.variant);
        return Err(failed(std::io::Error::new(std::io::ErrorKind::InvalidData, reason)));
    }
    Ok(taken)
}

/// The positions of a finished game, hop by hop, by the draw rules of the run; those behind a draw by these are left out.
fn samples<P: Position>(record: &Record<P>, preset: Preset) -> Result<Vec<Sample<P>>> {
    let winner = record.outcome.and_then(|outcome| outcome.winner);
    let mut game = Game::from_position(record.start, preset)?;
    let (mut hops, mut policy, mut list) = (Hops::new(), Vec::new(), Vec::new());
    for hop in record.turns.iter().flat_map(|turn| turn.hops()) {
        game.hops(&mut hops);
        let Some(played) = hops.iter().position(|legal| *legal == hop) else { break };
        if hops.len() > 1 {
            policy.clear();
            policy.resize(hops.len(), 0.0);
            policy[played] = 1.0;
            let leaf: Leaf<P> = game.leaf();
            list.push(Sample { winner, ..Sample::new(leaf, &policy, Wdl::certain(winner)) });
        }
        game.play_unchecked(hop);
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Side;
    use crate::games::Russian;

    fn taken(file: &str) -> Result<(Taken, Replay<Russian>)> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pdn");
        std::fs::write(&path, file).unwrap();
        let mut replay = Replay::new(1000);
        Ok((take(&path, Preset::Official, &mut replay)?, replay))
    }

    #[test]
    fn each_position_with_a_choice_teaches_the_hop_played_and_the_result() {
        let (taken, replay) = taken(
            "1. e3-d4 d6-c5 2. g3-f4 c5:e3:g5 0-2\n\n[White \"open\"]\n\n1. c3-d4 *\n\n[GameType \"41\"]\n\n1. 27-22 2-0\n\n\
             [White \"broken\"]\n\n1. c3-d5 2-0\n",
        )
        .unwrap();
        assert_eq!((taken.games, taken.unfinished, taken.others, taken.broken), (1, 1, 1, 1));
        assert_eq!(taken.fault.unwrap().game, 4);
        // The capture's hops leave no choice.
        assert_eq!((taken.samples, replay.len()), (3, 3));
        for sample in replay.iter() {
            assert_eq!(sample.winner, Some(Side::Black));
            assert_eq!(sample.shares.iter().filter(|&&share| share > 0).count(), 1);
            let black = f32::from(u8::from(sample.leaf.position.side() == Side::Black));
            assert_eq!(sample.target(0.5), [black, 0.0, 1.0 - black]);
        }
        let first = replay.iter().next().unwrap();
        let mut hops = Hops::new();
        first.leaf.position.hops(&mut hops);
        let played = first.shares.iter().position(|&share| share == u16::MAX).unwrap();
        assert_eq!((hops[played].from.to_string(), hops[played].to.to_string()), ("e3".into(), "d4".into()));
    }

    #[test]
    fn a_file_without_finished_games_is_refused() {
        let error = taken("1. c3-d5 2-0").unwrap_err().to_string();
        assert!(error.contains("expected finished games of russian") && error.contains("game 1, line 1"), "{error}");
    }
}
