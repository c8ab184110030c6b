"""The frames and their bodies (PROTOCOL.md, sections 4 and 5)."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import ClassVar, Dict, NamedTuple, Optional, Tuple, Type

from codes import Code, WireError

PRODUCER, CONSUMER = 1, 2
MESSAGES, BYTES = 1, 2  # the bits of `units`
DISCARD = 0x01  # the flag of ERROR

Body = bytes

LARGEST_WINDOW = 2**62
LONGEST_TEXT = 4096
LONGEST_HELLO = 1024


class Amount(NamedTuple):
    """So many messages and so many bytes."""

    messages: int = 0
    bytes: int = 0

    def plus(self, other: "Amount") -> "Amount":
        return Amount(self.messages + other.messages, self.bytes + other.bytes)

    def minus(self, other: "Amount") -> "Amount":
        return Amount(self.messages - other.messages, self.bytes - other.bytes)

    def most(self, other: "Amount") -> "Amount":
        return Amount(max(self.messages, other.messages), max(self.bytes, other.bytes))


def counted(units: int) -> Tuple[Tuple[str, int], ...]:
    """The names of the counted units, and where each stands in an `Amount`."""
    return tuple((name, at) for name, at, bit in (("messages", 0, MESSAGES), ("bytes", 1, BYTES)) if units & bit)


def cost_of(payload_length: int) -> Amount:
    return Amount(1, max(1, payload_length))


def cut(text: str, room: int) -> bytes:
    """A text as it is sent: no longer than allowed, and cut between two characters."""
    return text.encode("utf-8")[: max(0, min(room, LONGEST_TEXT))].decode("utf-8", "ignore").encode("utf-8")


def text_of(body: bytes) -> str:
    return body.decode("utf-8", "replace")


@dataclass(frozen=True)
class Frame:
    """What all frames have in common. `LENGTHS` bounds the body; `None` is the receiver's `max_frame`."""

    NAME: ClassVar[str]
    TYPE: ClassVar[int]
    CHANNEL: ClassVar[int] = 1
    LENGTHS: ClassVar[Tuple[int, Optional[int]]]

    @property
    def flags(self) -> int:
        return 0

    def body(self, room: int) -> Body:
        """The body. `room` is the longest that the peer takes: texts are cut to it."""
        raise NotImplementedError

    @classmethod
    def parse(cls, flags: int, body: Body) -> "Frame":
        raise NotImplementedError


@dataclass(frozen=True)
class Hello(Frame):
    NAME, TYPE, CHANNEL = "HELLO", 0x01, 0
    # 56 bytes are what *this* major version has. Of another, only the first two are known to be there.
    LENGTHS = (2, LONGEST_HELLO)
    LAYOUT: ClassVar[struct.Struct] = struct.Struct(">BBBBIIIIIQQ16s")

    role: int
    units: int
    window: Amount = Amount()
    max_frame: int = 1 << 20
    idle_ms: int = 30_000
    ping_ms: int = 1_000
    session: bytes = bytes(16)
    major: int = 1
    minor: int = 0
    features: int = 0
    tlvs: Tuple[Tuple[int, bytes], ...] = ()

    def body(self, room: int) -> Body:
        fixed = self.LAYOUT.pack(
            self.major, self.minor, self.role, self.units, self.features, self.max_frame, self.idle_ms,
            self.ping_ms, 0, *self.window, self.session,
        )
        return fixed + b"".join(struct.pack(">HH", type_, len(value)) + value for type_, value in self.tlvs)

    @classmethod
    def parse(cls, flags: int, body: Body) -> "Hello":
        if body[0] != 1:
            raise WireError(Code.VERSION, "HELLO.major", f"is {body[0]}, this side speaks 1.0 and no other")
        if len(body) < cls.LAYOUT.size:
            raise WireError(Code.FRAME_SIZE, "HELLO.length", f"is {len(body)}, at least {cls.LAYOUT.size} are needed")
        major, minor, role, units, features, max_frame, idle, ping, _, messages, bytes_, session = cls.LAYOUT.unpack(
            body[: cls.LAYOUT.size]
        )
        units &= MESSAGES | BYTES
        # A window is the consumer's, in the units that it counts; anything else there is ignored.
        window = Amount(*(n if role == CONSUMER and units & bit else 0 for n, bit in ((messages, 1), (bytes_, 2))))
        hello = cls(
            role, units, window, max_frame, idle, ping, session, major, minor,
            features, cls._tlvs(body),
        )
        hello._check()
        return hello

    def _check(self) -> None:
        within("HELLO.role", self.role, PRODUCER, CONSUMER)
        within("HELLO.units", self.units, 1, 3)
        within("HELLO.max_frame", self.max_frame, 1024, 2**24 - 1)
        if self.idle_ms != 0:
            within("HELLO.idle_ms", self.idle_ms, 100, 86_400_000)
        within("HELLO.ping_ms", self.ping_ms, 0, 60_000)
        if self.role == CONSUMER:
            for unit, at in counted(self.units):
                within(f"HELLO.window_{unit}", self.window[at], 1, LARGEST_WINDOW)

    @classmethod
    def _tlvs(cls, body: bytes) -> Tuple[Tuple[int, bytes], ...]:
        found = []
        at = cls.LAYOUT.size
        while at < len(body):
            if at + 4 > len(body):
                raise WireError(Code.FRAME_SIZE, "HELLO.tlv", f"{len(body) - at} bytes are left over")
            type_, length = struct.unpack_from(">HH", body, at)
            at += 4
            if at + length > len(body):
                raise WireError(Code.FRAME_SIZE, "HELLO.tlv", f"of {length} bytes runs over the body's end")
            if type_ >= 0x8000:
                raise WireError(Code.PROTOCOL, "HELLO.tlv", f"of type {type_:#06x} is unknown and may not be ignored")
            found.append((type_, body[at : at + length]))
            at += length
        return tuple(found)


