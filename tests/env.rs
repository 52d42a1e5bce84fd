//! The vectorized environment keeps its conventions: rewards, ends, masks, batches that move as one, repeatable games.

#![allow(clippy::unwrap_used)]

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use shashki::board::{Hops, Side};
use shashki::env::{BatchMut, Buffers, EnvOptions, PlanesMut, Seat, VecEnv};
use shashki::for_variant;
use shashki::games::{Game, Outcome, Position, Preset, Reason, Russian, Turn, Variant};
use shashki::player::{Player, RandomPlayer};
use shashki::search::mcts_player::{MctsPlayer, PlayerSettings, Rollout};
use shashki::{Error, Result};

fn env(options: EnvOptions) -> (VecEnv<Russian>, Buffers) {
    let env = VecEnv::new(options, None).unwrap();
    let batch = Buffers::new(&Russian::SPEC, options.games);
    (env, batch)
}

fn random_opponent(_: usize) -> Result<Box<dyn Player<Russian>>> {
    Ok(Box::new(RandomPlayer::new(0)))
}

fn against_random(options: EnvOptions) -> (VecEnv<Russian>, Buffers) {
    let env = VecEnv::new(options, Some(&random_opponent)).unwrap();
    (env, Buffers::new(&Russian::SPEC, options.games))
}

/// What a game looks like, computed without the environment.
fn seen(game: &Game<Russian>) -> (Vec<f32>, Vec<i8>) {
    let mut features = shashki::games::Features::default();
    game.position().encode(game.clock(), &mut features);
    let mut planes = vec![0.0; Russian::SPEC.observation_len()];
    features.write_planes(0, &Russian::SPEC, &mut planes);
    let mut hops = Hops::new();
    game.hops(&mut hops);
    let mut mask = vec![0; Russian::SPEC.actions];
    hops.iter().for_each(|&hop| mask[game.position().index(hop)] = 1);
    (planes, mask)
}

#[test]
fn a_batch_plays_exactly_what_single_games_play() {
    let games = 7;
    let (mut env, mut batch) = env(EnvOptions { games, seed: 3, max_turns: Some(60), ..EnvOptions::default() });
    env.reset(None, batch.borrow()).unwrap();
    let start = Game::<Russian>::new(Preset::Official).unwrap();
    let mut singles = vec![start.clone(); games];
    let mut actions = vec![0; games];
    let (mut ended, mut cut, mut chains) = (0, 0, 0);
    let len = Russian::SPEC.observation_len();
    for _ in 0..2000 {
        env.random_actions(&mut actions).unwrap();
        env.step(&actions, batch.borrow()).unwrap();
        for (i, game) in singles.iter_mut().enumerate() {
            let step = game.play_action(actions[i] as usize).unwrap();
            chains += usize::from(!step.turn_over);
            let limit = Outcome { winner: None, reason: Reason::TurnLimit };
            let outcome = game.outcome().or((game.turns_played() >= 60).then_some(limit));
            let cut_off = outcome == Some(limit);
            assert_eq!(batch.outcome[i], outcome);
            assert_eq!(batch.terminated[i], outcome.is_some() && !cut_off);
            assert_eq!(batch.truncated[i], cut_off);
            let reward = match outcome.and_then(|outcome| outcome.winner) {
                Some(Side::White) => [1.0, -1.0],
                Some(Side::Black) => [-1.0, 1.0],
                None => [0.0, 0.0],
            };
            assert_eq!(batch.reward[2 * i..2 * i + 2], reward);
            assert_eq!(batch.agent[i], -1);
            if outcome.is_some() {
                ended += 1;
                cut += usize::from(cut_off);
                assert_eq!(batch.final_observation[i * len..(i + 1) * len], seen(game).0);
                assert_eq!(batch.final_side[i], game.side().index() as i8);
                game.clone_from(&start);
            } else {
                assert_eq!(batch.final_side[i], -1);
            }
            let (planes, mask) = seen(game);
            assert_eq!(batch.observation[i * len..(i + 1) * len], planes);
            assert_eq!(batch.action_mask[i * mask.len()..(i + 1) * mask.len()], mask);
            assert!(mask.contains(&1), "a game that goes on has a legal hop");
            assert_eq!(batch.side[i], game.side().index() as i8);
            assert_eq!(env.game(i), Some(&*game));
        }
    }
    assert!(ended > 100 && cut > 10 && cut < ended && chains > 100, "{ended} {cut} {chains}");
}

