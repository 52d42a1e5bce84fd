//! What a run writes down as it goes: `metrics.jsonl`, the record of truth, and TensorBoard.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use protobuf::Message;
use serde_json::Value;
use tensorboard_proto::event::Event;
use tensorboard_rs::record_writer::RecordWriter;
use tensorboard_rs::summary;

use crate::error::{Error, Result};
use crate::files::write_whole;

/// The file of the record of truth, a JSON object a round.
const RECORD: &str = "metrics.jsonl";

/// Writes each round's numbers to `metrics.jsonl` and to TensorBoard.
///
/// The record must be written, or the run stops with an error. TensorBoard is a convenience: when its file cannot be
/// written (full disk, folder gone), it is given up with one warning and the run goes on.
pub struct Metrics {
    path: PathBuf,
    record: File,
    board: Option<TensorBoard>,
}

impl Metrics {
    /// Opens both in a run folder. Lines of the record for rounds after `last_round` are dropped: they belong to rounds
    /// that a resumed run plays again.
    ///
    /// # Errors
    /// If the record cannot be read or written.
    pub fn open(run_dir: &Path, last_round: u64) -> Result<Self> {
        let path = run_dir.join(RECORD);
        keep_rounds(&path, last_round)?;
        let record = OpenOptions::new().create(true).append(true).open(&path).map_err(|e| Error::io(&path, e))?;
        let board = match TensorBoard::create(run_dir) {
            Ok(board) => Some(board),
            Err(error) => {
                warn(&error);
                None
            }
        };
        Ok(Self { path, record, board })
    }

    /// Writes a round's numbers. Every number in `row`, however deep, is a TensorBoard scalar named by its path, like
    /// `losses/policy`; `step` is TensorBoard's horizontal axis.
    ///
    /// # Errors
    /// If the record cannot be written.
    pub fn write(&mut self, row: &Value, step: u64) -> Result<()> {
        let line = format!("{row}\n");
        self.record
            .write_all(line.as_bytes())
            .and_then(|()| self.record.sync_data())
            .map_err(|source| Error::io(&self.path, source))?;
        if let Some(board) = &mut self.board
            && let Err(error) = board.scalars("", row, step).and_then(|()| board.flush())
        {
            warn(&error);
            self.board = None;
        }
        Ok(())
    }
}

#[allow(clippy::print_stderr, reason = "the run goes on; a warning is all there is to say")]
fn warn(error: &std::io::Error) {
    eprintln!("warning: TensorBoard is given up: {error}; {RECORD} goes on");
}

/// Rewrites the record without the rounds after `last`, and without a line that was cut short.
fn keep_rounds(path: &Path, last: u64) -> Result<()> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Error::io(path, error)),
    };
    let mut kept = String::new();
    for line in BufReader::new(file).lines() {
        let line = line.map_err(|source| Error::io(path, source))?;
        let round = serde_json::from_str::<Value>(&line).ok().and_then(|row| row["round"].as_u64());
        if round.is_some_and(|round| round <= last) {
            kept += &line;
            kept.push('\n');
        }
    }
    write_whole(path, kept.as_bytes())
}

/// An event file. The records are written here on the caller's thread: the writer thread that the library offers
/// panics where a disk is full, and this way every failure is an error in hand.
struct TensorBoard {
    writer: RecordWriter<Box<dyn Write + Send>>,
}

impl TensorBoard {
    fn create(dir: &Path) -> std::io::Result<Self> {
        let started = now();
        let name = format!("events.out.tfevents.{:010}.shashki.{}", started as u64, std::process::id());
        Self::new(Box::new(File::create(dir.join(name))?))
    }

    fn new(file: Box<dyn Write + Send>) -> std::io::Result<Self> {
        let mut board = Self { writer: RecordWriter::new(file) };
        let mut event = Event::new();
        event.set_file_version("brain.Event:2".to_owned());
        board.write(event)?;
        board.flush()?;
        Ok(board)
    }

    fn scalars(&mut self, tag: &str, value: &Value, step: u64) -> std::io::Result<()> {
        match value {
            Value::Object(fields) => fields.iter().try_for_each(|(name, field)| {
                let tag = if tag.is_empty() { name.clone() } else { format!("{tag}/{name}") };
                self.scalars(&tag, field, step)
            }),
            Value::Number(number) => {
                let mut event = Event::new();
                event.set_step(step as i64);
                event.set_summary(summary::scalar(tag, number.as_f64().unwrap_or(f64::NAN) as f32));
                self.write(event)
            }
            _ => Ok(()),
        }
    }

    fn write(&mut self, mut event: Event) -> std::io::Result<()> {
        event.set_wall_time(now());
        let bytes = event.write_to_bytes().map_err(std::io::Error::other)?;
        self.writer.write(&bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.writer.flush()
    }
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A disk with room for so many bytes.
    struct Disk(usize);

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn lines(dir: &Path) -> Vec<Value> {
        let text = std::fs::read_to_string(dir.join(RECORD)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn a_full_disk_costs_tensorboard_but_not_the_record() {
        let dir = tempfile::tempdir().unwrap();
        let mut metrics = Metrics::open(dir.path(), 0).unwrap();
        metrics.board = Some(TensorBoard::new(Box::new(Disk(100))).unwrap());
        for round in 1..=5 {
            metrics.write(&json!({"round": round, "losses": {"policy": 1.5}}), round).unwrap();
        }
        assert!(metrics.board.is_none());
        assert_eq!(lines(dir.path()).len(), 5);
    }

    #[test]
    fn resuming_drops_later_rounds_and_a_broken_last_line() {
        let dir = tempfile::tempdir().unwrap();
        let mut metrics = Metrics::open(dir.path(), 0).unwrap();
        for round in 1..=3 {
            metrics.write(&json!({"round": round}), round).unwrap();
        }
        metrics.record.write_all(b"{\"round\": 4, \"lo").unwrap();
        drop(metrics);
        let mut metrics = Metrics::open(dir.path(), 2).unwrap();
        metrics.write(&json!({"round": 3, "again": true}), 3).unwrap();
        let rounds = lines(dir.path());
        assert_eq!(rounds, [json!({"round": 1}), json!({"round": 2}), json!({"round": 3, "again": true})]);
    }

    #[test]
    fn nested_numbers_become_scalars_named_by_their_path() {
        let dir = tempfile::tempdir().unwrap();
        let mut metrics = Metrics::open(dir.path(), 0).unwrap();
        metrics.write(&json!({"round": 1, "losses": {"policy": 0.25}, "note": "text", "elo": null}), 7).unwrap();
        let events = std::fs::read_dir(dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .find(|path| path.to_string_lossy().contains("tfevents"))
            .unwrap();
        let bytes = std::fs::read(events).unwrap();
        let holds = |needle: &[u8]| bytes.windows(needle.len()).any(|window| window == needle);
        assert!(holds(b"losses/policy") && holds(&0.25_f32.to_le_bytes()) && !holds(b"note"));
    }
}
