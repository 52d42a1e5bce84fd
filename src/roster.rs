//! Players from short texts.

use crate::error::{Error, Result};
use crate::games::position::Position;
use crate::player::{Player, RandomPlayer};

/// The player that a text names.
///
/// # Errors
/// [`Error::Player`] if the text makes no sense.
pub fn player<P: Position>(text: &str) -> Result<Box<dyn Player<P>>> {
    match text {
        "random" => Ok(Box::new(RandomPlayer::new(0))),
        _ => Err(Error::Player { text: text.to_owned(), reason: "expected random".to_owned() }),
    }
}
