//! The stages that the suite is run against. Another is a few lines in [`subjects`].

use super::source::{Item, Source, Sources, Tested, tested, tested_by};
use credit_channel::stages::{BoxStage, Page, Stage, from_try_stream, paged};
use credit_channel::{Chunk, CreditGuard, Failure, Window, channel};
use futures_util::TryStreamExt;
use std::sync::Arc;
use tokio::sync::Mutex;

/// A stage under test: how it is made, and what it promises. What a stage has in common with most is in
/// [`Subject::of`]; the rest is said beside it.
#[derive(Clone, Copy)]
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    /// Puts it on its sources.
    pub(crate) build: fn(Sources) -> Tested,
    /// The same with a closure that panics at [`THE_THIRD`]; none if it has no closure.
    pub(crate) panicking: Option<fn(Sources) -> Tested>,
    /// What comes out of it, up to the end, when this goes into each of its inputs.
    pub(crate) model: fn(&[u64]) -> Vec<u64>,
    pub(crate) inputs: usize,
    /// How many chunks it may have taken from each input beyond those that what it was asked for is made of.
    pub(crate) ahead: u64,
    /// How many chunks may be out of it at once.
    pub(crate) out_at_most: u64,
    /// Whether what comes out holds the credit of what went in.
    pub(crate) carries: bool,
    /// Whether the order is that of the model.
    pub(crate) in_order: bool,
    /// Whether a cancel reaches what is before it with its reason; else as a drop.
    pub(crate) tells_why: bool,
    /// Whether nothing happens but when it is polled; else it has tasks of its own.
    pub(crate) is_pulled: bool,
    /// Below this window of its sources it cannot go on.
    pub(crate) least_window: u64,
}

/// The number of the item at which closures panic.
pub(crate) const THE_THIRD: u64 = 2;

/// A closure for [`Subject::panicking`] to call.
pub(crate) fn panic_at_the_third(item: &Item) {
    assert_ne!(item.n, THE_THIRD, "on purpose");
}

impl Subject {
    /// One value for one: holds nothing, asks for nothing ahead, carries.
    pub(crate) fn of(name: &'static str, build: fn(Sources) -> Tested) -> Self {
        Self {
            name,
            build,
            panicking: None,
            model: <[u64]>::to_vec,
            inputs: 1,
            ahead: 0,
            out_at_most: u64::MAX,
            carries: true,
            in_order: true,
            tells_why: true,
            is_pulled: true,
            least_window: 1,
        }
    }

    /// What comes out of it when 0 to n - 1 go in.
    pub(crate) fn expected(&self, n: u64) -> Vec<u64> {
        (self.model)(&(0..n).collect::<Vec<_>>())
    }

    /// How many have to go in until so many can come out.
    pub(crate) fn needed(&self, out: u64) -> u64 {
        let out = usize::try_from(out).expect("small");
        (0..).find(|n| self.expected(*n).len() >= out).expect("something comes out of it now and then")
    }

    /// How many can go in so that all that comes out may be out at once.
    pub(crate) fn fits(&self, most: u64) -> u64 {
        let fits = |n: u64| u64::try_from(self.expected(n).len()).expect("small") <= self.out_at_most;
        (1..=most.max(self.least_window)).rev().find(|n| fits(*n)).expect("one can be out")
    }

    #[track_caller]
    pub(crate) fn assert_came(&self, mut came: Vec<u64>, mut expected: Vec<u64>) {
        if !self.in_order {
            came.sort_unstable();
            expected.sort_unstable();
        }
        assert_eq!(came, expected, "{}", self.name);
    }
}

fn plus_one(item: Item) -> Item {
    let n = item.n + 1;
    item.with(n)
}

/// Kept are the even numbers.
fn is_even(item: &Item) -> bool {
    item.n % 2 == 0
}

fn evens(given: &[u64]) -> Vec<u64> {
    given.iter().copied().filter(|n| n % 2 == 0).collect()
}

fn chain_of_five(source: Source) -> BoxStage<'static, Item, CreditGuard> {
    source.map(plus_one).filter(is_even).map(plus_one).filter_map(|item| (item.n % 3 == 0).then_some(item)).boxed()
}

