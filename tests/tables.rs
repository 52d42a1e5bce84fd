//! What tree search, matches and self-play make of endgame tables.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use common::full;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use shashki::arena::{self, Opening, Openings, Options};
use shashki::board::Side;
use shashki::config::{Config, NetConfig};
use shashki::endgame::{Builder, Tables};
use shashki::error::Error;
use shashki::evaluator::{Knowledge, Proven, Truth, Uniform, certain};
use shashki::games::{Game, Position, Preset, Reason, Russian, turn};
use shashki::net::{NetSpec, Weights};
use shashki::player::{Player, RandomPlayer};
use shashki::roster;
use shashki::search::alphabeta::{AlphaBeta, Limits, Options as EngineOptions};
use shashki::search::mcts_player::{MctsPlayer, PlayerSettings};
use shashki::train::selfplay::Worker;
use tempfile::TempDir;

fn tables(pieces: u32) -> (TempDir, Arc<Tables<Russian>>) {
    let folder = tempfile::tempdir().unwrap();
    let builder = Builder::new::<Russian>(pieces, folder.path()).unwrap();
    builder.run(&AtomicBool::new(false), &|_| {}).unwrap();
    let tables = Tables::open(folder.path()).unwrap();
    (folder, Arc::new(tables))
}

/// The slowest loss, or any turn of a drawn or won position.
fn delay(tables: &Tables<Russian>, game: &Game<Russian>) -> turn::Turn {
    let turns = |after: &Russian| tables.probe(after).map_or(0, |proven| proven.turns);
    let all = turn::list_with_positions(game.position());
    all.into_iter().max_by_key(|(_, after)| turns(after)).unwrap().0
}

/// Games that are certain to be won in more than five turns.
fn long_wins(tables: &Tables<Russian>) -> Vec<(Game<Russian>, u16)> {
    let mut found = Vec::new();
    for (rank, file) in (1..=8).flat_map(|rank| (0..4).map(move |i| (rank, 2 * i + 1 - rank % 2))) {
        let king = format!("{}{rank}", char::from(b'a' + file));
        for others in ["h6", "c5", "a5,e7", "Kb8", "Kh2"] {
            let Ok(position) = Russian::read_fen(&format!("W:WK{king}:B{others}")) else { continue };
            let game = Game::from_position(position, Preset::Official).unwrap();
            match certain(tables, &game) {
                Some(Proven { value: 1, turns }) if turns > 5 => found.push((game, turns)),
                _ => {}
            }
        }
    }
    found
}

/// Asserts that a player wins such games in as many turns as the tables say, whatever holds out longest against it, and
/// answers how many of them it saw from the beginning.
fn wins_all(tables: &Tables<Russian>, player: &mut dyn Player<Russian>) -> usize {
    let games = long_wins(tables);
    assert!(games.len() > 5, "{}", games.len());
    let mut seen = 0;
    for (start, turns) in games {
        let mut game = start.clone();
        player.new_game();
        let analysis = player.analyse(&game).unwrap();
        seen += usize::from(analysis.value == 1.0);
        assert!(analysis.value < 1.0 || analysis.lines[0].value == 1.0, "{analysis:?}");
        while game.outcome().is_none() {
            let turn = match game.side() {
                Side::White => player.choose(&game).unwrap(),
                Side::Black => delay(tables, &game),
            };
            game.play(&turn).unwrap();
        }
        let fen = start.position().write_fen();
        assert_eq!(game.outcome().unwrap().winner, Some(Side::White), "{fen}");
        assert_eq!(game.turns_played(), u32::from(turns), "{fen}");
    }
    seen
}

#[test]
fn a_tree_search_with_tables_wins_in_as_many_turns_as_they_say() {
    let (_folder, tables) = tables(3);
    let settings = PlayerSettings { visits: Some(8), ..PlayerSettings::default() };
    let player = MctsPlayer::new(Box::new(Uniform::default()), settings, "mcts".to_owned());
    let seen = wins_all(&tables, &mut player.with_knowledge(Knowledge::new(Some(tables.clone()))));
    assert_eq!(seen, long_wins(&tables).len());
}

