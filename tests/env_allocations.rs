//! A step of the environment allocates nothing once it has run a while: an allocator of its own counts.

#![allow(clippy::unwrap_used)]
#![allow(unsafe_code, reason = "the trait of allocators is unsafe; each call goes to the system's unchanged")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use shashki::env::{BatchMut, Buffers, EnvOptions, PlanesMut, VecEnv};
use shashki::for_variant;
use shashki::games::{Position, Variant};

thread_local! {
    /// Blocks this thread has asked for.
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, counting.
struct Counting;

// SAFETY: every method hands its arguments on to the system's allocator, which keeps the promises.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.set(ASKED.get() + 1);
        // SAFETY: the caller's promises are those of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Steps for a while; answers how often the second half of it asked for memory.
fn asked<P: Position>(games: usize, steps: usize, with_observation: bool) -> usize {
    let mut env = VecEnv::<P>::new(EnvOptions { games, seed: 4, ..EnvOptions::default() }, None).unwrap();
    let mut batch = Buffers::new(&P::SPEC, games);
    let mut actions = vec![0; games];
    env.reset(None, batch.borrow()).unwrap();
    let mut run = |steps: usize| {
        for _ in 0..steps {
            env.random_actions(&mut actions).unwrap();
            let lent = batch.borrow();
            let lent = if with_observation {
                lent
            } else {
                BatchMut { observation: PlanesMut::Off, final_observation: PlanesMut::Off, ..lent }
            };
            env.step(&actions, lent).unwrap();
        }
    };
    run(steps);
    let before = ASKED.get();
    run(steps);
    ASKED.get() - before
}

#[test]
fn the_allocator_counts() {
    let before = ASKED.get();
    drop(std::hint::black_box(Box::new(1)));
    assert_eq!(ASKED.get(), before + 1);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "what debug builds check on the way allocates")]
fn steps_of_many_games_allocate_nothing() {
    for variant in Variant::ALL {
        for with_observation in [true, false] {
            let asked = for_variant!(variant, P => asked::<P>(20, 2000, with_observation));
            // A game that goes on longer than all before it remembers more positions: now and then one of the twenty.
            assert!(asked <= 20, "{variant}: {asked} blocks in 2000 steps of 20 games");
        }
    }
}
