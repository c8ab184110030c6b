//! I10 at compile time: which of the public types may cross threads, be shared and be moved, for which values.
//!
//! A channel sends its values to another thread, so it opens for `T: Send` only; `T: Sync` is never asked for.
#![cfg(not(credit_channel_loom))]

use credit_channel::{
    Builder, CancelReason, Canceller, Chunk, Closed, Credit, CreditConsumer, CreditGuard, CreditProducer, CreditSink,
    Failure, ForEachError, GuardError, Oversize, OwnedPermit, Permit, Permits, RecvError, SendError, SendTimeoutError,
    Sending, SinkError, Stats, TryRecvError, TrySendError, WeakProducer, Window, WindowError,
};
use std::cell::Cell;
use std::error::Error;
use std::fmt::Debug;
use std::marker::PhantomPinned;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::rc::Rc;

/// `Send`, but neither `Sync` nor `Unpin`: what a value may well be.
struct Sent(#[expect(dead_code, reason = "only its traits matter")] Cell<u8>, PhantomPinned);

/// Whether a type has a trait, as a value: the inherent constant wins where its bound holds.
macro_rules! has {
    ($type:ty: $($bound:tt)+) => {{
        struct Probe<T: ?Sized>(std::marker::PhantomData<T>);
        #[allow(dead_code)]
        trait Otherwise {
            const HAS: bool = false;
        }
        impl<T: ?Sized> Otherwise for Probe<T> {}
        #[allow(dead_code)]
        impl<T: ?Sized + $($bound)+> Probe<T> {
            const HAS: bool = true;
        }
        <Probe<$type>>::HAS
    }};
}

/// One row: the type, then whether it is Send, Sync and Unpin.
macro_rules! table {
    ($($type:ty: $send:expr, $sync:expr, $unpin:expr;)+) => {
        $(
            assert_eq!(has!($type: Send), $send, "{} Send", stringify!($type));
            assert_eq!(has!($type: Sync), $sync, "{} Sync", stringify!($type));
            assert_eq!(has!($type: Unpin), $unpin, "{} Unpin", stringify!($type));
        )+
    };
}

#[test]
fn handles_cross_threads_for_every_value_that_does() {
    const YES: bool = true;
    const NO: bool = false;
    table! {
        // type: Send, Sync, Unpin
        CreditProducer<Sent>: YES, YES, YES;
        WeakProducer<Sent>: YES, YES, YES;
        OwnedPermit<Sent>: YES, YES, YES;
        Permit<'static, Sent>: YES, YES, YES;
        Permits<'static, Sent>: YES, YES, YES;
        CreditConsumer<Sent>: YES, NO, YES;
        CreditSink<Sent>: YES, NO, YES;
        Sending<'static, Sent>: YES, NO, YES;
        Chunk<Sent>: YES, NO, NO;
        Chunk<u64>: YES, YES, YES;
        CreditGuard: YES, YES, YES;
        Canceller: YES, YES, YES;
    }
}

#[test]
fn values_that_stay_on_their_thread_keep_everything_that_holds_one_there() {
    const NO: bool = false;
    table! {
        CreditProducer<Rc<u8>>: NO, NO, true;
        CreditConsumer<Rc<u8>>: NO, NO, true;
        OwnedPermit<Rc<u8>>: NO, NO, true;
        Permit<'static, Rc<u8>>: NO, NO, true;
        Sending<'static, Rc<u8>>: NO, NO, true;
        CreditSink<Rc<u8>>: NO, NO, true;
        WeakProducer<Rc<u8>>: NO, NO, true;
        Chunk<Rc<u8>>: NO, NO, true;
    }
    // A chunk can be mapped to such a value where the work is done.
    let (tx, mut rx) = credit_channel::channel::<u8>(Window::messages(1)).unwrap();
    tx.try_send(7).unwrap();
    let mapped = rx.try_recv().unwrap().unwrap().map(Rc::new);
    assert_eq!((**mapped, tx.credit().messages()), (7, 0));
}

#[test]
fn plain_data_goes_anywhere() {
    fn anywhere<T: Send + Sync + Unpin + Clone + Debug + PartialEq + 'static>() {}
    anywhere::<Window>();
    anywhere::<Credit>();
    anywhere::<Oversize>();
    anywhere::<Stats>();
    anywhere::<CancelReason>();
    anywhere::<Failure>();
    anywhere::<Closed>();
    anywhere::<GuardError>();
    anywhere::<WindowError>();
    anywhere::<RecvError>();
    anywhere::<TryRecvError>();
    anywhere::<SendError<u8>>();
    anywhere::<TrySendError<u8>>();
    anywhere::<SendTimeoutError<u8>>();
    anywhere::<SinkError<u8>>();
    anywhere::<ForEachError<u8>>();
}

/// What cannot be printed is still an error to pass on with `?`.
#[test]
fn errors_are_errors_whatever_the_value() {
    fn error<T: Error + Send + Sync + 'static>() {}
    struct Unprintable;
    error::<SendError<Unprintable>>();
    error::<TrySendError<Unprintable>>();
    error::<SendTimeoutError<Unprintable>>();
    error::<SinkError<Unprintable>>();
    error::<RecvError>();
    error::<TryRecvError>();
    error::<ForEachError<RecvError>>();
    error::<GuardError>();
    error::<WindowError>();
    error::<Closed>();
    error::<Failure>();
}

#[test]
fn handles_print_themselves_whatever_the_value() {
    fn prints<T: Debug>() {}
    struct Unprintable;
    prints::<CreditProducer<Unprintable>>();
    prints::<CreditConsumer<Unprintable>>();
    prints::<WeakProducer<Unprintable>>();
    prints::<OwnedPermit<Unprintable>>();
    prints::<Permit<'static, Unprintable>>();
    prints::<Permits<'static, Unprintable>>();
    prints::<Sending<'static, Unprintable>>();
    prints::<CreditSink<Unprintable>>();
    prints::<Builder<Unprintable>>();
    prints::<CreditGuard>();
    prints::<Canceller>();
}

/// The futures of the async methods go into spawned tasks.
#[test]
fn futures_of_the_methods_can_be_spawned() {
    fn spawns<F: Future + Send>(_: F) {}
    let (tx, mut rx) = credit_channel::channel::<Cell<u8>>(Window::messages(8)).unwrap();
    spawns(tx.send(Cell::new(1)));
    spawns(tx.send_timeout(Cell::new(1), std::time::Duration::ZERO));
    spawns(tx.reserve());
    spawns(tx.reserve_bytes(1));
    spawns(tx.reserve_many(2));
    spawns(tx.clone().reserve_owned());
    spawns(tx.closed());
    spawns(tx.cancelled());
    spawns(tx.finished());
    spawns(tx.clone().end_and_wait());
    spawns(rx.recv());
    spawns(rx.recv_many(&mut Vec::new(), 2));
    spawns(rx.for_each(|_| async { Ok::<_, RecvError>(()) }));
    spawns(rx.for_each_concurrent(2, |_| async { Ok::<_, RecvError>(()) }));
}

/// Not promised so far: what a panic leaves is right, but the types that hold a lock or a trait object do not say so.
#[test]
fn plain_data_is_unwind_safe() {
    assert!(has!(Window: UnwindSafe + RefUnwindSafe));
    assert!(has!(Stats: UnwindSafe + RefUnwindSafe));
    assert!(has!(CancelReason: UnwindSafe + RefUnwindSafe));
}
