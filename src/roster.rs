//! Players from short texts.
