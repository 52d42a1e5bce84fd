//! How many nodes a second the classic engine searches, from fixed positions to a fixed depth.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use shashki::games::{Game, Position, Preset, Russian};
use shashki::player::Player;
use shashki::search::alphabeta::{AlphaBeta, Limits, Options};

const POSITIONS: [(&str, &str, u32); 3] = [
    ("opening", "W:Wa1,c1,e1,g1,b2,d2,f2,h2,a3,c3,e3,g3:Bb6,d6,f6,h6,a7,c7,e7,g7,b8,d8,f8,h8", 8),
    ("middle game", "W:Wc1,e1,d2,h2,c3,e3,d4,h4:Bf6,h6,c7,e7,g7,b8,d8,a5", 10),
    ("kings", "W:WKa1,Kg3,Kh2,e3:BKb8,Kf8,c7", 6),
];

fn search(c: &mut Criterion) {
    let mut group = c.benchmark_group("alphabeta");
    group.sample_size(10);
    for (name, fen, depth) in POSITIONS {
        let position = Russian::read_fen(fen).expect("the positions can be read");
        let game = Game::from_position(position, Preset::Official).expect("Russian draughts has these rules");
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let mut engine = AlphaBeta::new(Options { limits, ..Options::default() });
        engine.choose(&game).expect("the game is not over");
        group.throughput(Throughput::Elements(engine.nodes()));
        group.bench_function(format!("{name}, depth {depth}"), |b| b.iter(|| engine.choose(&game)));
    }
    group.finish();
}

criterion_group!(benches, search);
criterion_main!(benches);
