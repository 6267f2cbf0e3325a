"""What is wrong with a hook before it is written: what ``check`` and ``doctor`` would say of the file with it."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from anyhook.deploy.target_files import TargetFile
from anyhook.dialects import profile
from anyhook.dialects.bound_event import bind_rule
from anyhook.dialects.translation.tools import is_mcp_name, tool_names
from anyhook.doctor.programs import missing_programs
from anyhook.engine.match import Form, compile_matcher, matcher_for, seen_tool
from anyhook.lint.checked_file import CheckedFile
from anyhook.lint.lint import check_file, read_as
from anyhook.lint.rules.matchers import alternatives
from anyhook.model.events import Subject
from anyhook.model.hooks import Rule
from anyhook.model.problems import Problem
from anyhook.model.wording import close_matches
from anyhook.sources.discover import Found

_Finding = TypeVar("_Finding")


def problems_of_change(target: TargetFile, before: str, after: str) -> tuple[Problem, ...]:
    """What the linter finds in the new text of a file, and not in the one before."""
    old, new = (sorted(check_file(file), key=_place) for file in _both(target, before, after))
    return tuple(_added(old, new, lambda found: f"{found.code} {found.text}"))


def _place(found: Problem) -> tuple[int, int, str]:
    return found.origin.line, found.origin.column, found.code


def missing_in_change(target: TargetFile, before: str, after: str) -> Iterator[str]:
    """The programs that a hook of the new text needs and this machine does not have, with the remedy."""
    old, new = (
        [found for hook in file.all_hooks() for found in missing_programs(hook, os.environ)]
        for file in _both(target, before, after)
    )
    yield from (f"{found.text}; {found.fix}" for found in _added(old, new, lambda found: found.text))


def _both(target: TargetFile, before: str, after: str) -> Iterator[CheckedFile]:
    found = Found(target.client, target.source, target.path, target.base, (0, 0))
    yield from (read_as(found, text) for text in (before, after))


def _added(old: Iterable[_Finding], new: Iterable[_Finding], key: Callable[[_Finding], str]) -> Iterator[_Finding]:
    """What is new. Lines change with every entry, so that only the words tell what was there before."""
    known = Counter(map(key, old))
    for found in new:
        if known[key(found)]:
            known[key(found)] -= 1
        else:
            yield found


def unknown_tools(client: str, rule: Rule, problems: Iterable[Problem]) -> Iterator[str]:
    """The parts of a matcher that match no tool that the client is known to have, with what may be meant.

    The linter reports those that other clients have, which ``problems`` says; any other may be a plugin's tool.
    """
    said = " ".join(problem.text for problem in problems if problem.code.startswith("M"))
    facts, own = profile(client), tool_names(client)
    matcher, matching = matcher_for(facts, rule), bind_rule(facts, rule).profile.matching
    if not own or matcher.subject is not Subject.TOOL or matcher.form not in (Form.NAMES, Form.PATTERN):
        return
    for part in alternatives(rule.matcher or ""):
        compiled = compile_matcher(part, Subject.TOOL, matching.mode_for(rule.event))
        if (
            part in said
            or is_mcp_name(part, client)
            or any(compiled.matches(*seen_tool(matching, tool)) for tool in own)
        ):
            continue
        close = close_matches(part, own) if re.fullmatch(r"[\w.-]+", part) else []
        hint = f"; did you mean {close[0]}?" if close else ""
        yield f"{part} matches no tool of {facts.title} that anyhook knows{hint}"
