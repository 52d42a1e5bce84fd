//! The tree of a Monte Carlo search: nodes in one list, children as index ranges.
