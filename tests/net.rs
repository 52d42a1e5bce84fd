//! Networks: the forward passes agree, views turn, and files that are damaged or do not fit are refused by name.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test may panic, and say how close it came")]

mod common;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use shashki::Error;
use shashki::board::{Hops, Side};
use shashki::config::{NetConfig, NetKind};
use shashki::device::Device;
use shashki::evaluator::{Evaluations, Evaluator};
use shashki::files::write_whole;
use shashki::for_variant;
use shashki::games::game::Leaf;
use shashki::games::{Features, Game, Position, Preset, Russian, Spantsireti, Variant};
use shashki::net::{CpuNet, NetSpec, Weights, load};

fn spec(kind: NetKind, width: usize, blocks: usize) -> NetSpec {
    NetSpec::new(&Russian::SPEC, &NetConfig { kind, width, blocks })
}

/// Weights whose biases and heads are not small either, so that a mistake anywhere shows in the answers.
fn lively(spec: &NetSpec, seed: u64) -> Weights {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let plain = Weights::init(spec, seed);
    let mut flat = Vec::new();
    for tensor in spec.tensors() {
        let scale = if tensor.name.starts_with("policy.w") || tensor.name.starts_with("value.w") { 10.0 } else { 1.0 };
        let shift = if tensor.decays() { 0.0 } else { 0.3 };
        flat.extend(plain.tensor(&tensor.name).iter().map(|x| scale * x + shift * rng.random_range(-1.0..1.0_f32)));
    }
    Weights::from_flat(spec, plain.card.clone(), &flat)
}

/// Leaves of random games, chains and counters among them.
fn leaves(n: usize, seed: u64) -> Vec<Leaf<Russian>> {
    leaves_of(n, seed)
}

/// The same of any variant.
fn leaves_of<P: Position>(n: usize, seed: u64) -> Vec<Leaf<P>> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (mut hops, mut leaves) = (Hops::new(), Vec::new());
    while leaves.len() < n {
        let mut game = Game::<P>::new(Preset::Official).unwrap();
        while game.outcome().is_none() {
            if rng.random_bool(0.3) {
                leaves.push(game.leaf());
            }
            game.hops(&mut hops);
            game.play_unchecked(hops[rng.random_range(0..hops.len())]);
        }
    }
    leaves.truncate(n);
    leaves
}

fn answers<P: Position>(net: &mut dyn Evaluator<P>, leaves: &[Leaf<P>]) -> Evaluations {
    let mut out = Evaluations::default();
    net.evaluate(leaves, &mut out).unwrap();
    out
}

/// The largest difference between the answers' chances.
fn difference(a: &Evaluations, b: &Evaluations) -> f32 {
    assert_eq!((a.len(), &a.ends), (b.len(), &b.ends));
    let wdl = |e: &Evaluations| -> Vec<f32> { e.wdl.iter().flat_map(|wdl| wdl.seen_by(Side::White)).collect() };
    let all = |e: &Evaluations| [&e.priors[..], &wdl(e)[..]].concat();
    all(a).iter().zip(all(b)).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

/// The formulas of [`NetSpec`] in plain loops and double precision.
struct Formula<'a>(&'a Weights);

