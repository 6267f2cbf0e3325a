"""Where things are: this checkout, the source that is tested, and what may lie beside the checkout."""

from __future__ import annotations

from pathlib import Path

import anyhook

ROOT = Path(__file__).parents[1]
SOURCE = Path(anyhook.__file__).parents[1]
"""The folder to put on PYTHONPATH."""
CONFORMANCE = ROOT / "conformance"
SHARED = ROOT.parent / "shared"
