//! The players' clocks: so many seconds for a game, and some more for each turn.

use std::str::FromStr;

use crate::error::Error;
use crate::player::Clock;

/// A time control: seconds for the whole game, and seconds added after each turn.
///
/// ```
/// use shashki::arena::TimeControl;
///
/// let blitz: TimeControl = "blitz".parse()?;
/// assert_eq!(blitz, "180+2".parse()?);
/// # Ok::<(), shashki::Error>(())
/// ```
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct TimeControl {
    /// Seconds a side has at the start.
    pub base_s: f64,
    /// Seconds added after each of its turns.
    pub increment_s: f64,
}

impl TimeControl {
    /// The named controls, in minutes for the game and seconds a turn: 3+2, 10+5 and 45+15.
    pub const NAMED: [(&'static str, Self); 3] = [
        ("blitz", Self { base_s: 180.0, increment_s: 2.0 }),
        ("rapid", Self { base_s: 600.0, increment_s: 5.0 }),
        ("classic", Self { base_s: 2700.0, increment_s: 15.0 }),
    ];

    /// What a clock with so many seconds left shows.
    pub(super) const fn shown(&self, left_s: f64) -> Clock {
        Clock { left_s, increment_s: self.increment_s }
    }
}

impl FromStr for TimeControl {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        if let Some((_, named)) = Self::NAMED.iter().find(|(name, _)| *name == text) {
            return Ok(*named);
        }
        let seconds = |text: &str| text.parse::<f64>().ok().filter(|s| (0.0..=86_400.0).contains(s));
        let parts = text.split_once('+').and_then(|(base, increment)| Some((seconds(base)?, seconds(increment)?)));
        match parts {
            Some((base_s, increment_s)) if base_s > 0.0 => Ok(Self { base_s, increment_s }),
            _ => {
                Err(Error::value("clock", text, "blitz (180+2), rapid (600+5), classic (2700+15) or SECONDS+INCREMENT"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_never_spends_the_last_second() {
        let control: TimeControl = "1+10".parse().unwrap();
        for left in [10.0, 1.0, 0.1, 0.01] {
            assert!(control.shown(left).budget_s() < left);
        }
    }

    #[test]
    fn a_time_control_that_makes_no_sense_is_refused() {
        for text in ["", "fast", "10", "0+1", "-1+0", "1+nan", "inf+1", "1+1+1"] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }
}
