"""Where things are: this checkout and the source that is tested."""

from __future__ import annotations

from pathlib import Path

import anyhook

ROOT = Path(__file__).parents[1]
SOURCE = Path(anyhook.__file__).parents[1]
"""The folder to put on PYTHONPATH."""
CONFORMANCE = ROOT / "conformance"
