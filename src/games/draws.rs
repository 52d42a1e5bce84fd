//! The draw rules (FMJD-64 7.2.3 to 7.2.8), their presets, and the counters they need.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::board::{Board, Geometry, Side};
use crate::error::Error;

use super::outcome::Reason;

/// A named set of draw rules.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Preset {
    /// The variant's official rules; for Russian draughts FMJD-64 7.2.3 to 7.2.8.
    #[default]
    Official,
    /// As the server lidraughts counts.
    Lidraughts,
    /// Repetition, fifteen king moves, and three kings against one where the variant's own rules have that.
    Basic,
    /// All rules of Russian draughts, for those who want them in giveaway too; not for towers, nor where a side has two
    /// turns running.
    Russian,
}

impl Preset {
    /// Every preset.
    pub const ALL: [Self; 4] = [Self::Official, Self::Lidraughts, Self::Basic, Self::Russian];

    /// The name in commands and configs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Official => "official",
            Self::Lidraughts => "lidraughts",
            Self::Basic => "basic",
            Self::Russian => "russian",
        }
    }
}

impl FromStr for Preset {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::ALL
            .into_iter()
            .find(|p| p.name() == text)
            .ok_or_else(|| Error::value("draw rules", text, "one of official, lidraughts, basic, russian"))
    }
}

impl TryFrom<String> for Preset {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<Preset> for String {
    fn from(preset: Preset) -> Self {
        preset.name().to_owned()
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which draw rules are on.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub struct Draws {
    /// 7.2.3: the same position with the same side to move for the third time.
    pub repetition: bool,
    /// 7.2.4: three or more kings against one, 15 moves each.
    pub three_kings: bool,
    /// 7.2.5: only king moves and no capture, 15 moves each.
    pub kings_only: bool,
    /// 7.2.6: kings on both sides, 4 to 7 pieces, no capture and no crowning: 30 or 60 moves each.
    pub few_pieces: bool,
    /// 7.2.8: two or three pieces, one side with a lone king: 5 moves each.
    pub ending: bool,
    /// 7.2.7: three pieces against a lone king on the main road: 5 moves each.
    pub main_road: bool,
    /// Counts 7.2.5, 7.2.7 and 7.2.8 as lidraughts does.
    pub lidraughts: bool,
}

/// What the draw rules need to know of the pieces of a position.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Material {
    /// Men of White and of Black.
    pub men: [u8; 2],
    /// Kings of White and of Black.
    pub kings: [u8; 2],
    /// Whether a king of that side stands on the main road.
    pub on_road: [bool; 2],
    /// Whether it is the only piece of either side there.
    pub holds_road: [bool; 2],
}

impl Material {
    /// The pieces of a board.
    #[must_use]
    pub fn of<const W: usize, const H: usize>(board: &Board<W, H>) -> Self {
        let (kings, occupied) = (board.kings(), board.occupied());
        let on_road = occupied & Geometry::<W, H>::MAIN_ROAD;
        let mut material = Self::default();
        for side in Side::BOTH {
            let (i, own) = (side.index(), board.side(side));
            material.men[i] = (own & !kings).count_ones() as u8;
            // Most positions have no kings, and counting is dear where the processor has no instruction for it.
            if kings != 0 {
                material.kings[i] = (own & kings).count_ones() as u8;
                material.on_road[i] = on_road & own & kings != 0;
                material.holds_road[i] = material.on_road[i] && on_road.is_power_of_two();
            }
        }
        material
    }

    fn pieces(&self, side: usize) -> u8 {
        self.men[side] + self.kings[side]
    }

    fn total(&self) -> u8 {
        self.pieces(0) + self.pieces(1)
    }

    /// The side that has a lone king and nothing else, the other being `true` for `fits(men, kings)`.
    fn lone_king(&self, fits: impl Fn(u8, u8) -> bool) -> Option<usize> {
        (0..2).find(|&s| self.men[s] == 0 && self.kings[s] == 1 && fits(self.men[1 - s], self.kings[1 - s]))
    }

    /// Men and kings of White and of Black, none of them on the main road.
    #[must_use]
    pub fn off_road(men: [u8; 2], kings: [u8; 2]) -> Self {
        Self { men, kings, ..Self::default() }
    }

    fn three_kings(&self) -> bool {
        self.lone_king(|men, kings| men == 0 && kings >= 3).is_some()
    }

    /// 7.2.6: the plies allowed, where both sides have a king and 4 to 7 pieces are left.
    fn few_pieces_limit(&self) -> Option<u16> {
        match self.total() {
            _ if self.kings.contains(&0) => None,
            4 | 5 => Some(60),
            6 | 7 => Some(120),
            _ => None,
        }
    }