impl Formula<'_> {
    fn tensor(&self, name: &str) -> Vec<f64> {
        self.0.tensor(name).iter().map(|x| f64::from(*x)).collect()
    }

    /// A dense layer, or a 1x1 convolution at one square.
    fn dense(&self, name: &str, input: &[f64]) -> Vec<f64> {
        let (weight, bias) = (self.tensor(&format!("{name}.weight")), self.tensor(&format!("{name}.bias")));
        let sum = |row: &[f64]| row.iter().zip(input).map(|(w, x)| w * x).sum::<f64>();
        weight.chunks_exact(input.len()).zip(bias).map(|(row, b)| sum(row) + b).collect()
    }

    /// A 3x3 convolution over the packed squares and its group norm, planes `[channels][squares]`.
    fn conv_norm(&self, name: &str, planes: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let spec = self.0.spec();
        let (ranks, columns) = (spec.game.height as isize, spec.game.width as isize / 2);
        let weight = self.tensor(&format!("{name}.conv.weight"));
        let at = |plane: &[f64], rank: isize, column: isize| {
            let inside = (0..ranks).contains(&rank) && (0..columns).contains(&column);
            if inside { plane[(rank * columns + column) as usize] } else { 0.0 }
        };
        let sum = |kernels: &[f64], square: isize| {
            let (rank, column) = (square / columns - 1, square % columns - 1);
            let each = planes.iter().zip(kernels.chunks_exact(9));
            each.map(|(plane, kernel)| {
                (0..9).map(|i| kernel[i as usize] * at(plane, rank + i / 3, column + i % 3)).sum::<f64>()
            })
            .sum::<f64>()
        };
        let kernels = weight.chunks_exact(9 * planes.len());
        let mut out: Vec<Vec<f64>> =
            kernels.map(|kernels| (0..ranks * columns).map(|square| sum(kernels, square)).collect()).collect();
        let (scale, shift) = (self.tensor(&format!("{name}.norm.weight")), self.tensor(&format!("{name}.norm.bias")));
        for (g, group) in out.chunks_exact_mut(spec.width / spec.groups()).enumerate() {
            let all = group.concat();
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            let variance = all.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / all.len() as f64;
            let first = g * group.len();
            for (c, plane) in group.iter_mut().enumerate() {
                let factor = scale[first + c] / (variance + 1e-5).sqrt();
                plane.iter_mut().for_each(|x| *x = (*x - mean) * factor + shift[first + c]);
            }
        }
        out
    }

    fn mlp(&self, features: &Features) -> [Vec<f64>; 2] {
        let spec = self.0.spec();
        let mut row = vec![0.0; spec.game.inputs()];
        features.write_row(0, &spec.game, &mut row);
        let mut stream = self.dense("input", &row.into_iter().map(f64::from).collect::<Vec<_>>());
        for i in 0..spec.blocks {
            let change = self.dense(&format!("blocks.{i}"), &relu(&stream));
            stream.iter_mut().zip(change).for_each(|(sum, change)| *sum += change);
        }
        let active = relu(&stream);
        [self.dense("policy", &active), self.dense("value", &relu(&self.dense("value.hidden", &active)))]
    }

    fn resnet(&self, features: &Features) -> [Vec<f64>; 2] {
        let spec = self.0.spec();
        let [channels, height, width] = spec.game.planes();
        let mut full = vec![0.0; spec.game.observation_len()];
        features.write_planes(0, &spec.game, &mut full);
        // The playable squares of the picture, in its order; the last plane is 1 on every other rank.
        let dark: Vec<usize> = (0..height * width).filter(|cell| (cell / width + cell % width) % 2 == 0).collect();
        let plane = |c: usize| dark.iter().map(|cell| f64::from(full[c * height * width + cell])).collect();
        let mut planes: Vec<Vec<f64>> = (0..channels).map(plane).collect();
        planes.push(dark.iter().map(|cell| (cell / width % 2) as f64).collect());
        let mut stream: Vec<Vec<f64>> = self.conv_norm("input", &planes).iter().map(|x| relu(x)).collect();
        for i in 0..spec.blocks {
            let first: Vec<_> =
                self.conv_norm(&format!("blocks.{i}.0"), &stream).iter().map(|plane| relu(plane)).collect();
            let second = self.conv_norm(&format!("blocks.{i}.1"), &first);
            for (stream, change) in stream.iter_mut().zip(second) {
                stream.iter_mut().zip(change).for_each(|(sum, change)| *sum = (*sum + change).max(0.0));
            }
        }
        let head = |name: &str| -> Vec<f64> {
            let square = |s: usize| self.dense(name, &stream.iter().map(|plane| plane[s]).collect::<Vec<_>>());
            let squares: Vec<Vec<f64>> = (0..dark.len()).map(square).collect();
            (0..squares[0].len()).flat_map(|c| squares.iter().map(move |square| square[c].max(0.0))).collect()
        };
        let hidden = relu(&self.dense("value.hidden", &head("value.conv")));
        [self.dense("policy", &head("policy.conv")), self.dense("value", &hidden)]
    }
}

