"""Writes the pages of ``docs`` and the ``schemas`` that are made from code. Run by ``make docs``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from anyhook.cli.clients_command import other_schemas, schema_of
from anyhook.dialects import NAMES
from tools.site import commands_page, dialects_page, settings_page
from tools.site.client_pages import pages
from tools.site.man_page import man_page
from tools.site.pictures import pictures
from tools.site.writing_hooks_page import filled

DOCS = Path(__file__).resolve().parents[2] / "docs"


def generated() -> dict[Path, str]:
    """Every generated page and schema, and what it must contain."""
    clients = {DOCS / "clients" / name: text for name, text in pages().items()}
    dialects = DOCS / "dialects.md"
    writing = DOCS / "writing-hooks.md"
    return {
        DOCS / "commands.md": commands_page.page(),
        DOCS / "settings.md": settings_page.page(),
        DOCS / "man" / "anyhook.1": man_page(),
        dialects: dialects_page.filled(dialects.read_text(encoding="utf-8")),
        writing: filled(writing.read_text(encoding="utf-8")),
        **clients,
        **_schemas(),
    }


def _schemas() -> dict[Path, str]:
    """The JSON Schema of every hook file, and of the other files that anyhook reads."""
    made = {name: json.dumps(schema_of(name), indent=2, ensure_ascii=False) for name in (*NAMES, *other_schemas())}
    return {DOCS.parent / "schemas" / f"{name}.json": f"{text}\n" for name, text in made.items()}


def main() -> int:
    for path, text in {**generated(), **pictures()}.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
