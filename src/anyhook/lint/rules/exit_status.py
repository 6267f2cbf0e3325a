"""Rules about how a hook ends: exit statuses that do not block, and hooks that the client does not wait for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from anyhook.dialects.summary import blocks_on
from anyhook.dialects.wire.payload_codec import payload_codec
from anyhook.entries.anyhook_entries import is_own_call
from anyhook.lint.checked_file import Hook
from anyhook.lint.rules.answers import exits_with_two, without_comments
from anyhook.lint.rules.scripts import script_files
from anyhook.model.codes import Severity
from anyhook.model.events import FoldRule
from anyhook.model.hooks import Command
from anyhook.model.payload import PAYLOADS
from anyhook.model.problems import Problem
from anyhook.shell.written import ShellText, read_text

_GATES = frozenset({FoldRule.DECISION, FoldRule.GATE})
means_to_block = re.compile(
    r"\b(?:block(?:ed|ing|s)?|den(?:y|ied|ies)|forbid(?:den|s)?|refus(?:e|ed|es|ing)|reject(?:ed|s)?|prohibited|"
    r"not allowed|not permitted|dangerous)\b",
    re.IGNORECASE,
).search
says_json = re.compile(r'permissionDecision|\\*"decision\\*"|\\*"permission\\*"').search
_QUIET = frozenset(
    {
        "echo", "printf", "exit", "test", "[", "[[", "grep", "jq", "cat", "read", "case", "esac", "if", "fi", "for",
        "done", "true", "false", ":", "sed", "set", "do", "head", "tail", "cut", "tr", "awk", "}", "in", "wc", "export",
    }
)  # fmt: skip
"""Programs that write nothing to stderr when all is well, so that a silent ``exit 2`` after them stays silent."""
_mentions_stderr = re.compile(
    r"&2\b|stderr|console\.(?:error|warn)|logging\.|\bwarn\(|warnings\.|\braise\b|\bthrow\b"
).search
_mentions_output = re.compile(r"\becho\b|\bprintf\b|\bprint\(|console\.log|stdout|\bcat\b").search


def check_always_succeeds(hook: Hook) -> Iterator[Problem]:
    """A001: a hook on a tool call that cannot end with anything but 0."""
    if not hook.decides or hook.event is None or hook.event.fold is not FoldRule.DECISION or is_own_call(hook.action):
        return
    for line in hook.shell_commands():
        if end := read_text(line.text).ending():
            text = f"with {end!r} at the end the hook always exits with 0, so it can block only by the JSON it prints"
            yield hook.file.problem("A001", line.pointer, text, f"remove {end!r} if the hook should block")


def check_exit_one(hook: Hook) -> Iterator[Problem]:
    """A002: an inline guard that refuses with 1."""
    profile, rule = hook.profile, hook.rule
    if not hook.decides or hook.event is None or hook.event.fold not in _GATES or hook.action.fail_closed:
        return
    statuses = profile.exits
    if statuses.blocks(1, rule.event) or rule.event in statuses.fails_closed_on:
        return
    only = f"in {profile.title} only {blocks_on(profile)} blocks"
    for line in hook.shell_commands():
        text = read_text(line.text)
        ends_with_one = "1" in text.exits() or re.search(r"\b(?:sys|process)\.exit\(1\)", line.text)
        if not ends_with_one or exits_with_two(line.text) or says_json(line.text) or not means_to_block(line.text):
            continue
        message = f"the hook means to block but exits with 1; {only}, so the action goes ahead"
        yield hook.file.problem("A002", line.pointer, message, "write exit 2, with the message on stderr (>&2)")
    for line, path in script_files(hook):
        script = hook.file.disk.text(path) or ""
        if _refuses_with_one(without_comments(script, path.suffix), path.suffix):
            message = f"{path.name} means to block but exits with 1; {only}"
            yield hook.file.problem("A002", line.pointer, message, "write exit 2, with the message on stderr (>&2)")
            return


_refusal = re.compile(
    r"(?:\bprint\(|console\.(?:error|log)\(|stderr\.write\(|\becho\b|\bprintf\b)(?P<said>[^\n]*)\n\s*"
    r"(?:sys\.exit\(1\)|process\.exit\(1\)|exit\(1\)|exit 1\b)"
).finditer


def _refuses_with_one(text: str, suffix: str) -> bool:
    """Whether a script says that it blocks and then exits with 1, and never decides in another way."""
    if suffix not in {".sh", ".bash", ".py", ".js", ".mjs", ".cjs"} or exits_with_two(text) or says_json(text):
        return False
    return any(means_to_block(found["said"]) for found in _refusal(text))


def check_endless_stop(hook: Hook) -> Iterator[Problem]:
    """A009: a hook that can keep the agent from stopping, again and again."""
    event, profile = hook.rule.event, hook.profile
    if event not in {"Stop", "SubagentStop"} or not hook.decides or not profile.stopping.says_active:
        return
    if "loop_limit" in profile.layout.common_keys:
        return
    texts = [(line, line.text, "the hook") for line in hook.shell_commands()]
    texts += [(line, hook.file.disk.text(path) or "", path.name) for line, path in script_files(hook)]
    if any(_knows_when_to_end(text) for _, text, _ in texts):
        return
    for line, text, name in texts:
        code = without_comments(text, Path(name).suffix or ".sh")
        if exits_with_two(code) or _blocks_stop(code):
            cap = profile.stopping.cap
            until = f"; {profile.title} ends that after {cap} times" if cap else ""
            codec = payload_codec(profile.wire, PAYLOADS[event], event).fields.get("stop_hook_active")
            field = codec.names[0] if codec else "stop_hook_active"
            message = f"{name} keeps the agent going and never looks at {field}, so it can do so without end"
            fix = f"let it pass when {field} is true in the event"
            yield hook.file.problem("A009", line.pointer, f"{message}{until}", fix)
            return


_knows_when_to_end = re.compile(r"stop_hook_active|stopHookActive|loop_count|attempt|counter|max_|retries", re.I).search
_blocks_stop = re.compile(r"""\\?["']?decision\\?["']?\s*:\s*\\?["']block""").search


def check_async(hook: Hook) -> Iterator[Problem]:
    """A003: a hook that runs in the background on an event whose point is to decide."""
    profile, rule, action = hook.profile, hook.rule, hook.action
    if not action.is_async or not profile.execution.honours_async or not hook.decides or hook.event is None:
        return
    if rule.event == "WorktreeCreate" or (isinstance(action, Command) and action.rewakes):
        return  # A010 says it; the client wakes the model with what the hook says
    text = f"{profile.title} does not wait for a background hook, so on {rule.native_event} its answer has no effect"
    is_gate = hook.event.fold in _GATES and not _answers_nothing(hook)
    fix = (
        'remove "async" if the hook should decide' if is_gate else 'fine if the hook only reports; else remove "async"'
    )
    yield hook.file.problem("A003", hook.at("async"), text, fix, severity=None if is_gate else Severity.NOTE)


def _answers_nothing(hook: Hook) -> bool:
    """Whether all that the hook starts are scripts that are here to be read, and none of them decides."""
    files = list(script_files(hook))
    texts = [line.text for line in hook.commands()] + [hook.file.disk.text(path) or "" for _, path in files]
    are_read = {line.text for line, _ in files} == {line.text for line in hook.commands()}
    return bool(files) and are_read and not any(exits_with_two(text) or _says_anything(text) for text in texts)


_says_anything = re.compile(r'hookSpecificOutput|\\*"(?:decision|permission|permissionDecision|continue)\\*"').search


def can_exit_with_two(hook: Hook) -> bool:
    """Whether the hook is seen to end with 2: in its command line, or in a script that is there to be read."""
    if any("2" in read_text(line.text).exits() for line in hook.shell_commands()):
        return True
    texts = (hook.file.disk.text(path) for _, path in script_files(hook))
    return any(exits_with_two(text) for text in texts if text)


def check_silent_block(hook: Hook) -> Iterator[Problem]:
    """A005: exit 2 without the text that this client wants to see before it blocks."""
    statuses, rule = hook.profile.exits, hook.rule
    if statuses.needs == "nothing" or not hook.decides or rule.event in statuses.ignored_on:
        return
    channel = "a message on stderr" if statuses.needs == "stderr" else "any text"
    message = f"{hook.profile.title} takes exit 2 without {channel} for a failed hook and goes ahead"
    fix = "print the reason before it: echo 'why' >&2; exit 2"
    for line in hook.shell_commands():
        if _is_silent(read_text(line.text), statuses.needs):
            yield hook.file.problem("A005", line.pointer, message, fix)
            return
    for line, path in script_files(hook):
        script = hook.file.disk.text(path)
        if script and _is_silent_script(script, path.suffix, statuses.needs):
            yield hook.file.problem("A005", line.pointer, f"{path.name}: {message}", fix)
            return


def _is_silent(text: ShellText, needs: str) -> bool:
    if not text.is_complete or "2" not in text.exits() or _mentions_stderr(text.text):
        return False
    if needs == "any text" and _mentions_output(text.text):
        return False
    return text.programs() <= _QUIET


_imports = re.compile(
    r"^\s*(?:import|from)\s+([\w.]+)|require\(\s*['\"]([^'\"]+)|\bfrom\s+['\"]([^'\"]+)", re.MULTILINE
).findall
_KNOWN_MODULES = frozenset({"json", "sys", "re", "os", "pathlib", "datetime", "fs", "path", "readline", "process"})
_READ_ALONE = {".py": "python", ".js": "node", ".mjs": "node", ".cjs": "node"}


def _is_silent_script(text: str, suffix: str, needs: str) -> bool:
    """Only a script that does everything itself can be judged: what it calls may write the message."""
    if suffix in {".sh", ".bash"}:
        return _is_silent(read_text(text), needs)
    modules = {next(filter(None, found)).removeprefix("node:") for found in _imports(text)}
    if suffix not in _READ_ALONE or not exits_with_two(text) or _mentions_stderr(text) or modules - _KNOWN_MODULES:
        return False
    return needs != "any text" or not _mentions_output(text)
