//! Random position texts: any pieces on any squares they may stand on.

use rand::{Rng, RngExt};

/// Up to 12 pieces a side, each a king with one chance for the whole position, in random places; a random side moves.
pub fn placement(rng: &mut impl Rng) -> String {
    let mut squares: Vec<(usize, usize)> = (0..8).flat_map(|r| (0..4).map(move |i| (2 * i + r % 2, r))).collect();
    let kings: f64 = [0.0, 0.1, 0.3, 0.6, 1.0][rng.random_range(0..5)];
    let counts = [rng.random_range(0..=12), rng.random_range(0..=12)];
    let mut lists = [Vec::new(), Vec::new()];
    for (side, list) in lists.iter_mut().enumerate() {
        for _ in 0..counts[side] {
            let (file, rank) = squares.swap_remove(rng.random_range(0..squares.len()));
            let king = rng.random_bool(kings) || rank == [7, 0][side];
            list.push((rank, file, king));
        }
        list.sort_unstable();
    }
    let texts = lists.map(|list| {
        let name = |&(rank, file, king): &(usize, usize, bool)| {
            format!("{}{}{}", if king { "K" } else { "" }, char::from(b'a' + file as u8), rank + 1)
        };
        list.iter().map(name).collect::<Vec<_>>().join(",")
    });
    format!("{}:W{}:B{}", ["W", "B"][rng.random_range(0..2)], texts[0], texts[1])
}
