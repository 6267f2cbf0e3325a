"""What is fuzzed: one function of bytes for everything that reads what others have written.

A target may return; every exception that it lets out is a finding, and so is an input that takes too long. The first
byte or two choose a client or a language where there are several.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, cast

from anyhook import __version__
from anyhook.bridge.exec_options import Options
from anyhook.bridge.read_call import Caller
from anyhook.daemon_socket.protocol import (
    PREFIX,
    SIZE,
    DaemonAnswer,
    Head,
    ProtocolError,
    decode_answer,
    decode_head,
    encode_answer,
    encode_head,
    head_size,
    stdin_size,
    variables_of,
)
from anyhook.dialects import NAMES, dialect, profile
from anyhook.dialects.bound_event import bind_payload
from anyhook.dialects.places import FileKind
from anyhook.dialects.translation.patches import read_patch
from anyhook.dialects.translation.translate import hook_payloads, translate_reply
from anyhook.dialects.wire.answers import ProcessAnswer, encode_reply
from anyhook.dialects.wire.payloads import decode_payload, payload_bytes
from anyhook.dialects.wire.replies import decode_reply
from anyhook.engine.condition import permission_rule_holds
from anyhook.engine.index import index_hooks
from anyhook.engine.match import compile_matcher, matcher_for, may_match, seen_tool
from anyhook.engine.shell_commands import read_command_line
from anyhook.model.document import Document
from anyhook.model.events import Subject
from anyhook.model.hooks import HookSet, Rule
from anyhook.model.lazyjson import as_plain, dump_json, load_any_json
from anyhook.model.origin import Scope
from anyhook.model.output import Decision, Reply
from anyhook.model.payload import PreToolUse
from anyhook.record import recordings
from anyhook.record.redact import Redactor
from anyhook.serve.bounds import Bounds
from anyhook.serve.http_front import HttpFront
from anyhook.serve.log import Log
from anyhook.serve.socket_front import Connection, SocketFront
from anyhook.shell.written import read_text
from anyhook.sources import disk
from anyhook.sources.editing.json_edits import add_members, is_editable, with_edits
from anyhook.sources.parsing.parse_front_matter import parse_front_matter, parse_yaml
from anyhook.sources.parsing.parse_json import parse_json
from anyhook.sources.parsing.parse_python import parse_python
from anyhook.sources.parsing.parse_toml import parse_toml
from anyhook.trust.content import words_of
from anyhook.trust.seen_files import TooMuchError, called

Target = Callable[[bytes], None]

REDACTOR = Redactor({"DEPLOY_TOKEN": "q7Zk29-deploy"}, home="/home/ada", user="ada")
VECTORS = Path(__file__).parent.parent / "conformance/vectors"
_KINDS = (FileKind.SETTINGS, FileKind.HOOKS, FileKind.MANIFEST, FileKind.TOML, FileKind.EMBEDDED)
_MAX_TEXT = 4_000


def _text(data: bytes) -> str:
    """Any text; bytes that are not UTF-8 become lone surrogates, which JSON can have too."""
    return data[:_MAX_TEXT].decode("utf-8", "surrogateescape")


def _client(data: bytes) -> str:
    return NAMES[(data[0] if data else 0) % len(NAMES)]


def _halves(text: str) -> tuple[str, str]:
    first, _, second = text.partition("\x1f")
    return first, second


# -------------------------------------------------------------------------------------------------------------- parsers


def _parser(parse: Callable[[str], Document]) -> Target:
    def feed(data: bytes) -> None:
        document = parse(_text(data))
        for quirk in document.quirks:
            document.line_column(quirk.offset)

    return feed


def _hook_file(data: bytes) -> None:
    """A client's whole hook file: parsed, read, written again, indexed and matched."""
    name, kind = _client(data), _KINDS[(data[1] if len(data) > 1 else 0) % len(_KINDS)]
    text = _text(data[2:])
    document = parse_toml(text) if kind is FileKind.TOML else parse_json(text)
    read = dialect(name).read(document, kind, Scope.PROJECT)
    dialect(name).write(read.rules)
    index_hooks(HookSet(dialect=name, rules=read.rules)).rules.plan(PreToolUse(tool_name="Bash", tool_input={}), "Bash")
    for rule in read.rules:
        for action in rule.actions:
            action.summary()
            called(action.origin.file)


