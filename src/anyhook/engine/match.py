"""Does a matcher match, and if not, why: compiled once, by the rules of the client that reads it."""

from __future__ import annotations

import enum
import re
import warnings
from collections.abc import Callable, Sequence
from fnmatch import translate as translate_glob
from functools import lru_cache
from typing import Any, Protocol

from msgspec import Struct

from anyhook.dialects.bound_event import bind_rule
from anyhook.dialects.profile import Invalid, Matching, MatchMode, Otherwise, Profile
from anyhook.dialects.translation.tool_kinds import may_be_of_kind
from anyhook.model.events import Subject
from anyhook.model.hooks import Rule

PATTERN_SECONDS = 0.1
"""How long a backtracking pattern may take on one name."""
NO_ALIASES: frozenset[str] = frozenset()


class Form(enum.StrEnum):
    """What a client makes of a matcher's text."""

    EVERYTHING = "matches everything"
    IGNORED = "is ignored here"
    NAMES = "a list of exact names"
    PATTERN = "a regular expression"
    INVALID = "is not a valid pattern"


class Pattern(Protocol):
    def search(self, text: str, /) -> object | None: ...
    def fullmatch(self, text: str, /) -> object | None: ...


class Matcher(Struct, frozen=True, kw_only=True):
    """A compiled matcher."""

    text: str | None
    form: Form
    subject: Subject
    names: frozenset[str] = frozenset()
    pattern: Pattern | None = None
    whole: bool = False
    sees_aliases: bool = False
    error: str = ""
    loses_entry: bool = False
    """Invalid in a way that keeps the client from loading the hook at all."""
    backtracks: bool = False
    """Only a backtracking engine can run the pattern, so it may be slow."""

    def matches(self, value: str, aliases: frozenset[str] = NO_ALIASES) -> bool:
        if self.form in (Form.EVERYTHING, Form.IGNORED):
            return True
        if value in self.names or not self.names.isdisjoint(aliases):
            return True
        if self.pattern is None:
            return False
        test = self.pattern.fullmatch if self.whole else self.pattern.search
        if test(value):
            return True
        return self.sees_aliases and any(test(alias) for alias in aliases)

    def why_not(self, value: str) -> str:
        """In words, why this matcher does not match a value."""
        if self.form is Form.INVALID:
            return f"matcher {self.text!r} {self.form}: {self.error}"
        if self.names and self.pattern is None:
            kind = "an exact name" if len(self.names) == 1 else "a list of exact names"
            return f"matcher {self.text!r} is {kind} here and the {self.subject} is {value!r}"
        anchoring = "must match the whole" if self.whole else "is searched in the"
        return f"matcher {self.text!r} {anchoring} {self.subject} and does not match {value!r}"


def permission_rule(text: str) -> re.Match[str] | None:
    """``Bash(git *)``: what Claude Code's permissions and ``if`` take, and matchers do not."""
    if not text.endswith(")"):  # most matchers: no pattern is compiled for them
        return None
    return re.fullmatch(r"(?P<tool>[A-Za-z_]\w*)\((?P<inside>.*)\)", text, re.DOTALL)


def matcher_for(profile: Profile, rule: Rule) -> Matcher:
    """The compiled matcher of a rule, by the rules that hold under its event name."""
    matching = bind_rule(profile, rule).profile.matching
    return compile_matcher(rule.matcher, matching.subject(rule.event), matching.mode_for(rule.event), matching.ignored)


def may_match(profile: Profile, rule: Rule, subject: str) -> bool:
    """Whether the matcher of a rule may match, told without compiling a pattern: one counts as a match.

    For rules of files that are not trusted: compiling and running thousands of patterns takes minutes.
    """
    if rule.kinds and not may_be_of_kind(rule.kinds, subject, profile.name):
        return False
    matching = bind_rule(profile, rule).profile.matching
    mode, text = matching.mode_for(rule.event), rule.matcher
    is_pattern = text is not None and mode.otherwise is not Otherwise.EXACT and not _PLAIN.issuperset(text)
    if is_pattern and not (mode.exact is not None and re.fullmatch(mode.exact, text or "")):
        return True
    return matcher_for(profile, rule).matches(*seen_tool(matching, subject))


def seen_tool(matching: Matching, tool: str) -> tuple[str, frozenset[str]]:
    """The name under which matchers see a tool, and the other names that count."""
    name = matching.renamed_tools.get(tool, tool)
    return name, matching.tool_aliases.get(name, NO_ALIASES)


