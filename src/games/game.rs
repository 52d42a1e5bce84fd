//! A whole game: the position, the counters of the draw rules, earlier positions, and how it ended.

use crate::board::{Hop, Hops, Side, Step};
use crate::error::{Error, Result};

use super::draws::{Clock, ClockView, Draws, Material, Preset, TurnFacts};
pub use super::outcome::{Outcome, Reason};
use super::position::Position;
use super::turn::{self, Turn};

/// What a net is asked about: a position and how near a draw is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Leaf<P> {
    /// The position.
    pub position: P,
    /// The draw counters and repetitions, coarse.
    pub clock: ClockView,
}

/// A game in play or over. Cloning one into another (`clone_from`) allocates nothing in the long run.
///
/// ```
/// use shashki::games::{Game, Preset, Russian};
///
/// let mut game = Game::<Russian>::new(Preset::Official)?;
/// game.play_text("c3-d4")?;
/// assert_eq!(game.side().to_string(), "black");
/// assert!(game.play_text("c3-d4").is_err());
/// # Ok::<(), shashki::Error>(())
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct Game<P> {
    position: P,
    preset: Preset,
    draws: Draws,
    clock: Clock,
    /// Keys of the positions between turns since the last turn that cannot be undone, the present one last.
    keys: Vec<u64>,
    /// What the unfinished turn has done, and the material before it.
    facts: TurnFacts,
    before: Material,
    turns: u32,
    outcome: Option<Outcome>,
    offer: Option<Side>,
}

impl<P: Position> Clone for Game<P> {
    fn clone(&self) -> Self {
        Self { keys: self.keys.clone(), ..*self }
    }

    fn clone_from(&mut self, source: &Self) {
        let mut keys = std::mem::take(&mut self.keys);
        keys.clone_from(&source.keys);
        *self = Self { keys, ..*source };
    }
}

impl<P: Position> Game<P> {
    /// A game from the start position.
    ///
    /// # Errors
    /// If the variant has no such draw rules.
    pub fn new(preset: Preset) -> Result<Self> {
        Self::from_position(P::start(), preset)
    }

    /// A game from a position. Every counter is zero and the position is its own first occurrence.
    ///
    /// # Errors
    /// If the variant has no such draw rules.
    pub fn from_position(position: P, preset: Preset) -> Result<Self> {
        let draws = P::draws(preset)
            .ok_or_else(|| Error::value("draw rules", preset, format!("rules that {} has", P::SPEC.variant)))?;
        let mut game = Self {
            position,
            preset,
            draws,
            clock: Clock::default(),
            keys: Vec::with_capacity(64),
            facts: TurnFacts::default(),
            before: position.material(),
            turns: 0,
            outcome: None,
            offer: None,
        };
        if position.at_turn_start() {
            game.keys.push(position.key());
        } else {
            // A chain has captured already, whoever began it.
            game.facts.captured = true;
        }
        game.settle_stuck();
        Ok(game)
    }

    /// The position.
    pub const fn position(&self) -> &P {
        &self.position
    }

    /// Who moves.
    pub fn side(&self) -> Side {
        self.position.side()
    }

    /// The draw rules in force.
    pub const fn preset(&self) -> Preset {
        self.preset
    }

    /// Whole turns played by both sides.
    pub const fn turns_played(&self) -> u32 {
        self.turns
    }

    /// How the game ended; `None` while it goes on.
    pub const fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// The side whose draw offer is open.
    pub const fn offer(&self) -> Option<Side> {
        self.offer
    }

    /// How often the position has been on the board, itself included; 0 within a chain.
    pub fn occurrences(&self) -> usize {
        let key = self.position.key();
        self.keys.iter().filter(|&&k| k == key).count()
    }

    /// Keys of the positions between turns since the last turn that cannot be undone, in order. Between turns the present
    /// position's is the last.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// How near the next draw is, as a net sees it.
    pub fn clock(&self) -> ClockView {
        self.draws.view(&self.clock, &self.position.material(), self.occurrences())
    }

    /// The counters of the draw rules.
    pub const fn counters(&self) -> Clock {
        self.clock
    }

