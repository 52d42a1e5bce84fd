//! How many threads to work with.

/// The threads that are wanted; 0 is one a core.
#[must_use]
pub fn count(wanted: usize) -> usize {
    match wanted {
        0 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        n => n,
    }
}
