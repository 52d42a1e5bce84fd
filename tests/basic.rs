//! The basic engine is frozen: it answers as the first version did, node for node.
#![allow(clippy::unwrap_used)]

use shashki::games::{Bashni, Game, Poddavki, Preset, Russian, Spantsireti, Vigman};
use shashki::player::Player;
use shashki::search::basic::Basic;
use shashki::search::heuristic::Heuristic;
use shashki::search::limits::Limits;

/// The turn chosen in a position, the nodes that took, and the value of the best turn in hundredths.
fn answer<P: Heuristic>(fen: Option<&str>, depth: u32) -> (String, u64, i32) {
    let position = fen.map_or_else(P::start, |fen| P::read_fen(fen).unwrap());
    let game = Game::from_position(position, Preset::Official).unwrap();
    let mut engine = Basic::<P>::new(Limits { depth: Some(depth), ..Limits::default() }, 16);
    let turn = engine.choose(&game).unwrap().to_string();
    let nodes = engine.nodes();
    (turn, nodes, (100.0 * engine.analyse(&game).unwrap().value).round() as i32)
}

#[test]
fn the_first_version_answers_as_it_always_did() {
    // What the program of the first version said, before there was a second engine.
    let middle = "W:Wc1,e1,d2,h2,c3,e3,d4,h4:Bf6,h6,c7,e7,g7,b8,d8,a5";
    let kings = "W:WKa1,Kg3,Kh2,e3:BKb8,Kf8,c7";
    let answers = [
        answer::<Russian>(None, 9),
        answer::<Russian>(Some(middle), 10),
        answer::<Russian>(Some(kings), 7),
        answer::<Poddavki>(None, 8),
        answer::<Spantsireti>(None, 7),
        answer::<Bashni>(None, 7),
        answer::<Vigman>(None, 2),
    ];
    let expected = [
        ("c3-b4", 34_878, 0),
        ("h2-g3", 92_965, 6),
        ("e3-f4", 16_261, 97),
        ("c3-b4", 5_369, 0),
        ("g3-f4", 14_699, 2),
        ("c3-b4", 7_740, 10),
        ("a3-b4/h3-g4", 942, -13),
    ];
    assert_eq!(answers, expected.map(|(turn, nodes, value)| (turn.to_owned(), nodes, value)));
}
