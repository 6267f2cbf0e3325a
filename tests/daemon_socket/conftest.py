"""The daemon needs a POSIX system."""

from __future__ import annotations

import os

collect_ignore_glob = [] if os.name == "posix" else ["test_*.py"]
