"""What mkdocs calls while it builds: links out of ``docs`` lead to the repository; the file of a block is its title."""

from __future__ import annotations

import posixpath
import re
from typing import Any

_link = re.compile(r"\]\((?P<target>[^)#\s]+)(?P<anchor>#[^)]*)?\)")
_file = re.compile(r"^```(?P<language>\w+) (?P<path>[^\s=]+)(?: \(\d+\))?$", re.MULTILINE)


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    folder = posixpath.dirname(page.file.src_uri)

    def link(found: re.Match[str]) -> str:
        target = found["target"]
        path = posixpath.normpath(posixpath.join("docs", folder, target))
        if "://" in target or path.startswith("docs/"):
            return found[0]
        return f"]({config['repo_url']}/blob/main/{path}{found['anchor'] or ''})"

    return _file.sub(r'```\g<language> title="\g<path>"', _link.sub(link, markdown))
