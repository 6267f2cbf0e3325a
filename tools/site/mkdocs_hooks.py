"""What mkdocs calls while it builds.

Folders in the navigation become their pages, links out of ``docs`` lead to the repository, the file of a block is its
title, and every page has a description. Generated pages have no link to edit them.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

_link = re.compile(r"\]\((?P<target>[^)#\s]+)(?P<anchor>#[^)]*)?\)")
_file = re.compile(r"^```(?P<language>\w+) (?P<path>[^\s=]+)(?: \(\d+\))?$", re.MULTILINE)
_fenced = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_prose = re.compile(r"[A-Za-z0-9`\[]|\*\*")
_generated = re.compile(r"settings\.md|commands\.md|clients/.*")
_LONGEST_DESCRIPTION = 200


def on_config(config: Any) -> Any:
    config["nav"] = [_filled(entry, Path(config["docs_dir"])) for entry in config["nav"]]
    return config


def _filled(entry: Any, docs: Path) -> Any:
    """An entry of the navigation, with the pages of each folder that has a star."""
    if not isinstance(entry, dict):
        return entry
    [(title, below)] = entry.items()
    if isinstance(below, list):
        return {title: [_filled(each, docs) for each in below]}
    if not below.endswith("/*"):
        return entry
    folder = docs / below.removesuffix("/*")
    overview = folder / "README.md" if (folder / "README.md").exists() else folder.with_suffix(".md")
    pages = [overview, *sorted(page for page in folder.glob("*.md") if page.name != "README.md")]
    return {title: [page.relative_to(docs).as_posix() for page in pages]}


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    folder = posixpath.dirname(page.file.src_uri)
    paragraphs = _fenced.sub("", markdown).split("\n\n")
    first = next((each for each in paragraphs if _prose.match(each.strip())), "")
    page.meta.setdefault("description", _plain(first))
    if page.file.src_uri == "troubleshooting.md":
        page.meta["search"] = {"boost": 3}  # what people search for when something does not work
    if page.is_homepage:
        page.meta["hide"] = ["navigation"]  # it would be this page alone
    if _generated.fullmatch(page.file.src_uri):
        page.edit_url = None

    def link(found: re.Match[str]) -> str:
        target = found["target"]
        path = posixpath.normpath(posixpath.join("docs", folder, target))
        if "://" in target or path.startswith("docs/"):
            return found[0]
        return f"]({config['repo_url']}/blob/main/{path}{found['anchor'] or ''})"

    return _file.sub(r'```\g<language> title="\g<path>"', _link.sub(link, markdown))


def _plain(paragraph: str) -> str:
    """The first sentences of a paragraph without its markup."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", " ".join(paragraph.split()))
    if len(text) <= _LONGEST_DESCRIPTION:
        return text
    cut = text[:_LONGEST_DESCRIPTION]
    return cut[: cut.rfind(". ") + 1] or cut[: cut.rfind(" ")] + " …"


def on_post_page(output: str, *, page: Any, config: Any) -> str:
    """Without the component that asks GitHub's server for stars."""
    return output.replace(' data-md-component="source"', "")
