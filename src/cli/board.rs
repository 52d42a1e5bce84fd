//! The board in a terminal.

use crate::board::{Side, Square};
use crate::games::position::Position;

/// How pieces look: White's man and king, Black's man and king, an empty playable square.
pub(super) struct Look {
    pieces: [[char; 2]; 2],
    empty: char,
    /// How to tell the sides apart.
    pub legend: &'static str,
}

/// Draughts pieces; shape, not colour, tells the sides apart, so that it works on dark and light terminals.
pub(super) const UNICODE: Look =
    Look {
        pieces: [['⛀', '⛁'], ['⛂', '⛃']], empty: '·', legend: "⛀ ⛁ White (outlined), ⛂ ⛃ Black (filled)"
    };
/// Letters.
pub(super) const ASCII: Look =
    Look { pieces: [['w', 'W'], ['b', 'B']], empty: '.', legend: "w W White, b B Black, capitals are kings" };

/// The board with coordinates, `below` being the side at the bottom.
pub(super) fn draw<P: Position>(position: &P, below: Side, look: &Look) -> String {
    let (width, height) = (P::SPEC.width, P::SPEC.height);
    let mut cells: Vec<Vec<char>> = (0..height)
        .map(|rank| (0..width).map(|file| if Square::new(file, rank).is_dark() { look.empty } else { ' ' }).collect())
        .collect();
    for (square, piece) in pieces(&position.write_fen(), look) {
        cells[square.rank()][square.file()] = piece;
    }
    let turned = below == Side::Black;
    let order = |n: usize| -> Vec<usize> { if turned { (0..n).rev().collect() } else { (0..n).collect() } };
    let mut text = String::new();
    for rank in order(height).into_iter().rev() {
        let row: Vec<_> = order(width).into_iter().map(|file| cells[rank][file].to_string()).collect();
        text += &format!(" {} {}\n", rank + 1, row.join(" "));
    }
    let letter = |file| Square::new(file, 0).to_string().remove(0).to_string();
    let files: Vec<_> = order(width).into_iter().map(letter).collect();
    text + &format!("   {}\n", files.join(" "))
}

/// The pieces that a canonical position text names.
fn pieces(fen: &str, look: &Look) -> Vec<(Square, char)> {
    let mut found = Vec::new();
    for section in fen.split(':').skip(1) {
        let side = match section.get(..1) {
            Some("W") => Side::White,
            Some("B") => Side::Black,
            _ => continue,
        };
        for item in section[1..].split(',') {
            let (king, name) = item.strip_prefix('K').map_or((false, item), |name| (true, name));
            found.extend(name.parse().map(|square| (square, look.pieces[side.index()][usize::from(king)])));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Russian;

    #[test]
    fn the_board_stands_as_its_player_sits() {
        let position = Russian::read_fen("W:Wa1,Kc3:Bb8,Kh2").unwrap();
        let white = draw(&position, Side::White, &ASCII);
        assert_eq!(white.lines().next(), Some(" 8   b   .   .   ."));
        assert_eq!(white.lines().nth(7), Some(" 1 w   .   .   .  "));
        assert_eq!(white.lines().last(), Some("   a b c d e f g h"));
        let black = draw(&position, Side::Black, &ASCII);
        assert_eq!(black.lines().next(), Some(" 1   .   .   .   w"));
        assert_eq!(black.lines().last(), Some("   h g f e d c b a"));
    }
}
