//! A game of any variant with the turns that led to it, behind one trait.

use std::any::Any;

use serde::{Deserialize, Serialize};

use crate::board::{Hops, Side};
use crate::env::batch::{write_mask, write_planes};
use crate::error::{Error, Result};
use crate::games::draws::Preset;
use crate::games::game::{Game, Outcome, Reason};
use crate::games::pdn;
use crate::games::planes::Features;
use crate::games::position::{Position, Spec};
use crate::games::turn::Turn;
use crate::seal::{seal, unseal};

/// What Python asks of a game, whatever its variant.
pub trait ErasedGame: Send + Sync {
    fn spec(&self) -> &'static Spec;
    fn turns(&self) -> Vec<String>;
    fn hops(&self) -> Vec<(usize, String, String)>;
    fn play(&mut self, text: &str) -> Result<String>;
    fn play_hop(&mut self, action: i64) -> Result<()>;
    fn fen(&self) -> String;
    fn side(&self) -> Side;
    fn preset(&self) -> Preset;
    fn outcome(&self) -> Option<Outcome>;
    fn offer(&self) -> Option<Side>;
    fn offer_draw(&mut self) -> Result<()>;
    fn accept_draw(&mut self) -> Result<()>;
    fn decline_draw(&mut self) -> Result<()>;
    fn resign(&mut self, side: Side) -> Result<()>;
    fn write_mask(&self, mask: &mut [i8]);
    fn write_planes(&self, planes: &mut [f32]);
    fn history(&self) -> &[String];
    fn turns_played(&self) -> u32;
    fn pdn(&self, tags: Vec<(String, String)>) -> Result<String>;
    fn state(&self) -> Vec<u8>;
    fn set_state(&mut self, bytes: &[u8]) -> Result<()>;
    fn copy(&self) -> Box<dyn ErasedGame>;
    fn same(&self, other: &dyn ErasedGame) -> bool;
    fn as_any(&self) -> &dyn Any;
}

/// A game with the position it is known from, its whole turns since in full notation, and what is played of the turn that
/// is not over.
#[derive(Clone)]
pub struct Record<P: Position> {
    game: Game<P>,
    past: Past,
}

/// What led to a game. Behind a stored game it is written as JSON.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Past {
    /// The position before the first of the turns.
    start: String,
    turns: Vec<String>,
    /// The turn under way, as far as it is played.
    turn: String,
}

impl<P: Position> Record<P> {
    /// A game whose past is not known.
    pub fn new(game: Game<P>) -> Self {
        let past = Past { start: game.position().write_fen(), ..Past::default() };
        Self { game, past }
    }

    /// The game.
    pub const fn game(&self) -> &Game<P> {
        &self.game
    }

    /// Goes on with the turn under way; `over` says that it is whole now.
    fn tell(&mut self, played: Turn, over: bool) -> Result<()> {
        let mut turn: Turn = self.past.turn.parse()?;
        turn.append(played);
        self.past.turn = turn.to_string();
        if over {
            self.past.turns.push(std::mem::take(&mut self.past.turn));
        }
        Ok(())
    }
}

impl<P: Position> ErasedGame for Record<P> {
    fn spec(&self) -> &'static Spec {
        &P::SPEC
    }

    fn turns(&self) -> Vec<String> {
        self.game.turns().iter().map(Turn::to_string).collect()
    }

    fn hops(&self) -> Vec<(usize, String, String)> {
        let mut hops = Hops::new();
        self.game.hops(&mut hops);
        let position = self.game.position();
        let mut all: Vec<_> =
            hops.iter().map(|&hop| (position.index(hop), hop.from.to_string(), hop.to.to_string())).collect();
        all.sort_unstable();
        all
    }

    fn play(&mut self, text: &str) -> Result<String> {
        let turn = self.game.play_text(text)?;
        self.tell(turn.clone(), true)?;
        Ok(turn.to_string())
    }

    fn play_hop(&mut self, action: i64) -> Result<()> {
        let position = *self.game.position();
        let number = usize::try_from(action).unwrap_or(P::SPEC.actions);
        let step = self.game.play_action(number).map_err(|error| match error {
            // A negative number has no place in the core's message.
            Error::IllegalAction { env, legal, .. } => Error::IllegalAction { env, action, legal },
            other => other,
        })?;
        match position.hop_at(number) {
            Some(hop) => self.tell(Turn::begin(hop, step), step.turn_over),
            None => Ok(()),
        }
    }

    fn fen(&self) -> String {
        self.game.position().write_fen()
    }

    fn side(&self) -> Side {
        self.game.side()
    }

    fn preset(&self) -> Preset {
        self.game.preset()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    fn offer(&self) -> Option<Side> {
        self.game.offer()
    }

    fn offer_draw(&mut self) -> Result<()> {
        self.game.offer_draw()
    }

    fn accept_draw(&mut self) -> Result<()> {
        self.game.accept_draw()
    }

    fn decline_draw(&mut self) -> Result<()> {
        self.game.decline_draw()
    }

    fn resign(&mut self, side: Side) -> Result<()> {
        self.game.resign(side)
    }

    fn write_mask(&self, mask: &mut [i8]) {
        let mut hops = Hops::new();
        self.game.hops(&mut hops);
        write_mask(self.game.position(), &hops, mask);
    }

    fn write_planes(&self, planes: &mut [f32]) {
        write_planes(&self.game, &mut Features::default(), planes);
    }

    fn history(&self) -> &[String] {
        &self.past.turns
    }

    fn turns_played(&self) -> u32 {
        self.game.turns_played()
    }

    fn pdn(&self, tags: Vec<(String, String)>) -> Result<String> {
        let mut record = pdn::Record::new(P::read_fen(&self.past.start)?, self.game.preset());
        tags.into_iter().for_each(|(name, value)| record.set_tag(name, value));
        record.turns = self.past.turns.iter().map(|text| text.parse()).collect::<Result<_>>()?;
        record.outcome = self.game.outcome();
        if record.outcome.is_some_and(|outcome| outcome.reason == Reason::Sum) {
            record.points = self.game.position().points();
        }
        Ok(record.to_string())
    }

    fn state(&self) -> Vec<u8> {
        let mut bytes = self.game.to_bytes();
        if !self.past.turns.is_empty() || !self.past.turn.is_empty() {
            bytes.extend(serde_json::to_vec(&self.past).expect("lists of texts are JSON"));
        }
        seal(bytes)
    }

    fn set_state(&mut self, bytes: &[u8]) -> Result<()> {
        let mut bytes = unseal("game", bytes)?;
        let game = Game::take(&mut bytes)?;
        if bytes.is_empty() {
            *self = Self::new(game);
            return Ok(());
        }
        let past: Past = serde_json::from_slice(bytes)
            .map_err(|e| Error::State { what: "game", reason: format!("turns behind the game: {e}") })?;
        P::read_fen(&past.start)?;
        past.turns.iter().chain([&past.turn]).try_for_each(|turn| turn.parse::<Turn>().map(drop))?;
        *self = Self { game, past };
        Ok(())
    }

    fn copy(&self) -> Box<dyn ErasedGame> {
        Box::new(self.clone())
    }

    fn same(&self, other: &dyn ErasedGame) -> bool {
        other.as_any().downcast_ref::<Self>().is_some_and(|other| self.game == other.game)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
