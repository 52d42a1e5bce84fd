//! A stopwatch for work on one thread that leaves out what other programs did on its core meanwhile.

use std::time::Duration;

/// The processor time of the thread that started it; where the system does not tell, the time on the wall.
pub(super) struct Stopwatch(Duration);

impl Stopwatch {
    pub fn start() -> Self {
        Self(now())
    }

    /// Seconds that this thread has worked since.
    pub fn seconds(&self) -> f64 {
        now().saturating_sub(self.0).as_secs_f64()
    }
}

#[cfg(unix)]
fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

#[cfg(not(unix))]
fn now() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;

    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn waiting_does_not_count_but_work_does() {
        let watch = Stopwatch::start();
        std::thread::sleep(Duration::from_millis(200));
        assert!(watch.seconds() < 0.1, "{} s of sleep", watch.seconds());
        let wall = std::time::Instant::now();
        let mut sum = 0_u64;
        while watch.seconds() < 0.02 && wall.elapsed().as_secs() < 60 {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(watch.seconds() >= 0.02);
    }
}
