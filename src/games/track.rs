//! What the draw rules remember of the play on one board: counters, earlier positions, the turn under way.

use super::draws::{Clock, Draws, Material, TurnFacts};
use super::outcome::Reason;

/// What a track was before a hop, to go back to.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Mark {
    clock: Clock,
    len: usize,
    first: usize,
    times: usize,
    repeated: bool,
    facts: TurnFacts,
    before: Material,
}

/// The past of the play on one board, as far as the draw rules ask for it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Track {
    pub clock: Clock,
    /// Keys of positions between moves, the present one last.
    pub keys: Vec<u64>,
    /// Where those begin that can return, which came after the last move that cannot be undone.
    pub first: usize,
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
            Some(key) => track.remember(key, false),
            // A chain has captured already, whoever began it.
            None => track.facts.captured = true,
        }
        track
    }

    /// Remembers the position after a move.
    pub fn remember(&mut self, key: u64, for_good: bool) {
        if for_good {
            self.first = self.keys.len();
            self.repeated = false;
        }
        self.times = 1 + self.keys[self.first..].iter().filter(|&&k| k == key).count();
        self.keys.push(key);
        self.repeated |= self.times > 1;
    }

    /// Drops the keys of positions that cannot return: there is no way back behind the last move then.
    pub fn forget(&mut self) {
        self.keys.drain(..self.first);
        self.first = 0;
    }

    /// What it is now.
    pub fn mark(&self) -> Mark {
        let Self { clock, ref keys, first, times, repeated, facts, before } = *self;
        Mark { clock, len: keys.len(), first, times, repeated, facts, before }
    }

    /// Goes back to what it was some moves before.
    pub fn go_back(&mut self, mark: Mark) {
        self.keys.truncate(mark.len);
        let Mark { clock, first, times, repeated, facts, before, .. } = mark;
        *self = Self { keys: std::mem::take(&mut self.keys), clock, first, times, repeated, facts, before };
    }

    /// Whether a move might be followed by a draw: neither the counters nor earlier positions rule that out.
    pub fn may_draw(&self) -> bool {
        // The third time needs four moves twice; all counters count kings.
        self.keys.len() - self.first >= 8
            || (self.before.kings != [0; 2] && self.clock.longest() + 1 >= Draws::SHORTEST)
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
