"""The digests of a file are those of hashlib, whichever code makes them."""

from __future__ import annotations

import hashlib

import pytest

from anyhook.trust.digests import MIN_LARGE_BYTES, digest_of, start_digest


@pytest.mark.parametrize(
    "size", [0, 1, 63, 64, 65, 1_000_000, MIN_LARGE_BYTES - 1, MIN_LARGE_BYTES, MIN_LARGE_BYTES + 1]
)
def test_small_and_large_files_have_the_same_digest(size: int) -> None:
    content = b"x" * size
    expected = hashlib.sha256(content).hexdigest()
    digest = start_digest(size)
    digest.update(content[: size // 2])
    digest.update(content[size // 2 :])
    assert (digest.hexdigest(), digest_of(content)) == (expected, expected)
