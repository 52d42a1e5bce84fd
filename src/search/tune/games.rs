//! Self-play games for tuning: quiet positions and how their games ended, in a file that grows game by game.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use crate::board::Side;
use crate::error::{Error, Result};
use crate::games::game::Game;
use crate::games::pdn::{Reader, Record};
use crate::games::position::Position;
use crate::games::{Preset, Variant, turn};
use crate::player::Player;
use crate::seed::mix;
use crate::threads;

use super::super::heuristic::Heuristic;

/// Makes a player; called once by each thread.
pub type Factory<'a, P> = dyn Fn() -> Result<Box<dyn Player<P>>> + Sync + 'a;

/// Random turns that games begin with.
const OPENING: std::ops::RangeInclusive<u32> = 4..=12;
/// How often a turn is a random one.
const BLUNDER: f64 = 1.0 / 80.0;
/// A game of so many turns is drawn.
const LONGEST: u32 = 240;
/// A side that is ahead by so many hundredths of a man in so many quiet positions running has won.
const DECIDED: i32 = 600;
const DECIDED_POSITIONS: u32 = 6;
/// A game has no more bytes.
const MOST_BYTES: usize = 256 * LONGEST as usize;
/// How the games of a file were played; its first line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Settings {
    /// The variant.
    pub variant: Variant,
    /// The text of the player that plays both sides.
    pub player: String,
    /// Seeds the random turns and the player.
    pub seed: u64,
}

/// The quiet positions of a game, and its result.
#[derive(Clone, Debug)]
pub struct Played<P> {
    /// White's points: 0, 1 for a draw, or 2.
    pub points: u8,
    /// Where nothing had to be captured, in order.
    pub positions: Vec<P>,
}

impl<P: Position> Played<P> {
    fn pack(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for position in &self.positions {
            position.pack(&mut out);
        }
        let mut head = (out.len() as u32).to_le_bytes().to_vec();
        head.push(self.points);
        head.extend(out);
        head
    }

    /// Takes a game off the front; `None` where it is cut short.
    fn unpack(bytes: &mut &[u8]) -> Result<Option<Self>> {
        let Some((head, rest)) = bytes.split_at_checked(5) else { return Ok(None) };
        let len = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let damaged = |what: String| Error::Failed(format!("a damaged game, {what}"));
        if len > MOST_BYTES {
            return Err(damaged(format!("{len} bytes long")));
        }
        if head[4] > 2 {
            return Err(damaged(format!("of {} points, expected 0 to 2", head[4])));
        }
        let Some((mut packed, rest)) = rest.split_at_checked(len) else { return Ok(None) };
        let mut positions = Vec::new();
        while !packed.is_empty() {
            positions.push(P::unpack(&mut packed)?);
        }
        *bytes = rest;
        Ok(Some(Self { points: head[4], positions }))
    }
}

/// The games of a file as it stands.
#[derive(Debug)]
struct Kept<P> {
    settings: Settings,
    games: Vec<Played<P>>,
    /// Where the last whole game ends; what a crash left behind it is no game.
    end: u64,
}

