//! A connection in memory with a fate: late, slow, in crumbs, cut at a byte, or fallen silent.
//!
//! Everything about it follows from a seed and from tokio's clock; under a paused one an hour costs nothing.

mod pipe;

use super::Dice;
use pipe::{Pipe, State};
use std::io::{self, IoSlice};
use std::ops::RangeInclusive;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// How one direction carries bytes.
#[derive(Clone, Debug)]
pub(crate) struct Fate {
    /// How long a byte is under way.
    pub(crate) latency: Duration,
    /// Bytes in a millisecond; 0 is as many as there are.
    pub(crate) rate: u64,
    /// Bytes that are written and not read yet, at most.
    pub(crate) buffer: usize,
    /// How much one read gets, and one write takes, at most: drawn anew each time.
    pub(crate) crumbs: RangeInclusive<u64>,
    /// Of a hundred reads, writes and flushes so many are not ready, and are at once.
    pub(crate) hiccups: u64,
}

impl Fate {
    pub(crate) fn fair() -> Self {
        Self { latency: Duration::ZERO, rate: 0, buffer: 64 << 10, crumbs: u64::MAX - 1..=u64::MAX - 1, hiccups: 0 }
    }

    pub(crate) fn late(latency: Duration) -> Self {
        Self { latency, ..Self::fair() }
    }
}

/// A direction: from the first end to the second, or back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    There,
    Back,
}

impl Way {
    pub(crate) const BOTH: [Self; 2] = [Self::There, Self::Back];

    fn opposite(self) -> Self {
        match self {
            Self::There => Self::Back,
            Self::Back => Self::There,
        }
    }
}

/// What becomes of the connection. What had been carried until then still arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Closed, both ways.
    Eof,
    /// Reset, both ways.
    Reset,
    /// Closed in the direction it was cut in, whose writer is not told; the other goes on.
    Half,
    /// Nothing is carried any more, and nobody is told.
    Silence,
}

pub(crate) const CUTS: [Cut; 4] = [Cut::Eof, Cut::Reset, Cut::Half, Cut::Silence];

/// What is between the two ends.
#[derive(Clone)]
pub(crate) struct Wire(Arc<Mutex<Inside>>);

struct Inside {
    there: Pipe,
    back: Pipe,
    due: Option<(Way, u64, Cut)>,
    cut_at: Option<Instant>,
}

impl Inside {
    fn pipe(&mut self, way: Way) -> &mut Pipe {
        match way {
            Way::There => &mut self.there,
            Way::Back => &mut self.back,
        }
    }

    /// How much a direction may still carry before the cut, and `None` for as much as there is.
    fn until_cut(&mut self, way: Way) -> Option<u64> {
        let (at, after, _) = self.due?;
        (at == way).then(|| after - self.pipe(way).carried)
    }

    fn cut_if_due(&mut self) {
        if let Some((way, after, cut)) = self.due {
            if self.pipe(way).carried >= after {
                self.due = None;
                self.cut(way, cut);
            }
        }
    }

    fn cut(&mut self, way: Way, cut: Cut) {
        self.cut_at.get_or_insert_with(Instant::now);
        match cut {
            Cut::Half => self.pipe(way).turn(State::Void),
            Cut::Eof | Cut::Reset | Cut::Silence => {
                let state = match cut {
                    Cut::Eof => State::Ended,
                    Cut::Reset => State::Reset,
                    _ => State::Hole,
                };
                self.there.turn(state);
                self.back.turn(state);
            }
        }
    }
}

impl Wire {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().expect("no panic under this lock")
    }

    /// Cuts the connection once that direction has carried so many bytes.
    pub(crate) fn cut_after(&self, way: Way, bytes: u64, cut: Cut) {
        let mut inside = self.inside();
        inside.due = Some((way, bytes, cut));
        inside.cut_if_due();
    }

    pub(crate) fn cut_now(&self, way: Way, cut: Cut) {
        self.inside().cut(way, cut);
    }

    /// All that was read at the end of that direction.
    pub(crate) fn read(&self, way: Way) -> Vec<u8> {
        self.inside().pipe(way).tape.clone()
    }

    /// How many bytes that direction has taken.
    pub(crate) fn carried(&self, way: Way) -> u64 {
        self.inside().pipe(way).carried
    }

    pub(crate) fn carried_both(&self) -> u64 {
        self.carried(Way::There) + self.carried(Way::Back)
    }

    /// Whether the connection was cut.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut_at().is_some()
    }

    pub(crate) fn cut_at(&self) -> Option<Instant> {
        self.inside().cut_at
    }
}

/// One end.
pub(crate) struct End {
    wire: Wire,
    /// The direction it writes in.
    way: Way,
    dice: Dice,
    alarm: Option<Pin<Box<Sleep>>>,
}

/// Two ends with that fate between them, there and back.
pub(crate) fn link(seed: u64, there: Fate, back: Fate) -> (End, End, Wire) {
    let inside = Inside { there: Pipe::new(there), back: Pipe::new(back), due: None, cut_at: None };
    let wire = Wire(Arc::new(Mutex::new(inside)));
    let end = |way, seed| End { wire: wire.clone(), way, dice: Dice::new(seed), alarm: None };
    (end(Way::There, 2 * seed + 1), end(Way::Back, 2 * seed + 2), wire)
}

impl End {
    /// How much may go through now; `None` for a hiccup.
    fn crumb(dice: &mut Dice, fate: &Fate, cx: &Context<'_>) -> Option<usize> {
        if dice.below(100) < fate.hiccups {
            cx.waker().wake_by_ref();
            return None;
        }
        let (least, most) = (*fate.crumbs.start(), *fate.crumbs.end());
        Some(usize::try_from(least + dice.below(most - least + 1)).unwrap_or(usize::MAX))
    }
}

impl AsyncRead for End {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let mut inside = this.wire.inside();
        let pipe = inside.pipe(this.way.opposite());
        let Some(crumb) = Self::crumb(&mut this.dice, &pipe.fate, cx) else { return Poll::Pending };
        let now = Instant::now();
        match pipe.due() {
            Some(due) if due <= now => {
                pipe.take(crumb, now, buf);
                Poll::Ready(Ok(()))
            }
            Some(due) => {
                let alarm = this.alarm.get_or_insert_with(|| Box::pin(sleep_until(due)));
                alarm.as_mut().reset(due);
                if alarm.as_mut().poll(cx).is_ready() {
                    cx.waker().wake_by_ref();
                }
                Poll::Pending
            }
            None => pipe.poll_over(cx),
        }
    }
}

impl AsyncWrite for End {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(data)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        let mut inside = this.wire.inside();
        let until_cut = inside.until_cut(this.way).map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX));
        let pipe = inside.pipe(this.way);
        let Some(crumb) = Self::crumb(&mut this.dice, &pipe.fate, cx) else { return Poll::Pending };
        let written = pipe.poll_put(crumb.min(until_cut), pieces, cx);
        inside.cut_if_due();
        written
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let mut inside = this.wire.inside();
        let fate = &inside.pipe(this.way).fate;
        Self::crumb(&mut this.dice, fate, cx).map_or(Poll::Pending, |_| Poll::Ready(Ok(())))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.wire.inside().pipe(self.way).close();
        Poll::Ready(Ok(()))
    }
}

impl Drop for End {
    fn drop(&mut self) {
        let mut inside = self.wire.inside();
        inside.pipe(self.way).close();
        inside.pipe(self.way.opposite()).leave();
    }
}
