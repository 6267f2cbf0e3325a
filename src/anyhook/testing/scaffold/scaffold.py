"""A first hooks package: a guard, a formatter and a stop gate with their test cases, for any client.

The package in ``templates`` is a universal one that works unchanged. For another client its hooks are converted, its
fixtures are written in the client's spelling, and its scripts block in the way that the client honours. Its guard stays
in ``anyhook.toml``: only anyhook runs it, and a script in place of it would search for words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath

from msgspec import Struct, structs

from anyhook.deploy.convert.commands import variable_for
from anyhook.deploy.convert.convert import convert_hooks
from anyhook.deploy.target_files import TargetFile, target_files
from anyhook.dialects import dialect
from anyhook.dialects import profile as profile_of
from anyhook.dialects.bound_event import bind_payload, bind_rule, is_guard
from anyhook.dialects.clients import OWN
from anyhook.dialects.places import FileKind, Writing
from anyhook.dialects.stages import refusal_on
from anyhook.dialects.translation.translate import translate_payload
from anyhook.dialects.wire.answers import encode_reply
from anyhook.dialects.wire.payloads import decode_payload, encode_payload
from anyhook.engine.interpret import interpret
from anyhook.engine.raw import RawResult
from anyhook.model.document import Format
from anyhook.model.hooks import Command, Rule
from anyhook.model.lazyjson import load_json
from anyhook.model.losses import why_lost
from anyhook.model.origin import Scope
from anyhook.model.outcome import Status
from anyhook.model.output import Reply
from anyhook.model.payload_base import Payload
from anyhook.model.problems import UsageError
from anyhook.model.wording import join_and
from anyhook.project.package_hooks import PACKAGE_FILE
from anyhook.sources.discover import roots_for
from anyhook.sources.load import FILE_NAME, parse
from anyhook.testing.cases.case_files import CASES, FOLDERS
from anyhook.testing.scaffold.new_case import would_run
from anyhook.testing.scaffold.new_files import NewFile, json_text, write_new_files

SCRIPTS = "hooks/scripts"
TESTS, OTHER_TESTS = FOLDERS
"""Where cases are in a package, and in a project whose hooks are in a client's own file."""
REFUSAL = '    echo "$1" >&2\n    exit 2\n'
"""How the scripts block; most clients honour it."""


class Scaffold(Struct, frozen=True, kw_only=True):
    """A package that can be written."""

    client: str
    files: tuple[NewFile, ...]
    left_out: tuple[str, ...] = ()
    """Hooks that the client cannot have, and why."""


def plan_scaffold(root: Path, client: str = OWN) -> Scaffold:
    """The files of a first package for a client; AnyhookError when it has no hook file in a project."""
    template = _texts("templates")
    if client == OWN:
        return Scaffold(client=client, files=tuple(_new_file(name, text) for name, text in template.items()))
    preferred = (
        target_file
        for target_file in target_files(client, roots_for(root), Scope.PROJECT)
        if target_file.source.writing is Writing.PREFERRED
    )
    return _Adaptation(template, next(preferred)).scaffold()


def write_scaffold(root: Path, scaffold: Scaffold) -> None:
    """Write all files, or none: UsageError when one exists, or when there are other test cases."""
    others = [f"{tests}/{CASES}" for tests in FOLDERS if (root / tests / CASES).exists()]
    if others and not any((root / file.path).exists() for file in scaffold.files):
        raise UsageError(f"nothing is written, because test cases exist already in {join_and(others)}")
    write_new_files(
        root, scaffold.files, "To add to the hooks that are here: anyhook new hook, anyhook new case, or anyhook add"
    )


def _texts(folder: str) -> dict[str, str]:
    """The texts of all files below a folder of this package, by their path."""
    return {name: entry.read_text("utf-8") for name, entry in _entries(files("anyhook.testing.scaffold") / folder)}


