//! A slow generator of Russian turns on an array of letters, written from the text of the rules alone: for `russian`,
//! `poddavki` and, ten files wide, `spantsireti`; and, since a diagonal stays on its colour, for both boards of Vigman's.
//!
//! Letters: `w` `b` men, `W` `B` kings, `.` empty.

use crate::slow::{DIAGONALS, Line, Place, Slow, chain, name, names, next, place};

/// A position, maybe in the middle of a capture.
#[derive(Clone)]
pub struct Mailbox<const FILES: usize, const GIVEAWAY: bool = false> {
    pub cells: [[char; FILES]; 8],
    pub white_moves: bool,
    /// In mid capture: where the capturing piece stands, and the places it has jumped.
    pub chain: Option<(Place, Vec<Place>)>,
}

impl<const FILES: usize, const GIVEAWAY: bool> Slow for Mailbox<FILES, GIVEAWAY> {
    fn parse(text: &str) -> Self {
        let mut sections = text.split(':');
        let white_moves = sections.next() == Some("W");
        let mut this = Self { cells: [['.'; FILES]; 8], white_moves, chain: None };
        for section in sections {
            let (kind, rest) = section.split_at(1);
            match kind {
                "C" => this.chain = Some(chain(rest)),
                "W" | "B" => {
                    for item in rest.split(',').filter(|item| !item.is_empty()) {
                        let (file, rank) = place(item.trim_start_matches('K'));
                        let letter = if kind == "W" { 'w' } else { 'b' };
                        this.cells[rank][file] =
                            if item.starts_with('K') { letter.to_ascii_uppercase() } else { letter };
                    }
                }
                // Vigman's draughts read the others.
                _ => {}
            }
        }
        this
    }

    fn text(&self) -> String {
        let mut lists = [Vec::new(), Vec::new()];
        for rank in 0..8 {
            for file in 0..FILES {
                let letter = self.cells[rank][file];
                if letter != '.' {
                    let king = if letter.is_uppercase() { "K" } else { "" };
                    let list = usize::from(letter.eq_ignore_ascii_case(&'b'));
                    lists[list].push(format!("{king}{}", name((file, rank))));
                }
            }
        }
        let mover = if self.white_moves { "W" } else { "B" };
        let chain = self.chain.as_ref().map_or_else(String::new, |(at, jumped)| {
            // The order of the jumps says nothing without towers.
            let mut jumped = jumped.clone();
            jumped.sort_by_key(|&(file, rank)| (rank, file));
            format!(":C{}x{}", name(*at), names(&jumped).join(","))
        });
        format!("{mover}:W{}:B{}{chain}", lists[0].join(","), lists[1].join(","))
    }

    fn lines(&self) -> Vec<Line<Self>> {
        self.lines_from(&self.own_places())
    }

    fn winner(&self) -> char {
        if self.white_moves == GIVEAWAY { 'W' } else { 'B' }
    }
}

impl<const FILES: usize, const GIVEAWAY: bool> Mailbox<FILES, GIVEAWAY> {
    pub fn own_places(&self) -> Vec<Place> {
        let own = if self.white_moves { 'w' } else { 'b' };
        let all = (0..8).flat_map(|rank| (0..FILES).map(move |file| (file, rank)));
        all.filter(|&(file, rank)| self.cells[rank][file].eq_ignore_ascii_case(&own)).collect()
    }

    /// Every way to play one move if only the pieces on these squares may: captures if there are any. In mid capture the
    /// ways to end it.
    pub fn lines_from(&self, places: &[Place]) -> Vec<Line<Self>> {
        let mut out = Vec::new();
        let (places, jumped) = match &self.chain {
            Some((at, jumped)) => (std::slice::from_ref(at), jumped.as_slice()),
            None => (places, [].as_slice()),
        };
        for &start in places {
            let mut board = self.clone();
            let piece = std::mem::replace(&mut board.cells[start.1][start.0], '.');
            board.capture(piece, start, jumped, &Line::at(start), &mut out);
        }
        if out.is_empty() {
            for &start in places {
                self.quiet(start, &mut out);
            }
        }
        out
    }

