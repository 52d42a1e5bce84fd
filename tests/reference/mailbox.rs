//! A slow generator of Russian turns on an 8x8 array of letters, written from the text of the rules alone.
//!
//! It shares nothing with the crate: own board, own search of whole capture paths, own crowning, own text. Letters:
//! `w` `b` men, `W` `B` kings, `.` empty. Coordinates: `(file, rank)`, both from 0.

type Place = (usize, usize);

const DIAGONALS: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

/// A position, maybe in the middle of a capture.
#[derive(Clone)]
pub struct Mailbox {
    cells: [[char; 8]; 8],
    white_moves: bool,
    /// In mid capture: where the capturing piece stands, and the places it has jumped.
    chain: Option<(Place, Vec<Place>)>,
}

/// One way to play a turn: the landing places, and the position text that results.
pub struct Path {
    pub text: String,
    pub after: String,
}

impl Mailbox {
    /// Reads the canonical text, `:Cg5xf6,d4` included.
    pub fn parse(text: &str) -> Self {
        let mut sections = text.split(':');
        let white_moves = sections.next() == Some("W");
        let mut this = Self { cells: [['.'; 8]; 8], white_moves, chain: None };
        for section in sections {
            let (kind, rest) = section.split_at(1);
            if kind == "C" {
                let (at, jumped) = rest.split_once('x').unwrap();
                this.chain = Some((place(at), jumped.split(',').map(place).collect()));
                continue;
            }
            for item in rest.split(',').filter(|item| !item.is_empty()) {
                let (file, rank) = place(item.trim_start_matches('K'));
                let letter = if kind == "W" { 'w' } else { 'b' };
                this.cells[rank][file] = if item.starts_with('K') { letter.to_ascii_uppercase() } else { letter };
            }
        }
        this
    }

    /// The canonical text of a position between turns.
    fn text(&self) -> String {
        let mut lists = [Vec::new(), Vec::new()];
        for rank in 0..8 {
            for file in 0..8 {
                let letter = self.cells[rank][file];
                if letter != '.' {
                    let king = if letter.is_uppercase() { "K" } else { "" };
                    let list = usize::from(letter.eq_ignore_ascii_case(&'b'));
                    lists[list].push(format!("{king}{}", name((file, rank))));
                }
            }
        }
        let mover = if self.white_moves { "W" } else { "B" };
        format!("{mover}:W{}:B{}", lists[0].join(","), lists[1].join(","))
    }

    /// The distinct turns, or in mid capture the distinct rests of the turn: of all paths with the same start and result
    /// the one with the smallest text, sorted by text.
    pub fn turns(&self) -> Vec<(String, String)> {
        let mut distinct: Vec<(String, String)> = Vec::new();
        for path in self.paths() {
            let same = distinct.iter_mut().find(|(text, after)| text[..2] == path.text[..2] && *after == path.after);
            match same {
                Some(kept) if path.text < kept.0 => kept.0 = path.text,
                Some(_) => {}
                None => distinct.push((path.text, path.after)),
            }
        }
        distinct.sort();
        distinct
    }

    /// Every full path.
    pub fn paths(&self) -> Vec<Path> {
        let mut out = Vec::new();
        if let Some((at, jumped)) = &self.chain {
            let mut board = self.clone();
            let piece = std::mem::replace(&mut board.cells[at.1][at.0], '.');
            board.capture(piece, &[*at], jumped, &mut out);
            return out;
        }
        for start in self.own_places() {
            let mut board = self.clone();
            let piece = std::mem::replace(&mut board.cells[start.1][start.0], '.');
            board.capture(piece, &[start], &[], &mut out);
        }
        if out.is_empty() {
            for start in self.own_places() {
                self.quiet(start, &mut out);
            }
        }
        out
    }

    /// Where the next single hop may lead: pairs of names.
    pub fn hops(&self) -> Vec<(String, String)> {
        let mut hops: Vec<_> =
            self.paths().iter().map(|path| (path.text[..2].to_owned(), path.text[3..5].to_owned())).collect();
        hops.sort();
        hops.dedup();
        hops
    }

    fn own_places(&self) -> Vec<Place> {
        let own = if self.white_moves { 'w' } else { 'b' };
        let all = (0..8).flat_map(|rank| (0..8).map(move |file| (file, rank)));
        all.filter(|&(file, rank)| self.cells[rank][file].eq_ignore_ascii_case(&own)).collect()
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

    fn quiet(&self, start: Place, out: &mut Vec<Path>) {
        let piece = self.cells[start.1][start.0];
        for d in DIAGONALS {
            let forward = if self.white_moves { d.1 > 0 } else { d.1 < 0 };
            if piece.is_lowercase() && !forward {
                continue;
            }
            let mut to = next(start, d);
            while self.letter(to) == Some('.') {
                let (file, rank) = to.unwrap();
                let mut board = self.clone();
                board.cells[start.1][start.0] = '.';
                board.cells[rank][file] = Self::crowned(piece, rank);
                board.white_moves = !self.white_moves;
                out.push(Path { text: format!("{}-{}", name(start), name((file, rank))), after: board.text() });
                if piece.is_lowercase() {
                    break;
                }
                to = next((file, rank), d);
            }
        }
    }

    /// Follows every capture of a piece that stands on the last place of `path` and is lifted from `cells`; the pieces
    /// jumped still stand.
    fn capture(&self, piece: char, path: &[Place], jumped: &[Place], out: &mut Vec<Path>) {
        let at = *path.last().unwrap();
        let jumps = self.jumps(piece, at, jumped);
        if jumps.is_empty() {
            if path.len() > 1 {
                let mut board = self.clone();
                board.cells[at.1][at.0] = piece;
                for &(file, rank) in jumped {
                    board.cells[rank][file] = '.';
                }
                board.white_moves = !self.white_moves;
                board.chain = None;
                let names: Vec<_> = path.iter().copied().map(name).collect();
                out.push(Path { text: names.join(":"), after: board.text() });
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
                self.capture(Self::crowned(piece, to.1), &[path, &[to]].concat(), &jumped, out);
            }
        }
    }

    /// What a piece can jump: the place jumped and the places behind it.
    fn jumps(&self, piece: char, at: Place, jumped: &[Place]) -> Vec<(Place, Vec<Place>)> {
        let mut found = Vec::new();
        for d in DIAGONALS {
            let mut over = next(at, d);
            if piece.is_uppercase() {
                while self.letter(over) == Some('.') {
                    over = next(over.unwrap(), d);
                }
            }
            let Some(victim) = over.filter(|&(file, rank)| self.is_enemy(self.cells[rank][file])) else { continue };
            if jumped.contains(&victim) {
                continue;
            }
            let mut landings = Vec::new();
            let mut to = next(victim, d);
            while self.letter(to) == Some('.') {
                landings.push(to.unwrap());
                if piece.is_lowercase() {
                    break;
                }
                to = next(to.unwrap(), d);
            }
            if !landings.is_empty() {
                found.push((victim, landings));
            }
        }
        found
    }
}

fn next((file, rank): Place, (df, dr): (i32, i32)) -> Option<Place> {
    let (file, rank) = (file as i32 + df, rank as i32 + dr);
    ((0..8).contains(&file) && (0..8).contains(&rank)).then_some((file as usize, rank as usize))
}

fn name((file, rank): Place) -> String {
    format!("{}{}", char::from(b'a' + file as u8), rank + 1)
}

fn place(name: &str) -> Place {
    let bytes = name.as_bytes();
    (usize::from(bytes[0] - b'a'), usize::from(bytes[1] - b'1'))
}
