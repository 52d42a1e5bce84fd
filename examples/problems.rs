//! Composes draughts problems: positions of played games in which one turn alone wins, and no shallow search sees it.
//!
//! `cargo run --release --example problems -- 30 > tests/data/problems.json` writes so many, always the same.

use std::error::Error;
use std::io::Write;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::json;
use shashki::games::{Game, Position, Preset, Russian};
use shashki::player::{Analysis, Player};
use shashki::search::alphabeta::{AlphaBeta, Limits, Options};

/// Nodes of the last word on a position: half for the best turn, half for the others.
const DEEP: u64 = 4_000_000;
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

fn main() -> Result<(), Box<dyn Error>> {
    let wanted: usize = std::env::args().nth(1).ok_or("expected how many problems to compose")?.parse()?;
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
    let made = format!(
        "examples/problems.rs: positions of games of a search to depth 3 and of chance, in which after {DEEP} nodes one turn \
         alone is worth {WON} or more and no other more than {NOT_WON}, and a search to depth 3 does not see it"
    );
    let text = serde_json::to_string_pretty(&json!({ "made": made, "problems": problems }))?;
    writeln!(std::io::stdout(), "{text}")?;
    Ok(())
}
