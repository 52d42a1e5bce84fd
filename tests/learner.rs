//! The learner: gradients, fitting, going on from a stored state, and what it refuses.

#![cfg(feature = "torch")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use shashki::Error;
use shashki::board::Hops;
use shashki::config::{LearnerConfig, NetConfig, NetKind, Precision};
use shashki::device::Device;
use shashki::games::{Game, Position, Preset, Russian};
use shashki::net::torch::set_threads;
use shashki::net::{NetSpec, Weights};
use shashki::train::learner::{Learner, Losses, learning_rate};
use shashki::train::replay::Batch;

const ACTIONS: usize = Russian::SPEC.actions;

fn spec(kind: NetKind, width: usize, blocks: usize) -> NetSpec {
    NetSpec::new(&Russian::SPEC, &NetConfig { kind, width, blocks })
}

/// The defaults, with layers multiplied in f32 on any processor.
fn exact() -> LearnerConfig {
    LearnerConfig { precision: Precision::F32, ..LearnerConfig::default() }
}

fn learner(spec: &NetSpec, config: &LearnerConfig) -> Learner {
    set_threads(1);
    Learner::new(spec, config, Device::Cpu, 1, &Weights::init(spec, 1)).unwrap()
}

/// Distinct positions of random games with random targets: the policy prefers one hop, the result is certain.
fn batch(n: usize, seed: u64) -> Batch {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (mut hops, mut seen, mut batch) = (Hops::new(), Vec::new(), Batch::default());
    while seen.len() < n {
        let mut game = Game::<Russian>::new(Preset::Official).unwrap();
        while game.outcome().is_none() {
            game.hops(&mut hops);
            let leaf = game.leaf();
            if seen.len() < n && hops.len() > 1 && !seen.contains(&leaf) && rng.random_bool(0.3) {
                seen.push(leaf);
                leaf.position.encode(leaf.clock, &mut batch.features);
                let start = batch.policy.len();
                batch.policy.resize(start + ACTIONS, 0.0);
                batch.legal.resize(start + ACTIONS, false);
                let best = rng.random_range(0..hops.len());
                for (i, &hop) in hops.iter().enumerate() {
                    let slot = start + leaf.position.index(hop);
                    batch.legal[slot] = true;
                    batch.policy[slot] = if i == best { 0.9 } else { 0.1 / (hops.len() - 1) as f32 };
                }
                batch.wdl.extend([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]][rng.random_range(0..3)]);
            }
            game.play_unchecked(hops[rng.random_range(0..hops.len())]);
        }
    }
    batch
}

#[test]
fn one_batch_is_learned_by_heart() {
    let nets = [(NetKind::Mlp, 64, 2, 150), (NetKind::Resnet, 16, 1, 200)];
    let f32s = nets.map(|net| (net, Precision::F32));
    for ((kind, width, blocks, steps), precision) in f32s.into_iter().chain([(nets[0], Precision::Bf16)]) {
        let batch = batch(64, 1);
        let spec = spec(kind, width, blocks);
        let mut learner = learner(&spec, &LearnerConfig { weight_decay: 0.0, precision, ..exact() });
        let first = learner.evaluate(&batch).unwrap();
        assert!((first.value - 3.0_f64.ln()).abs() < 0.1, "untrained, every result is alike: {first:?}");
        for _ in 0..steps {
            learner.step(&batch, 3e-3).unwrap();
        }
        let last = learner.evaluate(&batch).unwrap();
        assert!(first.kl > 0.5 && last.kl < 0.05 && last.value < 0.1, "{kind:?} {precision:?}: {first:?} to {last:?}");
        assert_eq!(learner.steps(), steps);
        assert_eq!(learner.weights().unwrap().card.step, steps);
    }
}

#[test]
fn the_gradient_is_the_slope_of_the_loss() {
    for kind in [NetKind::Mlp, NetKind::Resnet] {
        let (batch, spec) = (batch(16, 2), spec(kind, 8, 1));
        let start = Weights::init(&spec, 4);
        // Without clipping and decay, Adam's first step moves each number by the step size against its gradient's sign.
        let config = LearnerConfig { clip_norm: 0.0, weight_decay: 0.0, value_weight: 1.5, ..exact() };
        let at = |flat: &[f32]| {
            let weights = Weights::from_flat(&spec, start.card.clone(), flat);
            Learner::new(&spec, &config, Device::Cpu, 1, &weights).unwrap()
        };
        let flat = start.to_flat();
        let losses = at(&flat).evaluate(&batch).unwrap();
        assert!((losses.total - losses.policy - 1.5 * losses.value).abs() < 1e-5);
        let gradient = at(&flat).gradient_of(&batch).unwrap();
        let norm = gradient.iter().map(|g| f64::from(*g).powi(2)).sum::<f64>().sqrt();
        assert!((at(&flat).step(&batch, 1e-3).unwrap().grad_norm / norm - 1.0).abs() < 1e-4);
        // Along random directions that lean on the gradient, so that the slope stands clear of rounding.
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        for _ in 0..6 {
            let mut along: Vec<f64> =
                gradient.iter().map(|g| f64::from(*g) / norm * rng.random_range(0.0..2.0)).collect();
            let length = along.iter().map(|d| d * d).sum::<f64>().sqrt();
            along.iter_mut().for_each(|d| *d /= length);
            let moved = |step: f64| -> f64 {
                let flat: Vec<f32> = flat.iter().zip(&along).map(|(p, d)| p + (step * d) as f32).collect();
                at(&flat).evaluate(&batch).unwrap().total
            };
            let slope = (moved(5e-3) - moved(-5e-3)) / 1e-2;
            let expected: f64 = gradient.iter().zip(&along).map(|(g, d)| f64::from(*g) * d).sum();
            assert!((slope / expected - 1.0).abs() < 0.01, "{kind:?}: slope {slope}, gradient says {expected}");
        }
    }
}

