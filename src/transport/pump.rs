//! The loop that drives one end of a connection.

use super::driver::ConnectionMeter;
use super::link::{Link, ReadError};
use crate::Disconnect;
use crate::session::{ConnectionStats, Event, Session};
use crate::wire::Frame;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use std::{io, mem};
use tokio::task::yield_now;
use tokio::time::{Sleep, sleep, sleep_until};

/// The channel at this end, as the loop sees it.
pub(super) trait Side<L: Link> {
    /// Tells the session what happened in the channel. The task is woken when more does.
    fn poll_local(&mut self, _session: &mut Session<L::Payload>, _cx: &mut Context<'_>) {}

    /// Does to the channel what happened on the connection.
    fn on_event(&mut self, event: Event<L::Payload>, session: &mut Session<L::Payload>);

    /// As [`Event::Chunk`].
    #[inline]
    fn on_chunk(&mut self, seq: u64, payload: L::Payload, session: &mut Session<L::Payload>) {
        self.on_event(Event::Chunk { seq, payload }, session);
    }

    /// Why this side gave up the connection, if it did.
    fn take_lost(&mut self) -> Option<Disconnect> {
        None
    }

    /// Whether the loop is to go on. Asked after each event but a chunk, so that one that stops it is the last.
    fn is_waiting(&self) -> bool {
        true
    }

    /// What events brought is complete, for now.
    fn settle(&mut self) {}

    /// Queues what the channel has to send, while the link has room for it.
    fn poll_data(&mut self, _session: &mut Session<L::Payload>, _link: &mut L, _cx: &mut Context<'_>) -> Data {
        Data::None
    }
}

/// What became of the data there was to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Data {
    /// There was none.
    None,
    /// All there was is queued, and more is likely to come before long.
    Some,
    /// The same, of so much that the runtime may have stopped whoever sends it, to let others have their turn.
    Much,
    /// What is queued is all for now: no more comes before the peer has it, or there is no room.
    All,
}

/// One end of a connection: a link, a session, and a timer.
pub(super) struct Pump<L: Link> {
    link: L,
    session: Session<L::Payload>,
    timer: Option<(Instant, Pin<Box<Sleep>>)>,
    read_over: bool,
    /// What comes is no frame any more: it is read, so that the peer can go on to read why, and thrown away.
    deaf: bool,
    closed: bool,
    /// One turn of the runtime that brings nothing is let pass.
    patient: bool,
    broken: Option<Broken>,
    lost: Option<Disconnect>,
    meter: ConnectionMeter,
}

/// Nothing can be written any more. What the peer said before it went is still read.
struct Broken {
    error: io::Error,
    patience: Pin<Box<Sleep>>,
}

/// A peer that takes nothing any more has mostly gone altogether, and reading says so at once. One that has not gets so
/// long.
const PATIENCE: Duration = Duration::from_secs(1);

/// Frames read in one go, before what they brought is handed over and others have their turn.
const FRAMES_PER_TURN: usize = 1024;
/// Bytes read in one go, likewise: what fits a core's cache is worked on while it is there.
const BYTES_PER_TURN: u64 = 128 << 10;

/// Has the runtime poll this task again after the others, and after it has looked at the sockets.
pub(super) fn give_a_turn(cx: &mut Context<'_>) {
    // Its first poll asks for that; it need not be polled again.
    let _ = pin!(yield_now()).poll(cx);
}

impl<L: Link> Pump<L> {
    pub(super) fn new(link: L, session: Session<L::Payload>) -> Self {
        Self {
            link,
            session,
            timer: None,
            read_over: false,
            deaf: false,
            closed: false,
            patient: false,
            broken: None,
            lost: None,
            meter: ConnectionMeter::default(),
        }
    }

    /// Where the connection's numbers are written down.
    pub(super) fn meter(&self) -> ConnectionMeter {
        self.meter.clone()
    }

