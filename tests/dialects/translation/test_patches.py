"""Patches are written for tools that change one file, and read for what they do to the first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from anyhook.dialects.translation.patches import read_patch, write_patch

LINES = st.lists(st.text(st.characters(exclude_categories=["C", "Z"]), max_size=8), min_size=1, max_size=3)
TEXTS = LINES.map("\n".join).filter(lambda text: text == "\n".join(text.splitlines()) and text)


@given(TEXTS, TEXTS)
def test_a_patch_says_what_was_asked_for(old: str, new: str) -> None:
    written = read_patch(write_patch("write", {"file_path": "a/b.py", "content": new}))
    assert written is not None
    assert (written.kind, written.tool_input) == ("write", {"file_path": "a/b.py", "content": new})
    change = {"file_path": "a/b.py", "old_string": old, "new_string": new}
    edited = read_patch(write_patch("edit", change))
    assert edited is not None
    assert (edited.kind, edited.tool_input) == ("edit", change)


def test_further_files_are_named() -> None:
    patched = read_patch("*** Begin Patch\n*** Delete File: a\n*** Update File: b\n@@\n-x\n+y\n*** End Patch")
    assert patched is not None
    assert (patched.kind, patched.tool_input["file_path"], patched.other_files) == ("edit", "a", ("b",))


def test_other_text_is_no_patch() -> None:
    assert read_patch("rm -rf /") is None
