"""For every dialect and every kind of file: reading never raises, loses nothing unseen, and writing is its inverse."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from anyhook.dialects import NAMES, all_profiles, dialect, profile
from anyhook.dialects.clients.antigravity import TOOL_EVENTS
from anyhook.dialects.clients.kiro.formats import CLI_EVENTS, IDE_EVENTS, V1_EVENTS
from anyhook.dialects.clients.rulesync import DEAD_SECTIONS, SECTIONS
from anyhook.dialects.events import find_event, native_names
from anyhook.dialects.files.actions import keys_of, required_fields
from anyhook.dialects.places import FileKind
from anyhook.dialects.profile import Shape
from anyhook.model.hooks import Action, FateState, HookFile
from anyhook.model.origin import Origin, Scope
from anyhook.sources.parsing.parse_json import parse_json

ALL_NAMES = sorted({name for known in all_profiles() for names in known.events.values() for name in names})
TYPES = ("command", "prompt", "agent", "http", "mcp_tool", "function", "askAgent", "runCommand", "shellCommand")
TEXTS = st.sampled_from(["./guard.sh", "echo hello", "Bash", "Write|Edit", "^git ", "startup"])
NUMBERS = st.sampled_from([1, 5, 30, 600, 5000])
ODD = st.one_of(
    st.sampled_from([None, True, False, 0, -1, 0.5, 1.5, 2.0, 2**40, "", "*", "10", "two\nlines", "/re/"]),
    st.lists(TEXTS, max_size=2),
    st.dictionaries(TEXTS, TEXTS, max_size=1),
)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)

Strategy = st.SearchStrategy[Any]


def mostly(usual: Strategy, odd: Strategy = ODD) -> Strategy:
    """The usual value, and now and then one that does not belong there."""
    return st.sampled_from(range(12)).flatmap(lambda chance: odd if chance == 6 else usual)


def some(**fields: Strategy) -> Strategy:
    """An object with any choice of these keys."""
    return st.fixed_dictionaries({}, optional=fields)


def value_of(field: str) -> Strategy:
    """What a person writes for a key that fills this field of an action."""
    match field.partition("=")[0]:
        case "timeout":
            return NUMBERS
        case "args" | "tools" | "allowed_env":
            return st.lists(TEXTS, max_size=2)
        case "env" | "headers" | "input":
            return st.dictionaries(TEXTS, TEXTS, max_size=2)
        case "is_async" | "once" | "rewakes" | "fail_closed" | "show_output" | "continue_on_block":
            return st.just("block") if "=" in field else st.booleans()
        case "context_limit" | "max_turns":
            return st.integers(0, 9)
        case _:
            return TEXTS


@cache
def hooks(name: str) -> Strategy:
    """Hooks as this client wants them, and a few that nobody wants."""
    layout = profile(name).layout
    right = []
    for kind in layout.action_keys:
        keys = {key: value_of(field) for key, field in keys_of(layout, kind).items()}
        needed = {key for key, field in keys_of(layout, kind).items() if field in required_fields(kind)}
        type_key = {} if layout.default_type == kind else {"type": st.just(kind)}
        required = {key: value for key, value in keys.items() if key in needed} | type_key
        optional = {key: value for key, value in keys.items() if key not in needed}
        right.append(st.fixed_dictionaries(required, optional=optional | {"matcher": TEXTS, "unknown": ODD}))
    everything = {key for kind in layout.action_keys for key in keys_of(layout, kind)}
    wrong = some(type=st.sampled_from(TYPES) | ODD, **dict.fromkeys(sorted(everything | {"timeoutSec"}), ODD | TEXTS))
    return mostly(st.one_of(right), wrong | ODD)


@cache
def event_maps(name: str) -> Strategy:
    """Objects of events, each in the shape that this client wants, and now and then in another."""
    layout = profile(name).layout
    more = dict.fromkeys(("sequential", "commandRegex", "id"), ODD | TEXTS)
    listed = st.lists(hooks(name), min_size=1, max_size=2)
    group = st.fixed_dictionaries({"hooks": mostly(listed)}, optional={"matcher": mostly(TEXTS)} | more)

    def entries(native: str) -> Strategy:
        named = find_event(native, name)
        is_flat = layout.shape is Shape.FLAT or (name == "antigravity" and named and named.name not in TOOL_EVENTS)
        usual = hooks(name) if is_flat else group | hooks(name) if layout.shape is Shape.EITHER else group
        return mostly(st.lists(mostly(usual, group | hooks(name)), max_size=3), hooks(name) | ODD)

    own = st.sampled_from(sorted(native_names(name)))
    names = mostly(own, st.sampled_from(ALL_NAMES) | st.sampled_from(["enabled", "description", "beforeCommit", ""]))
    pairs = names.flatmap(lambda native: st.tuples(st.just(native), entries(native)))
    return mostly(st.lists(pairs, min_size=1, max_size=3).map(dict))


@cache
def kiro_files(kind: FileKind) -> Strategy:
    """The three formats of Kiro, each in its own kind of file."""
    globs = st.lists(st.sampled_from(["src/**/*.ts", "*.{js,ts}", "[!a]?.md", "**", "{", "["]), max_size=3)
    about = {"enabled": mostly(st.booleans()), "description": ODD, "timeout": mostly(NUMBERS | st.just(0))}

    def what(command: str, prompt: str) -> Strategy:
        runs = st.fixed_dictionaries({"type": st.just(command), "command": TEXTS}, optional={"timeout": NUMBERS})
        says = st.fixed_dictionaries({"type": st.just(prompt), "prompt": TEXTS})
        return mostly(runs | says, ODD | some(type=st.sampled_from(TYPES), command=ODD, timeout=ODD))

    v1 = st.fixed_dictionaries(
        {"name": TEXTS, "trigger": mostly(st.sampled_from(sorted(V1_EVENTS))), "action": what("command", "agent")},
        optional={"matcher": mostly(TEXTS), "unknown": ODD, **about},
    )
    when = st.fixed_dictionaries(
        {"type": mostly(st.sampled_from(sorted(IDE_EVENTS)))},
        optional={"patterns": mostly(globs), "toolTypes": mostly(st.lists(TEXTS, max_size=2))},
    )
    cli = st.fixed_dictionaries({"command": TEXTS}, optional={"matcher": TEXTS, "timeout_ms": NUMBERS, "name": TEXTS})
    files = {
        FileKind.HOOKS: st.fixed_dictionaries({"version": st.just("v1"), "hooks": st.lists(mostly(v1), max_size=3)}),
        FileKind.EMBEDDED: st.fixed_dictionaries(
            {"name": TEXTS, "when": mostly(when), "then": what("runCommand", "askAgent")}, optional=about
        ),
        FileKind.SETTINGS: some(hooks=st.dictionaries(st.sampled_from(sorted(CLI_EVENTS)), st.lists(mostly(cli)))),
    }
    return mostly(files.get(kind, files[FileKind.SETTINGS]), st.one_of(*files.values(), some(hooks=event_maps("kiro"))))


@cache
def config_files(name: str, kind: FileKind) -> Strategy:
    """Files as people write them for this client, with the mistakes that people make."""
    events, layout = event_maps(name), profile(name).layout
    version = {} if layout.version is None else {"version": mostly(st.just(layout.version))}
    sections = st.dictionaries(st.sampled_from([*SECTIONS, *DEAD_SECTIONS, "nobody"]), some(hooks=events), max_size=2)
    wrapped = st.fixed_dictionaries({"hooks": events, **version}, optional={"description": TEXTS})
    named = st.dictionaries(st.sampled_from(["guard", "hooks", ""]), events, min_size=1, max_size=2)
    own: dict[str, Strategy] = {
        "antigravity": st.tuples(named, st.sampled_from([None, True, False])).map(_switched),
        "kiro": kiro_files(kind),
        "rulesync": st.tuples(wrapped, sections).map(lambda parts: {**parts[1], **parts[0]}),
    }
    return mostly(own.get(name, wrapped), events | named | some(hooks=st.lists(hooks(name)), disableAllHooks=ODD) | ODD)


def _switched(parts: tuple[Any, bool | None]) -> Any:
    """Named hooks, the first of which has this switch."""
    named, enabled = parts
    first = next(iter(named))
    if enabled is not None and isinstance(named[first], dict):
        named[first]["enabled"] = enabled
    return named


def read(name: str, data: Any, kind: FileKind) -> HookFile:
    return dialect(name).read(parse_json(json.dumps(data), "hooks.json"), kind, Scope.PROJECT)


def loaded(file: HookFile) -> list[tuple[object, ...]]:
    """What the client runs, without where it stands in the file."""

    def bare(action: Action) -> Action:
        return structs.replace(action, origin=Origin())

    def parts(actions: list[Action]) -> list[list[Action]]:
        """A client that is written flat has each hook of a group as an entry of its own afterwards."""
        return [[action] for action in actions] if profile(file.dialect).layout.writes_flat else [actions]

    return [
        (rule.event, rule.native_event, rule.matcher, rule.sequential, rule.command_pattern, part)
        for rule in file.rules
        if (actions := [bare(action) for action in rule.actions if action.is_loaded])
        for part in parts(actions)
    ]


def commands_in(value: Any) -> int:
    """How many hooks with a command stand below a value, wherever a person may have put them."""
    if isinstance(value, list):
        return sum(commands_in(item) for item in value)
    if not isinstance(value, dict):
        return 0
    inner = sum(commands_in(item) for key, item in value.items() if key not in {"enabled", "description"})
    return inner + (isinstance(value.get("command"), str) and value["command"] != "")


@pytest.mark.parametrize("name", NAMES)
@given(value=ANY_JSON, kind=st.sampled_from(FileKind))
def test_any_json_can_be_read_and_written(name: str, value: Any, kind: FileKind) -> None:
    json.dumps(dialect(name).write(read(name, value, kind).rules))


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data(), kind=st.sampled_from(FileKind))
def test_every_hook_is_loaded_or_lost_with_a_reason_and_survives_writing(
    name: str, data: st.DataObject, kind: FileKind
) -> None:
    content = data.draw(config_files(name, kind))
    first = read(name, content, kind)
    actions = [action for rule in first.rules for action in rule.actions]
    if isinstance(content, dict) and kind is not FileKind.MANIFEST:  # whose "hooks" may be paths
        assert len(actions) >= commands_in(content.get("hooks"))
    for action in actions:
        assert action.fate.state in (FateState.ACTIVE, FateState.DISABLED, FateState.DROPPED)
        assert action.is_loaded or (action.fate.why and first.problems)
    # Written is a file of hooks alone, which in one client has another shape than the rest.
    again = read(name, dialect(name).write(first.rules), FileKind.HOOKS if name == "factory-droid" else kind)
    assert loaded(again) == loaded(first)