    /// 7.2.8: king, king and man, or two kings, against a lone king.
    fn ending(&self) -> bool {
        self.lone_king(|men, kings| kings >= 1 && men + kings <= 2).is_some()
    }

    /// 7.2.7: the side whose lone king faces three pieces with a king among them.
    fn road_ending(&self) -> Option<usize> {
        self.lone_king(|men, kings| kings >= 1 && men + kings == 3)
    }

    /// 7.2.7: whether the lone king holds the main road with no other piece on it.
    fn holds_road(&self) -> bool {
        self.road_ending().is_some_and(|s| self.holds_road[s])
    }

    /// 7.2.7 as lidraughts counts it: whether the lone king stands on the main road.
    fn on_road(&self) -> bool {
        self.road_ending().is_some_and(|s| self.on_road[s])
    }
}

/// What one whole turn did, as the draw rules count it.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct TurnFacts {
    /// Whether anything was captured.
    pub captured: bool,
    /// Whether a man was crowned.
    pub promoted: bool,
    /// Whether a man moved.
    pub by_man: bool,
}

/// The counters of the draw rules, in plies (turns of either side).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Clock {
    /// Since the last capture or move of a man.
    pub kings_only: u16,
    /// Since the last capture or crowning.
    pub balance: u16,
    /// In which the lone king held the main road: running, or for lidraughts in total.
    pub road: u16,
    /// Since the capture that left three pieces or fewer, or a side's first crowning: 7.2.8 as lidraughts counts it.
    pub ending: u16,
}

/// How near the next draw is, as a net sees it: coarse, so that positions differ only where it matters. By board; the
/// second is empty where there is only one.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Hash)]
pub struct ClockView {
    /// Sixteenths of the plies that lead to the nearest draw, 0 to 16.
    pub sixteenths: [u8; 2],
    /// How often the position has been on the board before, 0 to 2.
    pub repetitions: [u8; 2],
}

impl ClockView {
    /// The values of the two scalar planes of a board, each 0 to 1.
    #[must_use]
    pub fn scalars(self, board: usize) -> [f32; 2] {
        [f32::from(self.sixteenths[board]) / 16.0, f32::from(self.repetitions[board]) / 2.0]
    }
}

impl Clock {
    pub(super) fn longest(&self) -> u16 {
        self.kings_only.max(self.balance).max(self.road).max(self.ending)
    }
}

impl Draws {
    /// No rule declares a draw after fewer plies.
    pub(super) const SHORTEST: u16 = 10;

    /// FMJD-64 7.2.3 to 7.2.8.
    pub const RUSSIAN: Self = Self {
        repetition: true,
        three_kings: true,
        kings_only: true,
        few_pieces: true,
        ending: true,
        main_road: true,
        lidraughts: false,
    };
    /// 7.2.3 to 7.2.5.
    pub const BASIC: Self = Self { few_pieces: false, ending: false, main_road: false, ..Self::RUSSIAN };

    /// The rules of a preset for a variant whose own rules these are; `None` where it has no such preset.
    #[must_use]
    pub fn preset(self, preset: Preset) -> Option<Self> {
        match preset {
            Preset::Official => Some(self),
            Preset::Basic => Some(Self { three_kings: self.three_kings, ..Self::BASIC }),
            Preset::Russian => Some(Self::RUSSIAN),
            Preset::Lidraughts => None,
        }
    }

    /// The counters after a turn that led from material `before` to `after`.
    pub(super) fn count(&self, clock: &mut Clock, facts: TurnFacts, before: &Material, after: &Material) {
        let restart = facts.captured || facts.promoted;
        let next = |count: u16, restart: bool| if restart { 0 } else { count.saturating_add(1) };
        clock.kings_only = next(clock.kings_only, facts.captured || facts.by_man);
        clock.balance = next(clock.balance, restart);
        clock.road = if self.lidraughts {
            let restart = restart || after.road_ending().is_none();
            if restart { 0 } else { clock.road.saturating_add(u16::from(after.on_road())) }
        } else {
            next(clock.road, restart || !before.holds_road() || !after.holds_road())
        };
        let first_crowning = facts.promoted && (0..2).any(|s| before.kings[s] == 0 && after.kings[s] > 0);
        // A capture from three pieces to two does not make the ending: it was there already.
        let made_by_capture = facts.captured && before.total() > 3;
        clock.ending = next(clock.ending, made_by_capture || first_crowning);
    }

