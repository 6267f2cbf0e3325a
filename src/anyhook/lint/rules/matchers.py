"""Rules about matchers: what the client makes of the text, and whether anything it sends can ever match."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct, structs

from anyhook.dialects import real_clients
from anyhook.dialects.bound_event import bind_rule
from anyhook.dialects.events import native_names
from anyhook.dialects.profile import Otherwise, Profile
from anyhook.dialects.translation.tools import (
    former_owners_of,
    is_mcp_name,
    owners_of,
    tool_names,
    translate_name,
)
from anyhook.engine.match import Form, Matcher, compile_matcher, matcher_for, permission_rule, seen_tool
from anyhook.engine.reach import dead_names, no_tool_name
from anyhook.lint.checked_file import CheckedFile
from anyhook.model.codes import Severity
from anyhook.model.document import Pointer
from anyhook.model.events import Subject
from anyhook.model.hooks import Rule
from anyhook.model.problems import Problem
from anyhook.model.wording import join_and, join_or


class Matched(Struct, frozen=True):
    """A rule with a matcher, as a client reads it."""

    file: CheckedFile
    rule: Rule
    text: str
    profile: Profile
    matcher: Matcher
    pointer: Pointer

    def problem(self, code: str, text: str, fix: str = "", severity: Severity | None = None) -> Problem:
        return self.file.problem(code, self.pointer, text, fix, severity=severity)

    def matches_a_tool(self, text: str) -> bool:
        """Whether a matcher of this text would match a tool that the client is known to have."""
        matching = self.profile.matching
        matcher = compile_matcher(text, Subject.TOOL, matching.mode_for(self.rule.event))
        return any(matcher.matches(*seen_tool(matching, name)) for name in tool_names(self.profile.name))


def check_matcher(file: CheckedFile, rule: Rule) -> Iterator[Problem]:
    """All rules about one matcher. What says most about the mistake comes first, and then little else."""
    if rule.matcher is None or rule.native_event not in native_names(file.profile.name):
        return
    matched = _matched(file, rule, rule.matcher)
    if matched.matcher.form is Form.IGNORED:
        yield from _ignored(matched)
        return
    foreign = _foreign_syntax(matched) if matched.matcher.subject is Subject.TOOL else []
    if foreign:
        yield from foreign
        return
    yield from _invalid(matched)
    yield from _slow(matched)
    if matched.matcher.subject is Subject.TOOL:
        yield from _tools(matched)
    elif matched.matcher.form in (Form.NAMES, Form.PATTERN):
        yield from _values(matched)


def _matched(file: CheckedFile, rule: Rule, text: str) -> Matched:
    pointer = (*file.pointer(rule.origin), "matcher")
    profile = bind_rule(file.profile, rule).profile
    matcher = matcher_for(file.profile, rule)
    if matcher.form is Form.IGNORED and rule.event in profile.matching.values:
        # A constant that the client sends on an event that is about nothing (Cursor's stop).
        matcher = compile_matcher(text, Subject.REASON, profile.matching.mode_for(rule.event))
    return Matched(file, rule, text, profile, matcher, pointer)


# --------------------------------------------------------------------------------------------------- ignored or invalid


def _ignored(matched: Matched) -> Iterator[Problem]:
    title, event, text = matched.profile.title, matched.rule.native_event, matched.text
    if text.strip() in {"", "*", *matched.profile.matching.mode.everything}:
        yield matched.problem(
            "M005", f"{title} ignores matchers on {event}, and this one asks for nothing", "remove it"
        )
    elif matched.profile.matching.no_subject_never_matches:
        yield matched.problem("M004", f"with a matcher, {title} never runs the hook on {event}", "remove the matcher")
    elif matched.profile.matching.ignored:
        scope = "on every tool" if matched.matcher.subject is Subject.TOOL else "every time"
        fix = "test for it inside the hook"
        yield matched.problem("M004", f"{title} ignores every matcher: the hook runs {scope}, not only on {text}", fix)
    else:
        fix = "remove it, or test the event inside the hook"
        severity = Severity.NOTE if text.strip("^$") in {".*", ".+", "."} else None
        yield matched.problem("M004", f"{title} ignores matchers on {event}: the hook runs every time", fix, severity)


def _invalid(matched: Matched) -> Iterator[Problem]:
    matcher, title = matched.matcher, matched.profile.title
    if not matcher.error or (matcher.form is Form.NAMES and len(matcher.names) > 1):
        return
    effect = "never matches"
    if matcher.loses_entry:
        effect = "keeps the hook from being loaded"
    elif matcher.form is Form.NAMES:
        effect = "is compared as plain text, so it matches nothing"
    fix = "write a valid expression"
    if matched.matcher.subject is Subject.TOOL:
        fix = f"write a list of names such as {_tool_names_of(matched)}, or a valid expression"
    elif sent := matched.profile.matching.values.get(matched.rule.event):
        fix = f"{title} sends {', '.join(sorted(sent))}"
    if matched.text in {"*", ""}:
        fix = 'write ".*" or leave the matcher out to match everything'
    yield matched.problem("M001", f"in {title} the matcher {matched.text!r} {effect}: {matcher.error}", fix)


def _tool_names_of(matched: Matched) -> str:
    """Two of the client's own tools, as a matcher lists them."""
    kinds = matched.profile.tools.kinds
    names = [kinds[kind].names[0] for kind in ("edit", "write", "shell") if kind in kinds and kinds[kind].names]
    return "|".join(dict.fromkeys(names[:2])) or "Edit|Write"