    /// Drives the connection until it is over, or `side` has seen what it waits for.
    pub(super) async fn run(&mut self, side: &mut impl Side<L>) -> Result<(), Disconnect> {
        poll_fn(|cx| self.poll(side, cx)).await;
        let lost = self.lost.take().or_else(|| side.take_lost());
        lost.or_else(|| self.session.cut_short().cloned()).map_or(Ok(()), Err)
    }

    fn poll(&mut self, side: &mut impl Side<L>, cx: &mut Context<'_>) -> Poll<()> {
        let now = tokio::time::Instant::now().into_std();
        let more = self.poll_read(side, now, cx);
        side.settle();
        side.poll_local(&mut self.session, cx);
        self.poll_write(side, now, cx);
        let traffic = self.link.traffic();
        let (bytes_read, bytes_written) = (traffic.read, traffic.written);
        self.session.handle_io(traffic, now);
        self.meter.note(ConnectionStats { bytes_read, bytes_written, ..self.session.stats() });
        let rang = self.poll_timer(side, now, cx) | self.poll_broken(side, now, cx);
        if !side.is_waiting() || self.session.is_over() {
            return Poll::Ready(());
        }
        if more || rang {
            // The channel has its turn first: what it is through with is room for what comes next.
            cx.waker().wake_by_ref();
        }
        Poll::Pending
    }

    // ----- in -----

    /// Reads what there is. True if there may be more at once.
    fn poll_read(&mut self, side: &mut impl Side<L>, now: Instant, cx: &mut Context<'_>) -> bool {
        let enough = self.link.traffic().read + BYTES_PER_TURN;
        let mut left = FRAMES_PER_TURN;
        while left > 0 {
            if self.read_over || !side.is_waiting() {
                return false;
            }
            if self.link.traffic().read > enough {
                return true;
            }
            let taken = if self.deaf { 0 } else { self.take_chunks(side, left, now) };
            if taken > 0 {
                left -= taken;
                continue;
            }
            left -= 1;
            let next = if self.deaf {
                let Poll::Ready(more) = self.link.poll_discard(cx) else { return false };
                match more {
                    Ok(true) => continue,
                    Ok(false) => Ok(None),
                    Err(error) => Err(ReadError::Io(error)),
                }
            } else {
                let Poll::Ready(next) = self.link.poll_next(cx) else { return false };
                next
            };
            let event = match next {
                Ok(Some(frame)) => self.session.handle_frame(frame, now),
                Ok(None) => self.end_reading(|session| session.handle_close(None, now)),
                Err(ReadError::Io(error)) => self.end_reading(|session| session.handle_close(Some(error), now)),
                Err(ReadError::Violation(rule)) => {
                    self.deaf = true;
                    self.session.handle_violation(rule, now)
                }
                Err(ReadError::Foreign(what)) => self.end_reading(|session| session.handle_stranger(what)),
            };
            self.act(event, side);
        }
        true
    }

    /// Takes in chunks that have come, so many at most, and none behind one that is not for the channel. How many.
    #[inline]
    fn take_chunks(&mut self, side: &mut impl Side<L>, most: usize, now: Instant) -> usize {
        for taken in 0..most {
            let Some((seq, payload)) = self.link.next_chunk() else { return taken };
            if !self.session.take_chunk(seq, &payload, now) {
                let event = self.session.handle_frame(Frame::Chunk { seq, payload }, now);
                self.act(event, side);
                return taken + 1;
            }
            side.on_chunk(seq, payload, &mut self.session);
        }
        most
    }

    fn end_reading<R>(&mut self, tell: impl FnOnce(&mut Session<L::Payload>) -> R) -> R {
        self.read_over = true;
        tell(&mut self.session)
    }

    fn act(&mut self, event: Option<Event<L::Payload>>, side: &mut impl Side<L>) {
        let Some(event) = event else { return };
        if let Event::Lost(reason) = &event {
            self.lost = Some(reason.clone());
        }
        side.on_event(event, &mut self.session);
    }

