"""Tests of other people's hook files are collected only where they exist; there is nothing to skip elsewhere."""

from __future__ import annotations

from tests.hook_corpus import CORPUS

collect_ignore = [] if CORPUS.exists() else ["test_corpus.py"]
