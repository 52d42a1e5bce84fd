//! `play`: a person plays against a player in the terminal.

use std::io::BufRead;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::board::Side;
use crate::error::{Error, Result};
use crate::for_variant;
use crate::games::diagram::{self, Look};
use crate::games::game::Game;
use crate::games::position::Position;
use crate::player::Player;
use crate::roster;
use crate::search::heuristic::Heuristic;

use super::moves::Ending;
use super::output::Output;
use super::{Place, Rules};

/// What can be typed, beside turns.
const HELP: &str = "\
moves    the legal turns             hint    what the player would play
undo     take your last turn back    board   show the board again
draw     offer a draw                resign  give the game up
help     this text                   quit    leave
";

/// A value as it is shown, without the sign of a zero.
fn rounded(value: f32) -> f32 {
    (100.0 * value).round() / 100.0 + 0.0
}

/// How turns are written in this variant, and what else can be typed.
fn help<P: Position>() -> String {
    let numbers = if P::numbered(1).is_some() { ", or in numbers, 22-18" } else { "" };
    let form = format!("A turn is written c3-d4 or c5:e3:g5 (or c5:g5 where only one turn fits{numbers}).");
    let pair = if P::SPEC.boards > 1 { "It is a move on each board, joined by /: a3-b4/b3-a4.\n" } else { "" };
    format!("{form}\n{pair}{HELP}")
}

/// Play against a player in the terminal.
#[derive(Args)]
#[command(
    after_help = "Example: shashki play alphabeta:depth=8 --side black\nWithin the game, `help` lists the commands."
)]
pub(super) struct Arguments {
    /// Whom you play against, as a player text.
    player: String,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    rules: Rules,
    /// Your side.
    #[arg(long, value_enum, default_value_t = Seat::White)]
    side: Seat,
    /// Draw the board in letters.
    #[arg(long)]
    ascii: bool,
    /// Seeds the player; a new one each time unless given.
    #[arg(long)]
    seed: Option<u64>,
}

#[derive(Copy, Clone, ValueEnum)]
enum Seat {
    White,
    Black,
}

/// A turn played, in JSON.
#[derive(Serialize)]
struct Played<'a> {
    turn: String,
    side: String,
    by: &'a str,
    fen: String,
    value: Option<f32>,
}

/// How the game stands when it is left, in JSON.
#[derive(Serialize)]
struct Left {
    fen: String,
    outcome: Option<Ending>,
}

/// A game between a person and a player.
struct Table<'a, P: Heuristic> {
    game: Game<P>,
    /// The game before each turn of the person.
    earlier: Vec<Game<P>>,
    player: Box<dyn Player<P>>,
    name: &'a str,
    person: Side,
    look: &'static Look,
    out: &'a Output,
}

impl Arguments {
    pub fn run(self, out: &Output) -> Result<()> {
        for_variant!(self.place.variant, P => self.sit_down::<P>(out))
    }

    fn sit_down<P: Heuristic>(&self, out: &Output) -> Result<()> {
        let game = Game::<P>::from_position(self.place.position()?, self.rules.draws)?;
        let mut player = roster::player::<P>(&self.player)?;
        let by_clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
        player.new_game();
        player.seed(self.seed.unwrap_or_else(by_clock));
        let person = match self.side {
            Seat::White => Side::White,
            Seat::Black => Side::Black,
        };
        let look = if self.ascii { &diagram::ASCII } else { &diagram::UNICODE };
        let mut table = Table { game, earlier: Vec::new(), player, name: &self.player, person, look, out };
        out.talk(&format!(
            "You play {person} against {}. {}. `help` lists the commands.\n\n",
            self.player, look.legend
        ))?;
        table.play()?;
        let (fen, outcome) = (table.game.position().write_fen(), table.game.outcome());
        outcome.map_or(Ok(()), |outcome| out.talk(&format!("{outcome}\n")))?;
        out.object(&Left { fen, outcome: outcome.map(Ending::from) })
    }
}

impl<P: Heuristic> Table<'_, P> {
    /// Plays on until the game is over or the person leaves.
    fn play(&mut self) -> Result<()> {
        self.show()?;
        while self.game.outcome().is_none() {
            if self.game.side() != self.person {
                self.answer()?;
                continue;
            }
            self.out.talk(&format!("{}> ", self.person))?;
            let mut line = String::new();
            let read = std::io::stdin().lock().read_line(&mut line);
            match read {
                Ok(0) => return self.out.talk("\n"),
                Ok(_) => {}
                // Bytes that are no text are no turn either.
                Err(error) if error.kind() == std::io::ErrorKind::InvalidData => line = "?".to_owned(),
                Err(error) => return Err(Error::io("standard input", error)),
            }
            if line.trim() == "quit" {
                return Ok(());
            }
            self.obey(line.trim())?;
        }
        Ok(())
    }

    fn show(&self) -> Result<()> {
        let fen = self.game.position().write_fen();
        self.out.talk(&format!("{}\n", diagram::text(&P::SPEC, &fen, self.person, self.look)))
    }

    fn obey(&mut self, word: &str) -> Result<()> {
        match word {
            "" => Ok(()),
            "help" | "?" => self.out.talk(&help::<P>()),
            "board" => self.show(),
            "moves" => {
                let turns: Vec<_> = self.game.turns().iter().map(ToString::to_string).collect();
                self.out.talk(&format!("{}\n", turns.join(" ")))
            }
            "hint" => {
                let analysis = self.player.analyse(&self.game)?;
                let best = analysis.lines.first().map_or_else(String::new, |line| line.turn.to_string());
                self.out.talk(&format!("{best} ({:+.2} for you, from -1 to 1)\n", rounded(analysis.value)))
            }
            "undo" => match self.earlier.pop() {
                Some(game) => {
                    self.game = game;
                    self.show()
                }
                None => self.out.talk("there is no turn of yours to take back\n"),
            },
            "draw" => self.offer(),
            "resign" => self.game.resign(self.person),
            turn => {
                let before = self.game.clone();
                match self.game.play_text(turn) {
                    Ok(turn) => {
                        self.earlier.push(before);
                        self.played(turn.to_string(), "person", None)
                    }
                    Err(error) => self.out.talk(&format!("{error}; `help` lists the commands\n")),
                }
            }
        }
    }

    /// Offers the player a draw; it accepts unless it stands better.
    fn offer(&mut self) -> Result<()> {
        let value = self.player.analyse(&self.game)?.value;
        self.game.offer_draw()?;
        if value >= 0.0 {
            self.game.accept_draw()
        } else {
            self.game.decline_draw()?;
            self.out.talk(&format!("{} declines\n", self.name))
        }
    }

    fn answer(&mut self) -> Result<()> {
        let analysis = self.player.analyse(&self.game)?;
        let best = analysis.lines.into_iter().next();
        let line = best.ok_or_else(|| Error::Failed(format!("{} named no turn", self.name)))?;
        let side = self.game.side();
        self.game
            .play(&line.turn)
            .map_err(|error| Error::Failed(format!("{} answered wrongly: {error}", self.name)))?;
        self.out.talk(&format!(
            "{side} plays {} ({:+.2} for {side}, from -1 to 1)\n\n",
            line.turn,
            rounded(line.value)
        ))?;
        self.played(line.turn.to_string(), "player", Some(line.value))?;
        self.show()
    }

    fn played(&self, turn: String, by: &str, value: Option<f32>) -> Result<()> {
        let side = if by == "person" { self.person } else { !self.person };
        self.out.object(&Played { turn, side: side.to_string(), by, fen: self.game.position().write_fen(), value })
    }
}
