//! How fast the rules run: perft, hops of fixed positions, random games, with and without draws and encoding.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use shashki::board::Hops;
use shashki::games::{Features, Game, Position, Preset, Russian, perft};

/// Openings, captures, endings with kings: each kind of work the generator does.
const POSITIONS: [&str; 8] = [
    "W:W21-32:B1-12",
    "B:Wc5,e5,b4,a3,e3,f2,h2,g1:Bb8,h8,a7,c7,g7,h6,g5,h4",
    "W:Wa7,a5,b4,c3,f2,h2,g1:Bb8,c7,e7,g7,g5,f4,h4",
    "W:WKh4:Bb8,c7,e7,g5,b4,d4,f4,b2,d2,f2",
    "W:Wd6:Bh8,c7,Ke7,g7,b6,e5,g5,b4,d4,b2,d2",
    "W:WKb8,Ka7,Kh4,Kf2,Kc1,Kg1:BKd8,Kb6,Ka5,Kg5,Kg3,Ke1",
    "W:WKc1,Ke1,Kg1:BKh8",
    "B:Wd4,f4,a3,e3,b2,f2,h2,e1,g1:Bb8,d8,h8,g7,b6,d6,h6,a5,c5,h4",
];

fn positions() -> Vec<Russian> {
    POSITIONS.iter().map(|fen| Russian::read_fen(fen).expect("the positions are legal")).collect()
}

fn counting(c: &mut Criterion) {
    let mut group = c.benchmark_group("perft");
    group.throughput(Throughput::Elements(190_146)).sample_size(20);
    group.bench_function("russian, start, depth 7", |b| b.iter(|| perft(black_box(&Russian::start()), 7)));
    group.finish();
}

fn hops(c: &mut Criterion) {
    let positions = positions();
    let mut group = c.benchmark_group("positions");
    group.throughput(Throughput::Elements(positions.len() as u64));
    let mut hops = Hops::new();
    group.bench_function("hops", |b| {
        b.iter(|| positions.iter().map(|p| (black_box(p).hops(&mut hops), hops.len()).1).sum::<usize>());
    });
    let mut features = Features::default();
    group.bench_function("encode", |b| {
        b.iter(|| {
            features.clear();
            positions.iter().for_each(|p| black_box(p).encode(Default::default(), &mut features));
            features.ones.len()
        });
    });
    group.finish();
}

/// Plays one game at random; answers its hops.
fn random_game(game: &mut Game<Russian>, hops: &mut Hops, rng: &mut Xoshiro256PlusPlus) -> u64 {
    let mut played = 0;
    loop {
        game.hops(hops);
        if hops.is_empty() {
            return played;
        }
        game.play_unchecked(hops[rng.random_range(0..hops.len())]);
        played += 1;
    }
}

fn games(c: &mut Criterion) {
    let start = Game::<Russian>::new(Preset::Official).expect("the preset exists");
    let (mut game, mut hops) = (start.clone(), Hops::new());
    let mut group = c.benchmark_group("games");
    group.throughput(Throughput::Elements(100));
    group.bench_function("a hundred at random", |b| {
        b.iter(|| {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
            let mut played = 0;
            for _ in 0..100 {
                game.clone_from(&start);
                played += random_game(&mut game, &mut hops, &mut rng);
            }
            played
        });
    });
    group.finish();
}

criterion_group!(benches, counting, hops, games);
criterion_main!(benches);
