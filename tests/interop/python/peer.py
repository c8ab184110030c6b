#!/usr/bin/env python3
"""A producer or a consumer of the credit-channel protocol, written from PROTOCOL.md alone.

Says what happened in lines `key value` on standard output. The exit status is 0 if the protocol was kept on both
sides, however the channel ended; 1 if the peer broke it, or if this side found its own expectation wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import socket
import sys
from typing import Tuple, Union

from codes import Code
from consumer import Consumer
from frames import BYTES, CONSUMER, MESSAGES, PRODUCER, Amount, Hello, Ignored
from producer import Producer
from users import ReceivingUser, SendingUser

Streams = Tuple[asyncio.StreamReader, asyncio.StreamWriter]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("role", choices=["producer", "consumer"])
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--tcp", metavar="HOST:PORT")
    where.add_argument("--unix", metavar="PATH")
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument("--listen", action="store_true", help="port 0 takes any; the line `listening` says which")
    how.add_argument("--connect", action="store_true")
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--sizes", type=int, default=512, help="chunk n has n * 7919 %% SIZES bytes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keepalive", type=float, default=10, help="seconds of silence before a PING")
    parser.add_argument("--idle-ms", type=int, default=30_000)
    parser.add_argument("--ping-ms", type=int, default=1_000, help="the peer's PINGs may come no oftener")
    parser.add_argument("--max-frame", type=int, default=1 << 20)
    parser.add_argument("--grease", action="store_true", help="send a frame that has to be ignored")
    parser.add_argument("--timeout", type=float, default=60)

    consumer = parser.add_argument_group("the consumer's")
    consumer.add_argument("--window-messages", type=int, default=0, help="0: messages are not counted")
    consumer.add_argument("--window-bytes", type=int, default=0)
    consumer.add_argument("--stalls", type=int, default=0, help="so many times, wait until the window is full")
    consumer.add_argument("--quiet", type=float, default=0.1, help="then release nothing for so many seconds")
    consumer.add_argument("--last-work", type=float, default=0, help="release what is held so long after END")
    consumer.add_argument("--cancel-after", type=int, metavar="K")
    consumer.add_argument("--drain-after", type=int, metavar="K")

    producer = parser.add_argument_group("the producer's")
    producer.add_argument("--fail-after", type=int, metavar="K")
    producer.add_argument("--discard", action="store_true", help="fail with DISCARD")
    producer.add_argument("--abandon-after", type=int, metavar="K")

    both = parser.add_argument_group("how it ends")
    both.add_argument("--cut-after", type=int, metavar="K", help="EOF without a terminal")
    both.add_argument("--cut-bytes", type=int, default=0, help="behind so many bytes of another chunk")
    both.add_argument("--crash-after", type=int, metavar="K", help="the process is gone")
    both.add_argument("--code", type=lambda name: int(Code[name]), default=Code.APPLICATION)
    both.add_argument("--detail", type=int, default=0)
    both.add_argument("--text", default="")
    return parser.parse_args()


def say(key: str, value: object) -> None:
    print(key, value, flush=True)


async def streams(options: argparse.Namespace) -> Streams:
    """One connection, whoever makes it."""
    if options.connect:
        if options.unix:
            reader, writer = await asyncio.open_unix_connection(options.unix)
        else:
            reader, writer = await asyncio.open_connection(*host_and_port(options.tcp))
    else:
        accepted: "asyncio.Future[Streams]" = asyncio.get_running_loop().create_future()

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            accepted.set_result((reader, writer))

        if options.unix:
            server = await asyncio.start_unix_server(accept, options.unix)
            say("listening", options.unix)
        else:
            server = await asyncio.start_server(accept, *host_and_port(options.tcp))
            say("listening", "{}:{}".format(*server.sockets[0].getsockname()[:2]))
        reader, writer = await accepted
        server.close()
    if options.tcp:
        # Small frames must not wait for the acknowledgement of those before.
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return reader, writer


def host_and_port(address: str) -> Tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host, int(port)


def hello(options: argparse.Namespace) -> Hello:
    limits = {"max_frame": options.max_frame, "idle_ms": options.idle_ms, "ping_ms": options.ping_ms}
    if options.role == "producer":
        return Hello(PRODUCER, MESSAGES | BYTES, **limits)
    window = Amount(options.window_messages, options.window_bytes)
    return Hello(CONSUMER, (MESSAGES if window.messages else 0) | (BYTES if window.bytes else 0), window, **limits)


async def run(options: argparse.Namespace) -> int:
    reader, writer = await streams(options)
    side: Union[Producer, Consumer]
    user: Union[SendingUser, ReceivingUser]
    if options.role == "producer":
        user = SendingUser(options)
        side = Producer(reader, writer, hello(options))
        work = user.run(side)
    else:
        user = ReceivingUser(options)
        side = Consumer(reader, writer, hello(options), user)
        work = None
    side.keepalive = options.keepalive
    if options.grease:
        side.put(Ignored(0x5A, 333))
    try:
        await side.run(work)
    finally:
        report(side, user)
    return 1 if side.violation else 0


def report(side: Union[Producer, Consumer], user: Union[SendingUser, ReceivingUser]) -> None:
    total = side.sent if isinstance(side, Producer) else side.received
    say("outcome", side.outcome)
    say("chunks", total.messages)
    say("bytes", total.bytes)
    say("checksum", user.checksum)
    say("peak-messages", side.peak.messages)
    say("peak-bytes", side.peak.bytes)
    if isinstance(user, ReceivingUser):
        say("stalls", user.stalls)
    for what, times in sorted(side.seen.items()):
        say(f"seen-{what}", times)


def main() -> int:
    options = arguments()
    try:
        return asyncio.run(asyncio.wait_for(run(options), options.timeout))
    except asyncio.TimeoutError:
        print(f"{options.role}: not over after {options.timeout:g} s", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
