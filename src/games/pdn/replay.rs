//! What a game's text means: its turns are played, its result is held against the last position.

use std::borrow::Cow;

use crate::board::{Hop, Hops, Square};
use crate::error::Error;
use crate::games::draws::Preset;
use crate::games::game::{Game, Outcome, Reason};
use crate::games::position::Position;
use crate::games::turn::{self, Turn};

use super::fault::Fault;
use super::record::{Record, after};
use super::said::Said;
use super::text::{GameText, Item, Kind};
use super::write::{ROSTER, is_derived};

/// Where the numbers of the squares begin, as a game type tells it: 0 lower left, 1 lower right, 2 upper left, 3 upper
/// right. The variants' own numbers begin in the upper left.
const UPPER_LEFT: u8 = 2;

/// A game that was read.
#[derive(Clone, Debug)]
pub struct Read<P> {
    /// The game.
    pub record: Record<P>,
    /// What is odd about it but no fault, like a game that goes on although a draw rule has ended it: real games were
    /// played by other rules.
    pub warnings: Vec<Fault>,
}

impl GameText {
    /// Plays the game. Turns that were not played, `(…)`, become remarks; `!` and `?` become glyphs.
    ///
    /// # Errors
    /// What is wrong and where: the game is broken or of another variant, a turn is not legal, or the result contradicts
    /// the position that the game ends in.
    pub fn read<P: Position>(&self) -> Result<Read<P>, Fault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let (own, named) = (P::SPEC.variant, self.variant(Some(P::SPEC.variant))?);
        if own != named {
            return Err(self.fault(self.line, format!("a game of {named}, expected one of {own}")));
        }
        let mut replay = Replay::<P>::new(self)?;
        let mut result = None;
        for &item in &self.items {
            let record = &mut replay.record;
            match item.kind {
                Kind::Turn => replay.turn(item)?,
                Kind::Comment => record.comments.push((record.turns.len(), self.of(item).to_owned())),
                Kind::Nag(nag) => record.nags.push((record.turns.len(), nag)),
                Kind::Result => result = Some(item),
            }
        }
        replay.finish(result)
    }
}

/// A game that is being played from its text.
struct Replay<'a, P> {
    text: &'a GameText,
    record: Record<P>,
    warnings: Vec<Fault>,
    /// The game by the record's draw rules, as long as it was played by them.
    game: Option<Game<P>>,
    /// The position that the turns alone lead to. It differs from the game's only where a draw has closed one of two
    /// boards; `None` where the turns are legal only then.
    free: Option<P>,
    /// Where the numbers of squares may begin; one place once that is known.
    corners: Vec<u8>,
    hops: Hops,
}

impl<'a, P: Position> Replay<'a, P> {
    fn new(text: &'a GameText) -> Result<Self, Fault> {
        let start = text.find("FEN").map_or(Ok(P::start()), |tag| {
            P::read_fen(tag.value.trim()).map_err(|error| text.fault(tag.line, error.to_string()))
        })?;
        let mut warnings = Vec::new();
        let mut preset = Preset::Official;
        if let Some(tag) = text.find("Draws") {
            match tag.value.trim().to_ascii_lowercase().parse() {
                Ok(named) if P::draws(named).is_some() => preset = named,
                Ok(named) => {
                    let reason = format!("{} has no draw rules {named}, official ones are taken", P::SPEC.variant);
                    warnings.push(text.fault(tag.line, reason));
                }
                Err(error) => warnings.push(text.fault(tag.line, format!("{error}; official ones are taken"))),
            }
        }
        let game = Game::from_position(start, preset).map_err(|error| text.fault(text.line, error.to_string()))?;
        let mut record = Record::new(start, preset);
        for tag in text.tags.iter().filter(|tag| !is_derived(&tag.name)) {
            let known = ROSTER.iter().find(|(name, _)| name.eq_ignore_ascii_case(&tag.name));
            let name = known.map_or(tag.name.as_str(), |(name, _)| *name);
            if record.tag(name).is_some() {
                warnings.push(text.fault(tag.line, format!("tag {name} for the second time, the last one counts")));
            }
            record.set_tag(name, &*tag.value);
        }
        let corners = corners(text.tag("GameType").unwrap_or_default());
        Ok(Self { text, record, warnings, game: Some(game), free: Some(start), corners, hops: Hops::new() })
    }

