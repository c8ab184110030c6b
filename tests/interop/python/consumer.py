"""The consumer's side (PROTOCOL.md, sections 6 to 8)."""

from __future__ import annotations

import asyncio
from typing import Union

from codes import Code, WireError, name_of
from frames import Amount, Blocked, Cancel, Chunk, Credit, Drain, End, Error, Frame, Hello, Token, cost_of, counted
from side import Side


class ConsumerUser:
    """What a consumer's user does with what comes. This one holds everything."""

    def on_chunk(self, consumer: "Consumer", payload: bytes) -> None:
        """A chunk is there, and counts until it is released."""

    def on_read(self, consumer: "Consumer") -> None:
        """Everything that came at once has been handed over."""

    def on_terminal(self, consumer: "Consumer", terminal: Union[End, Error]) -> None:
        """The producer has sent everything, or has failed."""


class Consumer(Side):
    """Grants its window, checks what comes against it, and says what is released."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, hello: Hello, user: ConsumerUser
    ) -> None:
        super().__init__(reader, writer, hello)
        self.user = user
        self.received = Amount()
        self.released = Amount()
        self.peak = Amount()
        self.limit = hello.window
        self.terminal: Union[End, Error, None] = None
        self.cancelled = False
        self._units = counted(hello.units)
        self._owes_credit = True  # the first one
        self._grant()

    @property
    def outstanding(self) -> Amount:
        return self.received.minus(self.released)

    def fits(self, cost: Amount) -> bool:
        """Whether a chunk of this cost is within the limit."""
        return all(self.received[at] + cost[at] <= self.limit[at] for _, at in self._units)

    # ----- for the user -----

    def release(self, cost: Amount) -> None:
        """The work on this much is over. The producer is told when the read is done, or by `flush`."""
        self.released = self.released.plus(cost)
        assert all(done <= got for done, got in zip(self.released, self.received))
        self._owes_credit = True

    def flush(self) -> None:
        """Tells the producer what is released."""
        self._grant()
        self._close_when_all_is_done()

    def cancel(self, code: int, detail: int = 0, text: str = "") -> None:
        """Stops the producer. Nothing is granted after that."""
        if not self.cancelled:
            self.cancelled = True
            self._slots.pop(Credit, None)
            self.put(Cancel(code, detail, text))
            self.end_with(f"CANCELLED {name_of(code)}")
            self.close_write_side()

    def drain(self) -> None:
        self.put(Drain())

    # ----- credit -----

    def _grant(self) -> None:
        if self._owes_credit and not self.cancelled and not self._write_side_closes:
            self.limit = self.limit.most(self.released.plus(self.hello.window))
            self._owes_credit = False
            self.put(Credit(self._only_counted(self.limit), self._only_counted(self.released), self.hello.window))

    def _only_counted(self, amount: Amount) -> Amount:
        """A field in a unit that is not counted is sent as 0."""
        at_counted = [at for _, at in self._units]
        return Amount(*(value if at in at_counted else 0 for at, value in enumerate(amount)))

    # ----- the connection -----

    def on_frame(self, frame: Frame) -> None:
        if isinstance(frame, Chunk):
            self._on_chunk(frame)
        elif isinstance(frame, (End, Error)):
            self._on_terminal(frame)
        elif isinstance(frame, Blocked):
            # One that says our newest limit. What is held back by then belongs to the user, not to this side.
            if frame.limit == self._only_counted(self.limit):
                self.count("BLOCKED-at-limit")
        else:
            assert not isinstance(frame, Token)
            raise WireError(Code.STATE, frame.NAME, "came from a producer")

    def _on_chunk(self, chunk: Chunk) -> None:
        if self.terminal is not None:
            raise WireError(Code.STATE, "CHUNK", f"came after {self.terminal.NAME}")
        if chunk.seq != self.received.messages:
            raise WireError(Code.SEQUENCE, "CHUNK.seq", f"is {chunk.seq}, {self.received.messages} is next")
        cost = cost_of(len(chunk.payload))
        if not self.fits(cost):
            text = f"{cost} after {self.received} is beyond the limit of {self.limit}"
            raise WireError(Code.FLOW_CONTROL, "CHUNK", text)
        self.received = self.received.plus(cost)
        self.carried_a_chunk()
        if self.cancelled:
            self.count("thrown-away")
            return
        self.peak = self.peak.most(self.outstanding)
        for unit, at in self._units:
            assert self.outstanding[at] <= self.hello.window[at], f"{self.outstanding} is more than the window"
        self.user.on_chunk(self, chunk.payload)

    def _on_terminal(self, terminal: Union[End, Error]) -> None:
        if self.terminal is not None:
            raise WireError(Code.STATE, terminal.NAME, f"came after {self.terminal.NAME}")
        if terminal.count != self.received.messages:
            text = f"is {terminal.count}, {self.received.messages} were received"
            raise WireError(Code.FINAL_COUNT, f"{terminal.NAME}.count", text)
        if isinstance(terminal, End) and "bytes" in dict(self._units) and terminal.bytes != self.received.bytes:
            raise WireError(Code.FINAL_COUNT, "END.bytes", f"is {terminal.bytes}, {self.received.bytes} were received")
        self.terminal = terminal
        if isinstance(terminal, Error):
            self.end_with(f"ERROR {name_of(terminal.code)} {terminal.detail} {terminal.text}")
        else:
            self.end_with("END")
        if self.cancelled:
            return
        self.user.on_terminal(self, terminal)
        if isinstance(terminal, Error):
            self.close_write_side()
        self._close_when_all_is_done()

    def on_read(self) -> None:
        if not self.cancelled and not self._gone:
            self.user.on_read(self)
            self.flush()

    def on_over(self) -> None:
        self.end_with("TRUNCATED")

    def _close_when_all_is_done(self) -> None:
        if isinstance(self.terminal, End) and self.released == self.received and not self._write_side_closes:
            self._grant()
            self.close_write_side()
