//! The numpy arrays of a batch, and action arrays as Python gives them.

use numpy::{
    Element, PyArray1, PyArray2, PyArray4, PyArrayDescrMethods, PyArrayMethods, PyReadonlyArray1, PyReadwriteArray,
    PyReadwriteArray4, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::env::batch::{BatchMut, NO_SIDE, PlanesMut};
use crate::error::{Error, Result};
use crate::games::game::Outcome;
use crate::games::position::Spec;

use super::game::PyOutcome;

/// What the arrays of a batch hold.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Kinds {
    /// The observations; `None` where there are none.
    pub planes: Option<Numbers>,
    /// Whether the mask is of truth values, not of bytes.
    pub bool_mask: bool,
}

/// The numbers of an observation.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Numbers {
    /// ``float32``, 0 to 1.
    F32,
    /// ``uint8``, in sixteenths.
    U8,
}

impl Kinds {
    /// Reads the options of an environment.
    pub fn read(observation: bool, observation_dtype: &str, mask_dtype: &str) -> Result<Self> {
        let numbers = match observation_dtype {
            "float32" => Numbers::F32,
            "uint8" => Numbers::U8,
            _ => return Err(Error::value("observation_dtype", observation_dtype, "float32 or uint8")),
        };
        let bool_mask = match mask_dtype {
            "int8" => false,
            "bool" => true,
            _ => return Err(Error::value("mask_dtype", mask_dtype, "int8 or bool")),
        };
        Ok(Self { planes: observation.then_some(numbers), bool_mask })
    }
}

/// The array of observations.
enum Planes {
    Off,
    F32(Py<PyArray4<f32>>),
    U8(Py<PyArray4<u8>>),
}

/// The array of observations, lent to be written.
enum Lent<'py> {
    Off,
    F32(PyReadwriteArray4<'py, f32>),
    U8(PyReadwriteArray4<'py, u8>),
}

impl Planes {
    fn new(py: Python<'_>, shape: [usize; 4], kind: Option<Numbers>) -> Self {
        match kind {
            None => Self::Off,
            Some(Numbers::F32) => Self::F32(PyArray4::zeros(py, shape, false).unbind()),
            Some(Numbers::U8) => Self::U8(PyArray4::zeros(py, shape, false).unbind()),
        }
    }

    fn show(&self, py: Python<'_>) -> Py<PyAny> {
        match self {
            Self::Off => py.None(),
            Self::F32(array) => array.clone_ref(py).into_any(),
            Self::U8(array) => array.clone_ref(py).into_any(),
        }
    }

    fn lend<'py>(&self, py: Python<'py>) -> PyResult<Lent<'py>> {
        Ok(match self {
            Self::Off => Lent::Off,
            Self::F32(array) => Lent::F32(array.bind(py).try_readwrite()?),
            Self::U8(array) => Lent::U8(array.bind(py).try_readwrite()?),
        })
    }
}

impl Lent<'_> {
    fn planes(&mut self, name: &str) -> Result<PlanesMut<'_>> {
        Ok(match self {
            Self::Off => PlanesMut::Off,
            Self::F32(array) => PlanesMut::F32(slice(name, array)?),
            Self::U8(array) => PlanesMut::U8(slice(name, array)?),
        })
    }
}

/// What a step of ``n`` games answers. Sides are 0 for White, 1 for Black, -1 for none.
#[pyclass(name = "Batch", module = "shashki", frozen)]
pub struct PyBatch {
    observation: Planes,
    mask: Py<PyArray2<i8>>,
    /// ``[n, actions]``, 1 or ``True`` for each legal hop.
    #[pyo3(get)]
    action_mask: Py<PyAny>,
    /// ``[n]``, who moves.
    #[pyo3(get)]
    side: Py<PyArray1<i8>>,
    /// ``[n]``, the caller's side in the game the step was played in; -1 in self-play.
    #[pyo3(get)]
    agent: Py<PyArray1<i8>>,
    /// ``[n, 2]``, White's and Black's: 0 until a game ends, then +1, 0 or -1.
    #[pyo3(get)]
    reward: Py<PyArray2<f32>>,
    /// ``[n]``, whether a game ended by the rules.
    #[pyo3(get)]
    terminated: Py<PyArray1<bool>>,
    /// ``[n]``, whether a game was cut off at ``max_turns``.
    #[pyo3(get)]
    truncated: Py<PyArray1<bool>>,
    final_observation: Planes,
    /// ``[n]``, who was to move when a game ended; -1 where none ended.
    #[pyo3(get)]
    final_side: Py<PyArray1<i8>>,
    /// How each game ended; ``None`` where none ended.
    #[pyo3(get)]
    outcome: Py<PyList>,
}

#[pymethods]
impl PyBatch {
    /// ``[n, channels, height, width]``, each game seen by its side to move.
    ///
    /// ``None`` where the environment writes no observations.
    #[getter]
    fn observation(&self, py: Python<'_>) -> Py<PyAny> {
        self.observation.show(py)
    }

    /// ``[n, channels, height, width]``, the last position of each game that ended.
    ///
    /// Other rows are stale. ``None`` where the environment writes no observations.
    #[getter]
    fn final_observation(&self, py: Python<'_>) -> Py<PyAny> {
        self.final_observation.show(py)
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.side.bind(py).len()
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let planes = match &self.observation {
            Planes::Off => "None".to_owned(),
            Planes::F32(array) => format!("{:?}", array.bind(py).shape()),
            Planes::U8(array) => format!("{:?}", array.bind(py).shape()),
        };
        format!("Batch(observation={planes}, action_mask={:?})", self.mask.bind(py).shape())
    }
}

