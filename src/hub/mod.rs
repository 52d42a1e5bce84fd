//! The Hub protocol, both ways: our players as engines for other programs, and other programs' engines as players.

pub mod engine;
mod level;
pub mod message;
pub mod player;
pub mod process;
pub mod text;

pub use engine::{Served, Session, serve};
pub use player::{HubPlayer, Settings};