_REPEATED = r"(?:\*|\+|\{\d+,\})"
_ATOM = r"(?:\\?.|\[[^\]]*\]|\\[wWdDsS])"
_nested_repeat = re.compile(rf"\((?:\?:)?(?:[^()|]*\|)*{_ATOM}{_REPEATED}(?:\|[^()|]*)*\){_REPEATED}").search


def _slow(matched: Matched) -> Iterator[Problem]:
    """M010: a repetition of a repetition, in an engine that tries every way to split the text."""
    mode = matched.profile.matching.mode_for(matched.rule.event)
    is_pattern = matched.matcher.form is Form.PATTERN and mode.otherwise is not Otherwise.GLOB
    if is_pattern and mode.flavour in ("javascript", "python") and (found := _nested_repeat(matched.text)):
        text = f"{found[0]} repeats a repetition; {matched.profile.title} may need exponential time for a long name"
        yield matched.problem("M010", text, "repeat only once: (a+)+ is a+")


# ------------------------------------------------------------------------------------------------------- foreign syntax

_path_like = re.compile(
    r"\*\*|\*\.\w|(?:^|[\w.*:])/[\w.*]|\.(?:tsx?|jsx?|py|md|json|ya?ml|go|rs|sh|env)\b(?!\?)"
).search
_expression = re.compile(r"\s(?:==|&&|\|\||matches)\s").search
_regex_literal = re.compile(r"/(?P<inside>.+)/[gimsuy]*", re.DOTALL).fullmatch


def _foreign_syntax(matched: Matched) -> list[Problem]:
    """M002 and M003: the matcher is written in a language that the client uses elsewhere, or not at all."""
    text, title = matched.text.strip(), matched.profile.title
    if matched.matches_a_tool(text) or is_mcp_name(text.lstrip("^("), matched.profile.name):
        return []
    rule = permission_rule(text)
    if rule and (owners_of(rule["tool"]) or rule["tool"] in tool_names(matched.profile.name)):
        fix = f"write {_in_own_names(matched, rule['tool'])}, and test the rest inside the hook"
        if "if" in matched.profile.layout.common_keys:
            fix = f'write "matcher": "{rule["tool"]}" and, on the hook, "if": "{text}"'
        return [matched.problem("M002", f"{text} is a permission rule; {title} compares matchers with tool names", fix)]
    if literal := _regex_literal(text):
        explanation = f"the slashes of {text} are part of the pattern, and no tool's name has a slash"
        return [matched.problem("M003", explanation, f"write {_in_own_names(matched, literal['inside'])}")]
    if _expression(text):
        explanation = f"{text} is an expression, and {title} compares matchers with tool names, so it never matches"
        fix = f"write the tool, such as {_tool_names_of(matched)}, and test the rest in the hook"
        return [matched.problem("M011", explanation, fix)]
    if _path_like(text) and not text.startswith("@"):
        explanation = f"{text} looks like a file path or glob; {title} compares matchers with tool names"
        return [
            matched.problem(
                "M003", explanation, f"write the tool, such as {_tool_names_of(matched)}, and test the path in the hook"
            )
        ]
    return []


