"""Patches are written for tools that change one file, and read for what they do to each file."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from anyhook.dialects.translation.patches import FileCall, read_patch, write_patch

LINES = st.lists(st.text(st.characters(exclude_categories=["C", "Z"]), max_size=8), min_size=1, max_size=3)
TEXTS = LINES.map("\n".join).filter(lambda text: text == "\n".join(text.splitlines()) and text)


@given(TEXTS, TEXTS)
def test_a_patch_says_what_was_asked_for(old: str, new: str) -> None:
    content = {"file_path": "a/b.py", "content": new}
    assert read_patch(write_patch("write", content)) == (FileCall("write", content),)
    change = {"file_path": "a/b.py", "old_string": old, "new_string": new}
    assert read_patch(write_patch("edit", change)) == (FileCall("edit", change),)


def test_every_file_is_read_also_under_indented_headers_and_where_it_is_moved_to() -> None:
    patch = """*** Begin Patch
*** Delete File: a
*** Add File: b
+new
  *** Update File: c d\t
*** Move to: .env
@@
 kept
-x
+y
*** End Patch"""
    assert read_patch(patch) == (
        FileCall("edit", {"file_path": "a", "old_string": "", "new_string": ""}),
        FileCall("write", {"file_path": "b", "content": "new"}),
        FileCall("edit", {"file_path": "c d", "old_string": "x", "new_string": "y"}),
        FileCall("write", {"file_path": ".env", "content": "kept\ny"}),
    )


def test_other_text_is_no_patch() -> None:
    assert read_patch("rm -rf /") == ()
