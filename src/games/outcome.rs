//! How and why a game ended.

use std::fmt;

use crate::board::Side;

/// Why a game ended.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Reason {
    /// The side to move has no legal hop.
    NoMove,
    /// 7.2.3: the same position for the third time.
    Repetition,
    /// 7.2.4: three kings or more did not take a lone king in 15 moves.
    ThreeKings,
    /// 7.2.5: 15 moves each of kings only, without a capture.
    KingsOnly,
    /// 7.2.6 with 4 or 5 pieces: 30 moves each.
    FourFive,
    /// 7.2.6 with 6 or 7 pieces: 60 moves each.
    SixSeven,
    /// 7.2.8: two or three pieces, 5 moves each.
    TwoThree,
    /// 7.2.7: a lone king held the main road against three pieces.
    MainRoad,
    /// Both sides agreed on a draw.
    Agreement,
    /// A side gave up.
    Resignation,
    /// A side's time ran out.
    Time,
    /// A side's player did not answer with a legal turn.
    Illegal,
    /// All of several games are over, and their points are summed.
    Sum,
    /// Endgame tables know the result, and no draw rule can come before it.
    Tables,
    /// The match's or environment's own limit of turns was reached.
    TurnLimit,
}

impl Reason {
    /// Every reason, in the order of their stored numbers.
    pub const ALL: [Self; 15] = [
        Self::NoMove,
        Self::Repetition,
        Self::ThreeKings,
        Self::KingsOnly,
        Self::FourFive,
        Self::SixSeven,
        Self::TwoThree,
        Self::MainRoad,
        Self::Agreement,
        Self::Resignation,
        Self::Time,
        Self::Illegal,
        Self::TurnLimit,
        Self::Sum,
        Self::Tables,
    ];

    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoMove => "no move",
            Self::Repetition => "repetition",
            Self::ThreeKings => "three kings against one",
            Self::KingsOnly => "kings only",
            Self::FourFive => "4-5 pieces",
            Self::SixSeven => "6-7 pieces",
            Self::TwoThree => "2-3 pieces",
            Self::MainRoad => "lone king on the main road",
            Self::Agreement => "agreement",
            Self::Resignation => "resignation",
            Self::Time => "time",
            Self::Illegal => "illegal",
            Self::Tables => "tables",
            Self::Sum => "sum of both games",
            Self::TurnLimit => "turn limit",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How a game ended.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Outcome {
    /// The winner; `None` for a draw.
    pub winner: Option<Side>,
    /// Why.
    pub reason: Reason,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner {
            Some(side) => write!(f, "{side} wins: {}", self.reason),
            None => write!(f, "draw: {}", self.reason),
        }
    }
}
