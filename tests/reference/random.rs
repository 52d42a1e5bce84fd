//! Random position texts: any pieces on any squares they may stand on.

// Each test uses its part of this.
#![allow(dead_code)]

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

/// What a variant is played on.
#[derive(Copy, Clone)]
pub struct Field {
    pub files: usize,
    /// Whether the light squares are played on too.
    pub light: bool,
    pub towers: bool,
}

pub const PLAIN: Field = Field { files: 8, light: false, towers: false };
pub const WIDE: Field = Field { files: 10, ..PLAIN };
pub const TOWERS: Field = Field { towers: true, ..PLAIN };
pub const TWO: Field = Field { light: true, ..PLAIN };

impl Field {
    fn squares(self, colour: usize) -> Vec<(usize, usize)> {
        let all = (0..8).flat_map(|rank| (0..self.files).map(move |file| (file, rank)));
        all.filter(|(file, rank)| (file + rank) % 2 == colour).collect()
    }
}

/// Any number of pieces up to a full set a side, each a king with one chance for the whole position, in random places; a
/// random side moves. On two boards each has its own numbers.
pub fn placement(field: Field, rng: &mut impl Rng) -> String {
    let full = if field.files == 10 { 15 } else { 12 };
    let counts = |rng: &mut _| [0, 1].map(|_| RngExt::random_range(rng, 0..=full));
    text(field, counts, &[0.0, 0.1, 0.3, 0.6, 1.0], rng)
}

/// A position of few pieces, most of them kings.
pub fn ending(field: Field, rng: &mut impl Rng) -> String {
    let counts = |rng: &mut _| {
        let total = RngExt::random_range(rng, 2..=8).max(RngExt::random_range(rng, 2..=7));
        let weak = if RngExt::random_bool(rng, 0.4) { 1 } else { RngExt::random_range(rng, 1..total) };
        let mut counts = [weak, total - weak];
        counts.shuffle(rng);
        counts
    };
    text(field, counts, &[0.6, 0.8, 1.0], rng)
}

fn text<R: Rng>(field: Field, counts: impl Fn(&mut R) -> [usize; 2], chances: &[f64], rng: &mut R) -> String {
    let kings = chances[rng.random_range(0..chances.len())];
    let mut lists = [Vec::new(), Vec::new()];
    for colour in 0..=usize::from(field.light) {
        let mut squares = field.squares(colour);
        squares.shuffle(rng);
        let counts = counts(rng);
        // Towers share 24 single pieces.
        let mut spare = if field.towers { 24 - counts[0] - counts[1] } else { 0 };
        for (side, list) in lists.iter_mut().enumerate() {
            for _ in 0..counts[side] {
                let (file, rank) = squares.pop().unwrap();
                let king = rng.random_bool(kings) || rank == [7, 0][side];
                let mut below = String::new();
                while spare > 0 && rng.random_bool(0.5) {
                    below.push(['w', 'W', 'b', 'B'][rng.random_range(0..4)]);
                    spare -= 1;
                }
                list.push((rank, file, king, below));
            }
        }
    }
    let texts = [0, 1].map(|side| {
        let list = &mut lists[side];
        list.sort_unstable();
        let name = |(rank, file, king, below): &(usize, usize, bool, String)| {
            let square = format!("{}{}", &"abcdefghik"[*file..=*file], rank + 1);
            match (field.towers, *king) {
                (true, _) => format!("{square}{}{below}", [["w", "b"], ["W", "B"]][usize::from(*king)][side]),
                (false, true) => format!("K{square}"),
                (false, false) => square,
            }
        };
        list.iter().map(name).collect::<Vec<_>>().join(",")
    });
    format!("{}:W{}:B{}", ["W", "B"][rng.random_range(0..2)], texts[0], texts[1])
}
