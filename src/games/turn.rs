//! Turns: all the hops that one side plays before the other moves; listing, notation and perft.

use std::fmt;
use std::str::FromStr;

use crate::board::{Hop, Hops, Square, Step};
use crate::error::{Error, Result};

use super::position::Position;

/// What one piece does: the squares it visits, and whether it captures.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Move {
    squares: Vec<Square>,
    capture: bool,
}

/// The hops that one side plays together: a piece's move, or where a turn is a move on each of two boards, both. In mid
/// turn, the rest of it.
///
/// As text the moves are joined by `/`, the squares of one by `-`, or by `:` if it captures.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Turn {
    moves: Vec<Move>,
}

impl Turn {
    /// The turn of one hop from a position, and more to come.
    #[must_use]
    pub fn begin(hop: Hop, step: Step) -> Self {
        let mut turn = Self::default();
        turn.push(hop, step);
        turn
    }

    /// Adds a hop and what it did. A hop that starts where the last one landed belongs to the same move.
    pub fn push(&mut self, hop: Hop, step: Step) {
        match self.moves.last_mut() {
            Some(last) if last.squares.last() == Some(&hop.from) => last.squares.push(hop.to),
            _ => self.moves.push(Move { squares: vec![hop.from, hop.to], capture: step.captured.is_some() }),
        }
    }

    /// Adds the rest of the turn.
    pub fn append(&mut self, rest: Self) {
        let mut rest = rest.moves.into_iter();
        if let (Some(last), Some(first)) = (self.moves.last_mut(), rest.as_slice().first())
            && last.squares.last() == first.squares.first()
        {
            last.squares.extend(&first.squares[1..]);
            rest.next();
        }
        self.moves.extend(rest);
    }

    /// The hops, in order.
    pub fn hops(&self) -> impl Iterator<Item = Hop> + '_ {
        let moves = self.moves.iter();
        moves.flat_map(|played| played.squares.windows(2).map(|pair| Hop { from: pair[0], to: pair[1] }))
    }

    /// The hops of each move.
    pub fn moves(&self) -> impl Iterator<Item = Vec<Hop>> + '_ {
        let hops = |played: &Move| played.squares.windows(2).map(|pair| Hop { from: pair[0], to: pair[1] }).collect();
        self.moves.iter().map(hops)
    }

    /// Whether there is no hop.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Whether it captures.
    #[must_use]
    pub fn is_capture(&self) -> bool {
        self.moves.iter().any(|played| played.capture)
    }

    /// The square of the piece that begins.
    ///
    /// # Panics
    /// If there is no hop.
    #[must_use]
    pub fn start(&self) -> Square {
        self.moves[0].squares[0]
    }
}

impl Turn {
    fn write(&self, out: &mut dyn fmt::Write, square: impl Fn(Square) -> String) -> fmt::Result {
        for (m, played) in self.moves.iter().enumerate() {
            out.write_str(if m == 0 { "" } else { "/" })?;
            let mark = if played.capture { ":" } else { "-" };
            for (i, &at) in played.squares.iter().enumerate() {
                write!(out, "{}{}", if i == 0 { "" } else { mark }, square(at))?;
            }
        }
        Ok(())
    }

    /// The turn with the numbers of its squares, captures with `x`: `22-18`, `22x15`.
    #[must_use]
    pub fn in_numbers<P: Position>(&self) -> String {
        let number = |square| (1..=P::SPEC.squares).find(|&n| P::numbered(n) == Some(square));
        let mut text = String::new();
        let name = |square: Square| number(square).map_or_else(|| square.to_string(), |n| n.to_string());
        self.write(&mut text, name).expect("a string takes every text");
        text.replace(':', "x")
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, |square| square.to_string())
    }
}

/// Reads a turn in full notation, as it is written, without asking whether it is legal anywhere.
impl FromStr for Turn {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let bad = |reason: String| Error::Turn { text: text.to_owned(), reason };
        let read = |part: &str| -> Result<Move> {
            let capture = part.contains(':');
            let squares = part.split(if capture { ':' } else { '-' }).map(str::parse).collect::<Result<Vec<_>>>();
            let squares = squares.map_err(|error| bad(error.to_string()))?;
            if squares.len() < 2 {
                Err(bad("expected at least two squares".to_owned()))
            } else {
                Ok(Move { squares, capture })
            }
        };
        let moves = if text.is_empty() { Vec::new() } else { text.split('/').map(read).collect::<Result<_>>()? };
        Ok(Self { moves })
    }
}

