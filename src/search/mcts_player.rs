//! A player that searches one game at a time with MCTS.
