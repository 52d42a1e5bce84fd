//! What every variant promises: one suite, one instance a variant.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeSet, HashMap};

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use shashki::Error;
use shashki::board::{Hop, Hops, Side, Square};
use shashki::games::draws::ClockView;
use shashki::games::{
    Bashni, BashniIm, Features, Game, Poddavki, Position, Preset, Reason, Russian, Spantsireti, Vigman, VigmanFree,
    perft, turn,
};

/// The positions of random games, hop by hop, stuck ones too: half of them from the start, half with many kings.
fn positions<P: Position>(seed: u64, count: usize) -> Vec<P> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut hops = Hops::new();
    let mut all = Vec::with_capacity(count);
    while all.len() < count {
        let mut position = P::start();
        if all.len() > count / 2 {
            let Ok(thinned) = P::read_fen(&thinned::<P>(&mut rng)) else { continue };
            position = thinned;
        }
        for _ in 0..100 {
            all.push(position);
            position.hops(&mut hops);
            if hops.is_empty() {
                break;
            }
            position.play_unchecked(hops[rng.random_range(0..hops.len())]);
        }
    }
    all
}

/// The start position with pieces taken away, some of the rest made kings, and some towers built.
fn thinned<P: Position>(rng: &mut Xoshiro256PlusPlus) -> String {
    let fen = P::start().write_fen();
    let mut sections: Vec<String> = Vec::new();
    for section in fen.split(':').skip(1) {
        let (letter, list) = section.split_at(1);
        let mut kept = Vec::new();
        for item in list.split(',') {
            let king = rng.random_bool(0.5);
            match (rng.random_bool(0.4), P::SPEC.towers) {
                (false, _) => {}
                (true, false) => kept.push(format!("{}{item}", if king { "K" } else { "" })),
                (true, true) => {
                    let (square, top) = item.split_at(2);
                    let top = if king { top.to_uppercase() } else { top.to_owned() };
                    let below: String =
                        (0..rng.random_range(0..3)).map(|_| ['w', 'W', 'b', 'B'][rng.random_range(0..4)]).collect();
                    kept.push(format!("{square}{top}{below}"));
                }
            }
        }
        sections.push(format!("{letter}{}", kept.join(",")));
    }
    format!("{}:{}", ["W", "B"][rng.random_range(0..2)], sections.join(":"))
}

/// The square after turning the board half round.
fn turned_square<P: Position>(square: Square) -> Square {
    Square::new(P::SPEC.width - 1 - square.file(), P::SPEC.height - 1 - square.rank())
}

/// The position with the colours changed and the board turned.
fn turned<P: Position>(position: &P) -> P {
    let fen = position.write_fen();
    let (mover, sections) = fen.split_once(':').unwrap();
    let other = |c: char| match c {
        'w' => 'b',
        'W' => 'B',
        'b' => 'w',
        'B' => 'W',
        other => other,
    };
    let turn_list = |list: &str| {
        let turn_item = |item: &str| {
            let (king, name) = item.strip_prefix('K').map_or(("", item), |name| ("K", name));
            let (square, tower) = name.split_at(2);
            let tower: String = tower.chars().map(other).collect();
            format!("{king}{}{tower}", turned_square::<P>(square.parse().unwrap()))
        };
        list.split(',').filter(|item| !item.is_empty()).map(turn_item).collect::<Vec<_>>().join(",")
    };
    let mut text: String = mover.chars().map(other).collect();
    for section in sections.split(':') {
        let (letter, list) = section.split_at(1);
        text += &match letter {
            "C" => {
                let (at, jumped) = list.split_once('x').unwrap();
                format!(":C{}x{}", turn_list(at), turn_list(jumped))
            }
            "W" => format!(":B{}", turn_list(list)),
            "B" => format!(":W{}", turn_list(list)),
            "R" => format!(":R{}", list.replace("=w", "=x").replace("=b", "=w").replace("=x", "=b")),
            _ => format!(":{section}"),
        };
    }
    P::read_fen(&text).unwrap()
}

