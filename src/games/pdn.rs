//! Game records in PDN (portable draughts notation).
