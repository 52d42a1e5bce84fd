//! A stream of bytes read through one small buffer: lines are counted, every line end is `\n`, a BOM is dropped.

use std::io::{self, ErrorKind, Read};

/// Bytes held at once. No more than this is read ahead of what has been taken.
pub(super) const BUFFER: usize = 64 * 1024;

/// The byte order mark of UTF-8.
const BOM: &[u8] = b"\xEF\xBB\xBF";

#[derive(Debug)]
pub(super) struct Input<R> {
    reader: R,
    buffer: Box<[u8]>,
    /// The bytes not taken yet: `buffer[start..end]`.
    start: usize,
    end: usize,
    /// Whether the reader has no more.
    dry: bool,
    /// What ended it, told once all before it is taken.
    error: Option<io::Error>,
    /// The line of the next byte, from 1.
    line: usize,
    /// Whether the next byte begins a line.
    fresh: bool,
}

impl<R: Read> Input<R> {
    pub fn new(reader: R) -> Self {
        Self { reader, buffer: vec![0; BUFFER].into(), start: 0, end: 0, dry: false, error: None, line: 1, fresh: true }
    }

    /// The line of the next byte.
    pub const fn line(&self) -> usize {
        self.line
    }

    /// Whether the next byte begins a line.
    pub const fn at_line_start(&self) -> bool {
        self.fresh
    }

    /// Drops a byte order mark at the very beginning; answers whether the text is UTF-16, which is not read.
    pub fn begin(&mut self) -> bool {
        let first = self.ahead(BOM.len());
        let (bom, wide) = (first.starts_with(BOM), first.starts_with(b"\xFF\xFE") || first.starts_with(b"\xFE\xFF"));
        if bom {
            self.start += BOM.len();
        }
        wide
    }

    /// The next byte, which stays; `None` at the end.
    pub fn peek(&mut self) -> io::Result<Option<u8>> {
        if self.start == self.end && !self.fill() {
            return self.error.take().map_or(Ok(None), Err);
        }
        // Whatever ends a line looks like `\n`.
        Ok(Some(match self.buffer[self.start] {
            b'\r' => b'\n',
            byte => byte,
        }))
    }

    /// Takes the next byte.
    pub fn next(&mut self) -> io::Result<Option<u8>> {
        let Some(byte) = self.peek()? else { return Ok(None) };
        if self.buffer[self.start] == b'\r' && self.ahead(2).get(1) == Some(&b'\n') {
            self.start += 1;
        }
        self.start += 1;
        self.fresh = byte == b'\n';
        self.line += usize::from(self.fresh);
        Ok(Some(byte))
    }

    /// The next `n` bytes as they are, fewer only where the end comes before; `n` is at most [`BUFFER`].
    pub fn ahead(&mut self, n: usize) -> &[u8] {
        while self.end - self.start < n && self.fill() {}
        &self.buffer[self.start..self.end.min(self.start + n)]
    }

    /// Reads more bytes behind those held; answers whether there were any.
    fn fill(&mut self) -> bool {
        if self.dry {
            return false;
        }
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        loop {
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.dry = true,
                Ok(n) => self.end += n,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => (self.dry, self.error) = (true, Some(error)),
            }
            return !self.dry;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that gives one byte a time.
    struct Drops<'a>(&'a [u8]);

    impl Read for Drops<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            self.0.read(&mut out[..1])
        }
    }

    #[test]
    fn every_line_end_is_one_and_counted() {
        let mut input = Input::new(Drops(b"\xEF\xBB\xBFa\r\nb\rc\n\n\r\r\nd"));
        assert!(!input.begin());
        let mut seen = Vec::new();
        while let Some(byte) = input.peek().unwrap() {
            seen.push((byte, input.line(), input.at_line_start()));
            assert_eq!(input.next().unwrap(), Some(byte));
        }
        let bytes: Vec<u8> = seen.iter().map(|(byte, ..)| *byte).collect();
        assert_eq!(bytes, b"a\nb\nc\n\n\n\nd");
        assert_eq!(seen.last(), Some(&(b'd', 7, true)));
        assert_eq!(seen[2], (b'b', 2, true));
        assert_eq!(seen[3], (b'\n', 2, false));
    }

    #[test]
    fn looking_ahead_takes_nothing() {
        let bytes: Vec<u8> = (0..3 * BUFFER).map(|i| b'a' + (i % 7) as u8).collect();
        let mut input = Input::new(bytes.as_slice());
        for i in 0..2 * BUFFER {
            if i % 1000 == 0 {
                assert_eq!(input.ahead(300), &bytes[i..i + 300]);
            }
            assert_eq!(input.next().unwrap(), Some(bytes[i]));
        }
        assert_eq!(input.ahead(BUFFER).len(), BUFFER);
        assert!(Input::new(&b"\xFF\xFE"[..]).begin());
    }
}
