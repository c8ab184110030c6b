"""The reason codes of ERROR, CANCEL and GOAWAY (PROTOCOL.md, section 9)."""

from __future__ import annotations

import enum


class Code(enum.IntEnum):
    NONE = 0
    PROTOCOL = 1
    FLOW_CONTROL = 2
    FRAME_SIZE = 3
    SEQUENCE = 4
    FINAL_COUNT = 5
    STATE = 6
    VERSION = 7
    UNIT_MISMATCH = 8
    REFUSED = 9
    CANCELLED = 10
    DROPPED = 11
    ABANDONED = 12
    FAILED = 13
    HANDLER_ERROR = 14
    HANDLER_PANIC = 15
    TIMEOUT = 16
    TIMEOUT_IDLE = 17
    TIMEOUT_WRITE = 18
    TIMEOUT_HANDSHAKE = 19
    NO_PROGRESS = 20
    ENHANCE_CALM = 21
    SHUTDOWN = 22
    INTERNAL = 23
    DRAINED = 24
    UNDECODABLE = 25
    APPLICATION = 26


def name_of(code: int) -> str:
    """A code's name; one that this version does not know is kept as a number."""
    try:
        return Code(code).name
    except ValueError:
        return str(code)


class WireError(Exception):
    """The peer broke a rule: the code to answer with, the field at fault, and what is wrong with it."""

    def __init__(self, code: Code, field: str, text: str) -> None:
        super().__init__(f"{code.name}: {field}: {text}")
        self.code = code
        self.field = field
        self.text = f"{field}: {text}"
