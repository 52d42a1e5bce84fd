//! Python's `VecEnv`.

use std::sync::{Mutex, PoisonError};

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use pyo3::{PyTraverseError, PyVisit};

use crate::env::batch::BatchMut;
use crate::env::options::{EnvOptions, MOST_GAMES, Seat};
use crate::env::vec_env::VecEnv;
use crate::error::{Error, Result};
use crate::for_variant;
use crate::games::game::Outcome;
use crate::games::position::{Position, Spec};
use crate::games::variant::Variant;
use crate::player::Player;
use crate::roster::Entrant;
use crate::search::heuristic::Heuristic;

use super::arrays::{self, Kinds, PyBatch};
use super::errors::number;
use super::game::PyGame;
use super::opponent::{CallablePlayer, Raised};
use super::signals::{Attentive, Signals};

/// What Python asks of an environment, whatever its variant.
trait ErasedEnv: Send {
    fn spec(&self) -> &'static Spec;
    fn threads(&self) -> usize;
    fn game(&self, i: usize) -> Option<PyGame>;
    fn reset(&mut self, seed: Option<u64>, batch: BatchMut<'_>) -> Result<()>;
    fn step(&mut self, actions: &[i64], batch: BatchMut<'_>) -> Result<()>;
    fn random_actions(&mut self, actions: &mut [i64]) -> Result<()>;
    fn observe(&mut self, batch: BatchMut<'_>) -> Result<()>;
    fn save(&self) -> Result<Vec<u8>>;
    fn restore(&mut self, bytes: &[u8]) -> Result<()>;
}

impl<P: Position> ErasedEnv for VecEnv<P> {
    fn spec(&self) -> &'static Spec {
        &P::SPEC
    }

    fn threads(&self) -> usize {
        self.threads()
    }

    fn game(&self, i: usize) -> Option<PyGame> {
        self.game(i).map(|game| PyGame::of(game.clone()))
    }

    fn reset(&mut self, seed: Option<u64>, batch: BatchMut<'_>) -> Result<()> {
        self.reset(seed, batch)
    }

    fn step(&mut self, actions: &[i64], batch: BatchMut<'_>) -> Result<()> {
        self.step(actions, batch)
    }

    fn random_actions(&mut self, actions: &mut [i64]) -> Result<()> {
        self.random_actions(actions)
    }

    fn observe(&mut self, batch: BatchMut<'_>) -> Result<()> {
        self.observe(batch)
    }

    fn save(&self) -> Result<Vec<u8>> {
        self.save()
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<()> {
        self.restore(bytes)
    }
}

type Maker<'a, P> = Box<dyn Fn(usize) -> Result<Box<dyn Player<P>>> + 'a>;

/// Who plays the other side.
enum Opponent {
    Text(String),
    Callable(Py<PyAny>),
}

impl Opponent {
    fn read(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = given.cast::<PyString>() {
            return Ok(Self::Text(text.to_cow()?.into_owned()));
        }
        if given.is_callable() {
            return Ok(Self::Callable(given.clone().unbind()));
        }
        Err(Error::value("opponent", given, "a player's text or a callable f(game) -> action").into())
    }

    /// What makes a player for each thread; a model is read once.
    fn maker<'a, P: Heuristic>(&'a self, raised: &'a Raised, signals: &'a Signals) -> Result<Maker<'a, P>> {
        Ok(match self {
            Self::Text(text) => {
                let entrant = Entrant::<P>::new(text)?;
                Box::new(move |_| Ok(Box::new(Attentive::new(entrant.player()?, signals.clone()))))
            }
            Self::Callable(function) => Box::new(move |_| {
                let function = Python::attach(|py| function.clone_ref(py));
                Ok(Box::new(CallablePlayer::new(function, raised.clone())))
            }),
        })
    }
}

fn new_env(
    variant: Variant,
    options: EnvOptions,
    opponent: Option<&Opponent>,
    raised: &Raised,
    signals: &Signals,
) -> Result<Box<dyn ErasedEnv>> {
    for_variant!(variant, P => {
        let maker = opponent.map(|opponent| opponent.maker::<P>(raised, signals)).transpose()?;
        Ok(Box::new(VecEnv::<P>::new(options, maker.as_deref())?))
    })
}

/// Many games stepped in one call, each begun anew within the step that ends it.
///
/// ``batch = venv.reset()``, then ``batch = venv.step(actions)`` with one hop's number a game;
/// ``venv.random_actions()`` draws legal ones. Actions and observations are those of ``Game``.
///
/// Without an opponent the caller plays both sides: ``batch.side`` says whose hop is due. With one,
/// the caller sees only positions in which its own side moves: the opponent's whole reply, and its
/// first turn where it has White, happen inside the call.
///
/// Rewards are 0 until a game ends, then +1, 0 or -1, for White and for Black. A draw by rule is
/// ``terminated``; ``truncated`` comes only of ``max_turns``. When a game ends, observation, mask
/// and side are of the new one; ``final_observation``, ``final_side``, ``outcome`` and the reward
/// are of the one that ended.
///
/// If one action of a batch is illegal, ``step`` raises ``ValueError`` and nothing moves.
///
/// The arrays of a batch are written again by the next call, unless ``copy`` is set.
///
/// Args:
///     variant: What is played, one of ``VARIANTS``.
///     num_envs: How many games, 1 unless given.
///     seed: Same seed, options and actions, same games; drawn by lot unless given.
///     opponent: A player's text, or a callable ``f(game) -> action`` that is asked until its
///         turn is over. Each thread has a player of its own; a callable is asked on one
///         thread only.
///     draws: The draw rules: ``"official"``, ``"basic"``, ``"lidraughts"`` or ``"russian"``.
///     max_turns: Turns of both sides after which a game is truncated, at least 2.
///     copy: Whether each call returns arrays of its own.
///     threads: One a core unless given. Small batches stay on the calling thread.
///     side: The caller's side against an opponent. ``"alternate"`` begins with White in games
///         0, 2, 4, …, with Black in the others, and changes with each game.
///     observation: Whether to write observations. Without them ``batch.observation`` and
///         ``batch.final_observation`` are ``None``, and a step is several times as fast.
///     observation_dtype: ``"float32"``, from 0 to 1; or ``"uint8"``, a quarter of the memory, from
///         0 to 16: exactly sixteen times as much, in scalar planes too.
///     mask_dtype: ``"int8"``, as Gymnasium's ``Discrete.sample`` wants it, or ``"bool"``.
///
/// Raises:
///     ValueError: If a value is unknown or out of range.
#[pyclass(name = "VecEnv", module = "shashki")]
pub struct PyVecEnv {
    /// Locked by nobody: it makes what is behind it shareable, and `&mut self` reaches through it.
    env: Mutex<Box<dyn ErasedEnv>>,
    spec: &'static Spec,
    games: usize,
    threads: usize,
    seat: Seat,
    copy: bool,
    kinds: Kinds,
    batch: Py<PyBatch>,
    actions: Vec<i64>,
    outcomes: Vec<Option<Outcome>>,
    listed: Vec<Option<Outcome>>,
    raised: Raised,
    /// The opponent, where it is a callable; each thread's player holds it too.
    callable: Option<Py<PyAny>>,
    signals: Signals,
    /// Whether the games are played by other threads, while this one is to listen for signals.
    listens: bool,
}

impl PyVecEnv {
    fn env(&mut self) -> &mut dyn ErasedEnv {
        &mut **self.env.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work` with the arrays to be returned.
    fn fill(
        &mut self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn ErasedEnv, &[i64], BatchMut<'_>) -> Result<()> + Send,
    ) -> PyResult<Py<PyBatch>> {
        if self.copy {
            self.batch = Py::new(py, PyBatch::new(py, self.spec, self.games, self.kinds)?)?;
            self.listed.fill(None);
        }
        let env = &mut **self.env.get_mut().unwrap_or_else(PoisonError::into_inner);
        let (actions, signals, listens) = (&self.actions, &self.signals, self.listens);
        let done = self.batch.get().fill(py, &mut self.outcomes, |batch| {
            if listens { signals.run(|_| work(env, actions, batch)) } else { work(env, actions, batch) }
        });
        if let Some(signal) = signals.take() {
            return Err(signal);
        }
        if let Err(error) = done {
            return Err(self.raised.take().unwrap_or(error));
        }
        self.batch.get().list_outcomes(py, &mut self.listed, &self.outcomes)?;
        Ok(self.batch.clone_ref(py))
    }
}

/// The range of seeds, for messages.
const SEEDS: &str = "a whole number from 0 to 2^64 - 1";

#[pymethods]
impl PyVecEnv {
    #[new]
    #[pyo3(signature = (variant = "russian", num_envs = None, seed = None, opponent = None, draws = "official",
                        max_turns = None, copy = false, threads = None, side = "alternate", *, observation = true,
                        observation_dtype = "float32", mask_dtype = "int8"))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn new(
        py: Python<'_>,
        variant: &str,
        num_envs: Option<&Bound<'_, PyAny>>,
        seed: Option<&Bound<'_, PyAny>>,
        opponent: Option<&Bound<'_, PyAny>>,
        draws: &str,
        max_turns: Option<&Bound<'_, PyAny>>,
        copy: bool,
        threads: Option<&Bound<'_, PyAny>>,
        side: &str,
        observation: bool,
        observation_dtype: &str,
        mask_dtype: &str,
    ) -> PyResult<Self> {
        let kinds = Kinds::read(observation, observation_dtype, mask_dtype)?;
        let opponent = opponent.map(Opponent::read).transpose()?;
        let threads = threads.map(|n| number("threads", "0 (one a core) to 1024", n)).transpose()?.unwrap_or(0);
        let options = EnvOptions {
            games: num_envs.map(|n| number("num_envs", &format!("1 to {MOST_GAMES}"), n)).transpose()?.unwrap_or(1),
            seed: seed.map(|n| number("seed", SEEDS, n)).transpose()?.unwrap_or_else(rand::random),
            draws: draws.parse()?,
            max_turns: max_turns.map(|n| number("max_turns", "2 to 4294967295", n)).transpose()?,
            // A callable's answers must come in one order.
            threads: if matches!(opponent, Some(Opponent::Callable(_))) { 1 } else { threads },
            seat: side.parse()?,
        };
        let variant = variant.parse()?;
        let (raised, signals) = (Raised::default(), Signals::default());
        let env = py.detach(|| new_env(variant, options, opponent.as_ref(), &raised, &signals))?;
        let (spec, env_threads) = (env.spec(), env.threads());
        let batch = Py::new(py, PyBatch::new(py, spec, options.games, kinds)?)?;
        let nothing = vec![None; options.games];
        Ok(Self {
            spec,
            games: options.games,
            threads: env_threads,
            env: Mutex::new(env),
            seat: options.seat,
            copy,
            kinds,
            batch,
            actions: Vec::with_capacity(options.games),
            outcomes: nothing.clone(),
            listed: nothing,
            raised,
            callable: match &opponent {
                Some(Opponent::Callable(function)) => Some(function.clone_ref(py)),
                _ => None,
            },
            signals,
            listens: opponent.is_some() && env_threads > 1,
        })
    }

    /// The variant's name.
    #[getter]
    fn variant(&self) -> &'static str {
        self.spec.variant.name()
    }

    /// How many games there are.
    #[getter]
    fn num_envs(&self) -> usize {
        self.games
    }

    /// How many threads play them.
    #[getter]
    fn threads(&self) -> usize {
        self.threads
    }

    /// The caller's side against an opponent.
    #[getter]
    fn side(&self) -> &'static str {
        self.seat.name()
    }

    /// The shape of one observation: channels, height, width.
    #[getter]
    fn observation_shape(&self) -> (usize, usize, usize) {
        self.spec.planes().into()
    }

    /// Hop numbers run from 0 to this less 1.
    #[getter]
    fn num_actions(&self) -> usize {
        self.spec.actions
    }

    /// What each channel of an observation shows.
    #[getter]
    fn plane_names(&self) -> Vec<&'static str> {
        self.spec.plane_names.to_vec()
    }

    /// Begin every game anew, from a new seed if one is given.
    #[pyo3(signature = (seed = None))]
    fn reset(&mut self, py: Python<'_>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<Py<PyBatch>> {
        let seed = seed.map(|n| number("seed", SEEDS, n)).transpose()?;
        self.fill(py, |env, _, batch| env.reset(seed, batch))
    }

    /// Play one hop in each game, and the opponent's reply.
    ///
    /// Args:
    ///     actions: ``[n]`` whole numbers of any width.
    ///
    /// Raises:
    ///     ValueError: If an action is illegal (then nothing moves), or the array has a wrong shape
    ///         or dtype.
    ///     RuntimeError: If the games have not been reset.
    fn step(&mut self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<Py<PyBatch>> {
        arrays::actions(actions, self.games, &mut self.actions)?;
        self.fill(py, |env, actions, batch| env.step(actions, batch))
    }

    /// A legal hop of each game, drawn by lot: ``[n]``.
    fn random_actions<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let chosen = PyArray1::zeros(py, self.games, false);
        self.env().random_actions(chosen.try_readwrite()?.as_slice_mut()?)?;
        Ok(chosen)
    }

    /// A copy of one game.
    ///
    /// Raises:
    ///     ValueError: If there is no such game.
    fn game(&mut self, index: &Bound<'_, PyAny>) -> PyResult<PyGame> {
        let expected = format!("0 to {}", self.games - 1);
        let i = number("game", &expected, index)?;
        Ok(self.env().game(i).ok_or_else(|| Error::value("game", i, expected))?)
    }

    /// All games and their chance as bytes; what an opponent has thought is not among them.
    fn get_state<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.env().save()?))
    }

    /// Restore what ``get_state`` of an environment with as many games returned.
    ///
    /// Raises:
    ///     ValueError: If the bytes are damaged or do not fit; then nothing has changed.
    fn set_state(&mut self, py: Python<'_>, state: &[u8]) -> PyResult<Py<PyBatch>> {
        self.env().restore(state)?;
        self.fill(py, |env, _, batch| env.observe(batch))
    }

    /// Tells Python's collector of the callable, which may well hold this environment in turn.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // A visit for each reference: this one's and the players'.
        for _ in 0..=self.threads {
            visit.call(&self.callable)?;
        }
        Ok(())
    }

    /// Lets go of the callable: an environment without opponents takes the place of that with them.
    fn __clear__(&mut self) {
        let options = EnvOptions { games: self.games, threads: 1, ..EnvOptions::default() };
        if self.callable.is_some()
            && let Ok(env) = new_env(self.spec.variant, options, None, &self.raised, &self.signals)
        {
            self.env = Mutex::new(env);
            self.callable = None;
            self.threads = 1;
        }
    }

    fn __len__(&self) -> usize {
        self.games
    }

    fn __repr__(&self) -> String {
        format!("VecEnv('{}', num_envs={})", self.variant(), self.games)
    }
}
