"""Bytes into frames and back (PROTOCOL.md, sections 3 and 4). Knows nothing of credit, order or time."""

from __future__ import annotations

import struct
from typing import Optional, Type

from codes import Code, WireError
from frames import KINDS, Frame, Ignored

PREFACE = b"\x89CCH\r\n\x1a\n"
HEADER = struct.Struct(">IBBHI")


class WrongPreface(Exception):
    """Whoever is there does not speak this protocol: to be closed without a word."""


def encode(frame: Frame, room: int = 1024) -> bytes:
    """A frame's bytes. `room` is the peer's `max_frame`, or 1,024 while that is not known."""
    body = frame.body(room)
    type_ = frame.type if isinstance(frame, Ignored) else frame.TYPE
    return HEADER.pack(len(body), type_, frame.flags, 0, frame.CHANNEL) + body


class Header:
    """A header whose every field is legal: the body may be made room for."""

    def __init__(self, header: bytes, max_frame: int) -> None:
        self.length, self.type, self.flags, _, channel = HEADER.unpack(header)
        self.kind: Optional[Type[Frame]] = KINDS.get(self.type)
        if self.kind is None and not 0x40 <= self.type <= 0x7F:
            raise WireError(Code.PROTOCOL, "type", f"{self.type:#04x} is unknown and may not be ignored")
        kind = self.kind or Ignored
        if self.kind is not None and channel != kind.CHANNEL:
            raise WireError(Code.PROTOCOL, f"{kind.NAME}.channel", f"is {channel}, it has to be {kind.CHANNEL}")
        least, most = kind.LENGTHS
        if not least <= self.length <= (most if most is not None else max_frame) or self.length > max_frame:
            bounds = f"{least} to {most if most is not None else max_frame}, and max_frame is {max_frame}"
            raise WireError(Code.FRAME_SIZE, f"{kind.NAME}.length", f"is {self.length}, legal are {bounds}")

    def parse(self, body: bytes) -> Frame:
        assert self.kind is not None, "a frame that is passed over has no body"
        return self.kind.parse(self.flags, body)


class Decoder:
    """Takes bytes however they are cut, and gives the same frames."""

    def __init__(self, max_frame: int, preface: bool = True) -> None:
        self._max_frame = max_frame
        self._preface = PREFACE if preface else b""
        self._buffer = bytearray()
        self._header: Optional[Header] = None
        self._passing_over = 0

    def feed(self, data: bytes) -> None:
        self._buffer += data

    def next(self) -> Optional[Frame]:
        """The next frame, or `None` until more has been fed."""
        if not self._take_preface() or not self._pass_over():
            return None
        if self._header is None:
            if len(self._buffer) < HEADER.size:
                return None
            self._header = Header(self._take(HEADER.size), self._max_frame)
            if self._header.kind is None:
                ignored = Ignored(self._header.type, self._header.length)
                self._passing_over, self._header = self._header.length, None
                self._pass_over()
                return ignored
        if len(self._buffer) < self._header.length:
            return None
        header, self._header = self._header, None
        return header.parse(self._take(header.length))

    @property
    def is_inside_a_frame(self) -> bool:
        """Whether an EOF now would cut something."""
        return bool(self._preface or self._buffer or self._header or self._passing_over)

    def _take(self, n: int) -> bytes:
        taken = bytes(self._buffer[:n])
        del self._buffer[:n]
        return taken

    def _take_preface(self) -> bool:
        """Whether the preface is behind us. The first byte that differs is enough."""
        if self._preface:
            got = self._take(len(self._preface))
            if not self._preface.startswith(got):
                raise WrongPreface(f"{got!r} where {self._preface!r} was due")
            self._preface = self._preface[len(got) :]
        return not self._preface

    def _pass_over(self) -> bool:
        """Drops the bytes of an ignored frame as they arrive. Whether it is behind us."""
        taken = min(self._passing_over, len(self._buffer))
        del self._buffer[:taken]
        self._passing_over -= taken
        return self._passing_over == 0


def decode_message(message: bytes, max_frame: int) -> Frame:
    """On a message transport each message is exactly one frame."""
    if len(message) < HEADER.size:
        raise WireError(Code.FRAME_SIZE, "message", f"of {len(message)} bytes is shorter than a header")
    header = Header(message[: HEADER.size], max_frame)
    body = message[HEADER.size :]
    if len(body) != header.length:
        text = f"has {len(body)} bytes after its header, which says {header.length}"
        raise WireError(Code.FRAME_SIZE, "message", text)
    return Ignored(header.type, header.length) if header.kind is None else header.parse(body)

