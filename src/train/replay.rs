//! The samples of self-play, and the window of them that the learner draws from.

use std::collections::VecDeque;
use std::path::Path;

use rand::{Rng, RngExt};

use crate::board::{Hops, Side};
use crate::error::{Error, Result};
use crate::evaluator::Wdl;
use crate::games::draws::ClockView;
use crate::games::game::Leaf;
use crate::games::planes::Features;
use crate::games::position::Position;

use super::stored::{self, put_count, take, take_count};

/// The first bytes of a file of samples; the last of them is the format's version.
const MARK: [u8; 4] = *b"shr\x02";

/// One searched position of a finished game: what the learner learns from.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample<P> {
    /// The position and its draw counters.
    pub leaf: Leaf<P>,
    /// The search's share of each legal hop, in the order of the position's `hops`, in 65,535ths of the largest share.
    pub shares: Box<[u16]>,
    /// Who won the game; `None` for a draw.
    pub winner: Option<Side>,
    /// The search's own value of the position.
    pub root: Wdl,
}

impl<P: Position> Sample<P> {
    /// A sample of a game that is not over yet.
    #[must_use]
    pub fn new(leaf: Leaf<P>, policy: &[f32], root: Wdl) -> Self {
        let largest = policy.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        let shares = policy.iter().map(|share| (share / largest * f32::from(u16::MAX)).round() as u16).collect();
        Self { leaf, shares, winner: None, root }
    }

    /// The chances of win, draw and loss for the mover: the game's result, and the search's value with this weight.
    #[must_use]
    pub fn target(&self, search_value_share: f32) -> [f32; 3] {
        let side = self.leaf.position.side();
        let (result, search) = (Wdl::certain(self.winner).seen_by(side), self.root.seen_by(side));
        std::array::from_fn(|i| result[i] + search_value_share * (search[i] - result[i]))
    }

    /// Appends the sample as bytes.
    pub(super) fn pack(&self, out: &mut Vec<u8>) {
        self.leaf.position.pack(out);
        let ClockView { sixteenths, repetitions } = self.leaf.clock;
        out.extend(sixteenths.into_iter().chain(repetitions));
        out.push(self.winner.map_or(2, |side| side.index() as u8));
        self.root.seen_by(Side::White).iter().for_each(|chance| out.extend(chance.to_le_bytes()));
        put_count(out, self.shares.len());
        self.shares.iter().for_each(|share| out.extend(share.to_le_bytes()));
    }

    /// Takes a sample off the front of `bytes`.
    ///
    /// # Errors
    /// [`Error::State`] if the bytes are no sample.
    pub(super) fn unpack(bytes: &mut &[u8]) -> Result<Self> {
        let position = P::unpack(bytes)?;
        let (sixteenths, repetitions) = (take(bytes)?, take(bytes)?);
        let [winner] = take(bytes)?;
        let root =
            [f32::from_le_bytes(take(bytes)?), f32::from_le_bytes(take(bytes)?), f32::from_le_bytes(take(bytes)?)];
        let count = take_count(bytes)?;
        let mut hops = Hops::new();
        position.hops(&mut hops);
        if hops.len() != count {
            let reason = format!("expected {} shares, one for each hop, found {count}", hops.len());
            return Err(Error::State { what: "sample", reason });
        }
        let shares = (0..count).map(|_| Ok(u16::from_le_bytes(take(bytes)?))).collect::<Result<_>>()?;
        Ok(Self {
            leaf: Leaf { position, clock: ClockView { sixteenths, repetitions } },
            shares,
            winner: Side::BOTH.get(usize::from(winner)).copied(),
            root: Wdl::of(Side::White, root),
        })
    }
}

/// Writes samples to a file.
///
/// # Errors
/// If it cannot be written.
pub fn save<P: Position>(path: &Path, samples: &[Sample<P>]) -> Result<()> {
    let mut content = Vec::with_capacity(samples.len() * 64);
    put_count(&mut content, samples.len());
    samples.iter().for_each(|sample| sample.pack(&mut content));
    stored::write(path, MARK, &content)
}

/// Reads the samples of a file.
///
/// # Errors
/// If the file cannot be read or is damaged.
pub fn load<P: Position>(path: &Path) -> Result<Vec<Sample<P>>> {
    let content = stored::read(path, MARK)?;
    let mut bytes = content.as_slice();
    let count = take_count(&mut bytes)?;
    (0..count).map(|_| Sample::unpack(&mut bytes)).collect()
}

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

/// The newest samples, as many as there is room for.
#[derive(Clone, Debug)]
pub struct Replay<P> {
    samples: VecDeque<Sample<P>>,
    capacity: usize,
}

impl<P: Position> Replay<P> {
    /// An empty window of `capacity` samples.
    #[must_use]
    pub const fn new(capacity: usize) -> Self {
        Self { samples: VecDeque::new(), capacity }
    }

    /// Samples held.
    #[must_use]
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// The samples, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Sample<P>> {
        self.samples.iter()
    }

    /// Adds samples; the oldest give way.
    pub fn extend(&mut self, samples: impl IntoIterator<Item = Sample<P>>) {
        for sample in samples {
            if self.samples.len() == self.capacity {
                self.samples.pop_front();
            }
            self.samples.push_back(sample);
        }
    }

    /// Draws `n` samples, each alike, with replacement, into `batch`.
    ///
    /// # Panics
    /// If the window is empty.
    pub fn sample(&self, rng: &mut impl Rng, n: usize, search_value_share: f32, batch: &mut Batch) {
        let actions = P::SPEC.actions;
        let mut hops = Hops::new();
        batch.features.clear();
        batch.wdl.clear();
        batch.policy.clear();
        batch.policy.resize(n * actions, 0.0);
        batch.legal.clear();
        batch.legal.resize(n * actions, false);
        for row in 0..n {
            let sample = &self.samples[rng.random_range(0..self.samples.len())];
            let position = &sample.leaf.position;
            position.encode(sample.leaf.clock, &mut batch.features);
            position.hops(&mut hops);
            let sum: f32 = sample.shares.iter().map(|&share| f32::from(share)).sum();
            for (&hop, &share) in hops.iter().zip(&sample.shares) {
                let slot = row * actions + position.index(hop);
                batch.policy[slot] = f32::from(share) / sum;
                batch.legal[slot] = true;
            }
            batch.wdl.extend(sample.target(search_value_share));
        }
    }
}
