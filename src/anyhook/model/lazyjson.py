"""A JSON value that is parsed when it is first read: a hook rarely looks into a five-megabyte tool input."""

from __future__ import annotations

import os
import re
from collections import UserString
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Never

import msgspec
from msgspec import UNSET, Raw, UnsetType

__all__ = ["NO_JSON", "JsonField", "LazyJson", "OptionalJson", "as_plain", "dump_json", "load_any_json", "load_json"]

_ATOMS = frozenset({str, int, float, bool, type(None)})
_BYTES = (bytes, bytearray, memoryview)
MAX_DEPTH = 200
MAX_DIGITS = 4000
"""What Python reads safely; it refuses more than 4,300 digits and a depth of about 1,000."""
_BRACKETS = r"""[\[{\]}]|"(?:[^"\\]|\\.)*+(?:"|\\?\Z)"""

_FIRST_BYTE = re.compile(rb"[ \t\r\n]*(.)", re.DOTALL)


def load_json(raw: bytes | Raw) -> Any:
    """The value of a JSON text, also of those that JavaScript writes and msgspec refuses.

    JSON.stringify writes half of a surrogate pair as ``\\ud83d`` when a client has cut a text in the middle of an
    emoji, and a hook may print bytes that are no UTF-8. Raises ValueError for what is not JSON.
    """
    try:
        return msgspec.json.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        import json  # here and below: a client waits for the import, and few texts need it

        text = bytes(raw).decode("utf-8", "replace").removeprefix("\ufeff")
        return json.loads(text, parse_constant=_refuse_constant)


def load_any_json(raw: bytes | Raw) -> Any:
    """The value of a payload, however odd: a guard must see what a model has written.

    What is nested too deeply, a number with too many digits, NaN and Infinity become texts. Raises ValueError for
    what is not JSON.
    """
    try:
        return load_json(raw)
    except (ValueError, RecursionError):
        import json

        text = bytes(raw).decode("utf-8", "replace").removeprefix("\ufeff")
        return json.loads(_shallow(text), parse_constant=str, parse_int=_bounded_int)


def _bounded_int(digits: str) -> int | str:
    return int(digits) if len(digits) <= MAX_DIGITS else digits


def _shallow(text: str) -> str:
    """The JSON text with every value below :data:`MAX_DEPTH` as a text."""
    import json

    parts: list[str] = []
    depth = start = done = 0
    for found in re.finditer(_BRACKETS, text, re.DOTALL):
        if found[0][0] in "[{":
            depth += 1
            if depth == MAX_DEPTH + 1:
                start = found.start()
        elif found[0][0] in "]}":
            if depth == MAX_DEPTH + 1:
                parts += [text[done:start], json.dumps(text[start : found.end()])]
                done = found.end()
            depth -= 1
    return "".join(parts) + text[done:]


def dump_json(value: Any) -> bytes:
    """Compact JSON, as UTF-8; half surrogate pairs become escapes again."""
    try:
        return msgspec.json.encode(value, enc_hook=_known_to_msgspec)
    except UnicodeEncodeError:
        import json

        return json.dumps(as_plain(value), separators=(",", ":")).encode()


def as_plain(value: Any) -> Any:
    """The value as JSON holds it: a host's own text and number types, dataclasses and models become plain data.

    Bytes become text, which a guard can read; msgspec would write them as base64. Raises TypeError, ValueError or
    RecursionError for what JSON cannot hold.
    """
    return _as_json(msgspec.to_builtins(value, builtin_types=_BYTES, enc_hook=_known_to_builtins))


def _as_json(value: Any) -> Any:
    """Builtins with text for bytes and for keys that are none."""
    if type(value) in _ATOMS:
        return value
    if isinstance(value, dict):
        if all(type(key) is str for key in value) and all(type(item) in _ATOMS for item in value.values()):
            return value  # nearly always, and much quicker
        return {_as_key(key): _as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(item) for item in value]
    return bytes(value).decode("utf-8", "replace") if isinstance(value, _BYTES) else value


def _as_key(key: Any) -> str:
    plain = _as_json(key)
    return plain if isinstance(plain, str) else dump_json(plain).decode()


def _refuse_constant(name: str) -> Never:
    raise ValueError(f"{name} is not JSON")


def _known_to_msgspec(value: object) -> Any:
    if isinstance(value, LazyJson):
        return Raw(value.raw)
    return _known_to_builtins(value)