    fn is_enemy(&self, letter: char) -> bool {
        letter.eq_ignore_ascii_case(if self.white_moves { &'b' } else { &'w' })
    }

    fn letter(&self, at: Option<Place>) -> Option<char> {
        at.map(|(file, rank)| self.cells[rank][file])
    }

    /// A man on its last rank is a king.
    fn crowned(piece: char, rank: usize) -> char {
        match (piece, rank) {
            ('w', 7) => 'W',
            ('b', 0) => 'B',
            _ => piece,
        }
    }

    fn quiet(&self, start: Place, out: &mut Vec<Line<Self>>) {
        let piece = self.cells[start.1][start.0];
        for d in DIAGONALS {
            let forward = if self.white_moves { d.1 > 0 } else { d.1 < 0 };
            if piece.is_lowercase() && !forward {
                continue;
            }
            let mut to = next(FILES, start, d);
            while self.letter(to) == Some('.') {
                let (file, rank) = to.unwrap();
                let mut board = self.clone();
                board.cells[start.1][start.0] = '.';
                board.cells[rank][file] = Self::crowned(piece, rank);
                board.white_moves = !self.white_moves;
                let mut line = Line::at(start);
                line.moves[0].0.push((file, rank));
                line.stops.push(board);
                out.push(line);
                if piece.is_lowercase() {
                    break;
                }
                to = next(FILES, (file, rank), d);
            }
        }
    }

    /// Follows every capture of a piece that has come along `line` to `at` and is lifted from `cells`; the pieces jumped
    /// still stand.
    fn capture(&self, piece: char, at: Place, jumped: &[Place], line: &Line<Self>, out: &mut Vec<Line<Self>>) {
        let jumps = self.jumps(piece, at, jumped);
        let moved = !line.stops.is_empty();
        if jumps.is_empty() {
            if moved {
                out.push(self.ended(line));
            }
            return;
        }
        for (over, landings) in jumps {
            let jumped = [jumped, &[over]].concat();
            // The landing rule: if from one of the places behind the piece the capture can go on, only such a place.
            let going_on: Vec<Place> = landings
                .iter()
                .copied()
                .filter(|&to| !self.jumps(Self::crowned(piece, to.1), to, &jumped).is_empty())
                .collect();
            for to in if going_on.is_empty() { landings } else { going_on } {
                let now = Self::crowned(piece, to.1);
                let mut line = line.clone();
                line.crowned_on_the_way |= now != piece && !self.jumps(now, to, &jumped).is_empty();
                line.moves[0].0.push(to);
                line.moves[0].1 = true;
                line.jumped.push(over);
                let mut stop = self.clone();
                stop.cells[to.1][to.0] = now;
                stop.chain = Some((to, jumped.clone()));
                line.stops.push(stop);
                self.capture(now, to, &jumped, &line, out);
            }
        }
    }

    /// The pieces jumped, by this line or before it, leave when the move is over.
    fn ended(&self, line: &Line<Self>) -> Line<Self> {
        let mut line = line.clone();
        let last = line.stops.last_mut().unwrap();
        for (file, rank) in last.chain.take().unwrap().1 {
            last.cells[rank][file] = '.';
        }
        last.white_moves = !self.white_moves;
        line
    }

    /// What a piece can jump: the place jumped and the places behind it.
    fn jumps(&self, piece: char, at: Place, jumped: &[Place]) -> Vec<(Place, Vec<Place>)> {
        let mut found = Vec::new();
        for d in DIAGONALS {
            let mut over = next(FILES, at, d);
            if piece.is_uppercase() {
                while self.letter(over) == Some('.') {
                    over = next(FILES, over.unwrap(), d);
                }
            }
            let Some(victim) = over.filter(|&(file, rank)| self.is_enemy(self.cells[rank][file])) else { continue };
            if jumped.contains(&victim) {
                continue;
            }
            let mut landings = Vec::new();
            let mut to = next(FILES, victim, d);
            while self.letter(to) == Some('.') {
                landings.push(to.unwrap());
                if piece.is_lowercase() {
                    break;
                }
                to = next(FILES, to.unwrap(), d);
            }
            if !landings.is_empty() {
                found.push((victim, landings));
            }
        }
        found
    }
}
