"""Writes ``docs/settings.md``: every key of ``anyhook.toml`` and every ``ANYHOOK_*`` variable."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from anyhook.guards.catalogue import GUARDS
from anyhook.guards.options import LEVELS, RULE, Option
from anyhook.sources import settings
from anyhook.sources.package_files import MAX_FILES
from anyhook.trust.signers import TrustSettings
from tools.site.markdown import table

VARIABLES = {
    "ANYHOOK_BASE_URL": "The address of the model provider; see `[models]` above.",
    "ANYHOOK_CLIENTS": "The folder into which `anyhook prove --install` installs clients.",
    "ANYHOOK_DAEMON": "0: use no daemon, and start none.",
    "ANYHOOK_DEBUG": "1: print the traceback of an internal error.",
    "ANYHOOK_HTTP_ALLOWED_ENV": "Variables that the headers of HTTP hooks may contain, separated by commas.",
    "ANYHOOK_HTTP_ALLOWED_URLS": "Addresses that HTTP hooks may call, as patterns separated by commas.",
    "ANYHOOK_HTTP_ALLOW_LOOPBACK": "1: HTTP hooks may call this machine.",
    "ANYHOOK_HTTP_ALLOW_PRIVATE": "1: HTTP hooks may call private addresses.",
    "ANYHOOK_HTTP_MAX_BYTES": "How many bytes of an HTTP reply are read at most.",
    "ANYHOOK_HTTP_TOKEN": "The token of the daemon's HTTP front, in the entries of clients.",
    "ANYHOOK_JOURNAL": "0: keep no journal.",
    "ANYHOOK_MODEL": "The model that judges prompt hooks, as `provider:model`.",
    "ANYHOOK_STATE_DIR": "The folder for trust, the journal and the daemon, instead of the user's state folder.",
    "ANYHOOK_SIMULATION": "Set by commands that play a client, so that the journal says which one it was.",
    "ANYHOOK_TRIAL": "Set by `anyhook try`, so that entries tell it what the hooks behind them did.",
}
"""What each variable does. A test compares the names with those that the source reads."""

_FILES = (
    (
        "yours",
        "`~/.config/anyhook/` on Linux, `~/Library/Application Support/anyhook/` on macOS, `%LOCALAPPDATA%\\anyhook\\`"
        " on Windows",
        "everything on this page but guards, rules, `uses` and `[trust]`",
    ),
    (
        "a project's",
        "the folder of the project",
        "guards and rules; `uses`; of `[models]` only `default` and `aliases`; `[clients]`; `[redact]`. What else it"
        " sets is ignored and reported",
    ),
    (
        "your organisation's",
        "`/etc/anyhook/`; only root can write it",
        "`[trust]`. A file that cannot be read, or that others can write, requires signatures and names no signer",
    ),
)


def page() -> str:
    variables = sorted((f"`{name}`", text) for name, text in VARIABLES.items())
    parts = [
        "# Settings",
        "Every key of `anyhook.toml` and every `ANYHOOK_*` variable. Settings are in three files of that name:",
        table(("whose", "where", "what it has"), _FILES),
        "A wrong value is reported with its line, and the default applies. `anyhook clients guards --schema` prints a"
        " JSON Schema of guards and rules for your editor.",
        "## uses",
        "Only in a project's file, above its first table: globs of further files that belong to all hooks of the"
        " package, besides those in `hooks/` and `scripts/`. They are [trusted](trust.md) with the hooks, and"
        " [Python hooks](python-hooks.md#what-a-hook-can-import) can import them.",
        '```toml\nuses = ["lib/**", "policy/words.txt"]\n```',
        "A glob starts in the folder of the file. `*` and `?` stay in one folder, `**` matches any number of folders,"
        " and the name of a folder stands for all files below it. `.git`, `__pycache__`, `*.pyc` and what is behind a"
        f" link to a folder are left out. The globs may reach {MAX_FILES:,} files.",
        *_tables(),
        _section("trust", inspect.getdoc(TrustSettings) or ""),
        table(("key", "default", "meaning"), list(_keys(TrustSettings))),
        "## [guards.NAME]",
        "The [ready-made guards](guards.md) of a project, one table for each. `anyhook add NAME` writes it, and"
        " `anyhook add NAME --show` prints this table.",
        *_guards(),
        "## [[rule]]",
        "A [rule without a script](guards/rules.md); a project may have many.",
        table(("key", "default", "meaning"), [_option(option) for option in RULE]),
        "## Variables",
        table(("variable", "meaning"), variables),
        "anyhook also honours `NO_COLOR` and the folders of `XDG_CONFIG_HOME`, `XDG_STATE_HOME`, `XDG_RUNTIME_DIR` and"
        " `XDG_CACHE_HOME`.",
    ]
    return "\n\n".join(parts) + "\n"


def _tables() -> Iterator[str]:
    said = _field_docs(settings.Settings)
    for field in msgspec.structs.fields(settings.Settings):
        if isinstance(field.type, type) and issubclass(field.type, Struct):
            yield _section(field.name, inspect.getdoc(field.type) or "")
            yield table(("key", "default", "meaning"), list(_keys(field.type)))
        elif field.name in said:
            yield _section(field.name, said[field.name])


def _guards() -> Iterator[str]:
    for guard in GUARDS.values():
        yield f"### [guards.{guard.name}]"
        yield table(("key", "default", "meaning"), [_option(option) for option in guard.options])


def _option(option: Option) -> tuple[str, str, str]:
    default = "" if option.usual is None else f"`{_plain(option.usual)}`"
    levels = LEVELS[::-1] if option.takes == "level" else ()
    names = [f"`{name}`" for name in (*levels, *option.names, *(each.name for each in option.table))]
    meaning = ": ".join(filter(None, (option.help, ", ".join(names))))
    return f"`{option.name}`", default, f"{meaning[:1].upper()}{meaning[1:]}."


def _section(name: str, doc: str) -> str:
    text = doc.replace("``", "`").partition(": ")[2]
    return f"## [{name}]\n\n{text[:1].upper()}{text[1:]}"


def _keys(keys: type[Struct]) -> Iterator[tuple[str, str, str]]:
    said = _field_docs(keys)
    for field in msgspec.structs.fields(keys):
        if isinstance(field.type, type) and issubclass(field.type, Struct):
            yield from (row for row in _keys(field.type) if row[0] != "`provider`")  # keys of the same table
            continue
        has_default = field.default not in ("", msgspec.NODEFAULT)
        yield f"`{field.name}`", f"`{_plain(field.default)}`" if has_default else "", said.get(field.name, "")


def _field_docs(table: type[Struct]) -> dict[str, str]:
    """The text below each field of a class."""
    body = ast.parse(textwrap.dedent(inspect.getsource(table))).body[0]
    assert isinstance(body, ast.ClassDef)
    pairs = zip(body.body, body.body[1:], strict=False)
    return {
        node.target.id: " ".join(below.value.value.replace("``", "`").split())
        for node, below in pairs
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str)
    }


def _plain(value: object) -> str:
    plain = msgspec.to_builtins(value)
    return str(plain).lower() if isinstance(plain, bool) else msgspec.json.encode(plain).decode()