#[test]
fn the_engine_with_tables_wins_in_as_many_turns_as_they_say() {
    let (folder, tables) = tables(3);
    let dir = folder.path().display();
    let seen = wins_all(&tables, &mut *roster::player(&format!("alphabeta:depth=1,tables={dir}")).unwrap());
    assert_eq!(seen, long_wins(&tables).len());
    // Nothing is left to look for.
    let mut deep = roster::player::<Russian>(&format!("alphabeta:depth=9,tables={dir}")).unwrap();
    assert!(long_wins(&tables).iter().all(|(game, _)| deep.analyse(game).unwrap().lines[0].depth == Some(1)));
    // Without tables it does not see them.
    let mut blind = roster::player::<Russian>("alphabeta:depth=1").unwrap();
    assert!(long_wins(&tables).iter().all(|(game, _)| blind.analyse(game).unwrap().value < 1.0));
}

#[test]
fn a_network_with_tables_wins_in_as_many_turns_as_they_say() {
    let (folder, tables) = tables(3);
    let dir = folder.path().display();
    let model = folder.path().join("model.safetensors");
    let spec = NetSpec::new(&Russian::SPEC, &NetConfig { width: 16, ..NetConfig::default() });
    Weights::init(&spec, 1).write(&model).unwrap();
    let text = format!("mcts:{},visits=8,tables={dir}", model.display());
    let seen = wins_all(&tables, &mut *roster::player(&text).unwrap());
    assert_eq!(seen, long_wins(&tables).len());
}

#[test]
fn matches_end_where_the_tables_are_certain() {
    let (_folder, tables) = tables(3);
    let random = || Ok(Box::new(RandomPlayer::new(1)) as Box<dyn Player<Russian>>);
    let knowledge = Knowledge::new(Some(tables.clone() as _));
    let options = Options { games: 20, knowledge, ..Options::default() };
    let mut adjudicated = 0;
    arena::play(&random, &random, &options, &AtomicBool::new(false), &mut |game, _| {
        if game.outcome.reason == Reason::Tables {
            let mut end = Game::from_position(game.start, Preset::Official).unwrap();
            game.turns.iter().for_each(|turn| end.play(turn).unwrap());
            let proven = certain(tables.as_ref(), &end).unwrap();
            assert_eq!(proven.winner(end.side()), game.outcome.winner);
            adjudicated += 1;
        }
        Ok(())
    })
    .unwrap();
    assert!(adjudicated > 0, "no game came so far");
}

#[test]
fn self_play_ends_where_the_tables_are_certain() {
    let (folder, tables) = tables(3);
    let dir = toml::Value::from(folder.path().to_str().unwrap());
    let set = [format!("selfplay.tables={dir}"), "selfplay.games=8".to_owned()];
    let set = [set.as_slice(), &["selfplay.samples_per_round=600", "search.visits=2"].map(str::to_owned)].concat();
    let config = Config::parse("", &set).unwrap();
    let mut worker = Worker::<Russian>::new(&config, 1, 0).unwrap();
    // A round keeps some of its games only.
    let mut round =
        || worker.generate(&mut Uniform::default(), &AtomicBool::new(false), &AtomicU64::new(0)).unwrap().games;
    let mut adjudicated = 0;
    for game in (0..10).flat_map(|_| round()).filter(|game| game.outcome.unwrap().reason == Reason::Tables) {
        let mut end = Game::from_position(game.start, Preset::Official).unwrap();
        game.turns.iter().for_each(|turn| end.play(turn).unwrap());
        assert_eq!(certain(tables.as_ref(), &end).unwrap().winner(end.side()), game.outcome.unwrap().winner);
        adjudicated += 1;
    }
    assert!(adjudicated > 0, "no game came so far");
    assert!(Worker::<Russian>::new(&Config::parse("selfplay.tables = \"no/such\"", &[]).unwrap(), 1, 0).is_err());
}

#[test]
fn damaged_tables_end_what_asks_them() {
    let (folder, _) = tables(3);
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let mut bytes = fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(path, bytes).unwrap();
    }
    let game = Game::from_position(Russian::read_fen("W:WKa1,c3:BKf8,h6").unwrap(), Preset::Official).unwrap();
    let text = format!("alphabeta:depth=4,tables={}", folder.path().display());
    let is_named = |error: &Error| matches!(error, Error::Table { .. }) && error.to_string().contains("damaged");
    assert!(is_named(&roster::player::<Russian>(&text).unwrap().analyse(&game).unwrap_err()));
    assert!(is_named(&roster::player::<Russian>(&text).unwrap().choose(&game).unwrap_err()));
    let random = || Ok(Box::new(RandomPlayer::new(1)) as Box<dyn Player<Russian>>);
    let play = |player: &(dyn Fn() -> Result<Box<dyn Player<Russian>>, Error> + Sync), tables: Option<&Path>| {
        let openings = Openings::List(vec![Opening { start: *game.position(), turns: Vec::new() }]);
        let knowledge = roster::knowledge(tables).unwrap();
        let options = Options { games: 20, openings, knowledge, ..Options::default() };
        arena::play(player, &random, &options, &AtomicBool::new(false), &mut |_, _| Ok(())).unwrap_err()
    };
    assert!(is_named(&play(&|| roster::player(&text), None)));
    assert!(is_named(&play(&random, Some(folder.path()))));
    let dir = toml::Value::from(folder.path().to_str().unwrap());
    let config = Config::parse("", &[format!("selfplay.tables={dir}"), "search.visits=2".to_owned()]).unwrap();
    let mut worker = Worker::<Russian>::new(&config, 1, 0).unwrap();
    let round = worker.generate(&mut Uniform::default(), &AtomicBool::new(false), &AtomicU64::new(0));
    assert!(is_named(&round.err().unwrap()));
}

