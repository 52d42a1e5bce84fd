//! Boards to look at, drawn from a position text: letters or draughts pieces for a terminal, SVG for a page.

use std::fmt::Write;

use crate::board::{Piece, Side, Square};

use super::fen;
use super::spec::Spec;
use super::turn::Turn;

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

/// Pieces of a tower that stand on one square, from the top; a single piece where there are no towers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tower {
    /// Where it stands.
    pub square: Square,
    /// Its pieces, the top first; never empty.
    pub pieces: Vec<Piece>,
}

impl Tower {
    /// The letters of its pieces, from the top.
    #[must_use]
    pub fn letters(&self) -> String {
        self.pieces.iter().copied().map(fen::letter).collect()
    }
}

/// The pieces that a canonical position text names, rank by rank.
#[must_use]
pub fn towers(text: &str) -> Vec<Tower> {
    let mut found = Vec::new();
    for section in text.split(':').skip(1) {
        let side = match section.get(..1) {
            Some("W") => Side::White,
            Some("B") => Side::Black,
            _ => continue,
        };
        for item in section[1..].split(',') {
            let (king, item) = item.strip_prefix('K').map_or((false, item), |name| (true, name));
            let Some((name, letters)) = item.split_at_checked(2) else { continue };
            let Ok(square) = name.parse() else { continue };
            let mut pieces: Vec<Piece> = letters.chars().filter_map(fen::piece).collect();
            if pieces.is_empty() {
                pieces.push(Piece { side, king });
            }
            found.push(Tower { square, pieces });
        }
    }
    found.sort_by_key(|tower| tower.square);
    found
}

/// The letter of a file.
fn letter(file: usize) -> String {
    Square::new(file, 0).to_string().remove(0).to_string()
}

/// `0..n`, or backwards.
fn order(n: usize, backwards: bool) -> Vec<usize> {
    if backwards { (0..n).rev().collect() } else { (0..n).collect() }
}

/// The board in lines, each with its end, with coordinates and `below` at the bottom. The height of a tower stands
/// behind its top piece, and below the board its pieces from the top down. Two games stand side by side.
#[must_use]
pub fn text(spec: &Spec, position: &str, below: Side, look: &Look) -> String {
    let towers = towers(position);
    if !spec.light {
        let mut lines = grid(spec, &towers, true, below, look).join("\n") + "\n";
        let tall: Vec<_> = towers.iter().filter(|tower| tower.pieces.len() > 1).collect();
        if !tall.is_empty() {
            let told: Vec<_> = tall.iter().map(|tower| format!("{} {}", tower.square, tower.letters())).collect();
            let _ = writeln!(lines, "   towers from the top: {}", told.join(", "));
        }
        return lines;
    }
    let [dark, light] = [true, false].map(|dark| grid(spec, &towers, dark, below, look));
    let width = 2 * spec.width + 3;
    let mut lines = format!("   {:width$}  light squares\n", "dark squares", width = width - 1);
    for (left, right) in dark.iter().zip(&light) {
        let _ = writeln!(lines, "{left:width$}  {right}");
    }
    if let Some(results) = position.split(':').find_map(|section| section.strip_prefix('R')) {
        let _ = writeln!(lines, "   over: {results} (w, b or d: won by White, by Black, drawn)");
    }
    lines
}

/// The lines of one board: the squares of one colour.
fn grid(spec: &Spec, towers: &[Tower], dark: bool, below: Side, look: &Look) -> Vec<String> {
    let cell = |file: usize, rank: usize| -> String {
        let square = Square::new(file, rank);
        let tower = towers.iter().find(|tower| tower.square == square);
        let drawn = match tower.map(|tower| tower.pieces[0]) {
            _ if square.is_dark() != dark => ' ',
            None => look.empty,
            Some(top) => look.pieces[top.side.index()][usize::from(top.king)],
        };
        if !spec.towers {
            return drawn.to_string();
        }
        let height = tower.map_or(0, |tower| tower.pieces.len());
        format!("{drawn}{:2}", if height > 1 { height.to_string() } else { String::new() })
    };
    let (turned, pad) = (below == Side::Black, if spec.towers { "  " } else { "" });
    let mut lines = Vec::new();
    for rank in order(spec.height, !turned) {
        let row: Vec<_> = order(spec.width, turned).into_iter().map(|file| cell(file, rank)).collect();
        lines.push(format!(" {} {}", rank + 1, row.join(" ")));
    }
    let files: Vec<_> = order(spec.width, turned).into_iter().map(|file| letter(file) + pad).collect();
    lines.push(format!("   {}", files.join(" ")));
    lines
}

