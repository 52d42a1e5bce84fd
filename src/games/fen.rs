//! Position texts: `W:Wa1,c3,Kd4:Bb8,Kh2`, and with towers, whose letters run from the top down, `W:Wc3wbb:Bd6b`.
//!
//! Read are also the two sections in either order, blanks, a closing stop, move counters (`:H0:F1`, ignored), upper-case
//! squares, numeric squares and ranges (`W21-32`, 1 = b8), and the state within a turn: `:Cg5xf6,d4` says that the
//! piece on g5 must go on and has jumped f6, then d4; `:N2` that the first of two moves is played; `:Rdark=w,light=d`
//! that of two games one is won by White and one drawn.

use crate::board::{Bits, Board, Geometry, Piece, Side, Square};
use crate::error::{Error, Result};

/// How one of two games ended: the winner, or nobody.
pub type GameResult = Option<Side>;

/// What a position text says, before anybody asks whether it fits a board.
#[derive(Debug)]
pub struct Sections {
    text: String,
    /// Who moves.
    pub turn: Side,
    /// The towers by square, from the top down; without towers one piece each.
    pub towers: Vec<(Square, Vec<Piece>)>,
    /// The piece that must go on, and what it has jumped.
    pub chain: Option<(Square, Vec<Square>)>,
    /// Whether the first of two moves is played.
    pub second: bool,
    /// The games that are over: on the dark squares, on the light ones.
    pub results: [Option<GameResult>; 2],
}

/// How pieces are written, and squares as numbers.
#[derive(Copy, Clone, Debug)]
pub struct Dialect {
    /// Whether each square is followed by the letters of its tower.
    pub towers: bool,
    /// The square of a number.
    pub numbered: fn(usize) -> Option<Square>,
    /// The largest number.
    pub squares: usize,
}

