//! A second, naive buffer that keeps every offer there ever was, and seeded operations that drive both; and the
//! policies by table, with the clock as an argument.

use super::buffer::{Buffer, Folded, Folding, Offered};
use super::lost::Lost;
use super::policy::WhenFull;
use super::{DropReason, ErrorOrder, OverflowStats, Verdict};
use std::time::Duration;

const ALL: [WhenFull; 9] = [
    WhenFull::Wait,
    WhenFull::Reject,
    WhenFull::DropNewest,
    WhenFull::DropOldest,
    WhenFull::DropTail,
    WhenFull::DropAll,
    WhenFull::Fail(ErrorOrder::InOrder),
    WhenFull::Latest,
    WhenFull::Conflate,
];

fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

fn values<T>(lost: Lost<T>) -> Vec<(T, DropReason)> {
    match lost {
        Lost::None => Vec::new(),
        Lost::One(value, reason) => vec![(value, reason)],
        Lost::Many(all) => all,
    }
}

/// Folds until nothing more is to be folded.
fn settle(buffer: &mut Buffer<u64>, mut folding: Folding<u64>) {
    loop {
        match buffer.folded(folding.slot, folding.older + folding.newer) {
            Folded::Again(next) => folding = next,
            Folded::Pending | Folded::Gone(..) => return,
        }
    }
}

/// O3: 1 to 10 into a buffer of 3.
#[test]
fn survivors_by_policy() {
    use DropReason::{Cleared, Newest, Oldest, Overwritten, Tail};
    type Row = (WhenFull, u64, Vec<u64>, Vec<u64>, Option<DropReason>);
    let firsts = vec![1, 2, 3];
    let table: [Row; 9] = [
        (WhenFull::Wait, 3, firsts.clone(), vec![], None),
        (WhenFull::Reject, 3, firsts.clone(), vec![], None),
        (WhenFull::Fail(ErrorOrder::InOrder), 3, firsts.clone(), vec![], None),
        (WhenFull::DropNewest, 3, firsts, (4..=10).collect(), Some(Newest)),
        (WhenFull::DropOldest, 3, vec![8, 9, 10], (1..=7).collect(), Some(Oldest)),
        (WhenFull::DropTail, 3, vec![1, 2, 10], (3..=9).collect(), Some(Tail)),
        (WhenFull::DropAll, 3, vec![10], (1..=9).collect(), Some(Cleared)),
        (WhenFull::Latest, 1, vec![10], (1..=9).collect(), Some(Overwritten)),
        (WhenFull::Conflate, 1, vec![55], vec![], None),
    ];
    for (policy, capacity, survivors, dropped, reason) in table {
        let mut buffer = Buffer::new(policy, capacity, None);
        let mut gone = Vec::new();
        for n in 1..=10 {
            let mut lost = Lost::default();
            match buffer.offer(n, Duration::ZERO, &mut lost) {
                Offered::Fold(folding) => settle(&mut buffer, folding),
                Offered::Full(back) | Offered::Overflowed(back) => assert_eq!(back, n),
                Offered::Done(_) => {}
            }
            gone.extend(values(lost));
        }
        assert!(gone.iter().all(|(_, why)| Some(*why) == reason), "{policy:?}: {gone:?}");
        assert_eq!(gone.iter().map(|(value, _)| *value).collect::<Vec<_>>(), dropped, "{policy:?}");
        let left: Vec<u64> = std::iter::from_fn(|| buffer.take().map(|taken| taken.value)).collect();
        assert_eq!(left, survivors, "{policy:?}");
    }
}

#[test]
fn what_is_too_old_goes_before_it_is_judged_whether_there_is_room() {
    let mut buffer = Buffer::new(WhenFull::Reject, 2, Some(seconds(10)));
    let mut lost = Lost::default();
    assert_eq!(buffer.offer(1, seconds(0), &mut lost), Offered::Done(Verdict::Accepted));
    assert_eq!(buffer.offer(2, seconds(5), &mut lost), Offered::Done(Verdict::Accepted));
    buffer.expire(seconds(9), &mut lost);
    assert_eq!(buffer.offer(3, seconds(9), &mut lost), Offered::Full(3));
    assert!(matches!(lost, Lost::None));
    buffer.expire(seconds(10), &mut lost);
    assert_eq!(buffer.offer(4, seconds(10), &mut lost), Offered::Done(Verdict::Accepted));
    assert_eq!(values(lost), [(1, DropReason::Expired)]);
    // A clock that was read before another's, and comes after it to the lock.
    let mut lost = Lost::default();
    buffer.expire(seconds(15), &mut lost);
    assert_eq!(buffer.offer(5, seconds(14), &mut lost), Offered::Done(Verdict::Accepted));
    buffer.expire(seconds(20), &mut lost);
    assert_eq!(values(lost), [(2, DropReason::Expired), (4, DropReason::Expired)]);
    let taken = buffer.take().expect("the last");
    assert_eq!((taken.value, taken.seq, taken.dropped_before), (5, 3, 3));
}

