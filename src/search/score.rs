//! Scores of the classic engine: wins and losses by their distance, guesses between them.

use std::ops::Neg;

/// The score of a position whose mover has won; each turn until then counts one less.
pub(super) const WIN: i32 = 30_000;
/// From here on a score is a proven win, within more turns than any game's search sees.
pub(super) const PROVEN: i32 = 29_000;
/// No evaluation is higher.
pub(super) const HIGHEST_GUESS: i32 = 20_000;
pub(super) const INFINITE: i32 = i32::MAX;

/// A score as a value from −1 to 1: proven wins and losses are exactly ±1, and nothing else is.
///
/// ```
/// use shashki::search::alphabeta::value_of;
///
/// assert_eq!(value_of(0), 0.0);
/// assert!(value_of(100) > 0.4 && value_of(100) < 0.5);
/// ```
#[must_use]
pub fn value_of(score: i32) -> f32 {
    if score.abs() >= PROVEN { score.signum() as f32 } else { (score as f32 / 200.0).tanh().clamp(-0.999, 0.999) }
}

/// A score, seen by the side to move, and whether it hangs on the way the position was reached: a draw by repetition or
/// by counting is proven for its path only.
#[derive(Copy, Clone, Debug)]
pub(super) struct Value {
    pub(super) score: i32,
    pub(super) of_path: bool,
}

impl Value {
    pub(super) const fn of_position(score: i32) -> Self {
        Self { score, of_path: false }
    }
}

impl Neg for Value {
    type Output = Self;

    fn neg(self) -> Self {
        Self { score: -self.score, ..self }
    }
}

/// Whether a score is a win or loss within the turns looked ahead: nothing nearer can be found then.
pub(super) const fn proven_within(score: i32, depth: u32) -> bool {
    score.abs() >= PROVEN && WIN - score.abs() <= depth as i32
}

/// A win's distance is kept from the position where the entry lies, not from the root.
pub(super) const fn to_table(score: i32, turns: i32) -> i16 {
    (if score >= PROVEN {
        score + turns
    } else if score <= -PROVEN {
        score - turns
    } else {
        score
    }) as i16
}

pub(super) const fn from_table(score: i16, turns: i32) -> i32 {
    let score = score as i32;
    if score >= PROVEN {
        score - turns
    } else if score <= -PROVEN {
        score + turns
    } else {
        score
    }
}
