"""What a command prints is kept up to a cap, and handed over once."""

from __future__ import annotations

import pytest

from anyhook.engine.executors.capture import Capture


@pytest.mark.parametrize("sizes", [(10,), (3, 3, 3, 3), (1,) * 30, (0, 8, 100)])
def test_no_more_than_the_cap_is_ever_held(sizes: tuple[int, ...]) -> None:
    capture = Capture(8)
    for size in sizes:
        capture.take(b"x" * size)
        assert len(capture.kept) <= 8
    assert capture.release() == b"x" * 8


def test_after_the_release_nothing_is_held() -> None:
    capture = Capture(8)
    capture.take(b"abc")
    assert capture.release() == b"abc"
    capture.take(b"later")
    assert not capture.kept
    assert not capture.release()
