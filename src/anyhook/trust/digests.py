"""SHA-256 without hashlib, which loads OpenSSL: that takes longer than to hash the files of most hooks.

The standard library's ``random`` does the same.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import _Hash
    from hashlib import sha256 as _sha256
else:
    try:
        from _sha2 import sha256 as _sha256  # since Python 3.12
    except ImportError:
        try:
            from _sha256 import sha256 as _sha256
        except ImportError:  # a Python without its own
            from hashlib import sha256 as _sha256

MIN_LARGE_BYTES = 1024 * 1024
"""From this size on OpenSSL, which is several times as fast, is worth loading."""


def start_digest(size: int) -> _Hash:
    """A SHA-256 of nothing yet, for content of about this many bytes."""
    if size < MIN_LARGE_BYTES:
        return _sha256()
    from hashlib import sha256

    return sha256()


def digest_of(content: bytes) -> str:
    """The SHA-256 of small content, in hexadecimal."""
    return _sha256(content).hexdigest()
