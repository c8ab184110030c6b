//! More subjects: the stages that hold something, make several of one, or one of several.

use super::source::{Item, Sources, Tested, tested, tested_by};
use super::subjects::{Subject, panic_at_the_third};
use credit_channel::stages::{ReorderConfig, Stage, from_stream, merge, zip_all};
use credit_channel::workers::Workers;
use credit_channel::{Chunk, Failure};
use futures_util::stream;
use std::time::Duration;

fn each_twice(given: &[u64]) -> Vec<u64> {
    given.iter().flat_map(|n| [2 * n, 2 * n + 1]).collect()
}

fn twice(item: Item) -> [Item; 2] {
    let n = item.n;
    [item.clone().with(2 * n), item.with(2 * n + 1)]
}

fn doubled(given: &[u64]) -> Vec<u64> {
    given.iter().map(|n| 2 * n).collect()
}

pub(crate) fn subjects() -> Vec<Subject> {
    vec![
        Subject {
            model: each_twice,
            panicking: Some(|sources| {
                tested(sources.one().expand(|item| {
                    panic_at_the_third(&item);
                    [item]
                }))
            }),
            ..Subject::of("expand", |sources| tested(sources.one().expand(twice)))
        },
        Subject {
            model: each_twice,
            ..Subject::of("expand_stage", |sources| {
                tested(sources.one().expand_stage(|item| from_stream(stream::iter(twice(item)))))
            })
        },
        Subject { inputs: 2, model: doubled, ..Subject::of("zip", zipped) },
        Subject {
            inputs: 3,
            model: |given| given.iter().map(|n| 3 * n).collect(),
            ..Subject::of("zip_all", all_zipped)
        },
        Subject {
            inputs: 2,
            model: |given| given.iter().flat_map(|n| [*n, *n]).collect(),
            in_order: false,
            ..Subject::of("merge", |sources| tested(merge(sources.0)))
        },
        Subject { ahead: 3, ..Subject::of("buffer", |sources| tested(sources.one().buffer(3))) },
        Subject {
            ahead: 1,
            out_at_most: 4,
            ..Subject::of("pass_through", |sources| tested(sources.one().pass_through(4, 3).unwrap()))
        },
        Subject::of("batch", |sources| {
            let batches = sources.one().batch(1, Duration::ZERO).unwrap();
            tested_by(batches, |chunk: Chunk<Vec<Item>, _>| chunk.map(Item::sum))
        }),
        // Apart again, since how many are in one depends on how many were there.
        Subject {
            ahead: 2,
            ..Subject::of("batch of three", |sources| {
                tested(sources.one().batch(3, Duration::ZERO).unwrap().expand(|batch| batch))
            })
        },
        Subject {
            ahead: 2,
            panicking: Some(|sources| {
                tested(
                    sources
                        .one()
                        .map_concurrent(3, |item| {
                            panic_at_the_third(&item);
                            async { Ok::<_, Failure>(item) }
                        })
                        .unwrap(),
                )
            }),
            ..Subject::of("map_concurrent", |sources| {
                tested(sources.one().map_concurrent(3, |item| async { Ok::<_, Failure>(item) }).unwrap())
            })
        },
        Subject {
            ahead: 2,
            in_order: false,
            ..Subject::of("map_concurrent, unordered", |sources| {
                tested(sources.one().map_concurrent(3, |item| async { Ok::<_, Failure>(item) }).unwrap().unordered())
            })
        },
        Subject::of("reorder", |sources| {
            tested(sources.one().reorder(ReorderConfig::new(4), |item: &Item| item.n).unwrap())
        }),
        Subject { ahead: 5, out_at_most: 4, is_pulled: false, ..Subject::of("spawn_workers", worked_on) },
    ]
}

fn zipped(sources: Sources) -> Tested {
    let [left, right] = sources.many();
    tested_by(left.zip(right), |chunk: Chunk<(Item, Item), _>| chunk.map(|(left, right)| Item::sum([left, right])))
}

fn all_zipped(sources: Sources) -> Tested {
    tested_by(zip_all(sources.0).unwrap(), |chunk: Chunk<Vec<Item>, _>| chunk.map(Item::sum))
}

fn worked_on(sources: Sources) -> Tested {
    let workers = Workers::new(2..=2).inbox(4).ordered();
    tested(sources.one().spawn_workers(workers, |item| async { Ok::<_, Failure>(item) }).unwrap())
}