fn relu(x: &[f64]) -> Vec<f64> {
    x.iter().map(|x| x.max(0.0)).collect()
}

fn softmax(x: &[f64]) -> Vec<f64> {
    let sum: f64 = x.iter().map(|x| x.exp()).sum();
    x.iter().map(|x| x.exp() / sum).collect()
}

fn computes_the_formula<P: Position>(kind: NetKind, width: usize, blocks: usize) {
    let spec = NetSpec::new(&P::SPEC, &NetConfig { kind, width, blocks });
    let weights = lively(&spec, 3);
    let leaves = leaves_of::<P>(30, 1);
    let found = answers(&mut CpuNet::<P>::new(&weights).unwrap(), &leaves);
    for (i, leaf) in leaves.iter().enumerate() {
        let mut features = Features::default();
        leaf.position.encode(leaf.clock, &mut features);
        let [policy, wdl] = match kind {
            NetKind::Mlp => Formula(&weights).mlp(&features),
            NetKind::Resnet => Formula(&weights).resnet(&features),
        };
        let mut hops = Hops::new();
        leaf.position.hops(&mut hops);
        let logits: Vec<f64> = hops.iter().map(|&hop| policy[leaf.position.index(hop)]).collect();
        let (priors, wdl, seen) = (softmax(&logits), softmax(&wdl), found.wdl[i].seen_by(leaf.position.side()));
        for (found, expected) in found.priors_of(i).iter().chain(&seen).zip(priors.iter().chain(&wdl)) {
            assert!((f64::from(*found) - expected).abs() < 1e-5, "{spec}, leaf {i}: {found} is not {expected}");
        }
    }
}

#[test]
fn the_cpu_pass_computes_the_formula_of_the_spec_for_every_variant() {
    for &variant in Variant::ALL {
        for (kind, width, blocks) in [
            (NetKind::Mlp, 24, 2),
            (NetKind::Mlp, 70, 1),
            (NetKind::Resnet, 8, 0),
            (NetKind::Resnet, 20, 2),
            (NetKind::Resnet, 40, 1),
        ] {
            for_variant!(variant, P => computes_the_formula::<P>(kind, width, blocks));
        }
    }
}

#[test]
fn nets_of_odd_sizes_compute_the_formula_too() {
    for (kind, width, blocks) in [
        (NetKind::Mlp, 1, 1),
        (NetKind::Mlp, 1000, 0),
        (NetKind::Resnet, 1, 1),
        (NetKind::Resnet, 7, 1),
        (NetKind::Resnet, 130, 0),
    ] {
        computes_the_formula::<Russian>(kind, width, blocks);
        computes_the_formula::<Spantsireti>(kind, width, blocks);
    }
}

#[test]
fn a_position_is_answered_alike_in_batches_of_every_size() {
    for spec in [spec(NetKind::Mlp, 40, 3), spec(NetKind::Resnet, 20, 2)] {
        answers_alike_in_batches_of_every_size(&spec);
    }
}

fn answers_alike_in_batches_of_every_size(spec: &NetSpec) {
    let mut net = CpuNet::<Russian>::new(&lively(spec, 5)).unwrap();
    let leaves = leaves(300, 2);
    let whole = answers(&mut net, &leaves);
    assert_eq!(whole.len(), 300);
    for size in [1, 2, 3, 7, 13, 64] {
        let mut parts = Evaluations::default();
        for chunk in leaves.chunks(size) {
            let part = answers(&mut net, chunk);
            let before = parts.priors.len() as u32;
            parts.wdl.extend(&part.wdl);
            parts.priors.extend(&part.priors);
            parts.ends.extend(part.ends.iter().map(|end| before + end));
        }
        let away = difference(&whole, &parts);
        assert!(away < 2e-6, "{spec}: batches of {size} differ by {away}");
    }
    assert!(answers(&mut net, &[]).is_empty());
}

