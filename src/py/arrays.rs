//! The numpy arrays of a batch, and action arrays as Python gives them.

use numpy::{
    Element, PyArray1, PyArray2, PyArray4, PyArrayDescrMethods, PyArrayMethods, PyReadonlyArray1, PyReadwriteArray,
    PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::env::batch::{BatchMut, NO_SIDE};
use crate::error::{Error, Result};
use crate::games::game::Outcome;
use crate::games::position::Spec;

use super::game::PyOutcome;

/// What a step of ``n`` games answers. Sides are 0 for White, 1 for Black, -1 for none.
#[pyclass(name = "Batch", module = "shashki", frozen, get_all)]
pub struct PyBatch {
    /// ``[n, channels, height, width]``, each game seen by its side to move.
    observation: Py<PyArray4<f32>>,
    /// ``[n, actions]``, 1 for each legal hop.
    action_mask: Py<PyArray2<i8>>,
    /// ``[n]``, who moves.
    side: Py<PyArray1<i8>>,
    /// ``[n]``, the caller's side in the game the step was played in; -1 in self-play.
    agent: Py<PyArray1<i8>>,
    /// ``[n, 2]``, White's and Black's: 0 until a game ends, then +1, 0 or -1.
    reward: Py<PyArray2<f32>>,
    /// ``[n]``, whether a game ended by the rules.
    terminated: Py<PyArray1<bool>>,
    /// ``[n]``, whether a game was cut off at ``max_turns``.
    truncated: Py<PyArray1<bool>>,
    /// ``[n, channels, height, width]``, the last position of each game that ended.
    ///
    /// Other rows are stale.
    final_observation: Py<PyArray4<f32>>,
    /// ``[n]``, who was to move when a game ended; -1 where none ended.
    final_side: Py<PyArray1<i8>>,
    /// How each game ended; ``None`` where none ended.
    outcome: Py<PyList>,
}

#[pymethods]
impl PyBatch {
    fn __len__(&self, py: Python<'_>) -> usize {
        self.side.bind(py).len()
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let shape = self.observation.bind(py).shape().to_vec();
        format!("Batch(observation={shape:?}, action_mask={:?})", self.action_mask.bind(py).shape())
    }
}

impl PyBatch {
    /// Arrays for so many games.
    pub fn new(py: Python<'_>, spec: &Spec, games: usize) -> PyResult<Self> {
        let [channels, height, width] = spec.planes();
        let planes = [games, channels, height, width];
        let nobody = || PyArray1::from_vec(py, vec![NO_SIDE; games]).unbind();
        Ok(Self {
            observation: PyArray4::zeros(py, planes, false).unbind(),
            action_mask: PyArray2::zeros(py, [games, spec.actions], false).unbind(),
            side: PyArray1::zeros(py, games, false).unbind(),
            agent: nobody(),
            reward: PyArray2::zeros(py, [games, 2], false).unbind(),
            terminated: PyArray1::zeros(py, games, false).unbind(),
            truncated: PyArray1::zeros(py, games, false).unbind(),
            final_observation: PyArray4::zeros(py, planes, false).unbind(),
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
        let mut observation = self.observation.bind(py).try_readwrite()?;
        let mut action_mask = self.action_mask.bind(py).try_readwrite()?;
        let mut side = self.side.bind(py).try_readwrite()?;
        let mut agent = self.agent.bind(py).try_readwrite()?;
        let mut reward = self.reward.bind(py).try_readwrite()?;
        let mut terminated = self.terminated.bind(py).try_readwrite()?;
        let mut truncated = self.truncated.bind(py).try_readwrite()?;
        let mut final_observation = self.final_observation.bind(py).try_readwrite()?;
        let mut final_side = self.final_side.bind(py).try_readwrite()?;
        let batch = BatchMut {
            observation: slice("observation", &mut observation)?,
            action_mask: slice("action_mask", &mut action_mask)?,
            side: slice("side", &mut side)?,
            agent: slice("agent", &mut agent)?,
            reward: slice("reward", &mut reward)?,
            terminated: slice("terminated", &mut terminated)?,
            truncated: slice("truncated", &mut truncated)?,
            final_observation: slice("final_observation", &mut final_observation)?,
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
    let shape = format!("{:?}", array.shape());
    array.as_slice_mut().map_err(|_| Error::value(format!("array {name} of shape"), shape, "an unchanged layout"))
}

/// One action a game, from an array or list of whole numbers of any width.
pub fn actions(given: &Bound<'_, PyAny>, games: usize, out: &mut Vec<i64>) -> PyResult<()> {
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