/// Whether a tower is higher than the planes tell apart: twelve pieces.
fn is_too_high(fen: &str) -> bool {
    let letters = |item: &str| item.chars().filter(|c| matches!(c, 'w' | 'W' | 'b' | 'B')).count();
    // The square's own letter may be b.
    fen.split(':')
        .skip(1)
        .flat_map(|section| section[1..].split(','))
        .any(|item| letters(item.get(1..).unwrap_or_default()) > 12)
}

fn encoded<P: Position>(position: &P, clock: ClockView) -> Features {
    let mut features = Features::default();
    position.encode(clock, &mut features);
    features
}

fn sorted_indices<P: Position>(position: &P) -> Vec<usize> {
    let mut hops = Hops::new();
    position.hops(&mut hops);
    let mut indices: Vec<_> = hops.iter().map(|&hop| position.index(hop)).collect();
    indices.sort_unstable();
    indices
}

fn indices_name_hops<P: Position>(all: &[P]) {
    let mut hops = Hops::new();
    for position in all {
        let mut indices = sorted_indices(position);
        let count = indices.len();
        indices.dedup();
        assert_eq!(indices.len(), count, "two hops share a number in {}", position.write_fen());
        assert!(indices.iter().all(|&index| index < P::SPEC.actions));
        position.hops(&mut hops);
        for &hop in &hops {
            assert_eq!(position.hop_at(position.index(hop)), Some(hop));
        }
    }
    let start = P::start();
    for index in 0..P::SPEC.actions {
        let hop = start.hop_at(index).expect("every number below `actions` is a hop");
        assert_eq!(start.index(hop), index);
    }
    assert_eq!(start.hop_at(P::SPEC.actions), None);
}

fn moves_and_captures_are_told_alike<P: Position>(all: &[P]) {
    let mut hops = Hops::new();
    let (mut chains, mut stuck) = (0, 0);
    for position in all {
        position.hops(&mut hops);
        let fen = position.write_fen();
        assert_eq!(position.can_move(), !hops.is_empty(), "{fen}");
        stuck += usize::from(hops.is_empty());
        chains += usize::from(!position.at_turn_start());
        let captures = |hop: &Hop| { *position }.play_unchecked(*hop).captured.is_some();
        assert_eq!(
            hops.iter().filter(|hop| captures(hop)).count(),
            if position.must_capture() { hops.len() } else { 0 }
        );
        for &hop in &hops {
            let mut after = *position;
            let step = after.play_unchecked(hop);
            assert_eq!(step.turn_over, after.at_turn_start(), "{fen}");
            assert!(step.turn_over || after.side() == position.side() && after.can_move(), "a chain goes on: {fen}");
        }
        let turns = turn::list(position);
        assert!(position.count_turns().is_none_or(|count| count == turns.len() as u64), "{fen}");
        assert_eq!(perft(position, 1), turns.len() as u64, "{fen}");
    }
    assert!(chains > all.len() / 200 && stuck > 0, "{chains} chains and {stuck} stuck are too few");
}

fn texts_and_bytes_come_back<P: Position>(all: &[P]) {
    for position in all {
        let fen = position.write_fen();
        assert_eq!(P::read_fen(&fen).unwrap(), *position, "{fen}");
        let mut bytes = vec![7];
        position.pack(&mut bytes);
        bytes.push(9);
        let mut rest = &bytes[1..];
        assert_eq!(P::unpack(&mut rest).unwrap(), *position, "{fen}");
        assert_eq!(rest, [9], "{fen}");
        let mut short = &bytes[1..bytes.len() - 2];
        assert!(matches!(P::unpack(&mut short), Err(Error::State { .. })), "{fen}");
    }
}

fn keys_are_equal_iff_positions_are<P: Position>(all: &[P]) {
    let mut by_key: HashMap<u64, P> = HashMap::new();
    let mut by_text: HashMap<String, u64> = HashMap::new();
    for position in all {
        assert_eq!(*by_key.entry(position.key()).or_insert(*position), *position, "one key, two positions");
        assert_eq!(*by_text.entry(position.write_fen()).or_insert(position.key()), position.key());
    }
    assert!(by_key.len() > all.len() / 2);
}

