//! Games as bytes and copies: nothing is lost, and damaged bytes are refused or make a game that can be played.

#![allow(clippy::unwrap_used)]

mod common;
#[path = "reference/random.rs"]
mod random;

use common::full;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use random::Field;
use shashki::Error;
use shashki::board::{Hops, Side};
use shashki::games::{
    Bashni, BashniIm, Game, Poddavki, Position, Preset, Reason, Russian, Spantsireti, Vigman, VigmanFree,
};

type Russians = Game<Russian>;

/// Calls a generic test for every variant with what it is played on.
macro_rules! in_every_variant {
    ($test:ident $(, $argument:expr)*) => {
        $test::<Russian>(random::PLAIN $(, $argument)*);
        $test::<Poddavki>(random::PLAIN $(, $argument)*);
        $test::<Spantsireti>(random::WIDE $(, $argument)*);
        $test::<Bashni>(random::TOWERS $(, $argument)*);
        $test::<BashniIm>(random::TOWERS $(, $argument)*);
        $test::<Vigman>(random::TWO $(, $argument)*);
        $test::<VigmanFree>(random::TWO $(, $argument)*);
    };
}

/// Plays random hops, until the game is over or `hops` are played.
fn play_on<P: Position>(game: &mut Game<P>, hops: usize, rng: &mut Xoshiro256PlusPlus) {
    let mut legal = Hops::new();
    for _ in 0..hops {
        game.hops(&mut legal);
        if legal.is_empty() {
            break;
        }
        game.play_hop(legal[rng.random_range(0..legal.len())]).unwrap();
    }
}