/// A position of so many pieces, men and kings of both sides anywhere.
fn any_position(pieces: usize, rng: &mut StdRng) -> Option<Russian> {
    let squares: Vec<_> = (0..64_u8)
        .filter(|n| (n % 8 + n / 8).is_multiple_of(2))
        .map(|n| format!("{}{}", char::from(b'a' + n % 8), n / 8 + 1))
        .collect();
    let mut sides = [Vec::new(), Vec::new()];
    for (n, square) in squares.sample(rng, pieces).enumerate() {
        let king = if rng.random_bool(0.5) { "K" } else { "" };
        sides[if n < 2 { n } else { rng.random_range(0..2) }].push(format!("{king}{square}"));
    }
    Russian::read_fen(&format!("W:W{}:B{}", sides[0].join(","), sides[1].join(","))).ok()
}

#[test]
fn a_tree_goes_on_from_where_tables_do_not_reach_to_where_they_do() {
    let (_folder, tables) = tables(3);
    let knowledge = Knowledge::new(Some(tables as Arc<dyn Truth<Russian>>));
    let mut rng = StdRng::seed_from_u64(3);
    let mut reached = 0;
    for _ in 0..300 {
        let Some(position) = any_position(6, &mut rng) else { continue };
        let mut game = Game::from_position(position, Preset::Official).unwrap();
        let settings = PlayerSettings { visits: Some(3), ..PlayerSettings::default() };
        let player = MctsPlayer::new(Box::new(Uniform::default()), settings, "mcts".to_owned());
        let mut player = player.with_knowledge(knowledge.clone());
        while game.outcome().is_none() && game.turns_played() < 60 {
            let turn = player.choose(&game).unwrap();
            game.play(&turn).unwrap();
            reached += usize::from(knowledge.certain(&game).is_some());
        }
    }
    assert!(reached > 20, "{reached}");
}

#[test]
fn an_analysis_that_has_looked_at_no_turn_yet_tells_of_all() {
    let game = Game::<Russian>::new(Preset::Official).unwrap();
    let settings = PlayerSettings { visits: Some(1), ..PlayerSettings::default() };
    let mut player = MctsPlayer::new(Box::new(Uniform::default()), settings, "mcts".to_owned());
    assert_eq!(Player::<Russian>::analyse(&mut player, &game).unwrap().lines.len(), 7);
}

/// Looking four turns further than the win takes, it finds 99 of 100. `SHASHKI_FULL` tries more, and four pieces.
#[test]
fn the_engine_without_tables_finds_the_wins_that_they_show() {
    let full = full();
    let (pieces, wanted) = if full { (4, 1000) } else { (3, 150) };
    let (_folder, tables) = tables(pieces);
    let mut rng = StdRng::seed_from_u64(11);
    let (mut wins, mut missed) = (0, Vec::new());
    while wins < wanted {
        let Some(position) = any_position(pieces as usize, &mut rng) else { continue };
        let game = Game::from_position(position, Preset::Official).unwrap();
        let Some(Proven { value: 1, turns }) = certain(tables.as_ref(), &game) else { continue };
        if !(3..=11).contains(&turns) {
            continue;
        }
        wins += 1;
        let limits = Limits { depth: Some(u32::from(turns) + 4), ..Limits::default() };
        let mut engine = AlphaBeta::new(EngineOptions { limits, ..EngineOptions::default() });
        if engine.analyse(&game).unwrap().value < 1.0 {
            missed.push(format!("{} in {turns}", position.write_fen()));
        }
    }
    assert!(missed.len() * 100 <= wins, "{} of {wins} missed: {missed:?}", missed.len());
}