/// Three offers fold at once, and their results come back in every order: the parts are put together in the order of
/// the offers.
#[test]
fn parts_are_folded_in_the_order_of_the_offers() {
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let mut buffer: Buffer<String> = Buffer::new(WhenFull::Conflate, 1, None);
        let mut lost = Lost::default();
        let mut out = Vec::new();
        for letter in "abcdef".chars() {
            match buffer.offer(letter.to_string(), Duration::ZERO, &mut lost) {
                Offered::Fold(folding) => out.push(Some(folding)),
                offered => assert_eq!(offered, Offered::Done(Verdict::Accepted)),
            }
        }
        assert_eq!(out.len(), 3);
        assert!(buffer.take().is_none(), "what comes first is in somebody's hands");
        for place in order {
            let mut folding: Folding<String> = out[place].take().expect("once");
            while let Folded::Again(next) = buffer.folded(folding.slot, folding.older + &folding.newer) {
                folding = next;
            }
        }
        let taken = buffer.take().expect("one");
        assert_eq!((taken.value.as_str(), taken.seq, taken.dropped_before), ("abcdef", 5, 0), "{order:?}");
        assert!(buffer.is_empty() && matches!(lost, Lost::None));
    }
}

#[test]
fn a_fold_that_panics_costs_its_two_values_and_no_others() {
    let mut buffer: Buffer<u64> = Buffer::new(WhenFull::Conflate, 1, None);
    let mut lost = Lost::default();
    let mut out = Vec::new();
    for n in [1, 2, 10, 20, 100] {
        if let Offered::Fold(folding) = buffer.offer(n, Duration::ZERO, &mut lost) {
            out.push(folding);
        }
    }
    buffer.spoilt(out.pop().expect("the second").slot);
    settle(&mut buffer, out.pop().expect("the first"));
    let taken = buffer.take().expect("the rest");
    assert_eq!((taken.value, taken.seq, taken.dropped_before), (103, 4, 2));
    let mut stats = OverflowStats::default();
    buffer.count(&mut stats);
    assert_eq!((stats.offered, stats.delivered, stats.merged, stats.dropped.fold_panicked), (5, 1, 2, 2));
}

#[test]
fn a_fold_that_is_out_when_the_buffer_is_cleared_hears_that_it_is_gone() {
    let mut buffer: Buffer<u64> = Buffer::new(WhenFull::Conflate, 1, None);
    let mut lost = Lost::default();
    assert_eq!(buffer.offer(1, Duration::ZERO, &mut lost), Offered::Done(Verdict::Accepted));
    let Offered::Fold(folding) = buffer.offer(2, Duration::ZERO, &mut lost) else { panic!("one is there") };
    buffer.clear(DropReason::Cancelled, &mut lost);
    assert!(matches!(lost, Lost::None), "it is in somebody's hands");
    assert_eq!(buffer.folded(folding.slot, 3), Folded::Gone(3, DropReason::Cancelled));
    let mut stats = OverflowStats::default();
    buffer.count(&mut stats);
    assert_eq!((stats.dropped.cancelled, stats.buffered), (2, 0));
}

// ===== the oracle =====

/// What became of an offer, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Buffered { since: Duration },
    Delivered,
    Merged,
    Dropped(DropReason),
}

/// Every offer there ever was. Nothing is kept beside: all is looked up anew for every question.
struct Naive {
    policy: WhenFull,
    capacity: usize,
    time_to_live: Option<Duration>,
    fates: Vec<(u64, Fate)>,
}

impl Naive {
    fn buffered(&self) -> Vec<usize> {
        (0..self.fates.len()).filter(|&at| matches!(self.fates[at].1, Fate::Buffered { .. })).collect()
    }

    fn lose(&mut self, which: &[usize], reason: DropReason) -> Vec<(u64, DropReason)> {
        which.iter().for_each(|&at| self.fates[at].1 = Fate::Dropped(reason));
        let sum = |which: &[usize]| which.iter().map(|&at| self.fates[at].0).sum();
        if self.policy == WhenFull::Conflate && !which.is_empty() {
            return vec![(sum(which), reason)];
        }
        which.iter().map(|&at| (self.fates[at].0, reason)).collect()
    }

    fn expire(&mut self, now: Duration) -> Vec<(u64, DropReason)> {
        let Some(time_to_live) = self.time_to_live else { return Vec::new() };
        let mut aged = self.buffered();
        let is_aged = |at: &usize| match self.fates[*at].1 {
            Fate::Buffered { since } => now - since >= time_to_live,
            _ => false,
        };
        // The one pending value is as old as the last that was folded into it.
        let keeps_all = self.policy == WhenFull::Conflate && !aged.iter().all(is_aged);
        aged.retain(|at| is_aged(at) && !keeps_all);
        self.lose(&aged, DropReason::Expired)
    }

