//! The transposition table of the classic engine.