/// The width of a square in an SVG, in its own units.
const SQUARE: usize = 40;
/// The width of the edge that holds the coordinates.
const EDGE: usize = 14;
/// How much higher each piece of a tower lies than the one below it, at most, and the whole tower at most.
const STEP: usize = 6;
const TALLEST: usize = 22;

/// What an SVG shows besides the pieces.
#[derive(Clone, Debug)]
pub struct Drawing<'a> {
    /// Its width in pixels.
    pub width: usize,
    /// The side at the bottom.
    pub below: Side,
    /// The turn that led here.
    pub last: Option<&'a Turn>,
    /// Turns that may follow, the best first: the later the fainter.
    pub arrows: &'a [Turn],
}

/// The board as an SVG picture, with coordinates.
#[must_use]
pub fn svg(spec: &Spec, position: &str, drawing: &Drawing<'_>) -> String {
    let (width, height) = (spec.width * SQUARE + 2 * EDGE, spec.height * SQUARE + 2 * EDGE);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{}\" height=\"{}\">",
        drawing.width,
        drawing.width * height / width
    );
    let _ = write!(out, "<rect width=\"{width}\" height=\"{height}\" fill=\"#4a3826\"/>");
    let picture = Picture { spec, turned: drawing.below == Side::Black };
    picture.squares(&mut out);
    if let Some(last) = drawing.last {
        picture.mark(&mut out, last);
    }
    for tower in towers(position) {
        picture.tower(&mut out, &tower);
    }
    for (i, turn) in drawing.arrows.iter().enumerate() {
        picture.arrow(&mut out, turn, 0.85 / (i + 1) as f32);
    }
    out.push_str("</svg>");
    out
}

/// A board that an SVG is drawn of.
struct Picture<'a> {
    spec: &'a Spec,
    turned: bool,
}

