"""What the payloads of all events have in common; :mod:`anyhook.model.payload` has one class per event."""

# Annotations are no strings here (__future__): msgspec would compile each of them in every process that needs it.

from collections.abc import Mapping
from functools import cache
from typing import Any

from msgspec import Struct, structs

from anyhook.model.events import BY_NAME
from anyhook.model.lazyjson import NO_JSON, JsonField, LazyJson, OptionalJson, as_plain

Text = str | None
Flag = bool | None
Number = int | float | None
Time = str | int | float | None


class Spelling(Struct, frozen=True):
    """How one payload was written, where its client has several ways; kept for writing it back unchanged."""

    dialect: str = ""
    """The dialect that it was read from; empty: it was made here."""
    names: Mapping[str, str] = {}
    """Field -> the name it came under, if not the dialect's first one. Field "event": the key that named the event."""
    unquoted: frozenset[str] = frozenset()
    """Fields that the dialect sends as JSON text in a string, but that came as plain JSON."""
    nulls: frozenset[str] = frozenset()
    """Fields that came as null; of the others that are None, nothing came."""


_OWN_FIELDS = frozenset({"event", "native_event", "extra", "spelling"})
"""Fields that are not part of what a client sends."""


class Payload(Struct, frozen=True, kw_only=True):
    """The fields of every event. This class itself is for an unknown event, or one that lacks a field."""

    event: str = ""
    """Canonical name. The classes below set it themselves."""
    native_event: str = ""
    """The name as the client spells it; empty: the payload was made here, for no client in particular."""
    session_id: Text = None
    transcript_path: Text = None
    cwd: Text = None
    permission_mode: Text = None
    prompt_id: Text = None
    turn_id: Text = None
    timestamp: Time = None
    """ISO text or milliseconds, as the client sends it."""
    model: Text = None
    effort: OptionalJson = NO_JSON
    agent_id: Text = None
    agent_type: Text = None
    parent_agent_id: Text = None
    scratchpad_dir: Text = None
    workspace_roots: OptionalJson = NO_JSON
    extra: Mapping[str, LazyJson] = {}
    """Every other field, under its native name."""
    spelling: Spelling = Spelling()

    def __post_init__(self) -> None:
        cls = type(self)
        if cls.__name__ in BY_NAME:
            structs.force_setattr(self, "event", cls.__name__)
        for name in json_fields(cls):
            value = getattr(self, name)
            if type(value) is not LazyJson and (value is not None or name in _required_json(cls)):
                structs.force_setattr(self, name, LazyJson.of(_as_plain(value)))

    def __getitem__(self, name: str) -> Any:
        """A field by its name, as plain data: callbacks of the Agent SDK receive a dictionary. KeyError: not given."""
        value: Any = None
        if name == "hook_event_name":
            value = self.native_event or self.event
        elif name in self.__struct_fields__ and name not in _OWN_FIELDS:
            value = getattr(self, name)
        elif name in self.extra:
            value = self.extra[name]
        if value is None and name not in self.spelling.nulls:
            raise KeyError(name)
        return value.value if isinstance(value, LazyJson) else value

    def get(self, name: str, default: Any = None) -> Any:
        """The same, or the default where it is not given."""
        try:
            return self[name]
        except KeyError:
            return default

    def __contains__(self, name: str) -> bool:
        try:
            self[name]
        except KeyError:
            return False
        return True

    @property
    def file_path(self) -> Text:
        """The file that the event is about, from its own field or the tool's input."""
        path = _input_text(self, FILE_INPUTS)
        files = self.get("tool_input", {}) if path is None else {}
        files = files.get("files") if isinstance(files, Mapping) else None  # VS Code hooks spec
        return files[0] if isinstance(files, list) and files and isinstance(files[0], str) else path

    @property
    def command(self) -> Text:
        """The shell command that the event is about, from its own field or the tool's input."""
        return _input_text(self, ("command",))


def _as_plain(value: object) -> object:
    """What a host hands over, as plain data; unchanged if that is not possible, which is told when it is written."""
    try:
        return as_plain(value)
    except Exception:  # a model may raise anything
        return value


@cache
def json_fields(cls: type[Payload]) -> tuple[str, ...]:
    """The fields of a class that hold any JSON, unparsed."""
    return tuple(field.name for field in structs.fields(cls) if field.type in (JsonField, OptionalJson))


@cache
def _required_json(cls: type[Payload]) -> frozenset[str]:
    """Those of them that every event of the class has, so that None is a value like any other."""
    return frozenset(field.name for field in structs.fields(cls) if field.type is JsonField)


FILE_INPUTS = ("file_path", "filePath", "path", "notebook_path", "absolute_path")
"""What clients call the file in a tool's input (``conformance/fact-sheets/MATRIX.md`` table 2), most usual first."""


def _input_text(payload: Payload, names: tuple[str, ...]) -> str | None:
    tool_input = getattr(payload, "tool_input", None)
    if isinstance(tool_input, LazyJson) and tool_input.is_object:
        for name in names:
            if isinstance(value := tool_input.get(name), str):
                return value
    return None