def _words(data: bytes) -> None:
    """The words of a command line that may name files can be looked for on the disk."""
    with suppress(TooMuchError):
        for word in words_of(_text(data)):
            disk.is_file(Path("/", word))


def _shell(data: bytes) -> None:
    text = _text(data)
    for part in read_text(text).everything():
        part.ending()
        list(part.scripts())
    read_command_line(text)


def _json_edit(data: bytes) -> None:
    """A member that is added to an object is in it afterwards, and all others are as before."""
    document = parse_json(_text(data))
    before = document.data
    if document.quirks or not isinstance(before, dict) or not is_editable(document, ()) or "anyhook" in before:
        return
    value = {"hooks": [1, "\u2028", None]}
    after = parse_json(with_edits(document.text, add_members(document, (), [("anyhook", value)])))
    if after.quirks or after.data != {**before, "anyhook": value}:
        raise AssertionError(f"{document.text!r} became {after.text!r}")


def _recorded_event(data: bytes) -> None:
    recordings._read_line(data, Path("events.jsonl"), 1)


# --------------------------------------------------------------------------------------------------------------- codecs


def _payload(data: bytes) -> None:
    own = profile(_client(data))
    payload, _ = decode_payload(own, data[1:])
    again = payload_bytes(bind_payload(own, payload), payload)
    json.loads(again)


def _reply(data: bytes) -> None:
    bound = bind_payload(profile(_client(data)), PreToolUse(tool_name="Bash", tool_input={}))
    reply = decode_reply(bound, data[1:])
    for is_process in (True, False):
        sent = encode_reply(bound, reply, is_process=is_process)
        if sent.stdout.lstrip()[:1] == b"{":
            json.loads(sent.stdout)


def _translation(data: bytes) -> None:
    """An event of one client for hooks of another, and their refusal back."""
    client, hooks = profile(_client(data)), profile(_client(data[1:]))
    payload, _ = decode_payload(client, data[2:])
    for one in hook_payloads(payload, client, hooks):
        payload_bytes(bind_payload(hooks, one), one)
        refusal = Reply(decision=Decision.DENY, reason="no", updated_input={"command": "true"})
        back = translate_reply(refusal, one, payload, hooks, client).reply
        encode_reply(bind_payload(client, payload), back)


def _lazy_json(data: bytes) -> None:
    try:
        value = load_any_json(data)
    except ValueError:  # documented
        return
    load_any_json(dump_json(as_plain(value)))


def _patch(data: bytes) -> None:
    read_patch(_text(data))


# ------------------------------------------------------------------------------------------------ matchers, conditions


def _matcher(data: bytes) -> None:
    own = profile(_client(data))
    pattern, value = _halves(_text(data[1:]))
    rule = Rule(event="PreToolUse", native_event="PreToolUse", matcher=pattern)
    matcher, seen = matcher_for(own, rule), seen_tool(own.matching, value)
    matcher.why_not(value)
    if matcher.matches(*seen) and not may_match(own, rule, value):
        raise AssertionError(f"{pattern!r} matches {value!r}, and may_match denies it")
    compile_matcher(pattern, Subject.TOOL, own.matching.mode_for("PreToolUse")).matches(value)


def _condition(data: bytes) -> None:
    rule, value = _halves(_text(data[1:]))
    tool = ("Bash", "Edit", "Read", "PowerShell", "WebFetch")[(data[0] if data else 0) % 5]
    payload = PreToolUse(tool_name=tool, tool_input={"command": value, "file_path": value, "url": value})
    permission_rule_holds(f"{tool}({rule})", payload)
    permission_rule_holds(rule, payload)


# ------------------------------------------------------------------------------------------------------------- redactor


def _redact(data: bytes) -> None:
    try:
        value = load_any_json(data)
    except ValueError:
        value = _text(data)
    hidden, _ = REDACTOR.redact(as_plain(value))
    if again := REDACTOR.redact(hidden)[1]:
        raise AssertionError(f"redacting again finds {again} more in {hidden!r}")


# ----------------------------------------------------------------------------------------------------------- the daemon


def _protocol(data: bytes) -> None:
    sized = (head_size, data[: PREFIX.size].ljust(PREFIX.size)), (stdin_size, data[: SIZE.size].ljust(SIZE.size))
    for read, part in (*sized, (decode_answer, data), (variables_of, data)):
        try:
            read(part)
        except ProtocolError:  # documented
            continue
    try:
        head = decode_head(data)
    except ProtocolError:
        return
    if encode_head(head)[PREFIX.size :] != data:
        raise AssertionError(f"{data!r} is read as {head}")


