//! Which pieces an endgame has: forces, their pairs, and the order in which tables depend on each other.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// The most pieces that tables are built for: those of seven would take some sixteen gigabytes of memory.
pub const MOST_PIECES: u32 = 6;

/// The pieces of a side. Forces are ordered by number, then by kings.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Force {
    pieces: u8,
    kings: u8,
}

impl Force {
    /// So many men and kings.
    #[must_use]
    pub const fn new(men: u8, kings: u8) -> Self {
        Self { pieces: men + kings, kings }
    }

    /// How many pieces.
    #[must_use]
    pub const fn pieces(self) -> u32 {
        self.pieces as u32
    }

    /// How many of them are men.
    #[must_use]
    pub const fn men(self) -> u32 {
        (self.pieces - self.kings) as u32
    }

    /// How many of them are kings.
    #[must_use]
    pub const fn kings(self) -> u32 {
        self.kings as u32
    }

    /// All forces of so many pieces.
    fn all(pieces: u8) -> impl Iterator<Item = Self> {
        (0..=pieces).map(move |kings| Self { pieces, kings })
    }

    /// What is left when pieces are taken; `None` if nothing is.
    fn without(self, men: u32, kings: u32) -> Option<Self> {
        let left = Self::new((self.men() - men) as u8, (self.kings() - kings) as u8);
        (left.pieces > 0).then_some(left)
    }
}

/// Kings first, then men: `kkm`.
impl fmt::Display for Force {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&"k".repeat(self.kings.into()))?;
        f.write_str(&"m".repeat((self.pieces - self.kings).into()))
    }
}

/// The pieces of a position seen by the side to move.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Class {
    /// Those of the side to move.
    pub own: Force,
    /// Those of the other side.
    pub other: Force,
}

/// Slots that [`Class::slot`] answers: four counts of three bits.
pub(super) const SLOTS: usize = 1 << 12;

impl Class {
    /// The class of the same pieces with the other side to move.
    #[must_use]
    pub const fn turned(self) -> Self {
        Self { own: self.other, other: self.own }
    }

    /// A number of its own for each class of at most seven pieces a kind.
    pub(super) const fn slot(self) -> usize {
        let (own, other) = (self.own, self.other);
        ((own.men() << 9) | (own.kings() << 6) | (other.men() << 3) | other.kings()) as usize
    }

    /// The classes that a turn can lead to by a capture or a crowning, seen by the side to move then. Where its last
    /// piece is taken there is none.
    fn after(self) -> impl Iterator<Item = Self> {
        let Self { own, other } = self;
        let crowned = std::iter::once(own).chain((own.men() > 0).then(|| Force { kings: own.kings + 1, ..own }));
        crowned.flat_map(move |mover| {
            let taken = (0..=other.men()).flat_map(move |men| (0..=other.kings()).map(move |kings| (men, kings)));
            let changes = taken.filter(move |&taken| taken != (0, 0) || mover != own);
            changes.filter_map(move |(men, kings)| Some(Self { own: other.without(men, kings)?, other: mover }))
        })
    }
}

/// Two forces against each other, either side to move: one table. The larger force comes first.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Ending {
    forces: [Force; 2],
}

impl Ending {
    /// The ending that a class belongs to.
    #[must_use]
    pub fn of(class: Class) -> Self {
        let (own, other) = (class.own, class.other);
        Self { forces: if own >= other { [own, other] } else { [other, own] } }
    }

    /// All endings of at most so many pieces, each behind those that its turns can lead to.
    #[must_use]
    pub fn up_to(pieces: u32) -> Vec<Self> {
        let mut all = Vec::new();
        for total in 2..=pieces as u8 {
            let mut endings: Vec<Self> = Vec::new();
            for larger in total.div_ceil(2)..total {
                for first in Force::all(larger) {
                    let second = Force::all(total - larger).filter(|&second| first >= second);
                    endings.extend(second.map(|second| Self { forces: [first, second] }));
                }
            }
            // A crowning leaves fewer men.
            endings.sort_by_key(|ending| (ending.forces.map(Force::men).iter().sum::<u32>(), ending.to_string()));
            all.extend(endings);
        }
        all
    }

    /// The classes, the first force to move, then the second; one where the forces are equal.
    #[must_use]
    pub fn classes(self) -> Vec<Class> {
        let [own, other] = self.forces;
        let first = Class { own, other };
        if own == other { vec![first] } else { vec![first, first.turned()] }
    }

    /// The number of pieces.
    #[must_use]
    pub fn pieces(self) -> u32 {
        self.forces.iter().map(|force| force.pieces()).sum()
    }

    /// The endings that captures and crownings lead to, each once.
    pub(super) fn after(self) -> Vec<Self> {
        let mut found = Vec::new();
        for class in self.classes().into_iter().flat_map(Class::after) {
            let ending = Self::of(class);
            if !found.contains(&ending) {
                found.push(ending);
            }
        }
        found
    }
}

/// `kkm-k`: two kings and a man against a king.
impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.forces[0], self.forces[1])
    }
}

impl FromStr for Ending {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let force = |text: &str| {
            let kings = text.bytes().take_while(|&letter| letter == b'k').count();
            let men = text.len() - kings;
            let fits = (1..MOST_PIECES as usize).contains(&text.len()) && text[kings..].bytes().all(|b| b == b'm');
            fits.then(|| Force::new(men as u8, kings as u8))
        };
        let forces = text.split_once('-').and_then(|(own, other)| Some((force(own)?, force(other)?)));
        let ending = forces.map(|(own, other)| Self::of(Class { own, other }));
        let known = ending.filter(|ending| ending.to_string() == text && ending.pieces() <= MOST_PIECES);
        known.ok_or_else(|| Error::value("ending", text, "kings and men of both sides like kkm-k, the larger first"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_stands_behind_those_it_leads_to() {
        let all = Ending::up_to(5);
        // Forces of n pieces are n + 1; each pair of them, in this order, is a class.
        assert_eq!(all.iter().map(|ending| ending.classes().len()).sum::<usize>(), 4 + 12 + 25 + 44);
        for (i, ending) in all.iter().enumerate() {
            assert_eq!(ending.to_string().parse::<Ending>().unwrap(), *ending);
            for after in ending.after() {
                assert!(all[..i].contains(&after), "{ending} leads to {after}");
            }
        }
    }
}
