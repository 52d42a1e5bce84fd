//! Player texts: what they make, and what they refuse with which words.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;

use shashki::config::{NetConfig, NetKind};
use shashki::games::{Game, Position, Preset, Russian};
use shashki::net::{NetSpec, Weights};
use shashki::roster::{self, Entrant};

fn refused(text: &str) -> String {
    let error = roster::player::<Russian>(text).err().unwrap_or_else(|| panic!("{text} was accepted"));
    assert_eq!(error.exit_status(), 2, "{text}: {error}");
    assert!(error.to_string().contains(text), "{error} does not name {text}");
    error.to_string()
}

fn write_model(path: &Path) {
    let spec = NetSpec::new(&Russian::SPEC, &NetConfig { width: 16, ..NetConfig::default() });
    Weights::init(&spec, 1).write(path).unwrap();
}

#[test]
fn every_kind_of_player_plays_a_legal_turn_under_its_own_text() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("best.safetensors");
    write_model(&model);
    let (model, run) = (model.display(), folder.path().display());
    let texts = [
        "random".to_owned(),
        "random:seed=7".to_owned(),
        "alphabeta".to_owned(),
        "alphabeta:depth=2,hash=1,eval=basic".to_owned(),
        "alphabeta:time=0.01,nodes=1000".to_owned(),
        "alphabeta:eval=tuned,threads=2,depth=3,without=forced+probcut".to_owned(),
        format!("mcts:{model},visits=20"),
        format!("mcts:{run},visits=20,search=puct,batch=4,temperature=0.5,seed=3,device=cpu"),
        format!("policy:{model}"),
        "rollout:visits=20".to_owned(),
    ];
    let game = Game::<Russian>::new(Preset::Official).unwrap();
    for text in texts {
        let mut player = roster::player::<Russian>(&text).unwrap();
        assert_eq!(player.name(), text);
        player.new_game();
        player.seed(5);
        let turn = player.choose(&game).unwrap();
        assert!(game.turns().contains(&turn), "{text} answered {turn}");
    }
}

#[test]
fn an_unknown_name_is_refused_with_the_known_ones() {
    for text in ["", "kestog", "Random", "alpha-beta:depth=3", ":depth=3"] {
        assert!(refused(text).contains("expected one of random, alphabeta, mcts, policy, rollout, hub"));
    }
}

#[test]
fn an_unknown_key_is_refused_with_the_known_ones() {
    assert!(refused("random:depth=3").contains("expected seed"));
    assert!(refused("alphabeta:depht=3").contains("expected depth, time, nodes, hash, threads, eval, without"));
    assert!(refused("mcts:model,depth=3").contains("expected visits, time, search, batch, temperature, seed, device"));
    assert!(refused("alphabeta:depth=3,").contains("KEY=VALUE"));
    assert!(refused("alphabeta:").contains("KEY=VALUE"));
    assert!(refused("alphabeta:6").contains("KEY=VALUE"));
}

#[test]
fn a_key_given_twice_is_refused() {
    assert!(refused("alphabeta:depth=3,depth=4").contains("given twice"));
}

#[test]
fn an_engine_is_named_by_its_command_which_is_the_rest_of_the_text() {
    for text in ["hub:cmd=engine", "hub:time=0.1,cmd=engine --hash 64, depth=3", "hub:depth=5,timeout=60,cmd=a=b,cmd=c"]
    {
        assert_eq!(roster::player::<Russian>(text).unwrap().name(), text);
    }
    for text in ["hub", "hub:", "hub:time=1", "hub:cmd=", "hub:cmd= ", "hub:depth=3,cmd=", "hub:engine"] {
        assert!(refused(text).contains("expected cmd=COMMAND at the end, before it time, depth, timeout"), "{text}");
    }
    assert!(refused("hub:time=0,cmd=x").contains("from 0.001 to 86400"));
    assert!(refused("hub:nodes=3,cmd=x").contains("unknown key"));
    assert!(refused("hub:time=1,depth=3,cmd=x").contains("not both"));
}

