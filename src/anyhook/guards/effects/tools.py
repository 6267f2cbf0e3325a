"""What tools other than a shell do, told by the names of their inputs and the words of their own name.

``Write``, a patch and the tool of an MCP server that moves a file have the effects of the commands that do the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from anyhook.dialects.translation.patches import read_patch
from anyhook.dialects.translation.tool_kinds import (
    CONTENT_INPUTS,
    URL_INPUTS,
    inputs_of,
    path_inputs,
    plain_key,
)
from anyhook.guards.effects.command_effects import CommandEffects
from anyhook.guards.effects.model import Resource, ToolCall, Url, Verb, words
from anyhook.guards.effects.programs import code, endless
from anyhook.guards.effects.programs.approval import (
    added_lines,
    changes_database,
    is_approving_script,
    is_approving_text,
    is_run,
)
from anyhook.guards.effects.programs.git import PROTECTED_BRANCH
from anyhook.guards.effects.programs.network import METADATA, host_of, is_secret_text
from anyhook.guards.effects.programs.services import has_destructive_statement
from anyhook.guards.hook_files import is_own_state
from anyhook.guards.secret_patterns import TOKENS
from anyhook.guards.wording import APPROVES
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.command import ShellWord, command_of
from anyhook.shell.words import quoted

_CONTENTS = frozenset(map(plain_key, CONTENT_INPUTS))
_URLS = frozenset(map(plain_key, (*URL_INPUTS, "link", "address", "page", "endpointUrl")))
_STATEMENTS = words("sql query statement statements queries cypher pipeline script")
_OPERATIONS = words("operation operationname action method api apiname apicall verb")
"""Inputs that name what a tool for everything of a service does: ``TerminateInstances``."""
_CELLS = words("newsource cellsource source newcode code content")
_CODES = words("code script source expression function")
_OLD = words("oldstring oldstr oldtext old original search before")
"""Inputs that say what a file has: the agent may take a secret out."""
_SOURCES = words("source src from oldpath oldname old sourcepath frompath srcpath sourcefile oldfile oldfilepath")
_DIFF_FILE = LazyPattern(r"(?m)^(?:\+\+\+|---) (?:[ab]/)?([^\t\r\n]+)")
_WORD_START = LazyPattern(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = LazyPattern(r"[a-z0-9]+")
_DELETING = words("delete remove rm unlink trash erase destroy")
_MOVING = words("move rename mv relocate")
_RUNNING = words("run exec execute eval evaluate repl")
_LANGUAGES = {
    **dict.fromkeys(words("python py ipython jupyter notebook kernel cell"), "python3"),
    **dict.fromkeys(words("node javascript js deno bun"), "node"),
    "ruby": "ruby",
    "perl": "perl",
    "php": "php",
}


class _Service(Struct, frozen=True):
    """What a server is for, and what its tools do that change it for good."""

    kind: str
    servers: frozenset[str]
    verbs: frozenset[str]
    what: str


_ENDING = words("delete destroy drop terminate purge wipe prune uninstall remove erase truncate flush reset")
_SERVICES = (
    _Service("containers", words("kubernetes k8s kubectl helm docker podman cluster container containers pod pods"),
             _ENDING | words("drain cordon evict"), "deletes something of a cluster or a container engine"),
    _Service("cloud", words("aws gcp gcloud azure terraform tofu pulumi cloud cloudflare s3 ec2 rds lambda heroku "
                            "vercel netlify fly digitalocean hetzner bucket stack instance infrastructure"),
             _ENDING | words("stop deprovision"), "destroys infrastructure"),
    _Service("database", words("postgres postgresql mysql sqlite mongo mongodb redis database db supabase neon "
                               "clickhouse bigquery snowflake elasticsearch table collection index"),
             _ENDING - {"remove"} | words("flushall flushdb"), "deletes data from a database"),
    _Service("server", words("github gitlab bitbucket gitea"), words("delete archive transfer"),
             "deletes or gives away something on the server"),
)  # fmt: skip


def read(call: ToolCall, run: CommandEffects) -> None:
    """Add the effects of a call that is no command line."""
    name = name_words(call.tool)
    if "edit" in call.kinds or patches(call):
        _files(call, run, name)
    elif "read" in call.kinds:
        for path in given_texts(call.input, path_inputs(call.tool)):
            run.add(Verb.READS, run.place(path.removeprefix("file://"), follow=True), "reads")
    _approval(call, run)
    for url in given_texts(call.input, _URLS):
        _url(run, url)
    if call.lines or (call.kinds.isdisjoint(("mcp", "fetch")) and call.kinds):
        return
    _sent(call, run, name)
    _statements(call, run, name)
    _code(call, run, name)
    _service(call, run, name)


def name_words(tool: str) -> frozenset[str]:
    """The words of a tool's name and of its server's: ``mcp__github__deleteBranch`` has ``github`` and ``delete``."""
    return frozenset(_WORD.findall(_WORD_START.sub("_", tool).lower()))


# ---------------------------------------------------------------------------------------------------------------- files


def _files(call: ToolCall, run: CommandEffects, name: frozenset[str]) -> None:
    named = tuple(given_texts(call.input, path_inputs(call.tool)))
    texts = written_texts(call)
    if not texts and not name.isdisjoint(_MOVING):
        for path in given_texts(call.input, _SOURCES):
            run.add(Verb.DELETES, run.place(path), "moved")
    if not texts and not name.isdisjoint(_DELETING):
        is_all = "recursive" in str(call.input) or not name.isdisjoint(("directory", "folder", "dir", "tree"))
        for path in named:
            run.add(Verb.DELETES, run.place(path), "recursive" if is_all else "")
        return
    for path, text, how in files_of(call, named, texts):
        if how == "deletes":
            run.add(Verb.DELETES, run.place(path))
            continue
        place = run.place(path, follow=True)
        run.add(Verb.WRITES, place, how, text)
        if is_run(place.shown) and is_approving_script(text):
            what = f"writes a command into {place.shown} that {APPROVES}"
            run.add(Verb.GUARDS, Resource("approval", path), what)


def files_of(call: ToolCall, named: Sequence[str], texts: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """The files that an edit writes, each with a text that is put into it; of a patch, the lines that it adds."""
    old = next(iter(given_texts(call.input, _OLD)), None)
    for text in texts:
        sections = read_patch(text)
        for each in sections:
            given = each.tool_input
            path, added = str(given.get("file_path", "")), str(given.get("content", given.get("new_string", "")))
            is_gone = re.search(rf"(?m)^\s*\*\*\* Delete File: *{re.escape(path)}\s*$", text) is not None
            yield path, added, "deletes" if is_gone else "edits"
        if sections:
            continue
        patched = patched_files(text)
        added = added_lines(text) if patched else _without(old, text)
        for path in (*named, *patched):
            yield path, added, "adds" if old and old in text else "edits"
    if not texts:
        yield from ((path, "", "edits") for path in named)


def _without(old: str | None, text: str) -> str:
    """The lines of a text that the file does not have yet."""
    known = frozenset((old or "").splitlines())
    return "\n".join(line for line in text.splitlines() if line not in known) if known else text


def patched_files(text: str) -> tuple[str, ...]:
    return tuple(found.strip() for found in _DIFF_FILE.findall(text) if found.strip() != "/dev/null")


def written_texts(call: ToolCall) -> tuple[str, ...]:
    """The texts that a call puts into files. A patch tells by itself that it is one, whatever its input is called."""
    given = given_texts(call.input, _CONTENTS) if "edit" in call.kinds else ()
    return tuple(dict.fromkeys((*given, *patches(call))))


def patches(call: ToolCall) -> tuple[str, ...]:
    return tuple(text for text in all_texts(call.input) if text.lstrip().startswith("*** Begin Patch"))


def told_texts(call: ToolCall) -> tuple[str, ...]:
    """Every text of a call, but for those that say what a file has already."""
    found: dict[str, None] = {}
    for each in inputs_of(call.input):
        for key, value in each.items():
            if plain_key(str(key)) not in _OLD:
                values = value if isinstance(value, list) else (value,)
                found |= dict.fromkeys(one for one in values if isinstance(one, str))
    return tuple(found)


_TYPES = LazyPattern(r"(?:^|[_.-])(?:types?|keys?|keyboard|press|paste)(?:[_.-]|$)|(?:type|send)_?text$|^computer")
"""Names of tools that type a text into whatever window there is."""


def _approval(call: ToolCall, run: CommandEffects) -> None:
    """What a tool types, and the path of a database, which is an input of any name."""
    texts = tuple(all_texts(call.input))
    if not any("anyhook" in text.lower() for text in texts):
        return
    if not call.lines and _TYPES.search(call.tool.rpartition("__")[2].lower()) and any(map(is_approving_text, texts)):
        run.add(Verb.GUARDS, "approval", APPROVES)
    if changes_database(texts):
        for text in texts:
            if not re.search(r"\s", text) and is_own_state(run.shown(text)):
                run.add(Verb.GUARDS, Resource("approval", text), "may change anyhook's own records")


# ------------------------------------------------------------------------------------------------------------ addresses


_PLACEHOLDER = LazyPattern(r"(?i)example|sample|dummy|placeholder|your[_-]|x{6}|0{8}|1234567|\.\.\.")


def tokens_in(text: str) -> Iterator[str]:
    """The names of the secrets in a text that their form tells."""
    lowered = text.lower()
    for pattern in TOKENS:
        if any(hint in lowered for hint in pattern.hints):
            found = re.finditer(pattern.pattern, text)
            if any(not _PLACEHOLDER.search(secret[0]) for secret in found):
                yield pattern.name


def has_token(text: str) -> bool:
    """Whether there is one, also escaped as in an address."""
    from urllib.parse import unquote  # few calls have an address

    return any(tokens_in(unquote(text) if "%" in text else text))


def _url(run: CommandEffects, url: str) -> None:
    if url.startswith("file:"):
        run.add(Verb.READS, run.place(url.removeprefix("file:").removeprefix("//"), follow=True), "reads")
        return
    host = host_of(url)
    if host:
        run.add(Verb.READS, Url(url, host))
    if METADATA.search(url):
        run.add(Verb.READS, "credentials", "asks a cloud for the credentials of this machine")
    if is_secret_text(url) or has_token(url):
        run.add(Verb.SENDS, "secrets", "sends secrets to another machine")


_SENDING = words("send post publish comment reply message tweet share notify mail email issue chat")
_WITH_PASSWORD = LazyPattern(
    r"\b[a-z][a-z0-9+]{1,20}://[\w.%-]{1,60}:(?![<{$*]|x{3}|\.{3}|(?i:pass|password|pw|pwd|secret|changeme)@)[^\s/@:]{4,80}@"
    r"(?!localhost|127\.|db[:/]|[\w.-]*example\b)[\w.-]+"
)


def _sent(call: ToolCall, run: CommandEffects, name: frozenset[str]) -> None:
    """What a tool tells other people."""
    if name.isdisjoint(_SENDING):
        return
    if any(_WITH_PASSWORD.search(text) or has_token(text) for text in told_texts(call)):
        run.add(Verb.SENDS, "secrets", "sends secrets to another machine")


# ---------------------------------------------------------------------------------------------------- code and services


def _statements(call: ToolCall, run: CommandEffects, name: frozenset[str]) -> None:
    for text in given_texts(call.input, _STATEMENTS):
        if has_destructive_statement(text) and not _is_search(name):
            run.add(Verb.SHARED, "database", "deletes data from a database")


def _is_search(name: frozenset[str]) -> bool:
    return not name.isdisjoint(("search", "grep", "find", "docs", "web"))


def _code(call: ToolCall, run: CommandEffects, name: frozenset[str]) -> None:
    """The code of a tool that runs it, as a one-liner of the interpreter."""
    interpreter = next((_LANGUAGES[word] for word in sorted(name) if word in _LANGUAGES), "")
    if not interpreter or name.isdisjoint(_RUNNING):
        return
    option = "-c" if interpreter == "python3" else "-e"
    for text in given_texts(call.input, _CODES):
        one_liner = CommandEffects(command_of([ShellWord(interpreter), ShellWord(option), ShellWord(text)]), run.where)
        code.code(one_liner)
        run.effects += one_liner.effects
        if endless.is_endless(text):
            run.add(Verb.MACHINE, "system", "starts processes without end")


_CELL_LINE = LazyPattern(r"(?m)^[ \t]*(?:[\w, ]+=[ \t]*)?(?:!!?|%(?:sx|system)[ \t])[ \t]*(.+)$")
_SHELL_CELL = LazyPattern(r"\s*%%(?:bash|sh|script[ \t]+\S*sh)\b.*\n|\s*%%!.*\n")
_TEXT_CELL = LazyPattern(r"\s*%%(?:writefile|file|html|markdown|latex|svg|javascript|js|sql)\b")


def cell_lines(call: ToolCall) -> tuple[str, ...]:
    """The command lines that do what the code of a notebook's cell does: it runs when the notebook does."""
    given = call.input
    is_text = given.get("cell_type") in ("markdown", "raw") or given.get("edit_mode") == "delete"
    if is_text or "edit" not in call.kinds or "notebook" not in name_words(call.tool):
        return ()
    return tuple(line for text in given_texts(given, _CELLS) for line in _lines_of_cell(text))