impl PyBatch {
    /// Arrays for so many games.
    pub fn new(py: Python<'_>, spec: &Spec, games: usize, kinds: Kinds) -> PyResult<Self> {
        let [channels, height, width] = spec.planes();
        let planes = || Planes::new(py, [games, channels, height, width], kinds.planes);
        let nobody = || PyArray1::from_vec(py, vec![NO_SIDE; games]).unbind();
        let mask = PyArray2::<i8>::zeros(py, [games, spec.actions], false);
        // The same bytes under another name: both hold 0 and 1.
        let action_mask = if kinds.bool_mask { mask.call_method1("view", ("bool",))? } else { mask.clone().into_any() };
        Ok(Self {
            observation: planes(),
            mask: mask.unbind(),
            action_mask: action_mask.unbind(),
            side: PyArray1::zeros(py, games, false).unbind(),
            agent: nobody(),
            reward: PyArray2::zeros(py, [games, 2], false).unbind(),
            terminated: PyArray1::zeros(py, games, false).unbind(),
            truncated: PyArray1::zeros(py, games, false).unbind(),
            final_observation: planes(),
            final_side: nobody(),
            outcome: PyList::new(py, (0..games).map(|_| py.None()))?.unbind(),
        })
    }

    /// Lets `work` write into the arrays while other Python threads run.
    pub fn fill(
        &self,
        py: Python<'_>,
        outcomes: &mut [Option<Outcome>],
        work: impl FnOnce(BatchMut<'_>) -> Result<()> + Send,
    ) -> PyResult<()> {
        let mut observation = self.observation.lend(py)?;
        let mut action_mask = self.mask.bind(py).try_readwrite()?;
        let mut side = self.side.bind(py).try_readwrite()?;
        let mut agent = self.agent.bind(py).try_readwrite()?;
        let mut reward = self.reward.bind(py).try_readwrite()?;
        let mut terminated = self.terminated.bind(py).try_readwrite()?;
        let mut truncated = self.truncated.bind(py).try_readwrite()?;
        let mut final_observation = self.final_observation.lend(py)?;
        let mut final_side = self.final_side.bind(py).try_readwrite()?;
        let batch = BatchMut {
            observation: observation.planes("observation")?,
            action_mask: slice("action_mask", &mut action_mask)?,
            side: slice("side", &mut side)?,
            agent: slice("agent", &mut agent)?,
            reward: slice("reward", &mut reward)?,
            terminated: slice("terminated", &mut terminated)?,
            truncated: slice("truncated", &mut truncated)?,
            final_observation: final_observation.planes("final_observation")?,
            final_side: slice("final_side", &mut final_side)?,
            outcome: outcomes,
        };
        Ok(py.detach(|| work(batch))?)
    }

    /// Lists the outcomes that are not listed yet.
    pub fn list_outcomes(
        &self,
        py: Python<'_>,
        listed: &mut [Option<Outcome>],
        outcomes: &[Option<Outcome>],
    ) -> PyResult<()> {
        let list = self.outcome.bind(py);
        for (i, (old, new)) in listed.iter_mut().zip(outcomes).enumerate() {
            if old != new {
                list.set_item(i, new.map(PyOutcome::from))?;
                *old = *new;
            }
        }
        Ok(())
    }
}

fn slice<'a, T: Element, D: numpy::ndarray::Dimension>(
    name: &str,
    array: &'a mut PyReadwriteArray<'_, T, D>,
) -> Result<&'a mut [T]> {
    if !array.is_contiguous() {
        let shape = format!("{:?}", array.shape());
        return Err(Error::value(format!("array {name} of shape"), shape, "an unchanged layout"));
    }
    Ok(array.as_slice_mut().expect("a contiguous array is a slice"))
}

/// One action a game, from an array or list of whole numbers of any width.
pub fn actions(given: &Bound<'_, PyAny>, games: usize, out: &mut Vec<i64>) -> PyResult<()> {
    // What most callers give, and what `random_actions` answers, needs no look at its dtype and no second array.
    if let Ok(array) = given.cast::<PyArray1<i64>>()
        && array.len() == games
        && let Ok(array) = array.try_readonly()
        && let Ok(actions) = array.as_slice()
    {
        out.clear();
        out.extend_from_slice(actions);
        return Ok(());
    }
    let numpy = || given.py().import("numpy");
    let array = match given.cast::<PyUntypedArray>() {
        Ok(array) => array.clone(),
        Err(_) => numpy()?
            .call_method1("asarray", (given,))
            .ok()
            .and_then(|array| array.cast_into::<PyUntypedArray>().ok())
            .ok_or_else(|| Error::value("actions", given, format!("{games} whole numbers")))?,
    };
    if array.shape() != [games] {
        let shape: Vec<_> = array.shape().iter().map(usize::to_string).collect();
        let comma = if shape.len() == 1 { "," } else { "" };
        let shape = format!("({}{comma})", shape.join(", "));
        return Err(Error::value("actions of shape", shape, format!("shape ({games},)")).into());
    }
    let dtype = array.dtype();
    if !matches!(dtype.kind(), b'i' | b'u') {
        return Err(Error::value("actions of dtype", &dtype, "whole numbers (int64 or any other width)").into());
    }
    if dtype.kind() == b'u' {
        let at: usize = array.call_method0("argmax")?.extract()?;
        let largest = array.get_item(at)?;
        if largest.extract::<i64>().is_err() {
            return Err(Error::value(format!("env {at}: action"), largest, "the number of a legal hop").into());
        }
    }
    let whole = array.call_method1("astype", ("int64",))?;
    let whole: PyReadonlyArray1<'_, i64> = whole.extract()?;
    out.clear();
    out.extend(whole.as_array().iter());
    Ok(())
}
