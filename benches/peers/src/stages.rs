//! What a stage costs on top of the channel that feeds it.

use crate::against;
use crate::allocs::per_message;
use crate::args::Args;
use crate::chan::{Chan, Outcome};
use crate::contenders::{CREDIT_CHANNEL, CreditChannel};
use crate::grid::{Cell, cells};
use crate::measure::{Entry, Rounds, Sample};
use crate::message::Message;
use crate::output::Output;
use crate::stream::stream;
use credit_channel::stages::Stage;
use std::hint::black_box;

/// A channel with stages behind it: all is the channel's, but for how messages are received.
macro_rules! staged {
    ($id:ident, $name:expr, |$rx:ident| $stage:expr) => {
        struct $id;

        impl Chan for $id {
            const NAME: &'static str = $name;
            type Sender<T: Message> = <CreditChannel as Chan>::Sender<T>;
            type Receiver<T: Message> = <CreditChannel as Chan>::Receiver<T>;

            fn open<T: Message>(window: usize) -> (Self::Sender<T>, Self::Receiver<T>) {
                CreditChannel::open(window)
            }

            async fn produce<T: Message>(sender: Self::Sender<T>, n: u64) -> Outcome {
                CreditChannel::produce(sender, n).await
            }

            async fn consume<T: Message>($rx: Self::Receiver<T>, mut work: impl FnMut(&T) + Send) -> Outcome {
                let mut stage = $stage;
                while let Some(chunk) = stage.recv().await? {
                    work(&chunk);
                }
                Ok(())
            }

            async fn send<T: Message>(sender: &Self::Sender<T>, value: T) -> Outcome {
                CreditChannel::send(sender, value).await
            }

            async fn recv<T: Message>(receiver: &mut Self::Receiver<T>) -> Outcome<Option<u64>> {
                CreditChannel::recv(receiver).await
            }

            fn end<T: Message>(sender: Self::Sender<T>) {
                CreditChannel::end(sender);
            }
        }
    };
}

staged!(OneMap, "map", |rx| Stage::map(rx, pass));
staged!(ThreeMaps, "map, map, map", |rx| Stage::map(rx, pass).map(pass).map(pass));
staged!(KeepAll, "filter, all kept", |rx| Stage::filter(rx, |value| black_box(value).key() < u64::MAX));

/// Work that the compiler can neither leave out nor move.
fn pass<T: Message>(value: T) -> T {
    black_box(value.key());
    value
}

/// What runs a contender in a cell.
type Run = fn(Cell, u64) -> Sample;

pub fn run(args: &Args, output: &mut Output) {
    let all: [(&str, Run); 4] = [
        (CREDIT_CHANNEL, stream::<CreditChannel>),
        (OneMap::NAME, stream::<OneMap>),
        (ThreeMaps::NAME, stream::<ThreeMaps>),
        (KeepAll::NAME, stream::<KeepAll>),
    ];
    let mut rounds = Rounds::new(args);
    for cell in cells(args).into_iter().filter(|cell| cell.producers == 1) {
        let all: Vec<_> = all.into_iter().filter(|(name, _)| *name == CREDIT_CHANNEL || args.wants(name)).collect();
        let entries: Vec<_> =
            all.iter().map(|&(name, run)| Entry { name, run: Box::new(move |messages| run(cell, messages)) }).collect();
        let measured = rounds.measure(20_000, &entries);
        against::report(output, "stages", &cell.to_string(), &[CREDIT_CHANNEL], measured);
        for (name, run) in all {
            let allocated = per_message(run, cell, 100_000);
            println!("{name:<22} {:.4} allocations per message, {:.1} bytes", allocated.calls, allocated.bytes);
        }
    }
}
