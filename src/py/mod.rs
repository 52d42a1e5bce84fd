//! The Python module `shashki._core`: unpacks arguments, calls the crate, packs answers.

mod arrays;
mod errors;
mod game;
mod matches;
mod opponent;
mod pdn;
mod players;
mod record;
mod signals;
mod vec_env;

/// The compiled module; people import `shashki`.
#[pyo3::pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::arrays::PyBatch;
    #[pymodule_export]
    use super::game::{PyGame, PyOutcome};
    #[pymodule_export]
    use super::matches::arena_match;
    #[pymodule_export]
    use super::pdn::{PyPdnGame, PyPdnReader, read_pdn};
    #[pymodule_export]
    use super::players::{PyPlayer, load_player, main, train};
    #[pymodule_export]
    use super::vec_env::PyVecEnv;

    use crate::games::variant::Variant;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        let names: Vec<_> = Variant::ALL.iter().map(|variant| variant.name()).collect();
        module.add("VARIANTS", pyo3::types::PyTuple::new(module.py(), names)?)
    }
}
