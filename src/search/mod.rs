//! Search: the classic engine, and Monte Carlo tree search.

pub mod alphabeta;
pub mod heuristic;
pub mod limits;
pub mod mcts;
pub mod mcts_player;
pub mod ordering;
pub mod score;
pub mod table;
pub mod tree;
pub mod tune;
