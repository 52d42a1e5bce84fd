//! A slow generator of turns with towers, written from the text of the rules alone: each square holds the letters of its
//! tower from the top down. `IMMEDIATE` tells `bashni-im`, which takes prisoners at each jump, from `bashni`, which takes
//! them when the move is over.

use crate::slow::{DIAGONALS, Line, Place, Slow, chain, name, names, next, place};

/// A position, maybe in the middle of a capture.
#[derive(Clone)]
pub struct Towers<const IMMEDIATE: bool> {
    cells: [[String; 8]; 8],
    white_moves: bool,
    /// In mid capture: where the capturing tower stands, and the places it may not jump: all that it has jumped, or where
    /// prisoners are taken at once the last.
    chain: Option<(Place, Vec<Place>)>,
}

fn is_king(tower: &str) -> bool {
    tower.starts_with(['W', 'B'])
}

impl<const IMMEDIATE: bool> Slow for Towers<IMMEDIATE> {
    fn parse(text: &str) -> Self {
        let mut sections = text.split(':');
        let white_moves = sections.next() == Some("W");
        let mut this = Self { cells: Default::default(), white_moves, chain: None };
        for section in sections {
            let (kind, rest) = section.split_at(1);
            if kind == "C" {
                this.chain = Some(chain(rest));
                continue;
            }
            for item in rest.split(',').filter(|item| !item.is_empty()) {
                let (square, tower) = item.split_at(2);
                let (file, rank) = place(square);
                this.cells[rank][file] = tower.to_owned();
            }
        }
        this
    }

    fn text(&self) -> String {
        let mut lists = [Vec::new(), Vec::new()];
        for rank in 0..8 {
            for file in 0..8 {
                let tower = &self.cells[rank][file];
                if !tower.is_empty() {
                    lists[usize::from(tower.starts_with(['b', 'B']))].push(format!("{}{tower}", name((file, rank))));
                }
            }
        }
        let mover = if self.white_moves { "W" } else { "B" };
        let chain = self.chain.as_ref().map_or_else(String::new, |(at, jumped)| {
            format!(":C{}x{}", name(*at), names(&self.in_order(jumped)).join(","))
        });
        format!("{mover}:W{}:B{}{chain}", lists[0].join(","), lists[1].join(","))
    }

    fn lines(&self) -> Vec<Line<Self>> {
        let mut out = Vec::new();
        let (places, barred) = self.chain.clone().map_or_else(|| (self.own_places(), vec![]), |(at, b)| (vec![at], b));
        for &start in &places {
            let mut board = self.clone();
            let tower = std::mem::take(&mut board.cells[start.1][start.0]);
            board.capture(&tower, start, &barred, &Line::at(start), &mut out);
        }
        if out.is_empty() {
            for start in places {
                self.quiet(start, &mut out);
            }
        }
        out
    }

    fn winner(&self) -> char {
        if self.white_moves { 'B' } else { 'W' }
    }
}

impl<const IMMEDIATE: bool> Towers<IMMEDIATE> {
    fn own_places(&self) -> Vec<Place> {
        let all = (0..8).flat_map(|rank| (0..8).map(move |file| (file, rank)));
        all.filter(|&(file, rank)| self.is_own(&self.cells[rank][file])).collect()
    }

    fn is_own(&self, tower: &str) -> bool {
        tower.starts_with(if self.white_moves { ['w', 'W'] } else { ['b', 'B'] })
    }

    /// The squares jumped in an order that says which prisoners come one after the other: equal tops are equal prisoners, of
    /// which the text names the lower square first.
    fn in_order(&self, jumped: &[Place]) -> Vec<Place> {
        if IMMEDIATE {
            return jumped.to_vec();
        }
        let mut left = jumped.to_vec();
        left.sort_by_key(|&(file, rank)| (rank, file));
        let top = |&(file, rank): &Place| self.cells[rank][file].chars().next();
        let take = |place| left.remove(left.iter().position(|other| top(other) == top(place)).unwrap());
        jumped.iter().map(take).collect()
    }

    fn is_empty(&self, at: Option<Place>) -> bool {
        at.is_some_and(|(file, rank)| self.cells[rank][file].is_empty())
    }

    /// Only the top piece of a tower on its last rank becomes a king.
    fn crowned(tower: &str, rank: usize) -> String {
        match (tower.split_at(1), rank) {
            (("w", below), 7) => format!("W{below}"),
            (("b", below), 0) => format!("B{below}"),
            _ => tower.to_owned(),
        }
    }