    // ----- out -----

    /// Writes what there is: control first, then data, then what the data made possible.
    ///
    /// Data alone is gathered: as long as each turn of the runtime brings more, and there is room, it is not
    /// written yet, since a write costs as much as dozens of small chunks.
    fn poll_write(&mut self, side: &mut impl Side<L>, now: Instant, cx: &mut Context<'_>) {
        while !self.closed {
            let before = self.queue_control(now);
            let data = side.poll_data(&mut self.session, &mut self.link, cx);
            let after = self.queue_control(now);
            let full = !self.link.has_room();
            if self.may_wait(data) && !before && !after && !full {
                give_a_turn(cx);
                return;
            }
            match self.link.poll_flush(cx) {
                Poll::Pending => return,
                Poll::Ready(Err(error)) => {
                    self.closed = true;
                    self.broken = Some(Broken { error, patience: Box::pin(sleep(PATIENCE)) });
                }
                Poll::Ready(Ok(())) if full => {}
                Poll::Ready(Ok(())) => return self.poll_close(cx),
            }
        }
    }

    /// Whether what is queued may wait for what the next turn of the runtime brings.
    ///
    /// Of those who gave way tokio calls the last one first. So a sender whose task ran out of budget has its turn after
    /// this task, which on its own next one finds nothing: that is not the end of what there is.
    fn may_wait(&mut self, data: Data) -> bool {
        let patient = mem::replace(&mut self.patient, data == Data::Much);
        match data {
            Data::None => patient && self.link.traffic().writes_pending,
            Data::Some | Data::Much => true,
            Data::All => false,
        }
    }

    /// Gives the connection up if it is broken and all was read. True if that is now.
    fn poll_broken(&mut self, side: &mut impl Side<L>, now: Instant, cx: &mut Context<'_>) -> bool {
        let through = self.read_over;
        let Some(broken) = self.broken.take_if(|broken| through || broken.patience.as_mut().poll(cx).is_ready()) else {
            return false;
        };
        let event = self.end_reading(|session| session.handle_close(Some(broken.error), now));
        self.act(event, side);
        true
    }

    /// Queues what control frames there are; true if there were any. While there is no room they stay in the session,
    /// which keeps the newest of each kind: a peer that makes this side answer and takes nothing costs no memory.
    fn queue_control(&mut self, now: Instant) -> bool {
        let mut any = false;
        while self.link.has_room() {
            let Some(frame) = self.session.poll_frame(now) else { break };
            self.link.queue(frame);
            any = true;
        }
        any
    }

    /// Closes this side of the link once all is said.
    fn poll_close(&mut self, cx: &mut Context<'_>) {
        if self.session.wants_write_closed() {
            // Whether it worked or not: nothing more is written.
            self.closed = self.link.poll_close(cx).is_ready();
        }
    }

    // ----- time -----

    /// Waits for the session's next timer. True if it was up.
    fn poll_timer(&mut self, side: &mut impl Side<L>, now: Instant, cx: &mut Context<'_>) -> bool {
        let Some(at) = self.session.poll_timeout() else {
            self.timer = None;
            return false;
        };
        if at <= now {
            self.link.rest();
            let event = self.session.handle_timeout(now);
            self.act(event, side);
            return true;
        }
        let (armed, sleep) = self.timer.get_or_insert_with(|| (at, Box::pin(sleep_until(at.into()))));
        // Timers mostly move away as frames come: only one that moved nearer is set anew, and one that rings
        // early looks again.
        if at < *armed {
            sleep.as_mut().reset(at.into());
            *armed = at;
        }
        while sleep.as_mut().poll(cx).is_ready() {
            if at <= tokio::time::Instant::now().into_std() {
                self.timer = None;
                return true;
            }
            sleep.as_mut().reset(at.into());
            *armed = at;
        }
        false
    }
}
