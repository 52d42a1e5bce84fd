//! A square by file and rank, and the hop from one square to another.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;

/// The letters of the files; a board of ten files skips `j`, as its players do.
const FILES: &[u8; 10] = b"abcdefghik";

/// A square of any board of at most ten files and eight ranks. Ordered by rank, then file.
///
/// ```
/// # use shashki::board::Square;
/// let square: Square = "E3".parse()?;
/// assert_eq!(square.to_string(), "e3");
/// assert_eq!((square.file(), square.rank()), (4, 2));
/// # Ok::<(), shashki::Error>(())
/// ```
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The square at `file` (0 = a, at most 9) and `rank` (0 = rank 1, at most 7).
    ///
    /// # Panics
    /// If `file` or `rank` is out of range.
    #[must_use]
    pub const fn new(file: usize, rank: usize) -> Self {
        assert!(file < 10 && rank < 8, "file below 10 and rank below 8");
        Self((rank * 16 + file) as u8)
    }

    /// The file, 0 = a.
    #[must_use]
    pub const fn file(self) -> usize {
        (self.0 & 15) as usize
    }

    /// The rank, 0 = rank 1.
    #[must_use]
    pub const fn rank(self) -> usize {
        (self.0 >> 4) as usize
    }

    /// Whether the square has the colour of a1.
    #[must_use]
    pub const fn is_dark(self) -> bool {
        (self.file() + self.rank()).is_multiple_of(2)
    }

    /// Its place in tables of 128 entries.
    pub(super) const fn slot(self) -> usize {
        self.0 as usize
    }
}

impl FromStr for Square {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let bad = || Error::Square {
            text: text.to_owned(),
            reason: "expected a file letter and a rank digit, like e3".to_owned(),
        };
        let &[file, rank] = text.as_bytes() else { return Err(bad()) };
        let file = match file.to_ascii_lowercase() {
            b'j' => 9,
            letter => FILES.iter().position(|&f| f == letter).ok_or_else(bad)?,
        };
        if !(b'1'..=b'8').contains(&rank) {
            return Err(bad());
        }
        Ok(Self::new(file, usize::from(rank - b'1')))
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(FILES[self.file()]), self.rank() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// One piece going from one square to another: a quiet step, or one jump of a capture.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Hop {
    /// Where the piece stands.
    pub from: Square,
    /// Where it lands.
    pub to: Square,
}