    /// Plays what stands in the place of a turn: one, or two of the same side.
    fn turn(&mut self, item: Item) -> Result<(), Fault> {
        let word = plain(self.text.of(item));
        let by_rules = self.game.as_ref().filter(|game| game.outcome().is_none()).map(|game| *game.position());
        let mut read = by_rules.map(|position| self.read_word(position, &word));
        let mut left = false;
        if !matches!(read, Some(Ok(_)))
            && let Some(free) = self.free.filter(|free| by_rules != Some(*free))
        {
            let freely = self.read_word(free, &word);
            left = freely.is_ok();
            read = if left || read.is_none() { Some(freely) } else { read };
        }
        let fault = |reason| self.text.fault(item.line, reason);
        let turns = match read {
            Some(read) => read.map_err(|error| fault(error.to_string()))?,
            None => return Err(fault(format!("turn {word:?}: the game is over, expected a result"))),
        };
        if left {
            self.leave(item.line);
        }
        for turn in turns {
            self.play(&turn, item.line);
            self.record.turns.push(turn);
        }
        Ok(())
    }

    fn read_word(&mut self, position: P, word: &str) -> Result<Vec<Turn>, Error> {
        if !word.starts_with(|c: char| c.is_ascii_digit()) {
            return read_turns(position, word, &mut self.hops);
        }
        let mut refused = None;
        for i in 0..self.corners.len() {
            let corner = self.corners[i];
            match read_turns(position, &from_corner::<P>(corner, word), &mut self.hops) {
                Ok(turns) => {
                    self.corners = vec![corner];
                    return Ok(turns);
                }
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        Err(refused.expect("there is always a corner"))
    }

    /// Plays a turn that is legal in the game, or has left it.
    fn play(&mut self, turn: &Turn, line: usize) {
        if self.game.as_ref().is_some_and(|game| game.outcome().is_some()) {
            self.leave(line);
        }
        let Some(game) = &mut self.game else {
            self.free = self.free.and_then(|free| after(free, turn));
            return;
        };
        for hop in turn.hops() {
            game.play_unchecked(hop);
        }
        self.free =
            if P::SPEC.boards == 1 { Some(*game.position()) } else { self.free.and_then(|free| after(free, turn)) };
    }

    /// Goes on without the draw rules.
    fn leave(&mut self, line: usize) {
        let Some(game) = self.game.take() else { return };
        let over = match game.outcome() {
            Some(end) => format!("the game is over by the draw rules {} ({end})", game.preset()),
            None => format!("one of both games is over by the draw rules {}", game.preset()),
        };
        let reason = format!("{over}, yet goes on");
        self.warnings.push(self.text.fault(line, reason));
    }

    /// Sees how the game ended.
    fn finish(mut self, result: Option<Item>) -> Result<Read<P>, Fault> {
        let (said, word, line) = self.said(result)?;
        let position = self.game.as_ref().map(|game| *game.position()).or(self.free);
        let position = position.expect("every turn was legal in one of them");
        let fault = |reason: String| Err(self.text.fault(line, format!("result {word}: {reason}")));
        if P::SPEC.boards == 1 && matches!(said, Said::Sum(_)) {
            return fault("expected 2-0, 1-1, 0-2, 1-0, 1/2-1/2, 0-1 or *".to_owned());
        }
        if !position.can_move() {
            let winner = position.stuck();
            let (points, reason) = (position.points(), if P::SPEC.boards == 1 { Reason::NoMove } else { Reason::Sum });
            if !said.agrees(points.map_or(Said::Winner(winner), Said::Sum)) {
                let shown = Record { points, outcome: Some(Outcome { winner, reason }), ..self.record }.result();
                return Err(self.text.fault(
                    line,
                    format!("result {word}: expected {shown}, for {} to move has no move left", position.side()),
                ));
            }
            self.record.points = points;
            self.record.outcome = Some(Outcome { winner, reason });
            return Ok(Read { record: self.record, warnings: self.warnings });
        }
        match said {
            Said::Open => {}
            Said::BothLost => self.record.points = Some([0, 0]),
            Said::Winner(_) | Said::Sum(_) => {
                self.record.outcome = Some(self.end(said.winner(), line, &word));
                let plain = self.record.result();
                self.record.points = match said {
                    Said::Sum(points @ [white, black]) if format!("{white}-{black}") != plain => Some(points),
                    _ => None,
                };
            }
        }
        Ok(Read { record: self.record, warnings: self.warnings })
    }

    /// What the moves and the tag say of the result, as it is written, and where.
    fn said(&mut self, result: Option<Item>) -> Result<(Said, String, usize), Fault> {
        let behind = result.map(|item| (self.text.of(item), item.line));
        let tag = self.text.find("Result").map(|tag| (tag.value.trim(), tag.line));
        let read =
            |place: Option<(&'a str, usize)>| place.and_then(|(word, line)| Some((Said::read(word)?, word, line)));
        if let (Some((value, line)), None) = (tag, read(tag))
            && !matches!(value, "" | "?" | "-")
        {
            self.warnings
                .push(self.text.fault(line, format!("tag Result {value:?}: expected one like 2-0, 1-1, 0-2 or *")));
        }
        let (first, second) = match (read(behind), read(tag)) {
            (Some(behind), Some(tag)) => (behind, tag),
            (Some(only), None) | (None, Some(only)) => (only, only),
            (None, None) => return Ok((Said::Open, "*".to_owned(), self.text.line)),
        };
        if !first.0.agrees(second.0) {
            let reason = format!("the moves end with {}, but the tag Result says {}", first.1, second.1);
            return Err(self.text.fault(first.2, reason));
        }
        // The one that says more.
        let more = first.0 == Said::Open || matches!((first.0, second.0), (Said::Winner(_), Said::Sum(_)));
        let (said, word, line) = if more { second } else { first };
        Ok((said, word.to_owned(), line))
    }

    /// Why a game ended with this winner, although both sides could have gone on.
    fn end(&mut self, winner: Option<crate::board::Side>, line: usize, word: &str) -> Outcome {
        let drawn = self.game.as_ref().and_then(Game::outcome);
        let fits = |reason: &Reason| match reason {
            Reason::NoMove | Reason::Sum => false,
            Reason::Tables => true,
            Reason::Resignation | Reason::Time | Reason::Illegal => winner.is_some(),
            _ => winner.is_none(),
        };
        let tag = self.text.find("Termination");
        let named = tag.and_then(|tag| reason(tag.value.trim()));
        if let (Some(tag), Some(named)) = (tag, &named)
            && !fits(named)
        {
            let reason = format!("Termination {:?} fits neither the result {word} nor the last position", tag.value);
            self.warnings.push(self.text.fault(tag.line, reason));
        }
        if let (Some(draw), Some(_)) = (drawn, winner) {
            let reason = format!("result {word}: by the draw rules {} it is a {draw}", self.record.preset);
            self.warnings.push(self.text.fault(line, reason));
        }
        let otherwise = match winner {
            Some(_) => Reason::Resignation,
            None => drawn.map_or(Reason::Agreement, |draw| draw.reason),
        };
        Outcome { winner, reason: named.filter(fits).unwrap_or(otherwise) }
    }
}

/// The reason that a Termination tag gives, in our words or those of the PGN standard; `None` for what says nothing.
fn reason(text: &str) -> Option<Reason> {
    let standard = [("time forfeit", Reason::Time), ("rules infraction", Reason::Illegal)];
    let own = Reason::ALL.into_iter().map(|reason| (reason.name(), reason));
    own.chain(standard).find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, reason)| reason)
}

/// Where the numbers of the squares begin, by the fifth field of a game type, `A0` or `N2`. Where the notation is not by
/// numbers, yet numbers are used, they may be the variant's own or begin where the field says.
fn corners(game_type: &str) -> Vec<u8> {
    let field = game_type.split(',').nth(4).unwrap_or_default().trim().as_bytes();
    match *field {
        [b'N' | b'n', corner @ b'0'..=b'3'] => vec![corner - b'0'],
        [_, corner @ b'0'..=b'3'] if corner - b'0' != UPPER_LEFT => vec![UPPER_LEFT, corner - b'0'],
        _ => vec![UPPER_LEFT],
    }
}

/// A turn in numbers that begin in a corner, in names of squares.
fn from_corner<P: Position>(corner: u8, word: &str) -> Cow<'_, str> {
    if corner == UPPER_LEFT {
        return Cow::Borrowed(word);
    }
    let mut text = String::new();
    for piece in word.split_inclusive(|c: char| !c.is_ascii_digit()) {
        let digits = piece.trim_end_matches(|c: char| !c.is_ascii_digit());
        match digits.parse().ok().and_then(|n| numbered_from::<P>(corner, n)) {
            Some(square) => text += &square.to_string(),
            None => text += digits,
        }
        text += &piece[digits.len()..];
    }
    Cow::Owned(text)
}