impl Sections {
    /// Splits a position text.
    ///
    /// # Errors
    /// [`Error::Fen`] that names the part at fault: no square, a missing or unknown section, one given twice.
    pub fn read(text: &str, dialect: Dialect) -> Result<Self> {
        let bad = |reason: String| Error::Fen { text: text.to_owned(), reason };
        let words: Vec<&str> = text.split_whitespace().collect();
        let compact = words.concat();
        let mut parts = compact.strip_suffix('.').unwrap_or(&compact).split(':');
        let turn = match parts.next() {
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
        let text = text.to_owned();
        let mut sections = Self { text, turn, towers: Vec::new(), chain: None, second: false, results: [None; 2] };
        let mut seen = Vec::new();
        for part in parts {
            sections.read_part(part, dialect, &mut seen).map_err(bad)?;
        }
        for side in Side::BOTH {
            if !seen.contains(&initial(side)) {
                let letter = initial(side);
                return Err(bad(format!("no section for {side}; a side without pieces is written :{letter}")));
            }
        }
        Ok(sections)
    }

    fn read_part(&mut self, part: &str, dialect: Dialect, seen: &mut Vec<char>) -> Result<(), String> {
        let first = part.chars().next();
        let letter = first.ok_or("a section is empty, expected W…, B…, C…, N…, R…, H or F behind each ':'")?;
        let rest = &part[letter.len_utf8()..];
        let upper = letter.to_ascii_uppercase();
        // `b8` is a square, not the men of Black on square 8.
        let pieces = matches!(upper, 'W' | 'B') && (letter == upper || rest.len() != 1);
        if (pieces || matches!(upper, 'C' | 'N' | 'R')) && seen.contains(&upper) {
            return Err(match upper {
                'W' => "two sections for white".to_owned(),
                'B' => "two sections for black".to_owned(),
                'C' => "two chain sections".to_owned(),
                _ => format!("two sections {upper}"),
            });
        }
        match upper {
            _ if pieces => {
                let side = if upper == 'W' { Side::White } else { Side::Black };
                self.read_towers(side, rest, dialect)?;
            }
            'C' => self.chain = Some(read_chain(rest, dialect)?),
            'N' if rest == "2" => self.second = true,
            'R' => self.read_results(rest)?,
            'H' | 'F' if letter == upper && rest.bytes().all(|b| b.is_ascii_digit()) => return Ok(()),
            _ => return Err(format!("unknown section {part:?}, expected W…, B…, C…, N2, R…, H or F")),
        }
        seen.push(upper);
        Ok(())
    }

    fn read_towers(&mut self, side: Side, list: &str, dialect: Dialect) -> Result<(), String> {
        for item in list.split(',').filter(|_| !list.is_empty()) {
            if dialect.towers {
                self.read_tower(side, item, dialect)?;
                continue;
            }
            let (king, name) = match item.strip_prefix('K') {
                Some(name) if !name.is_empty() => (true, name),
                _ => (false, item),
            };
            let piece = vec![Piece { side, king }];
            let Some((first, last)) = name.split_once('-') else {
                self.towers.push((dialect.square(name)?, piece));
                continue;
            };
            let (first, last) = (number(first)?, number(last)?);
            if first > last {
                return Err(format!("range {name:?} runs backwards"));
            }
            for n in first..=last {
                self.towers.push((dialect.numbered(n)?, piece.clone()));
            }
        }
        Ok(())
    }

    fn read_tower(&mut self, side: Side, item: &str, dialect: Dialect) -> Result<(), String> {
        if item.starts_with('K') {
            return Err(format!("{item:?}: with towers a king is written behind its square, like c3W"));
        }
        // A square is a letter and a digit, or digits; the tower's letters follow.
        let digits = item.char_indices().skip(1).find(|(_, c)| !c.is_ascii_digit());
        let (name, letters) = item.split_at(digits.map_or(item.len(), |(i, _)| i));
        let square = dialect.square(name)?;
        let tower: Vec<Piece> = letters
            .chars()
            .map(piece)
            .collect::<Option<_>>()
            .ok_or_else(|| format!("{item:?}: expected the letters w, W, b and B behind the square"))?;
        match tower.first() {
            None => return Err(format!("{item:?}: expected the letters of the tower on {square}, like {square}wbb")),
            Some(top) if top.side != side => {
                return Err(format!("{item:?}: the tower on {square} is not {side}'s, whose piece would be on top"));
            }
            Some(_) => {}
        }
        self.towers.push((square, tower));
        Ok(())
    }

    fn read_results(&mut self, text: &str) -> Result<(), String> {
        for item in text.split(',') {
            let (game, result) = item.split_once('=').unwrap_or((item, ""));
            let board = ["dark", "light"].iter().position(|name| *name == game);
            let result = match result {
                "w" => Some(Some(Side::White)),
                "b" => Some(Some(Side::Black)),
                "d" => Some(None),
                _ => None,
            };
            let (Some(board), Some(_)) = (board, result) else {
                return Err(format!("result {item:?}: expected dark or light, =, and w, b or d, like dark=w"));
            };
            if self.results[board].is_some() {
                return Err(format!("result {item:?}: given twice"));
            }
            self.results[board] = result;
        }
        Ok(())
    }

    /// An error of this text.
    #[must_use]
    pub fn bad(&self, reason: String) -> Error {
        Error::Fen { text: self.text.clone(), reason }
    }

    /// An error of the chain of this text.
    #[must_use]
    pub fn bad_chain(&self, reason: &str) -> Error {
        let chain = self.chain.as_ref().map(|(at, jumped)| {
            let jumped: Vec<_> = jumped.iter().map(Square::to_string).collect();
            format!(" \"{at}x{}\"", jumped.join(","))
        });
        self.bad(format!("chain{}: {reason}", chain.unwrap_or_default()))
    }

    /// Refuses what only two games side by side know.
    ///
    /// # Errors
    /// [`Error::Fen`].
    pub fn refuse_halves(&self) -> Result<()> {
        if self.second || self.results != [None; 2] {
            return Err(self.bad("sections N and R belong to two games side by side".to_owned()));
        }
        Ok(())
    }

    /// The board without towers that the text describes.
    ///
    /// # Errors
    /// [`Error::Fen`]: a square twice, off the board or unplayable, a man on its last rank, an impossible chain.
    pub fn board<const W: usize, const H: usize>(&self) -> Result<Board<W, H>> {
        let mut board = Board::empty(self.turn);
        for (square, tower) in &self.towers {
            place(&mut board, *square, tower[0]).map_err(|reason| self.bad(reason))?;
        }
        if let Some((at, jumped)) = &self.chain {
            set_chain(&mut board, *at, jumped).map_err(|reason| self.bad_chain(&reason))?;
        }
        self.refuse_halves()?;
        Ok(board)
    }
}

impl Dialect {
    fn numbered(self, n: usize) -> Result<Square, String> {
        (self.numbered)(n).ok_or_else(|| match self.squares {
            0 => format!("{n} is no square: this board's squares have no numbers"),
            last => format!("square {n} is not on the board, expected 1 to {last}"),
        })
    }

    fn square(self, name: &str) -> Result<Square, String> {
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            return self.numbered(number(name)?);
        }
        name.parse().map_err(|_| format!("{name:?} is no square, expected one like c3"))
    }
}

fn number(text: &str) -> Result<usize, String> {
    // A sign is no part of a square number, though `parse` takes one.
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| digits).ok_or_else(|| format!("{text:?} is no square number"))
}

