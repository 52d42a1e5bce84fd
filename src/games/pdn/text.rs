//! One game of a file as it is written: its tags, turns, marks and remarks, none of them understood yet.

use std::borrow::Cow;

use encoding_rs::WINDOWS_1251;

use crate::games::position::Position;
use crate::games::variant::Variant;

use super::fault::Fault;

/// What a piece of the moves is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A turn, or what stands in the place of one.
    Turn,
    /// A remark.
    Comment,
    /// A numeric annotation glyph.
    Nag(u8),
    /// A result.
    Result,
}

/// A piece of the moves: its text lies in `GameText::text[start..end]`.
#[derive(Copy, Clone, Debug)]
pub(super) struct Item {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
    pub line: usize,
}

/// A tag.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Tag {
    pub name: String,
    pub value: String,
    pub line: usize,
}

/// One game of a file, as a [`Reader`](super::Reader) finds it: cut into its parts, its turns not played yet.
#[derive(Clone, Debug)]
pub struct GameText {
    pub(super) number: usize,
    pub(super) line: usize,
    pub(super) tags: Vec<Tag>,
    pub(super) items: Vec<Item>,
    pub(super) text: String,
    /// What made it impossible to read on.
    pub(super) fault: Option<Fault>,
}

impl GameText {
    /// Its number in the file, from 1.
    #[must_use]
    pub const fn number(&self) -> usize {
        self.number
    }

    /// The line it begins on, from 1.
    #[must_use]
    pub const fn line(&self) -> usize {
        self.line
    }

    /// The value of a tag, however its name is spelt; of several the last.
    ///
    /// ```
    /// use shashki::games::pdn::Reader;
    ///
    /// let text = Reader::new("[White \"Ivanov\"] *".as_bytes()).next().unwrap()?;
    /// assert_eq!(text.tag("white"), Some("Ivanov"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.find(name).map(|tag| tag.value.as_str())
    }

    /// All tags as they are written, names and values.
    pub fn tags(&self) -> impl Iterator<Item = (&str, &str)> {
        self.tags.iter().map(|tag| (tag.name.as_str(), tag.value.as_str()))
    }

    pub(super) fn find(&self, name: &str) -> Option<&Tag> {
        self.tags.iter().rev().find(|tag| tag.name.eq_ignore_ascii_case(name))
    }

    /// The variant its tags name: a `Variant` that is known, else a `GameType`; where there is neither tag, the one given.
    ///
    /// ```
    /// use shashki::games::Variant;
    /// use shashki::games::pdn::Reader;
    ///
    /// let text = Reader::new("[GameType \"41\"] *".as_bytes()).next().unwrap()?;
    /// assert_eq!(text.variant(None), Ok(Variant::Spantsireti));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the tags name a game that is not played here, or none is named and none given.
    pub fn variant(&self, unless_named: Option<Variant>) -> Result<Variant, Fault> {
        let (variant, game_type) = (self.find("Variant"), self.find("GameType"));
        let by_name = variant.and_then(|tag| tag.value.trim().to_ascii_lowercase().parse().ok());
        if let Some(found) = by_name.or_else(|| game_type.and_then(|tag| of_game_type(&tag.value))) {
            return Ok(found);
        }
        match (game_type.or(variant), unless_named) {
            (Some(tag), _) => Err(self.fault(tag.line, expected(&tag.name, &tag.value))),
            (None, Some(given)) => Ok(given),
            (None, None) => Err(self.fault(self.line, "no tag GameType or Variant names the game".to_owned())),
        }
    }

    pub(super) fn fault(&self, line: usize, reason: String) -> Fault {
        Fault { game: self.number, line, reason }
    }

    /// The text of a piece of the moves.
    pub(super) fn of(&self, item: Item) -> &str {
        &self.text[item.start..item.end]
    }
}

/// The number that a game type begins with.
fn number(game_type: &str) -> Option<u32> {
    game_type.split(',').next()?.trim().parse().ok()
}

fn of_game_type(value: &str) -> Option<Variant> {
    let number = number(value)?;
    Variant::ALL.iter().copied().find(|&variant| type_of(variant) == Some(number))
}

fn type_of(variant: Variant) -> Option<u32> {
    crate::for_variant!(variant, P => P::SPEC.game_type).and_then(number)
}

fn expected(name: &str, value: &str) -> String {
    let mut types = Vec::new();
    let mut names = Vec::new();
    for &variant in Variant::ALL {
        names.push(variant.name());
        types.extend(type_of(variant).map(|number| format!("{number} ({variant})")));
    }
    format!("{name} {value:?}: expected GameType {} or Variant {}", types.join(", "), names.join(", "))
}

/// A text in UTF-8, or where it is not that, in Windows-1251.
pub(super) fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => WINDOWS_1251.decode_without_bom_handling(bytes).0,
    }
}
