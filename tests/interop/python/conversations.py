#!/usr/bin/env python3
"""Holds a side against `conversations.txt`: whole connections, in and out of order.

`conversations.py DIRECTORY` holds the sides of these scripts. With `--against HOST:PORT` it holds whoever listens
there: before each connection a line `conversation SIDE USER NAME` on standard output says who has to be there.
"""

from __future__ import annotations

import argparse
import asyncio
import socket
import sys
from pathlib import Path
from typing import Any, Coroutine, Dict, List, Optional, Tuple

from codes import Code, name_of
from consumer import Consumer, ConsumerUser
from frames import BYTES, CONSUMER, MESSAGES, PRODUCER, Amount, Error, Frame, GoAway, Hello, Ping, Pong
from producer import Closed, Producer
from side import Side
from vectors import Record, records, unhex
from wire import PREFACE, Decoder, encode

PATIENCE = 5.0


# ----- the users of the side under test -----


class Holds(ConsumerUser):
    """Holds all that it gets; or cancels behind the first chunk."""

    def __init__(self, cancels: bool) -> None:
        self.cancels = cancels

    def on_chunk(self, consumer: Consumer, payload: bytes) -> None:
        if self.cancels:
            consumer.cancel(Code.CANCELLED)


async def sends(producer: Producer, then: str) -> None:
    """Sends `abc`, then `defg`, as soon as credit allows."""
    try:
        for payload in (b"abc", b"defg"):
            await producer.send(payload)
        if then == "ends":
            producer.end()
        elif then == "fails":
            producer.fail(Code.FAILED)
        else:
            await producer.over()
    except Closed:
        pass
    if producer.draining:
        producer.fail(Code.DRAINED)


async def under_test(of: Dict[str, str], end: socket.socket) -> Tuple[Side, Optional[Coroutine[Any, Any, None]]]:
    streams = await asyncio.open_connection(sock=end)
    if of["side"] == "producer":
        producer = Producer(*streams, Hello(PRODUCER, MESSAGES | BYTES, max_frame=65_536))
        return producer, sends(producer, of["user"])
    hello = Hello(CONSUMER, MESSAGES | BYTES, Amount(4, 1000), max_frame=65_536)
    return Consumer(*streams, hello, Holds(of["user"] == "cancels")), None


# ----- the peer: the record -----


class Script:
    """Writes what the record says, and reads what comes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.decoder = Decoder(65_536)
        self.writer.write(PREFACE)

    async def next(self) -> Optional[Frame]:
        """The next frame; `None` at EOF."""
        while True:
            frame = self.decoder.next()
            if frame is not None:
                return frame
            try:
                data = await asyncio.wait_for(self.reader.read(1 << 16), PATIENCE)
            except ConnectionError:
                # Dropped with bytes of ours unread, as it may where it can say nothing any more.
                return None
            if not data:
                return None
            self.decoder.feed(data)

    async def play(self, record: Record) -> None:
        times = 1
        for key, value in record:
            if key == "times":
                times = int(value)
            elif key == "peer":
                self.writer.write(unhex(value) * times)
                times = 1
            elif key == "await":
                for name in value.split():
                    await self.wait_for(name)

    async def wait_for(self, name: str) -> Frame:
        while True:
            frame = await self.next()
            assert frame is not None, f"EOF where {name} was due"
            if frame.NAME == name:
                return frame

    async def check(self, answer: str) -> None:
        kind, _, code = answer.partition(" ")
        if kind == "none":
            self.writer.write(encode(Ping(0xA11)))
            # Where the conversation had a PING of its own, its PONG may come first.
            while await self.wait_for("PONG") != Pong(0xA11):
                pass
            return
        rest: List[Frame] = []
        frame = await self.next()
        while frame is not None:
            rest.append(frame)
            frame = await self.next()
        said = [f"{f.NAME} {name_of(f.code)}" for f in rest if isinstance(f, (GoAway, Error))]
        expected = {"closes": [], "ERROR": [f"ERROR {code}"]}.get(kind, [f"GOAWAY {kind}"])
        assert said == expected, f"said {said}, {expected} was due"


async def converse(record: Record) -> None:
    """With a side of these scripts."""
    ours, theirs = socket.socketpair()
    side, user = await under_test(dict(record), ours)
    running = asyncio.ensure_future(side.run(user))
    script = Script(*await asyncio.open_connection(sock=theirs))
    try:
        await script.play(record)
        await script.check(dict(record)["answer"])
    finally:
        script.writer.close()
        await asyncio.wait({running}, timeout=PATIENCE)
        if not running.done():
            running.cancel()
            raise AssertionError("goes on although the peer is gone")
    running.result()


async def converse_with(address: str, record: Record) -> None:
    """With a side of somebody else's."""
    of = dict(record)
    print("conversation", of["side"], of["user"], of["name"], flush=True)
    host, _, port = address.rpartition(":")
    script = Script(*await asyncio.open_connection(host, int(port)))
    try:
        await script.play(record)
        await script.check(of["answer"])
    finally:
        script.writer.close()


async def main(directory: str, address: Optional[str]) -> int:
    failed = count = 0
    for record in records(Path(directory) / "conversations.txt"):
        count += 1
        try:
            await (converse_with(address, record) if address else converse(record))
        except Exception as error:  # each by itself, so that one run shows all
            failed += 1
            print(f"{dict(record)['name']}: {type(error).__name__}: {error}", file=sys.stderr)
    print(f"conversations.txt {count}")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory")
    parser.add_argument("--against", metavar="HOST:PORT")
    arguments = parser.parse_args()
    sys.exit(asyncio.run(main(arguments.directory, arguments.against)))