/// Reads `g5xf6,d4`: the piece that must go on, and the pieces it has jumped.
fn read_chain(text: &str, dialect: Dialect) -> Result<(Square, Vec<Square>), String> {
    let (at, jumped) = text
        .split_once(['x', 'X'])
        .ok_or_else(|| format!("chain {text:?}: expected the square of the piece, x, and the squares it has jumped"))?;
    let mut squares = Vec::new();
    for name in jumped.split(',') {
        let over = dialect.square(name)?;
        if squares.contains(&over) {
            return Err(format!("chain {text:?}: {over} is jumped twice"));
        }
        squares.push(over);
    }
    Ok((dialect.square(at)?, squares))
}

/// Whether a board plays on a square.
///
/// # Errors
/// That says so if not.
pub fn playable<const W: usize, const H: usize>(square: Square) -> Result<(), String> {
    match Geometry::<W, H>::bit(square) {
        Some(_) => Ok(()),
        None => Err(format!("{square} is not a playable square of this board")),
    }
}

/// Puts a piece on a board.
///
/// # Errors
/// If the square is not playable or taken, or a man would stand on its last rank.
pub fn place<const W: usize, const H: usize>(
    board: &mut Board<W, H>,
    square: Square,
    piece: Piece,
) -> Result<(), String> {
    playable::<W, H>(square)?;
    if board.at(square).is_some() {
        return Err(format!("{square} is named twice"));
    }
    let last_rank = Geometry::<W, H>::LAST_RANK[piece.side.index()];
    if !piece.king && Geometry::<W, H>::set(square) & last_rank != 0 {
        return Err(format!("a {} man cannot stand on {square}, its last rank, only a king", piece.side));
    }
    board.put(square, piece);
    Ok(())
}

/// Puts a board in mid chain.
///
/// # Errors
/// If that is no possible chain.
pub fn set_chain<const W: usize, const H: usize>(
    board: &mut Board<W, H>,
    at: Square,
    jumped: &[Square],
) -> Result<(), String> {
    playable::<W, H>(at)?;
    jumped.iter().try_for_each(|&over| playable::<W, H>(over))?;
    let set = jumped.iter().fold(0, |set, &over| set | Geometry::<W, H>::set(over));
    let (mover, other) = (board.turn(), !board.turn());
    if board.set_chain(at, set) {
        Ok(())
    } else if board.side(mover) & Geometry::<W, H>::set(at) == 0 {
        Err(format!("expected a {mover} piece on {at}"))
    } else if set == 0 || set & !board.side(other) != 0 {
        Err(format!("expected a {other} piece on each square that was jumped"))
    } else {
        Err(format!("the {mover} piece on {at} has no further jump, expected one that can go on"))
    }
}

/// The letter of a side.
#[must_use]
pub const fn initial(side: Side) -> char {
    match side {
        Side::White => 'W',
        Side::Black => 'B',
    }
}

/// The letter of a piece in a tower: a man's is small.
#[must_use]
pub const fn letter(piece: Piece) -> char {
    match (piece.side, piece.king) {
        (Side::White, false) => 'w',
        (Side::White, true) => 'W',
        (Side::Black, false) => 'b',
        (Side::Black, true) => 'B',
    }
}

/// The piece of a letter; `None` for any other.
#[must_use]
pub const fn piece(letter: char) -> Option<Piece> {
    match letter {
        'w' | 'W' => Some(Piece { side: Side::White, king: letter == 'W' }),
        'b' | 'B' => Some(Piece { side: Side::Black, king: letter == 'B' }),
        _ => None,
    }
}

/// A square as a side's list names it, a king with a `K` before.
#[must_use]
pub fn named(square: Square, king: bool) -> String {
    format!("{}{square}", if king { "K" } else { "" })
}

/// Writes the canonical position text: squares by rank, then file; a chain only where there is one.
#[must_use]
pub fn write<const W: usize, const H: usize>(board: &Board<W, H>) -> String {
    let square = |bit: u32| Geometry::<W, H>::SQUARE_OF[bit as usize];
    let list = |side: Side| {
        let piece = |bit| named(square(bit), board.kings() >> bit & 1 == 1);
        Bits(board.side(side)).map(piece).collect::<Vec<_>>().join(",")
    };
    let mut text = format!("{}:W{}:B{}", initial(board.turn()), list(Side::White), list(Side::Black));
    if board.chain() != 0 {
        let jumped: Vec<_> = Bits(board.pending()).map(|bit| square(bit).to_string()).collect();
        text += &format!(":C{}x{}", square(board.chain().trailing_zeros()), jumped.join(","));
    }
    text
}
