//! A slow solver of endgames, written apart from the crate: it draws the whole graph of positions with the slow generator
//! and goes over all of it again and again, a turn further each time.

use std::collections::HashMap;

use crate::mailbox::Mailbox;
use crate::slow::Slow;

pub type Board = Mailbox<8>;

/// Every position that can come from some first ones, all with White to move: where Black would, the board is turned.
pub struct Graph {
    pub positions: Vec<Board>,
    numbers: HashMap<u128, u32>,
    /// The numbers of the positions after each one's turns.
    after: Vec<Vec<u32>>,
}

/// How a position ends for its side to move: a win is 1, a loss −1, with the turns it takes.
pub type Verdict = (i8, u16);

impl Graph {
    /// From every way to put these letters on the board.
    pub fn new(endings: &[&str]) -> Self {
        let mut graph = Self { positions: Vec::new(), numbers: HashMap::new(), after: Vec::new() };
        for letters in endings {
            let empty = Board { cells: [['.'; 8]; 8], white_moves: true, chain: None };
            graph.place(&empty, letters, 0);
        }
        let mut at = 0;
        while at < graph.positions.len() {
            let lines = graph.positions[at].lines();
            let mut after: Vec<u32> =
                lines.iter().map(|line| graph.number(turned(line.stops.last().unwrap()))).collect();
            after.sort_unstable();
            after.dedup();
            graph.after.push(after);
            at += 1;
        }
        graph
    }

    /// Puts the letters on the squares from one on; equal letters in the order of the squares.
    fn place(&mut self, board: &Board, letters: &str, first: usize) {
        let Some(letter) = letters.chars().next() else {
            self.number(board.clone());
            return;
        };
        for square in first..32 {
            let (rank, file) = (square / 4, 2 * (square % 4) + square / 4 % 2);
            let own_last_rank = (letter == 'w' && rank == 7) || (letter == 'b' && rank == 0);
            if board.cells[rank][file] != '.' || own_last_rank {
                continue;
            }
            let mut board = board.clone();
            board.cells[rank][file] = letter;
            let next = if letters[1..].starts_with(letter) { square + 1 } else { 0 };
            self.place(&board, &letters[1..], next);
        }
    }

    fn number(&mut self, board: Board) -> u32 {
        let key = key(&board);
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        let number = self.positions.len() as u32;
        self.numbers.insert(key, number);
        self.positions.push(board);
        number
    }

    /// The verdict on every position; none where nobody can win.
    pub fn solve(&self, stuck_wins: bool) -> Vec<Option<Verdict>> {
        let mut known: Vec<Option<Verdict>> = vec![None; self.positions.len()];
        for turns in 0.. {
            let mut found = Vec::new();
            for (i, after) in self.after.iter().enumerate() {
                if known[i].is_some() {
                    continue;
                }
                let value = if turns == 0 {
                    let stuck = if stuck_wins { 1 } else { -1 };
                    if after.is_empty() { stuck } else { 0 }
                } else if after.iter().any(|&n| known[n as usize].is_some_and(|(value, _)| value == -1)) {
                    1
                } else if after.iter().all(|&n| known[n as usize].is_some_and(|(value, _)| value == 1)) {
                    -1
                } else {
                    0
                };
                if value != 0 {
                    found.push((i, (value, turns)));
                }
            }
            if found.is_empty() {
                break;
            }
            found.into_iter().for_each(|(i, verdict)| known[i] = Some(verdict));
        }
        known
    }
}

/// The board turned round, with White to move where Black would.
fn turned(board: &Board) -> Board {
    let mut after = Board { cells: [['.'; 8]; 8], white_moves: !board.white_moves, chain: None };
    for rank in 0..8 {
        for file in 0..8 {
            after.cells[7 - rank][7 - file] = match board.cells[rank][file] {
                'w' => 'b',
                'b' => 'w',
                'W' => 'B',
                'B' => 'W',
                letter => letter,
            };
        }
    }
    after
}

fn key(board: &Board) -> u128 {
    assert!(board.white_moves && board.chain.is_none());
    let dark = (0..32).map(|square| board.cells[square / 4][2 * (square % 4) + square / 4 % 2]);
    dark.fold(0, |key, letter| key << 3 | ".wbWB".find(letter).unwrap() as u128)
}