/// Plays the same games with observations of one kind and of another, and says where the bytes are no sixteenths.
fn compare_kinds<P: Position>() {
    let options = EnvOptions { games: 6, seed: 8, max_turns: Some(60), ..EnvOptions::default() };
    let make = || (VecEnv::<P>::new(options, None).unwrap(), Buffers::new(&P::SPEC, options.games));
    let ((mut plain, mut batch), (mut coarse, mut rest), (mut blind, mut other)) = (make(), make(), make());
    let (mut bytes, mut last) = (vec![0; batch.observation.len()], vec![0; batch.observation.len()]);
    plain.reset(None, batch.borrow()).unwrap();
    coarse.reset(None, rest.borrow()).unwrap();
    blind.reset(None, other.borrow()).unwrap();
    let start = other.clone();
    let mut actions = vec![0; options.games];
    for _ in 0..300 {
        plain.random_actions(&mut actions).unwrap();
        plain.step(&actions, batch.borrow()).unwrap();
        let (observation, final_observation) = (PlanesMut::U8(&mut bytes), PlanesMut::U8(&mut last));
        coarse.step(&actions, BatchMut { observation, final_observation, ..rest.borrow() }).unwrap();
        let (observation, final_observation) = (PlanesMut::Off, PlanesMut::Off);
        blind.step(&actions, BatchMut { observation, final_observation, ..other.borrow() }).unwrap();
        let sixteenths = |planes: &[f32]| planes.iter().map(|x| 16.0 * x).collect::<Vec<_>>();
        let exact = |planes: &[u8]| planes.iter().map(|&x| f32::from(x)).collect::<Vec<_>>();
        assert_eq!(exact(&bytes), sixteenths(&batch.observation), "{}", P::SPEC.variant);
        let len = P::SPEC.observation_len();
        for i in (0..options.games).filter(|&i| batch.outcome[i].is_some()) {
            let row = i * len..(i + 1) * len;
            assert_eq!(exact(&last[row.clone()]), sixteenths(&batch.final_observation[row]));
        }
        for buffers in [&rest, &other] {
            assert_eq!(buffers.action_mask, batch.action_mask);
            assert_eq!(buffers.outcome, batch.outcome);
            assert_eq!((&buffers.side, &buffers.reward), (&batch.side, &batch.reward));
        }
    }
    assert_eq!(other.observation, start.observation, "nothing is written where nothing is asked for");
    assert!(bytes.contains(&16) && !bytes.iter().any(|&x| x > 16));
}

#[test]
fn bytes_are_sixteenths_and_without_observations_the_games_are_the_same() {
    for variant in Variant::ALL {
        for_variant!(variant, P => compare_kinds::<P>());
    }
}

#[test]
fn every_legal_hop_is_drawn_equally_often() {
    let (mut env, mut batch) = env(EnvOptions { games: 700, seed: 6, ..EnvOptions::default() });
    env.reset(None, batch.borrow()).unwrap();
    let mut drawn = vec![0; Russian::SPEC.actions];
    let mut actions = vec![0; 700];
    for _ in 0..10 {
        env.random_actions(&mut actions).unwrap();
        actions.iter().for_each(|&action| drawn[action as usize] += 1);
    }
    // 1000 of each of the seven; the deviation is 29.
    let legal = batch.action_mask[..drawn.len()].iter();
    for (action, (&legal, times)) in legal.zip(drawn).enumerate() {
        assert!(if legal == 1 { (850..1150).contains(&times) } else { times == 0 }, "{action} was drawn {times} times");
    }
}

#[test]
fn one_illegal_action_and_nothing_moves() {
    let (mut env, mut batch) = env(EnvOptions { games: 3, seed: 1, ..EnvOptions::default() });
    env.reset(None, batch.borrow()).unwrap();
    let mut actions = [0; 3];
    env.random_actions(&mut actions).unwrap();
    let (before, state) = (batch.clone(), env.save().unwrap());
    for bad in [-1, 280, i64::MAX, i64::MIN] {
        let error = env.step(&[actions[0], bad, actions[2]], batch.borrow()).unwrap_err();
        assert!(matches!(error, Error::IllegalAction { env: Some(1), action, .. } if action == bad), "{error}");
    }
    let illegal = (0..280).find(|&a| before.action_mask[2 * 280 + a as usize] == 0).unwrap();
    let error = env.step(&[actions[0], actions[1], illegal], batch.borrow()).unwrap_err();
    assert!(error.to_string().contains("env 2"), "{error}");
    assert!(env.step(&actions[..2], batch.borrow()).is_err());
    assert_eq!(batch, before);
    assert_eq!(env.save().unwrap(), state);
    env.step(&actions, batch.borrow()).unwrap();
    assert_ne!(batch, before);
}

