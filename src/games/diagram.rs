//! Boards to look at, drawn from a position text: letters or draughts pieces for a terminal, SVG for a page.

use std::fmt::Write;

use crate::board::{Side, Square};

use super::spec::Spec;

/// How a board looks in letters.
#[derive(Debug)]
pub struct Look {
    /// White's man and king, Black's man and king.
    pieces: [[char; 2]; 2],
    /// A playable square without a piece.
    empty: char,
    /// How to tell the sides apart.
    pub legend: &'static str,
}

/// Draughts pieces; shape, not colour, tells the sides apart, so that it works on dark and light terminals.
pub const UNICODE: Look =
    Look {
        pieces: [['⛀', '⛁'], ['⛂', '⛃']], empty: '·', legend: "⛀ ⛁ White (outlined), ⛂ ⛃ Black (filled)"
    };
/// Letters.
pub const ASCII: Look =
    Look { pieces: [['w', 'W'], ['b', 'B']], empty: '.', legend: "w W White, b B Black, capitals are kings" };

/// The width of a square in an SVG, in its own units.
const SQUARE: usize = 40;

/// A piece and where it stands.
struct Placed {
    square: Square,
    side: Side,
    king: bool,
}

/// The pieces that a canonical position text names.
fn pieces(fen: &str) -> Vec<Placed> {
    let mut found = Vec::new();
    for section in fen.split(':').skip(1) {
        let side = match section.get(..1) {
            Some("W") => Side::White,
            Some("B") => Side::Black,
            _ => continue,
        };
        for item in section[1..].split(',') {
            let (king, name) = item.strip_prefix('K').map_or((false, item), |name| (true, name));
            found.extend(name.parse().map(|square| Placed { square, side, king }));
        }
    }
    found
}

/// The letter of a file.
fn letter(file: usize) -> String {
    Square::new(file, 0).to_string().remove(0).to_string()
}

/// The board in lines, each with its end, with coordinates and `below` at the bottom.
#[must_use]
pub fn text(spec: &Spec, fen: &str, below: Side, look: &Look) -> String {
    let (width, height) = (spec.width, spec.height);
    let mut cells: Vec<Vec<char>> = (0..height)
        .map(|rank| (0..width).map(|file| if Square::new(file, rank).is_dark() { look.empty } else { ' ' }).collect())
        .collect();
    for piece in pieces(fen) {
        let drawn = look.pieces[piece.side.index()][usize::from(piece.king)];
        cells[piece.square.rank()][piece.square.file()] = drawn;
    }
    let turned = below == Side::Black;
    let order = |n: usize| -> Vec<usize> { if turned { (0..n).rev().collect() } else { (0..n).collect() } };
    let mut lines = String::new();
    for rank in order(height).into_iter().rev() {
        let row: Vec<_> = order(width).into_iter().map(|file| cells[rank][file].to_string()).collect();
        lines += &format!(" {} {}\n", rank + 1, row.join(" "));
    }
    let files: Vec<_> = order(width).into_iter().map(letter).collect();
    lines + &format!("   {}\n", files.join(" "))
}

/// The board as an SVG picture `size` pixels wide, White below.
#[must_use]
pub fn svg(spec: &Spec, fen: &str, size: usize) -> String {
    let (width, height) = (spec.width * SQUARE, spec.height * SQUARE);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{size}\" height=\"{}\">",
        size * height / width
    );
    for rank in 0..spec.height {
        for file in 0..spec.width {
            let colour = if Square::new(file, rank).is_dark() { "#8a6a4a" } else { "#ecdcc0" };
            let (x, y) = (file * SQUARE, (spec.height - 1 - rank) * SQUARE);
            let _ = write!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\" fill=\"{colour}\"><title>{}{}</title></rect>",
                letter(file),
                rank + 1
            );
        }
    }
    for piece in pieces(fen) {
        let x = piece.square.file() * SQUARE + SQUARE / 2;
        let y = (spec.height - 1 - piece.square.rank()) * SQUARE + SQUARE / 2;
        let (fill, line) = match piece.side {
            Side::White => ("#fafafa", "#303030"),
            Side::Black => ("#303030", "#c8c8c8"),
        };
        let _ = write!(
            out,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" fill=\"{fill}\" stroke=\"{line}\" stroke-width=\"2\"/>",
            SQUARE * 2 / 5
        );
        if piece.king {
            let _ = write!(
                out,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" fill=\"none\" stroke=\"#d09020\" stroke-width=\"4\"/>",
                SQUARE / 5
            );
        }
    }
    out.push_str("</svg>");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Position, Russian};

    #[test]
    fn the_board_stands_as_its_player_sits() {
        let draw = |below| text(&Russian::SPEC, "W:Wa1,Kc3:Bb8,Kh2", below, &ASCII);
        let white = draw(Side::White);
        assert_eq!(white.lines().next(), Some(" 8   b   .   .   ."));
        assert_eq!(white.lines().nth(7), Some(" 1 w   .   .   .  "));
        assert_eq!(white.lines().last(), Some("   a b c d e f g h"));
        let black = draw(Side::Black);
        assert_eq!(black.lines().next(), Some(" 1   .   .   .   w"));
        assert_eq!(black.lines().last(), Some("   h g f e d c b a"));
    }

    #[test]
    fn a_picture_shows_every_piece_and_rings_the_kings() {
        let picture = svg(&Russian::SPEC, "W:Wa1,Kc3:Bb8,Kh2", 320);
        assert_eq!(picture.matches("<circle").count(), 4 + 2);
        assert!(picture.contains("cx=\"20\" cy=\"300\""), "a1 is the lower left corner: {picture}");
    }
}