    /// Plies until a counter declares a draw if nothing restarts it; `None` where no counter runs.
    pub fn plies_to_draw(&self) -> Option<u16> {
        self.draws.plies_left(&self.clock, &self.position.material())
    }

    /// What a net is asked about this game.
    pub fn leaf(&self) -> Leaf<P> {
        Leaf { position: self.position, clock: self.clock() }
    }

    /// Lists the legal hops into `out`; none once the game is over.
    pub fn hops(&self, out: &mut Hops) {
        out.clear();
        if self.outcome.is_none() {
            self.position.hops(out);
        }
    }

    /// The distinct legal turns (in a chain: its continuations), sorted by text; none once the game is over.
    pub fn turns(&self) -> Vec<Turn> {
        if self.outcome.is_some() { Vec::new() } else { turn::list(&self.position) }
    }

    /// Plays one hop.
    ///
    /// # Errors
    /// If the game is over or the hop is not legal.
    pub fn play_hop(&mut self, hop: Hop) -> Result<Step> {
        self.check_open()?;
        let mut hops = Hops::new();
        self.position.hops(&mut hops);
        if !hops.contains(&hop) {
            let text = format!("{}-{}", hop.from, hop.to);
            return Err(Error::Turn { text, reason: turn::legal(&self.position) });
        }
        Ok(self.play_unchecked(hop))
    }

    /// Plays the hop of an action number, seen by the side to move.
    ///
    /// # Errors
    /// If the game is over or the number is not legal.
    pub fn play_action(&mut self, action: usize) -> Result<Step> {
        self.check_open()?;
        let mut hops = Hops::new();
        self.position.hops(&mut hops);
        match hops.iter().find(|&&hop| self.position.index(hop) == action) {
            Some(&hop) => Ok(self.play_unchecked(hop)),
            None => {
                let mut legal: Vec<_> = hops.iter().map(|&hop| self.position.index(hop)).collect();
                legal.sort_unstable();
                Err(Error::IllegalAction { env: None, action: action as i64, legal: format!("{legal:?}") })
            }
        }
    }

    /// Plays a legal hop of a game that is not over; anything else is a bug that debug builds report.
    pub fn play_unchecked(&mut self, hop: Hop) -> Step {
        debug_assert!(self.outcome.is_none(), "the game is over");
        let side = self.side();
        let starts = self.position.at_turn_start();
        let step = self.position.play_unchecked(hop);
        self.facts.captured |= step.captured.is_some();
        self.facts.promoted |= step.promoted;
        self.facts.by_man |= starts && !step.by_king;
        if step.turn_over {
            self.finish_turn(side);
        }
        step
    }

    /// Plays a whole turn.
    ///
    /// # Errors
    /// If the game is over or the turn is not legal; then nothing has changed.
    pub fn play(&mut self, turn: &Turn) -> Result<()> {
        self.check_open()?;
        let mut after = self.clone();
        let mut over = false;
        for hop in turn.hops() {
            if over || after.outcome.is_some() {
                over = false;
                break;
            }
            over = after.play_hop(hop).is_ok_and(|step| step.turn_over);
        }
        if !over {
            return Err(Error::Turn { text: turn.to_string(), reason: turn::legal(&self.position) });
        }
        *self = after;
        Ok(())
    }

    /// Plays a turn given as text, in full or short form, and answers it in full.
    ///
    /// # Errors
    /// If the game is over, or the text is unreadable, illegal or fits several turns.
    pub fn play_text(&mut self, text: &str) -> Result<Turn> {
        self.check_open()?;
        let turn = turn::read(&self.position, text)?;
        self.play(&turn)?;
        Ok(turn)
    }

    /// Offers a draw in the name of the side to move. The offer stands until the other side answers or plays.
    ///
    /// # Errors
    /// If the game is over.
    pub fn offer_draw(&mut self) -> Result<()> {
        self.check_open()?;
        self.offer = Some(self.side());
        Ok(())
    }

    /// Accepts the open draw offer: the game is drawn by agreement.
    ///
    /// # Errors
    /// If the game is over or no offer is open.
    pub fn accept_draw(&mut self) -> Result<()> {
        self.take_offer()?;
        self.outcome = Some(Outcome { winner: None, reason: Reason::Agreement });
        Ok(())
    }