fn encodings_are_whole_and_lose_nothing<P: Position>(all: &[P]) {
    let spec = P::SPEC;
    let clock = ClockView { sixteenths: [4, 3], repetitions: [1, 2] };
    let mut seen: HashMap<(Vec<u16>, Vec<u32>), String> = HashMap::new();
    let mut lost = 0;
    for position in all {
        let features = encoded(position, clock);
        assert_eq!(features.len(), 1);
        let (mut row, mut planes) = (vec![9.0; spec.inputs()], vec![9.0; spec.observation_len()]);
        features.write_row(0, &spec, &mut row);
        features.write_planes(0, &spec, &mut planes);
        assert!(row.iter().chain(&planes).all(|x| (0.0..=1.0).contains(x)));
        let ones: Vec<u16> =
            (0..spec.board_planes * spec.squares).filter(|&i| row[i] == 1.0).map(|i| i as u16).collect();
        let mut named = features.ones_of(0).to_vec();
        named.sort_unstable();
        assert_eq!(ones, named, "each one is named once");
        let scalars = features.scalars_of(0);
        assert_eq!((&row[spec.board_planes * spec.squares..], scalars.len()), (scalars, spec.scalar_planes));
        for board in 0..spec.boards {
            assert!(clock.scalars(board).iter().all(|clock| scalars.contains(clock)), "the clock is seen");
        }
        let area = spec.width * spec.height;
        let board: f32 = planes[..spec.board_planes * area].iter().sum();
        assert_eq!(board as usize, ones.len(), "each one has its cell");
        for (plane, scalar) in planes[spec.board_planes * area..].chunks_exact(area).zip(scalars) {
            assert!(plane.iter().all(|x| x == scalar));
        }
        // Equal numbers are the same position as its mover sees it: nothing is lost, but for towers higher than the
        // layers that the planes tell apart.
        let seen_by_white = if position.side() == Side::White { *position } else { turned(position) };
        let fen = seen_by_white.write_fen();
        if is_too_high(&fen) {
            lost += 1;
            continue;
        }
        let numbers = (ones, scalars.iter().map(|scalar| scalar.to_bits()).collect());
        assert_eq!(*seen.entry(numbers).or_insert(fen.clone()), fen);
    }
    assert!(lost == 0 || spec.towers && lost < all.len() / 50, "{lost} of {} positions lose something", all.len());
    assert_eq!(spec.plane_names.len(), spec.planes()[0]);
    assert_eq!(spec.cells.len(), spec.squares);
}

fn black_sees_what_white_would<P: Position>(all: &[P]) {
    let mut hops = Hops::new();
    for position in all {
        let other = turned(position);
        assert_eq!(other.side(), !position.side());
        assert_eq!(turned(&other), *position);
        // The order of the ones says nothing.
        let seen = |p: &P| encoded(p, ClockView::default()).ones.into_iter().collect::<BTreeSet<u16>>();
        assert_eq!(seen(position), seen(&other), "{}", position.write_fen());
        assert_eq!(sorted_indices(position), sorted_indices(&other), "{}", position.write_fen());
        position.hops(&mut hops);
        for &Hop { from, to } in &hops {
            let hop = Hop { from: turned_square::<P>(from), to: turned_square::<P>(to) };
            assert_eq!(position.index(Hop { from, to }), other.index(hop));
            let (mut one, mut two) = (*position, other);
            one.play_unchecked(Hop { from, to });
            two.play_unchecked(hop);
            assert_eq!(turned(&one), two);
        }
    }
}

fn random_games_end<P: Position>() {
    for preset in Preset::ALL {
        if P::draws(preset).is_none() {
            assert!(Game::<P>::new(preset).is_err());
            continue;
        }
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
        let mut hops = Hops::new();
        for _ in 0..100 {
            let mut game = Game::<P>::new(preset).unwrap();
            while game.outcome().is_none() {
                game.hops(&mut hops);
                let action = game.position().index(hops[rng.random_range(0..hops.len())]);
                game.play_action(action).unwrap();
                assert!(game.turns_played() < 5_000, "a random game goes on for ever");
            }
            game.hops(&mut hops);
            assert!(hops.is_empty() && game.turns().is_empty());
            assert!(matches!(game.play_action(0), Err(Error::GameOver(_))));
            let outcome = game.outcome().unwrap();
            let by_moves = matches!(outcome.reason, Reason::NoMove | Reason::Sum);
            assert_eq!(by_moves, !game.position().can_move());
            assert!(outcome.winner.is_some() == by_moves || P::SPEC.boards > 1, "{outcome}");
        }
    }
}

