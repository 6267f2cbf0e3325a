"""Paths as hooks see them, and globs."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyhook.paths import matches_any, relative_path

PROJECT = Path("/work/shop")


@pytest.mark.parametrize(
    ("path", "glob", "expected"),
    [
        ("a/b/.env", ".env*", True),
        ("a/.env.local/x", ".env*", True),
        ("/work/shop/src/a.py", "src/**", True),
        ("src/../lib/a.py", "src/**", False),
        ("src/a/b.py", "src/*", False),
        ("src/a/b.py", "src/**/b.py", True),
        ("src/b.py", "src/**/b.py", True),
        ("node_modules/a/b", "node_modules/", True),
        ("/etc/passwd", "/etc/**", True),
        ("xenv", ".env", False),
        ("src/a.tsx", "src/*.{ts,tsx}", True),
        ("src/a.t", "src/*.{ts,tsx}", False),
        ("a/b/c.d", "{x,a/{y,b}}/c{,.d}", True),
        ("a/y/c", "{x,a/{y,b}}/c{,.d}", True),
        ("a/z/c", "{x,a/{y,b}}/c{,.d}", False),
        ("a.{b}", "*.{b}", True),
        ("{a,b}" * 20, "{a,b}" * 20, True),  # taken as it is written: it would be a million globs
    ],
)
def test_globs(path: str, glob: str, expected: bool) -> None:
    assert matches_any(path, [glob], PROJECT) is expected


def test_a_path_is_seen_from_the_project() -> None:
    assert relative_path("/work/shop/./a/../b", PROJECT) == "b"
    assert relative_path("../x", PROJECT) == "/work/x"
    assert relative_path("/work/shop", PROJECT) == "."


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("**/a*/b/**/c", "x/ab/b/c", True),
        ("**/a*/b/**/c", "a/x/ab/b/y/z/c", True),
        ("**/a/**/a/**/a/**/c", "a/" * 50_000 + "b", False),
        ("**/a/**/a/**/a/**/b", "a/" * 50_000 + "b", True),
    ],
)
def test_several_deep_parts(glob: str, path: str, expected: bool, tmp_path: Path) -> None:
    """A path is a text of the model: of 50,000 folders ``re`` would try every choice of three."""
    assert matches_any(path, [glob], tmp_path) is expected