/// Every path of hops to the end of the turn, with the position it leads to. Different paths may be the same turn.
#[must_use]
pub fn paths<P: Position>(position: &P) -> Vec<(Turn, P)> {
    fn walk<P: Position>(position: &P, played: &Turn, out: &mut Vec<(Turn, P)>) {
        let mut hops = Hops::new();
        position.hops(&mut hops);
        for hop in hops {
            let (mut after, mut turn) = (*position, played.clone());
            let step = after.play_unchecked(hop);
            turn.push(hop, step);
            if step.turn_over {
                out.push((turn, after));
            } else {
                walk(&after, &turn, out);
            }
        }
    }
    let mut out = Vec::new();
    walk(position, &Turn::default(), &mut out);
    out
}

/// The distinct legal turns with the positions they lead to, sorted by text. Of several paths with the same start square
/// and the same result the one whose text is smallest stands for all.
#[must_use]
pub fn list_with_positions<P: Position>(position: &P) -> Vec<(Turn, P)> {
    let mut all = paths(position);
    // Squares are ordered by rank, texts by file: sort as the texts do.
    all.sort_by_cached_key(|(turn, _)| turn.to_string());
    let mut distinct: Vec<(Turn, P)> = Vec::with_capacity(all.len());
    for (turn, after) in all {
        if !distinct.iter().any(|(t, a)| t.start() == turn.start() && *a == after) {
            distinct.push((turn, after));
        }
    }
    distinct
}

/// The distinct legal turns, sorted by text.
#[must_use]
pub fn list<P: Position>(position: &P) -> Vec<Turn> {
    list_with_positions(position).into_iter().map(|(turn, _)| turn).collect()
}

/// Says what could be played, for error messages.
pub(super) fn legal<P: Position>(position: &P) -> String {
    let turns: Vec<_> = list(position).iter().map(Turn::to_string).collect();
    if turns.is_empty() {
        "there is no legal turn".to_owned()
    } else {
        format!("not legal, expected one of {}", turns.join(", "))
    }
}

/// Reads a turn: every landing square (`c5:e3:g5`) or only start and end (`c5:g5`) where that fits one turn, with `:`,
/// `x`, `-` or nothing between the squares, in algebraic or numeric squares (1 = b8). Where a turn is a move on each of
/// two boards the moves are joined by `/`, in either order.
///
/// # Errors
/// [`Error::Turn`] if the text is unreadable, illegal, or fits several turns, which are then listed.
pub fn read<P: Position>(position: &P, text: &str) -> Result<Turn> {
    let bad = |reason: String| Error::Turn { text: text.to_owned(), reason };
    let mut parts: Vec<Part> = text.split('/').map(Part::read::<P>).collect::<Result<_, _>>().map_err(bad)?;
    let all = paths(position);
    let mut fitting: Vec<Turn> = Vec::new();
    for _ in 0..parts.len() {
        if let Some((turn, _)) = all.iter().find(|(turn, _)| fits(&parts, turn, Part::is)) {
            fitting = vec![turn.clone()];
        } else if parts.iter().any(|part| part.squares.len() == 2) {
            fitting = list(position).into_iter().filter(|turn| fits(&parts, turn, Part::may_be)).collect();
        }
        if !fitting.is_empty() {
            break;
        }
        parts.rotate_left(1);
    }
    match fitting.as_slice() {
        [turn] => match parts.iter().zip(&turn.moves).find(|(part, played)| part.marks_other_than(played)) {
            Some((_, Move { capture: true, .. })) => Err(bad(format!("a capture is written {turn}"))),
            Some(_) => Err(bad(format!("not a capture, expected {turn}"))),
            None => Ok(turn.clone()),
        },
        [] => match all.first() {
            Some((turn, _)) if parts.len() < turn.moves.len() => {
                Err(bad(format!("expected a move on each board, joined by /, like {turn}")))
            }
            _ => Err(bad(legal(position))),
        },
        several => {
            let texts: Vec<_> = several.iter().map(Turn::to_string).collect();
            Err(bad(format!("fits several turns: {}", texts.join(", "))))
        }
    }
}

/// A move as somebody wrote it.
struct Part {
    squares: Vec<Square>,
    /// What stands between the squares: a step's mark, a capture's.
    marks: [bool; 2],
}

impl Part {
    fn read<P: Position>(text: &str) -> Result<Self, String> {
        let marks = [text.contains('-'), text.contains([':', 'x', 'X', '×'])];
        Ok(Self { squares: read_squares::<P>(text.trim())?, marks })
    }

    /// Whether it names every square of the move.
    fn is(&self, played: &Move) -> bool {
        self.squares == played.squares
    }

