//! Games of every variant end exactly when a slow judge, who looks through all their positions, says so, and for the
//! reason that he gives: 5,000 games for each preset with the environment variable `SHASHKI_FULL`.

#![allow(clippy::unwrap_used)]

mod common;
#[path = "reference/random.rs"]
mod random;
#[path = "reference/referee.rs"]
mod referee;

use std::collections::{HashMap, HashSet};

use common::full;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use random::Field;
use referee::{Referee, Rules};
use shashki::board::{Hop, Hops, Side};
use shashki::games::{Bashni, BashniIm, Game, Poddavki, Position, Preset, Russian, Spantsireti, Vigman, VigmanFree};

/// The text of one board: the pieces on its squares, and who moves there next.
fn board_text<P: Position>(position: &P, board: usize, mover: char) -> String {
    let fen = position.write_fen();
    if P::SPEC.boards == 1 {
        return fen;
    }
    let lists: Vec<String> = fen
        .split(':')
        .skip(1)
        .take(2)
        .map(|section| {
            let on_board = |item: &&str| {
                let square = item.trim_start_matches('K').as_bytes();
                square.len() == 2 && usize::from((square[0] - b'a') + (square[1] - b'1')) % 2 == board
            };
            section[1..].split(',').filter(on_board).collect::<Vec<_>>().join(",")
        })
        .collect();
    format!("{mover}:W{}:B{}", lists[0], lists[1])
}

fn initial(side: Side) -> char {
    if side == Side::White { 'W' } else { 'B' }
}

/// How a game is played that is to be long.
struct Style {
    /// Whether positions are sought that have been there, rather than avoided.
    returns: bool,
    /// The plies of kings after which a man is to move.
    patience: u16,
    /// The positions of each board that have been there.
    seen: HashSet<String>,
}

/// Chooses a hop that makes long games: no captures, men's moves few.
fn drawish<P: Position>(game: &Game<P>, style: &Style, rng: &mut Xoshiro256PlusPlus) -> Hop {
    let Style { returns, patience, ref seen } = *style;
    let mut hops = Hops::new();
    game.hops(&mut hops);
    let rarely = rng.random_bool(0.01);
    let worth = |hop: Hop| {
        let mut after = *game.position();
        let step = after.play_unchecked(hop);
        let board = P::board_of(hop.from);
        let mover = if P::SPEC.boards > 1 { initial(!game.side()) } else { initial(after.side()) };
        let text = board_text(&after, board, mover);
        let men_move = rarely || game.counters(board).kings_only >= patience;
        let threatened = step.move_over && P::read_fen(&text).unwrap().must_capture();
        let calm = step.captured.is_none() && !threatened && (returns || !seen.contains(&text));
        4 * u32::from(calm) + 2 * u32::from(step.by_king != men_move) + u32::from(returns && seen.contains(&text))
    };
    let worths: Vec<u32> = hops.iter().map(|&hop| worth(hop)).collect();
    let best = worths.iter().max().unwrap();
    let good: Vec<_> = (0..hops.len()).filter(|&i| worths[i] == *best || rng.random_bool(0.01)).collect();
    hops[good[rng.random_range(0..good.len())]]
}

/// A game beside its judges, one for each board.
struct Trial<P> {
    game: Game<P>,
    judges: Vec<Referee>,
    /// How the game on each board ended: by winner, by the name of the draw.
    results: Vec<Option<Result<char, &'static str>>>,
}

impl<P: Position> Trial<P> {
    fn new(position: P, preset: Preset) -> Self {
        let mover = initial(position.side());
        let rules = |board| Rules::of(P::SPEC.variant, preset, board == 1).unwrap();
        let judge = |board| Referee::new(rules(board), &board_text(&position, board, mover));
        let judges = (0..P::SPEC.boards).map(judge).collect();
        let game = Game::from_position(position, preset).unwrap();
        let mut trial = Self { game, judges, results: vec![None; P::SPEC.boards] };
        for board in 0..P::SPEC.boards {
            trial.settle(board, &board_text(&position, board, mover), None);
        }
        trial
    }

    /// A side without a move has lost, before any draw is looked at.
    fn settle(&mut self, board: usize, text: &str, draw: Option<&'static str>) {
        let position = P::read_fen(text).unwrap();
        if position.can_move() {
            self.results[board] = draw.map(Err);
        } else {
            self.results[board] = Some(Ok(initial(!position.side())));
        }
    }

    /// Plays one move to its end and shows it to its judge.
    fn play(&mut self, style: &Style, rng: &mut Xoshiro256PlusPlus) -> (usize, String) {
        let mover = self.game.side();
        let mut played = String::new();
        loop {
            let hop = drawish(&self.game, style, rng);
            let step = self.game.play_hop(hop).unwrap();
            let mark = if step.captured.is_some() { ':' } else { '-' };
            played += &format!("{}{mark}", hop.from);
            if step.move_over {
                let board = P::board_of(hop.from);
                let next = if P::SPEC.boards > 1 { !mover } else { self.game.side() };
                let text = board_text(self.game.position(), board, initial(next));
                self.judges[board].see(&played, &text);
                let draw = self.judges[board].draw();
                self.settle(board, &text, draw);
                return (board, text);
            }
        }
    }

