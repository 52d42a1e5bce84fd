//! Matches: paired openings, colours swapped, Elo with its interval, SPRT.
