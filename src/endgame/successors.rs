//! What a position's turns lead to, and what follows from that for its side to move.

use crate::board::{Hops, Step};
use crate::evaluator::Proven;
use crate::games::position::Position;

/// A result as tables keep it: [`DRAW`], or the turns until the end of the game and 1. Who wins follows: where the
/// turns are even, the side to move will be the one without a move.
pub(super) type Code = u8;

/// Nobody can win.
pub(super) const DRAW: Code = 0;
/// The side to move has no move.
pub(super) const OVER: Code = 1;
/// The largest code: longer wins do not fit.
pub(super) const LAST_CODE: Code = 254;

/// What tells the variants apart here: whether the side without a move wins.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Rules {
    stuck_wins: bool,
}

impl Rules {
    /// Those of a variant; `None` where tables are not made for it.
    pub fn of<P: Position>() -> Option<Self> {
        let start = P::start();
        start.plain().map(|_| Self { stuck_wins: start.stuck() == Some(start.side()) })
    }

    /// Whether the side to move wins.
    pub const fn wins(self, code: Code) -> bool {
        code != DRAW && code.is_multiple_of(2) != self.stuck_wins
    }

    /// What a code says.
    pub const fn proven(self, code: Code) -> Proven {
        match code {
            DRAW => Proven { value: 0, turns: 0 },
            _ => Proven { value: if self.wins(code) { 1 } else { -1 }, turns: code as u16 - 1 },
        }
    }
}

/// What the turns looked at so far offer the side that chooses among them.
#[derive(Copy, Clone, Default, Debug)]
pub(super) struct Choice {
    /// The quickest win and the longest loss as codes, which may be too large to be kept; 0 for none.
    win: u16,
    loss: u16,
    draw: bool,
}

impl Choice {
    /// Adds a turn that leads to a position of this code, for its side to move.
    pub fn add(&mut self, rules: Rules, after: Code) {
        let code = u16::from(after) + 1;
        if after == DRAW {
            self.draw = true;
        } else if rules.wins(after) {
            self.loss = self.loss.max(code);
        } else if self.win == 0 || code < self.win {
            self.win = code;
        }
    }

    /// Whether there is a turn that does not lose.
    pub const fn holds(&self) -> bool {
        self.draw || self.win != 0
    }

    /// The code of the quickest win; 0 for none.
    pub const fn win(&self) -> u16 {
        self.win
    }

    /// The code of the longest loss; 0 for none.
    pub const fn loss(&self) -> u16 {
        self.loss
    }

    /// The code of the best turn, which may be too large to be kept.
    pub const fn code(&self) -> u16 {
        match (self.win, self.draw) {
            (0, true) => DRAW as u16,
            (0, false) => self.loss,
            (win, _) => win,
        }
    }

    /// What the best turn comes to.
    pub const fn proven(&self) -> Proven {
        match self.code() {
            0 => Proven { value: 0, turns: 0 },
            code => Proven { value: if self.win != 0 { 1 } else { -1 }, turns: code - 1 },
        }
    }
}

/// Follows turns to their ends, in memory that it keeps.
#[derive(Debug, Default)]
pub(super) struct Walker {
    hops: Vec<Hops>,
}

impl Walker {
    /// Shows the position at the end of every path of hops that is a turn, with its last step. Different paths may be
    /// the same turn.
    pub fn ends<P: Position>(&mut self, position: &P, found: &mut impl FnMut(&P, Step)) {
        self.walk(position, 0, found);
    }

    fn walk<P: Position>(&mut self, position: &P, depth: usize, found: &mut impl FnMut(&P, Step)) {
        if self.hops.len() == depth {
            self.hops.push(Hops::new());
        }
        let mut hops = std::mem::take(&mut self.hops[depth]);
        position.hops(&mut hops);
        for &hop in &hops {
            let mut after = *position;
            let step = after.play_unchecked(hop);
            if step.turn_over {
                found(&after, step);
            } else {
                self.walk(&after, depth + 1, found);
            }
        }
        self.hops[depth] = hops;
    }
}
