//! What is made per item stays small: it is moved into every task that works on one.
#![cfg(not(credit_channel_loom))]

use credit_channel::{Chunk, Credit, CreditGuard, Stats};

#[test]
fn guard_is_at_most_three_words() {
    assert!(size_of::<CreditGuard>() <= 24, "{}", size_of::<CreditGuard>());
    assert!(size_of::<Option<CreditGuard>>() <= 32, "{}", size_of::<Option<CreditGuard>>());
}

#[test]
fn chunk_adds_no_more_than_its_guard_and_its_number() {
    assert!(size_of::<Chunk<u64>>() <= 48, "{}", size_of::<Chunk<u64>>());
    assert!(size_of::<Chunk<()>>() <= size_of::<CreditGuard>() + 8);
    assert!(size_of::<Option<Chunk<u64>>>() <= 48, "{}", size_of::<Option<Chunk<u64>>>());
    assert_eq!(size_of::<Chunk<[u8; 1024]>>() - size_of::<Chunk<()>>(), 1024);
}

#[test]
fn amounts_are_two_words_and_stats_fit_in_a_few_cache_lines() {
    assert_eq!(size_of::<Credit>(), 16);
    assert!(size_of::<Stats>() <= 512, "{}", size_of::<Stats>());
}
