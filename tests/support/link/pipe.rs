//! One direction of a link.

use super::Fate;
use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::io::ReadBuf;
use tokio::time::Instant;

pub(super) struct Pipe {
    pub(super) fate: Fate,
    state: State,
    under_way: VecDeque<Piece>,
    bytes: usize,
    /// When the last of them is through.
    busy_until: Instant,
    pub(super) carried: u64,
    pub(super) tape: Vec<u8>,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

struct Piece {
    due: Instant,
    bytes: Vec<u8>,
    taken: usize,
}

/// What a direction does with what is written now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Flowing,
    /// Refuses it; the reader gets to the end.
    Ended,
    /// Refuses it; the reader gets to an error.
    Reset,
    /// Takes it until the buffer is full; the reader waits.
    Hole,
    /// Takes it; the reader gets to the end.
    Void,
}

/// A slow link carries what it carries in this time as one piece.
const GRAIN: Duration = Duration::from_millis(5);

impl Pipe {
    pub(super) fn new(fate: Fate) -> Self {
        Self {
            fate,
            state: State::Flowing,
            under_way: VecDeque::new(),
            bytes: 0,
            busy_until: Instant::now(),
            carried: 0,
            tape: Vec::new(),
            reader: None,
            writer: None,
        }
    }

    // ----- how it ends -----

    pub(super) fn turn(&mut self, state: State) {
        self.state = state;
        self.wake();
    }

    /// Its writer is through.
    pub(super) fn close(&mut self) {
        if self.state == State::Flowing {
            self.state = State::Ended;
            self.wake();
        }
    }

    /// Its reader is gone. In a hole nobody gets to know that, and there is no more room than before.
    pub(super) fn leave(&mut self) {
        if self.state == State::Hole {
            return;
        }
        self.under_way.clear();
        self.bytes = 0;
        self.close();
        self.wake();
    }

    fn wake(&mut self) {
        for waker in [self.reader.take(), self.writer.take()].into_iter().flatten() {
            waker.wake();
        }
    }

    // ----- reading -----

    /// When the next bytes are there, if any are under way.
    pub(super) fn due(&self) -> Option<Instant> {
        self.under_way.front().map(|piece| piece.due)
    }

    pub(super) fn take(&mut self, most: usize, now: Instant, buf: &mut ReadBuf<'_>) {
        let mut left = most.min(buf.remaining());
        while let Some(piece) = self.under_way.front_mut().filter(|piece| left > 0 && piece.due <= now) {
            let end = piece.bytes.len().min(piece.taken + left);
            let bytes = &piece.bytes[piece.taken..end];
            buf.put_slice(bytes);
            self.tape.extend_from_slice(bytes);
            left -= bytes.len();
            self.bytes -= bytes.len();
            piece.taken = end;
            if piece.taken == piece.bytes.len() {
                self.under_way.pop_front();
            }
        }
        if let Some(writer) = self.writer.take() {
            writer.wake();
        }
    }

    /// There is nothing to read: is that all?
    pub(super) fn poll_over(&mut self, cx: &Context<'_>) -> Poll<io::Result<()>> {
        match self.state {
            State::Ended | State::Void => Poll::Ready(Ok(())),
            State::Reset => Poll::Ready(Err(io::ErrorKind::ConnectionReset.into())),
            State::Flowing | State::Hole => {
                self.reader = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    // ----- writing -----

    pub(super) fn poll_put(
        &mut self,
        most: usize,
        pieces: &[IoSlice<'_>],
        cx: &Context<'_>,
    ) -> Poll<io::Result<usize>> {
        let offered: usize = pieces.iter().map(|piece| piece.len()).sum();
        let count = match self.state {
            State::Ended => return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
            State::Reset => return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into())),
            State::Void => return Poll::Ready(Ok(offered.min(most))),
            State::Flowing | State::Hole => offered.min(most).min(self.fate.buffer - self.bytes),
        };
        if count == 0 && offered > 0 {
            self.writer = Some(cx.waker().clone());
            return Poll::Pending;
        }
        self.bytes += count;
        if self.state == State::Flowing {
            let mut bytes: Vec<u8> = Vec::with_capacity(count);
            for piece in pieces {
                bytes.extend_from_slice(&piece[..piece.len().min(count - bytes.len())]);
            }
            self.carry(&bytes);
            if let Some(reader) = self.reader.take() {
                reader.wake();
            }
        }
        Poll::Ready(Ok(count))
    }

    fn carry(&mut self, bytes: &[u8]) {
        let now = Instant::now();
        let grain = usize::try_from(u128::from(self.fate.rate) * GRAIN.as_millis()).unwrap_or(usize::MAX);
        let pieces = if grain == 0 { bytes.len() } else { grain };
        for bytes in bytes.chunks(pieces.max(1)) {
            let length = u64::try_from(bytes.len()).expect("a length");
            let start = self.busy_until.max(now);
            self.busy_until = match self.fate.rate {
                0 => start,
                rate => start + Duration::from_micros(1000 * length / rate),
            };
            let due = self.busy_until + self.fate.latency;
            self.under_way.push_back(Piece { due, bytes: bytes.to_vec(), taken: 0 });
            self.carried += length;
        }
    }
}