fn illegal_hops_are_refused<P: Position>() {
    let mut game = Game::<P>::new(Preset::default()).unwrap();
    let legal = sorted_indices(game.position());
    let before = game.clone();
    for action in 0..P::SPEC.actions + 2 {
        if !legal.contains(&action) {
            let error = game.play_action(action).unwrap_err().to_string();
            assert!(error.contains(&action.to_string()) && error.contains(&legal[0].to_string()), "{error}");
            if let Some(hop) = game.position().hop_at(action) {
                assert!(game.play_hop(hop).is_err());
            }
        }
    }
    assert_eq!(game, before, "a refused hop changes nothing");
}

/// Counts lines hop by hop: a turn is a path of hops, two paths from one square to one result are one turn.
fn perft_by_turns<P: Position>(position: &P, depth: u32) -> u64 {
    let turns = turn::list_with_positions(position);
    if depth == 1 { turns.len() as u64 } else { turns.iter().map(|(_, after)| perft_by_turns(after, depth - 1)).sum() }
}

fn perft_counts_turns<P: Position>(all: &[P]) {
    for position in all.iter().step_by(all.len() / 150) {
        for depth in 1..=if P::SPEC.boards > 1 { 2 } else { 3 } {
            assert_eq!(perft(position, depth), perft_by_turns(position, depth), "{}", position.write_fen());
            let divided: u64 = turn::divide(position, depth).iter().map(|(_, count)| count).sum();
            assert_eq!(divided, perft(position, depth));
        }
    }
    assert_eq!(perft(&P::start(), 0), 1);
}

fn turns_come_back_from_their_texts<P: Position>(all: &[P]) {
    for position in all.iter().step_by(5) {
        for (listed, after) in turn::list_with_positions(position) {
            let read = turn::read(position, &listed.to_string()).unwrap();
            assert_eq!(read, listed, "{}", position.write_fen());
            let mut played = *position;
            let steps: Vec<_> = read.hops().map(|hop| played.play_unchecked(hop).turn_over).collect();
            assert_eq!(played, after);
            assert_eq!(steps.iter().position(|&over| over), Some(steps.len() - 1), "a turn ends with its last hop");
        }
    }
}

fn contract<P: Position>() {
    let all = positions::<P>(5, 10_000);
    assert_eq!(P::start().side(), Side::White);
    indices_name_hops(&all);
    moves_and_captures_are_told_alike(&all);
    texts_and_bytes_come_back(&all);
    keys_are_equal_iff_positions_are(&all);
    encodings_are_whole_and_lose_nothing(&all);
    black_sees_what_white_would(&all);
    perft_counts_turns(&all);
    turns_come_back_from_their_texts(&all);
    random_games_end::<P>();
    illegal_hops_are_refused::<P>();
}

#[test]
fn russian_keeps_the_contract() {
    contract::<Russian>();
    assert_eq!((Russian::SPEC.actions, Russian::SPEC.planes(), Russian::SPEC.inputs()), (280, [8, 8, 8], 194));
}

#[test]
fn poddavki_keeps_the_contract() {
    contract::<Poddavki>();
}

#[test]
fn bashni_keeps_the_contract() {
    contract::<Bashni>();
}

#[test]
fn bashni_im_keeps_the_contract() {
    contract::<BashniIm>();
}

#[test]
fn spantsireti_keeps_the_contract() {
    contract::<Spantsireti>();
    assert_eq!((Spantsireti::SPEC.actions, Spantsireti::SPEC.planes()), (392, [8, 8, 10]));
}

#[test]
fn vigman_keeps_the_contract() {
    contract::<Vigman>();
    assert_eq!(Vigman::SPEC.actions, 560);
}

#[test]
fn vigman_free_keeps_the_contract() {
    contract::<VigmanFree>();
}
