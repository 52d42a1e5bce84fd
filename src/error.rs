//! The one error type: every message names the thing at fault and what was expected.

use std::fmt;
use std::path::{Path, PathBuf};

/// The most characters of a text that a message repeats.
const LONGEST_SHOWN: usize = 200;
/// The most characters that a message says of a text; the legal turns of a position are fewer.
const LONGEST_REASON: usize = 2000;

/// What went wrong. Messages are one line, lower case, without a full stop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A text is no square, or names one that this board does not play on.
    #[error("square {:?}: {}", Cut(.text), Short(.reason))]
    Square {
        /// The text as given.
        text: String,
        /// What was expected.
        reason: String,
    },
    /// A position text that cannot be read, or that describes no possible position.
    #[error("position {:?}: {}", Cut(.text), Short(.reason))]
    Fen {
        /// The whole text as given.
        text: String,
        /// What is wrong, and where.
        reason: String,
    },
    /// A turn that is not legal, not readable or not unique.
    #[error("turn {:?}: {}", Cut(.text), Short(.reason))]
    Turn {
        /// The text as given.
        text: String,
        /// What was expected; for an ambiguous text, the turns it fits.
        reason: String,
    },
    /// A hop number that is not legal where it was played.
    #[error("{}action {action} is not legal: expected one of {legal}", env.map(|env| format!("env {env}: ")).unwrap_or_default())]
    IllegalAction {
        /// Which environment of a batch, from 0; none where the game stands alone.
        env: Option<usize>,
        /// The number as given.
        action: i64,
        /// The legal numbers, listed.
        legal: String,
    },
    /// Something asked of a game that is over.
    #[error("the game is over ({0}); nothing more can be played")]
    GameOver(String),
    /// A player text that makes no sense.
    #[error("player {:?}: {}", Cut(.text), Short(.reason))]
    Player {
        /// The text as given.
        text: String,
        /// What was expected.
        reason: String,
    },
    /// A configuration that is wrong in a file.
    #[error("config {path}: {reason}")]
    Config {
        /// The file.
        path: PathBuf,
        /// The key, its value and what was expected.
        reason: String,
    },
    /// A configuration that is wrong in a text or an override.
    #[error("config {:?}: {}", Cut(.text), Short(.reason))]
    Override {
        /// The text or overrides as given.
        text: String,
        /// The key, its value and what was expected.
        reason: String,
    },
    /// A value out of its range or a name nobody knows, given by the caller.
    #[error("{what} {:?}: expected {expected}", Cut(.value))]
    Value {
        /// The name of the option or argument.
        what: String,
        /// The value as given.
        value: String,
        /// What was expected.
        expected: String,
    },
    /// A file or folder that cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The operating system's word.
        #[source]
        source: std::io::Error,
    },
    /// A model file that is damaged or does not fit.
    #[error("model {path}: {reason}")]
    Model {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// An endgame table that is missing, damaged or of another version.
    #[error("endgame table {path}: {reason}")]
    Table {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Stored bytes (a game, a replay buffer, a training state) that are damaged or of another version.
    #[error("stored {what}: {reason}")]
    State {
        /// What was to be restored.
        what: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// The network library failed.
    #[error("network: {0}")]
    Network(String),
    /// The system does not give the memory that is needed.
    #[error("no memory for {0}")]
    Memory(String),
    /// A check that was asked for did not hold.
    #[error("{0}")]
    Failed(String),
    /// Stopped by the user; what was finished is kept.
    #[error("interrupted")]
    Interrupted,
}

/// A text as messages show it: quoted, and its end left out where it is long.
struct Cut<'a>(&'a str);

impl fmt::Debug for Cut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(LONGEST_SHOWN) {
            Some((end, _)) => write!(f, "{:?}…", &self.0[..end]),
            None => write!(f, "{:?}", self.0),
        }
    }
}

/// What is said of such a text; it may well repeat it.
struct Short<'a>(&'a str);

impl fmt::Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(LONGEST_REASON) {
            Some((end, _)) => write!(f, "{}…", &self.0[..end]),
            None => f.write_str(self.0),
        }
    }
}

/// A result with the crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Wraps an I/O error with the path it happened at.
    pub fn io(path: impl AsRef<Path>, source: std::io::Error) -> Self {
        Self::Io { path: path.as_ref().to_owned(), source }
    }

    /// A value that is not what was expected.
    pub fn value(what: impl Into<String>, value: impl ToString, expected: impl Into<String>) -> Self {
        Self::Value { what: what.into(), value: value.to_string(), expected: expected.into() }
    }

    /// The command's exit status: 2 for what was wrong on the command line, 130 after Ctrl-C, 1 for the rest.
    #[must_use]
    pub fn exit_status(&self) -> u8 {
        match self {
            Self::Square { .. }
            | Self::Fen { .. }
            | Self::Turn { .. }
            | Self::IllegalAction { .. }
            | Self::Player { .. }
            | Self::Override { .. }
            | Self::Value { .. } => 2,
            Self::Interrupted => 130,
            _ => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut() {
        let shown = |text: &str| Error::value("turn", text, "a turn").to_string();
        assert_eq!(shown("c3-d4"), "turn \"c3-d4\": expected a turn");
        assert_eq!(shown(&"я".repeat(200)), format!("turn {:?}: expected a turn", "я".repeat(200)));
        assert_eq!(shown(&"я".repeat(201)), format!("turn {:?}…: expected a turn", "я".repeat(200)));
        let long = "x".repeat(100_000);
        let error = Error::Turn { text: long.clone(), reason: long };
        assert!(error.to_string().len() < 2500);
    }
}
