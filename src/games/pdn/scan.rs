//! Finds the games of a file and cuts each into its parts, one after the other and in bounded memory.

use std::io::{self, Read};

use super::fault::Fault;
use super::input::Input;
use super::said::Said;
use super::text::{GameText, Item, Kind, Tag, decoded};

/// The longest game that is read, in bytes without the white space between its pieces; a longer one is a fault. A real
/// game has a few thousand.
pub const LIMIT: usize = 1 << 20;

/// The marks of good and bad turns, each with its number as a glyph.
const MARKS: [(&str, u8); 6] = [("!", 1), ("?", 2), ("!!", 3), ("??", 4), ("!?", 5), ("?!", 6)];

/// How far a look ahead goes: over the name of a tag, or from a quote to the end of its line.
const AHEAD: usize = 128;

/// Reads the games of a PDN file one by one, whatever the file is like: in UTF-8 or Windows-1251, with any line ends, of
/// any size. A broken game comes with its fault, and the games behind it are still found: where not even its end can be
/// told, reading goes on at the next tags.
///
/// ```
/// use shashki::games::Russian;
/// use shashki::games::pdn::Reader;
///
/// let file = "[White \"a\"]\n\n1. c3-d4 {no end\n\n[White \"b\"]\n\n1. c3-d4 2-0\n";
/// let games = Reader::new(file.as_bytes()).collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(games.len(), 2);
/// assert!(games[0].read::<Russian>().is_err());
/// assert_eq!(games[1].read::<Russian>().unwrap().record.tag("White"), Some("b"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    input: Input<R>,
    limit: usize,
    /// Games found so far.
    games: usize,
    /// Bytes of the present game.
    size: usize,
    /// The piece that is being read.
    piece: Vec<u8>,
    state: State,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum State {
    /// Nothing is read yet.
    New,
    /// Where the next game begins or the file ends.
    Between,
    /// Within a broken game, in its tags or behind them.
    Lost { in_tags: bool },
    /// There is nothing more to read.
    Over,
}

/// Why a game cannot be read on.
enum Stop {
    Io(io::Error),
    /// What is wrong, and where reading can go on.
    Broken(usize, String, State),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

type Scanned<T> = Result<T, Stop>;

/// Where the scan of a game stands.
#[derive(Default)]
struct Stand {
    /// Whether its moves have begun.
    in_moves: bool,
    /// Whether its result is read.
    done: bool,
    /// Whether a turn has just been read, with nothing behind it yet.
    behind_turn: bool,
    /// Whether an empty line was passed since the last piece.
    blank: bool,
}

impl<R: Read> Reader<R> {
    /// Reads games of at most [`LIMIT`] bytes each.
    pub fn new(input: R) -> Self {
        Self::with_limit(input, LIMIT)
    }

    /// Reads games of at most so many bytes each.
    pub fn with_limit(input: R, limit: usize) -> Self {
        let input = Input::new(input);
        Self { input, limit, games: 0, size: 0, piece: Vec::new(), state: State::New }
    }

    fn game(&mut self) -> io::Result<Option<GameText>> {
        let wide = self.state == State::New && self.input.begin();
        if let State::Lost { in_tags } = self.state {
            self.find_tags(in_tags)?;
        }
        self.state = State::Between;
        self.space()?;
        self.size = 0;
        let (number, line) = (self.games + 1, self.input.line());
        let mut game = GameText { number, line, tags: Vec::new(), items: Vec::new(), text: String::new(), fault: None };
        let mut stand = Stand::default();
        let scanned = if wide {
            Err(Stop::Broken(1, "the file is UTF-16, expected UTF-8 or Windows-1251".to_owned(), State::Over))
        } else {
            self.scan(&mut game, &mut stand)
        };
        match scanned {
            Ok(()) if game.tags.is_empty() && !stand.in_moves => return Ok(None),
            Ok(()) => {}
            Err(Stop::Io(error)) => return Err(error),
            Err(Stop::Broken(line, reason, state)) => {
                game.fault = Some(Fault { game: number, line, reason });
                self.state = state;
            }
        }
        self.games = number;
        Ok(Some(game))
    }

