//! One game with its tags, remarks and result, as a file keeps it.

use crate::board::{Hops, Side};
use crate::games::draws::Preset;
use crate::games::game::{Game, Outcome, Reason};
use crate::games::position::Position;
use crate::games::turn::Turn;

/// One game as it is kept in a file. Its [`Display`](std::fmt::Display) is the PDN text, ending in an empty line, so that
/// games can be written one after the other.
///
/// ```
/// use shashki::games::pdn::Record;
/// use shashki::games::{Game, Position, Preset, Russian};
///
/// let mut game = Game::<Russian>::new(Preset::Official)?;
/// let mut record = Record::new(Russian::start(), Preset::Official);
/// record.set_tag("White", "random:seed=1");
/// record.turns.push(game.play_text("c3-d4")?);
/// record.turns.push(game.play_text("d6-c5")?);
/// record.outcome = game.outcome();
/// let text = record.to_string();
/// assert!(text.contains("[White \"random:seed=1\"]"));
/// assert!(text.ends_with("\n\n1. c3-d4 d6-c5 *\n\n"));
/// # Ok::<(), shashki::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Record<P> {
    /// Names and values of the free tags (Event, White, ...), in the order they are written in. The tags that follow
    /// from the other fields (Result, GameType or Variant, Draws, SetUp, FEN, Termination) are not taken from here.
    pub tags: Vec<(String, String)>,
    /// The draw rules the game was played by.
    pub preset: Preset,
    /// The position before the first turn.
    pub start: P,
    /// The turns, the sides by turns, beginning with the side to move in `start`.
    pub turns: Vec<Turn>,
    /// Remarks: the number of turns played before each, and its text; in the order of these numbers.
    pub comments: Vec<(usize, String)>,
    /// Marks of single turns: the number of turns played up to it, and its numeric annotation glyph (1 is `!`, 2 `?`, as
    /// the PGN standard numbers them); in the order of these numbers.
    pub nags: Vec<(usize, u8)>,
    /// How the game ended; `None` for an unfinished one.
    pub outcome: Option<Outcome>,
    /// White's and Black's points where turns and outcome do not tell them: of two games that are summed and were not
    /// both played to the end, or 0 and 0 where both sides were given a loss.
    pub points: Option<[u8; 2]>,
}

impl<P: Position> Record<P> {
    /// A record of a game that begins in `start` and has no turns yet.
    #[must_use]
    pub const fn new(start: P, preset: Preset) -> Self {
        Self {
            tags: Vec::new(),
            preset,
            start,
            turns: Vec::new(),
            comments: Vec::new(),
            nags: Vec::new(),
            outcome: None,
            points: None,
        }
    }

    /// Sets a free tag, in place of an earlier value.
    pub fn set_tag(&mut self, name: impl Into<String>, value: impl Into<String>) {
        let (name, value) = (name.into(), value.into());
        match self.tags.iter_mut().find(|(n, _)| *n == name) {
            Some(tag) => tag.1 = value,
            None => self.tags.push((name, value)),
        }
    }

    /// The value of a free tag.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// The result as draughts players write it: `2-0`, `1-1`, `0-2`, or `*` for an unfinished game. Where two games are
    /// summed, `4-0` to `0-4`; who has given up both by resigning or otherwise gets nothing.
    #[must_use]
    pub fn result(&self) -> String {
        let most = 2 * P::SPEC.boards as u8;
        let [white, black] = match (self.points, self.outcome) {
            (Some(points), _) => points,
            (None, None) => return "*".to_owned(),
            (None, Some(outcome)) => match outcome.winner {
                _ if outcome.reason == Reason::Sum => self.summed(),
                Some(Side::White) => [most, 0],
                None => [most / 2, most / 2],
                Some(Side::Black) => [0, most],
            },
        };
        format!("{white}-{black}")
    }

    /// The points of games that are summed, once all turns are played.
    fn summed(&self) -> [u8; 2] {
        let game = Game::from_position(self.start, self.preset).and_then(|mut game| {
            self.turns.iter().flat_map(Turn::hops).try_for_each(|hop| game.play_hop(hop).map(drop))?;
            Ok(game)
        });
        game.ok().and_then(|game| game.position().points()).unwrap_or_default()
    }

    /// The turns that one side plays running, with the side; mostly one.
    pub(super) fn by_side(&self) -> Vec<(Side, &[Turn])> {
        let mut side = self.start.side();
        let mut position = Some(self.start);
        let mut groups: Vec<(Side, std::ops::Range<usize>)> = Vec::new();
        for (i, turn) in self.turns.iter().enumerate() {
            match groups.last_mut() {
                Some((last, range)) if *last == side => range.end = i + 1,
                _ => groups.push((side, i..i + 1)),
            }
            position = position.and_then(|before| after(before, turn));
            // Once a turn cannot be played, the sides move by turns.
            side = position.map_or(!side, |position| position.side());
        }
        groups.into_iter().map(|(side, range)| (side, &self.turns[range])).collect()
    }
}

/// The position after a turn; `None` if that is not legal, or not a whole turn here: where a draw has closed one of two
/// boards, which only a [`Game`] knows, the other board's move is one.
pub(super) fn after<P: Position>(mut position: P, turn: &Turn) -> Option<P> {
    let (mut hops, mut over) = (Hops::new(), false);
    for hop in turn.hops() {
        position.hops(&mut hops);
        if !hops.contains(&hop) {
            return None;
        }
        over = position.play_unchecked(hop).turn_over;
    }
    over.then_some(position)
}
