//! The weights of a network and their card, in one safetensors file that explains itself.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::config::{NetConfig, NetKind, Puct};
use crate::error::{Error, Result};
use crate::files::write_whole;
use crate::for_variant;
use crate::games::draws::Preset;
use crate::games::position::Position;
use crate::games::variant::Variant;

use super::spec::{Init, NetSpec, TensorSpec};

/// The format that this version writes and reads.
const FORMAT: u32 = 1;
/// The card's key in a file's metadata.
const CARD: &str = "card";
/// The file of a run folder that holds its best weights.
pub const BEST: &str = "best.safetensors";

/// What a file of weights says of itself, as JSON in the file's metadata.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// The version of the file format.
    pub format: u32,
    /// The variant it plays.
    pub variant: Variant,
    /// The kind of network.
    pub kind: NetKind,
    /// Units of a dense layer, or channels of a convolution.
    pub width: usize,
    /// Residual blocks.
    pub blocks: usize,
    /// Steps of the learner behind it; 0 is untrained.
    pub step: u64,
    /// The draw rules it was trained under.
    pub draws: Preset,
    /// How it was searched in training, and is searched by its player.
    #[serde(default)]
    pub search: Puct,
    /// [`Config::hash`](crate::config::Config::hash) of the run; empty where there was none.
    pub config_hash: String,
    /// The version of the crate that wrote it.
    pub crate_version: String,
}

/// A network's parameters, named, with the card.
///
/// ```
/// use shashki::config::NetConfig;
/// use shashki::games::{Position, Russian};
/// use shashki::net::{NetSpec, Weights};
///
/// let spec = NetSpec::new(&Russian::SPEC, &NetConfig { width: 16, ..NetConfig::default() });
/// let weights = Weights::init(&spec, 1);
/// assert_eq!(weights.tensor("policy.weight").len(), 280 * 16);
/// ```
#[derive(Clone, Debug)]
pub struct Weights {
    /// What the file says of itself.
    pub card: Card,
    spec: NetSpec,
    /// In the order of [`NetSpec::tensors`].
    tensors: Vec<(TensorSpec, Vec<f32>)>,
    /// Where they came from, for messages.
    source: PathBuf,
}

impl PartialEq for Weights {
    /// Equal cards and parameters, wherever they came from.
    fn eq(&self, other: &Self) -> bool {
        self.card == other.card && self.tensors == other.tensors
    }
}

impl Weights {
    /// Untrained weights: the same for the same seed, nearly uniform in policy and value.
    #[must_use]
    pub fn init(spec: &NetSpec, seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut values = |tensor: &TensorSpec| match tensor.init {
            Init::Constant(value) => vec![value; tensor.len()],
            Init::Normal(deviation) => {
                let mut draw = || -> f32 { StandardNormal.sample(&mut rng) };
                (0..tensor.len()).map(|_| deviation * draw()).collect()
            }
        };
        let tensors = spec.tensors().into_iter().map(|tensor| (tensor.clone(), values(&tensor))).collect();
        Self { card: Card::new(spec), spec: *spec, tensors, source: PathBuf::from("(untrained)") }
    }

    /// Weights made of one list of all parameters, tensor after tensor in the order of [`NetSpec::tensors`].
    ///
    /// # Panics
    /// If `flat` does not hold as many numbers as the net has parameters.
    #[must_use]
    pub fn from_flat(spec: &NetSpec, card: Card, flat: &[f32]) -> Self {
        assert_eq!(flat.len(), spec.parameters(), "one number a parameter");
        let mut rest = flat;
        let mut next = |tensor: TensorSpec| {
            let (values, others) = rest.split_at(tensor.len());
            rest = others;
            (tensor, values.to_vec())
        };
        let tensors = spec.tensors().into_iter().map(&mut next).collect();
        Self { card, spec: *spec, tensors, source: PathBuf::from("(unsaved)") }
    }

    /// All parameters as one list, tensor after tensor in the order of [`NetSpec::tensors`].
    #[must_use]
    pub fn to_flat(&self) -> Vec<f32> {
        self.tensors.iter().flat_map(|(_, values)| values).copied().collect()
    }

