//! Which hops other threads are at, so that each takes what the others leave.
//!
//! Tom Kerrigan, "Simplified ABDADA" (2017): a thread that comes to a hop on which another one is at work tries it last;
//! then the table answers it.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Nearer to the horizon hops are tried sooner than others could be asked.
const SHARED_FROM: i32 = 4;
/// Places; two hops that fall on one are taken for not busy, which does no harm.
const PLACES: usize = 1 << 12;

/// The hops that threads are at, by position.
#[derive(Debug)]
pub(super) struct Busy(Box<[AtomicU64]>);

/// A hop of a position.
#[derive(Copy, Clone, Debug)]
pub(super) struct Claim(u64);

impl Busy {
    pub fn new() -> Self {
        Self((0..PLACES).map(|_| AtomicU64::new(0)).collect())
    }

    /// What a hop is claimed by, where it is worth it.
    pub fn claim_of(key: u64, action: u16, depth: i32) -> Option<Claim> {
        (depth >= SHARED_FROM).then(|| Claim((key ^ u64::from(action)).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1))
    }

    fn place(&self, claim: Claim) -> &AtomicU64 {
        &self.0[(claim.0 >> 52) as usize]
    }

    /// Whether somebody is at it.
    pub fn has(&self, claim: Claim) -> bool {
        self.place(claim).load(Relaxed) == claim.0
    }

    pub fn begin(&self, claim: Claim) {
        self.place(claim).store(claim.0, Relaxed);
    }

    pub fn end(&self, claim: Claim) {
        self.place(claim).store(0, Relaxed);
    }
}
