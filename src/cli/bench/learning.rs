//! Workloads of learning: the store of samples, its file, and the learner's steps.

use std::path::PathBuf;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::board::{Hops, Side};
use crate::error::{Error, Result};
use crate::evaluator::Wdl;
use crate::games::Russian;
use crate::games::game::Leaf;
use crate::games::position::Position;
use crate::train::replay::{self, Batch, Replay, Sample};

use super::Size;
use super::rules::leaves;
use super::timing::{Reading, Task};

/// Samples of a batch.
const BATCH: usize = 512;

/// Draws samples of a large store by lot and encodes them; where there is a learner, beside what it uses up.
pub(super) fn draw(size: Size) -> Result<Task> {
    let samples = size.pick(1_000_000, 2000);
    let mut store = Replay::new(samples);
    store.extend(recorded(leaves(samples)?));
    let batches = size.pick(100, 2);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut batch = Batch::default();
    let task = Task::new(move || {
        for _ in 0..batches {
            store.sample(&mut rng, BATCH, 0.0, &mut batch);
        }
        Ok((batches * BATCH) as u64)
    });
    #[cfg(feature = "torch")]
    let task = task.against("learner", steps::taking(size)?);
    Ok(task)
}

/// Bytes of memory a sample takes: by how much the process grew when a store was filled. Done once, for memory that was
/// used before and is used again does not show.
#[cfg(target_os = "linux")]
pub(super) fn memory(size: Size) -> Result<Task> {
    let leaves = leaves(size.pick(500_000, 20_000))?;
    let count = leaves.len();
    let before = resident_bytes()?;
    let mut store = Replay::new(count);
    store.extend(recorded(leaves));
    let grown = resident_bytes()?.saturating_sub(before) as f64 / store.len() as f64;
    Ok(Task::of(move || Ok(Reading::Figure(grown, count as u64))))
}

/// Bytes a sample takes in a file.
pub(super) fn file_size(size: Size) -> Result<Task> {
    let samples = size.pick(100_000, 2000);
    let file = SampleFile::write(samples)?;
    Ok(Task::of(move || {
        let length = std::fs::metadata(&file.0).map_err(|source| Error::io(&file.0, source))?.len();
        Ok(Reading::Figure(length as f64 / samples as f64, samples as u64))
    }))
}

/// Reads a file of samples.
pub(super) fn load(size: Size) -> Result<Task> {
    let file = SampleFile::write(size.pick(1_000_000, 2000))?;
    Ok(Task::new(move || Ok(replay::load::<Russian>(&file.0)?.len() as u64)))
}

/// What a search that knows nothing would record of these positions.
fn recorded(leaves: Vec<Leaf<Russian>>) -> impl Iterator<Item = Sample<Russian>> {
    let mut hops = Hops::new();
    let winners = [Some(Side::White), Some(Side::Black), None].into_iter().cycle();
    leaves.into_iter().zip(winners).map(move |(leaf, winner)| {
        leaf.position.hops(&mut hops);
        let policy = vec![1.0 / hops.len() as f32; hops.len()];
        Sample { winner, ..Sample::new(leaf, &policy, Wdl::DRAW) }
    })
}

/// A file of samples that goes with the workload.
struct SampleFile(PathBuf);

impl SampleFile {
    fn write(samples: usize) -> Result<Self> {
        let name = format!("shashki-bench-{}-{samples}.samples", std::process::id());
        let file = Self(std::env::temp_dir().join(name));
        replay::save(&file.0, &recorded(leaves(samples)?).collect::<Vec<_>>())?;
        Ok(file)
    }
}

impl Drop for SampleFile {
    fn drop(&mut self) {
        // What cannot be removed is left to the system, as all temporary files are.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Memory of this process that is in use.
#[cfg(target_os = "linux")]
fn resident_bytes() -> Result<u64> {
    const STATUS: &str = "/proc/self/status";
    let text = std::fs::read_to_string(STATUS).map_err(|source| Error::io(STATUS, source))?;
    let kilobytes = text.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse().ok());
    kilobytes.map(|n: u64| n * 1024).ok_or_else(|| Error::Failed(format!("{STATUS} does not tell the memory in use")))
}

/// The learner's steps.
#[cfg(feature = "torch")]
pub(super) mod steps {
    use crate::config::LearnerConfig;
    use crate::device::Device;
    use crate::error::Result;
    use crate::train::learner::Learner;

    use super::super::nets::mlp;
    use super::{BATCH, Batch, Reading, Replay, SeedableRng, Size, Task, Xoshiro256PlusPlus, leaves, recorded};

    /// Trains on batches that are ready, on one thread. A step costs about three forward passes: one forward, and for
    /// the gradient two products of the same size.
    pub fn learn(size: Size) -> Result<Task> {
        Ok(Task::of(taking(size)?).with_flops(3.0 * mlp().spec().flops() as f64))
    }

    pub fn taking(size: Size) -> Result<impl FnMut() -> Result<Reading>> {
        let steps = size.pick(40, 2);
        let weights = mlp();
        let config = LearnerConfig { batch_size: BATCH, ..LearnerConfig::default() };
        let mut learner = Learner::new(weights.spec(), &config, Device::Cpu, 1, &weights)?;
        let mut store = Replay::new(20_000);
        store.extend(recorded(leaves(size.pick(20_000, 2000))?));
        let mut batch = Batch::default();
        store.sample(&mut Xoshiro256PlusPlus::seed_from_u64(1), BATCH, 0.0, &mut batch);
        Ok(move || {
            for _ in 0..steps {
                learner.step(&batch, 1e-4)?;
            }
            Ok(Reading::Work((steps * BATCH) as u64))
        })
    }
}
