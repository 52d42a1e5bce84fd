//! Composes draughts problems: positions of played games and of endgame tables in which one turn alone wins, and no
//! shallow search finds it.
//!
//! `cargo run --release --example problems -- 30 tables > tests/data/problems.json` writes so many from games and half as
//! many from the tables in that folder (`shashki endgame build --pieces 5 --dir tables`), always the same.

use std::error::Error;
use std::io::Write;
use std::path::Path;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};
use shashki::endgame::Tables;
use shashki::evaluator::{Proven, Truth, certain};
use shashki::games::{Game, Position, Preset, Russian, turn};
use shashki::player::{Analysis, Player};
use shashki::search::alphabeta::{AlphaBeta, Limits, Options};

/// Nodes of the last word on a position: half for the best turn, half for the others.
const DEEP: u64 = 8_000_000;
/// The best turn's value at least: more than a man.
const WON: f32 = 0.5;
/// Every other turn's value at most: two fifths of a man.
const NOT_WON: f32 = 0.2;

fn engine(limits: Limits) -> AlphaBeta<Russian> {
    AlphaBeta::new(Options { limits, ..Options::default() })
}

fn to_depth(depth: u32) -> AlphaBeta<Russian> {
    engine(Limits { depth: Some(depth), ..Limits::default() })
}

/// Whether one turn of several wins and no other.
fn is_single(analysis: &Analysis) -> bool {
    analysis.lines.len() > 3 && analysis.value >= WON && analysis.lines[1].value <= NOT_WON
}

/// Positions of five pieces that one turn alone wins, in nine turns of both sides or more, as the tables know.
fn of_tables(
    wanted: usize,
    tables: &Tables<Russian>,
    rng: &mut Xoshiro256PlusPlus,
) -> Result<Vec<Value>, Box<dyn Error>> {
    let dark = |n: &u8| (n % 8 + n / 8).is_multiple_of(2);
    let squares: Vec<_> = (0..64).filter(dark).map(|n| format!("{}{}", (b'a' + n % 8) as char, n / 8 + 1)).collect();
    let mut shallow = to_depth(3);
    let mut problems = Vec::new();
    while problems.len() < wanted {
        let pieces: Vec<_> =
            squares.sample(rng, 5).map(|at| format!("{}{at}", ["", "K"][rng.random_range(0..2)])).collect();
        let fen = format!("W:W{}:B{}", pieces[..3].join(","), pieces[3..].join(","));
        let Ok(position) = Russian::read_fen(&fen) else { continue };
        let game = Game::from_position(position, Preset::Official)?;
        let proven = certain(tables, &game);
        tables.check()?;
        let Some(Proven { value: 1, turns: 9.. }) = proven else { continue };
        let turns = turn::list_with_positions(&position);
        let wins = |after: &Russian| tables.probe(after).is_none_or(|proven| proven.value == -1);
        let mut winning = turns.iter().filter(|(_, after)| wins(after));
        let (Some((best, _)), None) = (winning.next(), winning.next()) else { continue };
        if turns.len() > 3 && !position.must_capture() && shallow.choose(&game)? != *best {
            problems
                .push(json!({ "fen": position.write_fen(), "turn": best.to_string(), "wins": "the game, by tables" }));
        }
    }
    Ok(problems)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let wanted: usize = arguments.next().ok_or("expected how many problems to compose")?.parse()?;
    let tables = Tables::open(Path::new(&arguments.next().ok_or("expected a folder of endgame tables")?))?;
    if tables.most_pieces() < 5 {
        return Err(format!("expected tables of five pieces, these are of {}", tables.most_pieces()).into());
    }
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let (mut shallow, mut middle) = (to_depth(3), to_depth(8));
    let mut deep = engine(Limits { nodes: Some(DEEP), ..Limits::default() });
    let mut problems = Vec::new();
    while problems.len() < wanted {
        let mut game = Game::<Russian>::new(Preset::Official)?;
        Player::<Russian>::seed(&mut shallow, rng.random());
        while game.outcome().is_none() && game.turns_played() < 70 {
            let turns = game.turns();
            let played = game.turns_played();
            if played >= 8 && turns.len() > 3 {
                let seen = shallow.analyse(&game)?;
                let looked = if seen.value <= NOT_WON { Some(middle.analyse(&game)?) } else { None };
                if looked.is_some_and(|analysis| is_single(&analysis)) {
                    let analysis = deep.analyse(&game)?;
                    let best = &analysis.lines[0];
                    if is_single(&analysis) && best.turn != seen.lines[0].turn {
                        problems.push(json!({
                            "fen": game.position().write_fen(),
                            "turn": best.turn.to_string(),
                            "wins": if analysis.value == 1.0 { "the game" } else { "material" },
                        }));
                        writeln!(std::io::stderr(), "{} of {wanted}", problems.len())?;
                        break;
                    }
                }
            }
            // Weak play makes chances: every fourth turn is a random one.
            let turn = if played < 8 || rng.random_bool(0.25) {
                turns[rng.random_range(0..turns.len())].clone()
            } else {
                shallow.choose(&game)?
            };
            game.play(&turn)?;
        }
    }
    problems.extend(of_tables(wanted / 2, &tables, &mut rng)?);
    let made = format!(
        "examples/problems.rs: positions of games of a search to depth 3 and of chance, in which after {DEEP} nodes one turn \
         alone is worth {WON} or more and no other more than {NOT_WON}, and a search to depth 3 does not see it; and positions \
         of five pieces in which tables know one turn alone to win, in nine turns or more, and a search to depth 3 plays another"
    );
    let text = serde_json::to_string_pretty(&json!({ "made": made, "problems": problems }))?;
    writeln!(std::io::stdout(), "{text}")?;
    Ok(())
}