@lru_cache(maxsize=4096)
def compile_matcher(text: str | None, subject: Subject, mode: MatchMode, ignored: bool = False) -> Matcher:
    if text is None:
        return Matcher(text=text, form=Form.EVERYTHING, subject=subject)
    if ignored or subject is Subject.NOTHING:
        return Matcher(text=text, form=Form.IGNORED, subject=subject)
    if not text and mode.empty_is_invalid:
        return _invalid(text, subject, mode, "it is empty")
    stripped = text.strip() if mode.trim == "whole" else text
    if text in mode.everything or stripped in mode.everything:
        return Matcher(text=text, form=Form.EVERYTHING, subject=subject)
    if mode.otherwise is Otherwise.EXACT:
        return Matcher(text=text, form=Form.NAMES, subject=subject, names=frozenset({stripped}))
    if mode.exact is not None and re.fullmatch(mode.exact, stripped):
        return Matcher(text=text, form=Form.NAMES, subject=subject, names=_split(stripped, mode))
    names = frozenset[str]()
    if mode.list_first:
        entries = _entries(stripped)
        if not entries:
            return Matcher(text=text, form=Form.NAMES, subject=subject)
        names, stripped = frozenset(entries), "|".join(entries)
    try:
        pattern, backtracks = compile_pattern(stripped, mode)
    except ValueError as error:
        if names:
            return Matcher(text=text, form=Form.NAMES, subject=subject, names=names, error=str(error))
        if mode.invalid is Invalid.EXACT:
            return Matcher(text=text, form=Form.NAMES, subject=subject, names=frozenset({stripped}), error=str(error))
        return _invalid(text, subject, mode, str(error))
    return Matcher(
        text=text,
        form=Form.PATTERN,
        subject=subject,
        names=names,
        pattern=pattern,
        whole=mode.otherwise is not Otherwise.SEARCH,
        sees_aliases=mode.pattern_sees_aliases,
        backtracks=backtracks,
    )


def _invalid(text: str, subject: Subject, mode: MatchMode, error: str) -> Matcher:
    loses = mode.invalid is Invalid.DROPPED
    return Matcher(text=text, form=Form.INVALID, subject=subject, error=error, loses_entry=loses)


def _entries(text: str) -> list[str]:
    """The alternatives of a list, without white space around them; text that is a pattern as a whole is one."""
    if "|" not in text or text[0] in "^(":
        return [text]
    parts = re.findall(r"(?:\\.|\[(?:\\.|[^\]])*\]|\([^()]*\)|[^|\\])+", text)
    return [part.strip() for part in parts if part.strip()]


def _split(text: str, mode: MatchMode) -> frozenset[str]:
    parts = re.split("[" + re.escape(mode.separators) + "]", text)
    return frozenset(part if mode.trim == "no" else part.strip() for part in parts if part.strip())


_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_|")

# JavaScript has no inline flags for a whole pattern and no possessive or atomic forms; Rust has no look-around.
_NOT_JAVASCRIPT = r"\(\?[a-zA-Z]+\)|\(\?P[<=>]|\(\?>"


def compile_pattern(text: str, mode: MatchMode) -> tuple[Pattern, bool]:
    """The pattern and whether it needs a backtracking engine. ValueError says why it is invalid in this flavour."""
    if mode.otherwise is Otherwise.GLOB:
        return re.compile(translate_glob(text)), False
    if _PLAIN.issuperset(text):
        return Words(text.split("|")), False
    if mode.flavour == "javascript" and (found := re.search(_NOT_JAVASCRIPT, text)):
        raise ValueError(f"{found.group()} is not JavaScript")
    import re2  # 9 ms to import, so only when there is a pattern

    options = re2.Options()
    options.log_errors = False
    options.max_mem = 8 << 20
    try:
        compiled: Pattern = LinearPattern(re2.compile(text, options))
    except re2.error as error:
        return _compile_backtracking(text, mode, _message(error))
    except UnicodeEncodeError:
        raise ValueError("it has half of a surrogate pair") from None
    return compiled, False


def _compile_backtracking(text: str, mode: MatchMode, message: str) -> tuple[Pattern, bool]:
    """Look-around and back references exist in JavaScript and Python, not in the linear-time engines."""
    if mode.flavour in ("rust", "re2"):
        raise ValueError(message)
    import regex  # unlike `re` it can be told to give up

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # its thoughts about `[[` are not the client's
            return BoundedPattern(regex.compile(text)), True
    except (regex.error, RecursionError, OverflowError) as error:
        raise ValueError(str(error)) from None


class Words:
    """A pattern of plain words such as ``Edit|Write``, which is the same in every flavour and needs no library."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words

    def search(self, text: str, /) -> object | None:
        return True if any(word in text for word in self._words) else None

    def fullmatch(self, text: str, /) -> object | None:
        return True if text in self._words else None


class LinearPattern:
    """A pattern of RE2, which takes linear time. It reads UTF-8, so half of a surrogate pair is read as a character."""

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled

    def search(self, text: str, /) -> object | None:
        return self._tested(self._compiled.search, text)

    def fullmatch(self, text: str, /) -> object | None:
        return self._tested(self._compiled.fullmatch, text)

    def _tested(self, test: Callable[[str], object | None], text: str) -> object | None:
        try:
            return test(text)
        except UnicodeEncodeError:
            return test(text.encode("utf-8", "replace").decode())


class BoundedPattern:
    """A pattern that only backtracking can run. One that takes too long counts as a match: a filter fails open."""

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled

    def search(self, text: str, /) -> object | None:
        return self._within_limit(self._compiled.search, text)

    def fullmatch(self, text: str, /) -> object | None:
        return self._within_limit(self._compiled.fullmatch, text)

    def _within_limit(self, test: Callable[..., object | None], text: str) -> object | None:
        try:
            return test(text, timeout=PATTERN_SECONDS)
        except TimeoutError:
            return True


def _message(error: Exception) -> str:
    text = error.args[0] if error.args else ""
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
