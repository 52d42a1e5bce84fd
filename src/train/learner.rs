//! The loss and one step of the optimiser.