#[test]
fn buffers_of_a_wrong_length_are_named() {
    let (mut env, mut batch) = env(EnvOptions { games: 2, ..EnvOptions::default() });
    batch.reward.pop();
    let error = env.reset(None, batch.borrow()).unwrap_err().to_string();
    assert!(error.contains("reward") && error.contains('4'), "{error}");
}

#[test]
fn options_out_of_range_are_refused() {
    let refused = |options| VecEnv::<Russian>::new(options, None).is_err();
    assert!(refused(EnvOptions { games: 0, ..EnvOptions::default() }));
    assert!(refused(EnvOptions { games: usize::MAX, ..EnvOptions::default() }));
    assert!(refused(EnvOptions { threads: usize::MAX, ..EnvOptions::default() }));
    assert!(refused(EnvOptions { max_turns: Some(1), ..EnvOptions::default() }));
    assert!("left".parse::<Seat>().is_err());
}

#[test]
fn a_step_before_the_first_reset_is_an_error() {
    let (mut env, mut batch) = env(EnvOptions::default());
    assert!(env.step(&[0], batch.borrow()).is_err());
    assert!(env.random_actions(&mut [0]).is_err());
    assert!(env.save().is_err());
}

/// Plays random actions and answers all that was seen.
fn trace(env: &mut VecEnv<Russian>, batch: &mut Buffers, steps: usize) -> Vec<(Vec<i64>, Buffers)> {
    let mut actions = vec![0; env.games()];
    let mut all = Vec::new();
    for _ in 0..steps {
        env.random_actions(&mut actions).unwrap();
        env.step(&actions, batch.borrow()).unwrap();
        // Rows of games that go on keep what they held.
        let mut shown = batch.clone();
        let len = Russian::SPEC.observation_len();
        for (i, outcome) in batch.outcome.iter().enumerate() {
            if outcome.is_none() {
                shown.final_observation[i * len..(i + 1) * len].fill(0.0);
            }
        }
        all.push((actions.clone(), shown));
    }
    all
}

#[test]
fn the_same_seed_gives_the_same_games_and_another_seed_others() {
    for make in [env, against_random] {
        let options = EnvOptions { games: 5, seed: 11, seat: Seat::Random, ..EnvOptions::default() };
        let (mut first, mut batch) = make(options);
        first.reset(None, batch.borrow()).unwrap();
        let played = trace(&mut first, &mut batch, 200);
        let (mut second, mut batch) = make(options);
        second.reset(None, batch.borrow()).unwrap();
        assert_eq!(trace(&mut second, &mut batch, 200), played);
        second.reset(Some(11), batch.borrow()).unwrap();
        assert_eq!(trace(&mut second, &mut batch, 200), played);
        second.reset(Some(12), batch.borrow()).unwrap();
        assert_ne!(trace(&mut second, &mut batch, 200), played);
    }
}

#[test]
fn many_threads_play_what_one_plays() {
    for make in [env, against_random] {
        let options = EnvOptions { games: 500, seed: 2, ..EnvOptions::default() };
        let (mut one, mut batch) = make(options);
        one.reset(None, batch.borrow()).unwrap();
        let played = trace(&mut one, &mut batch, 100);
        let (mut three, mut batch) = make(EnvOptions { threads: 3, ..options });
        assert_eq!(three.threads(), 3);
        three.reset(None, batch.borrow()).unwrap();
        assert!(trace(&mut three, &mut batch, 100) == played);
    }
}

#[test]
fn an_opponent_that_searches_plays_alike_on_any_number_of_threads() {
    let make = |_| {
        let settings = PlayerSettings { visits: Some(100), batch: 8, ..PlayerSettings::default() };
        Ok(Box::new(MctsPlayer::new(Box::new(Rollout::new(Preset::Official, 0)), settings, "rollout".to_owned()))
            as Box<dyn Player<_>>)
    };
    let play = |threads| {
        let options = EnvOptions { games: 6, seed: 2, threads, ..EnvOptions::default() };
        let mut env = VecEnv::<Russian>::new(options, Some(&make)).unwrap();
        let mut batch = Buffers::new(&Russian::SPEC, options.games);
        env.reset(None, batch.borrow()).unwrap();
        trace(&mut env, &mut batch, 100)
    };
    let played = play(1);
    for threads in [3, 6] {
        assert!(play(threads) == played, "{threads} threads play other games than one");
    }
}