def _in_own_names(matched: Matched, text: str) -> str:
    """A matcher with the client's own names for the tools that it names."""
    known, name = tool_names(matched.profile.name), matched.profile.name
    parts: dict[str, None] = {}
    for part in alternatives(text):
        owners = () if part in known else owners_of(part)
        own = dict.fromkeys(new for client in owners for new in translate_name(part, client, name).names)
        parts |= own or {part: None}
    return "|".join(parts)


# ----------------------------------------------------------------------------------------------------------- tool names


def alternatives(text: str) -> tuple[str, ...]:
    """The alternatives of a matcher: names, or small patterns."""
    text = text.strip()
    for _ in range(3):
        inner = re.fullmatch(r"\^?\((?:\?:)?([^()]*)\)\$?", text)
        text = inner[1] if inner else text
    if "(" in text or "[" in text:
        return (text,)
    separator = r"[|,]" if re.fullmatch(r"[\w\-, |]*", text) else r"\|"
    return tuple(dict.fromkeys(part.strip().strip("^$") for part in re.split(separator, text) if part.strip()))


def _tools(matched: Matched) -> Iterator[Problem]:
    """M006, M007 and M008."""
    profile = matched.profile
    if profile.tools.borrowed or not tool_names(profile.name) or matched.matcher.form is Form.INVALID:
        return
    parts = alternatives(matched.text)
    dead = [part for part in parts if _is_dead(matched, part)]
    removed = [part for part in dead if part in profile.tools.removed]
    none = {part: why for part in dead if (why := no_tool_name(profile, matched.rule, part))}
    foreign = [part for part in dead if part not in removed and part not in none]
    is_useless = len(dead) == len(parts) and not matched.matches_a_tool(matched.text)
    if removed:
        yield _removed(matched, removed, is_useless)
    for part, why in none.items():
        yield _no_tool(matched, part, why, is_useless)
    if foreign and is_useless:
        text = f"{profile.title} has no tool called {join_or(foreign)}, so the matcher never matches"
        severity = Severity.WARNING if matched.file.is_guessed else None
        yield matched.problem("M006", text, _suggest(matched, foreign), severity)
    elif not dead and (owners := _matches_elsewhere(matched)):
        text = f"the pattern matches no tool of {profile.title}, only tools of others such as {owners}"
        severity = Severity.WARNING if matched.file.is_guessed else None
        yield matched.problem("M006", text, _suggest(matched, [owners]), severity)
    elif foreign:
        verb = "is no tool" if len(foreign) == 1 else "are no tools"
        text = f"{join_and(foreign)} {verb} of {profile.title}; the rest of the matcher works"
        yield matched.problem("M007", text, _suggest(matched, foreign) or "remove it")


def _matches_elsewhere(matched: Matched) -> str:
    """A tool of another client that the pattern matches, if it matches none of this client."""
    if (
        matched.matcher.form is not Form.PATTERN
        or matched.matches_a_tool(matched.text)
        or "mcp" in matched.text.lower()
    ):
        return ""
    names = sorted({name for known in real_clients() for name in tool_names(known.name)})
    return next((name for name in names if matched.matcher.matches(name)), "")


def _is_dead(matched: Matched, part: str) -> bool:
    """Whether a name is one that this client surely never sends: a tool of others, of the past, or in another case."""
    if not re.fullmatch(r"[\w.-]+", part):
        return False
    if matched.matches_a_tool(part):
        return _matches_only_by_chance(matched, part)
    if part in matched.profile.tools.never_sent:
        return True
    named = structs.replace(matched.matcher, names=frozenset({part}))
    if dead_names(matched.profile, matched.rule, named):
        return True
    return part.lower() in {name.lower() for name in tool_names(matched.profile.name)}