    /// Declines the open draw offer.
    ///
    /// # Errors
    /// If the game is over or no offer is open.
    pub fn decline_draw(&mut self) -> Result<()> {
        self.take_offer()
    }

    /// The side gives up.
    ///
    /// # Errors
    /// If the game is over.
    pub fn resign(&mut self, side: Side) -> Result<()> {
        self.end(Outcome { winner: Some(!side), reason: Reason::Resignation })
    }

    /// Ends the game from outside: by time, agreement, a turn limit, an illegal answer.
    ///
    /// # Errors
    /// If the game is over.
    pub fn end(&mut self, outcome: Outcome) -> Result<()> {
        self.check_open()?;
        self.outcome = Some(outcome);
        Ok(())
    }

    fn take_offer(&mut self) -> Result<()> {
        self.check_open()?;
        self.offer.take().map(|_| ()).ok_or_else(|| Error::value("draw offer", "none", "an open offer"))
    }

    fn check_open(&self) -> Result<()> {
        self.outcome.map_or(Ok(()), |outcome| Err(Error::GameOver(outcome.to_string())))
    }

    /// Counts a finished turn and sees whether the game is over: a side without a hop has lost before any draw rule.
    fn finish_turn(&mut self, mover: Side) {
        let facts = std::mem::take(&mut self.facts);
        let after = self.position.material();
        self.draws.count(&mut self.clock, facts, &self.before, &after);
        self.before = after;
        self.turns = self.turns.saturating_add(1);
        if self.offer == Some(!mover) {
            self.offer = None;
        }
        if facts.captured || facts.by_man {
            self.keys.clear();
        }
        self.keys.push(self.position.key());
        self.settle_stuck();
        if self.outcome.is_none() {
            let reason = self.draws.drawn(&self.clock, &after, self.occurrences());
            self.outcome = reason.map(|reason| Outcome { winner: None, reason });
        }
    }

    fn settle_stuck(&mut self) {
        if !self.position.can_move() {
            self.outcome = Some(Outcome { winner: Some(self.position.stuck()), reason: Reason::NoMove });
        }
    }

