"""What the command line asks a side to do: the users of the producer and of the consumer."""

from __future__ import annotations

import argparse
import asyncio
import os
from typing import List, Optional, Union

from codes import Code
from consumer import Consumer, ConsumerUser
from frames import Amount, End, Error, cost_of
from payloads import Checksum, length_of, payloads
from producer import Closed, Producer
from side import Task


class SendingUser:
    """Sends what it was told to, and ends as it was told to."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.checksum = Checksum()

    async def run(self, producer: Producer) -> None:
        options = self.options
        stops = (options.fail_after, options.abandon_after, options.cut_after, options.crash_after)
        count = min([options.chunks, *(n for n in stops if n is not None)])
        try:
            for payload in payloads(count, options.sizes, options.seed):
                await producer.send(payload)
                self.checksum.add(payload)
            await self.finish(producer)
        except Closed as reason:
            if str(reason) == "DRAIN":
                producer.fail(Code.DRAINED, text="drained")

    async def finish(self, producer: Producer) -> None:
        options = self.options
        await producer.written()
        if options.fail_after is not None:
            producer.fail(Code.FAILED, options.detail, options.text, options.discard)
        elif options.abandon_after is not None:
            producer.fail(Code.ABANDONED)
        elif options.cut_after is not None:
            producer.cut_short(options.cut_bytes)
        elif options.crash_after is not None:
            os._exit(9)
        else:
            producer.end()


class ReceivingUser(ConsumerUser):
    """Checks every chunk. Releases it at once, or lets the window run full first and looks what happens then."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.checksum = Checksum()
        self.chunks = 0
        self.stalls = 0
        self.held: List[Amount] = []
        self._standing_still: Optional[Task] = None
        self._last_work: Optional[Task] = None

    def on_chunk(self, consumer: Consumer, payload: bytes) -> None:
        expected = length_of(self.chunks, self.options.sizes)
        assert len(payload) == expected, f"chunk {self.chunks} has {len(payload)} bytes, {expected} were due"
        assert self._standing_still is None, f"chunk {self.chunks} came while the window was full"
        self.checksum.add(payload)
        self.chunks += 1
        self.held.append(cost_of(len(payload)))
        options = self.options
        if self.chunks == options.crash_after:
            os._exit(9)
        if self.chunks == options.cut_after:
            consumer.cut(b"")
        if self.chunks == options.cancel_after:
            consumer.cancel(options.code, options.detail, options.text)
        if self.chunks == options.drain_after:
            consumer.drain()

    def on_read(self, consumer: Consumer) -> None:
        if self.stalls == self.options.stalls:
            self.release_all(consumer)
        elif self._standing_still is None and self.is_full(consumer):
            self._standing_still = asyncio.ensure_future(self.stand_still(consumer))

    def is_full(self, consumer: Consumer) -> bool:
        """Exactly when the next chunk, whose length is known, does not fit any more. A producer that stops before
        that, or goes on after it, is caught: by the timeout of the whole run, or by `on_chunk`."""
        more = self.chunks < self.options.chunks
        return more and not consumer.fits(cost_of(length_of(self.chunks, self.options.sizes)))

    async def stand_still(self, consumer: Consumer) -> None:
        await asyncio.sleep(self.options.quiet)
        self._standing_still = None
        self.stalls += 1
        self.release_all(consumer)
        consumer.flush()

    def on_terminal(self, consumer: Consumer, terminal: Union[End, Error]) -> None:
        if isinstance(terminal, End) and self.options.last_work:
            self._last_work = asyncio.ensure_future(self.finish(consumer))
        else:
            self.release_all(consumer)

    async def finish(self, consumer: Consumer) -> None:
        """The last of the work takes its time: the producer must not be told before."""
        await asyncio.sleep(self.options.last_work)
        self.release_all(consumer)
        consumer.flush()

    def release_all(self, consumer: Consumer) -> None:
        for cost in self.held:
            consumer.release(cost)
        self.held.clear()