    /// The network's shape.
    #[must_use]
    pub const fn spec(&self) -> &NetSpec {
        &self.spec
    }

    /// The values of a tensor.
    ///
    /// # Panics
    /// If the network has no tensor of this name: names come from [`NetSpec::tensors`].
    #[must_use]
    pub fn tensor(&self, name: &str) -> &[f32] {
        let found = self.tensors.iter().find(|(tensor, _)| tensor.name == name);
        &found.expect("weights hold every tensor of their shape").1
    }

    /// Reads a file and checks all of it: the card, every tensor's name, type, shape and values.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be read, [`Error::Model`] if it is damaged or not what this version reads.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = fs::read(path).map_err(|source| Error::io(path, source))?;
        Self::from_bytes(&bytes, path).map_err(|reason| Error::Model { path: path.to_owned(), reason })
    }

    fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self, String> {
        let (file, text) = open(bytes, CARD)?;
        let card = Card::read(&text)?;
        let spec = card.spec();
        let expected = spec.tensors();
        if let Some(name) = file.names().into_iter().find(|name| !expected.iter().any(|t| t.name == **name)) {
            return Err(format!("tensor {name:?} is not part of a {spec}"));
        }
        let mut tensors = Vec::with_capacity(expected.len());
        for tensor in expected {
            let values = read_tensor(&file, &tensor.name, &tensor.shape)?;
            tensors.push((tensor, values));
        }
        check_sum(&file, &text)?;
        Ok(Self { card, spec, tensors, source: path.to_owned() })
    }

    /// Writes the file whole or not at all.
    ///
    /// # Errors
    /// If the folder or disk does not take it.
    pub fn write(&self, path: &Path) -> Result<()> {
        let card = serde_json::to_value(&self.card).expect("a card is plain data");
        let tensors =
            self.tensors.iter().map(|(tensor, values)| (tensor.name.as_str(), &tensor.shape[..], &values[..]));
        write_whole(path, &to_safetensors(tensors, CARD, card))
    }

    /// Checks that the weights play the variant of `P`.
    ///
    /// # Errors
    /// [`Error::Model`], naming both variants.
    pub fn expect_variant<P: Position>(&self) -> Result<()> {
        if self.card.variant == P::SPEC.variant {
            return Ok(());
        }
        Err(self.refuse(format!("plays {}, expected a model that plays {}", self.card.variant, P::SPEC.variant)))
    }

    /// An error about these weights, naming where they came from.
    pub(super) fn refuse(&self, reason: impl Into<String>) -> Error {
        Error::Model { path: self.source.clone(), reason: reason.into() }
    }
}

