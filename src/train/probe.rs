//! How many games a thread should play at once: tried out in the first seconds of a run.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::config::{Config, SelfPlayConfig};
use crate::error::{Error, Result};
use crate::net::load;
use crate::net::spec::NetSpec;
use crate::net::weights::Weights;
use crate::search::heuristic::Heuristic;

use super::selfplay::Worker;
use super::stats::RoundStats;
use super::trainer::Stream;

/// What is tried.
const GAMES: [usize; 6] = [32, 64, 128, 256, 512, 1024];
/// How long each is tried.
const TRIAL: Duration = Duration::from_millis(700);
/// Fewer games are taken where more gain less than this: the fewer, the newer the network that plays a game to its end.
const WORTH: f64 = 1.04;

/// The share of leaves that a worker's cache knows in the long run. While all games are near their start it knows more,
/// and the more the more games there are: no measure of their number.
const CACHED: f64 = 0.5;

/// Leaves a second of all threads together, for a number of games on each.
#[derive(Copy, Clone, PartialEq, Debug)]
struct Trial {
    /// Games a thread plays at once.
    games: usize,
    /// Leaves that the searches of all threads would come to in a second.
    leaves_per_s: f64,
}

/// Where a config leaves the number of games to the machine, tries some out, says how they did and sets the number.
///
/// # Errors
/// [`Error::Interrupted`] if it was stopped, or what a self-play thread or its network says.
pub fn settle_games<P: Heuristic>(config: &mut Config, stop: &AtomicBool, tell: impl FnOnce(&str)) -> Result<()> {
    if config.selfplay.games > 0 {
        return Ok(());
    }
    let weights = Weights::init(&NetSpec::new(&P::SPEC, &config.net), Stream::Weights.seed(config));
    let mut trials: Vec<Trial> = Vec::new();
    for games in GAMES {
        let trial = try_games::<P>(config, games, &weights, stop)?;
        let slower = trials.last().is_some_and(|last| trial.leaves_per_s < 0.9 * last.leaves_per_s);
        trials.push(trial);
        if slower {
            break;
        }
    }
    config.selfplay.games = choose(&trials);
    let rates: Vec<_> = trials.iter().map(|trial| format!("{}: {:.0}", trial.games, trial.leaves_per_s)).collect();
    tell(&format!("leaves/s by games a thread: {}; selfplay.games = {}", rates.join(", "), config.selfplay.games));
    Ok(())
}

/// The fewest games that are about as fast as the fastest of at least one trial.
fn choose(trials: &[Trial]) -> usize {
    let most = trials.iter().map(|trial| trial.leaves_per_s).fold(0.0, f64::max);
    let enough = trials.iter().find(|trial| trial.leaves_per_s * WORTH >= most);
    enough.expect("the fastest trial is as fast as itself").games
}

fn try_games<P: Heuristic>(config: &Config, games: usize, weights: &Weights, stop: &AtomicBool) -> Result<Trial> {
    // A round that never ends but by its time.
    let selfplay = SelfPlayConfig { games, samples_per_round: usize::MAX, ..config.selfplay.clone() };
    let config = Config { selfplay, ..config.clone() };
    let threads = config.threads();
    let mut evaluators = load::evaluators::<P>(weights, config.run.device, threads)?;
    let over = AtomicBool::new(false);
    let start = Instant::now();
    let stats = std::thread::scope(|scope| {
        let workers: Vec<_> = evaluators
            .iter_mut()
            .enumerate()
            .map(|(index, evaluator)| {
                let (config, over) = (&config, &over);
                scope.spawn(move || {
                    let mut worker = Worker::<P>::new(config, Stream::SelfPlay.seed(config), index)?;
                    Ok(worker.generate(evaluator.as_mut(), over, &AtomicU64::new(0))?.stats)
                })
            })
            .collect();
        while start.elapsed() < TRIAL && !stop.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(10));
        }
        over.store(true, Ordering::Relaxed);
        let mut all = RoundStats::default();
        for worker in workers {
            all += &worker.join().unwrap_or_else(|_| Err(Error::Failed("a self-play thread panicked".into())))?;
        }
        Ok::<_, Error>(all)
    })?;
    if stop.load(Ordering::Relaxed) {
        return Err(Error::Interrupted);
    }
    let net_s = stats.net_s / stats.evaluations.max(1) as f64;
    let search_s = (stats.all_s - stats.net_s) / (stats.evaluations + stats.cached).max(1) as f64;
    Ok(Trial { games, leaves_per_s: threads as f64 / (search_s + (1.0 - CACHED) * net_s) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_games_that_are_about_as_fast_as_the_fastest_are_chosen() {
        let trial = |games, leaves_per_s| Trial { games, leaves_per_s };
        assert_eq!(choose(&[trial(32, 10.0), trial(64, 99.0), trial(128, 100.0), trial(256, 80.0)]), 64);
        assert_eq!(choose(&[trial(32, 10.0), trial(64, 50.0), trial(128, 100.0)]), 128);
    }
}
