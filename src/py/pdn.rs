//! Python's reader of game records.

use std::fs::File;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{Error, Result};
use crate::for_variant;
use crate::games::pdn::{Fault, GameText, Reader};
use crate::games::position::Position;
use crate::games::variant::Variant;

use super::game::PyOutcome;

/// One game of a PDN file, as ``read_pdn`` finds it.
///
/// ``Game(game.variant, game.fen, game.draws)`` is its first position, from where its ``turns`` can
/// be played, as far as no draw rule ends the game before: people have played by other rules, and
/// then ``warnings`` says so.
#[pyclass(name = "PdnGame", module = "shashki", frozen)]
pub struct PyPdnGame {
    /// Its number in the file, from 1.
    #[pyo3(get)]
    number: usize,
    /// The line it begins on, from 1.
    #[pyo3(get)]
    line: usize,
    tags: Vec<(String, String)>,
    /// What is played; ``None`` where the tags name no game that is known here.
    #[pyo3(get)]
    variant: Option<&'static str>,
    /// The first position.
    #[pyo3(get)]
    fen: Option<String>,
    /// The name of its draw rules.
    #[pyo3(get)]
    draws: &'static str,
    /// The turns of the main line in full notation; none of a broken game.
    #[pyo3(get)]
    turns: Vec<String>,
    /// Remarks: the number of turns played before each, and its text.
    #[pyo3(get)]
    comments: Vec<(usize, String)>,
    /// ``"2-0"``, ``"1-1"``, ``"0-2"``, ``"*"``, or the points of two games that are summed.
    #[pyo3(get)]
    result: String,
    /// How it ended; ``None`` for an unfinished or broken game.
    #[pyo3(get)]
    outcome: Option<PyOutcome>,
    /// What is wrong with it, by game and line; ``None`` for a good one.
    #[pyo3(get)]
    fault: Option<String>,
    /// What is odd about it but no fault.
    #[pyo3(get)]
    warnings: Vec<String>,
}

#[pymethods]
impl PyPdnGame {
    /// Its tags in the order they are written: ``{"White": "Ivanov", …}``.
    #[getter]
    fn tags<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tags = PyDict::new(py);
        self.tags.iter().try_for_each(|(name, value)| tags.set_item(name, value))?;
        Ok(tags)
    }

    fn __repr__(&self) -> String {
        let text = |text: Option<&str>| text.map_or_else(|| "None".to_owned(), |text| format!("'{text}'"));
        let (number, turns, variant) = (self.number, self.turns.len(), text(self.variant));
        format!("<PdnGame {number}: variant={variant}, turns={turns}, result='{}'>", self.result)
    }
}

impl PyPdnGame {
    fn new(text: &GameText, unless_named: Variant) -> Self {
        let tags = text.tags().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let mut game = Self {
            number: text.number(),
            line: text.line(),
            tags,
            variant: None,
            fen: None,
            draws: "official",
            turns: Vec::new(),
            comments: Vec::new(),
            result: "*".to_owned(),
            outcome: None,
            fault: None,
            warnings: Vec::new(),
        };
        let read = text.variant(Some(unless_named)).and_then(|variant| {
            game.variant = Some(variant.name());
            for_variant!(variant, P => game.take::<P>(text))
        });
        game.fault = read.err().map(|fault| fault.to_string());
        game
    }

    fn take<P: Position>(&mut self, text: &GameText) -> Result<(), Fault> {
        let read = text.read::<P>()?;
        let record = read.record;
        self.fen = Some(record.start.write_fen());
        self.draws = record.preset.name();
        self.turns = record.turns.iter().map(ToString::to_string).collect();
        self.result = record.result();
        self.outcome = record.outcome.map(PyOutcome::from);
        self.comments = record.comments;
        self.warnings = read.warnings.iter().map(ToString::to_string).collect();
        Ok(())
    }
}

/// The games of a file, one after the other.
#[pyclass(name = "PdnReader", module = "shashki")]
pub struct PyPdnReader {
    reader: Reader<File>,
    path: PathBuf,
    variant: Variant,
}

#[pymethods]
impl PyPdnReader {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<PyPdnGame>> {
        let Self { reader, path, variant } = self;
        let next = py.detach(|| reader.next().map(|text| text.map(|text| PyPdnGame::new(&text, *variant))));
        next.transpose().map_err(|source| Error::io(path.as_path(), source).into())
    }
}

/// Read a PDN file game by game, whatever its size.
///
/// A broken game says so in its ``fault``; those behind it are read all the same.
///
/// Args:
///     path: The file, in UTF-8 or Windows-1251.
///     variant: What games play that name no variant.
///
/// Returns:
///     An iterator over ``PdnGame``.
///
/// Raises:
///     OSError: If the file cannot be read.
///     ValueError: If there is no such variant.
#[pyfunction]
#[pyo3(signature = (path, variant = "russian"))]
pub fn read_pdn(path: PathBuf, variant: &str) -> PyResult<PyPdnReader> {
    let variant = variant.parse()?;
    let file = File::open(&path).map_err(|source| Error::io(&path, source))?;
    Ok(PyPdnReader { reader: Reader::new(file), path, variant })
}
