//! The crate's turns and hops against a slow generator written apart, on random positions: 100,000 with the environment
//! variable `SHASHKI_FULL`, some thousands without.

#![allow(clippy::unwrap_used)]

#[path = "reference/mailbox.rs"]
mod mailbox;
#[path = "reference/random.rs"]
mod random;

use mailbox::Mailbox;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use shashki::board::Hops;
use shashki::games::{Position, Russian, turn};

fn positions_to_compare() -> usize {
    if std::env::var_os("SHASHKI_FULL").is_some() { 50_000 } else { 4_000 }
}

/// What was met on the way, so that a test can say that it met enough.
#[derive(Default)]
struct Met {
    captures: usize,
    chains: usize,
    /// Turns with more paths than one.
    merged: usize,
    crowned_in_chain: usize,
}

/// Compares one position, and one random line of hops through its captures; answers the reference's turns.
fn compare(fen: &str, rng: &mut Xoshiro256PlusPlus, met: &mut Met) -> Vec<(String, String)> {
    let mut position = Russian::read_fen(fen).unwrap();
    assert_eq!(position.write_fen(), fen, "the text comes back");
    let first = agree(&position, met);
    let mut hops = Hops::new();
    while position.must_capture() {
        position.hops(&mut hops);
        let step = position.play_unchecked(hops[rng.random_range(0..hops.len())]);
        if step.turn_over {
            break;
        }
        met.chains += 1;
        met.crowned_in_chain += usize::from(step.promoted);
        agree(&position, met);
    }
    met.captures += usize::from(first.first().is_some_and(|(text, _)| text.contains(':')));
    first
}

fn agree(position: &Russian, met: &mut Met) -> Vec<(String, String)> {
    let fen = position.write_fen();
    let reference = Mailbox::parse(&fen);
    let expected = reference.turns();
    let ours: Vec<(String, String)> = turn::list_with_positions(position)
        .into_iter()
        .map(|(turn, after)| (turn.to_string(), after.write_fen()))
        .collect();
    assert_eq!(ours, expected, "turns of {fen}");
    assert_eq!(turn::perft(position, 1), expected.len() as u64, "count of turns of {fen}");

    let mut hops = Hops::new();
    position.hops(&mut hops);
    let mut ours: Vec<_> = hops.iter().map(|hop| (hop.from.to_string(), hop.to.to_string())).collect();
    ours.sort();
    assert_eq!(ours, reference.hops(), "hops of {fen}");
    met.merged += usize::from(reference.paths().len() > expected.len());
    expected
}

#[test]
fn turns_and_hops_agree_in_random_games() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut met = Met::default();
    let mut compared = 0;
    while compared < positions_to_compare() {
        let mut fen = Russian::start().write_fen();
        // Games of kings alone need not end by themselves.
        for _ in 0..150 {
            let turns = compare(&fen, &mut rng, &mut met);
            compared += 1;
            if turns.is_empty() {
                break;
            }
            fen = turns[rng.random_range(0..turns.len())].1.clone();
        }
    }
    assert!(met.captures > compared / 10 && met.chains > compared / 50, "too few captures to mean much");
}

#[test]
fn turns_and_hops_agree_on_random_placements() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut met = Met::default();
    let count = positions_to_compare();
    for _ in 0..count {
        compare(&random::placement(&mut rng), &mut rng, &mut met);
    }
    assert!(met.captures > count / 2 && met.chains > count / 10, "too few captures to mean much");
    assert!(met.merged > count / 100 && met.crowned_in_chain > 10, "too few rare captures to mean much");
}
