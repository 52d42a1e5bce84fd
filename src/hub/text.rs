//! Positions and turns as the protocol writes them: a letter a square, and numbers of squares.
//!
//! Which games it can name: those on the dark squares of one board without towers, whose squares are numbered row by row from Black's side
//! (1 = b8), so `russian`, `poddavki` and `spantsireti`.

use crate::board::{Hops, Side, Square};
use crate::error::{Error, Result};
use crate::for_variant;
use crate::games::Variant;
use crate::games::position::Position;
use crate::games::turn::{self, Turn};

/// Whether the protocol has a text for every position and turn of a variant.
#[must_use]
pub const fn can_name<P: Position>() -> bool {
    P::SPEC.boards == 1 && !P::SPEC.towers && !P::SPEC.light
}

/// The variants that can be played over the protocol.
pub fn variants() -> impl Iterator<Item = Variant> {
    Variant::ALL.iter().copied().filter(|&variant| for_variant!(variant, P => can_name::<P>()))
}

/// The names of the variants that can be played over the protocol, parted by `separator`.
#[must_use]
pub fn names(separator: &str) -> String {
    variants().map(Variant::name).collect::<Vec<_>>().join(separator)
}

/// Refuses a variant whose turns have no text.
///
/// # Errors
/// [`Error::Value`] that names those that have.
pub fn check<P: Position>() -> Result<()> {
    if can_name::<P>() {
        Ok(())
    } else {
        Err(Error::value("variant for hub", P::SPEC.variant, format!("one of {}", names(", "))))
    }
}

/// The numbers of the squares, in order.
fn squares<P: Position>() -> impl Iterator<Item = Square> {
    (1..=P::SPEC.squares).map_while(P::numbered)
}

fn number<P: Position>(square: Square) -> usize {
    1 + squares::<P>().position(|s| s == square).expect("every playable square has a number")
}

/// Writes a position between two turns: the side to move, then for each square in the order of the numbers `w` or `b` for
/// a man, `W` or `B` for a king, `e` for none.
///
/// ```
/// use shashki::games::{Position, Russian};
/// use shashki::hub::text;
///
/// let start = text::position(&Russian::start());
/// assert_eq!(start, format!("W{}{}{}", "b".repeat(12), "e".repeat(8), "w".repeat(12)));
/// assert_eq!(text::read_position::<Russian>(&start)?, Russian::start());
/// # Ok::<(), shashki::Error>(())
/// ```
#[must_use]
pub fn position<P: Position>(position: &P) -> String {
    debug_assert!(position.at_turn_start(), "there is no text for what lies within a turn");
    let fen = position.write_fen();
    let mut letters = vec!['e'; P::SPEC.squares];
    for section in fen.split(':').skip(1) {
        let side = section.chars().next().unwrap_or('w').to_ascii_lowercase();
        for piece in section.get(1..).unwrap_or_default().split(',').filter(|piece| !piece.is_empty()) {
            let (king, square) = piece.strip_prefix('K').map_or((false, piece), |square| (true, square));
            let square = square.parse().expect("a position text names squares");
            letters[number::<P>(square) - 1] = if king { side.to_ascii_uppercase() } else { side };
        }
    }
    let side = if position.side() == Side::White { 'W' } else { 'B' };
    std::iter::once(side).chain(letters).collect()
}

/// Reads a position.
///
/// # Errors
/// [`Error::Fen`] if the text has another length or other letters, or names no possible position.
pub fn read_position<P: Position>(text: &str) -> Result<P> {
    let bad = |reason: String| Error::Fen { text: text.to_owned(), reason };
    let squares: Vec<_> = squares::<P>().collect();
    let letters: Vec<char> = text.chars().collect();
    let (side, letters) = match letters.split_first() {
        Some((&side @ ('W' | 'B'), letters)) if letters.len() == squares.len() => (side, letters),
        _ => {
            let n = squares.len();
            return Err(bad(format!("expected W or B and {n} of w, b, W, B, e, found {} of any", letters.len())));
        }
    };
    let mut sides = [Vec::new(), Vec::new()];
    for (&letter, square) in letters.iter().zip(squares) {
        let (side, king) = match letter {
            'e' => continue,
            'w' => (0, ""),
            'W' => (0, "K"),
            'b' => (1, ""),
            'B' => (1, "K"),
            other => return Err(bad(format!("{other:?} on {square}, expected w, b, W, B or e"))),
        };
        sides[side].push(format!("{king}{square}"));
    }
    P::read_fen(&format!("{side}:W{}:B{}", sides[0].join(","), sides[1].join(",")))
        .map_err(|error| bad(error.to_string()))
}

