//! What the draw rules remember of the play on one board: counters, earlier positions, the turn under way.

use super::draws::{Clock, Draws, Material, TurnFacts};
use super::outcome::Reason;

/// The past of the play on one board, as far as the draw rules ask for it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Track {
    pub clock: Clock,
    /// Keys of the positions between moves since the last move that cannot be undone, the present one last.
    pub keys: Vec<u64>,
    /// How often the last of them is there.
    pub times: usize,
    /// Whether one of the keys is there twice.
    pub repeated: bool,
    /// What has been done since the counters last counted, and the material then.
    pub facts: TurnFacts,
    pub before: Material,
}

impl Clone for Track {
    fn clone(&self) -> Self {
        Self { keys: self.keys.clone(), ..*self }
    }

    fn clone_from(&mut self, source: &Self) {
        let mut keys = std::mem::take(&mut self.keys);
        keys.clone_from(&source.keys);
        *self = Self { keys, ..*source };
    }
}

impl Track {
    /// The past of a position that is its own first occurrence; `key` is none within a chain.
    pub fn new(material: Material, key: Option<u64>) -> Self {
        let mut track = Self { before: material, ..Self::default() };
        match key {
            Some(key) => track.remember(key, true),
            // A chain has captured already, whoever began it.
            None => track.facts.captured = true,
        }
        track
    }

    /// Remembers the position after a move; `forget` says that no earlier one can return.
    pub fn remember(&mut self, key: u64, forget: bool) {
        if forget {
            self.keys.clear();
            self.repeated = false;
        }
        self.times = 1 + self.keys.iter().filter(|&&k| k == key).count();
        self.keys.push(key);
        self.repeated |= self.times > 1;
    }

    /// Counts what was done since it was last called as one ply.
    pub fn count(&mut self, draws: &Draws, material: Material) {
        let facts = std::mem::take(&mut self.facts);
        draws.count(&mut self.clock, facts, &self.before, &material);
        self.before = material;
    }

    /// The draw that holds after a move, if any.
    pub fn drawn(&self, draws: &Draws, material: &Material) -> Option<Reason> {
        draws.drawn(&self.clock, material, self.times)
    }
}