impl Picture<'_> {
    /// The upper left corner of a square.
    fn corner(&self, square: Square) -> (usize, usize) {
        let (file, rank) = (square.file(), square.rank());
        let (column, row) =
            if self.turned { (self.spec.width - 1 - file, rank) } else { (file, self.spec.height - 1 - rank) };
        (EDGE + column * SQUARE, EDGE + row * SQUARE)
    }

    fn centre(&self, square: Square) -> (usize, usize) {
        let (x, y) = self.corner(square);
        (x + SQUARE / 2, y + SQUARE / 2)
    }

    fn squares(&self, out: &mut String) {
        for rank in 0..self.spec.height {
            for file in 0..self.spec.width {
                let square = Square::new(file, rank);
                let (x, y) = self.corner(square);
                let colour = if square.is_dark() { "#a07850" } else { "#ecdcc0" };
                let _ = write!(
                    out,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\" fill=\"{colour}\"><title>{square}</title></rect>"
                );
            }
        }
        let mut label = |x: usize, y: usize, text: &str| {
            let _ = write!(
                out,
                "<text x=\"{x}\" y=\"{y}\" font-size=\"10\" font-family=\"sans-serif\" fill=\"#ecdcc0\" text-anchor=\"middle\">{text}</text>"
            );
        };
        let bottom = 2 * EDGE + self.spec.height * SQUARE - 4;
        for file in 0..self.spec.width {
            label(self.centre(Square::new(file, 0)).0, bottom, &letter(file));
        }
        for rank in 0..self.spec.height {
            label(EDGE / 2, self.centre(Square::new(0, rank)).1 + 4, &(rank + 1).to_string());
        }
    }

    /// Marks the squares that a turn has touched.
    fn mark(&self, out: &mut String, turn: &Turn) {
        let mut squares: Vec<Square> = turn.hops().flat_map(|hop| [hop.from, hop.to]).collect();
        squares.sort_unstable();
        squares.dedup();
        for square in squares {
            let (x, y) = self.corner(square);
            let _ = write!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\" fill=\"#f0d040\" fill-opacity=\"0.45\"/>"
            );
        }
    }

    fn tower(&self, out: &mut String, tower: &Tower) {
        let (x, y) = self.centre(tower.square);
        let above = tower.pieces.len() - 1;
        let step = if above == 0 { 0.0 } else { (TALLEST as f32 / above as f32).min(STEP as f32) };
        // The lowest piece first; a tower stands a little lower, so that its top stays within the square.
        let sunk = step * above as f32 / 2.0;
        for (layer, piece) in tower.pieces.iter().rev().enumerate() {
            let y = y as f32 + sunk - step * layer as f32;
            let (fill, line) = match piece.side {
                Side::White => ("#fafafa", "#303030"),
                Side::Black => ("#303030", "#c8c8c8"),
            };
            let radius = if above == 0 { SQUARE * 2 / 5 } else { SQUARE / 3 };
            // The lower the layers, the finer their rims: what shows of a layer is mostly its own colour.
            let rim = if above == 0 { 2.0 } else { (step / 4.0).clamp(0.4, 1.5) };
            let _ = write!(
                out,
                "<circle cx=\"{x}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"{line}\" stroke-width=\"{rim:.1}\"/>"
            );
            if piece.king {
                let _ = write!(
                    out,
                    "<circle cx=\"{x}\" cy=\"{y:.1}\" r=\"{}\" fill=\"none\" stroke=\"#d09020\" stroke-width=\"4\"/>",
                    SQUARE / 6
                );
            }
        }
        if above > 0 {
            let (x, y) = (x + SQUARE * 2 / 5, y + SQUARE / 2 - 3);
            let _ = write!(
                out,
                "<text x=\"{x}\" y=\"{y}\" font-size=\"11\" font-weight=\"bold\" font-family=\"sans-serif\" fill=\"#202020\" text-anchor=\"middle\">{}</text>",
                above + 1
            );
        }
    }

    /// An arrow through the squares of a turn, a head at the end of each move.
    fn arrow(&self, out: &mut String, turn: &Turn, opacity: f32) {
        for hops in turn.moves() {
            let Some(last) = hops.last() else { continue };
            let points: Vec<String> = std::iter::once(hops[0].from)
                .chain(hops.iter().map(|hop| hop.to))
                .map(|square| self.centre(square))
                .map(|(x, y)| format!("{x},{y}"))
                .collect();
            let _ = write!(
                out,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"#2060c0\" stroke-width=\"5\" stroke-opacity=\"{opacity:.2}\" stroke-linejoin=\"round\"/>",
                points.join(" ")
            );
            let ((ax, ay), (bx, by)) = (self.centre(last.from), self.centre(last.to));
            let (ax, ay, bx, by) = (ax as f32, ay as f32, bx as f32, by as f32);
            let length = (bx - ax).hypot(by - ay).max(1.0);
            let (ux, uy) = ((bx - ax) / length, (by - ay) / length);
            let head = [(bx + 7.0 * ux, by + 7.0 * uy), (bx - 6.0 * ux - 7.0 * uy, by - 6.0 * uy + 7.0 * ux)];
            let third = (bx - 6.0 * ux + 7.0 * uy, by - 6.0 * uy - 7.0 * ux);
            let corners: Vec<String> = head.into_iter().chain([third]).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            let _ = write!(
                out,
                "<polygon points=\"{}\" fill=\"#2060c0\" fill-opacity=\"{opacity:.2}\"/>",
                corners.join(" ")
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Bashni, Position, Russian, Vigman};

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
    fn towers_show_their_height_and_their_pieces() {
        let board = text(&Bashni::SPEC, "W:Wa1w,c3Wbb:Bb8b", Side::White, &ASCII);
        assert_eq!(board.lines().nth(5), Some(" 3 .       W3      .       .      "));
        assert_eq!(board.lines().last(), Some("   towers from the top: c3 Wbb"));
    }

    #[test]
    fn two_games_stand_side_by_side() {
        let board = text(&Vigman::SPEC, "W:Wa1,Kb1:Bb8", Side::White, &ASCII);
        let row = board.lines().nth(8).unwrap();
        assert!(row.starts_with(" 1 w   .   .   . ") && row.ends_with(" 1   W   .   .   ."), "{row}");
    }

    fn plain<'a>(arrows: &'a [Turn], last: Option<&'a Turn>) -> Drawing<'a> {
        Drawing { width: 348, below: Side::White, last, arrows }
    }

    #[test]
    fn a_picture_shows_every_piece_and_rings_the_kings() {
        let picture = svg(&Russian::SPEC, "W:Wa1,Kc3:Bb8,Kh2", &plain(&[], None));
        assert_eq!(picture.matches("<circle").count(), 4 + 2);
        assert!(picture.contains("cx=\"34\" cy=\"314.0\""), "a1 is the lower left corner: {picture}");
        let towers = svg(&Bashni::SPEC, "W:Wa1w,c3WbB:Bb8b", &plain(&[], None));
        assert_eq!(towers.matches("<circle").count(), 5 + 2);
    }

    #[test]
    fn a_picture_marks_the_last_turn_and_points_at_the_next() {
        let (last, next) = ("c3-d4".parse::<Turn>().unwrap(), ["e5:c3:a1".parse::<Turn>().unwrap()]);
        let picture = svg(&Russian::SPEC, "B:Wd4:Be5", &plain(&next, Some(&last)));
        assert_eq!(picture.matches("fill-opacity=\"0.45\"").count(), 2);
        assert_eq!((picture.matches("<polyline").count(), picture.matches("<polygon").count()), (1, 1));
    }
}
