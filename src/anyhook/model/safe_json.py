"""JSON that cannot control the terminal on which it is printed, and means the same."""

from __future__ import annotations

import re

_CONTROLS = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""What JSON does not escape by itself: DEL, the C1 control characters, and what turns or breaks a line."""
_CONTROL_BYTES = re.compile(b"\x7f|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]|\xe2\x81[\xa6-\xa9]")
"""The same in UTF-8."""


def escape_controls(json: str) -> str:
    """The JSON text with control characters as escapes: they can only be in its strings."""
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", json)


def escape_control_bytes(json: bytes) -> bytes:
    """The same for JSON in UTF-8."""
    return _CONTROL_BYTES.sub(lambda found: escape_controls(found[0].decode()).encode(), json)
