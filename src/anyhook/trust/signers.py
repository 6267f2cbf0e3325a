"""Whose signatures count: the signers that the user allows, and those that the organisation names.

The user's list is ``allowed_signers`` beside their ``anyhook.toml``, in OpenSSH's format (ALLOWED SIGNERS in
ssh-keygen(1)). The organisation's are in ``[trust]`` of ``/etc/anyhook/anyhook.toml``. A project can name no signer.
"""

from __future__ import annotations

import binascii
import os
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import sha256
from math import inf
from pathlib import Path

import msgspec
from msgspec import Struct

from anyhook.model.origin import Scope
from anyhook.model.problems import AnyhookError
from anyhook.sources import disk
from anyhook.sources.discover import Roots
from anyhook.sources.state import read_private, users_folder

NAMESPACE = "anyhook"
"""What signatures are made for: one for git or for a file of another program does not count."""
MANAGED_SETTINGS = "etc/anyhook/anyhook.toml"
MAX_FILE_BYTES = 1024 * 1024

_KEY = r"((?:ssh|ecdsa|sk)-[\w@.-]+)[ \t]+([A-Za-z0-9+/]+={0,2})(?:[ \t]+(.*))?"
_LINE = r'("[^"]+"|[^\s"#]\S*)[ \t]+(?:((?:[^\s"]|"[^"]*")+)[ \t]+)?' + _KEY
_OPTION = r'(namespaces|valid-before)="([^"\\]*)"'
_DATE_FORMATS = {8: "%Y%m%d", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}


class AllowedSigner(Struct, frozen=True):
    """A line of a list of allowed signers."""

    name: str
    key: str
    """``ssh-ed25519 AAAA...``"""
    valid_before: str = ""
    """A date in UTC, as ``20270131Z`` or ``202701311200Z``."""
    end: float = inf
    """The same in seconds: from then on the key does not count."""
    scope: Scope = Scope.USER

    @property
    def line(self) -> str:
        """The signer as the user's list has it."""
        name = f'"{self.name}"' if re.search(r"\s", self.name) else self.name
        until = f',valid-before="{self.valid_before}"' if self.valid_before else ""
        return f'{name} namespaces="{NAMESPACE}"{until} {self.key}'


class AllowedSigners(Struct, frozen=True):
    """All whose signatures count here, the organisation's first."""

    signers: tuple[AllowedSigner, ...] = ()
    are_required: bool = False
    """No hook of a project runs that none of them has signed."""
    notes: tuple[str, ...] = ()
    """What is wrong with the lists, with file and line."""

    def of_key(self, key: str) -> tuple[AllowedSigner, ...]:
        return tuple(signer for signer in self.signers if signer.key == key)


class TrustSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """``[trust]``: whom the organisation trusts. Only in the organisation's file."""

    require_signature: bool = False
    """Hooks of projects run only if one of these signers has signed them, whatever a user approves."""
    signers: tuple[str, ...] = ()
    """Keys, each as ``ssh-ed25519 AAAA... name`` or as a line of OpenSSH's allowed signers."""


class _ManagedSettings(Struct, frozen=True, forbid_unknown_fields=True):
    trust: TrustSettings = TrustSettings()


# ---------------------------------------------------------------------------------------------------------- the lists


