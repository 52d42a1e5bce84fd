//! Another program as a player: started, asked, watched over, ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::games::game::Game;
use crate::games::position::Position;
use crate::games::turn::{self, Turn};
use crate::player::{Analysis, Line, Player};
use crate::search::alphabeta::value_of;

use super::message::Message;
use super::process::{Process, Silence};
use super::text;

/// How an engine is started and how long it may think.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// A command of the system's shell.
    pub command: String,
    /// Seconds a turn; 1 where neither seconds nor turns ahead are given.
    pub time_s: Option<f64>,
    /// Turns to look ahead.
    pub depth: Option<u32>,
    /// Seconds after which an engine that does not answer has failed: at its start, and at each turn beyond its thinking
    /// time. 30 at the start unless given, 10 beyond its time, 300 where it thinks by depth.
    pub timeout_s: Option<f64>,
}

/// The thinking time of a turn unless told otherwise, in seconds.
const DEFAULT_TIME_S: f64 = 1.0;
/// How long an engine may take to start, in seconds.
const START_S: f64 = 30.0;
/// How long beyond its time it may take to answer, in seconds.
const BEYOND_TIME_S: f64 = 10.0;
/// How long it may take to look so many turns ahead, in seconds.
const BY_DEPTH_S: f64 = 300.0;
/// How often it is looked whether it is to stop, in milliseconds.
const LOOK_MS: u64 = 20;
/// How long it may take to answer the first `ping`; one that does not is never sent another.
const PONG_S: f64 = 1.0;

/// Plays what an engine that speaks Hub 2 answers. The engine runs from the first game on until it fails or the player is
/// dropped. A failure (it ends, is silent for too long, answers an illegal turn or without being asked) is an error of the
/// choice, which loses the game; the engine is ended with it and started afresh for the next game.
#[derive(Debug)]
pub struct HubPlayer<P: Position> {
    settings: Settings,
    engine: Option<Engine>,
    /// Why the engine did not start for this game, kept until the first choice asks for it.
    failed: Option<Error>,
    limit: Option<f64>,
    past: Option<Past<P>>,
    /// Raised by whoever wants an answer soon.
    stop: Arc<AtomicBool>,
}

/// How the game came to where it stands since the material last changed, as far as it was seen.
#[derive(Debug)]
struct Past<P: Position> {
    start: P,
    /// The turns since then, in the protocol's text.
    turns: Vec<String>,
    game: Game<P>,
}

/// A running engine, ready to be asked.
#[derive(Debug)]
struct Engine {
    process: Process,
    /// Whether it answers `ping`.
    pongs: bool,
    /// The last error that it told.
    error: Option<String>,
}

/// What an engine has answered.
struct Answer {
    turn: String,
    /// The last line about its search.
    info: Message,
}

impl Settings {
    fn start_s(&self) -> f64 {
        self.timeout_s.unwrap_or(START_S)
    }

    /// The `level` of a turn, and the seconds after which it has failed.
    fn level(&self, cap: Option<f64>) -> (Message, f64) {
        let own = self.time_s.or(if self.depth.is_none() && cap.is_none() { Some(DEFAULT_TIME_S) } else { None });
        let time_s = own.into_iter().chain(cap).reduce(f64::min);
        let mut level = Message::new("level");
        if let Some(depth) = self.depth {
            level = level.with("depth", depth);
        }
        if let Some(time_s) = time_s {
            level = level.with("move-time", time_s);
        }
        let beyond = if time_s.is_some() { BEYOND_TIME_S } else { BY_DEPTH_S };
        (level, time_s.unwrap_or(0.0) + self.timeout_s.unwrap_or(beyond))
    }
}

impl<P: Position> HubPlayer<P> {
    /// A player whose engine starts with the first game.
    ///
    /// # Errors
    /// If the protocol cannot name the variant's turns.
    pub fn new(settings: Settings) -> Result<Self> {
        text::check::<P>()?;
        Ok(Self { settings, engine: None, failed: None, limit: None, past: None, stop: Arc::default() })
    }

    /// The engine, started now if it does not run.
    fn engine(&mut self) -> Result<&mut Engine> {
        if self.engine.is_none() {
            self.engine = Some(Engine::start::<P>(&self.settings)?);
        }
        Ok(self.engine.as_mut().expect("it was just started"))
    }

    /// What to tell of the game: the position since which the material is the same, as far as it was seen, and the turns
    /// from there.
    fn past(&mut self, game: &Game<P>) -> (String, String) {
        let mut past = match self.past.take().and_then(|past| past.followed_to(game)) {
            Some(past) => past,
            None => Past { start: *game.position(), turns: Vec::new(), game: game.clone() },
        };
        past.game.clone_from(game);
        let told = (text::position(&past.start), past.turns.join(" "));
        self.past = Some(past);
        told
    }

