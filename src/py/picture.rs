//! The board as text and as SVG, drawn from a position text.

use std::fmt::Write;

use crate::games::position::Spec;

/// The width of a square in an SVG, in its own units.
const SQUARE: usize = 40;

/// A piece by file, rank and letter: `w` and `b` are men, `W` and `B` kings.
struct Placed {
    file: usize,
    rank: usize,
    letter: char,
}

/// Reads the pieces off a canonical position text, `W:Wa1,Kc3:Bb8`.
fn pieces(fen: &str) -> Vec<Placed> {
    let mut found = Vec::new();
    for section in fen.split(':').skip(1).take(2) {
        let (man, king) = if section.starts_with('W') { ('w', 'W') } else { ('b', 'B') };
        for piece in section.get(1..).unwrap_or_default().split(',') {
            let (letter, square) = piece.strip_prefix('K').map_or((man, piece), |square| (king, square));
            if let Ok(square) = square.parse::<crate::board::Square>() {
                found.push(Placed { file: square.file(), rank: square.rank(), letter });
            }
        }
    }
    found
}

/// The letter of a file.
fn file_letter(file: usize) -> char {
    crate::board::Square::new(file, 0).to_string().chars().next().unwrap_or('?')
}

/// The board as lines of text, White below: `w` and `b` are men, `W` and `B` kings.
pub fn text(spec: &Spec, fen: &str) -> String {
    let mut rows = vec![vec!['.'; spec.width]; spec.height];
    for piece in pieces(fen) {
        rows[piece.rank][piece.file] = piece.letter;
    }
    let mut out = String::new();
    for (rank, row) in rows.iter().enumerate().rev() {
        let cells: Vec<_> = row.iter().map(char::to_string).collect();
        let _ = writeln!(out, "{} {}", rank + 1, cells.join(" "));
    }
    let files: Vec<_> = (0..spec.width).map(|file| file_letter(file).to_string()).collect();
    let _ = write!(out, "  {}", files.join(" "));
    out
}

/// The board as an SVG picture `size` pixels wide, White below.
pub fn svg(spec: &Spec, fen: &str, size: usize) -> String {
    let (width, height) = (spec.width * SQUARE, spec.height * SQUARE);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{size}\" height=\"{}\">",
        size * height / width
    );
    for rank in 0..spec.height {
        for file in 0..spec.width {
            let colour = if (file + rank).is_multiple_of(2) { "#8a6a4a" } else { "#ecdcc0" };
            let (x, y) = (file * SQUARE, (spec.height - 1 - rank) * SQUARE);
            let _ = write!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\" fill=\"{colour}\"><title>{}{}</title></rect>",
                file_letter(file),
                rank + 1
            );
        }
    }
    for piece in pieces(fen) {
        let (x, y) = (piece.file * SQUARE + SQUARE / 2, (spec.height - 1 - piece.rank) * SQUARE + SQUARE / 2);
        let white = piece.letter.eq_ignore_ascii_case(&'w');
        let (fill, line) = if white { ("#fafafa", "#303030") } else { ("#303030", "#c8c8c8") };
        let _ = write!(
            out,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" fill=\"{fill}\" stroke=\"{line}\" stroke-width=\"2\"/>",
            SQUARE * 2 / 5
        );
        if piece.letter.is_ascii_uppercase() {
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
