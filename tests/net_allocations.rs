//! The forward pass on the CPU takes no memory once its buffers have held the largest batch.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(unsafe_code, reason = "an allocator is unsafe to write; this one counts and passes on")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use shashki::config::{NetConfig, NetKind};
use shashki::evaluator::{Evaluations, Evaluator};
use shashki::games::{Game, Position, Preset, Russian};
use shashki::net::{CpuNet, NetSpec, Weights};

struct Counting;

thread_local! {
    static TAKEN: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is the system allocator's own, with the same arguments.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        TAKEN.with(|taken| taken.set(taken.get() + 1));
        // SAFETY: the caller's promises are those of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_batch_after_the_largest_takes_no_memory() {
    let leaf = Game::<Russian>::new(Preset::Official).unwrap().leaf();
    for kind in [NetKind::Mlp, NetKind::Resnet] {
        let spec = NetSpec::new(&Russian::SPEC, &NetConfig { kind, width: 40, blocks: 2 });
        let mut net = CpuNet::<Russian>::new(&Weights::init(&spec, 1)).unwrap();
        let mut out = Evaluations::default();
        let before = TAKEN.get();
        net.evaluate(&[leaf; 150], &mut out).unwrap();
        assert!(TAKEN.get() > before, "the first batch takes memory");
        let before = TAKEN.get();
        for size in [150, 1, 3, 64, 150] {
            net.evaluate(&[leaf; 150][..size], &mut out).unwrap();
        }
        assert_eq!(TAKEN.get(), before, "{spec}");
    }
}
