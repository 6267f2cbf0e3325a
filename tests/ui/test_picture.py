from __future__ import annotations

from tools.ui.take_picture import MAX_BYTES, PICTURE


def test_the_picture_in_the_documentation_is_small() -> None:
    """``python -m tools.ui.take_picture`` makes it."""
    data = PICTURE.read_bytes()
    assert data.startswith(b"\x89PNG")
    assert len(data) < MAX_BYTES
