//! Who may import whom: the floors of ARCHITECTURE.md, held against the text of every source file.

#![allow(clippy::unwrap_used)]

use std::path::Path;

/// The floors, lowest first. A module imports from lower floors only; where modules of one floor stand in order, a later
/// one may also import an earlier one.
const FLOORS: [&[&str]; 8] = [
    &["error", "device", "files", "heap", "seal", "seed", "threads"],
    &["board"],
    &["games"],
    &["config", "evaluator", "player"],
    &["search", "net", "endgame", "arena", "env"],
    &["hub", "roster", "balanced"],
    &["train"],
    &["cli", "py", "main"],
];
/// The floor whose modules stand side by side: none imports another.
const SIDE_BY_SIDE: usize = 4;

/// The files that compute with libtorch: the nets, and the learner with its optimiser and its run.
const TORCH: &[&str] = &["net/torch.rs", "train/adamw.rs", "train/learner.rs", "train/trainer.rs"];

/// Crates that only some files may name, by the beginning of those files' paths.
const FENCED: [(&str, &[&str]); 5] =
    [("tch", TORCH), ("torch_sys", TORCH), ("pyo3", &["py/"]), ("numpy", &["py/"]), ("pulp", &["net/"])];

/// Where a variant's name may be matched: its own file, and the macro that makes it a type.
const VARIANT_MATCHED_IN: [&str; 2] = ["games/variant.rs", "games/mod.rs"];

/// Floors below this one keep no state outside their values.
const STATELESS: usize = 3;

/// The code of a source file: without comments and without what texts say.
fn code(source: &str) -> String {
    let mut code = String::new();
    for line in source.lines() {
        let line = line.split("//").next().unwrap_or_default();
        for (i, part) in line.replace("\\\"", "").split('"').enumerate() {
            code += if i % 2 == 0 { part } else { "\"\"" };
        }
        code.push('\n');
    }
    code
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// What follows each occurrence of a whole word.
fn behind<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = &'a str> {
    code.match_indices(word)
        .map(move |(at, _)| (&code[..at], &code[at + word.len()..]))
        .filter_map(|(before, after)| (!before.ends_with(is_word) && !after.starts_with(is_word)).then_some(after))
}

fn word(text: &str) -> &str {
    text.split(|c| !is_word(c)).next().unwrap_or_default()
}

/// The first names in a path or in a group of paths: `a` of `a::b`, `a` and `c` of `{a::{b, d}, c::e}`.
fn roots(path: &str) -> Vec<&str> {
    let Some(group) = path.strip_prefix('{') else { return vec![word(path)] };
    let (mut depth, mut names, mut start) = (0, Vec::new(), 0);
    for (i, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            ',' | '}' if depth == 0 => {
                names.push(word(group[start..i].trim()));
                start = i + 1;
            }
            '}' => depth -= 1,
            _ => {}
        }
        if c == '}' && depth == 0 && start == i + 1 {
            break;
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

fn floor(module: &str) -> Option<(usize, usize)> {
    FLOORS.iter().enumerate().find_map(|(f, modules)| Some((f, modules.iter().position(|m| *m == module)?)))
}

/// What is wrong with the imports of one file, whose path is given within `src`.
fn breaches(path: &str, source: &str) -> Vec<String> {
    let code = code(source);
    let mut found = Vec::new();
    let module = path.split('/').next().unwrap_or_default().trim_end_matches(".rs");
    if path != "lib.rs" {
        let Some((own_floor, own_place)) = floor(module) else {
            return vec![format!("{path}: module {module} stands on no floor")];
        };
        // In files directly in src `super` is the crate too.
        let mut paths: Vec<&str> = behind(&code, "crate").filter_map(|rest| rest.strip_prefix("::")).collect();
        if module == "main" {
            paths.extend(behind(&code, "shashki").filter_map(|rest| rest.strip_prefix("::")));
        }
        if !path.contains('/') {
            paths.extend(behind(&code, "super").filter_map(|rest| rest.strip_prefix("::")));
        }
        for target in paths.iter().flat_map(|path| roots(path)) {
            let target = if ["for_variant", "match_variant", "variants"].contains(&target) { "games" } else { target };
            // A glob of `super` in a file's own tests means the file itself.
            if target == module || target.is_empty() {
                continue;
            }
            match floor(target) {
                Some((floor, place)) => {
                    let lower = floor < own_floor;
                    let earlier = floor == own_floor && place < own_place && floor != SIDE_BY_SIDE;
                    if !lower && !earlier {
                        found.push(format!("{path}: {module} may not import {target}"));
                    }
                }
                None => found.push(format!("{path}: import {target} from the module that defines it")),
            }
        }
        // Not the lifetime.
        let values = code.replace("'static", "");
        if own_floor < STATELESS && behind(&values, "static").next().is_some() {
            found.push(format!("{path}: a static would be state outside the values"));
        }
    }
    for (fenced, places) in FENCED {
        let named = behind(&code, fenced).any(|rest| rest.starts_with("::") || rest.starts_with(" as "))
            || behind(&code, "use").any(|rest| word(rest.trim_start()) == fenced);
        if named && !places.iter().any(|place| path.starts_with(place)) {
            found.push(format!("{path}: {fenced} belongs to {}", places.join(", ")));
        }
    }
    if !VARIANT_MATCHED_IN.contains(&path) && matches_variant(&code) {
        found.push(format!("{path}: a variant is told apart by for_variant! alone"));
    }
    found
}

/// Whether the name of a variant is a pattern or compared: `Variant::A =>`, `Variant::A | …`, `== Variant::A`, `matches!`.
fn matches_variant(code: &str) -> bool {
    code.match_indices("Variant::").any(|(at, name)| {
        let constant = word(&code[at + name.len()..]);
        if !constant.starts_with(char::is_uppercase) || constant == constant.to_uppercase() && constant.len() > 1 {
            return false;
        }
        let after = code[at + name.len() + constant.len()..].trim_start();
        let before = code[..at].trim_end_matches(|c| is_word(c) || c == ':').trim_end();
        let line = code[..at].rsplit(['\n', ';']).next().unwrap_or_default();
        after.starts_with("=>")
            || after.starts_with('|')
            || after.starts_with("if ")
            || before.ends_with("==")
            || before.ends_with("!=")
            || after.starts_with("==")
            || line.contains("matches!")
            || line.contains("if let")
    })
}

/// Every source file, by its path within `src`.
fn sources(folder: &Path, prefix: &str, out: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{prefix}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            sources(&path, &format!("{name}/"), out);
        } else if name.ends_with(".rs") {
            out.push((name, std::fs::read_to_string(&path).unwrap()));
        }
    }
}

