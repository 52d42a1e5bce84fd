//! Our players as an engine for other programs: hears lines, thinks on a thread beside, answers.

use std::collections::VecDeque;
use std::io::{BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::games::Variant;
use crate::games::draws::Preset;
use crate::games::game::Game;
use crate::games::position::Position;
use crate::games::turn::Turn;
use crate::player::{Analysis, Player};

use super::level::Level;
use super::message::Message;
use super::text;

/// The most bytes of a line that is heard.
const LONGEST_LINE: u64 = 1 << 20;
/// The most commands that wait for the end of a search.
const MOST_WAITING: usize = 1000;
/// How long the last search may take to end when all is to end.
const PATIENCE: Duration = Duration::from_secs(2);
/// The score, in men, of what is proven.
const PROVEN_MEN: f32 = 99.99;

/// What comes in: lines, their end, and the end of searches.
enum Event {
    Line(String),
    TooLong,
    End,
    Searched,
}

/// One conversation, whatever is played.
pub struct Session<'a> {
    name: String,
    variant: Variant,
    events: Receiver<Event>,
    sender: Sender<Event>,
    waiting: VecDeque<Message>,
    write: &'a mut dyn FnMut(&str) -> Result<()>,
}

impl std::fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("name", &self.name).field("variant", &self.variant).finish_non_exhaustive()
    }
}

/// How [`serve`] ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Served {
    /// The other side has left.
    Left {
        /// Whether a search that could not be stopped still runs on its thread.
        searching: bool,
    },
    /// Another variant was asked for.
    Variant,
}

/// Makes the player, given the most turns and the most nodes that it may look ahead.
pub type Maker<'a, P> = dyn FnMut(Option<u32>, Option<u64>) -> Result<Box<dyn Player<P>>> + 'a;

impl<'a> Session<'a> {
    /// A conversation that hears lines from a stream and answers, a line at a time, by `write`.
    pub fn new(
        name: String,
        variant: Variant,
        input: impl Read + Send + 'static,
        write: &'a mut dyn FnMut(&str) -> Result<()>,
    ) -> Self {
        let (sender, events) = mpsc::channel();
        let heard = sender.clone();
        thread::spawn(move || listen(input, &heard));
        Self { name, variant, events, sender, waiting: VecDeque::new(), write }
    }

    /// What is to be played.
    #[must_use]
    pub const fn variant(&self) -> Variant {
        self.variant
    }

    /// Goes through the introduction; whether there is a game to come.
    ///
    /// # Errors
    /// If nobody reads the answers.
    pub fn greet(&mut self) -> Result<bool> {
        loop {
            let Some(message) = self.next(None)? else { return Ok(false) };
            match message.word.as_str() {
                "init" => return Ok(true),
                "quit" => return Ok(false),
                "pos" | "level" | "go" | "new-game" => self.complain("not ready: expected init first")?,
                _ => drop(self.anytime(&message)?),
            }
        }
    }

    /// Tells that something is wrong.
    ///
    /// # Errors
    /// If nobody reads the answers.
    pub fn complain(&mut self, what: &str) -> Result<()> {
        self.say(&Message::new("error").with("message", what))
    }

    fn say(&mut self, message: &Message) -> Result<()> {
        (self.write)(&format!("{message}\n"))
    }

