//! A whole game: the position, the counters of the draw rules, earlier positions, and how it ended.

mod ahead;
mod bytes;

use crate::board::{Hop, Hops, Side, Step, stir};
use crate::error::{Error, Result};

use super::draws::{Clock, ClockView, Draws, Preset};
pub use super::outcome::{Outcome, Reason};
use super::position::Position;
use super::track::Track;
use super::turn::{self, Turn};
pub use ahead::Back;

/// What a net is asked about: a position and how near a draw is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Leaf<P> {
    /// The position.
    pub position: P,
    /// The draw counters and repetitions, coarse.
    pub clock: ClockView,
}

impl<P: Position> Leaf<P> {
    /// A hash of all that an evaluator sees.
    #[must_use]
    pub fn key(&self) -> u64 {
        let ClockView { sixteenths: [a, b], repetitions: [c, d] } = self.clock;
        stir(self.position.key(), u64::from(u32::from_le_bytes([a, b, c, d])))
    }
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
    /// The past of each board; the second is empty where there is only one.
    tracks: [Track; 2],
    turns: u32,
    outcome: Option<Outcome>,
    offer: Option<Side>,
}

impl<P: Position> Clone for Game<P> {
    fn clone(&self) -> Self {
        Self { tracks: self.tracks.clone(), ..*self }
    }

