//! The buffers of a batch of games, owned by the caller.

use crate::board::{Hops, Side};
use crate::error::{Error, Result};
use crate::games::game::{Game, Outcome, Reason};
use crate::games::planes::{CellValue, Features};
use crate::games::position::{Position, Spec};

use super::legal;

/// What stands for "no side" in the buffers of sides.
pub const NO_SIDE: i8 = -1;

/// Where observations are written, and as which numbers.
#[derive(Debug)]
pub enum PlanesMut<'a> {
    /// Nowhere: nobody looks at them, and they cost nothing.
    Off,
    /// 1 for a piece; scalars from 0 to 1.
    F32(&'a mut [f32]),
    /// Sixteenths: 16 for a piece; scalars from 0 to 16, exactly sixteen times those of `F32`.
    U8(&'a mut [u8]),
}

impl<'a> PlanesMut<'a> {
    /// How many numbers there is room for; `None` where nothing is written.
    const fn len(&self) -> Option<usize> {
        match self {
            Self::Off => None,
            Self::F32(planes) => Some(planes.len()),
            Self::U8(planes) => Some(planes.len()),
        }
    }

    /// Takes the first `cells` numbers away.
    fn take(&mut self, cells: usize) -> Self {
        match self {
            Self::Off => PlanesMut::Off,
            Self::F32(planes) => PlanesMut::F32(front(planes, cells)),
            Self::U8(planes) => PlanesMut::U8(front(planes, cells)),
        }
    }

    /// Writes a game as the `i`-th.
    fn write<P: Position>(&mut self, i: usize, game: &Game<P>, features: &mut Features) {
        let len = P::SPEC.observation_len();
        let cells = i * len..(i + 1) * len;
        match self {
            Self::Off => {}
            Self::F32(planes) => write_planes(game, features, &mut planes[cells]),
            Self::U8(planes) => write_planes(game, features, &mut planes[cells]),
        }
    }
}

/// Takes the first `n` of a slice away.
fn front<'a, T>(slice: &mut &'a mut [T], n: usize) -> &'a mut [T] {
    slice.split_off_mut(..n).expect("the buffers of a batch have the checked lengths")
}

/// Where a step writes, `n` games long. `C`, `H`, `W` and `A` are the variant's planes, ranks, files and actions.
///
/// Sides are 0 for White, 1 for Black, −1 for none.
#[derive(Debug)]
pub struct BatchMut<'a> {
    /// `[n, C, H, W]`, each game seen by its side to move.
    pub observation: PlanesMut<'a>,
    /// `[n, A]`, 1 for each legal hop of the side to move.
    pub action_mask: &'a mut [i8],
    /// `[n]`, who moves.
    pub side: &'a mut [i8],
    /// `[n]`, whose caller's side the step was played for: the agent's against an opponent, −1 in self-play.
    pub agent: &'a mut [i8],
    /// `[n, 2]`, White's and Black's: 0 until a game ends, then +1, 0 or −1.
    pub reward: &'a mut [f32],
    /// `[n]`, whether the game ended by the rules.
    pub terminated: &'a mut [bool],
    /// `[n]`, whether the game was cut off at the limit of turns.
    pub truncated: &'a mut [bool],
    /// `[n, C, H, W]`, the last position of a game that ended; the rows of other games keep what they held.
    pub final_observation: PlanesMut<'a>,
    /// `[n]`, who was to move when the game ended; −1 where none ended.
    pub final_side: &'a mut [i8],
    /// `[n]`, how the game ended; `None` where none ended.
    pub outcome: &'a mut [Option<Outcome>],
}

impl<'a> BatchMut<'a> {
    /// Sees that every buffer has the length it must have.
    pub(super) fn check(&self, spec: &Spec, games: usize) -> Result<()> {
        let (cells, actions) = (games * spec.observation_len(), games * spec.actions);
        let lengths = [
            ("observation", self.observation.len().unwrap_or(cells), cells),
            ("action_mask", self.action_mask.len(), actions),
            ("side", self.side.len(), games),
            ("agent", self.agent.len(), games),
            ("reward", self.reward.len(), 2 * games),
            ("terminated", self.terminated.len(), games),
            ("truncated", self.truncated.len(), games),
            ("final_observation", self.final_observation.len().unwrap_or(cells), cells),
            ("final_side", self.final_side.len(), games),
            ("outcome", self.outcome.len(), games),
        ];
        match lengths.into_iter().find(|(_, len, expected)| len != expected) {
            Some((name, len, expected)) => {
                Err(Error::value(format!("length of buffer {name}"), len, format!("{expected} for {games} games")))
            }
            None => Ok(()),
        }
    }

    /// Takes the buffers of the first `games` games away.
    pub(super) fn take(&mut self, games: usize, spec: &Spec) -> Self {
        let cells = games * spec.observation_len();
        BatchMut {
            observation: self.observation.take(cells),
            action_mask: front(&mut self.action_mask, games * spec.actions),
            side: front(&mut self.side, games),
            agent: front(&mut self.agent, games),
            reward: front(&mut self.reward, 2 * games),
            terminated: front(&mut self.terminated, games),
            truncated: front(&mut self.truncated, games),
            final_observation: self.final_observation.take(cells),
            final_side: front(&mut self.final_side, games),
            outcome: front(&mut self.outcome, games),
        }
    }