fn all_sources() -> Vec<(String, String)> {
    let mut all = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut all);
    assert!(all.len() > 30, "only {} files were found", all.len());
    all
}

#[test]
fn every_import_goes_down() {
    let found: Vec<_> = all_sources().iter().flat_map(|(path, source)| breaches(path, source)).collect();
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn every_file_opens_with_what_it_is_and_is_short() {
    for (path, source) in all_sources() {
        assert!(source.starts_with("//! "), "{path} does not open with `//!` and a sentence");
        let lines = source.lines().count();
        assert!(lines <= 700, "{path} has {lines} lines");
    }
}

fn sees(path: &str, source: &str, breach: &str) {
    let found = breaches(path, source);
    assert!(found.len() == 1 && found[0].contains(breach), "{source:?} in {path}: {found:?}");
}

fn passes(path: &str, source: &str) {
    assert_eq!(breaches(path, source), Vec::<String>::new(), "{source:?} in {path}");
}

#[test]
fn an_import_from_above_is_seen() {
    sees("games/fen.rs", "use crate::search::tree::Tree;", "games may not import search");
    sees("board/hops.rs", "use crate::{board::Bits, games::{Game, Turn}};", "board may not import games");
    sees("search/mcts.rs", "fn f() { crate::train::replay::push() }", "search may not import train");
    sees("player.rs", "use super::roster::player;", "player may not import roster");
    sees("error.rs", "pub use crate::games::Variant;", "error may not import games");
    sees("roster.rs", "use crate::cli;", "roster may not import cli");
}

#[test]
fn an_import_from_beside_is_seen() {
    sees("search/mcts.rs", "use crate::net::cpu::Net;", "search may not import net");
    sees("env/vec_env.rs", "use crate::arena::elo;", "env may not import arena");
    sees("evaluator.rs", "use crate::player::Player;", "evaluator may not import player");
    sees("new.rs", "", "no floor");
}

#[test]
fn an_import_through_the_crate_root_is_seen() {
    sees("games/game.rs", "use crate::Error;", "from the module that defines it");
    sees("games/game.rs", "use crate::{Error, board::Bits};", "from the module that defines it");
}

#[test]
fn imports_from_below_pass() {
    passes("train/trainer.rs", "use crate::{arena, search::{mcts, tree}, games::Game};\nuse tch::nn;");
    passes("search/mcts.rs", "use crate::search::tree::Tree;\nuse super::table::Table;\nuse crate::player::Player;");
    passes(
        "games/game.rs",
        "//! See [`crate::search`].\n/// [e](crate::Error::State)\nlet s = \"crate::train\"; // crate::cli",
    );
    passes("cli.rs", "crate::for_variant!(variant, P => run::<P>());");
    passes("main.rs", "fn main() { shashki::cli::main() }");
    passes("lib.rs", "pub use error::{Error, Result};\n#[cfg(feature = \"python\")]\nmod py;");
    passes("py/mod.rs", "use pyo3::prelude::*;\nuse numpy::PyArray1;\nuse crate::cli;");
}

#[test]
fn a_fenced_crate_outside_its_fence_is_seen() {
    sees("net/cpu.rs", "use tch::Tensor;", "tch belongs to");
    sees("train/selfplay.rs", "fn f(t: &tch::Tensor) {}", "tch belongs to");
    sees("env/batch.rs", "use pyo3::Python;", "pyo3 belongs to");
    sees("cli.rs", "use numpy as np;", "numpy belongs to");
    passes("net/cpu.rs", "let (batch, patch) = (1, 2); batch::go(); // tch::Tensor");
}

#[test]
fn a_variant_matched_outside_its_macro_is_seen() {
    for source in [
        "match v { Variant::Russian => 1 }",
        "match v { games::Variant::Russian | Variant::Bashni => 1 }",
        "if v == Variant::Russian {}",
        "if Variant::Russian == v {}",
        "assert!(P::SPEC.variant != crate::games::Variant::Russian);",
        "matches!(v, Variant::Russian)",
        "if let Variant::Russian = v {}",
    ] {
        sees("search/heuristic.rs", source, "for_variant!");
    }
    passes("games/variant.rs", "match v { Variant::Russian => 1 }");
    passes("games/draughts.rs", "variant: Variant::Russian,\nuse super::variant::Variant;");
    passes(
        "cli.rs",
        "for v in Variant::ALL {}\nfor_variant!(Variant::Russian, P => 1);\nlet v = Variant::from_str(s);",
    );
}

#[test]
fn a_static_in_the_rules_is_seen() {
    sees("games/draws.rs", "static LIMIT: AtomicU16 = AtomicU16::new(30);", "static");
    passes("games/draws.rs", "const NAMES: &'static [&'static str] = &[];");
    passes("train/trainer.rs", "static STOP: AtomicBool = AtomicBool::new(false);");
}
