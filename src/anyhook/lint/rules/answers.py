"""Rules about the JSON that a hook prints: does this client read it, does any, and what is lost if it does not."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache, reduce
from pathlib import Path
from typing import Any

from msgspec import Struct

from anyhook.dialects import real_clients
from anyhook.dialects.bound_event import bind_event, bind_rule
from anyhook.dialects.contract import Field
from anyhook.dialects.events import native_name
from anyhook.dialects.profile import Profile
from anyhook.dialects.stages import Printed
from anyhook.dialects.wire.replies import decode_reply
from anyhook.engine.interpret import find_json
from anyhook.lint.checked_file import CommandLine, Hook
from anyhook.lint.rules.scripts import script_files
from anyhook.lint.script_output import script_output
from anyhook.lint.shell_syntax import syntax_error
from anyhook.model.cause import JsonUse
from anyhook.model.codes import Severity
from anyhook.model.events import FoldRule
from anyhook.model.hooks import Command
from anyhook.model.output import Decision, Reply
from anyhook.model.problems import Problem
from anyhook.model.wording import brief_line, join_and
from anyhook.shell.written import UNKNOWN, read_text

_CLIENT_WORDS = "|".join(
    re.escape(word.strip(".")) for known in real_clients() for word in (known.name, *known.recognition.words)
)
"""Words by which a script may mean a client."""
_DECISION_KEYS = frozenset({"decision", "permissionDecision", "permission", "behavior"})


class PrintedAnswer(Struct, frozen=True):
    """A JSON object that the command itself prints."""

    line: CommandLine
    members: Mapping[tuple[str, ...], str]
    data: Mapping[str, Any]
    is_read: bool
    """It goes where this client looks for an answer."""
    text: str = ""
    """As it is printed."""
    error: str = ""
    """Why the printed text is not JSON; empty if it is, or if variables in it keep that open."""


_json_token = re.compile(r'"((?:[^"\\]|\\.)*)"|[{}\[\]:,]|[^\s"{}\[\]:,]+', re.DOTALL).finditer
_MAX_DEPTH = 20


def json_members(text: str) -> Mapping[tuple[str, ...], str]:
    """Members of a printed JSON object, nested ones too: their path and, where it is plain text, their value.

    Works on text that is not JSON yet, because it still has variables. Empty when no object is printed.
    """
    text = text.strip()
    members: dict[tuple[str, ...], str] = {}
    if not text.startswith("{"):
        return members
    stack: list[str | None] = []
    key = ""
    after_colon = False
    for token in _json_token(text):
        mark = token[0]
        if mark in "{[":
            if len(stack) >= _MAX_DEPTH:
                break
            stack.append((key if after_colon else "") if mark == "{" else None)
            after_colon = False
        elif mark in "}]":
            if stack:
                stack.pop()
            after_colon = False
            if not stack:
                break
        elif mark == ":":
            after_colon = True
            if None not in stack:
                members.setdefault((*(part for part in stack[1:] if part), key), "")
        elif mark == ",":
            after_colon = False
        elif after_colon:
            if None not in stack:
                members[(*(part for part in stack[1:] if part), key)] = token[1] if token[1] is not None else mark
        elif token[1] is not None:
            key = token[1]
    return members


def printed_answers(hook: Hook) -> Iterator[PrintedAnswer]:
    reads_stderr = _reads_json_on_stderr(hook)
    for line in hook.shell_commands():
        if syntax_error(line.text):
            continue  # it prints nothing
        for output in read_text(line.text).printed():
            members = json_members(output.text) if output.to != "elsewhere" else {}
            if members:
                is_read = output.to == "stdout" or reads_stderr
                data, error = _as_object(output.text, members), _json_error(output.text)
                yield PrintedAnswer(line, members, data, is_read, output.text, error)


def _reads_json_on_stderr(hook: Hook) -> bool:
    """Whether the client finds JSON on stderr, where stdout is empty."""
    return find_json(bind_rule(hook.profile, hook.rule), Printed("", "{}"), 0).use is JsonUse.STDERR


def _as_object(text: str, members: Mapping[tuple[str, ...], str]) -> Mapping[str, Any]:
    """The object itself, or one with the same members when variables keep the text from being JSON yet."""
    try:
        value = json.loads(text.replace(UNKNOWN, "?"))
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        return value
    built: dict[str, Any] = {}
    for path, written in members.items():
        inner = built
        for key in path[:-1]:
            below = inner.setdefault(key, {})
            inner = below if isinstance(below, dict) else {}
        inner.setdefault(path[-1], {"true": True, "false": False}.get(written, written))
    return built


def _json_error(text: str) -> str:
    """What is wrong with a whole object that is printed; its escapes may be those of JSON, printf or echo."""
    text = text.strip().removesuffix(r"\n")
    if re.search(rf"[$%{UNKNOWN}`]", text) or not text.endswith("}"):
        return ""
    error = ""
    for form in (text, text.replace(r"\n", "\n").replace(r"\"", '"').replace(r"\t", "\t")):
        try:
            json.loads(form)
        except RecursionError:
            return ""
        except ValueError as reason:
            error = error or str(reason).partition(":")[0].lower()
        else:
            return ""
    return error


# ---------------------------------------------------------------------------------------------------------------- rules


def check_unread_answers(hook: Hook) -> Iterator[Problem]:
    """A004: JSON whose keys no client reads, or a reply that is not JSON."""
    for answer in printed_answers(hook):
        if answer.error and answer.is_read and hook.profile.answers.speaks_json:
            text = f"the hook prints {_shown(answer.text)}, which is not valid JSON and has no effect: {answer.error}"
            yield hook.file.problem("A004", answer.line.pointer, text, "correct it; jq . shows the place")
            return
        keys = [path[0] for path in answer.members if len(path) == 1]
        own = {field.path[0] for field in hook.profile.answers.fields(hook.rule.event)}  # also of a specification
        if any(key in own or key in keys_read_on(hook.rule.event) for key in keys):
            continue
        shown = ", ".join(f'"{key}"' for key in keys[:3])
        text, severity = f"no client reads {shown} in an answer, so what the hook prints has no effect", None
        if not answer.is_read:
            text = f"no client reads {shown} in an answer; on stderr the JSON is shown as plain text"
            severity = Severity.NOTE
        yield hook.file.problem("A004", answer.line.pointer, text, _how_to_say(hook), severity=severity)
        return
    yield from _broken_in_scripts(hook)


def _shown(text: str) -> str:
    return brief_line(text.replace(UNKNOWN, "..."), 80)


def _broken_in_scripts(hook: Hook) -> Iterator[Problem]:
    """A script that prints a reply which is not valid JSON."""
    event = hook.rule.event
    read = keys_read_on(event) | {field.path[0] for field in hook.profile.answers.fields(event)}
    for line, path in script_files(hook) if hook.profile.answers.speaks_json else ():
        text = hook.file.disk.text(path)
        for output in script_output(text, path.suffix) if text is not None else ():
            error = _json_error(output.text)
            if error and any(path[0] in read for path in json_members(output.text)):
                shown = _shown(output.text)
                message = f"{path.name} prints {shown}, which is not valid JSON and has no effect: {error}"
                yield hook.file.problem("A004", line.pointer, message, "correct it; jq . shows the place")
                return


def check_discarded_answers(hook: Hook) -> Iterator[Problem]:
    """A006: an answer that another client honours and this one does not."""
    if hook.event is None or native_name(hook.rule.event, hook.profile.name) is None:
        return
    if not hook.profile.runs_hooks:  # which client reads the reply, the file does not say
        return
    for answer in printed_answers(hook):
        if answer.is_read and (lost := _lost(hook, answer.data)):
            yield hook.file.problem("A006", answer.line.pointer, lost.text, lost.fix, severity=lost.severity)
            return
    yield from _discarded_in_scripts(hook)


def check_inline_decisions(hook: Hook) -> Iterator[Problem]:
    """A007: the command line itself decides, so nothing can test it and quoting mistakes break the guard."""
    for line in hook.shell_commands():
        if re.search(r'\\*"permissionDecision\\*"\s*:', line.text) and not syntax_error(line.text):
            text = "the decision is JSON inside the command line, where one wrong quote turns the guard off"
            yield hook.file.problem("A007", line.pointer, text, "move it to a script, which can be tested")


_PRINTERS = frozenset({"echo", "printf", "cat", "true", ":", "exit"})


def check_unread_text(hook: Hook) -> Iterator[Problem]:
    """A008: a command that does nothing but print text which this client does not read here."""
    answers, event = hook.profile.answers, hook.rule.event
    is_read = event in answers.text_is_context_on or answers.text_to_user
    if hook.event is None or is_read or hook.profile.basis != "recorded" or not hook.file.is_certain:
        return
    if native_name(event, hook.profile.name) is None:
        return
    for line in hook.shell_commands():
        text = read_text(line.text)
        programs = text.programs()
        has_variables = any(part.variables for part in text.everything())
        if not text.is_complete or has_variables or not programs or not _PRINTERS.issuperset(programs):
            continue
        if text.exits() - {"0"} or any(command.depth for command in text.commands):
            continue
        outputs = [output for output in text.printed() if output.to != "elsewhere" and output.text.strip()]
        if outputs and all(o.to == "stdout" and not o.text.lstrip().startswith(("{", "[")) for o in outputs):
            title, native = hook.profile.title, hook.rule.native_event
            message = f"the hook only prints text, and {title} gives text on {native} neither to the model nor to you"
            fix = _context_hint(hook)
            yield hook.file.problem("A008", line.pointer, message, fix)


def _context_hint(hook: Hook) -> str:
    """How to reach the model on this event, if there is a way."""
    fields = hook.profile.answers.fields(hook.rule.event)
    path = next((".".join(field.path) for field in fields if field.part == "context" and not field.refused), "")
    if path:
        return f"print JSON with {path}"
    return "remove it, or exit with 2 and the text on stderr" if _blocks_by_status(hook) else "remove it"


def _blocks_by_status(hook: Hook) -> bool:
    return hook.decides and hook.rule.event not in hook.profile.exits.ignored_on


# ------------------------------------------------------------------------------------------------------- what gets lost


class _LostPart(Struct, frozen=True):
    text: str
    fix: str
    severity: Severity | None


def _lost(hook: Hook, data: Mapping[str, Any]) -> _LostPart | None:
    """What this client does not take from an answer, though another one would."""
    profile_here, event = hook.profile, hook.rule.event
    here = decode_reply(bind_rule(hook.file.profile, hook.rule), data)
    for known, like in itertools.product(_answered_clients(), _events_like(hook)):
        spelling = native_name(like, known.name)
        if spelling is None or known.name == hook.file.profile.name:
            continue
        there = decode_reply(bind_event(known, like, spelling), data)
        part = missing_part(here, there)
        if not part:
            continue
        why = ", ".join(unread.pointer.strip("/").replace("/", ".") for unread in here.unread[:2])
        reason = f": {here.invalid}" if here.invalid else f": it does not read {why}" if why else ""
        text = f"{profile_here.title} discards the {part} that {known.title} would take from this reply{reason}"
        guards = part == "refusal" and profile_here.blocks(event)
        return _LostPart(text, _how_to_say(hook, part), Severity.ERROR if guards else Severity.WARNING)
    return None


def _events_like(hook: Hook) -> tuple[str, ...]:
    """The event itself and, if it decides about a tool of one kind, the one that does so for all kinds."""
    event = hook.rule.event
    decides_before = hook.event is not None and hook.event.fold is FoldRule.DECISION and event != "PermissionRequest"
    return tuple(dict.fromkeys((event, "PreToolUse") if decides_before else (event,)))


def missing_part(here: Reply, there: Reply) -> str:
    """What one client takes from an answer and another, the first of the two, does not; empty when nothing."""
    refusals = {Decision.DENY, Decision.BLOCK, Decision.ASK}
    if there.decision in refusals and here.decision is None and not here.stop:
        return "refusal"
    if there.updated_input is not None and here.updated_input is None:
        return "new input"
    return "context" if there.context and not here.context else ""


def _discarded_in_scripts(hook: Hook) -> Iterator[Problem]:
    """A script that refuses only by a key that this client does not read, and never by its exit status."""
    own = _own_decision_keys(hook)
    if not hook.decides or (not own and hook.profile.answers.speaks_json):
        return
    for line, path in script_files(hook):
        text = hook.file.disk.text(path)
        if text is None or path.suffix not in {".sh", ".bash", ".py", ".js", ".mjs", ".cjs"}:
            continue
        code = without_comments(text, path.suffix)
        used = _decision_keys_printed(code)
        if not used or exits_with_two(text):
            continue
        if path.suffix == ".py" and _prints_a_dictionary(code):
            message = f"{path.name} prints a Python dictionary, which is not JSON: its quotes are single"
            yield hook.file.problem("A004", line.pointer, message, "write print(json.dumps(...))")
            return
        if _answers_each_client(code) or _reads_arguments(line, path, code):
            continue  # which of its answers this client gets is open
        printed_objects = (output.data for output in script_output(text, path.suffix) if output.data is not None)
        if lost := next(filter(None, (_lost(hook, data) for data in printed_objects)), None):
            message = f"{path.name}: {lost.text}"
            yield hook.file.problem("A006", line.pointer, message, lost.fix, severity=lost.severity)
            return
        is_misplaced = path.suffix in {".sh", ".bash"} and not _sources(code) and not _is_in_place(hook, used, code)
        if used.isdisjoint(own) or is_misplaced:
            keys = join_and(sorted(used))
            message = f"{path.name} answers with {keys}, which {hook.profile.title} does not read here"
            by_status = bool(own) and _blocks_by_status(hook)
            or_status = ", or exit status 2 with a message on stderr" if by_status else ""
            yield hook.file.problem("A006", line.pointer, message, f"{_how_to_say(hook)}{or_status}")
            return


_client_value = re.compile(
    rf"""["'](?P<quoted>{_CLIENT_WORDS})["']|(?m:^\s*|\|\s*)(?P<case>{_CLIENT_WORDS})\s*[|)]"""
).finditer