    /// Reads a game up to where the next one begins.
    fn scan(&mut self, game: &mut GameText, stand: &mut Stand) -> Scanned<()> {
        loop {
            let (spaced, blank) = self.space()?;
            stand.blank |= blank;
            stand.behind_turn &= !spaced;
            let Some(byte) = self.input.peek()? else { return Ok(()) };
            let line = self.input.line();
            match byte {
                b'%' if self.input.at_line_start() => self.rest_of_line()?,
                b'[' if stand.in_moves || stand.blank && self.repeats(game) => return Ok(()),
                b'[' => self.tag(game)?,
                b'{' => self.comment(game)?,
                b';' => {
                    self.rest_of_line()?;
                    self.piece.remove(0);
                    self.push(game, Kind::Comment, line);
                }
                b'(' => self.variation(game)?,
                b'$' => self.nag(game)?,
                b'!' | b'?' => self.marks(game)?,
                b'.' => {
                    self.take()?;
                }
                b'*' => {
                    self.take()?;
                    // Right behind a turn it marks a forced one, and behind a result it parts two games.
                    if !stand.done && !stand.behind_turn {
                        self.piece.clear();
                        self.piece.push(b'*');
                        self.push(game, Kind::Result, line);
                        (stand.in_moves, stand.done) = (true, true);
                    }
                }
                b')' | b'}' | b']' => {
                    let found = char::from(byte);
                    return Err(self.broken(line, format!("expected a turn or a result, found {found:?}")));
                }
                _ if stand.done => return Ok(()),
                _ => self.word(game, stand)?,
            }
            stand.blank = false;
        }
    }

    /// Reads a turn, a result or a number.
    fn word(&mut self, game: &mut GameText, stand: &mut Stand) -> Scanned<()> {
        let line = self.input.line();
        stand.in_moves = true;
        self.piece.clear();
        while let Some(byte) = self.input.peek()? {
            if byte.is_ascii_whitespace() || b"{}()[];$*!?.".contains(&byte) || byte == 0xC2 && self.no_break() {
                break;
            }
            self.take()?;
            self.piece.push(byte);
        }
        // `…` is three stops.
        let word = decoded(&self.piece).trim_end_matches('…').to_owned();
        self.piece.clear();
        self.piece.extend(word.as_bytes());
        stand.behind_turn = false;
        if word.len() < 4 && word.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(());
        }
        let kind = if Said::read(&word).is_some() { Kind::Result } else { Kind::Turn };
        stand.done = kind == Kind::Result;
        stand.behind_turn = kind == Kind::Turn;
        self.push(game, kind, line);
        Ok(())
    }

    /// Reads `[Name "value"]`. A quote ends the value only where `]` follows, so that quotes within need no backslash.
    fn tag(&mut self, game: &mut GameText) -> Scanned<()> {
        let line = self.input.line();
        let lost = |reason: String| Stop::Broken(line, reason, State::Lost { in_tags: true });
        self.take()?;
        self.blanks()?;
        let mut name = String::new();
        while let Some(byte) = self.input.peek()?.filter(|&byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            self.take()?;
            name.push(char::from(byte));
        }
        self.blanks()?;
        if name.is_empty() || self.input.peek()? != Some(b'"') {
            return Err(lost("expected a tag like [White \"Petrov\"]".to_owned()));
        }
        self.take()?;
        self.piece.clear();
        loop {
            match self.input.peek()? {
                None | Some(b'\n') => {
                    return Err(lost(format!("tag {name}: expected \"] before the end of the line")));
                }
                Some(b'"') if self.closes(false) => break,
                Some(b'\\') if !self.closes(true) => {
                    self.take()?;
                    match self.input.peek()? {
                        Some(byte @ (b'"' | b'\\')) => {
                            self.take()?;
                            self.piece.push(byte);
                        }
                        _ => self.piece.push(b'\\'),
                    }
                }
                Some(byte) => {
                    self.take()?;
                    self.piece.push(byte);
                }
            }
        }
        while self.take()? != Some(b']') {}
        game.tags.push(Tag { name, value: decoded(&self.piece).into_owned(), line });
        Ok(())
    }

    /// Whether the quote that is next ends a tag. With `escaped` a backslash stands before it, which is meant as itself
    /// where the line ends with the tag, as a folder's name may.
    fn closes(&mut self, escaped: bool) -> bool {
        let ahead = self.input.ahead(AHEAD);
        let behind = match (escaped, ahead) {
            (false, [b'"', behind @ ..]) | (true, [b'\\', b'"', behind @ ..]) => behind,
            _ => return false,
        };
        let mut behind = behind.iter().copied().skip_while(|byte| b" \t".contains(byte));
        let closed = behind.next() == Some(b']');
        let rest = behind.find(|byte| !b" \t".contains(byte));
        closed && (!escaped || rest.is_none_or(|byte| b"\r\n".contains(&byte)))
    }

