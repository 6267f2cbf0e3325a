"""Texts for the patterns of secrets, from tables beside this file.

``secret_shapes.jsonl``: pattern, text, and what is left of the text. ``secret_look_alikes.jsonl``: pattern, and a text
that it leaves alone. ``{A20}`` in a text is 20 letters and digits: written so, no scanner takes the tables for a leak.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_SAMPLES = {
    "A": "Example0eXample1",
    "U": "EXAMPLE0EXAMPLE1",
    "h": "0123456789abcdef",
    "w": "Exam_le0eXam_le1",
    "u": "Exam-le0eXa_ple1",
    "b": "Example0eXample+",
}


class Row(NamedTuple):
    pattern: str
    text: str
    left: str
    """The same as the text: it holds no secret."""


def secret_shapes() -> tuple[Row, ...]:
    """Texts with a secret."""
    return tuple(_rows("secret_shapes.jsonl"))


def look_alikes() -> tuple[Row, ...]:
    """Texts that nearly have one."""
    return tuple(_rows("secret_look_alikes.jsonl"))


def _rows(name: str) -> Iterator[Row]:
    for line in (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield Row(row["pattern"], _filled(row["text"]), _filled(row.get("left", row["text"])))


def _filled(text: str) -> str:
    return re.sub(r"\{([AUhwub])(\d+)\}", lambda found: (_SAMPLES[found[1]] * 16)[: int(found[2])], text)
