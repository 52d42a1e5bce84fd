//! Retrograde analysis: from the ends of games back to all positions of one ending.
//!
//! A first pass looks at every position once. Captures and crownings lead to other endings, which are solved already; so
//! a position in which a capture is compulsory is decided at once, and of the others is known what their crownings
//! come to and how many steps stay in the ending. Then the positions decided in 0, 1, 2, … turns are taken in this order,
//! and the steps that lead to them are taken back: a step to a lost position wins; a position all of whose steps lead to
//! won ones is lost. What no such chain reaches is drawn.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::board::Side;
use crate::error::{Error, Result};
use crate::games::draughts::Russian;
use crate::games::position::Position;

use super::index::{Index, MAIN_ROAD, Placement, quiet_origins};
use super::material::{Class, Ending, Force, SLOTS};
use super::successors::{Choice, Code, DRAW, LAST_CODE, OVER, Rules, Walker};

/// Numbers that one thread looks at in one go, and that share a set of marks.
const CHUNK: usize = 4096;
/// The squares from which a step may crown a man.
const BEFORE_LAST_RANK: u32 = 0x0f00_0000;

/// The codes of one class.
#[derive(Clone, Debug)]
pub(super) struct Solved {
    pub index: Index,
    pub codes: Arc<[Code]>,
}

/// The classes that turns of the ending in hand may lead to.
#[derive(Debug)]
pub(super) struct Finished {
    slots: Vec<Option<Solved>>,
}

impl Finished {
    pub fn new() -> Self {
        Self { slots: vec![None; SLOTS] }
    }

    /// Whether an ending is here.
    pub fn has(&self, ending: Ending) -> bool {
        ending.classes().iter().all(|class| self.slots[class.slot()].is_some())
    }

    pub fn put(&mut self, solved: Solved) {
        let slot = solved.index.class().slot();
        self.slots[slot] = Some(solved);
    }

    /// Drops all but these endings.
    pub fn keep(&mut self, endings: &[Ending]) {
        for slot in &mut self.slots {
            *slot = slot.take().filter(|solved| endings.contains(&Ending::of(solved.index.class())));
        }
    }

    fn code(&self, placement: &Placement) -> Code {
        let class = placement.class();
        if class.own.pieces() == 0 {
            return OVER;
        }
        let solved = self.slots[class.slot()].as_ref().expect("what a turn leads to is solved before");
        solved.codes[solved.index.number(placement)]
    }
}

/// One class while it is solved.
struct Part {
    index: Index,
    /// What is known: final for codes that were taken up, else the quickest win found so far.
    codes: Vec<AtomicU8>,
    /// Steps within the ending that are not yet known to lose, and one more where something else holds; 0 where the
    /// position is decided, or is none.
    left: Vec<AtomicU8>,
    /// Which codes there may be in each chunk.
    marks: Vec<[AtomicU64; 4]>,
}

impl Part {
    fn new(index: Index) -> Self {
        let bytes = |_| AtomicU8::new(0);
        Self {
            index,
            codes: (0..index.len()).map(bytes).collect(),
            left: (0..index.len()).map(bytes).collect(),
            marks: (0..index.len().div_ceil(CHUNK)).map(|_| Default::default()).collect(),
        }
    }

    fn marked(&self, chunk: usize, code: Code) -> bool {
        self.marks[chunk][usize::from(code / 64)].load(Relaxed) >> (code % 64) & 1 == 1
    }

    fn numbers(&self, chunk: usize) -> std::ops::Range<usize> {
        chunk * CHUNK..((chunk + 1) * CHUNK).min(self.index.len())
    }

    fn finish(self) -> Solved {
        drop(self.left);
        Solved { index: self.index, codes: self.codes.into_iter().map(AtomicU8::into_inner).collect() }
    }
}

/// Solves one ending.
pub(super) struct Solver<'a> {
    rules: Rules,
    finished: &'a Finished,
    stop: &'a AtomicBool,
    /// Told of positions done; each counts twice.
    progress: &'a (dyn Fn(u64) + Sync),
    /// The largest code noted so far.
    highest: AtomicU8,
    /// A win would take too many turns.
    too_long: AtomicBool,
    done: AtomicU64,
}

impl<'a> Solver<'a> {
    pub fn new(rules: Rules, finished: &'a Finished, stop: &'a AtomicBool, progress: &'a (dyn Fn(u64) + Sync)) -> Self {
        let (highest, too_long, done) = (AtomicU8::new(0), AtomicBool::new(false), AtomicU64::new(0));
        Self { rules, finished, stop, progress, highest, too_long, done }
    }

    /// The codes of the ending's classes.
    ///
    /// # Errors
    /// If it is stopped, or if a win takes more turns than a code can say.
    pub fn solve(self, ending: Ending) -> Result<Vec<Solved>> {
        let parts: Vec<Part> = ending.classes().into_iter().map(|class| Part::new(Index::new(class))).collect();
        for part in &parts {
            self.each_chunk(
                part,
                |_| true,
                |walker, numbers| {
                    self.advance(numbers.len() as u64);
                    numbers.for_each(|number| self.open(part, number, walker));
                },
            );
        }
        self.check()?;
        let mut code = OVER;
        while code <= self.highest.load(Relaxed) {
            for (i, part) in parts.iter().enumerate() {
                let before = &parts[parts.len() - 1 - i];
                self.each_chunk(
                    part,
                    |chunk| part.marked(chunk, code),
                    |walker, numbers| {
                        let mut taken = 0;
                        for number in numbers {
                            if part.codes[number].load(Relaxed) == code {
                                taken += 1;
                                self.take_back(part, number, before, walker);
                            }
                        }
                        self.advance(taken);
                    },
                );
            }
            self.check()?;
            if self.too_long.load(Relaxed) {
                let most = LAST_CODE - 1;
                return Err(Error::Failed(format!(
                    "a win in {ending} takes more than the {most} turns that a table can tell"
                )));
            }
            code += 1;
        }
        let all: usize = parts.iter().map(|part| part.index.len()).sum();
        self.advance(2 * all as u64 - self.done.load(Relaxed));
        Ok(parts.into_iter().map(Part::finish).collect())
    }

