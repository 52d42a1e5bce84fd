//! A slow judge of draws: looks through all positions of a game from the first to the last, and keeps no counters.
//!
//! Written from the text of the rules alone (FMJD-64 7.2.3 to 7.2.8, and what lidraughts makes of them).

use shashki::games::Preset;

/// A position between turns: who moves, and the squares of the men and kings of White and of Black.
struct Snapshot {
    text: String,
    men: [Vec<String>; 2],
    kings: [Vec<String>; 2],
}

/// The positions of a game between turns, the first one first.
#[derive(Default)]
pub struct Referee {
    seen: Vec<Snapshot>,
}

impl Snapshot {
    fn pieces(&self, side: usize) -> usize {
        self.men[side].len() + self.kings[side].len()
    }

    fn total(&self) -> usize {
        self.pieces(0) + self.pieces(1)
    }

    /// The side that has one king and nothing else, against a king at least.
    fn weak_side(&self) -> Option<usize> {
        (0..2).find(|&s| self.men[s].is_empty() && self.kings[s].len() == 1 && !self.kings[1 - s].is_empty())
    }

    /// 7.2.7: the weak side of three pieces against one.
    fn three_against_one(&self) -> Option<usize> {
        self.weak_side().filter(|&s| self.pieces(1 - s) == 3)
    }

    fn on_road(squares: &[String]) -> usize {
        squares.iter().filter(|s| s.as_bytes()[0] - b'a' == s.as_bytes()[1] - b'1').count()
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
    /// Takes note of the next position, given by its canonical text.
    pub fn see(&mut self, text: &str) {
        let mut snapshot = Snapshot { text: text.to_owned(), men: Default::default(), kings: Default::default() };
        for (side, section) in text.split(':').skip(1).enumerate() {
            for item in section[1..].split(',').filter(|item| !item.is_empty()) {
                match item.strip_prefix('K') {
                    Some(square) => snapshot.kings[side].push(square.to_owned()),
                    None => snapshot.men[side].push(item.to_owned()),
                }
            }
        }
        self.seen.push(snapshot);
    }

    /// The plies since the last one for which `happened(before, after, mover)` holds, or since the beginning.
    fn since(&self, happened: impl Fn(&Snapshot, &Snapshot, usize) -> bool) -> usize {
        let mover = |before: &Snapshot| usize::from(before.text.starts_with('B'));
        self.seen.windows(2).rev().take_while(|p| !happened(&p[0], &p[1], mover(&p[0]))).count()
    }

    /// The draw that holds in the last position.
    pub fn draw(&self, preset: Preset) -> Option<&'static str> {
        let now = self.seen.last().unwrap();
        let captured = |before: &Snapshot, after: &Snapshot| before.total() > after.total();
        let crowned = |b: &Snapshot, a: &Snapshot, mover: usize| a.kings[mover].len() > b.kings[mover].len();
        let quiet = self.since(|b, a, mover| captured(b, a) || crowned(b, a, mover));
        let by_kings = self.since(|b, a, mover| captured(b, a) || b.men[mover] != a.men[mover]);
        let (basic, lidraughts) = (preset == Preset::Basic, preset == Preset::Lidraughts);

        if self.seen.iter().filter(|s| s.text == now.text).count() >= 3 {
            return Some("repetition");
        }
        let weak = now.weak_side();
        if weak.is_some_and(|s| now.men[1 - s].is_empty() && now.kings[1 - s].len() >= 3) && quiet >= 30 {
            return Some("three kings against one");
        }
        if by_kings >= 30 && !(lidraughts && now.row().is_some()) {
            return Some("kings only");
        }
        if basic {
            return None;
        }
        if let Some((limit, name)) = now.row().filter(|&(limit, _)| quiet >= limit) {
            return Some(if limit == 60 { "4-5 pieces" } else { name });
        }
        let ending = if lidraughts {
            self.since(|b, a, mover| {
                (b.total() > 3 && a.total() <= 3) || (b.kings[mover].is_empty() && crowned(b, a, mover))
            })
        } else {
            quiet
        };
        if weak.is_some_and(|s| now.pieces(1 - s) <= 2) && ending >= 10 {
            return Some("2-3 pieces");
        }
        now.three_against_one()?;
        let recent = &self.seen[self.seen.len() - 1 - quiet..];
        let king_on_road = |p: &Snapshot| p.three_against_one().is_some_and(|s| Snapshot::on_road(&p.kings[s]) == 1);
        let alone = |p: &Snapshot| p.men.iter().chain(&p.kings).map(|list| Snapshot::on_road(list)).sum::<usize>() == 1;
        let drawn = if lidraughts {
            quiet >= 30 || recent[1..].iter().filter(|p| king_on_road(p)).count() >= 10
        } else {
            recent.len() >= 11 && recent[recent.len() - 11..].iter().all(|p| king_on_road(p) && alone(p))
        };
        drawn.then_some("lone king on the main road")
    }
}