def within(field: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise WireError(Code.PROTOCOL, field, f"is {value}, legal are {least} to {most}")


@dataclass(frozen=True)
class Chunk(Frame):
    NAME, TYPE, LENGTHS = "CHUNK", 0x02, (8, None)
    seq: int
    payload: bytes

    def body(self, room: int) -> Body:
        return struct.pack(">Q", self.seq) + self.payload

    @classmethod
    def parse(cls, flags: int, body: Body) -> "Chunk":
        return cls(struct.unpack_from(">Q", body)[0], body[8:])


@dataclass(frozen=True)
class Credit(Frame):
    NAME, TYPE, LENGTHS = "CREDIT", 0x03, (48, 48)
    limit: Amount
    released: Amount
    window: Amount

    def body(self, room: int) -> Body:
        return struct.pack(">6Q", *self.limit, *self.released, *self.window)

    @classmethod
    def parse(cls, flags: int, body: Body) -> "Credit":
        numbers = struct.unpack(">6Q", body)
        return cls(Amount(*numbers[0:2]), Amount(*numbers[2:4]), Amount(*numbers[4:6]))


@dataclass(frozen=True)
class End(Frame):
    NAME, TYPE, LENGTHS = "END", 0x04, (16, 16)
    count: int
    bytes: int

    def body(self, room: int) -> Body:
        return struct.pack(">QQ", self.count, self.bytes)

    @classmethod
    def parse(cls, flags: int, body: Body) -> "End":
        return cls(*struct.unpack(">QQ", body))


@dataclass(frozen=True)
class Error(Frame):
    NAME, TYPE, LENGTHS = "ERROR", 0x05, (16, 16 + LONGEST_TEXT)
    code: int
    detail: int
    count: int
    text: str
    discard: bool = False

    @property
    def flags(self) -> int:
        return DISCARD if self.discard else 0

    def body(self, room: int) -> Body:
        return struct.pack(">IIQ", self.code, self.detail, self.count) + cut(self.text, room - 16)

    @classmethod
    def parse(cls, flags: int, body: Body) -> "Error":
        code, detail, count = struct.unpack_from(">IIQ", body)
        return cls(code, detail, count, text_of(body[16:]), bool(flags & DISCARD))


@dataclass(frozen=True)
class Cancel(Frame):
    NAME, TYPE, LENGTHS = "CANCEL", 0x06, (8, 8 + LONGEST_TEXT)
    code: int
    detail: int
    text: str

    def body(self, room: int) -> Body:
        return struct.pack(">II", self.code, self.detail) + cut(self.text, room - 8)

    @classmethod
    def parse(cls, flags: int, body: Body) -> "Cancel":
        code, detail = struct.unpack_from(">II", body)
        return cls(code, detail, text_of(body[8:]))


@dataclass(frozen=True)
class Token(Frame):
    CHANNEL, LENGTHS = 0, (8, 8)
    token: int

    def body(self, room: int) -> Body:
        return struct.pack(">Q", self.token)

    @classmethod
    def parse(cls, flags: int, body: Body) -> "Token":
        return cls(*struct.unpack(">Q", body))


@dataclass(frozen=True)
class Ping(Token):
    NAME, TYPE = "PING", 0x07


@dataclass(frozen=True)
class Pong(Token):
    NAME, TYPE = "PONG", 0x08


@dataclass(frozen=True)
class Blocked(Frame):
    NAME, TYPE, LENGTHS = "BLOCKED", 0x09, (16, 16)
    limit: Amount

    def body(self, room: int) -> Body:
        return struct.pack(">QQ", *self.limit)

    @classmethod
    def parse(cls, flags: int, body: Body) -> "Blocked":
        return cls(Amount(*struct.unpack(">QQ", body)))


@dataclass(frozen=True)
class Drain(Frame):
    NAME, TYPE, LENGTHS = "DRAIN", 0x0A, (0, 0)

    def body(self, room: int) -> Body:
        return b""

    @classmethod
    def parse(cls, flags: int, body: Body) -> "Drain":
        return cls()


@dataclass(frozen=True)
class GoAway(Frame):
    NAME, TYPE, CHANNEL, LENGTHS = "GOAWAY", 0x0B, 0, (4, 4 + LONGEST_TEXT)
    code: int
    text: str

    def body(self, room: int) -> Body:
        return struct.pack(">I", self.code) + cut(self.text, room - 4)

    @classmethod
    def parse(cls, flags: int, body: Body) -> "GoAway":
        (code,) = struct.unpack_from(">I", body)
        return cls(code, text_of(body[4:]))


@dataclass(frozen=True)
class Ignored(Frame):
    """The header of a frame that is passed over. To send one is to grease."""

    NAME, CHANNEL, LENGTHS = "ignored", 0, (0, None)
    type: int
    length: int

    def body(self, room: int) -> Body:
        return bytes(self.length)


KINDS: Dict[int, Type[Frame]] = {
    kind.TYPE: kind for kind in (Hello, Chunk, Credit, End, Error, Cancel, Ping, Pong, Blocked, Drain, GoAway)
}