/// A game after some random hops, often in the middle of a chain or of a turn if there is one.
fn random_game<P: Position>(field: Field, seed: u64) -> Game<P> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let presets: Vec<Preset> = Preset::ALL.into_iter().filter(|&preset| P::draws(preset).is_some()).collect();
    let preset = presets[rng.random_range(0..presets.len())];
    let position = match rng.random_range(0..4) {
        0 => P::start(),
        1 => P::read_fen(&random::placement(field, &mut rng)).unwrap(),
        _ => P::read_fen(&random::ending(field, &mut rng)).unwrap(),
    };
    let mut game = Game::from_position(position, preset).unwrap();
    let hops = rng.random_range(0..60);
    play_on(&mut game, hops, &mut rng);
    for _ in 0..20 {
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

fn comes_back_and_goes_on_alike<P: Position>(field: Field) {
    let (mut chains, mut halves, mut over) = (0, 0, 0);
    for seed in 0..500 {
        let game = random_game::<P>(field, seed);
        chains += u32::from(game.position().write_fen().contains(":C"));
        halves += u32::from(game.position().write_fen().contains(":N2"));
        over += u32::from(game.outcome().is_some());
        let restored = Game::<P>::from_bytes(&game.to_bytes()).unwrap();
        assert_eq!(restored, game);
        let [mut one, mut other] = [game, restored];
        play_on(&mut one, 50, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
        play_on(&mut other, 50, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
        assert_eq!(one, other);
        assert_eq!(one.to_bytes(), other.to_bytes());
    }
    assert!(chains > 20 && over > 50, "{}: {chains} in a chain, {over} over", P::SPEC.variant);
    assert!((halves > 50) == field.light, "{}: {halves} in a turn", P::SPEC.variant);
}

#[test]
fn a_game_comes_back_from_its_bytes_and_goes_on_alike() {
    in_every_variant!(comes_back_and_goes_on_alike);
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

fn clones_are_equal<P: Position>(field: Field) {
    let mut kept = random_game::<P>(field, 1000);
    for seed in 0..100 {
        let game = random_game::<P>(field, seed);
        kept.clone_from(&game);
        assert_eq!(kept, game);
        assert_eq!(game.clone(), game);
    }
}

#[test]
fn cloning_into_a_game_equals_cloning_it() {
    in_every_variant!(clones_are_equal);
}

fn cut_or_long_bytes_are_refused<P: Position>(field: Field) {
    for seed in 0..20 {
        let bytes = random_game::<P>(field, seed).to_bytes();
        for len in 0..bytes.len() {
            let cut = Game::<P>::from_bytes(&bytes[..len]);
            assert!(matches!(cut, Err(Error::State { .. })), "{len} bytes of seed {seed}");
        }
        assert!(Game::<P>::from_bytes(&[&bytes[..], &[0]].concat()).is_err());
        let two = [&bytes[..], &bytes].concat();
        let mut rest = &two[..];
        assert_eq!(Game::<P>::take(&mut rest).unwrap(), Game::<P>::take(&mut rest).unwrap());
        assert!(rest.is_empty());
        if P::SPEC.variant != Russian::SPEC.variant {
            assert!(Russians::from_bytes(&bytes).unwrap_err().to_string().contains("expected a game of russian"));
        }
    }
}

#[test]
fn bytes_cut_short_or_followed_by_others_are_refused() {
    in_every_variant!(cut_or_long_bytes_are_refused);
}

/// Where the parts of a stored game lie.
struct Parts {
    position: usize,
    tracks: Vec<Track>,
    end: usize,
}

/// Where what is remembered of one board lies.
struct Track {
    counters: usize,
    facts: usize,
    before: usize,
    keys: usize,
}

fn parts<P: Position>(game: &Game<P>) -> Parts {
    let position = 4 + 1 + P::SPEC.variant.name().len() + 1;
    let mut packed = Vec::new();
    game.position().pack(&mut packed);
    let mut at = position + packed.len();
    let track = |board| {
        let track = Track { counters: at, facts: at + 8, before: at + 11, keys: at + 23 };
        at = track.keys + 8 * game.keys(board).len();
        track
    };
    let tracks = (0..P::SPEC.boards).map(track).collect();
    Parts { position, tracks, end: at }
}

/// What must hold of a game that was accepted, whatever its bytes were: it can be played on to its end.
fn is_whole<P: Position>(mut game: Game<P>, seed: u64) {
    let fresh = Game::from_position(*game.position(), game.preset()).unwrap();
    let fen = game.position().write_fen();
    match (game.outcome(), fresh.outcome()) {
        (found, Some(stuck)) => assert_eq!(found, Some(stuck), "there is no move in {fen}"),
        (Some(outcome), None) => {
            assert!(!matches!(outcome.reason, Reason::NoMove | Reason::Sum), "there are moves in {fen}");
            assert!(game.turns().is_empty() && game.play_action(0).is_err());
        }
        (None, None) => {
            assert!(!game.turns().is_empty(), "{fen}");
            // In the middle of a capture no counter says anything: it will restart.
            if (0..P::SPEC.boards).all(|board| !game.position().in_chain(board)) {
                assert_ne!(game.plies_to_draw(), Some(0), "{fen}");
                let clock = game.clock();
                assert!(clock.sixteenths.iter().all(|&n| n < 16) && clock.repetitions.iter().all(|&n| n < 2), "{fen}");
            }
            for board in (0..P::SPEC.boards).filter(|&board| game.position().is_open(board)) {
                let key = game.position().board_key(board);
                if !game.position().in_chain(board) {
                    assert_eq!(game.keys(board).last(), Some(&key), "{fen}: the present position is the last");
                }
                assert!(game.keys(board).iter().filter(|&&earlier| earlier == key).count() < 3);
            }
            assert_eq!(Game::from_bytes(&game.to_bytes()).unwrap(), game, "{fen}");
            play_on(&mut game, 300, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
            let _ = (game.clock(), game.plies_to_draw());
            assert_eq!(game.outcome().is_some(), game.turns().is_empty());
        }
    }
}

fn flipped_bytes_are_refused_or_make_a_game<P: Position>(field: Field, seeds: u64) {
    let (mut refused, mut accepted) = (0, 0);
    for seed in 0..seeds {
        let game = random_game::<P>(field, seed);
        let bytes = game.to_bytes();
        let tail = parts(&game).end;
        for at in 0..bytes.len() {
            // The keys of earlier positions may be any numbers: some of them say as much as all.
            if at > parts(&game).position + 200 && at + 16 < tail && at % 8 != 0 {
                continue;
            }
            for flip in [1, 2, 3, 4, 6, 8, 30, 60, 128, 255] {
                let mut bytes = bytes.clone();
                bytes[at] ^= flip;
                match Game::<P>::from_bytes(&bytes) {
                    Ok(game) => {
                        accepted += 1;
                        is_whole(game, seed);
                    }
                    Err(Error::State { .. }) => refused += 1,
                    Err(error) => panic!("byte {at} of seed {seed}: {error:?} is no error of a stored game"),
                }
            }
        }
    }
    assert!(refused > 100 && accepted > 100, "{}: {refused} refused, {accepted} accepted", P::SPEC.variant);
}

#[test]
fn every_byte_changed_is_refused_or_makes_a_game_that_can_be_played() {
    let seeds = if full() { 300 } else { 25 };
    in_every_variant!(flipped_bytes_are_refused_or_make_a_game, seeds);
}

/// Asserts that a game with some bytes replaced is refused, by a message that contains a text.
fn refused_with<P: Position>(game: &Game<P>, at: usize, new: &[u8], what: &str) {
    let mut bytes = game.to_bytes();
    bytes[at..at + new.len()].copy_from_slice(new);
    match Game::<P>::from_bytes(&bytes) {
        Ok(_) => panic!("{}: {new:?} at {at} is accepted: {what}", P::SPEC.variant),
        Err(error) => {
            let error = error.to_string();
            assert!(error.starts_with("stored ") && error.contains(what), "{}: {what:?}: {error}", P::SPEC.variant);
        }
    }
}

/// Every part of a game that must fit the others.
fn parts_that_do_not_fit_are_refused<P: Position>(_field: Field) {
    let game = Game::<P>::new(Preset::Official).unwrap();
    let Parts { tracks, end, .. } = parts(&game);
    for track in &tracks {
        refused_with(&game, track.counters, &[30, 0], "drawn game");
        for fact in 0..3 {
            refused_with(&game, track.facts + fact, &[1], "unfinished turn");
        }
        for part in 0..8 {
            // Men, kings, on the road, alone there, of either side.
            refused_with(
                &game,
                track.before + part,
                &[1 - game.to_bytes()[track.before + part].min(1)],
                "unfinished turn",
            );
        }
        refused_with(&game, track.keys, &[7; 8], "earlier positions");
    }
    // The offer is followed by the outcome: none, or some, by whom and why.
    refused_with(&game, end + 4, &[3], "out of range");
    refused_with(&game, end + 5, &[2], "outcome");
    let mut resigned = game.clone();
    resigned.resign(Side::White).unwrap();
    let number = |reason: Reason| Reason::ALL.iter().position(|r| *r == reason).unwrap() as u8;
    for reason in [Reason::NoMove, Reason::Sum] {
        refused_with(&resigned, end + 7, &[number(reason)], "outcome");
    }
    // Nobody can move: the game is over, and in one way.
    let stuck = Game::from_position(P::read_fen("W:W:B").unwrap(), Preset::Official).unwrap();
    let end = parts(&stuck).end;
    let winner = stuck.to_bytes()[end + 6];
    refused_with(&stuck, end + 6, &[(winner + 1) % 3], "outcome");
    refused_with(&stuck, end + 6, &[(winner + 2) % 3], "outcome");
    refused_with(&stuck, end + 7, &[number(Reason::Repetition)], "outcome");
}

#[test]
fn stored_games_whose_parts_do_not_fit_are_refused() {
    in_every_variant!(parts_that_do_not_fit_are_refused);
}

fn unfinished_turns_must_fit<P: Position>(field: Field) {
    let mut met = 0;
    for seed in 0..400 {
        let game = random_game::<P>(field, seed);
        let Some(board) = (0..P::SPEC.boards).find(|&board| game.position().in_chain(board)) else { continue };
        if game.outcome().is_none() {
            met += 1;
            let track = &parts(&game).tracks[board];
            refused_with(&game, track.facts, &[0], "unfinished turn");
        }
    }
    assert!(met > 20, "{}: {met} chains", P::SPEC.variant);
}

#[test]
fn a_chain_without_a_capture_behind_it_is_refused() {
    in_every_variant!(unfinished_turns_must_fit);
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
    ProptestConfig { cases: 500, failure_persistence: None, rng_seed: RngSeed::Fixed(8), ..ProptestConfig::default() }
}

type Changes = Vec<(prop::sample::Index, u8)>;

fn changed<P: Position>(field: Field, seed: u64, changes: &Changes) {
    let mut bytes = random_game::<P>(field, seed).to_bytes();
    for (at, byte) in changes {
        let at = at.index(bytes.len());
        bytes[at] = *byte;
    }
    if let Ok(game) = Game::<P>::from_bytes(&bytes) {
        is_whole(game, seed);
    }
}

fn nothing<P: Position>(_field: Field, bytes: &[u8]) {
    assert!(Game::<P>::from_bytes(bytes).is_err());
    let name = P::SPEC.variant.name();
    let headed = [b"shg\x03".as_slice(), &[name.len() as u8], name.as_bytes(), bytes].concat();
    if let Ok(game) = Game::<P>::from_bytes(&headed) {
        is_whole(game, 0);
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn changed_bytes_are_refused_or_make_a_game_that_can_be_played(
        seed in 0_u64..300,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        in_every_variant!(changed, seed, &changes);
    }

    #[test]
    fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        in_every_variant!(nothing, &bytes);
    }
}
