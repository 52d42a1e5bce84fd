//! What a result says, in each of the ways in which results are written.

use crate::board::Side;

/// A result as it is written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Said {
    /// `*`: none, or none yet.
    Open,
    /// Who won; `None` for a draw.
    Winner(Option<Side>),
    /// White's and Black's points of two games that are summed.
    Sum([u8; 2]),
    /// `0-0`: both were given a loss.
    BothLost,
}

impl Said {
    /// Every word that is a result. None of them is a turn: numbers 1 to 4 are squares of one rank, in any numbering.
    const WORDS: [(&'static str, Self); 15] = [
        ("*", Self::Open),
        ("2-0", Self::Winner(Some(Side::White))),
        ("1-1", Self::Winner(None)),
        ("0-2", Self::Winner(Some(Side::Black))),
        ("1-0", Self::Winner(Some(Side::White))),
        ("1/2-1/2", Self::Winner(None)),
        ("½-½", Self::Winner(None)),
        ("1/2", Self::Winner(None)),
        ("0-1", Self::Winner(Some(Side::Black))),
        ("4-0", Self::Sum([4, 0])),
        ("3-1", Self::Sum([3, 1])),
        ("2-2", Self::Sum([2, 2])),
        ("1-3", Self::Sum([1, 3])),
        ("0-4", Self::Sum([0, 4])),
        ("0-0", Self::BothLost),
    ];

    pub fn read(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(text, _)| *text == word).map(|(_, said)| *said)
    }

    /// Who won; `None` for a draw, and for no result at all.
    pub fn winner(self) -> Option<Side> {
        match self {
            Self::Winner(winner) => winner,
            Self::Sum([white, black]) if white > black => Some(Side::White),
            Self::Sum([white, black]) if white < black => Some(Side::Black),
            Self::Open | Self::BothLost | Self::Sum(_) => None,
        }
    }

    /// Whether two results can both be true.
    pub fn agrees(self, other: Self) -> bool {
        match (self, other) {
            (Self::Open, _) | (_, Self::Open) => true,
            (Self::BothLost, _) | (_, Self::BothLost) => self == other,
            (Self::Sum(own), Self::Sum(other)) => own == other,
            _ => self.winner() == other.winner(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_agree_or_contradict() {
        let read = |word| Said::read(word).unwrap();
        for (a, b) in [("2-0", "1-0"), ("*", "0-2"), ("1/2-1/2", "1-1"), ("3-1", "2-0"), ("2-2", "1-1"), ("0-0", "0-0")]
        {
            assert!(read(a).agrees(read(b)) && read(b).agrees(read(a)), "{a} {b}");
        }
        for (a, b) in [("2-0", "0-2"), ("4-0", "3-1"), ("0-0", "1-1"), ("1-1", "0-1"), ("2-2", "1-3")] {
            assert!(!read(a).agrees(read(b)) && !read(b).agrees(read(a)), "{a} {b}");
        }
        assert_eq!(Said::read("2-1"), None);
    }
}