    /// Writes what the mover of game `i` sees and may play.
    pub(super) fn show<P: Position>(&mut self, i: usize, game: &Game<P>, legal: &[u64], features: &mut Features) {
        self.observation.write(i, game, features);
        legal::write(legal, &mut self.action_mask[i * P::SPEC.actions..(i + 1) * P::SPEC.actions]);
        self.side[i] = game.side().index() as i8;
    }

    /// Writes that game `i` goes on.
    pub(super) fn go_on(&mut self, i: usize, agent: Option<Side>) {
        self.agent[i] = number(agent);
        self.reward[2 * i..2 * i + 2].fill(0.0);
        self.terminated[i] = false;
        self.truncated[i] = false;
        self.final_side[i] = NO_SIDE;
        self.outcome[i] = None;
    }

    /// Writes how game `i` ended.
    pub(super) fn end<P: Position>(
        &mut self,
        i: usize,
        agent: Option<Side>,
        game: &Game<P>,
        outcome: Outcome,
        features: &mut Features,
    ) {
        self.final_observation.write(i, game, features);
        self.agent[i] = number(agent);
        self.reward[2 * i..2 * i + 2].copy_from_slice(&rewards(outcome));
        self.truncated[i] = outcome.reason == Reason::TurnLimit;
        self.terminated[i] = !self.truncated[i];
        self.final_side[i] = game.side().index() as i8;
        self.outcome[i] = Some(outcome);
    }
}

/// The rewards of White and Black for an outcome: +1 and −1, or 0 and 0.
#[must_use]
pub fn rewards(outcome: Outcome) -> [f32; 2] {
    match outcome.winner {
        Some(Side::White) => [1.0, -1.0],
        Some(Side::Black) => [-1.0, 1.0],
        None => [0.0, 0.0],
    }
}

/// Writes a game as planes `[C, H, W]` of either kind of number, seen by the side to move.
///
/// # Panics
/// If `planes` has another length than the variant's observation.
pub fn write_planes<P: Position, T: CellValue>(game: &Game<P>, features: &mut Features, planes: &mut [T]) {
    features.clear();
    game.position().encode(game.clock(), features);
    features.write_planes(0, &P::SPEC, planes);
}

/// Writes 1 for each of the hops, 0 for every other action.
///
/// # Panics
/// If `mask` is shorter than the variant's actions.
pub fn write_mask<P: Position>(position: &P, hops: &Hops, mask: &mut [i8]) {
    mask.fill(0);
    for &hop in hops {
        mask[position.index(hop)] = 1;
    }
}

fn number(side: Option<Side>) -> i8 {
    side.map_or(NO_SIDE, |side| side.index() as i8)
}

/// A set of buffers, for callers that have none of their own. To do without observations, or to have them as bytes,
/// put another [`PlanesMut`] into what is lent.
///
/// ```
/// use shashki::env::{Buffers, EnvOptions, VecEnv};
/// use shashki::games::{Position, Russian};
///
/// let mut env = VecEnv::<Russian>::new(EnvOptions { games: 4, ..EnvOptions::default() }, None)?;
/// let mut batch = Buffers::new(&Russian::SPEC, 4);
/// env.reset(None, batch.borrow())?;
/// let mut actions = [0; 4];
/// env.random_actions(&mut actions)?;
/// env.step(&actions, batch.borrow())?;
/// assert_eq!(batch.side, [1, 1, 1, 1]);
/// # Ok::<(), shashki::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "each field is named after, and documented at, the field of BatchMut")]
pub struct Buffers {
    pub observation: Vec<f32>,
    pub action_mask: Vec<i8>,
    pub side: Vec<i8>,
    pub agent: Vec<i8>,
    pub reward: Vec<f32>,
    pub terminated: Vec<bool>,
    pub truncated: Vec<bool>,
    pub final_observation: Vec<f32>,
    pub final_side: Vec<i8>,
    pub outcome: Vec<Option<Outcome>>,
}

impl Buffers {
    /// Buffers for so many games of a variant.
    #[must_use]
    pub fn new(spec: &Spec, games: usize) -> Self {
        Self {
            observation: vec![0.0; games * spec.observation_len()],
            action_mask: vec![0; games * spec.actions],
            side: vec![0; games],
            agent: vec![NO_SIDE; games],
            reward: vec![0.0; 2 * games],
            terminated: vec![false; games],
            truncated: vec![false; games],
            final_observation: vec![0.0; games * spec.observation_len()],
            final_side: vec![NO_SIDE; games],
            outcome: vec![None; games],
        }
    }

    /// Lends them to a step.
    pub fn borrow(&mut self) -> BatchMut<'_> {
        BatchMut {
            observation: PlanesMut::F32(&mut self.observation),
            action_mask: &mut self.action_mask,
            side: &mut self.side,
            agent: &mut self.agent,
            reward: &mut self.reward,
            terminated: &mut self.terminated,
            truncated: &mut self.truncated,
            final_observation: PlanesMut::F32(&mut self.final_observation),
            final_side: &mut self.final_side,
            outcome: &mut self.outcome,
        }
    }
}