#[test]
fn an_untrained_net_is_nearly_uniform() {
    let dense = [(8, 0, 1), (8, 0, 2), (256, 2, 3), (256, 2, 4), (64, 16, 5), (64, 16, 6)];
    let dense = dense.map(|(width, blocks, seed)| (NetKind::Mlp, width, blocks, seed));
    for (kind, width, blocks, seed) in
        dense.into_iter().chain([(NetKind::Resnet, 16, 2, 1), (NetKind::Resnet, 32, 4, 2)])
    {
        let mut net = CpuNet::<Russian>::new(&Weights::init(&spec(kind, width, blocks), seed)).unwrap();
        let leaves = leaves(200, 3);
        let out = answers(&mut net, &leaves);
        for (i, leaf) in leaves.iter().enumerate() {
            let priors = out.priors_of(i);
            let even = 1.0 / priors.len() as f32;
            let sum: f32 = priors.iter().sum();
            assert!((sum - 1.0).abs() < 1e-5);
            assert!(priors.iter().all(|p| (p / even).ln().abs() < 1.0), "{width} x {blocks}: {priors:?}");
            let wdl = out.wdl[i].seen_by(leaf.position.side());
            assert!(wdl.iter().all(|p| (p - 1.0 / 3.0).abs() < 0.2), "{width} x {blocks}: {wdl:?}");
        }
    }
}

#[test]
fn the_turned_position_has_the_same_answer_for_the_other_colour() {
    let turned = |square: u8| 33 - square;
    let mut net = CpuNet::<Russian>::new(&lively(&spec(NetKind::Mlp, 32, 1), 9)).unwrap();
    let numbers = |squares: &[u8]| squares.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
    for (white, black) in [([21_u8, 22, 30], [9_u8, 12, 2]), ([17, 26, 31], [10, 7, 3])] {
        let plain = format!("W:W{}:BK{}", numbers(&white), numbers(&black));
        let other = format!("B:WK{}:B{}", numbers(&black.map(turned)), numbers(&white.map(turned)));
        let [plain, other] = [plain, other].map(|fen| {
            let position = Russian::read_fen(&fen).unwrap();
            Game::from_position(position, Preset::Official).unwrap().leaf()
        });
        let (a, b) = (answers(&mut net, &[plain]), answers(&mut net, &[other]));
        // The hops are listed in another order: compare them by number.
        let by_number = |leaf: &Leaf<Russian>, priors: &[f32]| {
            let mut hops = Hops::new();
            leaf.position.hops(&mut hops);
            let numbers = hops.iter().map(|&hop| leaf.position.index(hop));
            let mut list: Vec<(usize, f32)> = numbers.zip(priors.iter().copied()).collect();
            list.sort_by_key(|(number, _)| *number);
            list
        };
        // The inputs are summed in another order, so the last bits differ.
        let near = |a: f32, b: f32| assert!((a - b).abs() < 1e-6, "{a} is not {b}");
        let (plain, other) = (by_number(&plain, a.priors_of(0)), by_number(&other, b.priors_of(0)));
        assert_eq!(plain.len(), other.len());
        for ((number, chance), (same, other)) in plain.into_iter().zip(other) {
            assert_eq!(number, same);
            near(chance, other);
        }
        for (a, b) in a.wdl[0].seen_by(Side::White).into_iter().zip(b.wdl[0].seen_by(Side::Black)) {
            near(a, b);
        }
        assert_ne!(a.wdl[0].seen_by(Side::White)[0], a.wdl[0].seen_by(Side::White)[2]);
    }
}

#[test]
fn a_shape_counts_its_parameters_and_operations() {
    let mlp = spec(NetKind::Mlp, 256, 2);
    let dense = |inputs: usize, outputs: usize| inputs * outputs + outputs;
    let expected = dense(194, 256) + 2 * dense(256, 256) + dense(256, 280) + dense(256, 32) + dense(32, 3);
    assert_eq!(mlp.parameters(), expected);
    assert_eq!(mlp.flops(), 2 * (194 * 256 + 2 * 256 * 256 + 256 * 280 + 256 * 32 + 32 * 3));
    let resnet = spec(NetKind::Resnet, 32, 1);
    let convolutions = 9 * (9 * 32 + 2 * 32 * 32) + 12 * 32;
    assert_eq!(resnet.flops(), 2 * (32 * convolutions + 256 * 280 + 128 * 64 + 64 * 3));
}

