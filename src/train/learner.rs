//! Gradient descent on batches of samples: the losses, the step, the running mean of weights, and a state to go on from.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tch::{Kind, Tensor};

use crate::config::{LearnerConfig, NetKind, Precision};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::files::write_whole;
use crate::net::spec::NetSpec;
use crate::net::torch::{self, Network, download, set_threads};
use crate::net::weights::{Card, Weights, check_sum, open, read_tensor, to_safetensors};

use super::adamw::{AdamW, clip};
use super::replay::Batch;

/// What illegal hops' logits are set to: a softmax makes zeros of them, and zero times it is still zero.
const NEVER: f64 = -1e9;
/// The state file's key in its metadata.
const STATE: &str = "state";
/// The state file's tensor of the running mean, which only some have.
const AVERAGE: &str = "average";
/// The state file's version.
const FORMAT: u32 = 1;

/// What a batch costs; each is the mean over its samples.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Losses {
    /// Cross-entropy of the policy against the samples'.
    pub policy: f64,
    /// Cross-entropy of win, draw and loss against the samples'.
    pub value: f64,
    /// What is minimised: `policy + value_weight * value`.
    pub total: f64,
    /// Entropy of the net's policy over the legal hops.
    pub entropy: f64,
    /// How far the policy is from the samples' (Kullback-Leibler): `policy` less the entropy of the samples' own.
    pub kl: f64,
    /// Norm of the gradient before clipping; 0 where none was taken.
    pub grad_norm: f64,
}

impl Losses {
    /// Adds a share of other losses: of a shard, or of one step among many.
    pub fn add(&mut self, other: &Self, share: f64) {
        self.policy += share * other.policy;
        self.value += share * other.value;
        self.total += share * other.total;
        self.entropy += share * other.entropy;
        self.kl += share * other.kl;
        self.grad_norm += share * other.grad_norm;
    }
}

/// Trains a net. All parameters lie in one flat tensor, so that a step of the optimiser is a handful of operations
/// whatever the number of layers.
///
/// On the CPU a batch is cut into shards, one a thread, and each thread runs libtorch single-threaded on its own shard:
/// the layers are too small for libtorch's own threads, which would spend half their time waiting for each other.
#[derive(Debug)]
pub struct Learner {
    shards: Vec<Shard>,
    config: LearnerConfig,
    card: Card,
    parameters: Tensor,
    /// The running mean of the parameters; none where it is not asked for.
    average: Option<Tensor>,
    optimiser: AdamW,
    step: u64,
}

/// One thread's part of the learner: its share of the batch, and the parameters, which all shards share.
#[derive(Debug)]
struct Shard {
    network: Network,
    /// The parameters, in f32.
    parameters: Tensor,
    /// What layers are computed in.
    kind: Kind,
    batch: Batch,
}

/// What the state file says of itself.
#[derive(Serialize, Deserialize)]
struct State {
    format: u32,
    step: u64,
    card: Card,
}

impl Learner {
    /// A learner that starts from these weights on a device, with a fresh optimiser; on the CPU it uses
    /// so many threads.
    ///
    /// # Errors
    /// If the weights have another shape than `spec` or the device is not there.
    pub fn new(
        spec: &NetSpec,
        config: &LearnerConfig,
        device: Device,
        threads: usize,
        initial: &Weights,
    ) -> Result<Self> {
        if initial.spec() != spec {
            let expected = format!("a {spec}, as the config says");
            return Err(Error::value("initial weights", initial.spec(), expected));
        }
        let device = torch::find(device)?;
        let network = Network::new(spec, device);
        let flat = initial.to_flat();
        let parameters = network.upload(&flat, &[flat.len() as i64])?;
        let average = if config.average > 0.0 { Some(parameters.f_detach()?.f_mul_scalar(1.0)?) } else { None };
        let decays: Vec<f32> =
            spec.tensors().iter().flat_map(|t| std::iter::repeat_n(f32::from(u8::from(t.decays())), t.len())).collect();
        let optimiser = AdamW::new(network.upload(&decays, &[flat.len() as i64])?)?;
        let _ = parameters.f_set_requires_grad(true)?;
        let shards = if device.is_cuda() { 1 } else { threads.clamp(1, config.batch_size) };
        set_threads(1);
        let kind = kind(config.precision, spec.kind, device);
        let shards = (0..shards)
            .map(|_| Shard {
                network: Network::new(spec, device),
                parameters: parameters.shallow_clone(),
                kind,
                batch: Batch::default(),
            })
            .collect();
        let (config, card, step) = (config.clone(), initial.card.clone(), initial.card.step);
        Ok(Self { shards, config, card, parameters, average, optimiser, step })
    }