impl Card {
    /// The card of an untrained net of this shape.
    #[must_use]
    pub fn new(spec: &NetSpec) -> Self {
        Self {
            format: FORMAT,
            variant: spec.game.variant,
            kind: spec.kind,
            width: spec.width,
            blocks: spec.blocks,
            step: 0,
            draws: Preset::Official,
            search: Puct::default(),
            config_hash: String::new(),
            crate_version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    fn read(text: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        let bad = |error: serde_json::Error| format!("the card cannot be read: {error}");
        let Version { format } = serde_json::from_str(text).map_err(bad)?;
        if format != FORMAT {
            return Err(format!("file format {format}, expected {FORMAT}: written by another version of shashki"));
        }
        let card: Self = serde_json::from_str(text).map_err(bad)?;
        if !(8..=4096).contains(&card.width) || card.blocks > 64 {
            let Self { width, blocks, .. } = card;
            return Err(format!(
                "width {width} and {blocks} blocks, expected a width of 8 to 4096 and up to 64 blocks"
            ));
        }
        card.search.validate()?;
        Ok(card)
    }

    /// The shape that the card describes.
    #[must_use]
    pub fn spec(&self) -> NetSpec {
        let config = NetConfig { kind: self.kind, width: self.width, blocks: self.blocks };
        for_variant!(self.variant, P => NetSpec::new(&P::SPEC, &config))
    }
}

/// The file of a model that is named by a file or by a run folder, which stands for its best weights.
///
/// # Errors
/// [`Error::Io`] if there is nothing of that name, [`Error::Model`] if it is a folder without such a file.
pub fn model_file(path: &Path) -> Result<PathBuf> {
    if !path.exists() {
        let reason = "no such model, expected a .safetensors file or the folder of a run";
        return Err(Error::io(path, std::io::Error::new(std::io::ErrorKind::NotFound, reason)));
    }
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let best = path.join(BEST);
    if best.is_file() {
        return Ok(best);
    }
    let reason = format!("this folder holds no {BEST}, expected a model file or the folder of a run");
    Err(Error::Model { path: path.to_owned(), reason })
}

/// Opens a safetensors file that must carry a text under `key` in its metadata.
pub(crate) fn open<'a>(bytes: &'a [u8], key: &str) -> Result<(SafeTensors<'a>, String), String> {
    let bad = |error| format!("no safetensors file, or one cut short or damaged: {error}");
    let file = SafeTensors::deserialize(bytes).map_err(bad)?;
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(bad)?;
    let text = header.metadata().as_ref().and_then(|texts| texts.get(key)).cloned();
    Ok((file, text.ok_or_else(|| format!("no {key} in the metadata, expected a file that shashki wrote"))?))
}

/// Reads one tensor of finite `f32`.
pub(crate) fn read_tensor(file: &SafeTensors, name: &str, shape: &[usize]) -> Result<Vec<f32>, String> {
    let view = file.tensor(name).map_err(|_| format!("tensor {name:?} is missing"))?;
    if view.dtype() != Dtype::F32 {
        return Err(format!("tensor {name:?} is of type {}, expected F32", view.dtype()));
    }
    if view.shape() != shape {
        return Err(format!("tensor {name:?} has shape {:?}, expected {shape:?}", view.shape()));
    }
    let (numbers, _) = view.data().as_chunks::<4>();
    let values: Vec<f32> = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    if let Some(i) = values.iter().position(|value| !value.is_finite()) {
        return Err(format!("tensor {name:?} holds {} at {i}, expected finite numbers", values[i]));
    }
    Ok(values)
}

/// Compares the tensors with the checksum in the file's text. A file of before there was one passes.
pub(crate) fn check_sum(file: &SafeTensors, text: &str) -> Result<(), String> {
    #[derive(Deserialize)]
    struct Stored {
        sha256: Option<String>,
    }
    let Stored { sha256 } = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match sha256 {
        Some(sum) if sum != checksum(file.iter().map(|(name, view)| (name, view.data()))) => {
            Err("damaged: the tensors do not fit their checksum".to_owned())
        }
        _ => Ok(()),
    }
}

/// The SHA-256 of the tensors' names and bytes, in the order of the names.
fn checksum<'a>(tensors: impl Iterator<Item = (&'a str, &'a [u8])>) -> String {
    let mut hash = Sha256::new();
    for (name, bytes) in tensors.collect::<BTreeMap<_, _>>() {
        hash.update(name);
        hash.update(bytes);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of a safetensors file whose metadata tells of it under `key`, as JSON with the tensors' checksum added.
///
/// # Panics
/// If a tensor does not hold as many values as its shape says, or `about` is no object.
pub(crate) fn to_safetensors<'a>(
    tensors: impl IntoIterator<Item = (&'a str, &'a [usize], &'a [f32])>,
    key: &str,
    mut about: Value,
) -> Vec<u8> {
    let with_bytes = |(name, shape, values): (&'a str, &'a [usize], &'a [f32])| {
        (name, shape.to_vec(), values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>())
    };
    let stored: Vec<_> = tensors.into_iter().map(with_bytes).collect();
    about["sha256"] = checksum(stored.iter().map(|(name, _, bytes)| (*name, &bytes[..]))).into();
    let views = stored.iter().map(|(name, shape, bytes)| {
        (*name, TensorView::new(Dtype::F32, shape.clone(), bytes).expect("a tensor holds what its shape says"))
    });
    let metadata = HashMap::from([(key.to_owned(), about.to_string())]);
    safetensors::serialize(views, Some(metadata)).expect("names and shapes are plain")
}