#[test]
fn what_is_written_reads_back_the_same() {
    let folder = tempfile::tempdir().unwrap();
    for kind in [NetKind::Mlp, NetKind::Resnet] {
        let path = folder.path().join("net.safetensors");
        let mut weights = Weights::init(&spec(kind, 16, 1), 11);
        weights.card.step = 77;
        weights.card.config_hash = "0123456789abcdef".to_owned();
        weights.card.search.draw_value = -0.5;
        weights.write(&path).unwrap();
        let read = Weights::read(&path).unwrap();
        assert_eq!(read, weights);
        assert_eq!(read.spec(), weights.spec());
        let again = folder.path().join("again.safetensors");
        read.write(&again).unwrap();
        assert_eq!(fs::read(&path).unwrap(), fs::read(&again).unwrap());
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "no temporary file stays");
}

#[test]
fn the_same_seed_gives_the_same_weights() {
    let spec = spec(NetKind::Mlp, 16, 1);
    assert_eq!(Weights::init(&spec, 1), Weights::init(&spec, 1));
    assert_ne!(Weights::init(&spec, 1), Weights::init(&spec, 2));
    let weights = Weights::init(&spec, 1);
    assert_eq!(Weights::from_flat(&spec, weights.card.clone(), &weights.to_flat()), weights);
}

/// A file as a list of tensors and its metadata, to spoil and write.
struct Parts {
    tensors: Vec<(String, Dtype, Vec<usize>, Vec<u8>)>,
    card: Option<String>,
}

impl Parts {
    fn of(path: &Path) -> Self {
        let bytes = fs::read(path).unwrap();
        let file = SafeTensors::deserialize(&bytes).unwrap();
        let tensors =
            file.iter().map(|(name, t)| (name.to_owned(), t.dtype(), t.shape().to_vec(), t.data().to_vec())).collect();
        let (_, header) = SafeTensors::read_metadata(&bytes).unwrap();
        Self { tensors, card: header.metadata().as_ref().and_then(|m| m.get("card").cloned()) }
    }

    fn tensor(&mut self, name: &str) -> &mut (String, Dtype, Vec<usize>, Vec<u8>) {
        self.tensors.iter_mut().find(|t| t.0 == name).unwrap()
    }

    fn write(self, path: &Path) {
        let views = self
            .tensors
            .iter()
            .map(|(name, dtype, shape, data)| (name, TensorView::new(*dtype, shape.clone(), data).unwrap()));
        let metadata = self.card.map(|card| HashMap::from([("card".to_owned(), card)]));
        fs::write(path, safetensors::serialize(views, metadata).unwrap()).unwrap();
    }
}

