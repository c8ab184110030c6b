"""What the chunks carry, so that each end can check every one, and both together."""

from __future__ import annotations

import random
import struct
import zlib
from typing import Iterator


def length_of(seq: int, sizes: int) -> int:
    """The length of chunk `seq`'s payload: below `sizes`, and known to both ends, so that each knows what fits."""
    return seq * 7919 % sizes


def payloads(count: int, sizes: int, seed: int) -> Iterator[bytes]:
    noise = random.Random(seed)
    for seq in range(count):
        length = length_of(seq, sizes)
        yield noise.getrandbits(8 * length).to_bytes(length, "big") if length else b""


class Checksum:
    """A CRC-32 over every payload and its length, in order."""

    def __init__(self) -> None:
        self._crc = 0

    def add(self, payload: bytes) -> None:
        self._crc = zlib.crc32(payload, zlib.crc32(struct.pack(">I", len(payload)), self._crc))

    def __str__(self) -> str:
        return f"{self._crc:08x}"