    /// Compares the state of the game with what the judges said.
    fn check(&self) {
        let fen = self.game.position().write_fen();
        let outcome = self.game.outcome();
        if P::SPEC.boards == 1 {
            let expected = self.results[0].map(|result| result.err().unwrap_or("no move"));
            assert_eq!(outcome.map(|outcome| outcome.reason.name()), expected, "{fen}");
            return;
        }
        // In mid turn nobody needs to know yet.
        if self.game.position().at_turn_start() {
            let item = |(name, result): (&str, &Option<Result<char, _>>)| {
                result.map(|result| format!("{name}={}", result.map_or('d', |winner| winner.to_ascii_lowercase())))
            };
            let expected: Vec<String> = ["dark", "light"].into_iter().zip(&self.results).filter_map(item).collect();
            let found = fen.split_once(":R").map_or("", |(_, results)| results);
            assert_eq!(found, expected.join(","), "{fen}");
        }
        assert_eq!(outcome.is_some(), self.results.iter().all(Option::is_some), "{fen}");
        if let Some(outcome) = outcome {
            let won = |side| self.results.iter().filter(|result| **result == Some(Ok(initial(side)))).count();
            let winner = match won(Side::White).cmp(&won(Side::Black)) {
                std::cmp::Ordering::Less => Some(Side::Black),
                std::cmp::Ordering::Equal => None,
                std::cmp::Ordering::Greater => Some(Side::White),
            };
            assert_eq!((outcome.winner, outcome.reason.name()), (winner, "sum of both games"), "{fen}");
        }
    }
}

fn games_end_as_the_referee_says<P: Position>(field: Field, quick: usize) {
    let games = if full() { 5_000 } else { quick };
    for preset in Preset::ALL {
        let Some(rules) = Rules::of(P::SPEC.variant, preset, false) else {
            assert!(Game::<P>::new(preset).is_err(), "{} has no rules {preset}", P::SPEC.variant);
            continue;
        };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
        let mut ends: HashMap<(usize, &str), u32> = HashMap::new();
        for _ in 0..games {
            let position = P::read_fen(&random::ending(field, &mut rng)).unwrap();
            let mut trial = Trial::new(position, preset);
            trial.check();
            let patience = [22, 28, 99][rng.random_range(0..3)];
            let mut style = Style { returns: rng.random_bool(0.1), patience, seen: HashSet::new() };
            let mut moves = 0;
            while trial.game.outcome().is_none() {
                let left = trial.game.plies_to_draw();
                assert!(left.is_none_or(|plies| plies > 0) && trial.game.clock().sixteenths.iter().all(|&n| n < 16));
                let (board, text) = trial.play(&style, &mut rng);
                trial.check();
                if let Some(result) = trial.results[board] {
                    *ends.entry((board, result.err().unwrap_or("no move"))).or_default() += 1;
                    if P::SPEC.boards == 1 && result.is_err_and(|name| name != "repetition") {
                        assert_eq!((left, trial.game.clock().sixteenths[0]), (Some(1), 16), "{result:?}");
                    }
                }
                style.seen.insert(text);
                moves += 1;
                assert!(moves < 2000, "the game does not end");
            }
        }
        for board in 0..P::SPEC.boards {
            for name in rules.names() {
                // The longest count is rare: one board's tells enough.
                let boards = if name == "6-7 pieces" { 0..P::SPEC.boards } else { board..board + 1 };
                let met = boards.into_iter().any(|board| ends.contains_key(&(board, name)));
                assert!(met, "{} {preset}: none by {name} on board {board}: {ends:?}", P::SPEC.variant);
            }
        }
    }
}

#[test]
fn russian_games() {
    games_end_as_the_referee_says::<Russian>(random::PLAIN, 500);
}

#[test]
fn poddavki_games() {
    games_end_as_the_referee_says::<Poddavki>(random::PLAIN, 500);
}

#[test]
fn spantsireti_games() {
    games_end_as_the_referee_says::<Spantsireti>(random::WIDE, 500);
}

#[test]
fn bashni_games() {
    games_end_as_the_referee_says::<Bashni>(random::TOWERS, 500);
}

#[test]
fn bashni_im_games() {
    games_end_as_the_referee_says::<BashniIm>(random::TOWERS, 500);
}

#[test]
fn vigman_games() {
    games_end_as_the_referee_says::<Vigman>(random::TWO, 500);
}

#[test]
fn vigman_free_games() {
    games_end_as_the_referee_says::<VigmanFree>(random::TWO, 500);
}
