"""What both sides do: the handshake, liveness, the budget, GOAWAY, and an orderly close.

One task reads, one writes, one keeps the time, and one is the user; none waits for another's socket
(PROTOCOL.md, section 13).
"""

from __future__ import annotations

import asyncio
import secrets
import time
from dataclasses import replace
from typing import Any, Coroutine, Dict, List, Optional, Tuple, Type

from codes import Code, WireError, name_of
from frames import (
    CONSUMER, Blocked, Cancel, Credit, Drain, Frame, GoAway, Hello, Ignored, Ping, Pong,
)
from wire import PREFACE, Decoder, WrongPreface, encode

Task = asyncio.Future[None]

T_HANDSHAKE = 10.0
T_LINGER = 5.0
BUDGET = 1000.0

# Control goes before chunks, in this order.
CONTROL: Tuple[Type[Frame], ...] = (Hello, GoAway, Pong, Cancel, Credit, Drain, Ping, Blocked, Ignored)


class Side:
    """One end of a connection. A producer and a consumer say what is particular to them."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, hello: Hello) -> None:
        self.hello = replace(hello, session=secrets.token_bytes(16))
        self.peer: Optional[Hello] = None
        self.outcome: Optional[str] = None
        self.violation: Optional[WireError] = None
        self.keepalive = 10.0
        self.seen: Dict[str, int] = {}

        self._reader, self._writer = reader, writer
        self._decoder = Decoder(hello.max_frame)
        self._slots: Dict[Type[Frame], Frame] = {}
        self._to_write = asyncio.Event()
        self._write_side_closes = False
        self._last_words = b""  # half a frame, by who breaks the protocol
        self._gone = False  # GOAWAY was sent or received: nothing that comes is processed any more
        self._budget = BUDGET
        self._budget_at = self._heard_at = self._ping_at = time.monotonic()
        self._pinged_before = False
        self._token: Optional[int] = None  # of our unanswered PING

    # ----- what a producer and a consumer add -----

    def on_open(self, peer: Hello) -> None:
        """The peer has said hello, and fits."""

    def on_frame(self, frame: Frame) -> None:
        """A frame about the channel."""
        raise NotImplementedError

    def on_read(self) -> None:
        """All that one read brought has been looked at."""

    def on_over(self) -> None:
        """Nothing will come any more. Sets the outcome, unless there is one."""
        raise NotImplementedError

    def next_of_channel(self) -> Optional[Frame]:
        """The next chunk or terminal to be written, after all control."""
        return None

    # ----- running -----

    async def run(self, user: Optional[Coroutine[Any, Any, None]] = None) -> None:
        """Opens the channel, and drives the connection until it is over."""
        # A limit of 0: `drain` then waits until all is with the kernel, so that control waits for one frame at most.
        self._writer.transport.set_write_buffer_limits(high=0)
        self._writer.write(PREFACE)
        self.put(self.hello)
        reading = asyncio.ensure_future(self._read())
        others: List[Task] = [asyncio.ensure_future(self._write()), asyncio.ensure_future(self._keep_time())]
        if user is not None:
            others.append(asyncio.ensure_future(user))
        try:
            await self._until_over(reading, others)
        except WireError as error:
            await self._refuse(error, reading, others[0])
        except WrongPreface as error:
            self.outcome = f"PREFACE {error}"
        except (ConnectionError, BrokenPipeError) as error:
            self.end_with(f"RESET {type(error).__name__}")
        finally:
            for task in (reading, *others):
                task.cancel()
            await asyncio.gather(reading, *others, return_exceptions=True)
            self.on_over()
            self._writer.close()

    async def _until_over(self, reading: Task, others: List[Task]) -> None:
        """Until the peer has closed, or a task fails. The user's part may be over long before."""
        running = {reading, *others}
        while not reading.done():
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        # What waits to be written is still written: the peer may only have closed its own write side.
        if not self._gone and self._write_side_closes:
            await asyncio.wait({others[0]}, timeout=T_LINGER)

    async def _read(self) -> None:
        while True:
            data = await self._reader.read(1 << 16)
            if not data:
                if self._decoder.is_inside_a_frame:
                    self.count("cut")
                return
            self._heard_at = time.monotonic()
            if not self._gone:
                self._decoder.feed(data)
            while not self._gone:
                frame = self._decoder.next()
                if frame is None:
                    break
                self._receive(frame)
            self.on_read()

    async def _write(self) -> None:
        while True:
            frame = self._next_to_write()
            if frame is not None:
                self._writer.write(encode(frame, self.peer.max_frame if self.peer else 1024))
                await self._writer.drain()
            elif self._write_side_closes:
                self._writer.write(self._last_words)
                self._writer.write_eof()
                return
            else:
                self._to_write.clear()
                await self._to_write.wait()

    def _next_to_write(self) -> Optional[Frame]:
        for kind in CONTROL:
            if kind in self._slots:
                return self._slots.pop(kind)
        return None if self._gone else self.next_of_channel()

    async def _keep_time(self) -> None:
        """Asks a silent peer whether it is there, and gives it up in the end."""
        began = time.monotonic()
        idle = self.hello.idle_ms / 1000
        while True:
            await asyncio.sleep(0.02)
            silent = time.monotonic() - self._heard_at
            if self.peer is None:
                if time.monotonic() - began > T_HANDSHAKE:
                    raise WireError(Code.TIMEOUT_HANDSHAKE, "HELLO", f"did not come in {T_HANDSHAKE:g} s")
            elif idle and silent > idle:
                raise WireError(Code.TIMEOUT_IDLE, "idle", f"nothing came for {silent:.3f} s")
            elif silent > max(self.keepalive, self.peer.ping_ms / 1000) and self._token is None:
                if not self._write_side_closes:
                    self._token = secrets.randbits(64)
                    self.put(Ping(self._token))

    # ----- writing and closing -----

    def put(self, frame: Frame) -> None:
        """Has a control frame written; the newest of a kind takes the place of the one before."""
        assert not self._write_side_closes, f"{frame.NAME} after the write side was closed"
        self._slots[type(frame)] = frame
        self._to_write.set()

    def wake_writer(self) -> None:
        self._to_write.set()

    def close_write_side(self) -> None:
        """Closes it when what waits is written; the peer then has a while to close its own."""
        if not self._write_side_closes:
            self._write_side_closes = True
            self._to_write.set()
            asyncio.get_running_loop().call_later(T_LINGER, self._drop)

    def cut(self, last: bytes) -> None:
        """Closes the write side where it must not be closed, behind what was written and these bytes."""
        self._last_words = last
        self.end_with("CUT")
        self._leave()
        self.close_write_side()

    def end_with(self, outcome: str) -> None:
        """The first outcome counts."""
        if self.outcome is None:
            self.outcome = outcome

    def _leave(self) -> None:
        """Nothing that comes is processed any more, and nothing that waits is written."""
        self._gone = True
        self._slots.clear()

    def count(self, what: str) -> None:
        self.seen[what] = self.seen.get(what, 0) + 1

    def _drop(self) -> None:
        if not self._writer.transport.is_closing():
            self.count("lingered")
            self._writer.transport.abort()

    async def _refuse(self, error: WireError, reading: Task, writing: Task) -> None:
        """A connection error: GOAWAY, close the write side, read and throw away, drop."""
        self.violation = error
        self.outcome = f"VIOLATION {error}"
        self._leave()
        if self._write_side_closes:
            return  # no GOAWAY can be sent any more
        self.put(GoAway(error.code, error.text))
        self.close_write_side()
        # Where the clock found the error, the reader is still at it; where the reader did, another goes on.
        rest = asyncio.ensure_future(self._throw_away()) if reading.done() else reading
        await asyncio.wait({writing, rest}, timeout=T_LINGER)
        rest.cancel()

    async def _throw_away(self) -> None:
        while await self._reader.read(1 << 16):
            pass

    # ----- receiving -----

    def _receive(self, frame: Frame) -> None:
        self.count(frame.NAME)
        self._charge(frame)
        if self.peer is None:
            if not isinstance(frame, Hello):
                raise WireError(Code.STATE, frame.NAME, "came before HELLO")
            self._greet(frame)
        elif isinstance(frame, Hello):
            raise WireError(Code.STATE, "HELLO", "came twice")
        elif isinstance(frame, Ping):
            if not self._write_side_closes:
                self.put(Pong(frame.token))
        elif isinstance(frame, Pong):
            if frame.token != self._token:
                raise WireError(Code.PROTOCOL, "PONG.token", f"is {frame.token}, ours is {self._token}")
            self._token = None
        elif isinstance(frame, GoAway):
            self._leave()
            self.end_with(f"GOAWAY {name_of(frame.code)} {frame.text}")
            self.close_write_side()
        elif not isinstance(frame, Ignored):
            self.on_frame(frame)

    def _greet(self, hello: Hello) -> None:
        if hello.role == self.hello.role:
            raise WireError(Code.PROTOCOL, "HELLO.role", f"is {hello.role} on both sides")
        consumer, producer = (hello, self.hello) if hello.role == CONSUMER else (self.hello, hello)
        if consumer.units & ~producer.units:
            text = f"the window counts {consumer.units:#b}, the producer can count {producer.units:#b}"
            raise WireError(Code.UNIT_MISMATCH, "HELLO.units", text)
        self.peer = hello
        self.on_open(hello)

    # ----- the budget -----

    def _charge(self, frame: Frame) -> None:
        """What the peer costs, before it is looked at. A chunk costs credit and not budget."""
        now = time.monotonic()
        self._budget = min(BUDGET, self._budget + 10 * (now - self._budget_at))
        self._budget_at = now
        if frame.NAME == "CHUNK":
            return
        cost = 1
        if isinstance(frame, Ping):
            early = self._pinged_before and now - self._ping_at < self.hello.ping_ms / 1000
            self._pinged_before, self._ping_at = True, now
            cost = 50 if early else 1
        self._budget -= cost
        if self._budget < 0:
            raise WireError(Code.ENHANCE_CALM, frame.NAME, "costs more than the chunks carry")

    def carried_a_chunk(self) -> None:
        self._budget = min(BUDGET, self._budget + 1)