    fn clone_from(&mut self, source: &Self) {
        let mut tracks = std::mem::take(&mut self.tracks);
        // The second track is never used where there is only one board.
        for (track, from) in tracks.iter_mut().zip(&source.tracks).take(P::SPEC.boards) {
            track.clone_from(from);
        }
        *self = Self { tracks, ..*source };
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
        let draws = P::draws(preset).ok_or_else(|| {
            let known: Vec<_> =
                Preset::ALL.into_iter().filter(|&preset| P::draws(preset).is_some()).map(Preset::name).collect();
            Error::value("draw rules", preset, format!("those of {}: {}", P::SPEC.variant, known.join(", ")))
        })?;
        let mut tracks = <[Track; 2]>::default();
        for (board, track) in tracks.iter_mut().enumerate().take(P::SPEC.boards) {
            let key = (!position.in_chain(board)).then(|| position.board_key(board));
            *track = Track::new(position.material(board), key);
        }
        let mut game = Self { position, preset, draws, tracks, turns: 0, outcome: None, offer: None };
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

    /// How often the position has been on the board, itself included; 0 within a chain. Of two boards the larger number.
    pub fn occurrences(&self) -> usize {
        self.open_boards().map(|(board, track)| self.occurrences_on(board, track)).max().unwrap_or(0)
    }

    /// How often what is on a board has been there, now included; 0 within a chain.
    fn occurrences_on(&self, board: usize, track: &Track) -> usize {
        if self.position.in_chain(board) { 0 } else { track.times }
    }

    /// Whether a position, on one of two boards, has been there twice since the last move that cannot be undone.
    pub fn repeated(&self) -> bool {
        self.open_boards().any(|(_, track)| track.repeated)
    }

    /// The key of the position, as [`Position::key`] tells it.
    pub fn key(&self) -> u64 {
        match self.tracks[0].keys.last() {
            Some(&key) if P::SPEC.boards == 1 && self.position.at_turn_start() => key,
            _ => self.position.key(),
        }
    }

    /// Keys of the positions of a board between moves since the last move that cannot be undone, in order.
    pub fn keys(&self, board: usize) -> &[u64] {
        let track = &self.tracks[board];
        &track.keys[track.first..]
    }

    /// How near the next draw is, as a net sees it.
    pub fn clock(&self) -> ClockView {
        let mut view = ClockView::default();
        for (board, track) in self.open_boards() {
            let occurrences = self.occurrences_on(board, track);
            let seen = self.draws.view(&track.clock, &self.position.material(board), occurrences);
            (view.sixteenths[board], view.repetitions[board]) = seen;
        }
        view
    }

    /// The counters of the draw rules on a board.
    pub const fn counters(&self, board: usize) -> Clock {
        self.tracks[board].clock
    }

    /// Plies until a counter declares a draw if nothing restarts it; `None` where no counter runs. Of two boards the
    /// smaller number.
    pub fn plies_to_draw(&self) -> Option<u16> {
        let left =
            |(board, track): (usize, &Track)| self.draws.plies_left(&track.clock, &self.position.material(board));
        self.open_boards().filter_map(left).min()
    }

    /// The fewest plies after which a counter that starts anew can declare a draw, whatever the pieces; `None` if no rule
    /// counts.
    pub const fn shortest_draw(&self) -> Option<u16> {
        self.draws.shortest()
    }

    /// Plies until a counter declares a draw if the pieces stay what they are: like [`Game::plies_to_draw`] without the
    /// counters that will not come so far, that of the main road while no lone king holds it, and that of king moves where a
    /// side has no king.
    pub fn plies_threatened(&self) -> Option<u16> {
        let left =
            |(board, track): (usize, &Track)| self.draws.plies_threatened(&track.clock, &self.position.material(board));
        self.open_boards().filter_map(left).min()
    }

    /// The draw rules in force, one by one.
    pub const fn draws(&self) -> &Draws {
        &self.draws
    }

    fn boards(&self) -> impl Iterator<Item = (usize, &Track)> {
        self.tracks.iter().enumerate().take(P::SPEC.boards)
    }

    /// The boards on which the game goes on: the counters of the others stand still and mean nothing any more.
    fn open_boards(&self) -> impl Iterator<Item = (usize, &Track)> {
        self.boards().filter(|(board, _)| self.position.is_open(*board))
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
        let step = self.advance(hop);
        if step.move_over {
            self.tracks[P::board_of(hop.from)].forget();
        }
        step
    }

    fn advance(&mut self, hop: Hop) -> Step {
        debug_assert!(self.outcome.is_none(), "the game is over");
        let (side, board) = (self.side(), P::board_of(hop.from));
        let step = self.position.play_unchecked(hop);
        let facts = &mut self.tracks[board].facts;
        facts.captured |= step.captured.is_some();
        facts.promoted |= step.promoted;
        facts.by_man |= !step.by_king;
        if step.move_over {
            self.finish_move(board, side, step);
        }
        step
    }

    /// The whole turns that legal hops from here make; a turn that they leave unfinished is dropped.
    pub fn turns_of(&self, hops: impl IntoIterator<Item = Hop>) -> Vec<Turn> {
        let (mut game, mut turns, mut turn) = (self.clone(), Vec::new(), Turn::default());
        for hop in hops {
            let step = game.play_unchecked(hop);
            turn.push(hop, step);
            if step.turn_over {
                turns.push(std::mem::take(&mut turn));
            }
        }
        turns
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

    /// Counts a finished move and sees whether the game is over: a side without a hop has lost before any draw rule.
    fn finish_move(&mut self, board: usize, mover: Side, step: Step) {
        let (material, key) = (self.position.material(board), self.position.board_key(board));
        let track = &mut self.tracks[board];
        // Towers may come apart again, men step back from nowhere.
        let for_good = if P::SPEC.towers { track.facts.promoted } else { step.captured.is_some() || !step.by_king };
        track.remember(key, for_good);
        // A ply is counted when the other side is to move, on its board: two moves in a row are one ply.
        if P::SPEC.boards > 1 || self.position.side() != mover {
            track.count(&self.draws, material);
        }
        if step.turn_over {
            self.turns = self.turns.saturating_add(1);
            if self.offer == Some(!mover) {
                self.offer = None;
            }
        }
        self.settle_stuck();
        let drawn = self.tracks[board].drawn(&self.draws, &material).filter(|_| self.outcome.is_none());
        let Some(reason) = drawn else { return };
        if P::SPEC.boards > 1 {
            self.position.close(board);
            self.settle_stuck();
        } else {
            self.outcome = Some(Outcome { winner: None, reason });
        }
    }

    fn settle_stuck(&mut self) {
        if !self.position.can_move() {
            self.outcome = Some(self.stuck());
        }
    }

    /// How the game ends where there is no legal hop.
    fn stuck(&self) -> Outcome {
        let reason = if P::SPEC.boards > 1 { Reason::Sum } else { Reason::NoMove };
        Outcome { winner: self.position.stuck(), reason }
    }
}