    /// Whether it names the ends of the move, or every square.
    fn may_be(&self, played: &Move) -> bool {
        let ends = |squares: &[Square]| squares.first().copied().zip(squares.last().copied());
        self.is(played) || (self.squares.len() == 2 && ends(&self.squares) == ends(&played.squares))
    }

    fn marks_other_than(&self, played: &Move) -> bool {
        self.marks[usize::from(!played.capture)]
    }
}

fn fits(parts: &[Part], turn: &Turn, fit: impl Fn(&Part, &Move) -> bool) -> bool {
    parts.len() == turn.moves.len() && parts.iter().zip(&turn.moves).all(|(part, played)| fit(part, played))
}

pub(super) fn read_squares<P: Position>(text: &str) -> Result<Vec<Square>, String> {
    let separators = [':', 'x', 'X', '×', '-'];
    let pieces: Vec<&str> = if text.contains(separators) {
        text.split(separators).map(str::trim).collect()
    } else if text.is_ascii() && text.len() >= 4 && text.len().is_multiple_of(2) {
        (0..text.len()).step_by(2).map(|i| &text[i..i + 2]).collect()
    } else {
        vec![text]
    };
    let square = |piece: &str| -> Result<Square, String> {
        if !piece.is_empty() && piece.bytes().all(|b| b.is_ascii_digit()) {
            let number = piece.parse().ok().and_then(P::numbered);
            return number.ok_or_else(|| format!("expected a square number up to {}, found {piece}", P::SPEC.squares));
        }
        piece.parse().map_err(|_| format!("expected squares like c3-d4, c5:e3:g5 or 22-18, found {piece:?}"))
    };
    let squares = pieces.into_iter().map(square).collect::<Result<Vec<_>, _>>()?;
    if squares.len() < 2 { Err("expected at least two squares".to_owned()) } else { Ok(squares) }
}

/// The number of distinct lines of `depth` turns.
///
/// ```
/// use shashki::games::{Position, Russian, perft};
///
/// assert_eq!(perft(&Russian::start(), 5), 7482);
/// ```
#[must_use]
pub fn perft<P: Position>(position: &P, depth: u32) -> u64 {
    let mut buffers: Vec<Buffers<P>> = (0..=depth).map(|_| Buffers::default()).collect();
    count(position, depth, &mut buffers)
}

/// The count of each turn's lines of `depth` turns in all, sorted by text.
#[must_use]
pub fn divide<P: Position>(position: &P, depth: u32) -> Vec<(Turn, u64)> {
    let below = depth.saturating_sub(1);
    list_with_positions(position).into_iter().map(|(turn, after)| (turn, perft(&after, below))).collect()
}

/// What one depth of perft fills again and again.
struct Buffers<P> {
    hops: Hops,
    /// Unfinished turns: start square and position.
    open: Vec<(Square, P)>,
    /// The distinct turns of several hops: start square and result.
    long: Vec<(Square, P)>,
}

impl<P> Default for Buffers<P> {
    fn default() -> Self {
        Self { hops: Hops::new(), open: Vec::new(), long: Vec::new() }
    }
}

fn count<P: Position>(position: &P, depth: u32, buffers: &mut [Buffers<P>]) -> u64 {
    if depth == 0 {
        return 1;
    }
    if depth == 1
        && let Some(turns) = position.count_turns()
    {
        return turns;
    }
    let (Buffers { hops, open, long }, rest) = buffers.split_first_mut().expect("a buffer for each depth");
    let mut lines = 0;
    position.hops(hops);
    for &hop in hops.iter() {
        let mut after = *position;
        // A turn of one hop is like no other turn.
        if after.play_unchecked(hop).turn_over {
            lines += count(&after, depth - 1, rest);
        } else {
            open.push((hop.from, after));
        }
    }
    if !open.is_empty() {
        finish(hops, open, long);
        lines += long.iter().map(|(_, after)| count(after, depth - 1, rest)).sum::<u64>();
    }
    lines
}

/// Lists the distinct turns that begin with an open one: several ways may lead from a square to one result.
fn finish<P: Position>(hops: &mut Hops, open: &mut Vec<(Square, P)>, long: &mut Vec<(Square, P)>) {
    long.clear();
    while let Some((from, position)) = open.pop() {
        position.hops(hops);
        for &hop in hops.iter() {
            let mut after = position;
            if !after.play_unchecked(hop).turn_over {
                open.push((from, after));
            } else if !long.contains(&(from, after)) {
                long.push((from, after));
            }
        }
    }
}
