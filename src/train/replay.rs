//! The ring of samples that the learner draws from.