def allowed_signers(roots: Roots) -> AllowedSigners:
    """The signers of the organisation, and of the user where the organisation does not require its own.

    What cannot be read allows nobody; an organisation's file that cannot be read requires signatures.
    """
    path = roots.system / MANAGED_SETTINGS
    settings, notes = TrustSettings(), []
    if disk.exists(path):
        try:
            if (content := read_private(path)) is None:
                raise AnyhookError("it cannot be read, or others can write to it")
            settings = msgspec.toml.decode(content, type=_ManagedSettings).trust
        except (AnyhookError, msgspec.MsgspecError, UnicodeDecodeError) as error:
            settings = TrustSettings(require_signature=True)
            notes.append(f"{path}: {error}, so no hook of a project runs without a signature")
    found: list[AllowedSigner] = []
    for text in settings.signers:
        try:
            found.append(parse_signer(text, scope=Scope.MANAGED))
        except AnyhookError as error:
            notes.append(f"{path}: {error}")
    if not settings.require_signature:
        path = signers_file(roots.project)
        try:
            lines = _read_list(path)
        except AnyhookError as error:
            lines = []
            notes.append(str(error))
        found += (signer for _, signer in lines if isinstance(signer, AllowedSigner))
        notes += (f"{path}:{number}: {why}" for number, (_, why) in enumerate(lines, 1) if why and isinstance(why, str))
    return AllowedSigners(tuple(found), settings.require_signature, tuple(notes))


def signers_file(project: Path | None = None) -> Path:
    """The user's list, for hooks of a project."""
    return users_folder(project) / "allowed_signers"


def _read_list(path: Path) -> list[tuple[str, AllowedSigner | str]]:
    """The lines of the user's list. Raises AnyhookError."""
    content = read_private(path)
    if content is None and disk.exists(path):
        raise AnyhookError(f"{path}: cannot be read, or others can write to it; look at it, then run chmod 600 {path}")
    return _parse_list(content or b"")


def _parse_list(content: bytes, name: str = "") -> list[tuple[str, AllowedSigner | str]]:
    """Each line with its signer, or why it names none; empty for a comment."""
    found: list[tuple[str, AllowedSigner | str]] = []
    for line in content.decode("utf-8", "surrogateescape").removesuffix("\n").split("\n") if content else ():
        if not line.strip() or line.lstrip().startswith("#"):
            found.append((line, ""))
            continue
        try:
            found.append((line, parse_signer(line, name)))
        except AnyhookError as error:
            found.append((line, str(error)))
    return found


# ----------------------------------------------------------------------------------------------------------- one line


def parse_signer(text: str, name: str = "", scope: Scope = Scope.USER) -> AllowedSigner:
    """A signer from a public key, whose comment is the name unless one is given, or from a line of allowed signers."""
    text = text.strip()
    if "PRIVATE KEY" in text:
        raise AnyhookError("this is a private key; name the public one, whose file ends in .pub")
    if not text.replace("\t", " ").isprintable():
        raise AnyhookError("a signer is one line of plain text")
    if bare := re.fullmatch(_KEY, text):
        kind, encoded, comment = bare.groups()
        name, written = name or (comment or "").partition(" ")[0], ""
    elif line := re.fullmatch(_LINE, text):
        principals, written, kind, encoded, _ = line.groups()
        name = name or principals.strip('"')
    else:
        raise AnyhookError(f'"{text[:60]}" is neither a public SSH key nor a line of allowed signers')
    if not re.fullmatch(r'[^\s"#][^"]*', name):
        raise AnyhookError("a signer needs a name, such as alice@example.com, after the key or with --name")
    if "-cert-" in kind or not _is_key(kind, encoded):
        raise AnyhookError(f'"{kind} {encoded[:20]}..." is not a public SSH key; copy the line of the .pub file again')
    options = dict(re.findall(_OPTION, written or ""))
    if ",".join(f'{option}="{value}"' for option, value in options.items()) != (written or ""):
        raise AnyhookError('the options can be namespaces="anyhook" and valid-before="20270131Z"')
    if NAMESPACE not in options.get("namespaces", NAMESPACE).split(","):
        raise AnyhookError(f'the key is allowed for {options["namespaces"]} alone; write namespaces="{NAMESPACE}"')
    until = options.get("valid-before", "")
    return AllowedSigner(name, f"{kind} {encoded}", until, _moment(until) if until else inf, scope)


