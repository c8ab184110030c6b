//! What a contender must offer, and how one is declared.

use crate::message::Message;
use std::error::Error;

pub type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

pub trait Chan: 'static {
    const NAME: &'static str;
    type Sender<T: Message>: Clone + Send + Sync + 'static;
    type Receiver<T: Message>: Send + 'static;

    fn open<T: Message>(window: usize) -> (Self::Sender<T>, Self::Receiver<T>);

    /// Sends messages with the keys `0..n`, and ends this sender.
    fn produce<T: Message>(sender: Self::Sender<T>, n: u64) -> impl Future<Output = Outcome> + Send;

    /// Receives until the end and works on each message. Where the contender can, a message's slot is free
    /// again only after the work on it.
    fn consume<T: Message>(
        receiver: Self::Receiver<T>,
        work: impl FnMut(&T) + Send,
    ) -> impl Future<Output = Outcome> + Send;

    /// Sends one message.
    fn send<T: Message>(sender: &Self::Sender<T>, value: T) -> impl Future<Output = Outcome> + Send;

    /// Receives one message and returns its key when its slot is free again; `None` at the end.
    fn recv<T: Message>(receiver: &mut Self::Receiver<T>) -> impl Future<Output = Outcome<Option<u64>>> + Send;

    /// Ends a sender.
    fn end<T: Message>(sender: Self::Sender<T>);
}

/// Declares a contender; `T` is the type of the message.
///
/// The bodies are pasted into the loops of both ends rather than called, so that every contender runs the code
/// that a user of it would write: `for .. { tx.send(value).await }` and `while let .. = rx.recv().await`.
/// `recv` is the expression, the pattern of a message, and where in it the value is. (Used with braces:
/// rustfmt leaves those alone.)
macro_rules! chan {
    ($(#[$doc:meta])* $id:ident, $name:expr,
     $sender:ty, $receiver:ty,
     open |$window:ident| $open:expr,
     send |$tx:ident, $value:ident| $send:expr,
     recv |$rx:ident| $recv:expr, $message:pat => $inside:expr,
     end |$last:ident| $end:expr) => {
        $(#[$doc])*
        pub struct $id;

        impl Chan for $id {
            const NAME: &'static str = $name;
            type Sender<T: Message> = $sender;
            type Receiver<T: Message> = $receiver;

            fn open<T: Message>($window: usize) -> (Self::Sender<T>, Self::Receiver<T>) {
                $open
            }

            async fn produce<T: Message>($tx: Self::Sender<T>, n: u64) -> Outcome {
                for key in 0..n {
                    let $value = T::new(key);
                    if $send.is_err() {
                        return Err("the consumer is gone".into());
                    }
                }
                Self::end($tx);
                Ok(())
            }

            async fn consume<T: Message>(mut receiver: Self::Receiver<T>, mut work: impl FnMut(&T) + Send) -> Outcome {
                let $rx = &mut receiver;
                while let $message = $recv {
                    work($inside);
                }
                Ok(())
            }

            async fn send<T: Message>($tx: &Self::Sender<T>, $value: T) -> Outcome {
                if $send.is_err() { Err("the consumer is gone".into()) } else { Ok(()) }
            }

            async fn recv<T: Message>($rx: &mut Self::Receiver<T>) -> Outcome<Option<u64>> {
                if let $message = $recv { Ok(Some(T::key($inside))) } else { Ok(None) }
            }

            fn end<T: Message>($last: Self::Sender<T>) {
                $end
            }
        }
    };
}

pub(crate) use chan;
