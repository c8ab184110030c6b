"""The producer's side (PROTOCOL.md, sections 6 to 8)."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Deque, Optional

from codes import Code, WireError, name_of
from frames import (
    LARGEST_WINDOW, Amount, Blocked, Cancel, Chunk, Credit, Drain, End, Error, Frame, Hello, Token, cost_of, counted,
)
from side import Side
from wire import encode

# What may wait to be written, whatever the limit says.
QUEUE = 8


class Closed(Exception):
    """No more can be sent, and why."""


class Producer(Side):
    """Its user calls `send`, then one of `end` and `fail`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, hello: Hello) -> None:
        super().__init__(reader, writer, hello)
        self.credit: Optional[Credit] = None
        self.accepted = Amount()  # from the user
        self.sent = Amount()  # handed to the transport
        self.peak = Amount()
        self.draining = False
        self._closed: Optional[str] = None
        self._queue: Deque[Chunk] = deque()
        self._terminal: Optional[Frame] = None
        self._terminal_sent = False
        self._blocked_at: Optional[Amount] = None
        self._changed = asyncio.Event()

    # ----- for the user -----

    async def send(self, payload: bytes) -> None:
        """Waits for credit, and for room in the queue."""
        cost = cost_of(len(payload))
        while True:
            if self._closed is not None:
                raise Closed(self._closed)
            if self.draining:
                raise Closed("DRAIN")
            if self._may_go(cost) and len(self._queue) < QUEUE:
                break
            self._changed.clear()
            await self._changed.wait()
        self._queue.append(Chunk(self.accepted.messages, payload))
        self.accepted = self.accepted.plus(cost)
        self.wake_writer()

    def end(self) -> None:
        in_bytes = self.accepted.bytes if self._counts("bytes") else 0
        self._end_with(End(self.accepted.messages, in_bytes))

    def fail(self, code: int, detail: int = 0, text: str = "", discard: bool = False) -> None:
        if discard:
            self._queue.clear()
        count = self.sent.messages if discard else self.accepted.messages
        self._end_with(Error(code, detail, count, text, discard))

    async def written(self) -> None:
        """Until all that was accepted is with the kernel."""
        while self._queue and self._closed is None:
            self._changed.clear()
            await self._changed.wait()

    async def over(self) -> None:
        """Until no more can be sent, for a user who does nothing else."""
        while self._closed is None and not self.draining:
            self._changed.clear()
            await self._changed.wait()

    def cut_short(self, n: int) -> None:
        """Breaks the protocol: closes without a terminal, behind the first `n` bytes of one more chunk."""
        self.cut(encode(Chunk(self.sent.messages, b"this chunk is cut"))[:n])

    # ----- credit -----

    def _counts(self, unit: str) -> bool:
        return self.peer is not None and unit in dict(counted(self.peer.units))

    def _may_go(self, cost: Amount) -> bool:
        """In every counted unit. Says that it waits, once for each limit."""
        if self.peer is None or self.credit is None:
            return False
        limit, window = self.credit.limit, self.credit.window
        units = counted(self.peer.units)
        assert all(cost[at] <= window[at] for _, at in units), f"{cost} can never go, the window is {window}"
        if all(self.accepted[at] + cost[at] <= limit[at] for _, at in units):
            return True
        if self._blocked_at != limit:
            self._blocked_at = limit
            self.put(Blocked(limit))
        return False

    def _check(self, credit: Credit) -> None:
        assert self.peer is not None
        before = self.credit or Credit(Amount(), Amount(), Amount())
        for unit, at in counted(self.peer.units):
            limit, released, window = credit.limit[at], credit.released[at], credit.window[at]
            if not 1 <= window <= LARGEST_WINDOW:
                raise WireError(Code.PROTOCOL, f"CREDIT.window_{unit}", f"is {window}")
            if limit < max(1, before.limit[at]):
                raise WireError(Code.PROTOCOL, f"CREDIT.limit_{unit}", f"is {limit} after {before.limit[at]}")
            if released < before.released[at]:
                raise WireError(Code.PROTOCOL, f"CREDIT.released_{unit}", f"is {released} after {before.released[at]}")
            if released > self.sent[at]:
                raise WireError(Code.PROTOCOL, f"CREDIT.released_{unit}", f"is {released} of {self.sent[at]} sent")
            if limit > released + 2**63:
                raise WireError(Code.FLOW_CONTROL, f"CREDIT.limit_{unit}", f"is {limit}, {released} are released")

    # ----- the connection -----

    def on_frame(self, frame: Frame) -> None:
        if isinstance(frame, Credit):
            if self._closed is None:
                self._check(frame)
                self.credit = frame
                self._close_when_all_is_done()
        elif isinstance(frame, Cancel):
            self._on_cancel(frame)
        elif isinstance(frame, Drain):
            self.draining = self.draining or self._terminal is None
        else:
            assert not isinstance(frame, Token)
            raise WireError(Code.STATE, frame.NAME, "came from a consumer")
        self._changed.set()

    def _on_cancel(self, cancel: Cancel) -> None:
        if self._closed is not None:
            return
        self._queue.clear()
        if not self._terminal_sent:
            self._terminal = None
        self._close(f"CANCEL {name_of(cancel.code)} {cancel.detail} {cancel.text}")
        self.close_write_side()

    def next_of_channel(self) -> Optional[Frame]:
        """Chunks, then the terminal."""
        if self._queue:
            chunk = self._queue.popleft()
            self.sent = self.sent.plus(cost_of(len(chunk.payload)))
            self._watch_the_limit()
            self.carried_a_chunk()
            self._changed.set()
            return chunk
        if self._terminal is not None and not self._terminal_sent:
            self._terminal_sent = True
            if isinstance(self._terminal, Error):
                self._close(f"ERROR {name_of(self._terminal.code)}")
                self.close_write_side()
            return self._terminal
        # After END there is nothing left to say once all is released.
        self._close_when_all_is_done()
        return None

    def on_over(self) -> None:
        if self._closed is None:
            self._close("OUTCOME-UNKNOWN" if self._terminal_sent else "DISCONNECTED")

    def _end_with(self, terminal: Frame) -> None:
        if self._closed is None and self._terminal is None:
            self._terminal = terminal
            self.wake_writer()

    def _close_when_all_is_done(self) -> None:
        end = self._terminal
        if not self._terminal_sent or not isinstance(end, End) or self.credit is None or self._closed is not None:
            return
        released = self.credit.released
        done = released.messages == end.count if self._counts("messages") else released.bytes == end.bytes
        if done:
            self._close("DONE")
            self.close_write_side()

    def _close(self, outcome: str) -> None:
        self._closed = outcome
        self.end_with(outcome)
        self._changed.set()

    def _watch_the_limit(self) -> None:
        """This side's own conscience: never beyond the limit, never more than the window in flight."""
        assert self.peer is not None and self.credit is not None
        self.peak = self.peak.most(self.sent.minus(self.credit.released))
        for unit, at in counted(self.peer.units):
            assert self.sent[at] <= self.credit.limit[at], f"{self.sent} {unit} sent, the limit is {self.credit.limit}"