def _answers_each_client(code: str) -> bool:
    """Whether a script has two clients or more as values, so that it may answer each in its own form."""
    return len({found["quoted"] or found["case"] for found in _client_value(code)}) > 1


_takes_arguments = re.compile(r"\bargv\b|\bargparse\b|\bparseArgs\b|\$\{?[1-9@*]").search


def _reads_arguments(line: CommandLine, path: Path, code: str) -> bool:
    """Whether the command gives the script arguments and the script reads them."""
    if _takes_arguments(code) is None:
        return False
    lists = [[word.text for word in command.words] for command in read_text(line.text).all_commands()]
    if isinstance(line.hook.action, Command):
        lists.append([*(line.hook.action.args or ())])
    return any(word.rstrip("\"'").endswith(path.name) for words in lists for word in words[:-1])


def _is_in_place(hook: Hook, used: frozenset[str], code: str) -> bool:
    """Whether a script also has the keys around the one by which it decides, as this client wants them."""
    fields = hook.profile.answers.fields(hook.rule.event)
    paths = [field.path for field in fields if field.part == "decision" and not field.refused]
    return any(path[-1] in used and all(key in code for key in path[:-1]) for path in paths)


_prints_a_dictionary = re.compile(r"""\bprint\(\s*\{\s*["'](?!.*\bfile\s*=)""").search
_sources = re.compile(r"(?m)^\s*(?:\.|source)\s").search
_decision = re.compile(
    r"""(?<![\w.])\\?["']?(?P<key>"""
    + "|".join(sorted(_DECISION_KEYS))
    + r""")\\?["']?\s*:\s*\\?["'](?:deny|block|ask)\b"""
).finditer
refuses = re.compile(r"""\\?["'](?:deny|block|ask)\b""").search
_prints = re.compile(r"\becho\b|\bprintf\b|\bjq\b|\bcat\b|\bprint\(|console\.log|stdout|json\.dump\(").search


