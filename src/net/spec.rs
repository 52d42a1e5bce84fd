//! The shape of a network.