    /// Reads `{…}`. Braces do not nest.
    fn comment(&mut self, game: &mut GameText) -> Scanned<()> {
        let line = self.input.line();
        self.take()?;
        self.piece.clear();
        let mut lines = BlankLines::default();
        loop {
            match self.next_within("comment", "}", line, &mut lines)? {
                b'}' => break,
                byte => self.piece.push(byte),
            }
        }
        self.push(game, Kind::Comment, line);
        Ok(())
    }

    /// Reads `(…)` with all that is nested in it. Turns that were not played are kept as a remark; a mark, `(?)`, is one.
    fn variation(&mut self, game: &mut GameText) -> Scanned<()> {
        let line = self.input.line();
        self.piece.clear();
        let mut lines = BlankLines::default();
        let mut depth = 0_usize;
        // What ends the remark that a parenthesis is part of.
        let mut remark = None;
        loop {
            let byte = self.next_within("variation", ")", line, &mut lines)?;
            self.piece.push(byte);
            match (remark, byte) {
                (Some(end), _) => remark = remark.filter(|_| byte != end),
                (None, b'{') => remark = Some(b'}'),
                (None, b';') => remark = Some(b'\n'),
                (None, b'(') => depth += 1,
                (None, b')') if depth == 1 => break,
                (None, b')') => depth -= 1,
                (None, _) => {}
            }
        }
        let text = decoded(&self.piece);
        match text[1..text.len() - 1].trim() {
            mark if !mark.is_empty() && mark.bytes().all(|byte| b"!?".contains(&byte)) => {
                let mark = mark.to_owned();
                push_mark(game, &mark, line);
            }
            _ => self.push(game, Kind::Comment, line),
        }
        Ok(())
    }

    /// Takes the next byte of what `close` must end. Where the file ends before, or the tags of another game begin behind
    /// an empty line, it has been forgotten.
    fn next_within(&mut self, what: &str, close: &str, line: usize, lines: &mut BlankLines) -> Scanned<u8> {
        let next_game = lines.passed && self.input.at_line_start() && self.at_tag();
        let byte = if next_game { None } else { self.take()? };
        lines.note(byte);
        let reason = || format!("{what} without an end, expected {close}");
        byte.ok_or_else(|| Stop::Broken(line, reason(), State::Between))
    }

    /// Reads `$n`.
    fn nag(&mut self, game: &mut GameText) -> Scanned<()> {
        let line = self.input.line();
        self.take()?;
        let mut digits = String::new();
        while let Some(byte) = self.input.peek()?.filter(u8::is_ascii_digit) {
            self.take()?;
            digits.push(char::from(byte));
        }
        match digits.parse() {
            Ok(nag) => game.items.push(Item { kind: Kind::Nag(nag), start: 0, end: 0, line }),
            Err(_) => return Err(self.broken(line, format!("mark ${digits}: expected $0 to $255"))),
        }
        Ok(())
    }

    /// Reads a row of `!` and `?`.
    fn marks(&mut self, game: &mut GameText) -> Scanned<()> {
        let line = self.input.line();
        let mut marks = String::new();
        while let Some(byte @ (b'!' | b'?')) = self.input.peek()? {
            self.take()?;
            marks.push(char::from(byte));
        }
        push_mark(game, &marks, line);
        Ok(())
    }

    /// Adds the piece that is read, its white space made single blanks.
    fn push(&self, game: &mut GameText, kind: Kind, line: usize) {
        let start = game.text.len();
        for word in decoded(&self.piece).split_whitespace() {
            if game.text.len() > start {
                game.text.push(' ');
            }
            game.text.push_str(word);
        }
        if game.text.len() > start {
            game.items.push(Item { kind, start, end: game.text.len(), line });
        }
    }

    /// Takes a byte of the present game.
    fn take(&mut self) -> Scanned<Option<u8>> {
        self.size += 1;
        if self.size > self.limit {
            let reason = format!("expected a game of at most {} bytes", self.limit);
            return Err(self.broken(self.input.line(), reason));
        }
        Ok(self.input.next()?)
    }

    fn broken(&self, line: usize, reason: String) -> Stop {
        Stop::Broken(line, reason, State::Lost { in_tags: false })
    }

    /// Passes white space; answers whether there was any, and whether an empty line was among it.
    fn space(&mut self) -> io::Result<(bool, bool)> {
        let (mut any, mut blank) = (false, false);
        let mut empty = self.input.at_line_start();
        while let Some(byte) = self.input.peek()? {
            // A lone 0xA0 is the no-break space of Windows-1251: no character of UTF-8 begins with it.
            if byte == 0xC2 && self.no_break() {
                self.input.next()?;
            } else if !(byte.is_ascii_whitespace() || byte == 0xA0 || byte == 0x0B || byte == 0) {
                break;
            }
            self.input.next()?;
            any = true;
            blank |= empty && byte == b'\n';
            empty |= byte == b'\n';
        }
        Ok((any, blank))
    }