def _matches_only_by_chance(matched: Matched, part: str) -> bool:
    """``Edit`` is found in Cursor's EditNotebook, but what Claude Code calls Edit is Write there."""
    profile = matched.profile
    aliases = {alias for names in profile.matching.tool_aliases.values() for alias in names}
    if part in tool_names(profile.name) or part in aliases:
        return False
    meant = {own for client in owners_of(part) for own in translate_name(part, client, profile.name).names}
    mode = profile.matching.mode_for(matched.rule.event)
    matcher = compile_matcher(part, Subject.TOOL, mode)
    return bool(meant) and not any(matcher.matches(*seen_tool(profile.matching, own)) for own in meant)


def _no_tool(matched: Matched, part: str, why: str, is_useless: bool) -> Problem:
    """M011: an event, or the start of an MCP tool's name, where names are compared as a whole."""
    title, event = matched.profile.title, matched.rule.native_event
    effect = "so the matcher never matches" if is_useless else "so this part of the matcher never matches"
    severity = None if is_useless and not matched.file.is_guessed else Severity.WARNING
    if why == "event":
        text = f"{part} is an event, and {title} compares matchers on {event} with the names of tools, {effect}"
        return matched.problem("M011", text, f"put the hook under {part}, or name a tool", severity)
    text = f"{part} is only the start of MCP tools' names, and {title} compares whole names, {effect}"
    return matched.problem("M011", text, f"write {part.rstrip('_')}__.*", severity)


def _removed(matched: Matched, removed: list[str], is_useless: bool) -> Problem:
    title = matched.profile.title
    heirs = {name: matched.profile.tools.removed[name] for name in removed}
    text = f"{title} no longer has {join_or(removed)}"
    fix = ", ".join(f"{heir} took the place of {name}" for name, heir in heirs.items())
    if is_useless:
        return matched.problem("M008", f"{text}, so the matcher never matches", fix, Severity.ERROR)
    if all(_matches(matched, heir) for heir in heirs.values()):
        return matched.problem("M008", f"{text}; the rest of the matcher works", f"remove it: {fix}", Severity.NOTE)
    return matched.problem("M008", text, fix)


def _matches(matched: Matched, name: str) -> bool:
    return matched.matcher.matches(*seen_tool(matched.profile.matching, name))


def _suggest(matched: Matched, dead: list[str]) -> str:
    """The client's own names for tools that are called otherwise elsewhere."""
    profile = matched.profile
    own: dict[str, None] = {}
    for name in dead:
        same = [known for known in tool_names(profile.name) if known.lower() == name.lower()]
        for client in () if same else (*former_owners_of(name), *owners_of(name)):
            names_there = translate_name(name, client, profile.name).names if client != profile.name else ()
            own.update(dict.fromkeys(names_there))
        own.update(dict.fromkeys(same))
    return f"in {profile.title} it is {join_or(own)}" if own else ""


# --------------------------------------------------------------------------------------------------------- other values


def _values(matched: Matched) -> Iterator[Problem]:
    """M009: a source, reason or trigger that the client never sends on this event."""
    sent = matched.profile.matching.values.get(matched.rule.event)
    if not sent:
        return
    title, event, subject = matched.profile.title, matched.rule.native_event, matched.matcher.subject
    fix = f"{title} sends {', '.join(sorted(sent))}"
    if not any(matched.matcher.matches(value) for value in sent):
        parts = [part for part in alternatives(matched.text) if part in sent]
        text = f"{title} never sends the {subject} {matched.text!r} on {event}, so the hook never runs"
        if parts:
            whole = f"{title} compares the whole matcher {matched.text!r} with the {subject}"
            text = f"{whole} on {event}, so it never matches"
            fix = f"write one group for each of {', '.join(parts)}"
        yield matched.problem("M009", text, fix)
        return
    mode = matched.profile.matching.mode_for(matched.rule.event)
    unsent = [
        part
        for part in alternatives(matched.text)
        if re.fullmatch(r"[\w-]+", part)
        and not any(compile_matcher(part, subject, mode).matches(value) for value in sent)
    ]
    if unsent:
        text = f"{title} never sends {join_or(unsent)} on {event}; the rest of the matcher works"
        yield matched.problem("M009", text, fix, Severity.NOTE)
