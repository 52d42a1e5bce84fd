//! What tree search, matches and self-play make of endgame tables.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use shashki::arena::{self, Options};
use shashki::board::Side;
use shashki::config::Config;
use shashki::endgame::{Builder, Tables};
use shashki::evaluator::{Knowledge, Proven, Truth, Uniform, certain};
use shashki::games::{Game, Position, Preset, Reason, Russian, turn};
use shashki::player::{Player, RandomPlayer};
use shashki::search::mcts_player::{MctsPlayer, PlayerSettings};
use shashki::train::selfplay::Worker;
use tempfile::TempDir;

fn tables() -> (TempDir, Arc<Tables<Russian>>) {
    let folder = tempfile::tempdir().unwrap();
    let builder = Builder::new::<Russian>(3, folder.path()).unwrap();
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

#[test]
fn a_tree_search_with_tables_wins_in_as_many_turns_as_they_say() {
    let (_folder, tables) = tables();
    let settings = PlayerSettings { visits: Some(8), ..PlayerSettings::default() };
    let mut player = MctsPlayer::new(Box::new(Uniform::default()), settings, "mcts".to_owned())
        .with_knowledge(Knowledge::new(Some(tables.clone())));
    let mut won = 0;
    for king in ["a1", "c1", "e1", "g1", "b2", "d2", "f2", "h2", "a3", "c3", "e3", "g3", "b4", "d4", "f4", "h4"] {
        for (a, b) in [("d8", "h8"), ("f8", "h6"), ("b8", "e5")] {
            let fen = format!("W:WK{a},K{b}:BK{king}");
            let mut game = Game::from_position(Russian::read_fen(&fen).unwrap(), Preset::Official).unwrap();
            let Some(Proven { value: 1, turns }) = certain(tables.as_ref(), &game) else { continue };
            player.new_game();
            while game.outcome().is_none() {
                let turn = match game.side() {
                    Side::White => player.choose(&game).unwrap(),
                    Side::Black => delay(&tables, &game),
                };
                game.play(&turn).unwrap();
            }
            assert_eq!(game.outcome().unwrap().winner, Some(Side::White), "{fen}");
            assert_eq!(game.turns_played(), u32::from(turns), "{fen}");
            won += usize::from(turns > 2);
        }
    }
    assert!(won > 3, "{won} wins of more than a turn");
}

#[test]
fn matches_and_self_play_end_where_the_tables_are_certain() {
    let (folder, tables) = tables();
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

    let dir = toml::Value::from(folder.path().to_str().unwrap());
    let set = [format!("selfplay.tables={dir}"), "selfplay.games=8".to_owned()];
    let set = [set.as_slice(), &["selfplay.samples_per_round=600", "search.visits=2"].map(str::to_owned)].concat();
    let config = Config::parse("", &set).unwrap();
    let mut worker = Worker::<Russian>::new(&config, 1, 0).unwrap();
    let round = worker.generate(&mut Uniform::default(), &AtomicBool::new(false), &AtomicU64::new(0)).unwrap();
    assert!(round.games.iter().any(|game| game.outcome.unwrap().reason == Reason::Tables));
    assert!(Worker::<Russian>::new(&Config::parse("selfplay.tables = \"no/such\"", &[]).unwrap(), 1, 0).is_err());
}
