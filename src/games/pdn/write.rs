//! How a record is written: the tags in their order, the moves in lines of 80 columns.

use std::fmt::{self, Write};

use crate::board::Side;
use crate::games::position::Position;
use crate::games::turn::Turn;

use super::record::Record;

/// Lines of the moves are broken at this width.
const COLUMNS: usize = 80;

/// The tags that open every game, in the order of the PDN standard, with what stands for an unknown value.
pub(super) const ROSTER: [(&str, &str); 6] =
    [("Event", "?"), ("Site", "?"), ("Date", "????.??.??"), ("Round", "?"), ("White", "?"), ("Black", "?")];

/// Tags whose values follow from the record itself.
const DERIVED: [&str; 7] = ["Result", "GameType", "Variant", "Draws", "SetUp", "FEN", "Termination"];

/// Whether a tag follows from the record itself, however its name is spelt.
pub(super) fn is_derived(name: &str) -> bool {
    DERIVED.iter().any(|derived| derived.eq_ignore_ascii_case(name))
}

impl<P: Position> Record<P> {
    fn write_tags(&self, f: &mut fmt::Formatter<'_>, result: &str) -> fmt::Result {
        for (name, unknown) in ROSTER {
            write_tag(f, name, self.tag(name).unwrap_or(unknown))?;
        }
        write_tag(f, "Result", result)?;
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
            // Of a name only letters, digits and `_` are kept.
            let name: String = name.chars().filter(|&c| c.is_ascii_alphanumeric() || c == '_').collect();
            if !name.is_empty() && !is_derived(&name) && !ROSTER.iter().any(|(own, _)| *own == name) {
                write_tag(f, &name, value)?;
            }
        }
        self.outcome.map_or(Ok(()), |outcome| write_tag(f, "Termination", outcome.reason.name()))
    }

    fn write_moves(&self, f: &mut fmt::Formatter<'_>, result: &str) -> fmt::Result {
        let mut line = Lines { out: f, column: 0 };
        let mut comments = self.comments.iter().peekable();
        let mut nags = self.nags.iter().peekable();
        let (mut number, mut numbered) = (1, false);
        let mut played = 0;
        for (side, turns) in self.by_side() {
            while let Some((_, nag)) = nags.next_if(|(at, _)| *at <= played) {
                line.word(&format!("${nag}"))?;
            }
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
        for (_, nag) in nags {
            line.word(&format!("${nag}"))?;
        }
        for (_, text) in comments {
            line.comment(text)?;
        }
        line.word(result)
    }
}

impl<P: Position> fmt::Display for Record<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let result = self.result();
        self.write_tags(f, &result)?;
        f.write_char('\n')?;
        self.write_moves(f, &result)?;
        f.write_str("\n\n")
    }
}

/// A turn as the variant's records write it: in names of squares or in their numbers.
fn write_turn<P: Position>(turn: &Turn) -> String {
    if P::SPEC.numeric { turn.in_numbers::<P>() } else { turn.to_string() }
}

/// Writes `[Name "value"]`. Quotes and backslashes are escaped, line breaks become blanks.
fn write_tag(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
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
        let plain = |c: char| match c {
            '{' => '(',
            '}' => ')',
            c if c.is_control() => ' ',
            c => c,
        };
        let text: String = text.chars().map(plain).collect();
        let mut words = text.split_whitespace();
        let Some(mut word) = words.next() else { return Ok(()) };
        let mut start = "{";
        for next in words {
            self.word(&format!("{start}{word}"))?;
            (start, word) = ("", next);
        }
        self.word(&format!("{start}{word}}}"))
    }
}
