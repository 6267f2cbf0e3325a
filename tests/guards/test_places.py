"""Globs of settings on places: they mean the same for every tool."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from anyhook.guards.places import is_matched

PROJECT, HOME = PurePath("/home/me/app"), "/home/me"


@pytest.mark.parametrize(
    ("path", "globs", "expected"),
    [
        ("/home/me/.bashrc", ["~/**"], True),
        ("/home/me/.bashrc", ["~/.bash*"], True),
        ("/home/ana/.bashrc", ["~ana/**"], True),
        ("/home/me", ["~"], True),
        ("/etc/hosts", ["~/**"], False),
        ("/home/me/.bashrc", ["/**"], True),
        ("/home/me/app/src/a", ["/**"], True),
        ("/home/me/app/src/a", ["/home/me/app/src/**"], True),
        ("/home/me/other/x", ["../**"], True),
        ("/home/me/other/x", ["../app/**"], False),
        ("/home/me/app/src/a", ["src/**"], True),
        ("/home/me/app/src/a", ["./src/**"], True),
        ("/etc/src/a", ["./**"], False),
        ("/home/me/app/src/a", ["docs/../src/**"], True),
        ("/home/me/app/src/a/b", ["src/"], True),
        ("/etc/x.pem", ["**/*.pem"], True),
        ("/home/me/app/api/.env", [".env"], True),
        ("$DIR/.env", [".env"], True),
        ("/home/me/app/~$a.doc", ["~$*"], True),
        ("/home/me/app/a.ts", ["*.{js,ts}"], True),
        ("/home/me/app/src/gen/x", ["src/**", "!src/gen/**"], False),
        ("/home/me/app/src/x", ["src/**", "!src/gen/**"], True),
        ("/home/me/app/docs/x", ["!src/**"], True),
        ("/home/me/app/src/x", ["!src/**"], False),
    ],
)
def test_what_a_glob_means(path: str, globs: list[str], expected: bool) -> None:
    assert is_matched(path, globs, PROJECT, HOME) is expected


@pytest.mark.parametrize(
    ("folder", "globs", "expected"),
    [
        ("/home/me/app/tests", ["tests/**"], True),
        ("/home/me/app", ["tests/**"], True),
        ("/home/me/app/*", ["tests/**"], True),
        ("/home/me/app/te*", ["tests/**"], True),
        ("/", ["tests/**"], True),
        ("/home/me/app/docs", ["tests/**"], False),
        ("/home/me/app/build", ["**/*.py"], False),
        ("/home/me/app/build", ["*.py"], False),
        ("/home/me/app/tests", ["tests/**", "!tests/unit/**"], True),
    ],
)
def test_a_folder_that_may_contain_what_a_glob_means(folder: str, globs: list[str], expected: bool) -> None:
    assert is_matched(folder, globs, PROJECT, HOME, may_contain=True) is expected
