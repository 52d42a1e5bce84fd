//! A ladder as people read it: in the terminal, and in a Markdown file.

use std::fs;
use std::path::Path;

use crate::arena::Rating;
use crate::error::{Error, Result};

use super::kept::Match;

/// Between these lines of a file stands the table.
const MARKS: [&str; 2] = ["<!-- ladder -->", "<!-- end of ladder -->"];

/// The rows: name, Elo, interval, games, and the result against the player before where they have met.
fn rows(places: &[(&str, Rating)], matches: &[Match]) -> Vec<[String; 5]> {
    let row = |i: usize| {
        let (name, Rating { elo, low, high, games }) = places[i];
        let elo = elo.map_or_else(|| "-".to_owned(), |elo| format!("{elo:.0}"));
        let interval = low.zip(high).map_or_else(|| "-".to_owned(), |(low, high)| format!("{low:.0} to {high:.0}"));
        let below = i.checked_sub(1).and_then(|below| against(name, places[below].0, matches));
        [name.to_owned(), elo, interval, games.to_string(), below.unwrap_or_default()]
    };
    (0..places.len()).map(row).collect()
}

/// A player's result against another: score, wins, draws, losses.
fn against(name: &str, other: &str, matches: &[Match]) -> Option<String> {
    let (met, swapped) = matches.iter().find_map(|m| {
        let forth = m.a == name && m.b == other;
        let back = m.b == name && m.a == other;
        (forth || back).then_some((m, back))
    })?;
    let score = met.tally().score()?;
    let (score, wins, losses) =
        if swapped { (1.0 - score, met.losses, met.wins) } else { (score, met.wins, met.losses) };
    Some(format!("{score:.3}  +{wins} ={} -{losses}", met.draws))
}

const HEADS: [&str; 5] = ["player", "Elo", "95%", "games", "against the one before"];

/// The table in columns of one width.
pub(super) fn text(places: &[(&str, Rating)], matches: &[Match]) -> String {
    let mut rows = rows(places, matches);
    rows.insert(0, HEADS.map(str::to_owned));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<_> = (0..4).map(width).collect();
    let line = |[name, elo, interval, games, below]: &[String; 5]| {
        let line = format!(
            "{name:<0$}  {elo:>1$}  {interval:>2$}  {games:>3$}  {below}",
            widths[0], widths[1], widths[2], widths[3]
        );
        line.trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The table in Markdown, below a line on how it was made.
pub(super) fn markdown(places: &[(&str, Rating)], matches: &[Match], heading: &str) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = format!("{heading}\n\n{}", line(&HEADS.map(str::to_owned)));
    text += "|---|---:|---:|---:|---|\n";
    for [name, elo, interval, games, below] in rows(places, matches) {
        // A pipe would end its cell.
        let name = format!("`{}`", name.replace('|', "\\|"));
        text += &line(&[name, elo, interval, games, below.replace("  ", " ")]);
    }
    text
}

/// What stands before and behind the marks of a file.
///
/// # Errors
/// If the file cannot be read or has no marks.
pub(super) fn around(path: &Path) -> Result<[String; 2]> {
    let failed = |source| Error::io(path, source);
    let text = fs::read_to_string(path).map_err(failed)?;
    let [begin, end] = MARKS;
    let parts = text.split_once(begin).and_then(|(before, rest)| Some((before, rest.split_once(end)?.1)));
    let parts = parts.map(|(before, after)| [before.to_owned(), after.to_owned()]);
    parts.ok_or_else(|| {
        let reason = format!("expected the lines {begin} and {end}");
        failed(std::io::Error::new(std::io::ErrorKind::InvalidData, reason))
    })
}

/// Puts a text between the marks of a file, in place of what stands there.
///
/// # Errors
/// As [`around`], and if the file cannot be written.
pub(super) fn write_into(path: &Path, text: &str) -> Result<()> {
    let ([before, after], [begin, end]) = (around(path)?, MARKS);
    fs::write(path, format!("{before}{begin}\n\n{text}\n{end}{after}")).map_err(|source| Error::io(path, source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_takes_the_place_of_the_one_before_and_of_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ladder.md");
        fs::write(&path, "# Title\n<!-- ladder -->\nold\n<!-- end of ladder -->\nrest\n").unwrap();
        for text in ["| first |\n", "| second |\n"] {
            write_into(&path, text).unwrap();
            let whole = fs::read_to_string(&path).unwrap();
            assert_eq!(whole, format!("# Title\n<!-- ladder -->\n\n{text}\n<!-- end of ladder -->\nrest\n"));
        }
        fs::write(&path, "<!-- ladder -->").unwrap();
        assert!(write_into(&path, "").unwrap_err().to_string().contains("end of ladder"));
    }
}
