//! Random plies a second through the vectorized environment, on one core.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use shashki::env::{Buffers, EnvOptions, VecEnv};
use shashki::games::{Position, Russian};

const GAMES: usize = 1024;

fn step(c: &mut Criterion) {
    let mut env = VecEnv::<Russian>::new(EnvOptions { games: GAMES, ..EnvOptions::default() }, None)
        .expect("the options are in range");
    let mut batch = Buffers::new(&Russian::SPEC, GAMES);
    let mut actions = vec![0; GAMES];
    env.reset(None, batch.borrow()).expect("the buffers fit");
    let mut group = c.benchmark_group("env");
    group.throughput(Throughput::Elements(GAMES as u64));
    group.bench_function("step", |b| {
        b.iter(|| {
            env.random_actions(&mut actions).expect("the environment is reset");
            env.step(&actions, batch.borrow()).expect("the actions are legal");
        });
    });
    group.finish();
}

criterion_group!(benches, step);
criterion_main!(benches);