    fn ask(&mut self, game: &Game<P>) -> Result<(Turn, Message)> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let (level, timeout_s) = self.settings.level(self.limit.take());
        let (position, turns) = self.past(game);
        let mut pos = Message::new("pos").with("pos", position);
        if !turns.is_empty() {
            pos = pos.with("moves", turns);
        }
        let start_s = self.settings.start_s();
        let stop = Arc::clone(&self.stop);
        let engine = self.engine()?;
        let question = [pos, level, Message::new("go").with("think", "")];
        let answered = engine.ask(&question, start_s, timeout_s, &stop);
        let checked = answered.and_then(|answer| {
            let turn = text::read_turn(game.position(), &answer.turn);
            turn.map(|turn| (turn, answer.info)).map_err(|error| error.to_string())
        });
        checked.map_err(|reason| {
            self.past = None;
            self.engine.take().expect("it was asked").fail(reason)
        })
    }
}

impl<P: Position> Past<P> {
    /// The past of a game that is at most two turns on; `None` if that cannot be told.
    fn followed_to(mut self, game: &Game<P>) -> Option<Self> {
        let ahead = game.turns_played().checked_sub(self.game.turns_played())?;
        if self.game == *game {
            return Some(self);
        }
        let path = match ahead {
            1 => steps(&self.game).find(|(_, after)| after == game).map(|(turn, _)| vec![turn]),
            2 => steps(&self.game).find_map(|(first, between)| {
                let second = steps(&between).find(|(_, after)| after == game)?.0;
                Some(vec![first, second])
            }),
            _ => None,
        }?;
        for turn in path {
            let before = *self.game.position();
            self.turns.push(text::turn(&before, &turn));
            self.game.play(&turn).ok()?;
            let [before, after] = [before.material(0), self.game.position().material(0)];
            if (before.men, before.kings) != (after.men, after.kings) {
                self.start = *self.game.position();
                self.turns.clear();
            }
        }
        Some(self)
    }
}

/// The legal turns of a game, each with the game after it.
fn steps<P: Position>(game: &Game<P>) -> impl Iterator<Item = (Turn, Game<P>)> {
    game.turns().into_iter().filter_map(|turn| {
        let mut after = game.clone();
        after.play(&turn).ok().map(|()| (turn, after))
    })
}

impl Engine {
    /// Starts an engine and sets it up for a variant.
    fn start<P: Position>(settings: &Settings) -> Result<Self> {
        let process = Process::start(&settings.command)
            .map_err(|error| Error::Failed(format!("engine {:?} cannot be started: {error}", settings.command)))?;
        let mut engine = Self { process, pongs: false, error: None };
        let deadline = Instant::now() + Duration::from_secs_f64(settings.start_s());
        match engine.set_up::<P>(deadline) {
            Ok(()) => Ok(engine),
            Err(reason) => Err(engine.fail(format!("{reason} at its start"))),
        }
    }

    fn set_up<P: Position>(&mut self, deadline: Instant) -> Result<(), String> {
        let name = P::SPEC.variant.name();
        self.send("hub")?;
        let mut variant = None;
        loop {
            let message = self.hear(deadline, "wait")?;
            match message.word.as_str() {
                "param" if message.value("name") == Some("variant") => variant = Some(message),
                "wait" => break,
                _ => {}
            }
        }
        // An engine without such a parameter plays one game only, hopefully this one.
        if let Some(variant) = variant {
            let known = variant.value("values").unwrap_or_default();
            if !known.is_empty() && !known.split_whitespace().any(|value| value == name) {
                return Err(format!("it plays {known}, not {name}"));
            }
            if variant.value("value") != Some(name) {
                self.send(&Message::new("set-param").with("name", "variant").with("value", name).to_string())?;
            }
        }
        self.send("init")?;
        while self.hear(deadline, "ready")?.word != "ready" {}
        self.send("ping")?;
        let patience = deadline.min(Instant::now() + Duration::from_secs_f64(PONG_S));
        loop {
            match self.process.line(patience) {
                Ok(line) if Message::read(&line).word == "pong" => self.pongs = true,
                Ok(_) => continue,
                Err(Silence::Late) => {}
                Err(Silence::Closed) => return Err("it closed its output".to_owned()),
            }
            return Ok(());
        }
    }

    fn send(&mut self, line: &str) -> Result<(), String> {
        self.process.send(line).map_err(|_| "it closed its input".to_owned())
    }

    /// The next message, where `expected` is what all wait for.
    fn hear(&mut self, deadline: Instant, expected: &str) -> Result<Message, String> {
        let line = self.process.line(deadline);
        self.understand(line, expected)
    }

    fn understand(&mut self, line: Result<String, Silence>, expected: &str) -> Result<Message, String> {
        let line = line.map_err(|silence| match silence {
            Silence::Late => format!("no {expected} in time"),
            Silence::Closed => "it closed its output".to_owned(),
        })?;
        let message = Message::read(&line);
        if message.word == "error" {
            self.error = Some(message.value("message").unwrap_or_default().to_owned());
        }
        Ok(message)
    }