async def _say_nothing(options: Options, caller: Caller, stdin: bytes) -> ProcessAnswer:
    return ProcessAnswer()


async def _say_status(words: tuple[bytes, ...]) -> DaemonAnswer:
    return DaemonAnswer()


class _Strict(Log):
    """The daemon's log, to which a bug is written: here it is raised."""

    def __init__(self) -> None:
        super().__init__(Path("/dev/null"))
        self.bug = ""

    def write(self, what: str, **facts: Any) -> None:
        if what == "failed":
            self.bug = str(facts)


class _NoSocket(asyncio.Transport):
    """Takes what a front writes."""

    def __init__(self) -> None:
        super().__init__({"socket": _own_socket()})
        self.written = bytearray()
        self.is_over = False

    def write(self, data: Any) -> None:
        self.written += data

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        pass

    def is_closing(self) -> bool:
        return self.is_over

    def close(self) -> None:
        self.is_over = True

    abort = close

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass


@cache
def _own_socket() -> Any:
    import socket

    return socket.socketpair()[0]


@cache
def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


def _awaited(made: Callable[[bytes, _Strict], Coroutine[Any, Any, None]]) -> Target:
    def feed(data: bytes) -> None:
        log = _Strict()
        _loop().run_until_complete(made(data, log))
        if log.bug:
            raise AssertionError(log.bug)

    return feed


async def _socket(data: bytes, log: _Strict) -> None:
    """A whole conversation through the daemon's socket, in pieces."""
    front = SocketFront(_say_nothing, _say_status, lambda: False, log, Bounds())
    connection, transport = Connection(front), _NoSocket()
    connection.connection_made(transport)
    step = max(1, (data[0] if data else 0) * 4)
    for start in range(1, len(data), step):
        if transport.is_over:
            break
        connection.data_received(data[start : start + step])
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    connection.connection_lost(None)
    await asyncio.sleep(0)
    if front.running or front.held or front.connections:
        raise AssertionError(f"{front.running} requests and {front.held} bytes are held after the end")


async def _http(data: bytes, log: _Strict) -> None:
    """Requests to the daemon's HTTP front; ``@TOKEN@`` is its token."""
    reader, transport = asyncio.StreamReader(), _NoSocket()
    protocol = asyncio.StreamReaderProtocol(reader)
    protocol.connection_made(transport)
    front = _http_front(log)
    reader.feed_data(data.replace(b"@TOKEN@", front.fuzz_token))
    reader.feed_eof()
    await front.talk(reader, asyncio.StreamWriter(transport, protocol, reader, asyncio.get_running_loop()))
    if front.running or front.talks - {asyncio.current_task()}:
        raise AssertionError(f"{front.running} requests are held after the end")


class _OpenFront(HttpFront):
    fuzz_token = b""

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._accept(reader, writer)


def _http_front(log: _Strict) -> _OpenFront:
    from anyhook.entries.http_entries import own_token

    front = _OpenFront(24665, _say_nothing, lambda: False, log, Bounds())
    front.fuzz_token = own_token().encode()
    front._server = cast("asyncio.Server", object())  # it only has to look as if it listened
    return front


# ---------------------------------------------------------------------------------------------------------------- seeds

