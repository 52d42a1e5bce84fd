//! A program of somebody else's: its lines in and out, and its end, which comes in every case.

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The most bytes of a line that are kept.
const LONGEST_LINE: u64 = 1 << 16;
/// The most lines that wait to be read; a program that writes more has to wait itself.
const MOST_WAITING: usize = 1024;
/// How long a program that was told to quit may take.
const GRACE: Duration = Duration::from_millis(500);
/// How long the last words of a program that ends are waited for.
const MOMENT: Duration = Duration::from_millis(50);

/// The programs that run now, by the number of their process group.
static RUNNING: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn running() -> MutexGuard<'static, BTreeSet<u32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends every program at once and lets no new one start: for a process that is about to end without its destructors.
pub fn end_all() {
    let running = running();
    running.iter().for_each(|&group| kill(group));
    // Whoever starts a program needs the lock.
    std::mem::forget(running);
}

/// Ends a process group at once.
#[cfg(unix)]
fn kill(group: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(pid) = i32::try_from(group).ok().and_then(Pid::from_raw) {
        // It fails only where nobody is left.
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill(_group: u32) {}

/// A command for the system's shell; on Unix it leads a process group, so that what it starts ends with it.
fn shell(command: &str) -> Command {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command).process_group(0);
        shell
    }
    #[cfg(not(unix))]
    {
        let mut shell = Command::new("cmd");
        shell.arg("/C").arg(command);
        shell
    }
}

/// A running program. Dropping it asks it to quit and ends it, with all that it started, half a second later at most.
#[derive(Debug)]
pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// The last line that it wrote to standard error.
    complaint: Arc<Mutex<String>>,
    /// Closed when it will write there no more.
    complained: Receiver<()>,
    ended: bool,
}

/// Why no line came.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Silence {
    /// The time was over.
    Late,
    /// The program has closed its output, as it does when it ends.
    Closed,
}

impl Process {
    /// Starts a command of the shell.
    ///
    /// # Errors
    /// If the system refuses another process.
    pub fn start(command: &str) -> io::Result<Self> {
        let mut shell = shell(command);
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = {
            let mut running = running();
            let child = shell.spawn()?;
            running.insert(child.id());
            child
        };
        let (sender, lines) = mpsc::sync_channel(MOST_WAITING);
        let complaint = Arc::new(Mutex::new(String::new()));
        let input = child.stdin.take();
        let (output, errors) = (child.stdout.take(), child.stderr.take());
        // From here on the process is ended whatever happens.
        let (complaining, complained) = mpsc::channel::<()>();
        let process = Self { child, input, lines, complaint: Arc::clone(&complaint), complained, ended: false };
        if let Some(output) = output {
            let read = move || each_line(output, |line| sender.send(line).is_ok());
            thread::Builder::new().name("engine output".to_owned()).spawn(read)?;
        }
        if let Some(errors) = errors {
            let keep = move |line: String| {
                let _open = &complaining;
                if !line.trim().is_empty() {
                    *complaint.lock().unwrap_or_else(PoisonError::into_inner) = line.trim().to_owned();
                }
                true
            };
            thread::Builder::new().name("engine errors".to_owned()).spawn(move || each_line(errors, keep))?;
        }
        Ok(process)
    }

    /// Writes a line.
    ///
    /// # Errors
    /// If the program does not read any more.
    pub fn send(&mut self, line: &str) -> io::Result<()> {
        let input = self.input.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        input.write_all(format!("{line}\n").as_bytes())?;
        input.flush()
    }

    /// The next line, without its end.
    ///
    /// # Errors
    /// If none comes until `deadline`, or none will ever come.
    pub fn line(&self, deadline: Instant) -> Result<String, Silence> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            // However many lines wait: one that never stops writing has an end too.
            return Err(Silence::Late);
        }
        self.lines.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => Silence::Late,
            RecvTimeoutError::Disconnected => Silence::Closed,
        })
    }

    /// The lines that have come by now.
    pub fn waiting(&self) -> impl Iterator<Item = String> + '_ {
        self.lines.try_iter().take(MOST_WAITING)
    }

    /// Ends the program and tells how it ended if it did so itself (which it is given a moment for), and what it said last
    /// on standard error.
    pub fn end(&mut self) -> String {
        thread::sleep(MOMENT);
        let status = self.kill();
        let _ = self.complained.recv_timeout(MOMENT);
        let complaint = self.complaint.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let own = status.filter(|status| !was_killed(*status)).map(|status| status.to_string());
        let said = (!complaint.is_empty()).then(|| format!("it said {complaint:?}"));
        own.into_iter().chain(said).collect::<Vec<_>>().join(", ")
    }

    fn kill(&mut self) -> Option<ExitStatus> {
        if self.ended {
            return None;
        }
        self.ended = true;
        self.input = None;
        let group = self.child.id();
        // While the leader has not been waited for its number is nobody else's.
        kill(group);
        // It may have left its group.
        let _ = self.child.kill();
        running().remove(&group);
        self.child.wait().ok()
    }
}

/// Whether a program was ended by [`kill`].
#[cfg(unix)]
fn was_killed(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    status.signal() == Some(rustix::process::Signal::KILL.as_raw())
}

#[cfg(not(unix))]
fn was_killed(_status: ExitStatus) -> bool {
    false
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        let _ = self.send("quit");
        self.input = None;
        let deadline = Instant::now() + GRACE;
        while self.line(deadline).is_ok() {}
        self.kill();
    }
}

/// Hands over the lines of a stream until it ends or `take` wants no more; the end of a line too long is left out.
fn each_line(stream: impl Read, mut take: impl FnMut(String) -> bool) {
    let mut stream = BufReader::new(stream);
    let mut line = Vec::new();
    loop {
        line.clear();
        match stream.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let whole = line.ends_with(b"\n");
        if !take(String::from_utf8_lossy(&line).trim_end().to_owned()) {
            return;
        }
        if !whole && skip_line(&mut stream).is_err() {
            return;
        }
    }
}

/// Skips to the beginning of the next line.
fn skip_line(stream: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = stream.fill_buf()?;
        let (used, found) = match buffer.iter().position(|&b| b == b'\n') {
            Some(end) => (end + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        stream.consume(used);
        if found {
            return Ok(());
        }
    }
}
