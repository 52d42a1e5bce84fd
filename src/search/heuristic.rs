//! Hand-written evaluation of positions, per variant; material by default.