    /// Steps taken, those behind the initial weights included.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.step
    }

    /// What layers are computed in: `f32` or `bf16`.
    #[must_use]
    pub fn precision(&self) -> &'static str {
        if self.shards[0].kind == Kind::BFloat16 { "bf16" } else { "f32" }
    }

    /// Takes one step against the gradient of the batch's loss, on this thread.
    ///
    /// # Errors
    /// [`Error::Network`] if the loss or its gradient is not finite (then nothing has changed) or the device fails.
    pub fn step(&mut self, batch: &Batch, learning_rate: f64) -> Result<Losses> {
        let (gradient, losses) = self.shards[0].learn(batch, 1.0, &self.config)?;
        self.apply(gradient, losses, learning_rate)
    }

    /// Takes one step on a batch of the configured size. Each shard's thread asks `fill` for its share: the shard's number
    /// and size, and where to put the samples.
    ///
    /// # Errors
    /// As [`Learner::step`].
    ///
    /// # Panics
    /// If `fill` panics or puts in another number of samples.
    pub fn step_sharded(
        &mut self,
        fill: &(dyn Fn(usize, usize, &mut Batch) + Sync),
        learning_rate: f64,
    ) -> Result<Losses> {
        let (count, total, config) = (self.shards.len(), self.config.batch_size, &self.config);
        let learned: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = self
                .shards
                .iter_mut()
                .enumerate()
                .map(|(i, shard)| {
                    let size = total * (i + 1) / count - total * i / count;
                    scope.spawn(move || {
                        let mut batch = std::mem::take(&mut shard.batch);
                        fill(i, size, &mut batch);
                        assert_eq!(batch.features.len(), size, "a shard is filled");
                        let share = size as f64 / total as f64;
                        let learned = shard.learn(&batch, share, config);
                        shard.batch = batch;
                        learned
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().expect("a shard does not panic")).collect()
        });
        let mut learned = learned.into_iter();
        let (mut gradient, mut losses) = learned.next().expect("there is a shard")?;
        for part in learned {
            let (more, part) = part?;
            let _ = gradient.f_add_(&more)?;
            losses.add(&part, 1.0);
        }
        self.apply(gradient, losses, learning_rate)
    }

    /// Moves the parameters against a gradient.
    fn apply(&mut self, mut gradient: Tensor, mut losses: Losses, learning_rate: f64) -> Result<Losses> {
        let norm = clip(&mut gradient, self.config.clip_norm)?;
        losses.grad_norm = f64::from(download(&norm.f_reshape([1])?)?[0]);
        if !losses.total.is_finite() || !losses.grad_norm.is_finite() {
            return Err(Error::Network(format!(
                "the loss is {} and its gradient's norm {} at step {}: lower learner.learning_rate or learner.clip_norm \
                 and resume from the last checkpoint",
                losses.total, losses.grad_norm, self.step
            )));
        }
        let weight_decay = self.config.weight_decay;
        self.step += 1;
        let threads = self.shards.len();
        self.optimiser.step(&mut self.parameters, &gradient, self.step, learning_rate, weight_decay, threads)?;
        if let Some(average) = &mut self.average {
            let _no_gradients = tch::no_grad_guard();
            let _ = average.f_lerp_(&self.parameters, 1.0 - memory(self.config.average, self.step))?;
        }
        Ok(losses)
    }

    /// What the batch costs, without learning from it.
    ///
    /// # Errors
    /// If the device fails.
    pub fn evaluate(&self, batch: &Batch) -> Result<Losses> {
        let _no_gradients = tch::no_grad_guard();
        let (total, parts) = self.shards[0].loss(batch, &self.config)?;
        losses(batch, &parts, &total)
    }

    /// The gradient of the batch's loss, one number a parameter in the order of [`Weights::to_flat`], not clipped.
    ///
    /// # Errors
    /// If the device fails.
    pub fn gradient_of(&self, batch: &Batch) -> Result<Vec<f32>> {
        download(&self.shards[0].learn(batch, 1.0, &self.config)?.0)
    }

    /// The weights to play with: the running mean where the config asks for one, else those of the last step.
    ///
    /// # Errors
    /// If the device fails.
    pub fn weights(&self) -> Result<Weights> {
        let flat = download(self.average.as_ref().unwrap_or(&self.parameters))?;
        let card = Card { step: self.step, crate_version: env!("CARGO_PKG_VERSION").to_owned(), ..self.card.clone() };
        Ok(Weights::from_flat(self.spec(), card, &flat))
    }

    /// Writes all that [`Learner::load_state`] needs to go on as if nothing had happened, whole or not at all.
    ///
    /// # Errors
    /// If the device fails or the disk does not take it.
    pub fn save_state(&self, path: &Path) -> Result<()> {
        let state = State { format: FORMAT, step: self.step, card: self.card.clone() };
        let mut lists = Vec::new();
        for (name, tensor) in self.tensors() {
            lists.push((name, download(tensor)?));
        }
        let shape = [self.spec().parameters()];
        let tensors = lists.iter().map(|(name, list)| (*name, &shape[..], &list[..]));
        let head = serde_json::to_value(&state).expect("a state's head is plain data");
        write_whole(path, &to_safetensors(tensors, STATE, head))
    }

    /// Goes on from a stored state of a learner of the same shape.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be read, [`Error::Model`] if it is damaged or of another shape; then nothing has
    /// changed.
    pub fn load_state(&mut self, path: &Path) -> Result<()> {
        let bytes = fs::read(path).map_err(|source| Error::io(path, source))?;
        let bad = |reason| Error::Model { path: path.to_owned(), reason };
        let (state, lists) = self.read_state(&bytes).map_err(bad)?;
        let _no_gradients = tch::no_grad_guard();
        let mut values = Vec::new();
        for list in &lists {
            values.push(self.shards[0].network.upload(list, &[list.len() as i64])?);
        }
        self.parameters.f_copy_(&values[0])?;
        self.optimiser.mean.f_copy_(&values[1])?;
        self.optimiser.square.f_copy_(&values[2])?;
        if let Some(average) = &mut self.average {
            average.f_copy_(&values[3])?;
        }
        (self.step, self.card) = (state.step, state.card);
        Ok(())
    }

    fn read_state(&self, bytes: &[u8]) -> Result<(State, Vec<Vec<f32>>), String> {
        let (file, text) = open(bytes, STATE)?;
        let state: State = serde_json::from_str(&text).map_err(|error| format!("its head cannot be read: {error}"))?;
        if state.format != FORMAT {
            return Err(format!("state format {}, expected {FORMAT}", state.format));
        }
        let (found, expected) = (state.card.spec(), self.spec());
        if found != *expected {
            return Err(format!("the state of a {found}, expected that of a {expected}"));
        }
        let shape = [expected.parameters()];
        let read = |(name, _): (_, &Tensor)| match read_tensor(&file, name, &shape) {
            Err(reason) if name == AVERAGE => {
                Err(format!("{reason}: learner.average stays 0 in a run that began without it"))
            }
            values => values,
        };
        let lists = self.tensors().into_iter().map(read).collect::<Result<_, _>>()?;
        check_sum(&file, &text)?;
        Ok((state, lists))
    }

    /// What a state is made of, by name.
    fn tensors(&self) -> Vec<(&'static str, &Tensor)> {
        let optimiser = &self.optimiser;
        let mut list = vec![("parameters", &self.parameters), ("mean", &optimiser.mean), ("square", &optimiser.square)];
        list.extend(self.average.as_ref().map(|average| (AVERAGE, average)));
        list
    }

    fn spec(&self) -> &NetSpec {
        self.shards[0].network.spec()
    }
}

