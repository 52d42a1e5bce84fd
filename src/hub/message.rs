//! A line of the protocol: a word, then names with values.

use std::fmt;

/// A line as either side sends it: `done move=22-18 ponder=9-13`. A name may stand without a value, and a value in double
/// quotes may hold blanks. (The general syntax of version 2 of the Hub protocol, F. Letouzey 2019, published with Scan 3.1.)
///
/// ```
/// use shashki::hub::message::Message;
///
/// let message = Message::read("  id name=Scan author=\"Fabien Letouzey\" hub ");
/// assert_eq!((message.word.as_str(), message.value("author")), ("id", Some("Fabien Letouzey")));
/// assert_eq!(message.value("hub"), Some(""));
/// assert_eq!(message.to_string(), "id name=Scan author=\"Fabien Letouzey\" hub");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Message {
    /// What it is about; empty on a blank line.
    pub word: String,
    /// Names and values in order; the value is empty where there is none.
    pub arguments: Vec<(String, String)>,
}

impl Message {
    /// A message without arguments yet.
    #[must_use]
    pub fn new(word: &str) -> Self {
        Self { word: word.to_owned(), arguments: Vec::new() }
    }

    /// The message with one more argument.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.arguments.push((name.to_owned(), value.to_string()));
        self
    }

    /// Reads any line; a quote that is never closed ends with the line.
    #[must_use]
    pub fn read(line: &str) -> Self {
        let is_blank = |c: char| c.is_whitespace() || c == '\0';
        let mut rest = line.trim_matches(is_blank);
        let end = rest.find(is_blank).unwrap_or(rest.len());
        let mut message = Self::new(&rest[..end]);
        rest = rest[end..].trim_start_matches(is_blank);
        while !rest.is_empty() {
            let end = rest.find(|c| is_blank(c) || c == '=').unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            let (value, after) = match after.strip_prefix('=') {
                None => ("", after),
                Some(quoted) if quoted.starts_with('"') => {
                    let inner = &quoted[1..];
                    inner.split_once('"').unwrap_or((inner, ""))
                }
                Some(plain) => plain.split_at(plain.find(is_blank).unwrap_or(plain.len())),
            };
            message.arguments.push((name.to_owned(), value.to_owned()));
            rest = after.trim_start_matches(is_blank);
        }
        message
    }

    /// The value of the first argument of a name.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&str> {
        self.arguments.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// The value of a name as a number: `None` if it is absent, none or not finite.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<f64> {
        self.value(name)?.parse().ok().filter(|n: &f64| n.is_finite())
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.word)?;
        for (name, value) in &self.arguments {
            if value.is_empty() {
                write!(f, " {name}")?;
                continue;
            }
            // The protocol has no way to write a quote or a line break within a value.
            let plain = |c: char| match c {
                '"' => '\'',
                c if c.is_control() => ' ',
                c => c,
            };
            let value: String = value.chars().map(plain).collect();
            let quote = if value.contains(|c: char| c.is_whitespace() || c == '=') { "\"" } else { "" };
            write!(f, " {name}={quote}{value}{quote}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read_and_what_is_written_is_read_alike() {
        let lines = [
            "",
            "   ",
            "=",
            "go think",
            "a =b",
            "a b=\"open",
            "a b=\"\" c",
            "a b=\"x\"y=z",
            "a b==c",
            "\0\u{1}",
            "пос pos=Ж",
            "info pv=\"22-18 9-13\" score=-0.01",
        ];
        for line in lines {
            let message = Message::read(line);
            assert_eq!(Message::read(&message.to_string()), message, "{line:?}");
        }
    }

    #[test]
    fn a_value_cannot_break_out_of_its_line() {
        let text = Message::new("error").with("message", "a \"quote\"\nquit").to_string();
        assert_eq!(text, "error message=\"a 'quote' quit\"");
        assert_eq!(Message::read("level time=nan").number("time"), None);
        assert_eq!(Message::read("level time=1.5").number("time"), Some(1.5));
    }
}
