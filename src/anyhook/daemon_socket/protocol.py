"""The protocol between clients and the daemon: see docs/daemon.md. The C and the Python client implement it, too.

    client                                     daemon
    MAGIC, size, head                    ->
                                         <-    GO_ON or DECLINED
    size, stdin                          ->
                                         <-    ANSWER, exit status, sizes, stdout, stderr; or DECLINED

Hooks run only after the second half has arrived, which a client sends only after GO_ON. So a client that stops waiting
for GO_ON can run ``anyhook exec``, and no hook runs twice.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping

from msgspec import Struct

MAGIC = b"AHK1"
GO_ON, DECLINED, ANSWER = b"Y", b"N", b"A"
MAX_HEAD_BYTES = 8 * 1024 * 1024
"""More than the arguments and the environment of a process may have on Linux."""
MAX_STDIN_BYTES = 64 * 1024 * 1024
SIZE = struct.Struct(">I")
PREFIX = struct.Struct(">4sI")
ANSWER_HEAD = struct.Struct(">cBII")


class ProtocolError(Exception):
    """The peer does not follow the protocol."""


class Head(Struct, frozen=True, kw_only=True):
    """The first half of a request: everything but stdin, as undecoded bytes."""

    version: bytes
    umask: int = 0o022
    cwd: bytes
    arguments: tuple[bytes, ...]
    environment: bytes = b""
    """``NAME=value`` each, with a zero byte between them."""


class DaemonAnswer(Struct, frozen=True, kw_only=True):
    """What ``anyhook exec`` would have written, and its exit status."""

    status: int = 0
    stdout: bytes = b""
    stderr: bytes = b""


def encode_head(head: Head) -> bytes:
    """A head as it is sent, with its prefix."""
    body = b"".join(
        (
            _text(head.version),
            SIZE.pack(head.umask),
            _text(head.cwd),
            _texts(head.arguments),
            _text(head.environment),
        )
    )
    return PREFIX.pack(MAGIC, len(body)) + body


def head_size(prefix: bytes) -> int:
    """How many bytes of head follow these eight."""
    magic, size = PREFIX.unpack(prefix)
    if magic != MAGIC:
        raise ProtocolError("it does not start like a request")
    if size > MAX_HEAD_BYTES:
        raise ProtocolError(f"a head of {size} bytes; {MAX_HEAD_BYTES} are the most")
    return int(size)


def decode_head(body: bytes) -> Head:
    """The head; raises ProtocolError unless it takes up all of the bytes."""
    reader = _HeadReader(body)
    head = Head(
        version=reader.text(),
        umask=reader.number(),
        cwd=reader.text(),
        arguments=reader.texts(),
        environment=reader.text(),
    )
    if not reader.is_at_end:
        raise ProtocolError("there is more than a head")
    return head


def stdin_size(size: bytes) -> int:
    """How many bytes of stdin follow these four."""
    (number,) = SIZE.unpack(size)
    if number > MAX_STDIN_BYTES:
        raise ProtocolError(f"a stdin of {number} bytes; {MAX_STDIN_BYTES} are the most")
    return int(number)


def encode_answer(answer: DaemonAnswer) -> bytes:
    head = ANSWER_HEAD.pack(ANSWER, answer.status & 0xFF, len(answer.stdout), len(answer.stderr))
    return head + answer.stdout + answer.stderr


def decode_answer(data: bytes) -> DaemonAnswer | None:
    """A whole answer; None when the daemon declined, or died while it sent."""
    if len(data) < ANSWER_HEAD.size:
        return None
    kind, status, out, err = ANSWER_HEAD.unpack_from(data)
    if kind != ANSWER or len(data) != ANSWER_HEAD.size + out + err:
        return None
    middle = ANSWER_HEAD.size + out
    return DaemonAnswer(status=status, stdout=data[ANSWER_HEAD.size : middle], stderr=data[middle:])


def pack_variables(variables: Mapping[str, str]) -> bytes:
    """An environment as a head has it."""
    return b"\0".join(os.fsencode(f"{name}={value}") for name, value in variables.items())


def variables_of(environment: bytes) -> Mapping[str, str]:
    """The environment as ``os.environ`` of that process would show it: of two equal names the first counts."""
    variables: dict[str, str] = {}
    for entry in environment.decode("utf-8", "surrogateescape").split("\0"):
        name, sign, value = entry.partition("=")
        if sign and name:
            variables.setdefault(name, value)
    return variables


def _text(text: bytes) -> bytes:
    return SIZE.pack(len(text)) + text


def _texts(texts: tuple[bytes, ...]) -> bytes:
    return SIZE.pack(len(texts)) + b"".join(map(_text, texts))


class _HeadReader:
    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    @property
    def is_at_end(self) -> bool:
        return self._at == len(self._data)

    def number(self) -> int:
        if len(self._data) - self._at < SIZE.size:
            raise ProtocolError("it ends in the middle")
        (number,) = SIZE.unpack_from(self._data, self._at)
        self._at += SIZE.size
        return int(number)

    def text(self) -> bytes:
        size = self.number()
        if len(self._data) - self._at < size:
            raise ProtocolError("it ends in the middle")
        self._at += size
        return self._data[self._at - size : self._at]

    def texts(self) -> tuple[bytes, ...]:
        count = self.number()
        if count * SIZE.size > len(self._data) - self._at:
            raise ProtocolError("it ends in the middle")
        return tuple(self.text() for _ in range(count))
