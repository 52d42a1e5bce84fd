//! The classic engine: iterative deepening alpha-beta.