#[test]
fn against_an_opponent_only_the_agent_is_to_move() {
    for seat in Seat::ALL {
        let (mut env, mut batch) =
            against_random(EnvOptions { games: 6, seed: 4, seat, max_turns: Some(80), ..EnvOptions::default() });
        env.reset(None, batch.borrow()).unwrap();
        let mut actions = [0; 6];
        let (mut wins, mut losses, mut sides) = (0, 0, [0, 0]);
        let mut agents = batch.agent.clone();
        for _ in 0..600 {
            assert_eq!(agents, batch.side, "the agent moves");
            env.random_actions(&mut actions).unwrap();
            env.step(&actions, batch.borrow()).unwrap();
            assert_eq!(batch.agent, agents, "rewards are of the game that the step was played in");
            for i in 0..6 {
                let Some(outcome) = batch.outcome[i] else { continue };
                let agent = batch.agent[i] as usize;
                sides[agent] += 1;
                match outcome.winner {
                    Some(side) if side.index() == agent => {
                        assert_eq!(batch.reward[2 * i + agent], 1.0);
                        wins += 1;
                    }
                    Some(_) => losses += 1,
                    None => assert_eq!(batch.reward[2 * i..2 * i + 2], [0.0, 0.0]),
                }
                if seat == Seat::Alternate {
                    assert_ne!(batch.side[i], batch.agent[i], "sides change with each game");
                }
            }
            agents.copy_from_slice(&batch.side);
        }
        assert!(wins > 10 && losses > 10, "{seat}: {wins} {losses}");
        match seat {
            Seat::White => assert_eq!(sides[1], 0),
            Seat::Black => assert_eq!(sides[0], 0),
            Seat::Alternate | Seat::Random => assert!(sides[0] > 10 && sides[1] > 10, "{sides:?}"),
        }
    }
}

#[test]
fn a_saved_environment_goes_on_the_same() {
    for make in [env, against_random] {
        let options = EnvOptions { games: 4, seed: 9, ..EnvOptions::default() };
        let (mut env, mut batch) = make(options);
        env.reset(None, batch.borrow()).unwrap();
        trace(&mut env, &mut batch, 57);
        let state = env.save().unwrap();
        let played = trace(&mut env, &mut batch, 150);
        let (mut other, mut batch) = make(EnvOptions { seed: 1, ..options });
        other.restore(&state).unwrap();
        other.observe(batch.borrow()).unwrap();
        assert_eq!(trace(&mut other, &mut batch, 150), played);
    }
}

#[test]
fn damaged_bytes_are_refused_and_change_nothing() {
    let (mut env, mut batch) = env(EnvOptions { games: 2, seed: 9, ..EnvOptions::default() });
    env.reset(None, batch.borrow()).unwrap();
    trace(&mut env, &mut batch, 20);
    let state = env.save().unwrap();
    let (mut other, _) = against_random(EnvOptions { games: 2, ..EnvOptions::default() });
    assert!(other.restore(&state).is_err(), "games of both sides have no opponent");
    for len in 0..state.len() {
        assert!(matches!(env.restore(&state[..len]), Err(Error::State { .. })), "{len} bytes");
    }
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    for _ in 0..2000 {
        let mut damaged = state.clone();
        let at = rng.random_range(0..damaged.len());
        damaged[at] ^= 1 << rng.random_range(0..8);
        assert!(matches!(env.restore(&damaged), Err(Error::State { .. })), "byte {at}");
        assert_eq!(env.save().unwrap(), state);
    }
}

/// Fails at its third choice.
struct Failing(u32);

impl Player<Russian> for Failing {
    fn name(&self) -> String {
        "failing".to_owned()
    }

    fn choose(&mut self, game: &Game<Russian>) -> Result<Turn> {
        self.0 += 1;
        if self.0 == 3 { Err(Error::Network("gone".to_owned())) } else { Ok(game.turns().swap_remove(0)) }
    }
}

#[test]
fn after_an_opponents_failure_only_a_reset_helps() {
    let make = |_| Ok(Box::new(Failing(0)) as Box<dyn Player<Russian>>);
    let mut env = VecEnv::new(EnvOptions { seat: Seat::White, ..EnvOptions::default() }, Some(&make)).unwrap();
    let mut batch = Buffers::new(&Russian::SPEC, 1);
    env.reset(None, batch.borrow()).unwrap();
    let mut actions = [0];
    let error = loop {
        env.random_actions(&mut actions).unwrap();
        if let Err(error) = env.step(&actions, batch.borrow()) {
            break error;
        }
    };
    assert!(matches!(error, Error::Network(_)), "{error}");
    assert!(env.step(&actions, batch.borrow()).unwrap_err().to_string().contains("reset"));
    env.reset(None, batch.borrow()).unwrap();
    env.random_actions(&mut actions).unwrap();
    env.step(&actions, batch.borrow()).unwrap();
}