def _moment(date: str) -> float:
    """A date in seconds. Without a Z it would depend on the time zone, which a project's settings can set."""
    digits = date.removesuffix("Z")
    try:
        if digits == date:
            raise ValueError(date)
        return datetime.strptime(digits, _DATE_FORMATS[len(digits)]).replace(tzinfo=UTC).timestamp()
    except (ValueError, KeyError):
        raise AnyhookError('a date is in UTC, such as "20270131Z", or with the time "202701311200Z"') from None


def fingerprint_of(key: str) -> str:
    """The short form of a public key, as ``ssh-keygen -l`` prints it."""
    hashed = sha256(binascii.a2b_base64(key.partition(" ")[2])).digest()
    return f"SHA256:{binascii.b2a_base64(hashed, newline=False).decode().rstrip('=')}"


def _is_key(kind: str, encoded: str) -> bool:
    """True if a key names its own kind, after the length of the name."""
    try:
        content = binascii.a2b_base64(encoded, strict_mode=True)
    except binascii.Error:
        return False
    return content.startswith(len(kind).to_bytes(4, "big") + kind.encode())


# ------------------------------------------------------------------------------------------------ changes of the list


def add_signer(key_or_file: str, name: str = "", project: Path | None = None) -> tuple[AllowedSigner, ...]:
    """Allow signers, and say which: a public key, a file with one, or a list of allowed signers.

    A signer of the same name with the same key is replaced.
    """
    given = _given(key_or_file.strip(), name)
    replaced = {(signer.name, signer.key) for signer in given}
    path = signers_file(project)
    kept = [
        text
        for text, signer in _read_list(path)
        if isinstance(signer, str) or (signer.name, signer.key) not in replaced
    ]
    _write_list(path, [*kept, *(signer.line for signer in given)])
    return given


def remove_signer(name_or_key: str, project: Path | None = None) -> tuple[AllowedSigner, ...]:
    """Allow a signer no longer, by name or key, and say which lines that were; empty: there was none."""
    path = signers_file(project)
    key = re.match(_KEY, name_or_key)
    wanted = f"{key[1]} {key[2]}" if key else name_or_key
    lines = _read_list(path)
    removed = tuple(
        signer for _, signer in lines if isinstance(signer, AllowedSigner) and wanted in (signer.name, signer.key)
    )
    if removed:
        _write_list(path, [text for text, signer in lines if signer not in removed])
    return removed


def _given(key_or_file: str, name: str) -> tuple[AllowedSigner, ...]:
    if re.match(_KEY, key_or_file) or not _is_file(key_or_file):
        if len(key_or_file.split()) < 2:
            raise AnyhookError(f"{key_or_file}: this is neither a public SSH key nor a file with one")
        return (parse_signer(key_or_file, name),)
    path = Path(key_or_file).expanduser()
    content = disk.read_small_file(path, MAX_FILE_BYTES)
    if content is None:
        raise AnyhookError(f"{path}: cannot be read, or is larger than a list of signers can be")
    found: list[AllowedSigner] = []
    for number, (_, signer) in enumerate(_parse_list(content, name), 1):
        if isinstance(signer, AllowedSigner):
            found.append(signer)
        elif signer:
            raise AnyhookError(f"{path}:{number}: {signer}")
    if not found:
        raise AnyhookError(f"{path}: the file names no signer")
    if name and len(found) > 1:
        raise AnyhookError(f"{path}: the file has {len(found)} signers, who cannot all be called {name}")
    return tuple(found)


def _is_file(text: str) -> bool:
    try:
        return Path(text).expanduser().is_file()
    except (OSError, RuntimeError, ValueError):  # a text that no file can be called
        return False


def _write_list(path: Path, lines: Iterable[str]) -> None:
    from anyhook.sources.editing.replace_file import replace_file  # only to change the list

    target = Path(os.path.realpath(path))  # people keep their settings elsewhere and link to them
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        replace_file(target, "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"), 0o600)
    except OSError as error:
        raise AnyhookError(f"{path}: cannot be written: {error.strerror or error}; make the folder writable") from error