    /// Whether the next character is the no-break space of UTF-8.
    fn no_break(&mut self) -> bool {
        self.input.ahead(2) == b"\xC2\xA0"
    }

    fn blanks(&mut self) -> Scanned<()> {
        while let Some(b' ' | b'\t') = self.input.peek()? {
            self.take()?;
        }
        Ok(())
    }

    /// Reads to the end of the line.
    fn rest_of_line(&mut self) -> Scanned<()> {
        self.piece.clear();
        while let Some(byte) = self.input.peek()?.filter(|&byte| byte != b'\n') {
            self.take()?;
            self.piece.push(byte);
        }
        Ok(())
    }

    /// Whether a tag is next.
    fn at_tag(&mut self) -> bool {
        self.next_tag().is_some()
    }

    /// The name of the tag that is next.
    fn next_tag(&mut self) -> Option<&str> {
        let Some((b'[', rest)) = self.input.ahead(AHEAD).split_first() else { return None };
        let rest = rest.trim_ascii_start();
        let len = rest.iter().take_while(|&&byte| byte.is_ascii_alphanumeric() || byte == b'_').count();
        let (name, rest) = rest.split_at(len);
        let quoted = rest.trim_ascii_start().first() == Some(&b'"');
        std::str::from_utf8(name).ok().filter(|name| quoted && !name.is_empty())
    }

    /// Whether the tag that is next begins another game, the one before having no moves and no result.
    fn repeats(&mut self, game: &GameText) -> bool {
        let name = self.next_tag();
        name.is_some_and(|name| !game.tags.is_empty() && (name == "Event" || game.find(name).is_some()))
    }

    /// Passes the rest of a broken game: to the first tag behind a line that is none.
    fn find_tags(&mut self, in_tags: bool) -> io::Result<()> {
        let mut behind_tag = in_tags;
        loop {
            if self.input.at_line_start() {
                let at_tag = self.at_tag();
                if at_tag && !behind_tag {
                    return Ok(());
                }
                behind_tag = at_tag;
            }
            loop {
                match self.input.next()? {
                    Some(b'\n') => break,
                    Some(_) => {}
                    None => return Ok(()),
                }
            }
        }
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = io::Result<GameText>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.state == State::Over {
            return None;
        }
        let game = self.game();
        if !matches!(game, Ok(Some(_))) {
            self.state = State::Over;
        }
        game.transpose()
    }
}

/// Adds a mark like `!?` as its glyph; one that has none is dropped.
fn push_mark(game: &mut GameText, mark: &str, line: usize) {
    if let Some((_, nag)) = MARKS.iter().find(|(text, _)| *text == mark) {
        game.items.push(Item { kind: Kind::Nag(*nag), start: 0, end: 0, line });
    }
}

/// Whether the lines just passed were empty.
#[derive(Default)]
struct BlankLines {
    passed: bool,
    /// Whether the present line has anything but white space.
    filled: bool,
    /// Whether a line end was passed at all.
    begun: bool,
}

impl BlankLines {
    fn note(&mut self, byte: Option<u8>) {
        match byte {
            Some(b'\n') => {
                self.passed = self.begun && !self.filled;
                (self.begun, self.filled) = (true, false);
            }
            Some(byte) if !byte.is_ascii_whitespace() => (self.filled, self.passed) = (true, false),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_beyond_the_limit_is_a_fault_and_nothing_of_it_is_kept() {
        let long = |n| io::repeat(b'x').take(n);
        let head = &b"[White \"a\"]\n\n1. c3-d4 {"[..];
        let tail = &b"}\n*\n\n[White \"b\"]\n\n*\n"[..];
        let mut reader = Reader::with_limit(head.chain(long(50_000_000)).chain(tail), 10_000);
        let broken = reader.next().unwrap().unwrap();
        let fault = broken.fault.unwrap();
        assert_eq!((fault.game, fault.line, fault.reason.as_str()), (1, 3, "expected a game of at most 10000 bytes"));
        assert_eq!(reader.next().unwrap().unwrap().tag("White"), Some("b"));
        assert!(reader.next().is_none());
        assert!(reader.piece.capacity() <= 20_000, "{}", reader.piece.capacity());
    }

    #[test]
    fn a_game_of_exactly_the_limit_is_read() {
        let text = b"1.c3-d4{a b}*";
        let read = |limit| Reader::with_limit(&text[..], limit).next().unwrap().unwrap().fault;
        assert_eq!(read(text.len()), None);
        assert!(read(text.len() - 1).is_some());
    }
}
