//! Positions a second of the CPU forward pass, by batch size.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use shashki::board::Hops;
use shashki::config::NetConfig;
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

fn evaluate(c: &mut Criterion) {
    let weights = Weights::init(&NetSpec::new(&Russian::SPEC, &NetConfig::default()), 1);
    let mut net = CpuNet::<Russian>::new(&weights).expect("an mlp runs on the CPU");
    let all = leaves(4096);
    let mut out = Evaluations::default();
    let mut group = c.benchmark_group("mlp 256 x 2");
    for batch in [1, 2, 3, 4, 8, 16, 64, 128, 256] {
        group.throughput(Throughput::Elements(batch as u64));
        let mut batches = all.chunks_exact(batch).cycle();
        group.bench_function(BenchmarkId::from_parameter(batch), |b| {
            b.iter(|| net.evaluate(batches.next().expect("a cycle has no end"), black_box(&mut out)));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_secs(1));
    targets = evaluate
}
criterion_main!(benches);