    /// The next command; `None` at the end, or once `deadline` has passed.
    fn next(&mut self, deadline: Option<Instant>) -> Result<Option<Message>> {
        loop {
            let event = match deadline {
                None => self.events.recv().unwrap_or(Event::End),
                Some(deadline) => match self.events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                    Ok(event) => event,
                    Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Event::End,
                },
            };
            match event {
                Event::Line(line) => return Ok(Some(Message::read(&line))),
                Event::TooLong => self.complain("a line too long")?,
                Event::Searched => return Ok(Some(Message::new(SEARCHED))),
                Event::End => return Ok(None),
            }
        }
    }

    /// Answers what may be asked whenever no search runs; whether another variant was set.
    fn anytime(&mut self, message: &Message) -> Result<bool> {
        match message.word.as_str() {
            "hub" => self.introduce()?,
            "ping" => self.say(&Message::new("pong"))?,
            "set-param" if message.value("name") == Some("variant") => {
                let value = message.value("value").unwrap_or_default();
                match text::variants().find(|variant| variant.name() == value) {
                    Some(variant) => return Ok(std::mem::replace(&mut self.variant, variant) != variant),
                    None => self.complain(&format!("variant {value}: expected one of {}", text::names(", ")))?,
                }
            }
            // The protocol wants what is not understood to be ignored.
            _ => {}
        }
        Ok(false)
    }

    fn introduce(&mut self) -> Result<()> {
        let id = Message::new("id").with("name", format!("shashki {}", self.name));
        self.say(&id.with("version", env!("CARGO_PKG_VERSION")).with("author", "shashki").with("country", "-"))?;
        let param = Message::new("param").with("name", "variant").with("value", self.variant).with("type", "enum");
        self.say(&param.with("values", text::names(" ")))?;
        self.say(&Message::new("wait"))
    }
}

/// The word of the message that a search has ended; no line begins with a blank.
const SEARCHED: &str = " ";

/// Hands on the lines of a stream until its end.
fn listen(input: impl Read, events: &Sender<Event>) {
    let mut input = std::io::BufReader::new(input);
    let mut line = Vec::new();
    let mut overlong = false;
    loop {
        line.clear();
        let read = input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        let event = match read {
            Ok(0) | Err(_) => Event::End,
            Ok(_) => {
                let whole = line.ends_with(b"\n") || (line.len() as u64) < LONGEST_LINE;
                let skipped = std::mem::replace(&mut overlong, !whole);
                match (whole, skipped) {
                    (true, false) => Event::Line(String::from_utf8_lossy(&line).into_owned()),
                    (true, true) => Event::TooLong,
                    (false, _) => continue,
                }
            }
        };
        let ended = matches!(event, Event::End);
        if events.send(event).is_err() || ended {
            return;
        }
    }
}

/// Announces the end of a search, however it ends.
struct Announce(Sender<Event>);

impl Drop for Announce {
    fn drop(&mut self) {
        // Nobody hears it once the conversation is over.
        let _ = self.0.send(Event::Searched);
    }
}

/// What a search brings back.
struct Found<P: Position> {
    player: Box<dyn Player<P>>,
    answer: Result<Answer>,
    seconds: f64,
}

enum Answer {
    Turn(Turn),
    Analysis(Analysis),
}

/// A player in conversation.
struct Serving<'s, 'w, 'm, P: Position> {
    session: &'s mut Session<'w>,
    draws: Preset,
    make: &'m mut Maker<'m, P>,
    player: Option<Box<dyn Player<P>>>,
    made_for: (Option<u32>, Option<u64>),
    game: Option<Game<P>>,
    level: Level,
    fresh: bool,
    /// Waits for the other side's turn, which the position already holds.
    pondering: bool,
    stop: Arc<AtomicBool>,
    search: Option<JoinHandle<Found<P>>>,
}

/// Answers commands until the other side leaves or asks for another variant. It has sent `init`, and hears `ready` when the
/// first player is made.
///
/// # Errors
/// If nobody reads the answers, or no player can be made.
pub fn serve<'m, P: Position>(session: &mut Session<'_>, draws: Preset, make: &'m mut Maker<'m, P>) -> Result<Served> {
    text::check::<P>()?;
    let player = match make(None, None) {
        Ok(player) => player,
        Err(error) => {
            session.complain(&error.to_string())?;
            return Err(error);
        }
    };
    session.say(&Message::new("ready"))?;
    let mut serving = Serving {
        session,
        draws,
        make,
        player: Some(player),
        made_for: (None, None),
        game: None,
        level: Level::default(),
        fresh: true,
        pondering: false,
        stop: Arc::new(AtomicBool::new(false)),
        search: None,
    };
    serving.run()
}