/// What tells one turn from all others: its ends, and the squares it captures on.
#[derive(PartialEq, Eq)]
struct Named {
    from: usize,
    to: usize,
    captured: Vec<usize>,
}

impl Named {
    fn of<P: Position>(position: &P, turn: &Turn) -> Self {
        let (mut position, mut captured, mut ends) = (*position, Vec::new(), None);
        for hop in turn.hops() {
            ends = Some((ends.map_or(hop.from, |(from, _)| from), hop.to));
            captured.extend(position.play_unchecked(hop).captured.map(number::<P>));
        }
        let (from, to) = ends.expect("a turn has a hop");
        captured.sort_unstable();
        Self { from: number::<P>(from), to: number::<P>(to), captured }
    }
}

/// Writes a legal turn of a position: `22-18`, and captures as start, end and then the squares captured on, `22x13x18x9`.
///
/// # Panics
/// If the turn is empty.
#[must_use]
pub fn turn<P: Position>(position: &P, turn: &Turn) -> String {
    let Named { from, to, captured } = Named::of(position, turn);
    if captured.is_empty() {
        return format!("{from}-{to}");
    }
    let captured: String = captured.iter().map(|square| format!("x{square}")).collect();
    format!("{from}x{to}{captured}")
}

/// Reads a turn of a position, the captured squares in any order; they may be left out where the ends fit one turn.
///
/// # Errors
/// [`Error::Turn`] with the turns that could have been named.
///
/// ```
/// use shashki::games::{Position, Russian};
/// use shashki::hub::text;
///
/// let position = Russian::read_fen("W:Wc1,c3:Bb4,d4,f6")?;
/// let turn = text::read_turn(&position, "22x8x11x18")?;
/// assert_eq!(turn.to_string(), "c3:e5:g7");
/// assert!(text::read_turn(&position, "22x8x11").is_err());
/// # Ok::<(), shashki::Error>(())
/// ```
pub fn read_turn<P: Position>(position: &P, text: &str) -> Result<Turn> {
    let all = turn::list(position);
    let legal = || all.iter().map(|t| self::turn(position, t)).collect::<Vec<_>>().join(", ");
    let bad =
        |what: &str| Error::Turn { text: text.to_owned(), reason: format!("{what}, expected one of {}", legal()) };
    let mark = if text.contains('x') { 'x' } else { '-' };
    let numbers: Option<Vec<usize>> = text.split(mark).map(|n| n.parse().ok()).collect();
    let Some((from, to, mut captured)) = numbers.as_deref().and_then(|numbers| match *numbers {
        [from, to, ref captured @ ..] if mark == 'x' || captured.is_empty() => Some((from, to, captured.to_vec())),
        _ => None,
    }) else {
        return Err(bad("unreadable"));
    };
    captured.sort_unstable();
    let given = Named { from, to, captured };
    let fits = |named: &Named| {
        if given.captured.is_empty() {
            (given.from, given.to, mark == 'x') == (named.from, named.to, !named.captured.is_empty())
        } else {
            given == *named
        }
    };
    match all.iter().filter(|t| fits(&Named::of(position, t))).collect::<Vec<_>>().as_slice() {
        [turn] => Ok((*turn).clone()),
        [] => Err(bad("not legal")),
        _ => Err(bad("fits several turns")),
    }
}

/// The position after a turn; `None` if that is not a legal whole turn here.
pub(super) fn after<P: Position>(mut position: P, turn: &Turn) -> Option<P> {
    let (mut hops, mut over) = (Hops::new(), false);
    for hop in turn.hops() {
        position.hops(&mut hops);
        if over || !hops.contains(&hop) {
            return None;
        }
        over = position.play_unchecked(hop).turn_over;
    }
    over.then_some(position)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games;

    #[test]
    fn the_games_that_can_be_named_are_those_on_one_board_without_towers() {
        assert_eq!(names(" "), "russian poddavki spantsireti");
        assert!(check::<games::Russian>().is_ok());
        let error = check::<games::Bashni>().unwrap_err();
        assert!(error.to_string().contains("one of russian, poddavki, spantsireti"), "{error}");
    }

    #[test]
    fn a_text_that_is_no_position_is_refused_with_what_was_expected() {
        let refused = |text: &str| read_position::<games::Russian>(text).unwrap_err().to_string();
        assert!(refused("").contains("expected W or B and 32 of w"), "{}", refused(""));
        assert!(refused(&format!("w{}", "e".repeat(32))).contains("expected W or B"));
        assert!(refused(&format!("W{}x", "e".repeat(31))).contains("'x' on g1"));
        assert!(refused(&format!("Ww{}b", "e".repeat(30))).contains("b8"), "a man on its last rank");
    }
}