def _decision_keys_printed(text: str) -> frozenset[str]:
    """The keys by which a script refuses: those with a refusal as their value, if it prints anything."""
    return frozenset(found["key"] for found in _decision(text)) if _prints(text) else frozenset()


_python_text = re.compile(r'"""[\s\S]*?"""|\'\'\'[\s\S]*?\'\'\'|(?<![^\s;])#[^\n]*')
_javascript_text = re.compile(r"/\*[\s\S]*?\*/|(?<![^\s;{}()])//[^\n]*")
_shell_text = re.compile(r"(?<![^\s;])#[^\n]*")


def without_comments(text: str, suffix: str) -> str:
    """A script without its comments and documentation, as far as a pattern can tell."""
    pattern = {".py": _python_text, ".sh": _shell_text, ".bash": _shell_text}.get(suffix, _javascript_text)
    return pattern.sub("", text)


_exit_two = re.compile(
    r"\bexit\s+2\b|\bexit\(\s*2\s*\)|\bexitCode\s*=\s*2\b|\b_exit\(\s*2\s*\)|SystemExit\(\s*2"
).search


def exits_with_two(text: str) -> bool:
    """Whether a script of any language can end with status 2, as far as its text shows."""
    return _exit_two(text) is not None or "2" in read_text(text).exits()