impl Shard {
    /// The gradient of the batch's loss and what the batch costs, both times `share`.
    fn learn(&self, batch: &Batch, share: f64, config: &LearnerConfig) -> Result<(Tensor, Losses)> {
        let (total, parts) = self.loss(batch, config)?;
        let shared = total.f_mul_scalar(share)?;
        let mut gradients = Tensor::f_run_backward(&[&shared], &[&self.parameters], false, false)?;
        let gradient = gradients.pop().expect("one gradient a list of parameters");
        let mut shared = Losses::default();
        shared.add(&losses(batch, &parts, &total)?, share);
        Ok((gradient, shared))
    }

    /// The loss, and the policy's and value's share and the policy's entropy.
    fn loss(&self, batch: &Batch, config: &LearnerConfig) -> Result<(Tensor, [Tensor; 3])> {
        let actions = self.network.spec().game.actions;
        let n = batch.features.len();
        let found = [batch.policy.len(), batch.legal.len(), batch.wdl.len()];
        assert_eq!(found, [n * actions, n * actions, n * 3], "a batch holds a target for each sample");
        let rows = n as i64;
        let target = self.network.upload(&batch.policy, &[rows, actions as i64])?;
        let illegal = self.network.upload(&batch.legal, &[rows, actions as i64])?.f_logical_not()?;
        let target_wdl = self.network.upload(&batch.wdl, &[rows, 3])?;
        let parameters = self.network.split(&self.parameters.f_to_kind(self.kind)?)?;
        let input = self.network.input(&batch.features)?.f_to_kind(self.kind)?;
        let (logits, wdl) = self.network.forward(&parameters, &input)?;
        let (logits, wdl) = (logits.f_to_kind(Kind::Float)?, wdl.f_to_kind(Kind::Float)?);
        let mean = -1.0 / n as f64;
        let cross_entropy = |chances: &Tensor, logs: &Tensor| -> Result<Tensor> {
            Ok(chances.f_mul(logs)?.f_sum(None)?.f_mul_scalar(mean)?)
        };
        let logs = logits.f_masked_fill(&illegal, NEVER)?.f_log_softmax(-1, None)?;
        let policy = cross_entropy(&target, &logs)?;
        let value = cross_entropy(&target_wdl, &wdl.f_log_softmax(-1, None)?)?;
        let total = policy.f_add(&value.f_mul_scalar(config.value_weight)?)?;
        let logs = logs.f_detach()?;
        let entropy = cross_entropy(&logs.f_exp()?, &logs)?;
        Ok((total, [policy, value, entropy]))
    }
}