/// The square numbered `n` where the numbers begin in a corner and run along the ranks.
fn numbered_from<P: Position>(corner: u8, n: usize) -> Option<Square> {
    let (squares, half) = (P::SPEC.squares, P::SPEC.width / 2);
    let n = Some(n).filter(|n| (1..=squares).contains(n))?;
    // From the lower left corner the ranks run the other way, from left to right still.
    let upwards = |n: usize| squares - half - (n - 1) / half * half + (n - 1) % half + 1;
    P::numbered(match corner {
        0 => upwards(n),
        1 => squares + 1 - n,
        3 => squares + 1 - upwards(n),
        _ => n,
    })
}

/// A turn's text in plain characters: dashes and crosses as they are printed, and Cyrillic letters that look like Latin
/// ones, are taken for what they look like.
fn plain(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        return Cow::Borrowed(word);
    }
    let plain = |c| match c {
        '‐' | '‑' | '–' | '—' | '−' => '-',
        '×' | 'х' | 'Х' => 'x',
        'а' | 'А' => 'a',
        'В' => 'b',
        'с' | 'С' => 'c',
        'е' | 'Е' => 'e',
        'і' | 'І' => 'i',
        'к' | 'К' => 'k',
        other => other,
    };
    Cow::Owned(word.chars().map(plain).collect())
}