    /// What was done is not whole once `stop` is raised.
    fn check(&self) -> Result<()> {
        if self.stop.load(Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
    }

    fn advance(&self, positions: u64) {
        self.done.fetch_add(positions, Relaxed);
        (self.progress)(positions);
    }

    /// Runs over the chunks of a part that are wanted, on every thread; a chunk is not begun once `stop` is raised.
    fn each_chunk(
        &self,
        part: &Part,
        wanted: impl Fn(usize) -> bool + Sync,
        work: impl Fn(&mut Walker, std::ops::Range<usize>) + Sync,
    ) {
        (0..part.marks.len()).into_par_iter().for_each_init(Walker::default, |walker, chunk| {
            if wanted(chunk) && !self.stop.load(Relaxed) {
                work(walker, part.numbers(chunk));
            }
        });
    }

    /// Notes the code of a position: the end of what is known of it, or the quickest win so far.
    fn note(&self, part: &Part, number: usize, code: u16) {
        let Ok(code) =
            Code::try_from(code).map_err(drop).and_then(|code| if code > LAST_CODE { Err(()) } else { Ok(code) })
        else {
            self.too_long.store(true, Relaxed);
            return;
        };
        part.codes[number].store(code, Relaxed);
        part.marks[number / CHUNK][usize::from(code / 64)].fetch_or(1 << (code % 64), Relaxed);
        self.highest.fetch_max(code, Relaxed);
    }

    /// The first look at a position.
    fn open(&self, part: &Part, number: usize, walker: &mut Walker) {
        let Some(placement) = part.index.placement(number) else { return };
        // The moves of giveaway are the same.
        let position = Russian::from_board(placement.board(Side::White));
        if !position.can_move() {
            self.note(part, number, OVER.into());
            return;
        }
        let captures = position.must_capture();
        let (mut choice, mut steps) = (Choice::default(), 0);
        walker.ends(&position, &mut |after, step| {
            if captures || step.promoted {
                choice.add(self.rules, self.finished.code(&Placement::of(after.board())));
            } else {
                steps += 1;
            }
        });
        if steps == 0 {
            if choice.code() != u16::from(DRAW) {
                self.note(part, number, choice.code());
            }
            return;
        }
        part.left[number].store(steps + u8::from(choice.holds()), Relaxed);
        if choice.win() != 0 {
            self.note(part, number, choice.win());
        }
    }

    /// Tells the positions from which a step leads to a decided one.
    fn take_back(&self, part: &Part, number: usize, before: &Part, walker: &mut Walker) {
        let code = part.codes[number].load(Relaxed);
        let placement = part.index.placement(number).expect("only positions have codes");
        let wins = self.rules.wins(code);
        quiet_origins(&placement, |origin| {
            let number = before.index.number(&origin);
            if before.left[number].load(Relaxed) == 0 {
                return;
            }
            if wins {
                if before.left[number].fetch_sub(1, Relaxed) == 1 {
                    self.note(before, number, self.longest_loss(&origin, code, walker));
                }
            } else {
                let known = before.codes[number].load(Relaxed);
                if known == DRAW || known > code + 1 {
                    self.note(before, number, u16::from(code) + 1);
                }
            }
        });
    }

    /// The code of a position whose steps all lose, the last one found leading to `last`; crownings may hold out longer.
    fn longest_loss(&self, placement: &Placement, last: Code, walker: &mut Walker) -> u16 {
        let code = u16::from(last) + 1;
        if placement.own_men & BEFORE_LAST_RANK == 0 {
            return code;
        }
        let mut choice = Choice::default();
        walker.ends(&Russian::from_board(placement.board(Side::White)), &mut |after, step| {
            if step.promoted {
                choice.add(self.rules, self.finished.code(&Placement::of(after.board())));
            }
        });
        code.max(choice.loss())
    }
}

impl Solved {
    /// Turns of the longest win while a lone king holds the main road against three pieces, a king among them.
    pub fn longest_held(&self) -> u16 {
        let Class { own, other } = self.index.class();
        let faces = |one: Force, three: Force| {
            (one.pieces(), one.kings()) == (1, 1) && three.pieces() == 3 && three.kings() > 0
        };
        let (own_lone, other_lone) = (faces(own, other), faces(other, own));
        if !own_lone && !other_lone {
            return 0;
        }
        let held = (0..self.index.len()).into_par_iter().filter(|&number| {
            self.index.placement(number).is_some_and(|placement| {
                let king = if own_lone { placement.own_kings } else { placement.other_kings };
                placement.occupied() & MAIN_ROAD == king
            })
        });
        held.map(|number| u16::from(self.codes[number].saturating_sub(OVER))).max().unwrap_or(0)
    }

    /// How many numbers are no positions.
    pub fn empty(&self) -> u64 {
        (0..self.index.len()).into_par_iter().filter(|&number| self.index.placement(number).is_none()).count() as u64
    }
}
