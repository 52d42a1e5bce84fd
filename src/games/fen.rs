//! Position texts of boards without towers: `W:Wa1,c3,Kd4:Bb8,Kh2`.
//!
//! Read are also the two sections in either order, blanks, a closing stop, move counters (`:H0:F1`, ignored), upper-case
//! squares, numeric squares and ranges (`W21-32`, 1 = b8), and the state within a capture: `:Cg5xf6,d4` says that the
//! piece on g5 must go on and has jumped f6, then d4.

use crate::board::{Bits, Board, Geometry, Piece, Side, Square};
use crate::error::{Error, Result};

/// Reads a position text.
///
/// # Errors
/// [`Error::Fen`] that names the part at fault: a square twice, off the board or unplayable, a man on its last rank, a
/// missing or unknown section, an impossible chain.
pub fn read<const W: usize, const H: usize>(text: &str) -> Result<Board<W, H>> {
    let bad = |reason: String| Error::Fen { text: text.to_owned(), reason };
    let words: Vec<&str> = text.split_whitespace().collect();
    let compact = words.concat();
    let mut sections = compact.strip_suffix('.').unwrap_or(&compact).split(':');
    let turn = match sections.next() {
        Some("W" | "w") => Side::White,
        Some("B" | "b") => Side::Black,
        other => {
            let found = other.unwrap_or_default();
            return Err(bad(format!("expected the side to move, W or B, before the first ':', found {found:?}")));
        }
    };
    let digit = |c: char| c.is_ascii_digit();
    if let Some(pair) = words.windows(2).find(|pair| pair[0].ends_with(digit) && pair[1].starts_with(digit)) {
        return Err(bad(format!("expected a comma between {:?} and {:?}", pair[0], pair[1])));
    }
    let mut board = Board::empty(turn);
    let mut seen = [false; 2];
    let mut chain = None;
    for section in sections {
        let Some(letter) = section.chars().next() else {
            return Err(bad("a section is empty, expected W…, B…, C…, H or F behind each ':'".to_owned()));
        };
        let rest = &section[letter.len_utf8()..];
        match letter {
            // `b8` is a square, not the men of Black on square 8.
            'W' | 'w' | 'B' | 'b' if letter.is_ascii_uppercase() || rest.len() != 1 => {
                let side = if letter.eq_ignore_ascii_case(&'w') { Side::White } else { Side::Black };
                if std::mem::replace(&mut seen[side.index()], true) {
                    return Err(bad(format!("two sections for {side}")));
                }
                read_pieces(&mut board, side, rest).map_err(bad)?;
            }
            'C' | 'c' if chain.is_none() => chain = Some(rest),
            'C' | 'c' => return Err(bad("two chain sections".to_owned())),
            'H' | 'F' if rest.bytes().all(|b| b.is_ascii_digit()) => {}
            _ => return Err(bad(format!("unknown section {section:?}, expected W…, B…, C…, H or F"))),
        }
    }
    for side in Side::BOTH {
        if !seen[side.index()] {
            let letter = if side == Side::White { 'W' } else { 'B' };
            return Err(bad(format!("no section for {side}; a side without pieces is written :{letter}")));
        }
    }
    if let Some(chain) = chain {
        read_chain(&mut board, chain).map_err(bad)?;
    }
    Ok(board)
}

fn read_pieces<const W: usize, const H: usize>(board: &mut Board<W, H>, side: Side, list: &str) -> Result<(), String> {
    for item in list.split(',').filter(|_| !list.is_empty()) {
        let (king, name) = match item.strip_prefix('K') {
            Some(name) if !name.is_empty() => (true, name),
            _ => (false, item),
        };
        let Some((first, last)) = name.split_once('-') else {
            place(board, square::<W, H>(name)?, Piece { side, king })?;
            continue;
        };
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return Err(format!("range {name:?} runs backwards"));
        }
        for n in first..=last {
            place(board, numbered::<W, H>(n)?, Piece { side, king })?;
        }
    }
    Ok(())
}

fn number(text: &str) -> Result<usize, String> {
    // A sign is no part of a square number, though `parse` takes one.
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| digits).ok_or_else(|| format!("{text:?} is no square number"))
}

fn numbered<const W: usize, const H: usize>(n: usize) -> Result<Square, String> {
    Geometry::<W, H>::numbered(n).ok_or_else(|| format!("square {n} is not on the board, expected 1 to {}", W * H / 2))
}

/// A playable square by name or number.
fn square<const W: usize, const H: usize>(name: &str) -> Result<Square, String> {
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return numbered::<W, H>(number(name)?);
    }
    let square: Square = name.parse().map_err(|_| format!("{name:?} is no square, expected one like c3"))?;
    match Geometry::<W, H>::bit(square) {
        Some(_) => Ok(square),
        None => Err(format!("{square} is not a playable square of this board")),
    }
}

fn place<const W: usize, const H: usize>(board: &mut Board<W, H>, square: Square, piece: Piece) -> Result<(), String> {
    if board.at(square).is_some() {
        return Err(format!("{square} is named twice"));
    }
    let last_rank = Geometry::<W, H>::LAST_RANK[piece.side.index()];
    if !piece.king && Geometry::<W, H>::set(square) & last_rank != 0 {
        return Err(format!("a {} man cannot stand on {square}, its last rank (a king is K{square})", piece.side));
    }
    board.put(square, piece);
    Ok(())
}

/// Reads `g5xf6,d4`: the piece that must go on, and the pieces it has jumped.
fn read_chain<const W: usize, const H: usize>(board: &mut Board<W, H>, text: &str) -> Result<(), String> {
    let (at, jumped) = text
        .split_once(['x', 'X'])
        .ok_or_else(|| format!("chain {text:?}: expected the square of the piece, x, and the squares it has jumped"))?;
    let at = square::<W, H>(at)?;
    let mut set = 0;
    for name in jumped.split(',') {
        let over = square::<W, H>(name)?;
        let bit = Geometry::<W, H>::set(over);
        if set & bit != 0 {
            return Err(format!("chain {text:?}: {over} is jumped twice"));
        }
        set |= bit;
    }
    let mover = board.turn();
    if board.set_chain(at, set) {
        Ok(())
    } else {
        Err(format!(
            "chain {text:?}: expected a {mover} piece on {at} that has jumped pieces of the other side and can go on"
        ))
    }
}

/// Writes the canonical position text: squares by rank, then file; a chain only where there is one.
#[must_use]
pub fn write<const W: usize, const H: usize>(board: &Board<W, H>) -> String {
    let name = |bit: u32| Geometry::<W, H>::SQUARE_OF[bit as usize].to_string();
    let list = |side: Side| {
        let piece = |bit| if board.kings() >> bit & 1 == 1 { format!("K{}", name(bit)) } else { name(bit) };
        Bits(board.side(side)).map(piece).collect::<Vec<_>>().join(",")
    };
    let turn = if board.turn() == Side::White { 'W' } else { 'B' };
    let mut text = format!("{turn}:W{}:B{}", list(Side::White), list(Side::Black));
    if board.chain() != 0 {
        let jumped: Vec<_> = Bits(board.pending()).map(name).collect();
        text += &format!(":C{}x{}", name(board.chain().trailing_zeros()), jumped.join(","));
    }
    text
}
