//! What is wrong with a game in a file, and where.

use std::fmt;

/// What is wrong or odd about a game in a file. As text it lacks the file's name, which the reader never knows.
///
/// ```
/// use shashki::games::Russian;
/// use shashki::games::pdn::Reader;
///
/// let text = Reader::new("1. c3-d4\n2. zzz *".as_bytes()).next().unwrap()?;
/// let fault = text.read::<Russian>().unwrap_err();
/// assert!(fault.to_string().starts_with("game 1, line 2: turn \"zzz\": expected squares like c3-d4"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The game's number in the file, from 1; broken games are counted too.
    pub game: usize,
    /// The line of the file, from 1.
    pub line: usize,
    /// What was found and what was expected.
    pub reason: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "game {}, line {}: {}", self.game, self.line, self.reason)
    }
}
