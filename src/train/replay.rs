//! The ring of samples that the learner draws from.

use crate::games::planes::Features;

/// Samples for one step of the learner.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The positions, encoded.
    pub features: Features,
    /// The policy to learn, `[n * actions]`, each row summing to 1 over the legal hops.
    pub policy: Vec<f32>,
    /// Which hops are legal, `[n * actions]`.
    pub legal: Vec<bool>,
    /// The chances of win, draw and loss to learn, `[n * 3]`, in the mover's view.
    pub wdl: Vec<f32>,
}