/// What layers are computed in on a device.
fn kind(precision: Precision, net: NetKind, device: tch::Device) -> Kind {
    match precision {
        Precision::Bf16 => Kind::BFloat16,
        Precision::Auto if net == NetKind::Mlp && device == tch::Device::Cpu && has_bf16() => Kind::BFloat16,
        Precision::Auto | Precision::F32 => Kind::Float,
    }
}

/// Whether the processor multiplies bf16 by instructions of its own; where it has none, bf16 is far slower than f32.
fn has_bf16() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx512bf16");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// Brings the losses to the host, all in one go.
fn losses(batch: &Batch, parts: &[Tensor; 3], total: &Tensor) -> Result<Losses> {
    let [policy, value, entropy] = parts;
    let all = download(&Tensor::f_stack(&[policy, value, entropy, total], 0)?)?;
    let number = |i: usize| all.get(i).copied().map_or(0.0, f64::from);
    // The zeros of a policy are most of it and add nothing.
    let own: f64 = batch.policy.iter().filter(|&&p| p > 0.0).map(|&p| f64::from(-p * p.ln())).sum();
    let kl = number(0) - own / batch.features.len().max(1) as f64;
    Ok(Losses { policy: number(0), value: number(1), entropy: number(2), total: number(3), grad_norm: 0.0, kl })
}

/// The running mean's memory at a step: short at first, so that the untrained weights are soon forgotten.
fn memory(average: f64, step: u64) -> f64 {
    average.min((1.0 + step as f64) / (10.0 + step as f64))
}

/// The step size at a step of a run of which the share `progress` (0 to 1) is over: a linear rise over the warm-up, then
/// a half cosine down to the final one (Loshchilov and Hutter 2017). A run without an end stays at progress 0.
///
/// ```
/// use shashki::config::LearnerConfig;
/// use shashki::train::learner::learning_rate;
///
/// let config = LearnerConfig { learning_rate: 1e-3, final_learning_rate: 1e-4, warmup_steps: 100, ..Default::default() };
/// assert_eq!(learning_rate(&config, 49, 0.0), 0.5e-3);
/// assert_eq!(learning_rate(&config, 5000, 1.0), 1e-4);
/// ```
#[must_use]
pub fn learning_rate(config: &LearnerConfig, step: u64, progress: f64) -> f64 {
    let (high, low) = (config.learning_rate, config.final_learning_rate);
    let falling = 0.5 * (1.0 + (std::f64::consts::PI * progress.clamp(0.0, 1.0)).cos());
    let rising = (step + 1) as f64 / config.warmup_steps.max(1) as f64;
    (high * falling + low * (1.0 - falling)) * rising.min(1.0)
}