def _known_to_builtins(value: object) -> Any:
    """A value that msgspec does not know, in its terms."""
    match value:
        case LazyJson():
            return value.value
        case Raw():
            return load_json(value)
        case str():  # the method of `str` itself: a subclass may have another
            return str.__str__(value)
        case int():
            return int.__int__(value)
        case float():
            return float.__float__(value)
        case Mapping():
            return dict(value)
        case os.PathLike():
            return os.fspath(value)
        case UserString():
            return value.data
        case Sequence():
            return list(value)
    if callable(dump := getattr(value, "model_dump", None)):  # pydantic
        return dump(mode="json")
    if callable(dump := getattr(value, "dict", None)) and hasattr(value, "__fields__"):  # pydantic 1
        return dump()
    if callable(listed := getattr(value, "tolist", None)):  # the numbers and arrays of numpy
        return listed()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


class LazyJson:
    """Raw JSON that is decoded on the first read. Treat the value as read-only: it is not copied."""

    __slots__ = ("_raw", "_value")

    _raw: bytes | Raw | UnsetType
    _value: Any

    def __init__(self, raw: bytes | Raw) -> None:
        """Wrap JSON text that is known to be well-formed; :meth:`of` wraps a Python value."""
        self._raw = raw
        self._value = UNSET

    @classmethod
    def of(cls, value: object) -> LazyJson:
        if isinstance(value, LazyJson):
            return value
        lazy = cls.__new__(cls)
        lazy._raw = UNSET
        lazy._value = value
        return lazy

    @property
    def value(self) -> Any:
        if self._value is UNSET:
            assert not isinstance(self._raw, UnsetType)
            self._value = load_any_json(self._raw)
        return self._value

    @property
    def raw(self) -> bytes:
        if isinstance(self._raw, UnsetType):
            self._raw = dump_json(self._value)
        return bytes(self._raw)

    def typed(self, decoder: msgspec.json.Decoder[Any]) -> Any:
        """The value as the decoder's type, not kept. Raises msgspec.ValidationError when it has another type."""
        if self._value is UNSET:
            assert not isinstance(self._raw, UnsetType)
            try:
                return decoder.decode(self._raw)
            except (ValueError, RecursionError):
                pass  # load_any_json is more patient
        return msgspec.convert(self.value, decoder.type)

    @property
    def is_decoded(self) -> bool:
        return self._value is not UNSET

    @property
    def is_object(self) -> bool:
        """Whether it is a JSON object, told without decoding it."""
        return self._first_byte() == b"{" if self._value is UNSET else isinstance(self._value, Mapping)

    @property
    def is_container(self) -> bool:
        """Whether it is a JSON object or array, told without decoding it."""
        if self._value is UNSET:
            return self._first_byte() in (b"{", b"[")
        return isinstance(self._value, Mapping | list | tuple)

    def _first_byte(self) -> bytes:
        assert not isinstance(self._raw, UnsetType)
        found = _FIRST_BYTE.match(memoryview(self._raw))  # no copy of what may be megabytes
        return found.group(1) if found else b""

    def get(self, key: str, default: Any = None) -> Any:
        """A member of the object; the default when there is none or it is no object."""
        return self.value.get(key, default) if isinstance(self.value, Mapping) else default

    def __getitem__(self, key: str | int) -> Any:
        return self.value[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value)

    def __contains__(self, key: object) -> bool:
        return isinstance(self.value, Mapping | list | tuple) and key in self.value

    def __eq__(self, other: object) -> bool:
        if isinstance(other, LazyJson):
            return bool(self.value == other.value)
        return bool(self.value == other)

    __hash__ = None  # type: ignore[assignment]  # equal values can have different texts

    def __repr__(self) -> str:
        if self._value is not UNSET:
            return f"LazyJson.of({self._value!r})"
        text = bytes(memoryview(self.raw)[:60])
        return f"LazyJson({text!r}{'...' if len(self.raw) > 60 else ''})"


if TYPE_CHECKING:
    # To a type checker a JSON field reads as LazyJson and takes any value in the constructor, as it does at run time.
    # (mypy gives a field that a frozen subclass inherits the type of __set__, so that one names LazyJson, too.)
    class JsonField:
        def __get__(self, instance: object, owner: type[object] | None = None) -> LazyJson: ...
        def __set__(self, instance: object, value: LazyJson | Any) -> None: ...

    class OptionalJson:
        def __get__(self, instance: object, owner: type[object] | None = None) -> LazyJson | None: ...
        def __set__(self, instance: object, value: LazyJson | Any | None) -> None: ...

    NO_JSON: OptionalJson
else:
    JsonField = LazyJson
    OptionalJson = LazyJson | None
    NO_JSON = None
