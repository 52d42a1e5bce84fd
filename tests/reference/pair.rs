//! Slow generators of Vigman's draughts, written from the text of the rules alone: a mailbox with pieces on the squares of
//! both colours, and above it what a turn is.

use crate::mailbox::Mailbox;
use crate::slow::{Line, Place, Slow};

const DARK: usize = 0;
const LIGHT: usize = 1;

/// The board of a square: a1 is dark.
fn colour((file, rank): Place) -> usize {
    (file + rank) % 2
}

fn section(text: &str, letter: char) -> Option<&str> {
    text.split(':').skip(1).find_map(|section| section.strip_prefix(letter))
}

/// `vigman`: a game on each colour; a turn is a move in each that goes on.
#[derive(Clone)]
pub struct Vigman {
    board: Mailbox<8>,
    /// Whether the move on the dark squares is played, and that on the light ones is to come.
    second: bool,
    /// The games that are over: won by `w` or `b`, or drawn, `d`.
    results: [Option<char>; 2],
}

impl Slow for Vigman {
    fn parse(text: &str) -> Self {
        let mut results = [None, None];
        for item in section(text, 'R').into_iter().flat_map(|list| list.split(',')) {
            let (game, result) = item.split_once('=').unwrap();
            results[usize::from(game == "light")] = result.chars().next();
        }
        let second = section(text, 'N').is_some();
        let mut this = Self { board: Mailbox::parse(text), second, results };
        if !second && this.board.chain.is_none() {
            this.settle(DARK);
            this.settle(LIGHT);
        }
        this
    }

    fn text(&self) -> String {
        let mut text = self.board.text();
        if self.second {
            text += ":N2";
        }
        let results: Vec<String> = ["dark", "light"]
            .iter()
            .zip(self.results)
            .filter_map(|(game, result)| result.map(|r| format!("{game}={r}")))
            .collect();
        if !results.is_empty() {
            text += &format!(":R{}", results.join(","));
        }
        text
    }

    fn lines(&self) -> Vec<Line<Self>> {
        // What is left of the turn: in mid capture first the rest of that.
        let both: Vec<usize> = [DARK, LIGHT].into_iter().filter(|&game| self.results[game].is_none()).collect();
        let left = match &self.board.chain {
            _ if self.second => vec![LIGHT],
            Some((at, _)) if colour(*at) == LIGHT => vec![LIGHT],
            _ => both,
        };
        match left[..] {
            [] => vec![],
            [game] => self.moves(game).into_iter().map(|line| self.ended(line)).collect(),
            _ => {
                let mut out = Vec::new();
                for dark in self.moves(DARK) {
                    let mut dark = dark.map(|board| Self { board, ..self.clone() });
                    let after = dark.stops.last_mut().unwrap();
                    after.second = true;
                    // Nothing more happens on the dark squares before the other side's turn.
                    after.board.white_moves = !self.board.white_moves;
                    after.settle(DARK);
                    after.board.white_moves = self.board.white_moves;
                    let after = after.clone();
                    let light = after.moves(LIGHT).into_iter().map(|line| after.ended(line));
                    out.extend(light.map(|light| dark.clone().then(light)));
                }
                out
            }
        }
    }

    fn winner(&self) -> char {
        let points = |side: char| -> u32 {
            self.results
                .iter()
                .map(|result| if *result == Some(side) { 2 } else { u32::from(*result == Some('d')) })
                .sum()
        };
        match points('w').cmp(&points('b')) {
            std::cmp::Ordering::Greater => 'W',
            std::cmp::Ordering::Less => 'B',
            std::cmp::Ordering::Equal => '-',
        }
    }
}

impl Vigman {
    fn moves(&self, game: usize) -> Vec<Line<Mailbox<8>>> {
        let places: Vec<Place> = self.board.own_places().into_iter().filter(|&at| colour(at) == game).collect();
        self.board.lines_from(&places)
    }

    /// A game is over in which the side to move has no move at the start of its turn.
    fn settle(&mut self, game: usize) {
        if self.results[game].is_none() && self.moves(game).is_empty() {
            self.results[game] = Some(if self.board.white_moves { 'b' } else { 'w' });
        }
    }

    /// The last move of a turn: behind it the other side's begins.
    fn ended(&self, line: Line<Mailbox<8>>) -> Line<Self> {
        let mut line = line.map(|board| Self { board, ..self.clone() });
        let last = line.stops.last_mut().unwrap();
        last.second = false;
        last.settle(DARK);
        last.settle(LIGHT);
        line
    }
}

/// `vigman-free`: two single moves a turn, each on either colour; the list of turns is that of the single moves.
#[derive(Clone)]
pub struct VigmanFree {
    board: Mailbox<8>,
    second: bool,
}

impl Slow for VigmanFree {
    fn parse(text: &str) -> Self {
        Self { board: Mailbox::parse(text), second: section(text, 'N').is_some() }
    }

    fn text(&self) -> String {
        format!("{}{}", self.board.text(), if self.second { ":N2" } else { "" })
    }

    fn lines(&self) -> Vec<Line<Self>> {
        let single = |line: Line<Mailbox<8>>| {
            let mut line = line.map(|board| Self { board, ..self.clone() });
            let last = line.stops.last_mut().unwrap();
            last.second = !self.second;
            // The first move leaves the same side to move, the second one the other.
            let same = self.board.white_moves;
            last.board.white_moves = if last.second { same } else { !same };
            line
        };
        self.board.lines().into_iter().map(single).collect()
    }

    fn winner(&self) -> char {
        self.board.winner()
    }
}