    fn quiet(&self, start: Place, out: &mut Vec<Line<Self>>) {
        let tower = &self.cells[start.1][start.0];
        for d in DIAGONALS {
            let forward = if self.white_moves { d.1 > 0 } else { d.1 < 0 };
            if !is_king(tower) && !forward {
                continue;
            }
            let mut to = next(8, start, d);
            while self.is_empty(to) {
                let (file, rank) = to.unwrap();
                let mut board = self.clone();
                board.cells[start.1][start.0].clear();
                board.cells[rank][file] = Self::crowned(tower, rank);
                board.white_moves = !self.white_moves;
                let mut line = Line::at(start);
                line.moves[0].0.push((file, rank));
                line.stops.push(board);
                out.push(line);
                if !is_king(tower) {
                    break;
                }
                to = next(8, (file, rank), d);
            }
        }
    }

    /// Follows every capture of a tower that has come along `line` to `at` and is lifted from `cells`.
    fn capture(&self, tower: &str, at: Place, barred: &[Place], line: &Line<Self>, out: &mut Vec<Line<Self>>) {
        let jumps = self.jumps(tower, at, barred);
        if jumps.is_empty() {
            if !line.stops.is_empty() {
                out.push(self.ended(line));
            }
            return;
        }
        for (over, landings) in jumps {
            let after = |to: Place| self.jumped(&Self::crowned(tower, to.1), over, barred);
            let can_go_on = |to: Place| {
                let (board, tower, barred) = after(to);
                !board.jumps(&tower, to, &barred).is_empty()
            };
            // The landing rule: if from one of the places behind the tower the capture can go on, only such a place.
            let going_on: Vec<Place> = landings.iter().copied().filter(|&to| can_go_on(to)).collect();
            for to in if going_on.is_empty() { landings } else { going_on } {
                let (board, now, barred) = after(to);
                let mut line = line.clone();
                line.crowned_on_the_way |= is_king(&now) && !is_king(tower) && can_go_on(to);
                line.freed += usize::from(self.is_own(&self.cells[over.1][over.0][1..]));
                line.moves[0].0.push(to);
                line.moves[0].1 = true;
                line.jumped.push(over);
                let mut stop = board.clone();
                stop.cells[to.1][to.0] = now.clone();
                stop.chain = Some((to, barred.clone()));
                line.stops.push(stop);
                board.capture(&now, to, &barred, &line, out);
            }
        }
    }

    /// The board, the capturing tower and the places barred to it after one jump.
    fn jumped(&self, tower: &str, over: Place, barred: &[Place]) -> (Self, String, Vec<Place>) {
        let mut board = self.clone();
        if IMMEDIATE {
            let top = board.cells[over.1][over.0].remove(0);
            (board, format!("{tower}{top}"), vec![over])
        } else {
            (board, tower.to_owned(), [barred, &[over]].concat())
        }
    }

    /// When the move is over, the tops of the towers jumped that still stand go under the tower, the first one first.
    fn ended(&self, line: &Line<Self>) -> Line<Self> {
        let mut line = line.clone();
        let last = line.stops.last_mut().unwrap();
        let (at, barred) = last.chain.take().unwrap();
        if !IMMEDIATE {
            for (file, rank) in barred {
                let top = last.cells[rank][file].remove(0);
                last.cells[at.1][at.0].push(top);
            }
        }
        last.white_moves = !self.white_moves;
        line
    }

    /// What a tower can jump: the place jumped and the places behind it.
    fn jumps(&self, tower: &str, at: Place, barred: &[Place]) -> Vec<(Place, Vec<Place>)> {
        let mut found = Vec::new();
        for d in DIAGONALS {
            let mut over = next(8, at, d);
            while is_king(tower) && self.is_empty(over) {
                over = next(8, over.unwrap(), d);
            }
            let Some(victim) = over.filter(|place| !barred.contains(place)) else { continue };
            let other = &self.cells[victim.1][victim.0];
            if other.is_empty() || self.is_own(other) {
                continue;
            }
            let mut landings = Vec::new();
            let mut to = next(8, victim, d);
            while self.is_empty(to) {
                landings.push(to.unwrap());
                if !is_king(tower) {
                    break;
                }
                to = next(8, to.unwrap(), d);
            }
            if !landings.is_empty() {
                found.push((victim, landings));
            }
        }
        found
    }
}