    /// Makes sure that nothing is left of what it was asked before.
    fn settle(&mut self, patience_s: f64) -> Result<(), String> {
        let unasked = |message: &Message| match message.word.as_str() {
            "done" => Err(format!("it answered {message} without being asked")),
            _ => Ok(()),
        };
        if !self.pongs {
            return self.process.waiting().try_for_each(|line| unasked(&Message::read(&line)));
        }
        self.send("ping")?;
        let deadline = Instant::now() + Duration::from_secs_f64(patience_s);
        loop {
            let message = self.hear(deadline, "pong")?;
            if message.word == "pong" {
                return Ok(());
            }
            unasked(&message)?;
        }
    }

    /// Sends the question and hears the answer, which is asked for at once when `stop` is raised.
    fn ask(&mut self, question: &[Message], start_s: f64, timeout_s: f64, stop: &AtomicBool) -> Result<Answer, String> {
        self.settle(start_s)?;
        question.iter().try_for_each(|message| self.send(&message.to_string()))?;
        let deadline = Instant::now() + Duration::from_secs_f64(timeout_s);
        let mut info = Message::default();
        let mut stopped = false;
        loop {
            if !stopped && stop.load(Ordering::Relaxed) {
                stopped = true;
                self.send("stop")?;
            }
            let look = if stopped { deadline } else { deadline.min(Instant::now() + Duration::from_millis(LOOK_MS)) };
            let line = match self.process.line(look) {
                Err(Silence::Late) if Instant::now() < deadline => continue,
                line => line,
            };
            let message = self.understand(line, "answer")?;
            match message.word.as_str() {
                "info" => info = message,
                "done" => {
                    let turn = message.value("move").ok_or("it answered done without a move")?.to_owned();
                    return Ok(Answer { turn, info });
                }
                _ => {}
            }
        }
    }

    /// Ends the engine and says why.
    fn fail(mut self, reason: String) -> Error {
        let end = self.process.end();
        let error = self.error.map_or_else(String::new, |error| format!("its error {error:?}"));
        let more: Vec<_> = [error, end].into_iter().filter(|text| !text.is_empty()).collect();
        let more = if more.is_empty() { String::new() } else { format!(" ({})", more.join(", ")) };
        Error::Failed(format!("the engine failed: {reason}{more}"))
    }
}

impl<P: Position> Player<P> for HubPlayer<P> {
    fn name(&self) -> String {
        let Settings { command, time_s, depth, timeout_s } = &self.settings;
        let keys = [
            time_s.map(|time_s| format!("time={time_s},")),
            depth.map(|depth| format!("depth={depth},")),
            timeout_s.map(|timeout_s| format!("timeout={timeout_s},")),
        ];
        format!("hub:{}cmd={command}", keys.into_iter().flatten().collect::<String>())
    }

    fn choose(&mut self, game: &Game<P>) -> Result<Turn> {
        if game.position().at_turn_start() {
            return Ok(self.ask(game)?.0);
        }
        match turn::list(game.position()).as_slice() {
            [only] => Ok(only.clone()),
            _ => Err(Error::Failed("the Hub protocol has no text for a position in mid capture".to_owned())),
        }
    }

    fn analyse(&mut self, game: &Game<P>) -> Result<Analysis> {
        if !game.position().at_turn_start() {
            let turn = self.choose(game)?;
            let line = Line { turn: turn.clone(), value: 0.0, visits: None, depth: None, line: vec![turn] };
            return Ok(Analysis { value: 0.0, lines: vec![line] });
        }
        let (turn, info) = self.ask(game)?;
        let score = info.number("score").unwrap_or(0.0);
        let value = value_of((score * 100.0) as i32);
        let mut line = Vec::new();
        let mut position = *game.position();
        for text in info.value("pv").unwrap_or_default().split_whitespace() {
            let Ok(next) = text::read_turn(&position, text) else { break };
            let Some(after) = text::after(position, &next) else { break };
            position = after;
            line.push(next);
        }
        if line.first() != Some(&turn) {
            line = vec![turn.clone()];
        }
        let depth = info.number("depth").map(|depth| depth as u32);
        Ok(Analysis { value, lines: vec![Line { turn, value, visits: None, depth, line }] })
    }

    /// Starts the engine if it does not run, so that its start takes nobody's clock.
    fn new_game(&mut self) {
        self.past = None;
        self.failed = None;
        let start_s = self.settings.start_s();
        if let Some(engine) = &mut self.engine {
            if engine.send("new-game").and_then(|()| engine.settle(start_s)).is_ok() {
                return;
            }
            // It ended between two games, which loses none.
            self.engine = None;
        }
        self.failed = self.engine().err();
    }

    fn limit_time(&mut self, seconds: f64) {
        self.limit = Some(seconds);
    }

    fn heed(&mut self, stop: &Arc<AtomicBool>) {
        self.stop = Arc::clone(stop);
    }
}
