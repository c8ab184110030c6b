//! The arithmetic of demand, by table and by seeded operations.

use credit_channel::stages::{Demand, DemandError, low_water_mark};

#[test]
fn low_water_marks() {
    let table = [(1, 1), (2, 1), (3, 2), (4, 3), (5, 4), (8, 6), (16, 12), (64, 48), (1 << 20, 3 << 18)];
    for (capacity, mark) in table {
        assert_eq!(low_water_mark(capacity), mark, "of {capacity}");
    }
    assert_eq!(low_water_mark(0), 1, "no such capacity is accepted, but it is no underflow either");
    assert_eq!(low_water_mark(u64::MAX), u64::MAX - u64::MAX / 4);
}

/// 64, 48, 48, …: at each of those moments 16 are held, and 16 + 48 = 64.
#[test]
fn sixty_four_and_forty_eight() {
    let mut demand = Demand::new(64, 48).unwrap();
    assert_eq!(demand.ask(), Some(64));
    assert_eq!(demand.ask(), None, "what is owed is not asked for twice");
    demand.arrived(64).unwrap();
    for _ in 0..100 {
        for left in 1..=48 {
            assert_eq!(demand.ask(), None, "after {left}");
            demand.left(1);
        }
        assert_eq!((demand.held(), demand.owed()), (16, 0));
        assert_eq!(demand.ask(), Some(48));
        assert_eq!((demand.held(), demand.owed(), demand.free()), (16, 48, 0));
        demand.arrived(48).unwrap();
    }
}

/// What is asked for, one value leaving after the other, for the smallest capacities.
#[test]
fn small_capacities_never_stop() {
    let table: [(u64, &[u64]); 5] =
        [(1, &[1, 1, 1, 1]), (2, &[2, 1, 1, 1]), (3, &[3, 2, 2, 2]), (4, &[4, 3, 3, 3]), (5, &[5, 4, 4, 4])];
    for (capacity, asked) in table {
        let mut demand = Demand::new(capacity, low_water_mark(capacity)).unwrap();
        for &expected in asked {
            while demand.free() < expected {
                assert_eq!(demand.ask(), None, "capacity {capacity}: {demand:?}");
                demand.left(1);
            }
            assert_eq!(demand.ask(), Some(expected), "capacity {capacity}");
            demand.arrived(expected).unwrap();
        }
    }
}

/// Nothing leaves, nothing is asked for: it goes by what left, not by what came.
#[test]
fn nothing_is_asked_for_what_came() {
    let mut demand = Demand::new(8, 1).unwrap();
    assert_eq!(demand.ask(), Some(8));
    for _ in 0..8 {
        demand.arrived(1).unwrap();
        assert_eq!(demand.ask(), None);
    }
}

#[test]
fn what_was_not_sent_can_be_asked_for_again() {
    let mut demand = Demand::new(64, 48).unwrap();
    assert_eq!(demand.ask(), Some(64));
    demand.arrived(10).unwrap();
    demand.settled();
    assert_eq!((demand.held(), demand.owed(), demand.ask()), (10, 0, Some(54)));
}

#[test]
fn refused() {
    assert_eq!(Demand::new(0, 1), Err(DemandError::NoCapacity));
    assert_eq!(Demand::new(4, 0), Err(DemandError::LowWater { low_water: 0, capacity: 4 }));
    assert_eq!(Demand::new(4, 5), Err(DemandError::LowWater { low_water: 5, capacity: 4 }));
    let mut demand = Demand::new(4, 4).unwrap();
    assert_eq!(demand.ask(), Some(4));
    assert_eq!(demand.arrived(5), Err(DemandError::Unasked { owed: 4, came: 5 }));
    assert_eq!((demand.held(), demand.owed()), (0, 4), "nothing is booked");
}

/// A naive second model, value by value, through seeded operations.
#[test]
fn as_the_naive_model_says() {
    let mut seed = 0x9E37_79B9_u64;
    let mut random = |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below
    };
    for _ in 0..2_000 {
        let capacity = 1 + random(70);
        let low_water = 1 + random(capacity);
        let mut demand = Demand::new(capacity, low_water).unwrap();
        let (mut held, mut owed) = (0, 0);
        for _ in 0..60 {
            match random(4) {
                0 => {
                    let free = capacity - held - owed;
                    let expected = (free >= low_water).then_some(free);
                    assert_eq!(demand.ask(), expected);
                    owed += expected.unwrap_or(0);
                }
                1 => {
                    let came = random(owed + 2);
                    assert_eq!(demand.arrived(came).is_ok(), came <= owed);
                    if came <= owed {
                        (held, owed) = (held + came, owed - came);
                    }
                }
                2 => {
                    let left = random(held + 1);
                    demand.left(left);
                    held -= left;
                }
                _ => {
                    demand.settled();
                    owed = 0;
                }
            }
            assert_eq!((demand.held(), demand.owed()), (held, owed));
            assert!(held + owed <= capacity);
        }
    }
}
