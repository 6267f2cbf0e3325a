"""In which releases a client was measured: how many situations were played in it, and in how many anyhook agrees.

``conformance/measure.py`` writes ``measured.json`` from the vectors and from what older releases showed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

MEASURED = Path(__file__).with_name("measured.json")


class Measurement(Struct, frozen=True, kw_only=True):
    release: str
    date: str
    """When it was recorded; empty: it is a written specification."""
    vectors: int
    """The situations that were played."""
    agree: int
    """Those in which anyhook does the same."""


def measurements(client: str) -> tuple[Measurement, ...]:
    """Those of a client, the newest release first; none: its facts come from documents alone."""
    return decode(MEASURED.read_bytes()).get(client, ())


def decode(data: bytes) -> Mapping[str, tuple[Measurement, ...]]:
    return msgspec.json.decode(data, type=dict[str, tuple[Measurement, ...]])


def encode(found: Mapping[str, tuple[Measurement, ...]]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n"