/// Reads a turn, or where a side has two turns running, one or two of them joined by `/`.
fn read_turns<P: Position>(mut position: P, word: &str, hops: &mut Hops) -> Result<Vec<Turn>, Error> {
    if let Some(turns) = in_full(position, word, hops) {
        return Ok(turns);
    }
    if P::SPEC.boards > 1 || !word.contains('/') {
        return turn::read(&position, word).map(|turn| vec![turn]);
    }
    let side = position.side();
    let mut turns = Vec::new();
    for part in word.split('/') {
        let bad = |reason: String| Error::Turn { text: word.to_owned(), reason };
        if position.side() != side {
            return Err(bad(format!("after {part:?} is {side}'s turn no more, expected a blank between the sides")));
        }
        let turn = turn::read(&position, part)?;
        position = after(position, &turn).ok_or_else(|| bad("expected a turn".to_owned()))?;
        turns.push(turn);
    }
    Ok(turns)
}

/// Reads turns of which every square is named, in the order they are played in: nearly all are written so, and this takes
/// no list of the legal turns.
fn in_full<P: Position>(mut position: P, word: &str, hops: &mut Hops) -> Option<Vec<Turn>> {
    let side = position.side();
    let (mut turns, mut turn) = (Vec::with_capacity(1), Turn::default());
    for part in word.split('/') {
        if position.side() != side {
            return None;
        }
        let squares = turn::read_squares::<P>(part).ok()?;
        let mut over = false;
        for pair in squares.windows(2) {
            let hop = Hop { from: pair[0], to: pair[1] };
            position.hops(hops);
            if over || !hops.contains(&hop) {
                return None;
            }
            let step = position.play_unchecked(hop);
            let other_mark: &[char] = if step.captured.is_some() { &['-'] } else { &[':', 'x', 'X'] };
            if part.contains(other_mark) {
                return None;
            }
            turn.push(hop, step);
            over = step.move_over;
            if step.turn_over {
                turns.push(std::mem::take(&mut turn));
            }
        }
        if !over {
            return None;
        }
    }
    turn.is_empty().then_some(turns)
}
