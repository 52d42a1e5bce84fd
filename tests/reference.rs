//! The crate's turns and hops against slow generators written apart, on random positions of every variant: 100,000 of
//! each with the environment variable `SHASHKI_FULL`, some thousands without.

#![allow(clippy::unwrap_used)]

mod common;
#[path = "reference/mailbox.rs"]
mod mailbox;
#[path = "reference/pair.rs"]
mod pair;
#[path = "reference/random.rs"]
mod random;
#[path = "reference/slow.rs"]
mod slow;
#[path = "reference/towers.rs"]
mod towers;

use std::collections::BTreeSet;

use common::full;
use mailbox::Mailbox;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use random::Field;
use shashki::board::{Hops, Side};
use shashki::games::{
    Bashni, BashniIm, Game, Poddavki, Position, Preset, Russian, Spantsireti, Vigman, VigmanFree, turn,
};
use slow::{Line, Slow};
use towers::Towers;

/// What was met on the way, so that a test can say that it met enough.
#[derive(Default, Debug)]
struct Met {
    compared: usize,
    /// Positions in which a side must capture.
    captures: usize,
    /// Positions in the middle of a capture.
    chains: usize,
    /// Positions between two moves of a turn.
    halves: usize,
    /// Turns with more ways than one.
    merged: usize,
    crowned_on_the_way: usize,
    /// Turns that set a tower free.
    freed: usize,
    /// Turns that jump a tower twice.
    twice: usize,
    stuck: usize,
    /// Positions in which one of two games is over, or both.
    half_over: usize,
    over: usize,
}

impl Met {
    fn count<S: Slow>(&mut self, fen: &str, lines: &[Line<S>], turns: usize) {
        let has = |condition: bool| usize::from(condition);
        let any = |fits: &dyn Fn(&Line<S>) -> bool| has(lines.iter().any(fits));
        self.compared += 1;
        self.captures += any(&|line| !line.jumped.is_empty());
        self.chains += has(fen.contains(":C"));
        self.halves += has(fen.contains(":N2"));
        self.merged += has(lines.len() > turns);
        self.crowned_on_the_way += any(&|line| line.crowned_on_the_way);
        self.freed += any(&|line| line.freed > 0);
        self.twice += any(&|line| line.jumped.iter().collect::<BTreeSet<_>>().len() < line.jumped.len());
        self.stuck += has(lines.is_empty());
        let results = fen.split_once(":R").map_or(0, |(_, list)| list.split(',').count());
        self.half_over += has(results == 1);
        self.over += has(results == 2);
    }
}

/// Compares a position, or a rest of a turn: turns, ways, hops, all that lies on the ways, and who has won. Answers the
/// positions after the turns.
fn agree<P: Position, S: Slow>(position: &P, met: &mut Met) -> Vec<String> {
    let fen = position.write_fen();
    let reference = S::parse(&fen);
    assert_eq!(reference.text(), fen, "the position as a text");
    assert_eq!(P::read_fen(&fen).unwrap(), *position, "{fen}");
    let lines = reference.lines();
    let expected = slow::turns(&lines);
    let found: Vec<(String, String)> = turn::list_with_positions(position)
        .into_iter()
        .map(|(turn, after)| (turn.to_string(), after.write_fen()))
        .collect();
    assert_eq!(found, expected, "turns of {fen}");
    assert_eq!(turn::perft(position, 1), expected.len() as u64, "count of turns of {fen}");

    let (mut hops, mut found) = (Hops::new(), BTreeSet::new());
    position.hops(&mut hops);
    for &hop in &hops {
        let mut after = *position;
        after.play_unchecked(hop);
        found.insert((hop.from.to_string(), hop.to.to_string(), after.write_fen()));
    }
    assert_eq!(found, slow::hops(&lines), "hops of {fen}");
    assert_eq!(hops.len(), found.len(), "a hop of {fen} is listed twice");
    if lines.is_empty() {
        let outcome = Game::from_position(*position, Preset::default()).unwrap().outcome().unwrap();
        let winner = outcome.winner.map_or('-', |side| if side == Side::White { 'W' } else { 'B' });
        assert_eq!(winner, reference.winner(), "winner of {fen}");
    }
    met.count(&fen, &lines, expected.len());
    expected.into_iter().map(|(_, after)| after).collect()
}

/// Compares a position, and the positions of one random line of hops to the end of its turn.
fn compare<P: Position, S: Slow>(fen: &str, rng: &mut Xoshiro256PlusPlus, met: &mut Met) -> Vec<String> {
    let mut position = P::read_fen(fen).unwrap();
    let after = agree::<P, S>(&position, met);
    let mut hops = Hops::new();
    loop {
        position.hops(&mut hops);
        if hops.is_empty() || position.play_unchecked(hops[rng.random_range(0..hops.len())]).turn_over {
            return after;
        }
        agree::<P, S>(&position, met);
    }
}

/// Half of the positions come from random games from the start, half from random placements and short games from there.
fn compare_all<P: Position, S: Slow>(field: Field, quick: usize) -> Met {
    let count = if full() { 100_000 } else { quick };
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut met = Met::default();
    while met.compared < count {
        let from_start = met.compared < count / 2;
        let mut fen = if from_start { P::start().write_fen() } else { random::placement(field, &mut rng) };
        // Games of kings alone need not end by themselves.
        for _ in 0..if from_start { 150 } else { 3 } {
            let mut after = compare::<P, S>(&fen, &mut rng, &mut met);
            if after.is_empty() {
                break;
            }
            fen = after.swap_remove(rng.random_range(0..after.len()));
        }
    }
    let share = |part: usize| part as f64 / met.compared as f64;
    assert!(share(met.captures) > 0.3 && share(met.chains) > 0.05, "too few captures to mean much: {met:?}");
    assert!(share(met.merged) > 0.001 && share(met.crowned_on_the_way) > 0.001, "too few rare captures: {met:?}");
    assert!(share(met.stuck) > 0.001, "too few ends: {met:?}");
    assert_eq!(share(met.freed) > 0.01, field.towers, "{met:?}");
    met
}

#[test]
fn russian_agrees() {
    compare_all::<Russian, Mailbox<8>>(random::PLAIN, 6_000);
}

#[test]
fn poddavki_agrees() {
    compare_all::<Poddavki, Mailbox<8, true>>(random::PLAIN, 6_000);
}

#[test]
fn spantsireti_agrees() {
    compare_all::<Spantsireti, Mailbox<10>>(random::WIDE, 6_000);
}

#[test]
fn bashni_agrees() {
    compare_all::<Bashni, Towers<false>>(random::TOWERS, 6_000);
}

#[test]
fn bashni_im_agrees() {
    let met = compare_all::<BashniIm, Towers<true>>(random::TOWERS, 6_000);
    assert!(met.twice > met.compared / 200, "no tower is jumped twice: {met:?}");
}

#[test]
fn vigman_agrees() {
    let met = compare_all::<Vigman, pair::Vigman>(random::TWO, 2_000);
    assert!(met.halves > met.compared / 5 && met.half_over > met.compared / 20 && met.over > 5, "{met:?}");
}

#[test]
fn vigman_free_agrees() {
    let met = compare_all::<VigmanFree, pair::VigmanFree>(random::TWO, 4_000);
    assert!(met.halves > met.compared / 5, "{met:?}");
}