/// All of them, in the order in which they are tried.
pub(crate) fn subjects() -> Vec<Subject> {
    let mut all = passing();
    all.extend(super::holding::subjects());
    all
}

/// Those that hold next to nothing.
fn passing() -> Vec<Subject> {
    vec![
        Subject::of("the consumer itself", |sources| tested(sources.one())),
        Subject {
            model: |given| given.iter().map(|n| n + 1).collect(),
            panicking: Some(|sources| {
                tested(sources.one().map(|item| {
                    panic_at_the_third(&item);
                    item
                }))
            }),
            ..Subject::of("map", |sources| tested(sources.one().map(plus_one)))
        },
        Subject {
            model: evens,
            panicking: Some(|sources| {
                tested(sources.one().filter(|item| {
                    panic_at_the_third(item);
                    true
                }))
            }),
            ..Subject::of("filter", |sources| tested(sources.one().filter(is_even)))
        },
        Subject {
            model: |given| evens(given).iter().map(|n| n + 1).collect(),
            panicking: Some(|sources| {
                tested(sources.one().filter_map(|item| {
                    panic_at_the_third(&item);
                    Some(item)
                }))
            }),
            ..Subject::of("filter_map", |sources| {
                tested(sources.one().filter_map(|item| is_even(&item).then(|| plus_one(item))))
            })
        },
        Subject { carries: false, ..Subject::of("detach", |sources| tested(sources.one().detach())) },
        Subject {
            ahead: 1,
            out_at_most: 3,
            ..Subject::of("windowed", |sources| tested(sources.one().windowed(3).unwrap()))
        },
        Subject {
            ahead: 1,
            out_at_most: 3,
            carries: false,
            ..Subject::of("detach, windowed", |sources| tested(sources.one().detach().windowed(3).unwrap()))
        },
        Subject::of("boxed", |sources| tested(sources.one().boxed())),
        Subject { tells_why: false, ..Subject::of("from_stream", from_a_stream) },
        Subject {
            model: |given| {
                given.iter().map(|n| n + 1).filter(|n| n % 2 == 0).map(|n| n + 1).filter(|n| n % 3 == 0).collect()
            },
            panicking: Some(|sources| {
                tested(chain_of_five(sources.one()).map(|item| item).filter(|_| panic!("on purpose")).map(plus_one))
            }),
            ..Subject::of("a chain of five", |sources| tested(chain_of_five(sources.one())))
        },
        // Its end takes the room of a page: 3 of 4 may be out.
        Subject {
            ahead: 4,
            out_at_most: 3,
            carries: false,
            tells_why: false,
            panicking: Some(|sources| pages(sources, panic_at_the_third)),
            ..Subject::of("paged", |sources| pages(sources, |_| ()))
        },
        Subject { ahead: 5, out_at_most: 4, is_pulled: false, ..Subject::of("forward", over_a_hop) },
    ]
}

/// The consumer as a `Stream`, and that as a stage.
fn from_a_stream(sources: Sources) -> Tested {
    let stream = sources.one().into_stream().map_err(|error| error.into_failure());
    tested_by(from_try_stream(stream), Chunk::into_inner)
}

/// A source asked for pages of up to 4 which gets them from the channel, one value a page: what is tested of it is what
/// it does as a producer. It carries nothing, since a page is of values.
fn pages(sources: Sources, look_at: fn(&Item)) -> Tested {
    let source = Arc::new(Mutex::new(sources.one()));
    let fetch = move |_| {
        let source = Arc::clone(&source);
        async move {
            match source.lock().await.recv().await {
                Ok(Some(chunk)) => {
                    look_at(&chunk);
                    Ok(Page::more(vec![chunk.into_inner()]))
                }
                Ok(None) => Ok(Page::end()),
                Err(error) => Err::<_, Failure>(error.into_failure()),
            }
        }
    };
    tested(paged(4, 1, fetch).unwrap())
}

/// Over another channel, with a window of 4.
fn over_a_hop(sources: Sources) -> Tested {
    let (hop, far) = channel(Window::messages(4)).unwrap();
    tokio::spawn(sources.one().forward(hop));
    tested(far)
}