    /// The rules that count towards a draw in this material: reason, plies counted, limit. In the order of the reports.
    fn running(&self, clock: &Clock, material: &Material) -> [(Reason, u16, u16); 6] {
        let never = u16::MAX;
        let few = if self.few_pieces { material.few_pieces_limit() } else { None };
        let few_reason = if few == Some(120) { Reason::SixSeven } else { Reason::FourFive };
        let kings_only_off = self.lidraughts && material.few_pieces_limit().is_some();
        let ending_count = if self.lidraughts { clock.ending } else { clock.balance };
        let on = |condition: bool, limit: u16| if condition { limit } else { never };
        let road_ending = self.main_road && material.road_ending().is_some();
        [
            (Reason::ThreeKings, clock.balance, on(self.three_kings && material.three_kings(), 30)),
            (Reason::KingsOnly, clock.kings_only, on(self.kings_only && !kings_only_off, 30)),
            (few_reason, clock.balance, few.unwrap_or(never)),
            (Reason::TwoThree, ending_count, on(self.ending && material.ending(), 10)),
            (Reason::MainRoad, clock.road, on(road_ending, 10)),
            (Reason::MainRoad, clock.balance, on(road_ending && self.lidraughts, 30)),
        ]
    }

    /// The draw that holds now, if any. `occurrences` counts the position itself.
    pub(super) fn drawn(&self, clock: &Clock, material: &Material, occurrences: usize) -> Option<Reason> {
        if self.repetition && occurrences >= 3 {
            return Some(Reason::Repetition);
        }
        if clock.longest() < Self::SHORTEST {
            return None;
        }
        let rules = self.running(clock, material);
        debug_assert!(rules.iter().all(|&(_, _, limit)| limit >= Self::SHORTEST), "{rules:?}");
        rules.into_iter().find(|&(_, count, limit)| count >= limit).map(|(reason, ..)| reason)
    }

    /// The nearest draw, coarse: sixteenths of its plies, and earlier occurrences.
    pub(super) fn view(&self, clock: &Clock, material: &Material, occurrences: usize) -> (u8, u8) {
        let sixteenths = self
            .running(clock, material)
            .into_iter()
            .filter(|&(_, _, limit)| limit != u16::MAX)
            .map(|(_, count, limit)| (16 * count.min(limit) / limit) as u8)
            .max()
            .unwrap_or(0);
        (sixteenths, occurrences.saturating_sub(1).min(2) as u8)
    }

    /// The fewest plies after which a counter that starts anew can declare a draw; `None` if no rule counts.
    pub(super) const fn shortest(&self) -> Option<u16> {
        if self.ending || self.main_road {
            Some(10)
        } else if self.three_kings || self.kings_only || self.few_pieces {
            Some(30)
        } else {
            None
        }
    }

    /// The counts that can become a draw while the pieces are these, each with its limit: those of kings alone where both
    /// sides have one, that of the main road where a lone king holds it.
    fn threats(&self, clock: &Clock, material: &Material) -> impl Iterator<Item = (u16, u16)> + use<> {
        let road = self.lidraughts || material.holds_road();
        let both_kings = !material.kings.contains(&0);
        let can_be = move |reason| match reason {
            Reason::KingsOnly => both_kings,
            Reason::MainRoad => road,
            _ => true,
        };
        let rules = self.running(clock, material).into_iter();
        rules
            .filter(move |&(reason, _, limit)| limit != u16::MAX && can_be(reason))
            .map(|(_, count, limit)| (count, limit))
    }

    /// Plies until the nearest draw by a counter that can become one while the pieces are these.
    pub(super) fn plies_threatened(&self, clock: &Clock, material: &Material) -> Option<u16> {
        self.threats(clock, material).map(|(count, limit)| limit.saturating_sub(count)).min()
    }

    /// The plies that the tightest rule allows of those which begin to count when these pieces come about and which can
    /// draw a game that takes at most `longest` turns from then on, and at most `held` from where a lone king holds the
    /// main road; `None` if none can.
    #[must_use]
    pub fn tightest(&self, material: &Material, longest: u16, held: u16) -> Option<u16> {
        let road = (self.main_road && held > Self::SHORTEST).then_some(Self::SHORTEST);
        let fresh = self.threats(&Clock::default(), material).map(|(_, limit)| limit);
        fresh.filter(|&limit| longest > limit).chain(road).min()
    }

    /// Plies until the nearest draw by counting, if a counter runs.
    pub(super) fn plies_left(&self, clock: &Clock, material: &Material) -> Option<u16> {
        self.running(clock, material)
            .into_iter()
            .filter(|&(_, _, limit)| limit != u16::MAX)
            .map(|(_, count, limit)| limit.saturating_sub(count))
            .min()
    }
}
