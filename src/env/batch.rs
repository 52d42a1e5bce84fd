//! The buffers of a batch of games, owned by the caller.
