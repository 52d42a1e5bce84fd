//! How long a win may take before a draw rule could come between, by the pieces that it can lead to.
//!
//! A rule that counts from a capture or a crowning on cannot draw a game whose longest win with the pieces that are left
//! is over sooner. So what is known of the longest wins tells of each class which wins need only fit the counters that
//! run now.

use crate::games::Preset;
use crate::games::draws::{Draws, Material};
use crate::games::position::Position;

use super::file::{Counts, TableFile};
use super::material::{Class, Ending, SLOTS};

/// For each set of draw rules that the variant knows and each class the most turns of a win that later counters leave
/// alone.
#[derive(Debug)]
pub(super) struct Clocks {
    most: Vec<(Draws, Vec<u16>)>,
}

impl Clocks {
    /// From the tables of all endings, in the order in which they lead to each other.
    pub fn new<P: Position>(files: &[(Ending, TableFile)]) -> Self {
        let presets = Preset::ALL.into_iter().filter_map(P::draws);
        Self { most: presets.map(|draws| (draws, most_turns(&draws, files))).collect() }
    }

    /// The most turns that a win of a class may take as far as counters are concerned that start later; `None` for rules
    /// that are not the variant's.
    pub fn most(&self, draws: &Draws, class: Class) -> Option<u16> {
        self.most.iter().find(|(known, _)| known == draws).map(|(_, most)| most[class.slot()])
    }
}

/// By slot of the class.
fn most_turns(draws: &Draws, files: &[(Ending, TableFile)]) -> Vec<u16> {
    // What an ending allows that one comes to, and those that it leads to: its own counters start then.
    let mut entered = vec![u16::MAX; SLOTS];
    let mut most = vec![0; SLOTS];
    for (ending, file) in files {
        let of = |part: fn(&Counts) -> u16| file.classes().map(|(_, counts)| part(counts)).max().unwrap_or(0);
        let longest = of(|counts| counts.longest_win.max(counts.longest_loss));
        let held = of(|counts| counts.longest_held);
        let class = ending.classes()[0];
        let material = Material::off_road(
            [class.own.men() as u8, class.other.men() as u8],
            [class.own.kings() as u8, class.other.kings() as u8],
        );
        // A counter starts after a turn at the earliest.
        let allowed = |longest| draws.tightest(&material, longest, held).map_or(u16::MAX, |limit| limit + 1);
        let later = ending.after().iter().map(|after| entered[after.classes()[0].slot()]).min().unwrap_or(u16::MAX);
        entered[class.slot()] = later.min(allowed(longest));
        // Of the counters that start while the pieces stay, those of balance run already; so only the main road is left.
        let here = later.min(allowed(0));
        ending.classes().into_iter().for_each(|class| most[class.slot()] = here);
    }
    most
}