#[test]
fn damaged_files_are_refused_by_name_and_reason() {
    let folder = tempfile::tempdir().unwrap();
    let good = folder.path().join("good.safetensors");
    Weights::init(&spec(NetKind::Mlp, 8, 1), 1).write(&good).unwrap();
    let bytes = fs::read(&good).unwrap();
    let bad = folder.path().join("bad.safetensors");
    let refused = |reason: &str| {
        let error = Weights::read(&bad).unwrap_err();
        let message = error.to_string();
        assert!(matches!(error, Error::Model { .. }), "{message}");
        assert!(message.contains("bad.safetensors") && message.contains(reason), "{message} lacks {reason}");
        assert!(!message.contains('\n'), "{message}");
    };
    for cut in [0, 5, 100, bytes.len() / 2, bytes.len() - 1] {
        fs::write(&bad, &bytes[..cut]).unwrap();
        refused("cut short or damaged");
    }
    fs::write(&bad, "this is no model").unwrap();
    refused("no safetensors file");
    let spoiled = |spoil: &dyn Fn(&mut Parts)| {
        let mut parts = Parts::of(&good);
        spoil(&mut parts);
        parts.write(&bad);
    };
    spoiled(&|parts| parts.card = None);
    refused("no card");
    spoiled(&|parts| parts.card = Some("{\"format\": 1}".to_owned()));
    refused("the card cannot be read");
    spoiled(&|parts| parts.card = parts.card.take().map(|card| card.replace("\"format\":1", "\"format\":9")));
    refused("file format 9, expected 1");
    spoiled(&|parts| parts.card = parts.card.take().map(|card| card.replace("russian", "chess")));
    refused("expected one of russian");
    spoiled(&|parts| parts.card = parts.card.take().map(|card| card.replace("\"width\":8", "\"width\":16")));
    refused("tensor \"input.weight\" has shape [8, 194], expected [16, 194]");
    spoiled(&|parts| parts.card = parts.card.take().map(|card| card.replace("\"width\":8", "\"width\":80000000")));
    refused("expected a width of 8 to 4096");
    spoiled(&|parts| {
        parts.card = parts.card.take().map(|card| card.replace("\"draw_value\":0.0", "\"draw_value\":-2.0"))
    });
    refused("search.draw_value = -2: expected -1 to 1");
    spoiled(&|parts| parts.tensors.retain(|t| t.0 != "policy.bias"));
    refused("tensor \"policy.bias\" is missing");
    spoiled(&|parts| parts.tensors.push(("extra".to_owned(), Dtype::F32, vec![1], vec![0; 4])));
    refused("tensor \"extra\" is not part of a mlp 8 x 1 for russian");
    spoiled(&|parts| parts.tensor("policy.bias").1 = Dtype::I32);
    refused("of type I32, expected F32");
    spoiled(&|parts| parts.tensor("policy.bias").2 = vec![2, 140]);
    refused("has shape [2, 140], expected [280]");
    spoiled(&|parts| parts.tensor("policy.bias").3[..4].copy_from_slice(&f32::NAN.to_le_bytes()));
    refused("holds NaN at 0, expected finite numbers");
    spoiled(&|parts| parts.tensor("policy.bias").3[0] ^= 1);
    refused("damaged: the tensors do not fit their checksum");
}

#[test]
fn a_file_from_before_there_were_checksums_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.safetensors");
    let weights = Weights::init(&spec(NetKind::Mlp, 8, 1), 1);
    weights.write(&path).unwrap();
    let mut parts = Parts::of(&path);
    let mut card = serde_json::to_value(&weights.card).unwrap();
    // Nor was it kept how a network was searched.
    card.as_object_mut().unwrap().remove("search").unwrap();
    parts.card = Some(card.to_string());
    parts.write(&path);
    assert_eq!(Weights::read(&path).unwrap(), weights);
}

#[test]
fn a_file_or_folder_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.safetensors");
    let message = |path: &Path| load::<Russian>(path, Device::Cpu).err().unwrap().to_string();
    assert!(message(&missing).contains("missing.safetensors: no such model"), "{}", message(&missing));
    assert!(message(folder.path()).contains("holds no best.safetensors"), "{}", message(folder.path()));
    let weights = Weights::init(&spec(NetKind::Mlp, 8, 0), 1);
    let error = weights.write(&folder.path().join("no/such/folder/net.safetensors")).unwrap_err();
    assert!(matches!(&error, Error::Io { path, .. } if path.ends_with("net.safetensors")), "{error}");
}

#[test]
fn a_run_folder_stands_for_its_best_weights() {
    let folder = tempfile::tempdir().unwrap();
    let weights = lively(&spec(NetKind::Mlp, 8, 1), 1);
    weights.write(&folder.path().join("best.safetensors")).unwrap();
    let mut from_folder = load::<Russian>(folder.path(), Device::Cpu).unwrap();
    let leaves = leaves(10, 1);
    let expected = answers(&mut CpuNet::<Russian>::new(&weights).unwrap(), &leaves);
    assert_eq!(difference(&answers(&mut from_folder, &leaves), &expected), 0.0);
}

#[test]
#[cfg(not(feature = "torch"))]
fn without_libtorch_both_kinds_play_and_a_gpu_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.safetensors");
    for kind in [NetKind::Mlp, NetKind::Resnet] {
        Weights::init(&spec(kind, 8, 1), 1).write(&path).unwrap();
        assert_eq!(answers(&mut load::<Russian>(&path, Device::Cpu).unwrap(), &leaves(5, 1)).len(), 5);
        let message = load::<Russian>(&path, Device::Cuda(0)).err().unwrap().to_string();
        assert!(message.contains("\"cuda\"") && message.contains("no libtorch"), "{message}");
    }
}