impl<P: Position> Serving<'_, '_, '_, P> {
    fn run(&mut self) -> Result<Served> {
        loop {
            let waiting = if self.search.is_none() { self.session.waiting.pop_front() } else { None };
            let message = match waiting {
                Some(message) => Some(message),
                None => self.session.next(None)?,
            };
            let Some(message) = message else { return self.leave(&[false, true]) };
            let word = message.word.as_str();
            match (word, self.search.is_some()) {
                (SEARCHED, _) => self.answer()?,
                ("quit", _) => return self.leave(&[true]),
                ("stop", true) => self.stop.store(true, Ordering::Relaxed),
                ("ping", true) => self.session.say(&Message::new("pong"))?,
                ("ponder-hit", true) => {}
                (_, true) => self.postpone(message)?,
                ("stop", false) => self.stop_pondering()?,
                ("init", false) => self.session.say(&Message::new("ready"))?,
                ("new-game", false) => self.fresh = true,
                ("pos", false) => self.set_up(&message)?,
                ("level", false) => self.level.read(&message),
                ("go", false) => self.go(&message)?,
                ("ponder-hit", false) if self.pondering => self.think(false)?,
                (_, false) => {
                    if self.session.anytime(&message)? {
                        return Ok(Served::Variant);
                    }
                }
            }
        }
    }

    /// Keeps a command until the search is over.
    fn postpone(&mut self, message: Message) -> Result<()> {
        if self.session.waiting.len() < MOST_WAITING {
            self.session.waiting.push_back(message);
            Ok(())
        } else {
            self.session.complain(&format!("{} is dropped: too much waits for the search", message.word))
        }
    }

    fn set_up(&mut self, message: &Message) -> Result<()> {
        self.pondering = false;
        match self.read_game(message) {
            Ok(game) => {
                self.game = Some(game);
                Ok(())
            }
            Err(error) => {
                self.game = None;
                self.session.complain(&error.to_string())
            }
        }
    }

    fn read_game(&self, message: &Message) -> Result<Game<P>> {
        let position = text::read_position::<P>(message.value("pos").unwrap_or_default())?;
        let mut game = Game::from_position(position, self.draws)?;
        for turn in message.value("moves").unwrap_or_default().split_whitespace() {
            let turn = text::read_turn(game.position(), turn)?;
            game = self.open(game)?;
            game.play(&turn)?;
        }
        self.open(game)
    }

    /// The game, or where the draw rules have ended it, a new one from its position: whoever asks goes on playing.
    fn open(&self, game: Game<P>) -> Result<Game<P>> {
        if game.outcome().is_some() { Game::from_position(*game.position(), self.draws) } else { Ok(game) }
    }

    fn go(&mut self, message: &Message) -> Result<()> {
        self.pondering = false;
        match &self.game {
            None => return self.session.complain("no position: expected pos before go"),
            Some(game) if game.outcome().is_some() => {
                return self.session.complain("the game is over: expected a position with a legal turn");
            }
            Some(_) => {}
        }
        match message.arguments.first().map_or("think", |(name, _)| name) {
            "think" => self.think(false),
            "analyze" => self.think(true),
            "ponder" => {
                self.pondering = true;
                Ok(())
            }
            other => self.session.complain(&format!("go {other}: expected think, ponder or analyze")),
        }
    }

    /// Answers at once: the turn that was pondered about is not to be played.
    fn stop_pondering(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.pondering) {
            return Ok(());
        }
        let first = self.game.as_ref().and_then(|game| Some((game, game.turns().into_iter().next()?)));
        let done = first.map(|(game, turn)| Message::new("done").with("move", text::turn(game.position(), &turn)));
        done.map_or(Ok(()), |done| self.session.say(&done))
    }

    /// Begins a search on a thread of its own.
    fn think(&mut self, analyse: bool) -> Result<()> {
        self.pondering = false;
        let Some(game) = self.game.clone() else { return Ok(()) };
        let wanted = (self.level.depth, self.level.nodes);
        if self.player.is_none() || self.made_for != wanted {
            match (self.make)(wanted.0, wanted.1) {
                Ok(player) => (self.player, self.made_for, self.fresh) = (Some(player), wanted, true),
                Err(error) => return self.session.complain(&error.to_string()),
            }
        }
        let mut player = self.player.take().expect("it was made, or was there");
        if std::mem::take(&mut self.fresh) {
            player.new_game();
        }
        self.level.show(player.as_mut());
        self.level.used = true;
        self.stop = Arc::new(AtomicBool::new(false));
        player.heed(&self.stop);
        let announce = Announce(self.session.sender.clone());
        let search = move || {
            let _announce = announce;
            let start = Instant::now();
            let answer = if analyse {
                player.analyse(&game).map(Answer::Analysis)
            } else {
                player.choose(&game).map(Answer::Turn)
            };
            Found { player, answer, seconds: start.elapsed().as_secs_f64() }
        };
        let started = thread::Builder::new().name("search".to_owned()).spawn(search);
        self.search = Some(started.map_err(|error| Error::Failed(format!("no thread to think on: {error}")))?);
        Ok(())
    }

    /// Tells what the search has found.
    fn answer(&mut self) -> Result<()> {
        let Some(search) = self.search.take() else { return Ok(()) };
        let Ok(Found { player, answer, seconds }) = search.join() else {
            return self.session.complain("the player broke down in its search");
        };
        self.player = Some(player);
        let Some(game) = &self.game else { return Ok(()) };
        let position = *game.position();
        let (info, line) = match answer {
            Ok(Answer::Turn(turn)) => (Message::new("info"), vec![turn]),
            Ok(Answer::Analysis(analysis)) => told(analysis),
            Err(error) => return self.session.complain(&error.to_string()),
        };
        let mut texts = texts(&position, &line);
        if texts.is_empty() {
            // Stopped before it had found anything.
            texts.extend(game.turns().first().map(|first| text::turn(&position, first)));
        }
        let Some(best) = texts.first() else { return self.session.complain("there is no legal turn") };
        let mut done = Message::new("done").with("move", best);
        if let Some(expected) = texts.get(1) {
            done = done.with("ponder", expected);
        }
        self.session.say(&info.with("time", format!("{seconds:.3}")).with("pv", texts.join(" ")))?;
        self.session.say(&done)
    }

    /// Waits for the end of a search that runs, its answer included, for [`PATIENCE`] each time, stopped or not.
    fn leave(&mut self, stopped: &[bool]) -> Result<Served> {
        for &stopped in stopped {
            if stopped {
                self.stop.store(true, Ordering::Relaxed);
            }
            let deadline = Instant::now() + PATIENCE;
            while self.search.is_some() {
                match self.session.next(Some(deadline))? {
                    Some(message) if message.word == SEARCHED => self.answer()?,
                    Some(_) => {}
                    None if Instant::now() < deadline => {}
                    None => break,
                }
            }
        }
        Ok(Served::Left { searching: self.search.is_some() })
    }
}

/// An analysis as `info` tells it, and the line it expects. A score of so many men is worth what
/// [`value_of`](crate::search::alphabeta::value_of) says.
fn told(analysis: Analysis) -> (Message, Vec<Turn>) {
    let mut info = Message::new("info");
    let Some(best) = analysis.lines.into_iter().next() else { return (info, Vec::new()) };
    if let Some(depth) = best.depth {
        info = info.with("depth", depth);
    }
    if let Some(visits) = best.visits {
        info = info.with("nodes", visits);
    }
    let score = (2.0 * analysis.value.atanh()).clamp(-PROVEN_MEN, PROVEN_MEN);
    let line = if best.line.is_empty() { vec![best.turn] } else { best.line };
    (info.with("score", format!("{score:.2}")), line)
}

/// The texts of turns played one after the other, as far as they are legal.
fn texts<P: Position>(position: &P, line: &[Turn]) -> Vec<String> {
    let mut position = *position;
    let mut texts = Vec::with_capacity(line.len());
    for turn in line {
        let Some(after) = text::after(position, turn) else { break };
        texts.push(text::turn(&position, turn));
        position = after;
    }
    texts
}