def _lines_of_cell(text: str) -> Iterator[str]:
    if shell := _SHELL_CELL.match(text):
        yield text[shell.end() :]
    elif _TEXT_CELL.match(text) is None:
        yield from _CELL_LINE.findall(text)
        yield f"python3 -c {quoted(_CELL_LINE.sub('', text))}"


def _service(call: ToolCall, run: CommandEffects, name: frozenset[str]) -> None:
    given = call.input
    is_forced = any(given.get(key) for key in ("force", "force_push", "forcePush"))
    if is_forced and "push" in name and not name.isdisjoint(("git", "github", "gitlab")):
        run.add(Verb.SHARED, "remote", "overwrites history on the remote")
    branch = str(given.get("branch", ""))
    if branch and PROTECTED_BRANCH.match(branch) and not name.isdisjoint(("push", "update", "delete", "commit")):
        run.add(Verb.SHARED, "remote", "pushes to a protected branch")
    if "publish" in name and not name.isdisjoint(("npm", "package", "pypi", "registry", "release", "crate", "image")):
        run.add(Verb.PUBLISHES, "packages", "publishes something for other people")
    name |= frozenset(word for text in given_texts(given, _OPERATIONS) for word in name_words(text))
    for service in _SERVICES:
        if not name.isdisjoint(service.servers) and not name.isdisjoint(service.verbs) and not _is_rehearsed(given):
            run.add(Verb.SHARED, service.kind, service.what)
            return
    if not name.isdisjoint(("apply", "create", "replace")) and re.search(
        r"(?is)clusterrolebinding.*cluster-admin|privileged[\"']?: *true", str(given.get("manifest", given))
    ):
        run.add(Verb.SHARED, "containers", "gives control over a cluster away")


def _is_rehearsed(given: Mapping[str, Any]) -> bool:
    return any(given.get(key) for key in ("dry_run", "dryRun", "preview", "plan_only"))


# --------------------------------------------------------------------------------------------------------------- inputs


def given_texts(given: Mapping[str, Any], names: frozenset[str]) -> tuple[str, ...]:
    """The texts under these names in every object of the input, also in lists (the ``edits`` of a call)."""
    return tuple(dict.fromkeys(text for each in inputs_of(given) for text in _given(each, names)))


def _given(given: Mapping[str, Any], names: frozenset[str]) -> Iterator[str]:
    for key, value in given.items():
        if plain_key(str(key)) in names:
            yield from _texts(value, names)


def _texts(value: object, names: frozenset[str]) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _given(item, names) if isinstance(item, dict) else _texts(item, names)


def all_texts(value: object) -> Iterator[str]:
    """Every text in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from all_texts(inner)
