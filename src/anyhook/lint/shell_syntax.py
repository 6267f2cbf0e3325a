"""Whether a shell can parse a text. The shell only reads it (``-n``); nothing of it is run."""

from __future__ import annotations

import os
import re
import subprocess
from functools import lru_cache

from anyhook.shell.grammar import MAX_LENGTH
from anyhook.shell.written import read_text
from anyhook.sources import disk

_TIMEOUT = 5
"""Seconds; parsing takes milliseconds, and a text that takes longer is not judged."""
_can_be_wrong = re.compile(r"[()`{}]|;;|\b(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|function)\b").search
_message = re.compile(r"line \d+: (.*)")


@lru_cache(maxsize=512)
def syntax_error(text: str) -> str:
    """What bash, which accepts more than other shells, says about the text; empty if it can parse it, or if unknown."""
    scanned = read_text(text)
    if len(text) > MAX_LENGTH or (scanned.is_complete and not _can_be_wrong(text)):
        return ""
    program = disk.find_program("bash", os.environ.get("PATH")) if os.name == "posix" else None
    if program is None:
        return ""
    words = [program, "--norc", "--noprofile", "-O", "extglob", "-n"]
    try:
        done = subprocess.run(  # an empty environment: BASH_ENV could name a file to run
            words, input=text.encode("utf-8", "replace"), capture_output=True, timeout=_TIMEOUT, env={}, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    said = [found[1] for found in _message.finditer(done.stderr.decode("utf-8", "replace"))]
    return said[0] if done.returncode == 2 and said else ""