    /// What is lost, and whether the value comes back.
    fn offer(&mut self, value: u64, now: Duration) -> (Vec<(u64, DropReason)>, bool) {
        let buffered = self.buffered();
        let (mut lost, mut fate) = (Vec::new(), Fate::Buffered { since: now });
        if buffered.len() >= self.capacity {
            match self.policy {
                WhenFull::Wait | WhenFull::Reject | WhenFull::Fail(_) => return (lost, true),
                WhenFull::DropNewest => {
                    lost.push((value, DropReason::Newest));
                    fate = Fate::Dropped(DropReason::Newest);
                }
                WhenFull::DropOldest => lost = self.lose(&buffered[..1], DropReason::Oldest),
                WhenFull::Latest => lost = self.lose(&buffered[..1], DropReason::Overwritten),
                WhenFull::DropTail => lost = self.lose(&buffered[buffered.len() - 1..], DropReason::Tail),
                WhenFull::DropAll => lost = self.lose(&buffered, DropReason::Cleared),
                WhenFull::Conflate => {}
            }
        }
        self.fates.push((value, fate));
        (lost, false)
    }

    /// Value, number, and how many were dropped since the last that came out.
    fn take(&mut self) -> Option<(u64, usize, u64)> {
        let buffered = self.buffered();
        let taken = if self.policy == WhenFull::Conflate { &buffered[..] } else { buffered.get(..1)? };
        let &seq = taken.last()?;
        let before = self.fates.iter().rposition(|(_, fate)| *fate == Fate::Delivered).map_or(0, |at| at + 1);
        let dropped = self.fates[before..seq].iter().filter(|(_, fate)| matches!(fate, Fate::Dropped(_))).count();
        let value = taken.iter().map(|&at| self.fates[at].0).sum();
        taken.iter().for_each(|&at| self.fates[at].1 = Fate::Merged);
        self.fates[seq].1 = Fate::Delivered;
        Some((value, seq, u64::try_from(dropped).expect("few")))
    }

    fn count(&self, of: impl Fn(Fate) -> bool) -> u64 {
        u64::try_from(self.fates.iter().filter(|(_, fate)| of(*fate)).count()).expect("few")
    }
}

/// splitmix64: the same operations on every machine.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % n
    }
}

#[test]
fn buffer_agrees_with_the_oracle_on_10_000_seeded_sequences() {
    for seed in 0..10_000 {
        let mut rng = Rng(seed);
        let policy = ALL[usize::try_from(seed % 9).expect("small")];
        let has_one = matches!(policy, WhenFull::Latest | WhenFull::Conflate);
        let capacity = if has_one { 1 } else { 1 + rng.below(5) };
        let time_to_live = (rng.below(2) == 0).then(|| seconds(1 + rng.below(8)));
        let mut buffer = Buffer::new(policy, capacity, time_to_live);
        let few = usize::try_from(capacity).expect("small");
        let mut naive = Naive { policy, capacity: few, time_to_live, fates: Vec::new() };
        let mut now = Duration::ZERO;
        for step in 0..40 {
            let case = format!("seed {seed}, step {step}, {policy:?}");
            now += seconds(rng.below(3));
            let mut lost = Lost::default();
            buffer.expire(now, &mut lost);
            assert_eq!(values(lost), naive.expire(now), "{case}");
            if rng.below(10) < 7 {
                let (value, mut lost) = (rng.below(1000), Lost::default());
                let offered = buffer.offer(value, now, &mut lost);
                let (gone, comes_back) = naive.offer(value, now);
                assert_eq!(values(lost), gone, "{case}");
                assert_eq!(matches!(offered, Offered::Full(_) | Offered::Overflowed(_)), comes_back, "{case}");
                if let Offered::Fold(folding) = offered {
                    settle(&mut buffer, folding);
                }
            } else {
                let taken = buffer.take().map(|taken| (taken.value, taken.seq, taken.dropped_before));
                let expected =
                    naive.take().map(|(value, seq, dropped)| (value, u64::try_from(seq).expect("small"), dropped));
                assert_eq!(taken, expected, "{case}");
            }
            let mut stats = OverflowStats::default();
            buffer.count(&mut stats);
            assert_eq!(stats.buffered, naive.count(|fate| matches!(fate, Fate::Buffered { .. })), "{case}");
            assert_eq!(stats.delivered, naive.count(|fate| fate == Fate::Delivered), "{case}");
            assert_eq!(stats.merged, naive.count(|fate| fate == Fate::Merged), "{case}");
            assert_eq!(stats.dropped.total(), naive.count(|fate| matches!(fate, Fate::Dropped(_))), "{case}");
            assert_eq!(
                stats.offered,
                stats.delivered + stats.merged + stats.dropped.total() + stats.buffered,
                "{case}"
            );
            assert!(stats.peak_buffered <= capacity, "{case}");
        }
    }
}
