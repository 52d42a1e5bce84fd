//! The speed of the tree search itself: self-play with an evaluator that costs next to nothing.

#![allow(missing_docs)]

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use shashki::config::Config;
use shashki::evaluator::{Evaluations, Evaluator, Uniform};
use shashki::games::{Game, Preset, Russian};
use shashki::search::mcts::{Gather, Settings};
use shashki::search::tree::Tree;
use shashki::train::selfplay::Worker;

/// One tree of 32 visits from the start position, one leaf at a time.
fn one_tree(c: &mut Criterion) {
    let game = Game::<Russian>::new(Preset::Official).expect("the variant has official rules");
    let (mut tree, mut rng) = (Tree::new(&game), Xoshiro256PlusPlus::seed_from_u64(1));
    let (mut evaluator, mut answers) = (Uniform::default(), Evaluations::default());
    let mut group = c.benchmark_group("mcts");
    group.throughput(Throughput::Elements(32));
    group.bench_function("one tree, 32 visits", |b| {
        b.iter(|| {
            tree.reset(&game);
            while tree.visits() < 32 {
                if let Gather::Leaf(leaf, ticket) = tree.gather(&Settings::default(), &mut rng) {
                    evaluator.evaluate(&[leaf], &mut answers).expect("it cannot fail");
                    tree.apply(ticket, answers.wdl[0], answers.priors_of(0));
                }
            }
            black_box(tree.wdl())
        });
    });
    group.finish();
}

/// A round of self-play: 128 games, 32 visits a hop; counted in samples, about 31 evaluations each.
fn self_play(c: &mut Criterion) {
    let config = Config::parse("", &["selfplay.samples_per_round=2000".to_owned()]).expect("a legal value");
    let mut worker = Worker::<Russian>::new(&config, 1, 0).expect("the variant has official rules");
    let mut group = c.benchmark_group("mcts");
    group.sample_size(10).throughput(Throughput::Elements(2000));
    group.bench_function("self-play samples", |b| {
        b.iter(|| worker.generate(&mut Uniform::default(), &AtomicBool::new(false), &AtomicU64::new(0)));
    });
    group.finish();
}

criterion_group!(benches, one_tree, self_play);
criterion_main!(benches);
