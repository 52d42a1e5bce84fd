//! Search: the classic engine and its first version, and Monte Carlo tree search.

pub mod alphabeta;
pub mod basic;
pub mod heuristic;
pub mod limits;
pub mod mcts;
pub mod mcts_player;
pub mod score;
pub mod tree;
pub mod tune;
