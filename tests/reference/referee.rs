//! A slow judge of draws: looks through all positions of a game from the first to the last, and keeps no counters.
//!
//! Written from the text of the rules alone (FMJD-64 7.2.3 to 7.2.8, what lidraughts makes of them, and which of them each
//! variant has).

use shashki::games::{Preset, Variant};

/// The draw rules of a variant, beside repetition and fifteen moves of kings.
#[derive(Copy, Clone, Default)]
pub struct Rules {
    /// 7.2.4.
    three_kings: bool,
    /// 7.2.6 and 7.2.8.
    few_pieces: bool,
    /// 7.2.7: the files of the main road's squares from the first rank up.
    road: Option<&'static str>,
    lidraughts: bool,
}

/// The main roads of the dark and of the light squares.
const ROADS: [&str; 2] = ["abcdefgh", "hgfedcba"];

impl Rules {
    /// The rules of a preset; on the light squares the main road is another. `None` where the variant lacks the preset.
    pub fn of(variant: Variant, preset: Preset, light: bool) -> Option<Self> {
        let none = Self::default();
        let road = Some(ROADS[usize::from(light)]);
        let all = Self { three_kings: true, few_pieces: true, road, lidraughts: false };
        let own = match variant {
            Variant::Russian | Variant::Vigman => all,
            Variant::Spantsireti => Self { road: None, ..all },
            Variant::Poddavki | Variant::Bashni | Variant::BashniIm | Variant::VigmanFree => none,
        };
        match preset {
            Preset::Official => Some(own),
            Preset::Basic => Some(Self { three_kings: own.three_kings, ..none }),
            Preset::Lidraughts => (variant == Variant::Russian).then_some(Self { lidraughts: true, ..own }),
            // All that the board knows, for the variants in which the material says something.
            Preset::Russian => match variant {
                Variant::Bashni | Variant::BashniIm | Variant::VigmanFree => None,
                Variant::Spantsireti => Some(own),
                _ => Some(all),
            },
        }
    }

    /// The names of the draws that may come.
    pub fn names(&self) -> Vec<&'static str> {
        let mut names = vec!["repetition", "kings only"];
        names.extend(self.three_kings.then_some("three kings against one"));
        names.extend(self.few_pieces.then_some(["4-5 pieces", "6-7 pieces", "2-3 pieces"]).into_iter().flatten());
        names.extend(self.road.map(|_| "lone king on the main road"));
        names
    }
}

/// A position between moves: who moves, and the squares of the men and kings of White and of Black; of a tower the top.
struct Snapshot {
    text: String,
    men: [Vec<String>; 2],
    kings: [Vec<String>; 2],
    /// Whether the move that led here was a capture, and whether a man made it.
    capture: bool,
    by_man: bool,
}

/// The positions of a game between moves, the first one first.
pub struct Referee {
    rules: Rules,
    seen: Vec<Snapshot>,
}

impl Snapshot {
    /// The squares of a list, with towers their tops alone.
    fn new(text: &str) -> Self {
        let (men, kings) = Default::default();
        let mut snapshot = Self { text: text.to_owned(), men, kings, capture: false, by_man: false };
        for (side, section) in text.split(':').skip(1).take(2).enumerate() {
            for item in section[1..].split(',').filter(|item| !item.is_empty()) {
                let (king, square, tower) = match item.strip_prefix('K') {
                    Some(square) => (true, square, ""),
                    None => (false, &item[..2], &item[2..]),
                };
                let king = king || tower.starts_with(['W', 'B']);
                (if king { &mut snapshot.kings } else { &mut snapshot.men })[side].push(square.to_owned());
            }
        }
        snapshot
    }

    fn pieces(&self, side: usize) -> usize {
        self.men[side].len() + self.kings[side].len()
    }

    fn total(&self) -> usize {
        self.pieces(0) + self.pieces(1)
    }

    fn mover(&self) -> usize {
        usize::from(self.text.starts_with('B'))
    }

    /// The side that has one king and nothing else, against a king at least.
    fn weak_side(&self) -> Option<usize> {
        (0..2).find(|&s| self.men[s].is_empty() && self.kings[s].len() == 1 && !self.kings[1 - s].is_empty())
    }

    /// 7.2.7: the weak side of three pieces against one.
    fn three_against_one(&self) -> Option<usize> {
        self.weak_side().filter(|&s| self.pieces(1 - s) == 3)
    }