#[test]
fn a_resnet_of_the_full_board_is_refused_by_its_shape() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.safetensors");
    Weights::init(&spec(NetKind::Resnet, 8, 1), 1).write(&path).unwrap();
    let mut parts = Parts::of(&path);
    let input = parts.tensor("input.conv.weight");
    (input.2, input.3) = (vec![8, 8, 3, 3], vec![0; 4 * 8 * 8 * 9]);
    parts.write(&path);
    let message = Weights::read(&path).unwrap_err().to_string();
    assert!(message.contains("\"input.conv.weight\" has shape [8, 8, 3, 3], expected [8, 9, 3, 3]"), "{message}");
}

#[test]
fn a_failed_write_leaves_the_old_file_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    // A folder that is not empty cannot be replaced by a file.
    let path: PathBuf = folder.path().join("taken");
    fs::create_dir(&path).unwrap();
    fs::write(path.join("kept"), "old").unwrap();
    assert!(write_whole(&path, b"new").is_err());
    assert_eq!(fs::read_to_string(path.join("kept")).unwrap(), "old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(feature = "torch")]
mod torch {
    use super::*;
    use shashki::net::TorchNet;

    fn agree<P: Position>(kind: NetKind, width: usize, blocks: usize, positions: usize) {
        let spec = NetSpec::new(&P::SPEC, &NetConfig { kind, width, blocks });
        let weights = lively(&spec, 13);
        let mut cpu = CpuNet::<P>::new(&weights).unwrap();
        let mut torch = TorchNet::<P>::new(&weights, Device::Cpu).unwrap();
        let leaves = leaves_of::<P>(positions, 4);
        let (mut away, mut furthest, mut lively) = (0.0_f32, 0.0_f32, false);
        for leaves in leaves.chunks(500) {
            away = away.max(difference(&answers(&mut cpu, leaves), &answers(&mut torch, leaves)));
            let mut features = Features::default();
            leaves.iter().for_each(|leaf| leaf.position.encode(leaf.clock, &mut features));
            let (a, b) = (cpu.logits(&features), torch.logits(&features).unwrap());
            let largest = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert_eq!((a.0.len(), a.1.len()), (leaves.len() * P::SPEC.actions, leaves.len() * 3));
            assert_eq!((a.0.len(), a.1.len()), (b.0.len(), b.1.len()));
            furthest = furthest.max(largest(&a.0, &b.0)).max(largest(&a.1, &b.1));
            lively |= a.0.iter().any(|logit| logit.abs() > 0.5);
        }
        eprintln!("{spec}: chances within {away:.1e}, logits within {furthest:.1e} on {positions} positions");
        assert!(away < 1e-5 && furthest < 1e-4, "{spec}: chances differ by {away}, logits by {furthest}");
        assert!(lively, "logits worth comparing");
    }

    #[test]
    fn libtorch_and_the_cpu_pass_agree() {
        shashki::net::torch::set_threads(1);
        let full = common::full();
        let positions = if full { 10_000 } else { 600 };
        for (kind, width, blocks) in [
            (NetKind::Mlp, 256, 1),
            (NetKind::Mlp, 256, 2),
            (NetKind::Mlp, 40, 3),
            (NetKind::Mlp, 8, 0),
            (NetKind::Resnet, 64, 5),
            (NetKind::Resnet, 20, 2),
            (NetKind::Resnet, 8, 0),
        ] {
            agree::<Russian>(kind, width, blocks, positions);
        }
        for &variant in Variant::ALL {
            for (kind, width) in [(NetKind::Mlp, 32), (NetKind::Resnet, 16)] {
                for_variant!(variant, P => agree::<P>(kind, width, 1, positions / 4));
            }
        }
    }

    #[test]
    fn a_gpu_that_is_not_there_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("resnet.safetensors");
        Weights::init(&spec(NetKind::Resnet, 8, 1), 1).write(&path).unwrap();
        let message = load::<Russian>(&path, Device::Cuda(99)).err().unwrap().to_string();
        assert!(message.contains("device \"cuda:99\": expected cpu"), "{message}");
    }
}