TARGETS: Mapping[str, Target] = {
    "json": _parser(parse_json),
    "toml": _parser(parse_toml),
    "yaml": _parser(parse_yaml),
    "front-matter": _parser(lambda text: parse_front_matter(f"---\n{text}\n---\n")),
    "python": _parser(parse_python),
    "shell": _shell,
    "words": _words,
    "hook-file": _hook_file,
    "json-edit": _json_edit,
    "recorded-event": _recorded_event,
    "payload": _payload,
    "reply": _reply,
    "translation": _translation,
    "lazy-json": _lazy_json,
    "patch": _patch,
    "matcher": _matcher,
    "condition": _condition,
    "redactor": _redact,
    "protocol": _protocol,
    "socket": _awaited(_socket),
    "http": _awaited(_http),
}
WORDS = (
    '{"', '": ', '"}', "[[", "---\n", "- ", "&a", "*a", "<<: *a", "!!python/object", "hooks", "PreToolUse", "matcher",
    "command", "1e999", "9" * 30, "\\ud800", "\ufeff", "\u2028", "def f(x):", "@hook('Stop')", "import x", '"""', "'''",
    "Bash(git *)", "^(a|b)+$", "(?=", "(?P<", "\\p{L}", "[^", "**", "mcp__.*", "TOKEN=", "password: ", "Bearer ", "sk-",
    "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "<password>", "$(", "<<EOF\n", "| sh", "&& ", "\x1f",
    "hook_event_name", "tool_name", "tool_input", "tool_response", "decision", "reason", "continue", "permission",
    "hookSpecificOutput", "permissionDecision", "updatedInput", "systemMessage", "additionalContext", "stopReason",
    "*** Begin Patch\n*** Update File: ", "POST /hooks/claude-code/PreToolUse HTTP/1.1\r\n", "Host: localhost\r\n",
    "Authorization: Bearer @TOKEN@\r\n", "Content-Length: ", "Transfer-Encoding: chunked\r\n", "AHK1", "\r\n\r\n",
)  # fmt: skip
"""Pieces that are put into inputs."""


def seeds_of(name: str) -> list[bytes]:
    """Inputs to begin with: texts of recorded situations, and small ones of each kind."""
    return [seed for seed in _SEEDS.get(name, _texts)() if len(seed) <= _MAX_TEXT]


def _texts() -> list[bytes]:
    return [word.encode("utf-8", "surrogatepass") for word in WORDS]


@cache
def _vectors() -> list[dict[str, Any]]:
    """Every tenth recorded situation."""
    lines = [line for file in sorted(VECTORS.glob("*.jsonl")) for line in file.read_bytes().splitlines()]
    return [json.loads(line) for line in lines[::10]]


def _chosen(*names: str) -> bytes:
    return bytes(NAMES.index(name) for name in names)


def _payload_seeds() -> list[bytes]:
    return [_chosen(one["client"]) + json.dumps(one["payload"]).encode() for one in _vectors() if one.get("payload")]


def _reply_seeds() -> list[bytes]:
    found = []
    for one in _vectors():
        for said in one.get("hooks", {}).values():
            out = said.get("stdout", "") if isinstance(said, dict) else ""
            found.append(_chosen(one["client"]) + (out if isinstance(out, str) else json.dumps(out)).encode())
    return found


def _file_seeds() -> list[bytes]:
    return [
        _chosen(one["client"]) + bytes([kind]) + (text if isinstance(text, str) else json.dumps(text)).encode()
        for one in _vectors()
        for text in one.get("files", {}).values()
        for kind in (0, 1)
    ]


def _json_seeds() -> list[bytes]:
    return [seed[2:] for seed in _file_seeds()] + [seed[1:] for seed in _payload_seeds()]


def _head_seeds() -> list[bytes]:
    words = (b"exec", b"--client", b"codex")
    head = Head(version=__version__.encode(), cwd=b"/", arguments=words, environment=b"A=b\0HOME=/")
    return [encode_head(head)[PREFIX.size :], encode_answer(DaemonAnswer(status=2, stdout=b"{}", stderr=b"no"))]


def _socket_seeds() -> list[bytes]:
    head = PREFIX.pack(b"AHK1", len(_head_seeds()[0])) + _head_seeds()[0]
    return [bytes([step]) + head + SIZE.pack(2) + b"{}" for step in (1, 200)]


def _http_seeds() -> list[bytes]:
    post = b"POST /hooks/claude-code/PreToolUse?fail=closed HTTP/1.1\r\nHost: localhost\r\n"
    post += b"Authorization: Bearer @TOKEN@\r\nContent-Length: 2\r\n\r\n{}"
    return [post, post + post, post.replace(b"Length: 2", b"Length: -1"), post.replace(b"POST", b"GET")]


_SEEDS: Mapping[str, Callable[[], list[bytes]]] = {
    "json": _json_seeds,
    "json-edit": _json_seeds,
    "lazy-json": _json_seeds,
    "redactor": lambda: [*_json_seeds(), *_texts()],
    "hook-file": _file_seeds,
    "payload": _payload_seeds,
    "translation": lambda: [seed[:1] + bytes([at]) + seed[1:] for at, seed in enumerate(_payload_seeds()[:150])],
    "reply": _reply_seeds,
    "protocol": _head_seeds,
    "socket": _socket_seeds,
    "http": _http_seeds,
}