    /// The whole game as bytes: position, counters, earlier positions, outcome, open offer.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        let name = P::SPEC.variant.name();
        out.push(name.len() as u8);
        out.extend(name.as_bytes());
        out.push(number_in(&Preset::ALL, &self.preset));
        self.position.pack(&mut out);
        let clock = self.clock;
        for count in [clock.kings_only, clock.balance, clock.road, clock.ending] {
            out.extend(count.to_le_bytes());
        }
        let facts = self.facts;
        out.extend([facts.captured, facts.promoted, facts.by_man].map(u8::from));
        for side in 0..2 {
            let before = &self.before;
            out.extend([before.men[side], before.kings[side]]);
            out.extend([before.on_road[side], before.holds_road[side]].map(u8::from));
        }
        out.extend(self.turns.to_le_bytes());
        out.push(self.offer.map_or(2, |side| side.index() as u8));
        match self.outcome {
            None => out.push(0),
            Some(Outcome { winner, reason }) => {
                out.extend([1, winner.map_or(2, |side| side.index() as u8), number_in(&Reason::ALL, &reason)]);
            }
        }
        out.extend((self.keys.len() as u32).to_le_bytes());
        self.keys.iter().for_each(|key| out.extend(key.to_le_bytes()));
        out
    }

    /// Restores a game from [`Game::to_bytes`].
    ///
    /// # Errors
    /// [`Error::State`] if the bytes are damaged, of another version or of another variant.
    pub fn from_bytes(mut bytes: &[u8]) -> Result<Self> {
        let game = Self::take(&mut bytes)?;
        if bytes.is_empty() { Ok(game) } else { Err(damaged("expected no more bytes behind the game")) }
    }

    /// Takes a game off the front of `bytes`.
    ///
    /// # Errors
    /// As [`Game::from_bytes`].
    pub fn take(bytes: &mut &[u8]) -> Result<Self> {
        if take::<4>(bytes)? != MAGIC {
            return Err(damaged("expected a game of format 1"));
        }
        let [len] = take::<1>(bytes)?;
        let name = bytes.split_off(..usize::from(len)).ok_or_else(|| damaged("cut short"))?;
        if name != P::SPEC.variant.name().as_bytes() {
            let name = String::from_utf8_lossy(name);
            return Err(damaged(&format!("expected a game of {}, found {name:?}", P::SPEC.variant)));
        }
        let preset = *by_number(&Preset::ALL, take(bytes)?)?;
        let mut game = Self::from_position(P::unpack(bytes)?, preset)?;
        let mut counts = [0; 4];
        for count in &mut counts {
            *count = u16::from_le_bytes(take(bytes)?);
        }
        let [kings_only, balance, road, ending] = counts;
        game.clock = Clock { kings_only, balance, road, ending };
        let flag = |bytes: &mut &[u8]| by_number(&[false, true], take(bytes)?).copied();
        game.facts = TurnFacts { captured: flag(bytes)?, promoted: flag(bytes)?, by_man: flag(bytes)? };
        for side in 0..2 {
            [game.before.men[side], game.before.kings[side]] = take(bytes)?;
            game.before.on_road[side] = flag(bytes)?;
            game.before.holds_road[side] = flag(bytes)?;
        }
        game.turns = u32::from_le_bytes(take(bytes)?);
        let side = |[n]: [u8; 1]| if n == 2 { Ok(None) } else { by_number(&Side::BOTH, [n]).copied().map(Some) };
        game.offer = side(take(bytes)?)?;
        game.outcome = match take(bytes)? {
            [0] => None,
            [1] => {
                let winner = side(take(bytes)?)?;
                Some(Outcome { winner, reason: *by_number(&Reason::ALL, take(bytes)?)? })
            }
            _ => return Err(damaged("expected an outcome")),
        };
        let len = u32::from_le_bytes(take(bytes)?) as usize;
        game.keys.clear();
        for _ in 0..len {
            game.keys.push(u64::from_le_bytes(take(bytes)?));
        }
        game.check_whole()?;
        Ok(game)
    }

    /// Refuses a restored game whose parts cannot belong together, so that what goes on from it is a game.
    fn check_whole(&self) -> Result<()> {
        let material = self.position.material();
        if self.position.at_turn_start() {
            if self.keys.last() != Some(&self.position.key()) {
                return Err(damaged("the last of the earlier positions is not the present one"));
            }
            if self.before != material || self.facts != TurnFacts::default() {
                return Err(damaged("the unfinished turn is none"));
            }
            let drawn = self.draws.drawn(&self.clock, &material, self.occurrences());
            if self.outcome.is_none() && drawn.is_some() {
                return Err(damaged("the counters are those of a drawn game"));
            }
        } else {
            let pieces = |m: &Material| [0, 1].map(|s| u16::from(m.men[s]) + u16::from(m.kings[s]));
            if !self.facts.captured || pieces(&self.before) != pieces(&material) {
                return Err(damaged("the unfinished turn is no capture of this position"));
            }
        }
        let no_move = Outcome { winner: Some(self.position.stuck()), reason: Reason::NoMove };
        let stuck = !self.position.can_move();
        let fits = match self.outcome {
            Some(outcome) if stuck || outcome.reason == Reason::NoMove => stuck && outcome == no_move,
            _ => !stuck,
        };
        if fits { Ok(()) } else { Err(damaged("the outcome is not that of the position")) }
    }
}

/// The first bytes of a stored game; the last of them is the format's version.
const MAGIC: [u8; 4] = *b"shg\x01";

fn damaged(reason: &str) -> Error {
    Error::State { what: "game", reason: reason.to_owned() }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N]> {
    let (head, rest) = bytes.split_first_chunk().ok_or_else(|| damaged("cut short"))?;
    *bytes = rest;
    Ok(*head)
}

fn by_number<T>(all: &[T], [n]: [u8; 1]) -> Result<&T> {
    all.get(usize::from(n)).ok_or_else(|| damaged(&format!("byte {n} is out of range")))
}

fn number_in<T: PartialEq>(all: &[T], value: &T) -> u8 {
    all.iter().position(|v| v == value).expect("the list names every value") as u8
}