#[test]
fn a_batch_in_shards_moves_the_weights_as_a_whole_one_does() {
    let (spec, whole) = (spec(NetKind::Mlp, 16, 1), batch(30, 7));
    let config = LearnerConfig { batch_size: 30, ..exact() };
    let start = Weights::init(&spec, 1);
    // Shards of 10: each sample's targets and features are cut out of the whole batch.
    let fill = |shard: usize, n: usize, part: &mut Batch| {
        *part = Batch::default();
        for i in shard * n..(shard + 1) * n {
            part.features.ones.extend(whole.features.ones_of(i));
            part.features.scalars.extend(whole.features.scalars_of(i));
            part.features.finish();
            part.policy.extend(&whole.policy[i * ACTIONS..(i + 1) * ACTIONS]);
            part.legal.extend(&whole.legal[i * ACTIONS..(i + 1) * ACTIONS]);
            part.wdl.extend(&whole.wdl[3 * i..3 * i + 3]);
        }
    };
    let mut one = Learner::new(&spec, &config, Device::Cpu, 1, &start).unwrap();
    let mut three = Learner::new(&spec, &config, Device::Cpu, 3, &start).unwrap();
    for _ in 0..5 {
        let (a, b) = (one.step(&whole, 1e-3).unwrap(), three.step_sharded(&fill, 1e-3).unwrap());
        assert!((a.total - b.total).abs() < 1e-4 && (a.kl - b.kl).abs() < 1e-4, "{a:?} is not {b:?}");
        assert!((a.grad_norm - b.grad_norm).abs() < 1e-4, "{a:?} is not {b:?}");
    }
    let apart = one.weights().unwrap().to_flat().into_iter().zip(three.weights().unwrap().to_flat());
    let apart: f32 = apart.map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt();
    assert!(apart < 1e-2, "weights are {apart} apart");
}

#[test]
fn coarse_numbers_give_nearly_the_same_gradient() {
    for kind in [NetKind::Mlp, NetKind::Resnet] {
        let (batch, spec) = (batch(32, 2), spec(kind, 32, 1));
        let gradient = |precision: Precision| {
            let config = LearnerConfig { precision, ..exact() };
            let learner = Learner::new(&spec, &config, Device::Cpu, 1, &Weights::init(&spec, 4)).unwrap();
            learner.gradient_of(&batch).unwrap()
        };
        let (fine, coarse) = (gradient(Precision::F32), gradient(Precision::Bf16));
        let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
        let cosine = product(&fine, &coarse) / (product(&fine, &fine) * product(&coarse, &coarse)).sqrt();
        assert!(cosine > 0.99 && fine != coarse, "{kind:?}: {cosine}");
    }
}

#[test]
fn illegal_hops_cost_nothing_and_get_nothing() {
    let (batch, spec) = (batch(8, 3), spec(NetKind::Mlp, 16, 1));
    let mut loud = Weights::init(&spec, 1).to_flat();
    let bias = spec.tensors().iter().take_while(|t| t.name != "policy.bias").map(|t| t.len()).sum::<usize>();
    let config = exact();
    let card = Weights::init(&spec, 1).card;
    let loss = |flat: &[f32]| {
        let weights = Weights::from_flat(&spec, card.clone(), flat);
        Learner::new(&spec, &config, Device::Cpu, 1, &weights).unwrap().evaluate(&batch).unwrap()
    };
    let quiet = loss(&loud);
    let never_legal = (0..ACTIONS).filter(|&a| !batch.legal.iter().skip(a).step_by(ACTIONS).any(|&legal| legal));
    let mut changed = 0;
    for action in never_legal {
        loud[bias + action] += 50.0;
        changed += 1;
    }
    assert!(changed > 100);
    assert_eq!(loss(&loud), quiet);
}

