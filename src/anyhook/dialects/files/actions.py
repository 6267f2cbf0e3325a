"""One hook entry to an action and back, driven by the keys in a client's layout."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from msgspec import NODEFAULT, Struct, structs

from anyhook.dialects.overrides import overridden
from anyhook.dialects.profile import Layout, Profile
from anyhook.dialects.stages import Entry
from anyhook.model.hooks import (
    Action,
    Agent,
    Command,
    DeclaredRule,
    Guard,
    Http,
    McpTool,
    OsCommands,
    Prompt,
    Python,
    RuleCommand,
)
from anyhook.model.lazyjson import dump_json
from anyhook.model.wording import close_matches, join_or


class BadEntryError(Exception):
    """An entry that the client does not load. ``harmless``: it never costs more than itself."""

    def __init__(self, code: str, text: str, fix: str = "", key: str = "", *, harmless: bool = False) -> None:
        super().__init__(text)
        self.code, self.text, self.fix, self.key, self.harmless = code, text, fix, key, harmless


class Reading(Struct):
    """An action, the matcher that a flat entry may carry, and the keys that the client does not read."""

    action: Action
    matcher: Any
    unread: tuple[str, ...]


class _Kind(Struct):
    make: type[Action]
    required: tuple[str, ...]


_KINDS: Mapping[str, _Kind] = {
    "command": _Kind(Command, ("command",)),
    "prompt": _Kind(Prompt, ("prompt",)),
    "agent": _Kind(Agent, ("prompt",)),
    "http": _Kind(Http, ("url",)),
    "mcp_tool": _Kind(McpTool, ("server", "tool")),
    "python": _Kind(Python, ("function",)),
    "guard": _Kind(Guard, ("guard",)),
    "rule": _Kind(DeclaredRule, ("settings",)),
    "rule_command": _Kind(RuleCommand, ("command", "settings")),
}


def keys_of(layout: Layout, kind: str) -> Mapping[str, str]:
    """Every key that a hook of this type may have, with the field it fills."""
    common = {key: field for key, field in layout.common_keys.items() if _has_field(kind, field)}
    return {**common, **layout.action_keys.get(kind, {})}


def _has_field(kind: str, field: str) -> bool:
    """Whether such actions have the field at all: a prompt has no working directory, whatever the file says."""
    name = field.partition("=")[0].partition(".")[0]
    return name in ("timeout", "note") or kind not in _KINDS or name in _KINDS[kind].make.__struct_fields__


def required_fields(kind: str) -> tuple[str, ...]:
    """The fields without which a hook of this type has nothing to do."""
    return _KINDS[kind].required


def read_action(profile: Profile, entry: Any) -> Reading:
    """The action that an entry describes; BadEntryError when the client would not load it."""
    if not isinstance(entry, dict):
        raise BadEntryError("S008", "a hook must be an object", 'write {"type": "command", "command": "..."}')
    return overridden(profile.overrides.read_entry, Entry(profile, entry), read_entry)


def read_entry(given: Entry) -> Reading:
    """The action in an entry, by the fields of the profile alone."""
    profile, entry, layout = given.profile, given.value, given.profile.layout
    kind = _kind_of(profile, entry)
    keys = keys_of(layout, kind)
    fields: dict[str, Any] = {}
    variants: dict[str, str] = {}
    unread: list[str] = []
    for key, value in entry.items():
        field = keys.get(key, "")
        if field == "timeout":
            fields["timeout_ms"] = _timeout_ms(profile, key, value, kind)
        elif field.startswith("by_os."):
            variants[field.removeprefix("by_os.")] = _text(key, value).strip() and value
        elif field:
            _set(fields, layout, key, field, value)
        elif key not in {"type", "matcher"} and key not in layout.ignored_keys:
            unread.append(key)
    if variants:
        posix = variants.pop("posix", None)  # one that is empty is not replaced by the command for all systems
        variants = {name: text for name, text in variants.items() if text}
        fields["by_os"] = OsCommands(
            windows=variants.get("windows"), linux=variants.get("linux", posix), macos=variants.get("macos", posix)
        )
    for name in _KINDS[kind].required:
        by_system = name == "command" and fields.get("by_os", OsCommands()).any_text() and not layout.command_required
        if not fields.get(name) and not by_system:
            raise _missing(profile, kind, name, entry)
    if kind == "prompt" and layout.submits_prompts:
        fields["purpose"] = "submit"
    stored = {key for key, field in keys.items() if field != "note"} | {"type", "matcher"}
    extra = {key: value for key, value in entry.items() if key not in stored}
    return Reading(_KINDS[kind].make(**fields, extra=extra), entry.get("matcher"), tuple(unread))


def _set(fields: dict[str, Any], layout: Layout, key: str, field: str, value: Any) -> None:
    """Put the value of one key into its field; BadEntryError where the client refuses it."""
    name, _, literal = field.partition("=")
    if layout.values == "strict" and (value is None or ((literal or name == "note") and not isinstance(value, str))):
        raise BadEntryError("K007", f'"{key}" has a wrong type', "", key)
    if name == "note":
        return
    try:
        fields[name] = value == literal if literal else _CHECKS[name](key, value)
    except BadEntryError:
        if layout.values != "loose" or name in _NEEDED:
            raise
        if name == "name" and value not in (None, False, 0, []):  # JavaScript makes text of it, and so another hook
            fields[name] = dump_json(value).decode()


_NEEDED = frozenset({"command", "prompt", "url", "server", "tool", "function", "guard"})


def write_action(profile: Profile, action: Action) -> dict[str, Any]:
    """The entry that describes an action, with the keys of this client."""
    keys = keys_of(profile.layout, action.kind)
    entry: dict[str, Any] = {} if profile.layout.default_type == action.kind else {"type": action.kind}
    written: set[str] = set()
    for key, field in keys.items():
        name, _, literal = field.partition("=")
        if name == "note" or name in written:
            continue
        value = _field_value(profile, action, name)
        if value is None or value == _defaults(type(action)).get(name):
            continue
        entry[key] = literal or (list(value) if isinstance(value, tuple) else value)
        written |= {"by_os.linux", "by_os.macos", name} if name == "by_os.posix" else {name}
    return entry | dict(action.extra)


@cache
def _defaults(kind: type[Action]) -> Mapping[str, Any]:
    """Values that need not be written. An empty list of arguments or a limit of 0 is not one of them."""
    found = {field.name: field.default for field in structs.fields(kind)}
    return found | {f.name: f.default_factory() for f in structs.fields(kind) if f.default_factory is not NODEFAULT}


def _field_value(profile: Profile, action: Action, name: str) -> Any:
    if name == "timeout":
        return None if action.timeout_ms is None else profile.timeouts.from_ms(action.timeout_ms, action.kind)
    if not name.startswith("by_os."):
        return getattr(action, name, None)
    variants = action.by_os if isinstance(action, Command) else OsCommands()
    if name == "by_os.posix":
        return variants.linux if variants.linux == variants.macos else None
    return getattr(variants, name.removeprefix("by_os."))


def _kind_of(profile: Profile, entry: Mapping[str, Any]) -> str:
    layout, title = profile.layout, profile.title
    kind = entry.get("type", layout.default_type)
    if kind is None:
        raise BadEntryError("K004", f'no "type"; {title} does not load this hook', 'add "type": "command"')
    if not isinstance(kind, str):
        raise BadEntryError("K007", '"type" must be text', 'write "type": "command"', "type")
    if kind in layout.refused_types:
        raise BadEntryError(
            "K005", f"{title}: {layout.refused_types[kind]}", "use a command hook", "type", harmless=True
        )
    if kind not in layout.action_keys:
        runs = ", ".join(sorted(layout.action_keys))
        raise BadEntryError("K005", f'{title} does not run hooks of type "{kind}"', f"it runs: {runs}", "type")
    return kind


def _missing(profile: Profile, kind: str, name: str, entry: Mapping[str, Any]) -> BadEntryError:
    wanted = [key for key, field in keys_of(profile.layout, kind).items() if field in (name, "by_os.posix")]
    present = next((key for key in wanted if key in entry), None)
    what = f'"{present}" is empty' if present else f'no "{name}"'
    fix = f"give it {join_or(f'{key!r}' for key in wanted or [name])}".replace("'", '"')
    harmless = present is not None and entry[present] == "" and profile.layout.empty_command == "ignored"
    for key in () if present else entry:
        if meant := close_matches(key, wanted or [name], similarity=0.7):
            present, fix = key, f'it has "{key}"; did you mean {meant[0]}?'
    return BadEntryError("K006", f"{what}; {profile.title} has nothing to run", fix, present or "", harmless=harmless)


def _timeout_ms(profile: Profile, key: str, value: Any, kind: str) -> int | None:
    rules, unit = profile.timeouts, profile.timeouts.unit_of(kind)
    if isinstance(value, str) and rules.text_allowed:
        try:
            value = float(value)
        except ValueError:
            value = None
    bad = BadEntryError("K007", f'"{key}" must be a positive number of {unit}', "write a plain number", key)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or abs(value) > 1e12:
        if rules.zero == "default":
            return None
        raise bad
    if rules.whole_numbers and value != int(value):
        raise BadEntryError("K007", f'"{key}" must be a whole number of {unit}', "round it", key)
    if value > 0:
        return rules.to_ms(value, kind)
    match rules.zero:
        case "default":
            return None
        case "at once":
            return 0
        case "minimum" if value == 0:
            return rules.minimum_ms
        case _:
            raise bad


def _text(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise BadEntryError("K007", f'"{key}" must be text', "", key)
    return value


def _optional_text(key: str, value: Any) -> str | None:
    return None if value is None else _text(key, value)


def _flag(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise BadEntryError("K007", f'"{key}" must be true or false', "", key)
    return value


def _count(key: str, value: Any) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise BadEntryError("K007", f'"{key}" must be a whole number', "", key)
    return value


def _texts(key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise BadEntryError("K007", f'"{key}" must be a list of texts', "", key)
    return tuple(value)


def _text_map(key: str, value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
        raise BadEntryError("K007", f'"{key}" must be an object of texts', "", key)
    return value


def _object(key: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadEntryError("K007", f'"{key}" must be an object', "", key)
    return value


_CHECKS: Mapping[str, Callable[[str, Any], Any]] = {
    "command": _text,
    "prompt": _text,
    "url": _text,
    "server": _text,
    "tool": _text,
    "function": _text,
    "guard": _text,
    "name": _optional_text,
    "model": _optional_text,
    "shell": _optional_text,
    "cwd": _optional_text,
    "condition": _optional_text,
    "status_message": _optional_text,
    "args": _texts,
    "allowed_env": _texts,
    "tools": _texts,
    "env": _text_map,
    "headers": _text_map,
    "input": _object,
    "settings": _object,
    "is_async": _flag,
    "rewakes": _flag,
    "once": _flag,
    "fail_closed": _flag,
    "show_output": _flag,
    "continue_on_block": _flag,
    "context_limit": _count,
    "max_turns": _count,
}
