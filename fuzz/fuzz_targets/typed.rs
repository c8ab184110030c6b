#![no_main]

use credit_channel_fuzz::meter;
use std::alloc::{GlobalAlloc, Layout, System};

/// Tells the meter, so that `typed` can see what decoding holds.
struct Metered;

// SAFETY: every call goes to `System` with its arguments unchanged, and the meter neither allocates nor unwinds.
unsafe impl GlobalAlloc for Metered {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        meter::add(layout.size());
        // SAFETY: the caller's promises are passed on as they are.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        meter::take(layout.size());
        // SAFETY: as above; `block` came from `System`, since every block of ours does.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static METERED: Metered = Metered;

libfuzzer_sys::fuzz_target!(|data: &[u8]| credit_channel_fuzz::typed(data));
