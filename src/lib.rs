//! Russian draughts and its kin as a training environment: exact rules, vectorized self-play, MCTS with a network that learns, and
//! a classic engine to measure it by.
//!
//! The modules stand in the order of their floors: each imports only from those above it in this list.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr))]

pub mod error;

pub mod device;
pub mod files;
pub mod heap;
pub mod seal;
pub mod seed;
pub mod threads;

pub mod board;

pub mod games;

pub mod config;
pub mod evaluator;
pub mod player;

pub mod arena;
pub mod endgame;
pub mod env;
pub mod net;
pub mod search;

pub mod balanced;
pub mod hub;
pub mod roster;

pub mod train;

pub mod cli;
#[cfg(feature = "python")]
mod py;

pub use error::{Error, Result};

/// The examples of the README, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The worked example of adding a variant, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../docs/adding-a-variant.md")]
struct AddingAVariant;
