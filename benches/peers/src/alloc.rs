//! A global allocator that counts, while it is asked to.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

pub struct Counting;

/// Off but for the runs that are counted, so that the others pay one load and no contended write.
static ON: AtomicBool = AtomicBool::new(false);
static CALLS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);

fn count(size: usize) {
    if ON.load(Relaxed) {
        CALLS.fetch_add(1, Relaxed);
        BYTES.fetch_add(size as u64, Relaxed);
    }
}

// SAFETY: every call goes to `System` with its arguments unchanged, and `count` neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's promises are passed on as they are.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count(new_size);
        // SAFETY: as above; `block` came from `System`, since every block of ours does.
        unsafe { System.realloc(block, layout, new_size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
}

/// What the whole process allocated during something.
#[derive(Clone, Copy)]
pub struct Allocated {
    pub calls: u64,
    pub bytes: u64,
}

pub fn counted(run: impl FnOnce()) -> Allocated {
    let (calls, bytes) = (CALLS.load(Relaxed), BYTES.load(Relaxed));
    ON.store(true, Relaxed);
    run();
    ON.store(false, Relaxed);
    Allocated { calls: CALLS.load(Relaxed) - calls, bytes: BYTES.load(Relaxed) - bytes }
}
