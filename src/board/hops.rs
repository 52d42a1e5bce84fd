//! The one hop generator: steps and single jumps of men and flying kings, capture compulsory.

use super::bits::Bits;
use super::geometry::Geometry;
use super::pieces::Board;
use super::side::Side;
use super::square::Hop;

/// A list of hops that the caller keeps and the generator fills.
pub type Hops = Vec<Hop>;

impl<const W: usize, const H: usize> Board<W, H> {
    /// Lists the legal hops of the side to move into `out`, which is cleared first. Empty iff that side is stuck.
    pub fn hops(&self, out: &mut Hops) {
        out.clear();
        self.add_hops(out);
    }

    /// As [`Board::hops`], behind the hops that `out` holds already.
    pub fn add_hops(&self, out: &mut Hops) {
        self.add_hops_where(self.standing(), out);
    }

    /// Lists the legal hops where jumping leaves the board in another way: `after` tells from the piece jumped which
    /// squares are occupied then, and which pieces may be jumped next.
    pub fn hops_where(&self, after: impl Fn(u64) -> (u64, u64), out: &mut Hops) {
        out.clear();
        self.add_hops_where(after, out);
    }

    fn add_hops_where(&self, after: impl Fn(u64) -> (u64, u64), out: &mut Hops) {
        let own = self.sides[self.turn.index()];
        let movers = if self.chain == 0 { own } else { self.chain };
        let jumpers = self.jumpers(movers);
        if jumpers != 0 {
            for from in Bits(jumpers) {
                for to in Bits(self.jump_targets(from, &after)) {
                    out.push(Geometry::<W, H>::hop(from, to));
                }
            }
            return;
        }
        for d in Self::forward(self.turn) {
            let targets = Geometry::<W, H>::step(own & !self.kings, d) & self.free();
            for to in Bits(targets) {
                let from = Geometry::<W, H>::step(1 << to, d ^ 2).trailing_zeros();
                out.push(Geometry::<W, H>::hop(from, to));
            }
        }
        for from in Bits(own & self.kings) {
            for to in Bits(self.king_steps(from)) {
                out.push(Geometry::<W, H>::hop(from, to));
            }
        }
    }

    /// What jumping leaves by the Turkish rule: pieces jumped stay on the board and are not jumped again.
    fn standing(&self) -> impl Fn(u64) -> (u64, u64) {
        |over| (self.occupied(), self.prey() & !over)
    }

    /// Whether the side to move has any legal hop.
    #[must_use]
    pub fn can_move(&self) -> bool {
        let own = self.sides[self.turn.index()];
        let (men, free) = (own & !self.kings, self.free());
        self.chain != 0
            || Self::forward(self.turn).into_iter().any(|d| Geometry::<W, H>::step(men, d) & free != 0)
            || (0..4).any(|d| Geometry::<W, H>::step(own & self.kings, d) & free != 0)
            || self.jumpers(own) != 0
    }

    /// Whether the side to move must capture.
    #[must_use]
    pub fn must_capture(&self) -> bool {
        self.chain != 0 || self.jumpers(self.sides[self.turn.index()]) != 0
    }

    /// Whether the other side could capture if it were its turn; meaningful only between turns.
    #[must_use]
    pub fn is_threatened(&self) -> bool {
        let mut passed = *self;
        passed.turn = !self.turn;
        passed.jumpers(passed.sides[passed.turn.index()]) != 0
    }

    /// Whether a man of the side to move has a free square before him on his last rank.
    #[must_use]
    pub fn can_crown(&self) -> bool {
        let men = self.sides[self.turn.index()] & !self.kings;
        let goal = self.free() & Geometry::<W, H>::LAST_RANK[self.turn.index()];
        Self::forward(self.turn).into_iter().any(|d| Geometry::<W, H>::step(men, d) & goal != 0)
    }

    /// How many distinct turns the side to move has; `None` in mid chain or where a capture may be of several jumps,
    /// because then only listing them tells.
    #[must_use]
    pub fn count_turns(&self) -> Option<u64> {
        let own = self.sides[self.turn.index()];
        let jumpers = self.jumpers(own);
        if self.chain != 0 {
            return None;
        }
        if jumpers == 0 {
            return Some(self.count_steps());
        }
        let mut turns = 0;
        for from in Bits(jumpers) {
            for to in Bits(self.jump_targets(from, &self.standing())) {
                let mut after = *self;
                after.pending = after.advance(Geometry::<W, H>::hop(from, to)).jumped;
                if after.can_jump(1 << to) {
                    return None;
                }
                turns += 1;
            }
        }
        Some(turns)
    }