    /// The rows of 7.2.6: plies and name.
    fn row(&self) -> Option<(usize, &'static str)> {
        match self.total() {
            _ if self.kings.iter().any(Vec::is_empty) => None,
            4 | 5 => Some((60, "4-5 pieces")),
            6 | 7 => Some((120, "6-7 pieces")),
            _ => None,
        }
    }
}

impl Referee {
    /// A judge of the game that begins with this position, given by its canonical text.
    pub fn new(rules: Rules, text: &str) -> Self {
        Self { rules, seen: vec![Snapshot::new(text)] }
    }

    /// Takes note of a move, given by its text, and of the position after it.
    pub fn see(&mut self, played: &str, text: &str) {
        let mut snapshot = Snapshot::new(text);
        let before = self.seen.last().unwrap();
        snapshot.capture = played.contains(':');
        snapshot.by_man = before.men[before.mover()].iter().any(|square| *square == played[..2]);
        self.seen.push(snapshot);
    }

    /// The plies since the last one for which `happened(before, after, mover)` holds, or since the beginning.
    fn since(&self, happened: impl Fn(&Snapshot, &Snapshot, usize) -> bool) -> usize {
        self.seen.windows(2).rev().take_while(|p| !happened(&p[0], &p[1], p[0].mover())).count()
    }

    /// The whole turns at the end in which only kings moved and nothing was captured. A turn is all that a side plays
    /// before the other one does.
    fn turns_by_kings(&self) -> usize {
        let mut turns: Vec<bool> = Vec::new();
        let mut within = false;
        for after in &self.seen[1..] {
            let by_king = !after.capture && !after.by_man;
            if within {
                *turns.last_mut().unwrap() &= by_king;
            } else {
                turns.push(by_king);
            }
            within = after.text.contains(":N2");
        }
        // A turn under way does not count yet.
        turns.truncate(turns.len() - usize::from(within));
        turns.iter().rev().take_while(|by_kings| **by_kings).count()
    }

    /// The draw that holds in the last position.
    pub fn draw(&self) -> Option<&'static str> {
        let now = self.seen.last().unwrap();
        let Rules { three_kings, few_pieces, road, lidraughts } = self.rules;
        let crowned = |b: &Snapshot, a: &Snapshot, mover: usize| a.kings[mover].len() > b.kings[mover].len();
        let quiet = self.since(|b, a, mover| a.capture || crowned(b, a, mover));

        if self.seen.iter().filter(|s| s.text == now.text).count() >= 3 {
            return Some("repetition");
        }
        let weak = now.weak_side();
        let kings_alone = weak.is_some_and(|s| now.men[1 - s].is_empty() && now.kings[1 - s].len() >= 3);
        if three_kings && kings_alone && quiet >= 30 {
            return Some("three kings against one");
        }
        if self.turns_by_kings() >= 30 && !(lidraughts && now.row().is_some()) {
            return Some("kings only");
        }
        if let Some((limit, name)) = now.row().filter(|&(limit, _)| few_pieces && quiet >= limit) {
            return Some(if limit == 60 { "4-5 pieces" } else { name });
        }
        let ending = if lidraughts {
            self.since(|b, a, mover| {
                (b.total() > 3 && a.total() <= 3) || (b.kings[mover].is_empty() && crowned(b, a, mover))
            })
        } else {
            quiet
        };
        if few_pieces && weak.is_some_and(|s| now.pieces(1 - s) <= 2) && ending >= 10 {
            return Some("2-3 pieces");
        }
        now.three_against_one()?;
        let road = road?;
        let on_road =
            |square: &&String| road.find(&square[..1]).is_some_and(|rank| square[1..] == (rank + 1).to_string());
        let on_road = |squares: &[String]| squares.iter().filter(on_road).count();
        let recent = &self.seen[self.seen.len() - 1 - quiet..];
        let king_on_road = |p: &Snapshot| p.three_against_one().is_some_and(|s| on_road(&p.kings[s]) == 1);
        let alone = |p: &Snapshot| p.men.iter().chain(&p.kings).map(|list| on_road(list)).sum::<usize>() == 1;
        let drawn = if lidraughts {
            quiet >= 30 || recent[1..].iter().filter(|p| king_on_road(p)).count() >= 10
        } else {
            recent.len() >= 11 && recent[recent.len() - 11..].iter().all(|p| king_on_road(p) && alone(p))
        };
        drawn.then_some("lone king on the main road")
    }
}
