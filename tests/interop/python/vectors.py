#!/usr/bin/env python3
"""Checks this side's codec against the test vectors: `vectors.py DIRECTORY`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Tuple

from codes import WireError
from frames import CONSUMER, PRODUCER, Amount, Frame, Ignored
from wire import Decoder, WrongPreface, decode_message, encode

MAX_FRAME = 65_536  # "everywhere", says their README

Record = List[Tuple[str, str]]


def records(path: Path) -> Iterator[Record]:
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        lines = [line.partition(":") for line in block.splitlines() if line and not line.startswith("#")]
        if lines:
            yield [(key, value.strip()) for key, _, value in lines]


def unhex(text: str) -> bytes:
    parts = (group.partition("*") for group in text.split())
    return b"".join(bytes.fromhex(run) * int(times or 1) for run, _, times in parts)


def bytes_of(record: Record) -> bytes:
    return b"".join(unhex(value) for key, value in record if key == "hex")


# ----- the fields, by the names that PROTOCOL.md has for them -----


def shown(frame: Frame) -> Dict[str, str]:
    """A frame as `valid.txt` writes it."""
    found = {"frame": frame.NAME}
    for name, value in vars(frame).items():
        if isinstance(value, Amount):
            found.update({f"{name}_messages": str(value.messages), f"{name}_bytes": str(value.bytes)})
        elif name == "role":
            found[name] = {PRODUCER: "producer", CONSUMER: "consumer"}[value]
        elif isinstance(value, bool):
            found[name] = "yes" if value else "no"
        elif isinstance(value, bytes):
            found[name] = value.hex()
        elif name == "text":
            found[name] = value.encode("utf-8").hex()
        elif name == "type":
            found[name] = f"{value:#04x}"
        elif name != "tlvs":
            found[name] = str(value)
    return found


def decoded(data: bytes, step: int, preface: bool) -> Tuple[List[Frame], str, int]:
    """All frames of these bytes, fed `step` at a time; how it ended, and after how many bytes that was known."""
    decoder = Decoder(MAX_FRAME, preface)
    frames: List[Frame] = []
    for at in range(0, len(data), step):
        decoder.feed(data[at : at + step])
        try:
            frame = decoder.next()
            while frame is not None:
                frames.append(frame)
                frame = decoder.next()
        except WireError as error:
            return frames, error.code.name, min(at + step, len(data))
        except WrongPreface:
            return frames, "preface", min(at + step, len(data))
    return frames, "truncated" if decoder.is_inside_a_frame else "open", len(data)


# ----- the files -----


def check_valid(record: Record) -> None:
    expected = {key: value for key, value in record if key not in ("name", "hex", "exact")}
    for name in ("payload", "text", "session"):
        if name in expected:
            expected[name] = unhex(expected[name]).hex()
    data = bytes_of(record)
    for step in (1, 7, max(1, len(data))):
        frames, end, _ = decoded(data, step, preface=False)
        same([shown(frame) for frame in frames], [expected])
        same(end, "open")
    frame = frames[0]
    written = encode(frame, MAX_FRAME)
    if dict(record)["exact"] == "yes":
        same(written.hex(), data.hex())
    elif not isinstance(frame, Ignored):
        # Not the same bytes, but the same meaning.
        same(decoded(written, len(written), preface=False)[0], [frame])


def check_invalid(record: Record) -> None:
    expected = dict(record)
    data = bytes_of(record)
    frames, end, at = decoded(data, 1, preface=False)
    same((frames, end), ([], expected["code"]))
    same(at <= int(expected["by"]), True)
    same(decoded(data, max(1, len(data)), preface=False)[1], expected["code"])


def check_stream(record: Record) -> None:
    expected = dict(record)
    data = bytes_of(record)
    for step in (1, 5, 64, max(1, len(data))):
        frames, end, at = decoded(data, step, preface=True)
        # Before the first byte nothing is cut: an EOF there is no more than a connection nobody used.
        end = "open" if not data else end
        same(([frame.NAME for frame in frames], end), (expected["frames"].split(), expected["end"]))
        if "by" in expected and step == 1:
            same(at <= int(expected["by"]), True)


def check_message(record: Record) -> None:
    expected = dict(record)
    try:
        found = decode_message(bytes_of(record), MAX_FRAME).NAME
    except WireError as error:
        found = error.code.name
    same(found, expected.get("frame", expected.get("code")))


def same(found: object, expected: object) -> None:
    if found != expected:
        raise AssertionError(f"\n  found    {found}\n  expected {expected}")


CHECKS = {
    "valid.txt": check_valid,
    "invalid.txt": check_invalid,
    "streams.txt": check_stream,
    "messages.txt": check_message,
}


def main(directory: Optional[str] = None) -> int:
    failed = 0
    for name, check in CHECKS.items():
        count = 0
        for record in records(Path(directory or ".") / name):
            count += 1
            try:
                check(record)
            except Exception as error:  # each record by itself, so that one run shows all
                failed += 1
                print(f"{name}: {dict(record).get('name')}: {type(error).__name__}: {error}", file=sys.stderr)
        print(f"{name} {count}")
        failed += count == 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