def _own_decision_keys(hook: Hook) -> frozenset[str]:
    fields = hook.profile.answers.fields(hook.rule.event)
    return frozenset(field.path[-1] for field in fields if field.part == "decision" and not field.refused)


def _how_to_say(hook: Hook, part: str = "refusal") -> str:
    """How this client is told what it does not take from a reply."""
    client, event = hook.profile, hook.rule.native_event
    if not client.runs_hooks:
        return "write it as the clients read it that run the hook"
    name = _PARTS.get(part, part)
    fields = client.answers.fields(hook.rule.event) if client.answers.speaks_json else ()
    own = [field for field in fields if field.part == name and not field.refused]
    own += [field for field in fields if field.implies and name == "decision"]
    if own:
        value = next((native for native, meaning in own[0].values.items() if meaning in {"deny", "block"}), "")
        said = f"{client.title} reads {'.'.join(own[0].path)}{f': {value}' if value else ''} on {event}"
        reasons = [field for field in fields if field.part == "reason" and not field.refused]
        is_alone = bool(value and reasons) and not _is_read(hook, client, own[0], value)
        return f"{said}, only with {reasons[0].path[-1]}" if is_alone else said
    by_status = name == "decision" and _blocks_by_status(hook)
    instead = "; exit with 2, with the message on stderr" if by_status else ""
    return f"{client.title} reads no {name} in JSON on {event}{instead}"


_PARTS: Mapping[str, str] = {"refusal": "decision", "new input": "input"}
"""What a part of a reply that is lost is called in a contract."""


def _is_read(hook: Hook, client: Profile, field: Field, value: str) -> bool:
    """Whether the client reads this value of a field in a reply that says nothing else."""
    bound = bind_event(client, hook.rule.event)
    answer: dict[str, Any] = {field.path[-1]: value}
    if above := field.path[:-1]:
        named = {path[-1]: bound.native_event for path in client.answers.event_names if path[:-1] == above}
        answer = reduce(lambda inner, key: {key: inner}, reversed(above), {**named, **answer})
    return decode_reply(bound, answer).decision is not None


@cache
def keys_read_on(event: str) -> frozenset[str]:
    """Every top-level key that some client reads in an answer on this event."""
    keys: set[str] = {"ok", "reason"}
    for client in _answered_clients():
        for known in (client, *client.variants.values()):
            keys.update(field.path[0] for field in known.answers.fields(event))
            keys.update(path[0] for path in known.answers.event_names)
    return frozenset(keys)


def _answered_clients() -> Iterator[Profile]:
    return (known for known in real_clients() if known.runs_hooks)