    /// How many legal hops end the turn without a capture; meaningful only where no capture is possible.
    #[must_use]
    pub fn count_steps(&self) -> u64 {
        let own = self.sides[self.turn.index()];
        let men: u32 = Self::forward(self.turn)
            .into_iter()
            .map(|d| (Geometry::<W, H>::step(own & !self.kings, d) & self.free()).count_ones())
            .sum();
        let kings: u32 = Bits(own & self.kings).map(|from| self.king_steps(from).count_ones()).sum();
        u64::from(men + kings)
    }

    /// Whether the hop is among the legal ones.
    #[must_use]
    pub fn is_legal(&self, hop: Hop) -> bool {
        let mut hops = Hops::new();
        self.hops(&mut hops);
        hops.contains(&hop)
    }

    /// Whether the mover's piece on this one square can jump, over pieces not yet jumped in this chain.
    #[must_use]
    pub fn can_jump(&self, at: u64) -> bool {
        self.jumpers(at) != 0
    }

    /// Which of the mover's pieces in `set` can jump.
    fn jumpers(&self, set: u64) -> u64 {
        let (free, prey) = (self.free(), self.prey());
        let men = set & !self.kings;
        let mut found = 0;
        for d in 0..4 {
            let beside = Geometry::<W, H>::step(Geometry::<W, H>::step(free, d ^ 2) & prey, d ^ 2);
            found |= men & beside;
        }
        for from in Bits(set & self.kings) {
            if Self::king_can_jump(from, self.occupied() & !(1 << from), prey) {
                found |= 1 << from;
            }
        }
        found
    }

    /// The squares on which the mover's piece on `from` may land by its next jump.
    fn jump_targets(&self, from: u32, after: &impl Fn(u64) -> (u64, u64)) -> u64 {
        let prey = self.prey();
        let mut targets = 0;
        if self.kings >> from & 1 == 0 {
            for d in 0..4 {
                let over = Geometry::<W, H>::step(1 << from, d) & prey;
                targets |= Geometry::<W, H>::step(over, d) & self.free();
            }
            return targets;
        }
        let occupied = self.occupied() & !(1 << from);
        for d in 0..4 {
            let Some((over, landings)) = Self::king_jump(from, d, occupied, prey) else { continue };
            // The landing rule (FMJD-64 4.6): where the capture can go on from one of the squares behind the piece
            // jumped, the king must land on such a square.
            let (occupied, prey) = after(over);
            let occupied = occupied & !(1 << from);
            let going_on: u64 =
                Bits(landings).filter(|&to| Self::king_can_jump(to, occupied, prey)).fold(0, |set, to| set | 1 << to);
            targets |= if going_on == 0 { landings } else { going_on };
        }
        targets
    }

    /// The piece that a king on `from` jumps in direction `d` and the free squares behind it.
    fn king_jump(from: u32, d: usize, occupied: u64, prey: u64) -> Option<(u64, u64)> {
        let over = Self::first(Geometry::<W, H>::RAYS[from as usize][d] & occupied, d);
        if over & prey == 0 {
            return None;
        }
        let behind = Self::open(over.trailing_zeros(), d, occupied);
        (behind != 0).then_some((over, behind))
    }

    fn king_can_jump(from: u32, occupied: u64, prey: u64) -> bool {
        (0..4).any(|d| {
            let over = Self::first(Geometry::<W, H>::RAYS[from as usize][d] & occupied, d);
            over & prey != 0 && Geometry::<W, H>::step(over, d) & Geometry::<W, H>::BOARD & !occupied != 0
        })
    }

    fn king_steps(&self, from: u32) -> u64 {
        (0..4).fold(0, |set, d| set | Self::open(from, d, self.occupied()))
    }

    /// The free squares from `from` in direction `d`, up to the next piece or the edge.
    fn open(from: u32, d: usize, occupied: u64) -> u64 {
        let ray = Geometry::<W, H>::RAYS[from as usize][d];
        let blocker = Self::first(ray & occupied, d);
        if blocker == 0 {
            return ray;
        }
        ray & !(Geometry::<W, H>::RAYS[blocker.trailing_zeros() as usize][d] | blocker)
    }

    /// The nearest square of a set that lies on one ray in direction `d`: the lowest bit upwards, the highest down.
    fn first(on_ray: u64, d: usize) -> u64 {
        if d < 2 {
            on_ray & on_ray.wrapping_neg()
        } else if on_ray == 0 {
            0
        } else {
            1 << (63 - on_ray.leading_zeros())
        }
    }

    /// The two directions in which a man of this side steps.
    const fn forward(side: Side) -> [usize; 2] {
        match side {
            Side::White => [0, 1],
            Side::Black => [2, 3],
        }
    }

    const fn free(&self) -> u64 {
        Geometry::<W, H>::BOARD & !self.occupied()
    }

    /// The other side's pieces that may be jumped: a piece is jumped at most once in a turn.
    const fn prey(&self) -> u64 {
        self.sides[match self.turn {
            Side::White => 1,
            Side::Black => 0,
        }] & !self.pending
    }
}