def _entries(folder: Traversable, above: str = "") -> Iterator[tuple[str, Traversable]]:
    """The files below a folder of the installed package, by their path."""
    for entry in sorted(folder.iterdir(), key=lambda each: (each.is_dir(), each.name)):
        if entry.is_file():
            yield above + entry.name, entry
        elif entry.name != "__pycache__":
            yield from _entries(entry, f"{above}{entry.name}/")


def _new_file(path: str, text: str) -> NewFile:
    return NewFile(path, text, is_executable=text.startswith("#!"))


class _Hook(Struct, frozen=True):
    """A hook of the template in the client's terms."""

    before: Rule
    rules: tuple[Rule, ...]

    @property
    def rule(self) -> Rule:
        """The one that the cases test."""
        return self.rules[0]

    @property
    def command(self) -> Command:
        """Every hook of the template is one command."""
        action = self.rule.actions[0]
        assert isinstance(action, Command)
        return action


class _Adaptation:
    """The template adapted to one client."""

    def __init__(self, template: dict[str, str], target_file: TargetFile) -> None:
        self.template, self.target_file = template, target_file
        self.source, self.target = profile_of(OWN), profile_of(target_file.client)
        folder = PurePosixPath(target_file.name).parent
        self.scripts = str(folder if folder.name == "hooks" else folder / "hooks")
        self.left_out: list[str] = []
        self.hooks = tuple(self._hooks())
        guards = parse(template[FILE_NAME], Format.GUARDS, FILE_NAME)
        self.guarded = {rule.native_event for rule in dialect(OWN).read(guards, FileKind.HOOKS, Scope.PROJECT).rules}

    def scaffold(self) -> Scaffold:
        rules = [rule for hook in self.hooks for rule in hook.rules]
        hook_file = NewFile(self.target_file.name, json_text(dialect(self.target_file.client).write(rules)))
        return Scaffold(
            client=self.target_file.client,
            files=(NewFile(FILE_NAME, self.template[FILE_NAME]), hook_file, *self._script_files(), *self._test_files()),
            left_out=tuple(self.left_out),
        )

    # --- hooks

    def _hooks(self) -> Iterator[_Hook]:
        document = parse(self.template[PACKAGE_FILE], Format.JSON, PACKAGE_FILE)
        for rule in dialect(OWN).read(document, FileKind.HOOKS, Scope.PROJECT).rules:
            placed = self._placed(rule)
            converted = convert_hooks((placed,), self.source, self.target)
            made = converted.rules
            guards = is_guard(self.source, rule, rule.actions[0])
            if made and (not guards or bind_rule(self.target, made[0]).can_block):
                yield _Hook(rule, made)
            else:
                self.left_out.append(f"{_script(rule)}: {why_lost(converted.losses)}")

    def _placed(self, rule: Rule) -> Rule:
        """The rule with commands that find the scripts where this client has them."""
        variable = variable_for(lambda name: name.endswith("PROJECT_DIR"), self.target.execution)
        folder = f"${{{variable}}}/{self.scripts}" if variable else self.scripts
        start = f"cd {'/'.join('..' for _ in PurePosixPath(self.target_file.name).parents[1:])} && "
        prefix = start if self.target.execution.cwd == "file's folder" else ""

        def placed(command: Command) -> Command:
            text = command.command.replace(f"${{PACKAGE_ROOT}}/{SCRIPTS}", folder)
            return structs.replace(command, command=prefix + text)

        return structs.replace(
            rule, actions=tuple(placed(action) for action in rule.actions if isinstance(action, Command))
        )

    # --- scripts

    def _script_files(self) -> Iterator[NewFile]:
        for hook in self.hooks:
            name = _script(hook.before)
            yield _new_file(f"{self.scripts}/{name}", self._script(self.template[f"{SCRIPTS}/{name}"], hook))

    def _script(self, text: str, hook: _Hook) -> str:
        """The script with the client's own way to block, where it does not honour the usual one."""
        if not self._honours_exit_2(hook):
            refusal = Reply(decision=refusal_on(hook.rule.event), reason="%s")
            answer = encode_reply(bind_rule(self.target, hook.rule), refusal).stdout.decode()
            text = text.replace(REFUSAL, f"    printf '{answer}\\n' \"$1\"\n    exit 0\n")
        return text

    def _honours_exit_2(self, hook: _Hook) -> bool:
        """Whether the client takes exit status 2 with a reason on stderr for a refusal."""
        refusal = RawResult(exit_code=2, stderr=b"no")
        run = interpret(bind_rule(self.target, hook.rule), hook.command, refusal)
        return run.status is Status.BLOCKED

    # --- tests

    def _test_files(self) -> Iterator[NewFile]:
        useless: set[str] = set()
        for path, text in self.template.items():
            if path.startswith(f"{TESTS}/{CASES}/"):
                adapted: str | None = None if self._runs_anyway(text) else self._case(text)
                useless |= {_fixture_of(text)} if adapted is None else set()
            elif path in useless:
                continue
            elif path.startswith(f"{TESTS}/fixtures/") and path.endswith(".json"):
                adapted = self._fixture(text)
            elif path.startswith(f"{TESTS}/"):
                adapted = text.replace(f"{TESTS}/", f"{OTHER_TESTS}/")
            else:
                continue
            if adapted is not None:
                yield NewFile(path.replace(TESTS, OTHER_TESTS, 1), adapted)

    def _hook_on(self, native_event: str) -> _Hook | None:
        return next((hook for hook in self.hooks if hook.before.native_event == native_event), None)

    def _case(self, text: str) -> str | None:
        """The case under the client's name for the event; None when its hook is left out."""
        event = re.search(r"^event: (.+)$", text, re.MULTILINE)
        hook = self._hook_on(event[1]) if event else None
        if event is not None and event[1] in self.guarded:
            return text.replace(event[0], f"{event[0]}\nclient: {OWN}")
        if event is None or hook is None:
            return None
        text = text.replace(event[0], f"event: {hook.rule.native_event}\nclient: {self.target_file.client}")
        if "exit-code: 2" in text and not self._honours_exit_2(hook):
            text = text.replace("exit-code: 2", "exit-code: 0").replace("stderr-contains", "stdout-contains")
        return text

    def _runs_anyway(self, case: str) -> bool:
        """Whether the hook runs in this client where a case expects that its matcher does not match."""
        if "matched: false" not in case:
            return False
        event = load_json(self.template[_fixture_of(case)].encode())[self.source.wire.event_key]
        hook, payload = self._hook_on(event), self._payload(self.template[_fixture_of(case)])
        if hook is None or payload is None:
            return False
        sent = structs.replace(payload, native_event=hook.rule.native_event)
        return hook.rule.matcher is None or would_run(hook.rule, sent, self.target.name)

    def _payload(self, text: str) -> Payload | None:
        """A fixture as the client's payload; None: it has no such event."""
        payload, _ = decode_payload(self.source, load_json(text.replace(f"{TESTS}/", f"{OTHER_TESTS}/").encode()))
        return translate_payload(payload, self.source, self.target).payload

    def _fixture(self, text: str) -> str | None:
        """The payload as the client sends it; None when the hook that it is for is left out."""
        event = load_json(text.encode())[self.source.wire.event_key]
        hook = self._hook_on(event)
        if hook is None and event not in self.guarded:
            return None
        translated = self._payload(text)
        if translated is None:
            return None
        bound = bind_payload(self.target, translated) if hook is None else bind_rule(self.target, hook.rule)
        return json_text(encode_payload(bound, translated))


def _fixture_of(case: str) -> str:
    """The path of the fixture that a case of the template names."""
    found = re.search(r"^  fixture: (.+)$", case, re.MULTILINE)
    assert found is not None
    return f"{TESTS}/{found[1]}"


def _script(rule: Rule) -> str:
    """The name of the script that a rule of the template starts."""
    command = rule.actions[0]
    assert isinstance(command, Command)
    return command.command.rpartition("/")[2].rstrip('"')
