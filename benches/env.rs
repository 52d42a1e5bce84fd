//! Random hops a second through the vectorized environment: by kind of observation, number of games and of threads.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use shashki::env::{BatchMut, Buffers, EnvOptions, PlanesMut, VecEnv};
use shashki::games::{Position, Russian};

/// The kinds of observation.
const KINDS: [&str; 3] = ["float32", "uint8", "none"];

fn step(c: &mut Criterion) {
    let mut group = c.benchmark_group("env");
    for (games, threads, kinds) in [(1, 1, &KINDS[..]), (1024, 1, &KINDS[..]), (1024, 2, &KINDS[..1])] {
        let mut env = VecEnv::<Russian>::new(EnvOptions { games, threads, ..EnvOptions::default() }, None)
            .expect("the options are in range");
        let mut batch = Buffers::new(&Russian::SPEC, games);
        let (mut bytes, mut last) = (vec![0; batch.observation.len()], vec![0; batch.observation.len()]);
        let mut actions = vec![0; games];
        env.reset(None, batch.borrow()).expect("the buffers fit");
        group.throughput(Throughput::Elements(games as u64));
        for &kind in kinds {
            let id = BenchmarkId::new(kind, format!("{games} games, {} threads", env.threads()));
            group.bench_function(id, |b| {
                b.iter(|| {
                    env.random_actions(&mut actions).expect("the environment is reset");
                    let lent = batch.borrow();
                    let lent = match kind {
                        "float32" => lent,
                        "uint8" => {
                            let (observation, final_observation) = (&mut bytes[..], &mut last[..]);
                            BatchMut {
                                observation: PlanesMut::U8(observation),
                                final_observation: PlanesMut::U8(final_observation),
                                ..lent
                            }
                        }
                        _ => BatchMut { observation: PlanesMut::Off, final_observation: PlanesMut::Off, ..lent },
                    };
                    env.step(&actions, lent).expect("the actions are legal");
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, step);
criterion_main!(benches);
