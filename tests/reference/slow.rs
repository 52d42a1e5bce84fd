//! What the slow generators have in common: squares, ways to play a turn, and lists of turns and hops made from them.
//!
//! They share nothing with the crate: own boards, own search of whole capture paths, own crowning, own text.

use std::collections::{BTreeMap, BTreeSet};

/// A square: file and rank, both from 0.
pub type Place = (usize, usize);

pub const DIAGONALS: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

/// The wide board has no file j.
const FILES: &str = "abcdefghik";

/// The neighbour of a square on a board of so many files.
pub fn next(files: usize, (file, rank): Place, (df, dr): (i32, i32)) -> Option<Place> {
    let (file, rank) = (file as i32 + df, rank as i32 + dr);
    ((0..files as i32).contains(&file) && (0..8).contains(&rank)).then_some((file as usize, rank as usize))
}

pub fn name((file, rank): Place) -> String {
    format!("{}{}", &FILES[file..=file], rank + 1)
}

pub fn place(name: &str) -> Place {
    (FILES.find(&name[..1]).unwrap(), name[1..].parse::<usize>().unwrap() - 1)
}

pub fn names(places: &[Place]) -> Vec<String> {
    places.iter().copied().map(name).collect()
}

/// Reads `g5xf6,d4`.
pub fn chain(text: &str) -> (Place, Vec<Place>) {
    let (at, jumped) = text.split_once('x').unwrap();
    (place(at), jumped.split(',').map(place).collect())
}

/// One way to play a turn, or the rest of one, to its end.
#[derive(Clone)]
pub struct Line<S> {
    /// The squares of each move of the turn, and whether it captures.
    pub moves: Vec<(Vec<Place>, bool)>,
    /// The position after each hop; the last one is that after the turn.
    pub stops: Vec<S>,
    /// What was jumped, in order.
    pub jumped: Vec<Place>,
    /// Whether a man was crowned and went on.
    pub crowned_on_the_way: bool,
    /// Jumped towers that are the mover's own afterwards.
    pub freed: usize,
}

impl<S> Line<S> {
    /// A piece that has not gone anywhere yet.
    pub fn at(start: Place) -> Self {
        let moves = vec![(vec![start], false)];
        Self { moves, stops: Vec::new(), jumped: Vec::new(), crowned_on_the_way: false, freed: 0 }
    }

    pub fn text(&self) -> String {
        let text = |(places, capture): &(Vec<Place>, bool)| names(places).join(if *capture { ":" } else { "-" });
        self.moves.iter().map(text).collect::<Vec<_>>().join("/")
    }

    /// The same way, with other positions on it.
    pub fn map<T>(self, stop: impl FnMut(S) -> T) -> Line<T> {
        let Self { moves, stops, jumped, crowned_on_the_way, freed } = self;
        Line { moves, stops: stops.into_iter().map(stop).collect(), jumped, crowned_on_the_way, freed }
    }

    /// This move, then another one that belongs to the same turn.
    pub fn then(mut self, other: Self) -> Self {
        self.moves.extend(other.moves);
        self.stops.extend(other.stops);
        self.jumped.extend(other.jumped);
        self.crowned_on_the_way |= other.crowned_on_the_way;
        self.freed += other.freed;
        self
    }

    fn starts(&self) -> Vec<Place> {
        self.moves.iter().map(|(places, _)| places[0]).collect()
    }
}

/// A slow generator: a position of one variant, maybe in the middle of a turn.
pub trait Slow: Sized {
    /// Reads the canonical text.
    fn parse(text: &str) -> Self;

    /// Writes the canonical text.
    fn text(&self) -> String;

    /// Every way to play the turn, or in mid turn the rest of it.
    fn lines(&self) -> Vec<Line<Self>>;

    /// Who has won a game in which there is no move, by `W`, `B`, or `-` for a draw.
    fn winner(&self) -> char;
}

/// The distinct turns with the text of what they lead to: of all ways with the same starts and result the one with the
/// smallest text, sorted by text.
pub fn turns<S: Slow>(lines: &[Line<S>]) -> Vec<(String, String)> {
    let mut distinct: BTreeMap<_, String> = BTreeMap::new();
    for line in lines {
        let same = (line.starts(), line.stops.last().unwrap().text());
        let text = line.text();
        let kept = distinct.entry(same).or_insert_with(|| text.clone());
        if text < *kept {
            *kept = text;
        }
    }
    let mut turns: Vec<_> = distinct.into_iter().map(|((_, after), text)| (text, after)).collect();
    turns.sort();
    turns
}

/// Where the next single hop may lead: two names, and the text of the position after it.
pub fn hops<S: Slow>(lines: &[Line<S>]) -> BTreeSet<(String, String, String)> {
    let first = |line: &Line<S>| (name(line.moves[0].0[0]), name(line.moves[0].0[1]), line.stops[0].text());
    lines.iter().map(first).collect()
}
