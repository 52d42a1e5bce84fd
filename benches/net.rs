//! Positions a second of the CPU forward pass, by batch size.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use shashki::board::Hops;
use shashki::config::{NetConfig, NetKind};
use shashki::evaluator::{Evaluations, Evaluator};
use shashki::games::game::Leaf;
use shashki::games::{Game, Position, Preset, Russian};
use shashki::net::{CpuNet, NetSpec, Weights};

/// Positions of random games.
fn leaves(n: usize) -> Vec<Leaf<Russian>> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut hops = Hops::new();
    let mut leaves = Vec::new();
    while leaves.len() < n {
        let mut game = Game::<Russian>::new(Preset::Official).expect("russian has official rules");
        while game.outcome().is_none() {
            if rng.random_bool(0.2) {
                leaves.push(game.leaf());
            }
            game.hops(&mut hops);
            game.play_unchecked(hops[rng.random_range(0..hops.len())]);
        }
    }
    leaves.truncate(n);
    leaves
}

fn net(kind: NetKind, width: usize, blocks: usize) -> CpuNet<Russian> {
    let spec = NetSpec::new(&Russian::SPEC, &NetConfig { kind, width, blocks });
    CpuNet::new(&Weights::init(&spec, 1)).expect("a net for russian")
}

fn evaluate(c: &mut Criterion) {
    let all = leaves(4096);
    let mut out = Evaluations::default();
    for (name, mut net, sizes) in [
        ("mlp 256 x 2", net(NetKind::Mlp, 256, 2), &[1, 2, 3, 4, 8, 16, 64, 128, 256][..]),
        ("resnet 64 x 5", net(NetKind::Resnet, 64, 5), &[1, 2, 16, 64]),
    ] {
        let mut group = c.benchmark_group(name);
        for &batch in sizes {
            group.throughput(Throughput::Elements(batch as u64));
            let mut batches = all.chunks_exact(batch).cycle();
            group.bench_function(BenchmarkId::from_parameter(batch), |b| {
                b.iter(|| net.evaluate(batches.next().expect("a cycle has no end"), black_box(&mut out)));
            });
        }
        group.finish();
    }
}

/// One step of the learner on batches of 512, by the number of its threads.
#[cfg(feature = "torch")]
fn learn(c: &mut Criterion) {
    use shashki::config::LearnerConfig;
    use shashki::device::Device;
    use shashki::train::learner::Learner;
    use shashki::train::replay::Batch;

    let (config, actions) = (LearnerConfig::default(), Russian::SPEC.actions);
    let all = leaves(config.batch_size);
    let fill = |_shard: usize, n: usize, batch: &mut Batch| {
        *batch = Batch { legal: vec![false; n * actions], policy: vec![0.0; n * actions], ..Batch::default() };
        let mut hops = Hops::new();
        for (i, leaf) in all[..n].iter().enumerate() {
            leaf.position.encode(leaf.clock, &mut batch.features);
            leaf.position.hops(&mut hops);
            for &hop in &hops {
                let slot = i * actions + leaf.position.index(hop);
                (batch.legal[slot], batch.policy[slot]) = (true, 1.0 / hops.len() as f32);
            }
            batch.wdl.extend([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]][i % 3]);
        }
    };
    let spec = NetSpec::new(&Russian::SPEC, &NetConfig::default());
    let weights = Weights::init(&spec, 1);
    let mut group = c.benchmark_group("learner mlp 256 x 2");
    group.throughput(Throughput::Elements(config.batch_size as u64));
    for threads in [1, 2] {
        let mut learner = Learner::new(&spec, &config, Device::Cpu, threads, &weights).expect("the CPU is there");
        group.bench_function(BenchmarkId::new("threads", threads), |b| {
            b.iter(|| learner.step_sharded(&fill, 1e-3).expect("a finite loss"));
        });
    }
    group.finish();
}

#[cfg(not(feature = "torch"))]
fn learn(_: &mut Criterion) {}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_secs(1));
    targets = evaluate, learn
}
criterion_main!(benches);