fn read_kept<P: Position>(path: &Path) -> Result<Kept<P>> {
    let failed = |source| Error::io(path, source);
    let bytes = std::fs::read(path).map_err(failed)?;
    let line = bytes.iter().position(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let settings: Settings = serde_json::from_slice(&bytes[..line])
        .map_err(|_| wrong(path, "expected a file of games that tune has played"))?;
    if settings.variant != P::SPEC.variant {
        return Err(wrong(path, &format!("games of {}, expected {}", settings.variant, P::SPEC.variant)));
    }
    let mut rest = &bytes[line..];
    let mut games = Vec::new();
    while let Some(game) = Played::unpack(&mut rest).map_err(|error| wrong(path, &error.to_string()))? {
        games.push(game);
    }
    let end = (bytes.len() - rest.len()) as u64;
    Ok(Kept { settings, games, end })
}

fn wrong(path: &Path, reason: &str) -> Error {
    Error::Failed(format!("{}: {reason}", path.display()))
}

/// Reads the games of a file: one that [`play`] has written, or game records (PDN), of which those without a result and
/// those of other variants are passed over.
///
/// # Errors
/// If the file cannot be read, is of another variant, or has a broken game.
pub fn read<P: Position>(path: &Path) -> Result<Vec<Played<P>>> {
    let failed = |source| Error::io(path, source);
    let mut file = BufReader::new(File::open(path).map_err(failed)?);
    if file.fill_buf().map_err(failed)?.first() == Some(&b'{') {
        return Ok(read_kept(path)?.games);
    }
    let mut games = Vec::new();
    for text in Reader::new(file) {
        let text = text.map_err(failed)?;
        if text.variant(Some(P::SPEC.variant)).is_ok_and(|named| named != P::SPEC.variant) {
            continue;
        }
        let record = text.read::<P>().map_err(|fault| wrong(path, &fault.to_string()))?.record;
        games.extend(played(&record)?);
    }
    Ok(games)
}

/// What a game record tells; nothing where it has no result.
fn played<P: Position>(record: &Record<P>) -> Result<Option<Played<P>>> {
    let Some(outcome) = record.outcome else { return Ok(None) };
    let mut position = record.start;
    let mut positions = Vec::new();
    for (n, turn) in record.turns.iter().enumerate() {
        if n >= *OPENING.start() as usize && !position.must_capture() {
            positions.push(position);
        }
        for hop in turn.hops() {
            position.play_unchecked(hop);
        }
    }
    Ok(Some(Played { points: points(outcome.winner), positions }))
}

/// White's points.
fn points(winner: Option<Side>) -> u8 {
    match winner {
        Some(Side::White) => 2,
        None => 1,
        Some(Side::Black) => 0,
    }
}

/// Plays games until the file holds `games` of them, going on where an earlier call ended. The same settings give the
/// same file, whatever the number of threads, where the player does not think by time. `on_game` is told how many there
/// are.
///
/// # Errors
/// [`Error::Interrupted`] once `stop` is true; if the file cannot be written or is one of other games, or the player
/// fails.
pub fn play<P: Heuristic>(
    path: &Path,
    settings: &Settings,
    player: &Factory<'_, P>,
    games: u64,
    threads: usize,
    stop: &AtomicBool,
    on_game: &mut dyn FnMut(u64),
) -> Result<()> {
    let failed = |source| Error::io(path, source);
    let (mut file, mut done) = open::<P>(path, settings)?;
    on_game(done);
    let next = AtomicU64::new(done);
    let enough = AtomicBool::new(false);
    let (sender, receiver) = mpsc::channel();
    let work = |sender: mpsc::Sender<(u64, Result<Played<P>>)>| {
        let mut player = player();
        while !stop.load(Ordering::Relaxed) && !enough.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let game = match &mut player {
                _ if number >= games => return,
                Ok(player) => play_one(&mut **player, mix(settings.seed, number)),
                Err(error) => Err(Error::Failed(error.to_string())),
            };
            if sender.send((number, game)).is_err() {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads::count(threads) {
            let (sender, work) = (sender.clone(), &work);
            scope.spawn(move || work(sender));
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        for (number, game) in &receiver {
            waiting.insert(number, game);
            while let Some(game) = waiting.remove(&done) {
                if let Err(error) = game.and_then(|game| file.write_all(&game.pack()).map_err(failed)) {
                    enough.store(true, Ordering::Relaxed);
                    return Err(error);
                }
                done += 1;
                on_game(done);
            }
        }
        if done < games { Err(Error::Interrupted) } else { Ok(()) }
    })
}

/// Opens the file to write behind its last whole game. Answers how many it has.
fn open<P: Position>(path: &Path, settings: &Settings) -> Result<(File, u64)> {
    let failed = |source| Error::io(path, source);
    // Games are read again and written behind; opening a pipe would wait for somebody at its other end.
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(wrong(path, "expected a file to keep games in"));
    }
    let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.len() == 0 {
        let head = serde_json::to_string(settings).expect("names and numbers are JSON");
        file.write_all(format!("{head}\n").as_bytes()).map_err(failed)?;
        return Ok((file, 0));
    }
    let kept = read_kept::<P>(path)?;
    if kept.settings != *settings {
        let Settings { player, seed, .. } = kept.settings;
        return Err(wrong(path, &format!("its games were played by {player} with seed {seed}; name another file")));
    }
    file.set_len(kept.end).and_then(|()| file.seek(SeekFrom::Start(kept.end))).map_err(failed)?;
    Ok((file, kept.games.len() as u64))
}

/// A game of the player with itself.
fn play_one<P: Heuristic>(player: &mut dyn Player<P>, seed: u64) -> Result<Played<P>> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    player.seed(seed);
    player.new_game();
    let mut game = opening::<P>(&mut rng)?;
    let mut positions = Vec::new();
    let (mut leader, mut running) = (Side::White, 0);
    let winner = loop {
        if let Some(outcome) = game.outcome() {
            break outcome.winner;
        }
        if game.turns_played() >= LONGEST {
            break None;
        }
        let position = *game.position();
        if !position.must_capture() {
            positions.push(position);
            let score = position.evaluate();
            let ahead = if score > 0 { position.side() } else { !position.side() };
            running = match score.abs() {
                ..DECIDED => 0,
                _ if ahead == leader => running + 1,
                _ => 1,
            };
            leader = ahead;
            if running == DECIDED_POSITIONS {
                break Some(leader);
            }
        }
        if rng.random_bool(BLUNDER) {
            // What came before does not explain the result.
            positions.clear();
            play_random(&mut game, &mut rng)?;
        } else {
            let turn = player.choose(&game)?;
            game.play(&turn)?;
        }
    };
    Ok(Played { points: points(winner), positions })
}

fn opening<P: Position>(rng: &mut Xoshiro256PlusPlus) -> Result<Game<P>> {
    loop {
        let mut game = Game::new(Preset::Official)?;
        for _ in 0..rng.random_range(OPENING) {
            if game.outcome().is_none() {
                play_random(&mut game, rng)?;
            }
        }
        if game.outcome().is_none() {
            return Ok(game);
        }
    }
}

fn play_random<P: Position>(game: &mut Game<P>, rng: &mut Xoshiro256PlusPlus) -> Result<()> {
    let turns = turn::list(game.position());
    let turn = turns.choose(rng).expect("a game that goes on has a turn");
    game.play(turn)
}
