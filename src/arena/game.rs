//! One pair of games between two players: colours, clocks, failures.

use std::time::Instant;

use crate::board::Side;
use crate::error::{Error, Result};
use crate::games::Preset;
use crate::games::game::{Outcome, Reason};
use crate::games::pdn::Record;
use crate::games::position::Position;
use crate::games::turn::Turn;
use crate::player::Player;
use crate::seed::mix;

use super::Options;
use super::openings::Opening;

/// A finished game of a match.
#[derive(Clone, Debug)]
pub struct GameRecord<P> {
    /// Its number from 0. In even ones A has White.
    pub number: usize,
    /// The first position.
    pub start: P,
    /// All turns.
    pub turns: Vec<Turn>,
    /// How many of them are the opening's.
    pub opening_turns: usize,
    /// How it ended.
    pub outcome: Outcome,
    /// Turns chosen by White's and by Black's player.
    pub chosen: [u32; 2],
    /// Seconds that White's and Black's player thought.
    pub thought_s: [f64; 2],
    /// What a player did wrong that lost the game.
    pub warning: Option<String>,
}

impl<P> GameRecord<P> {
    /// The side that A played.
    #[must_use]
    pub const fn side_of_a(&self) -> Side {
        if self.number.is_multiple_of(2) { Side::White } else { Side::Black }
    }

    /// A's result in half points: 2, 1 or 0.
    pub(super) fn half_points(&self) -> usize {
        match self.outcome.winner {
            Some(winner) => 2 * usize::from(winner == self.side_of_a()),
            None => 1,
        }
    }
}

impl<P: Position> GameRecord<P> {
    /// The game as it is kept in a file; `names` are A's and B's.
    #[must_use]
    pub fn record(&self, names: [&str; 2], draws: Preset) -> Record<P> {
        let [a, b] = names;
        let (white, black) = if self.side_of_a() == Side::White { (a, b) } else { (b, a) };
        let mut record = Record::new(self.start, draws);
        record.set_tag("Event", "shashki arena");
        record.set_tag("Round", (self.number + 1).to_string());
        record.set_tag("White", white);
        record.set_tag("Black", black);
        record.turns.clone_from(&self.turns);
        if self.opening_turns > 0 {
            record.comments.push((self.opening_turns, "end of the opening".to_owned()));
        }
        record.comments.extend(self.warning.iter().map(|warning| (self.turns.len(), warning.clone())));
        record.outcome = Some(self.outcome);
        record
    }
}

/// Plays an opening twice, A first with White; answers the games finished before `halted`.
pub(super) fn play_pair<P: Position>(
    players: &mut [Box<dyn Player<P>>; 2],
    opening: &Opening<P>,
    pair: usize,
    options: &Options<P>,
    halted: &dyn Fn() -> bool,
) -> Result<Vec<GameRecord<P>>> {
    let mut games = Vec::with_capacity(2);
    for number in [2 * pair, 2 * pair + 1] {
        for (i, player) in players.iter_mut().enumerate() {
            player.new_game();
            player.seed(mix(mix(options.seed, number as u64), i as u64));
        }
        let [a, b] = players.each_mut();
        let by_side = if number.is_multiple_of(2) { [a, b] } else { [b, a] };
        match play_game(by_side, opening, number, options, halted)? {
            Some(game) => games.push(game),
            None => break,
        }
    }
    Ok(games)
}

/// Plays a game between White's and Black's player; `None` if halted before its end.
fn play_game<P: Position>(
    players: [&mut Box<dyn Player<P>>; 2],
    opening: &Opening<P>,
    number: usize,
    options: &Options<P>,
    halted: &dyn Fn() -> bool,
) -> Result<Option<GameRecord<P>>> {
    let mut game = opening.play(options.draws)?;
    let mut turns = opening.turns.clone();
    let (mut chosen, mut thought_s) = ([0; 2], [0.0; 2]);
    let mut left_s = options.clock.map(|clock| [clock.base_s; 2]);
    let mut warning = None;
    let outcome = loop {
        if let Some(outcome) = game.outcome() {
            break outcome;
        }
        if let Some(proven) = options.knowledge.certain(&game) {
            break Outcome { winner: proven.winner(game.side()), reason: Reason::Tables };
        }
        options.knowledge.check()?;
        if options.max_turns.is_some_and(|limit| game.turns_played() >= limit) {
            break Outcome { winner: None, reason: Reason::TurnLimit };
        }
        if halted() {
            return Ok(None);
        }
        let side = game.side();
        let i = side.index();
        if let (Some(clock), Some(left)) = (options.clock, left_s) {
            players[i].show_clock(clock.shown(left[i]));
        }
        let start = Instant::now();
        let answer = players[i].choose(&game);
        let seconds = start.elapsed().as_secs_f64();
        chosen[i] += 1;
        thought_s[i] += seconds;
        let lost_by = |reason| Outcome { winner: Some(!side), reason };
        if let (Some(clock), Some(left)) = (options.clock, &mut left_s) {
            left[i] -= seconds;
            if left[i] < 0.0 {
                break lost_by(Reason::Time);
            }
            left[i] += clock.increment_s;
        }
        match answer.and_then(|turn| game.play(&turn).map(|()| turn)) {
            Ok(turn) => turns.push(turn),
            // Nobody's fault but the machine's.
            Err(error @ (Error::Table { .. } | Error::Memory(_))) => return Err(error),
            Err(error) => {
                let (name, turn) = (players[i].name(), turns.len() + 1);
                warning = Some(format!("game {}: {name} as {side} failed at turn {turn}: {error}", number + 1));
                break lost_by(Reason::Illegal);
            }
        }
    };
    let opening_turns = opening.turns.len();
    Ok(Some(GameRecord { number, start: opening.start, turns, opening_turns, outcome, chosen, thought_s, warning }))
}