#[test]
fn a_stored_state_goes_on_along_the_same_curve() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.safetensors");
    let spec = spec(NetKind::Mlp, 32, 1);
    let config = LearnerConfig { average: 0.9, ..exact() };
    let batches: Vec<Batch> = (0..4).map(|seed| batch(32, seed)).collect();
    let walk = |learner: &mut Learner, steps: std::ops::Range<usize>| -> Vec<Losses> {
        steps.map(|i| learner.step(&batches[i % 4], 2e-3).unwrap()).collect()
    };
    let mut whole = learner(&spec, &config);
    walk(&mut whole, 0..10);
    whole.save_state(&path).unwrap();
    let expected = walk(&mut whole, 10..20);
    let mut resumed = Learner::new(&spec, &config, Device::Cpu, 1, &Weights::init(&spec, 99)).unwrap();
    resumed.load_state(&path).unwrap();
    assert_eq!(resumed.steps(), 10);
    assert_eq!(walk(&mut resumed, 10..20), expected);
    assert_eq!(resumed.weights().unwrap(), whole.weights().unwrap());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file stays");
}

#[test]
fn a_state_that_is_damaged_or_of_another_net_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.safetensors");
    let (small, large) = (spec(NetKind::Mlp, 8, 1), spec(NetKind::Mlp, 16, 1));
    let mut one = learner(&small, &exact());
    let before = one.weights().unwrap();
    let message = one.load_state(&path).unwrap_err().to_string();
    assert!(message.contains("state.safetensors: No such file"), "{message}");
    learner(&large, &exact()).save_state(&path).unwrap();
    let message = one.load_state(&path).unwrap_err().to_string();
    assert!(message.contains("state of a mlp 16 x 1") && message.contains("expected that of a mlp 8 x 1"), "{message}");
    one.save_state(&path).unwrap();
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
    let message = one.load_state(&path).unwrap_err().to_string();
    assert!(message.contains("state.safetensors: no safetensors file, or one cut short"), "{message}");
    before.write(&path).unwrap();
    let message = one.load_state(&path).unwrap_err().to_string();
    assert!(message.contains("no state in the metadata"), "{message}");
    assert_eq!(one.weights().unwrap(), before);
}

#[test]
fn the_running_mean_follows_the_weights() {
    let (batch, spec) = (batch(32, 5), spec(NetKind::Mlp, 16, 1));
    let distance = |a: &Weights, b: &Weights| -> f64 {
        a.to_flat().iter().zip(b.to_flat()).map(|(a, b)| f64::from((a - b).powi(2))).sum::<f64>().sqrt()
    };
    let start = Weights::init(&spec, 1);
    let mut plain = learner(&spec, &exact());
    let mut averaged = learner(&spec, &LearnerConfig { average: 0.5, ..exact() });
    // The first step's memory is 2/11: the mean takes 9/11 of the way.
    plain.step(&batch, 1e-2).unwrap();
    averaged.step(&batch, 1e-2).unwrap();
    let way = distance(&start, &plain.weights().unwrap());
    assert!((distance(&start, &averaged.weights().unwrap()) / way - 9.0 / 11.0).abs() < 1e-4);
}

#[test]
fn a_loss_that_is_not_finite_is_an_error_that_changes_nothing() {
    let spec = spec(NetKind::Mlp, 8, 1);
    let mut learner = learner(&spec, &exact());
    let before = learner.weights().unwrap();
    let mut bad = batch(4, 6);
    bad.wdl[0] = f32::NAN;
    let error = learner.step(&bad, 1e-3).unwrap_err();
    assert!(matches!(&error, Error::Network(text) if text.contains("NaN") && text.contains("step 0")), "{error}");
    assert_eq!((learner.steps(), learner.weights().unwrap()), (0, before));
}

#[test]
fn weights_of_another_shape_and_a_device_that_is_not_there_are_refused() {
    let (small, large) = (spec(NetKind::Mlp, 8, 1), spec(NetKind::Mlp, 16, 1));
    let config = exact();
    let message = Learner::new(&small, &config, Device::Cpu, 1, &Weights::init(&large, 1)).unwrap_err().to_string();
    assert!(message.contains("mlp 16 x 1") && message.contains("expected a mlp 8 x 1"), "{message}");
    let message =
        Learner::new(&small, &config, Device::Cuda(77), 1, &Weights::init(&small, 1)).unwrap_err().to_string();
    assert!(message.contains("device \"cuda:77\": expected cpu"), "{message}");
}

#[test]
fn the_step_size_rises_then_falls_along_a_half_cosine() {
    let config = LearnerConfig { learning_rate: 1e-2, final_learning_rate: 1e-3, warmup_steps: 10, ..exact() };
    assert!((learning_rate(&config, 0, 0.0) - 1e-3).abs() < 1e-12);
    assert!((learning_rate(&config, 9, 0.0) - 1e-2).abs() < 1e-12);
    assert!((learning_rate(&config, 100, 0.5) - 5.5e-3).abs() < 1e-12);
    assert!((learning_rate(&config, 100, 1.0) - 1e-3).abs() < 1e-12);
    assert_eq!(learning_rate(&config, 100, 2.0), learning_rate(&config, 100, 1.0));
    let none = LearnerConfig { warmup_steps: 0, ..config };
    assert_eq!(learning_rate(&none, 0, 0.0), 1e-2);
}
