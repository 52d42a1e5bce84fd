//! Game records in PDN (portable draughts notation): one game with its tags, written as text.

use std::fmt::{self, Write};

use crate::board::Side;

use super::draws::Preset;
use super::game::{Game, Outcome, Reason};
use super::position::Position;
use super::turn::{self, Turn};

/// Lines of the moves are broken at this width.
const COLUMNS: usize = 80;

/// The tags that open every game, in the order of the PDN standard, with what stands for an unknown value.
const ROSTER: [(&str, &str); 6] =
    [("Event", "?"), ("Site", "?"), ("Date", "????.??.??"), ("Round", "?"), ("White", "?"), ("Black", "?")];

/// Tags whose values follow from the record itself.
const DERIVED: [&str; 7] = ["Result", "GameType", "Variant", "Draws", "SetUp", "FEN", "Termination"];

/// One game as it is kept in a file. Its [`Display`](fmt::Display) is the PDN text, ending in an empty line, so that
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
    /// How the game ended; `None` for an unfinished one.
    pub outcome: Option<Outcome>,
}

impl<P: Position> Record<P> {
    /// A record of a game that begins in `start` and has no turns yet.
    #[must_use]
    pub const fn new(start: P, preset: Preset) -> Self {
        Self { tags: Vec::new(), preset, start, turns: Vec::new(), comments: Vec::new(), outcome: None }
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
        let Some(outcome) = self.outcome else { return "*".to_owned() };
        let most = 2 * P::SPEC.boards;
        let [white, black] = match outcome.winner {
            _ if outcome.reason == Reason::Sum => self.points().map(usize::from),
            Some(Side::White) => [most, 0],
            None => [most / 2, most / 2],
            Some(Side::Black) => [0, most],
        };
        format!("{white}-{black}")
    }

    /// The points of games that are summed, once all turns are played.
    fn points(&self) -> [u8; 2] {
        let game = Game::from_position(self.start, self.preset).and_then(|mut game| {
            self.turns.iter().try_for_each(|turn| game.play(turn))?;
            Ok(game)
        });
        game.ok().and_then(|game| game.position().points()).unwrap_or_default()
    }

    /// The turns that one side plays running, with the side; mostly one.
    fn by_side(&self) -> Vec<(Side, &[Turn])> {
        let (mut position, mut side) = (self.start, self.start.side());
        let mut groups: Vec<(Side, std::ops::Range<usize>)> = Vec::new();
        for (i, turn) in self.turns.iter().enumerate() {
            match groups.last_mut() {
                Some((last, range)) if *last == side => range.end = i + 1,
                _ => groups.push((side, i..i + 1)),
            }
            let paths = turn::paths(&position);
            match paths.into_iter().find(|(path, _)| path == turn) {
                Some((_, after)) => (position, side) = (after, after.side()),
                // A turn that cannot be played: the other side's is next at least.
                None => side = !side,
            }
        }
        groups.into_iter().map(|(side, range)| (side, &self.turns[range])).collect()
    }

    fn write_tags(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, unknown) in ROSTER {
            write_tag(f, name, self.tag(name).unwrap_or(unknown))?;
        }
        write_tag(f, "Result", &self.result())?;
        match P::SPEC.game_type {
            Some(game_type) => write_tag(f, "GameType", game_type)?,
            None => write_tag(f, "Variant", P::SPEC.variant.name())?,
        }
        write_tag(f, "Draws", self.preset.name())?;
        if self.start != P::start() {
            write_tag(f, "SetUp", "1")?;
            write_tag(f, "FEN", &self.start.write_fen())?;
        }
        for (name, value) in &self.tags {
            if !ROSTER.iter().any(|(n, _)| n == name) && !DERIVED.contains(&name.as_str()) {
                write_tag(f, name, value)?;
            }
        }
        self.outcome.map_or(Ok(()), |outcome| write_tag(f, "Termination", outcome.reason.name()))
    }

    fn write_moves(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = Lines { out: f, column: 0 };
        let mut comments = self.comments.iter().peekable();
        let (mut number, mut numbered) = (1, false);
        let mut played = 0;
        for (side, turns) in self.by_side() {
            while let Some((_, text)) = comments.next_if(|(at, _)| *at <= played) {
                line.comment(text)?;
                numbered = false;
            }
            let texts: Vec<_> = turns.iter().map(write_turn::<P>).collect();
            let text = texts.join("/");
            match (side, numbered) {
                (Side::White, _) => line.word(&format!("{number}. {text}"))?,
                (Side::Black, true) => line.word(&text)?,
                (Side::Black, false) => line.word(&format!("{number}... {text}"))?,
            }
            number += usize::from(side == Side::Black);
            numbered = true;
            played += turns.len();
        }
        for (_, text) in comments {
            line.comment(text)?;
        }
        line.word(&self.result())
    }
}

impl<P: Position> fmt::Display for Record<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_tags(f)?;
        f.write_char('\n')?;
        self.write_moves(f)?;
        f.write_str("\n\n")
    }
}

/// A turn as the variant's records write it: in names of squares or in their numbers.
fn write_turn<P: Position>(turn: &Turn) -> String {
    if P::SPEC.numeric { turn.in_numbers::<P>() } else { turn.to_string() }
}

/// Writes `[Name "value"]`. Quotes and backslashes are escaped, line breaks become blanks; of a name only letters, digits
/// and `_` are kept.
fn write_tag(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    let name: String = name.chars().filter(|&c| c.is_ascii_alphanumeric() || c == '_').collect();
    write!(f, "[{name} \"")?;
    for c in value.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            c if c.is_control() => f.write_char(' ')?,
            c => f.write_char(c)?,
        }
    }
    f.write_str("\"]\n")
}

/// Words set in lines of at most [`COLUMNS`] columns.
struct Lines<'a, 'b> {
    out: &'a mut fmt::Formatter<'b>,
    column: usize,
}

impl Lines<'_, '_> {
    fn word(&mut self, word: &str) -> fmt::Result {
        let width = word.chars().count();
        if self.column > 0 {
            let fits = self.column + 1 + width <= COLUMNS;
            self.out.write_char(if fits { ' ' } else { '\n' })?;
            self.column = if fits { self.column + 1 } else { 0 };
        }
        self.column += width;
        self.out.write_str(word)
    }

    /// Writes a remark in braces; a brace inside it would end it too early and becomes a parenthesis.
    fn comment(&mut self, text: &str) -> fmt::Result {
        let text = format!("{{{}}}", text.replace('{', "(").replace('}', ")"));
        text.split_whitespace().try_for_each(|word| self.word(word))
    }
}
