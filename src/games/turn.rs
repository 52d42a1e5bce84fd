//! Turns: all the hops that one side plays before the other moves; listing, notation and perft.

use std::fmt;

use crate::board::{Hop, Hops, Square};
use crate::error::{Error, Result};

use super::position::Position;

/// The squares a piece visits in one turn, and whether it captures. In mid chain, the rest of the turn.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Turn {
    squares: Vec<Square>,
    capture: bool,
}

impl Turn {
    /// The hops, in order.
    pub fn hops(&self) -> impl Iterator<Item = Hop> + '_ {
        self.squares.windows(2).map(|pair| Hop { from: pair[0], to: pair[1] })
    }

    /// The start square and every landing square.
    #[must_use]
    pub fn squares(&self) -> &[Square] {
        &self.squares
    }

    /// Whether it captures.
    #[must_use]
    pub const fn is_capture(&self) -> bool {
        self.capture
    }

    /// The turn made of these hops, each starting where the last one landed.
    ///
    /// # Panics
    /// If there is no hop.
    #[must_use]
    pub fn from_hops(hops: &[Hop], capture: bool) -> Self {
        let first = hops.first().expect("a turn has a hop");
        let squares = std::iter::once(first.from).chain(hops.iter().map(|hop| hop.to)).collect();
        Self { squares, capture }
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.capture { ":" } else { "-" };
        for (i, square) in self.squares.iter().enumerate() {
            write!(f, "{}{square}", if i == 0 { "" } else { mark })?;
        }
        Ok(())
    }
}

/// Every path of hops to the end of the turn, with the position it leads to. Different paths may be the same turn.
#[must_use]
pub fn paths<P: Position>(position: &P) -> Vec<(Turn, P)> {
    fn walk<P: Position>(position: &P, played: &mut Vec<Hop>, capture: bool, out: &mut Vec<(Turn, P)>) {
        let mut hops = Hops::new();
        position.hops(&mut hops);
        for hop in hops {
            let mut after = *position;
            let step = after.play_unchecked(hop);
            played.push(hop);
            if step.turn_over {
                out.push((Turn::from_hops(played, capture), after));
            } else {
                walk(&after, played, capture, out);
            }
            played.pop();
        }
    }
    let mut out = Vec::new();
    walk(position, &mut Vec::new(), position.must_capture(), &mut out);
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
        if !distinct.iter().any(|(t, a)| t.squares[0] == turn.squares[0] && *a == after) {
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
/// `x`, `-` or nothing between the squares, in algebraic or numeric squares (1 = b8).
///
/// # Errors
/// [`Error::Turn`] if the text is unreadable, illegal, or fits several turns, which are then listed.
pub fn read<P: Position>(position: &P, text: &str) -> Result<Turn> {
    let bad = |reason: String| Error::Turn { text: text.to_owned(), reason };
    let squares = read_squares::<P>(text.trim()).map_err(bad)?;
    let all = paths(position);
    if let Some((turn, _)) = all.iter().find(|(turn, _)| turn.squares == squares) {
        return match text.contains('-') && turn.capture {
            true => Err(bad(format!("a capture is written {turn}"))),
            false if turn.capture || !text.contains([':', 'x', 'X', '×']) => Ok(turn.clone()),
            false => Err(bad(format!("not a capture, expected {turn}"))),
        };
    }
    let ends = |turn: &Turn| turn.squares[0] == squares[0] && turn.squares.last() == squares.last();
    let fitting: Vec<_> =
        if squares.len() == 2 { list(position).into_iter().filter(ends).collect() } else { Vec::new() };
    match fitting.as_slice() {
        [turn] if text.contains('-') => Err(bad(format!("a capture is written {turn}"))),
        [turn] => Ok(turn.clone()),
        [] => Err(bad(legal(position))),
        several => {
            let texts: Vec<_> = several.iter().map(Turn::to_string).collect();
            Err(bad(format!("fits several turns: {}", texts.join(", "))))
        }
    }
}

fn read_squares<P: Position>(text: &str) -> Result<Vec<Square>, String> {
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
    turns: Vec<(Square, P)>,
    hops: Hops,
    open: Vec<(Square, P)>,
}

impl<P> Default for Buffers<P> {
    fn default() -> Self {
        Self { turns: Vec::new(), hops: Hops::new(), open: Vec::new() }
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
    let (buffer, rest) = buffers.split_first_mut().expect("a buffer for each depth");
    distinct(position, buffer);
    if depth == 1 {
        return buffer.turns.len() as u64;
    }
    buffer.turns.iter().map(|(_, after)| count(after, depth - 1, rest)).sum()
}

/// Lists the start squares and results of the distinct turns.
fn distinct<P: Position>(position: &P, buffer: &mut Buffers<P>) {
    let Buffers { turns, hops, open } = buffer;
    turns.clear();
    position.hops(hops);
    for &hop in hops.iter() {
        let mut after = *position;
        let step = after.play_unchecked(hop);
        if step.turn_over { &mut *turns } else { &mut *open }.push((hop.from, after));
    }
    let single_hops = turns.len();
    while let Some((from, position)) = open.pop() {
        position.hops(hops);
        for &hop in hops.iter() {
            let mut after = position;
            let step = after.play_unchecked(hop);
            if !step.turn_over {
                open.push((from, after));
            } else if !turns[single_hops..].contains(&(from, after)) {
                turns.push((from, after));
            }
        }
    }
}