#[test]
fn a_value_out_of_range_or_of_another_type_is_refused_with_the_range() {
    assert!(refused("alphabeta:depth=0").contains("from 1 to 100"));
    for text in ["alphabeta:depth=x", "alphabeta:depth=-1", "alphabeta:depth=", "alphabeta:depth=3.5"] {
        assert!(refused(text).contains("from 1 to 100"));
    }
    for text in
        ["alphabeta:time=0", "alphabeta:time=nan", "alphabeta:time=inf", "alphabeta:time=-1", "rollout:time=1e9"]
    {
        assert!(refused(text).contains("from 0.001 to 86400"));
    }
    assert!(refused("alphabeta:hash=99999999999").contains("from 1 to"));
    assert!(refused("random:seed=-1").contains("from 0"));
    assert!(refused("alphabeta:eval=best").contains("expected basic or tuned"));
    assert!(refused("alphabeta:eval=basic,threads=2").contains("the first version of the engine, has no threads"));
    assert!(refused("alphabeta:eval=basic,tables=x").contains("the first version of the engine, has no tables"));
    assert!(refused("rollout:tables=x").contains("expected visits, time, seed"));
    assert!(refused("alphabeta:without=forced+sense").contains("expected some of table, aspiration, reductions"));
    assert!(refused("mcts:model,search=ucb").contains("expected puct"));
    assert!(refused("mcts:model,temperature=-1").contains("from 0 to 10"));
    assert!(refused("policy:model,device=tpu").contains("expected cpu, cuda"));
}

#[test]
fn what_comes_later_is_refused_as_not_yet_known() {
    assert!(refused("mcts:m,search=gumbel").contains("not yet known"));
}

#[test]
fn a_player_without_its_model_is_refused() {
    for text in ["mcts", "mcts:", "mcts:visits=10", "policy", "policy:device=cpu"] {
        assert!(refused(text).contains("expected a model"));
    }
}

#[test]
fn missing_tables_are_no_fault_of_the_text() {
    let folder = tempfile::tempdir().unwrap();
    for (dir, reason) in [("nowhere", "nowhere"), ("", "no complete set of tables of russian")] {
        let text = format!("alphabeta:tables={}", folder.path().join(dir).display());
        let error = Entrant::<Russian>::new(&text).err().unwrap();
        assert!(error.exit_status() == 1 && error.to_string().contains(reason), "{error}");
    }
}

#[test]
fn a_missing_or_damaged_model_is_no_fault_of_the_text() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model.safetensors");
    let failed = |text: String| {
        let error = Entrant::<Russian>::new(&text).err().unwrap();
        assert_eq!(error.exit_status(), 1, "{error}");
        error.to_string()
    };
    let text = format!("mcts:{}", model.display());
    assert!(failed(text.clone()).contains("model.safetensors"));
    assert!(failed(format!("policy:{}", folder.path().display())).contains("best.safetensors"));
    write_model(&model);
    let bytes = fs::read(&model).unwrap();
    for length in [0, 4, 100, bytes.len() - 1] {
        fs::write(&model, &bytes[..length]).unwrap();
        assert!(failed(text.clone()).contains("model.safetensors"), "{length} bytes");
    }
}

#[test]
fn a_convolutional_model_plays_on_the_cpu() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model.safetensors");
    let config = NetConfig { kind: NetKind::Resnet, width: 8, blocks: 1 };
    Weights::init(&NetSpec::new(&Russian::SPEC, &config), 1).write(&model).unwrap();
    let mut player = roster::player::<Russian>(&format!("policy:{}", model.display())).unwrap();
    let game = Game::<Russian>::new(Preset::Official).unwrap();
    assert!(game.turns().contains(&player.choose(&game).unwrap()));
}

#[test]
fn a_check_of_the_text_alone_reads_no_model() {
    assert!(roster::check("mcts:/nowhere/model,visits=3").is_ok());
    assert!(roster::check("mcts:/nowhere/model,visit=3").is_err());
}

#[test]
fn a_players_own_seed_changes_its_games_within_the_same_match() {
    let game = Game::<Russian>::new(Preset::Official).unwrap();
    let turns = |text: &str| {
        let mut player = roster::player::<Russian>(text).unwrap();
        player.seed(1);
        (0..20).map(|_| player.choose(&game).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(turns("random:seed=3"), turns("random:seed=3"));
    assert_ne!(turns("random:seed=3"), turns("random:seed=4"));
}
