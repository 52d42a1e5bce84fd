//! Games as bytes and copies: nothing is lost, and damaged bytes are refused or make a game that can be played.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use shashki::Error;
use shashki::board::{Hops, Side};
use shashki::games::{Game, Position, Preset, Russian};

type Russians = Game<Russian>;

/// Plays random hops, until the game is over or `hops` are played.
fn play_on(game: &mut Russians, hops: usize, rng: &mut Xoshiro256PlusPlus) {
    let mut legal = Hops::new();
    for _ in 0..hops {
        game.hops(&mut legal);
        if legal.is_empty() {
            break;
        }
        game.play_hop(legal[rng.random_range(0..legal.len())]).unwrap();
    }
}

/// A game after some random hops, in the middle of a chain if there is one.
fn random_game(seed: u64) -> Russians {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let preset = Preset::ALL[rng.random_range(0..3)];
    let start = ["W:WKe1,g1,a3,c3:BKd8,h6,Kb8,e5,g7", "B:WKe1,Kc1:BKh4,b8", "W:WKb8,Kd8,a3:BKa1", "W:W21-32:B1-12"];
    let position = Russian::read_fen(start[rng.random_range(0..start.len())]).unwrap();
    let mut game = Game::from_position(position, preset).unwrap();
    let hops = rng.random_range(0..60);
    play_on(&mut game, hops, &mut rng);
    for _ in 0..200 {
        if game.outcome().is_some() || !game.position().at_turn_start() {
            break;
        }
        play_on(&mut game, 1, &mut rng);
    }
    if game.outcome().is_none() && rng.random_bool(0.3) {
        game.offer_draw().unwrap();
    }
    if game.outcome().is_none() && rng.random_bool(0.1) {
        game.resign(Side::Black).unwrap();
    }
    game
}

#[test]
fn a_game_comes_back_from_its_bytes_and_goes_on_alike() {
    let (mut chains, mut over) = (0, 0);
    for seed in 0..500 {
        let game = random_game(seed);
        chains += u32::from(!game.position().at_turn_start());
        over += u32::from(game.outcome().is_some());
        let restored = Russians::from_bytes(&game.to_bytes()).unwrap();
        assert_eq!(restored, game);
        let [mut one, mut other] = [game, restored];
        play_on(&mut one, 50, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
        play_on(&mut other, 50, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
        assert_eq!(one, other);
    }
    assert!(chains > 50 && over > 50, "{chains} in a chain, {over} over");
}

#[test]
fn a_game_within_a_chain_keeps_what_the_turn_has_done() {
    // The man is crowned by its first jump; restored in between, the turn still counts as a capture and a crowning.
    let position = Russian::read_fen("W:Wf6,a1:BKh8,c7,e7,a7").unwrap();
    let mut game = Game::from_position(position, Preset::Official).unwrap();
    let turn = game.turns().into_iter().find(|turn| turn.hops().count() == 2).unwrap();
    let hops: Vec<_> = turn.hops().collect();
    game.play_hop(hops[0]).unwrap();
    let mut restored = Russians::from_bytes(&game.to_bytes()).unwrap();
    game.play_hop(hops[1]).unwrap();
    restored.play_hop(hops[1]).unwrap();
    assert_eq!(restored, game);
    assert_eq!((restored.counters(0).balance, restored.turns_played(), restored.occurrences()), (0, 1, 1));
}

#[test]
fn cloning_into_a_game_equals_cloning_it() {
    let mut kept = random_game(1000);
    for seed in 0..300 {
        let game = random_game(seed);
        kept.clone_from(&game);
        assert_eq!(kept, game);
        assert_eq!(game.clone(), game);
    }
}

#[test]
fn bytes_cut_short_or_followed_by_others_are_refused() {
    for seed in 0..20 {
        let bytes = random_game(seed).to_bytes();
        for len in 0..bytes.len() {
            assert!(
                matches!(Russians::from_bytes(&bytes[..len]), Err(Error::State { .. })),
                "{len} bytes of seed {seed}"
            );
        }
        assert!(Russians::from_bytes(&[&bytes[..], &[0]].concat()).is_err());
        let two = [&bytes[..], &bytes].concat();
        let mut rest = &two[..];
        assert_eq!(Russians::take(&mut rest).unwrap(), Russians::take(&mut rest).unwrap());
        assert!(rest.is_empty());
    }
}

#[test]
fn a_stored_game_that_contradicts_itself_is_refused() {
    let game = Russians::new(Preset::Official).unwrap();
    let bytes = game.to_bytes();
    let position_at = 4 + 1 + "russian".len() + 1;
    let refused = |at: usize, byte: u8, what: &str| {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        let error = Russians::from_bytes(&bytes).unwrap_err().to_string();
        assert!(error.starts_with("stored ") && error.contains(what), "{error}");
    };
    refused(3, 1, "format");
    refused(5, b'x', "xussian");
    refused(position_at - 1, 4, "out of range");
    refused(position_at, 0, "present one");
    refused(position_at + 30, 2, "side");
    // The counter of king moves at its limit, the game not over.
    refused(position_at + 31, 30, "drawn game");
    // The unfinished turn of a position between turns.
    refused(position_at + 39, 1, "unfinished turn");
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 2_000, failure_persistence: None, rng_seed: RngSeed::Fixed(8), ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn changed_bytes_are_refused_or_make_a_game_that_can_be_played(
        seed in 0_u64..300,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = random_game(seed).to_bytes();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(mut game) = Russians::from_bytes(&bytes) {
            let _ = (game.clock(), game.plies_to_draw(), game.turns());
            prop_assert_eq!(game.outcome().is_none(), !game.turns().is_empty());
            play_on(&mut game, 30, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
            let _ = (game.clock(), game.plies_to_draw());
        }
    }

    #[test]
    fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Russians::from_bytes(&bytes).is_err());
    }
}
