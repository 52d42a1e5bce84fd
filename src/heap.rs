//! How the C library keeps the memory that is given back to it.

/// Lets the C library's allocator, which libtorch uses, keep freed memory for the next use. By itself it gives tensors of
/// some megabytes back to the system at once, and each new one costs a page fault every four kilobytes: a fifth of the
/// time of training. It holds for the rest of the process. Does nothing but on Linux with glibc.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "the standard library has no such setting")]
pub fn keep_freed() {
    // Blocks up to this size come from the heap; glibc takes no larger value.
    const FROM_HEAP: i32 = 32 << 20;
    const KEPT: i32 = 1 << 30;
    for (setting, value) in
        [(libc::M_MMAP_THRESHOLD, FROM_HEAP), (libc::M_TRIM_THRESHOLD, KEPT), (libc::M_TOP_PAD, FROM_HEAP)]
    {
        // SAFETY: `mallopt` takes any numbers. A thread that allocates at this moment meets the old setting or the new.
        unsafe { libc::mallopt(setting, value) };
    }
}

/// Lets the C library's allocator keep freed memory, where it is glibc's.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub const fn keep_freed() {}
