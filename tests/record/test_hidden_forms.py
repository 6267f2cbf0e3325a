"""Every secret that is known by its form, in base64 and divided by a line break; and base64 that holds none."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest
from msgspec import structs

from anyhook.guards.secret_patterns import HIDDEN, TOKENS
from anyhook.model.outcome import Effect
from anyhook.record.recorded import Happened
from anyhook.record.redact import Redactor
from anyhook.record.store.redact_rows import RowRedactor
from tests.effort import mostly_long
from tests.guards.secret_tables import secret_shapes
from tests.record.secret_forms import NAMES, VALUES
from tests.record.store.journals import hook, row

REDACTOR = Redactor({"ACME_TOKEN": "qwertz-uiop-4711"})
SECRETS = {row.pattern: row.text for row in reversed(secret_shapes()) if row.left == HIDDEN}
TEXTS = (
    *(SECRETS[token.name] for token in TOKENS),
    *(f"{name}={value}" for name in NAMES for value in VALUES),
    *(json.dumps({name: value}) for name in NAMES for value in VALUES),
    "qwertz-uiop-4711",
    "postgres://ada:hunter2-Xy@db.test/shop",
    "mysql -u root -phunter2 shop",
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n",
)


def wrapped(text: str, width: int, line_end: str) -> str:
    return line_end.join(text[at : at + width] for at in range(0, len(text), width))


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


ENCODINGS: dict[str, Callable[[str], str]] = {
    "plain": b64,
    "url-safe": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
    "without padding": lambda text: b64(text).rstrip("="),
    "with a word before": lambda text: b64(f"x {text}"),
    "two bytes before": lambda text: b64(f"a\n{text}"),
    "UTF-16": lambda text: base64.b64encode(text.encode("utf-16-le")).decode(),
    "twice": lambda text: b64(b64(text)),
    "wrapped": lambda text: wrapped(b64(f"# settings of the shop\n{text}\n# end\n"), 16, "\n"),
    "wrapped and escaped": lambda text: wrapped(b64(f"# settings of the shop\n{text}\n# end\n"), 16, "\\n"),
    "wrapped and indented": lambda text: wrapped(b64(f"# settings of the shop\n{text}\n# end\n"), 20, "\r\n    "),
    "in a file": lambda text: b64(f"{'the shop opens at nine. ' * 20}\n{text}\n{'it closes at five. ' * 20}"),
}
AROUND = ("{}", "echo {} | base64 -d", 'data: "{}"\nsize: 3', "data:text/plain;base64,{}", "x/{}", "word\n{}\nword")


@pytest.mark.parametrize("encoding", mostly_long(ENCODINGS, short=["plain"]))
def test_a_secret_in_base64_is_hidden(encoding: str) -> None:
    missed = []
    for text in TEXTS:
        encoded = ENCODINGS[encoding](text)
        for around in AROUND:
            hidden, number = REDACTOR.text(around.format(encoded))
            if _is_readable(hidden, encoded) or not number or REDACTOR.text(hidden) != (hidden, 0):
                missed.append((text, around, hidden))
    assert missed == []


def _is_readable(hidden: str, encoded: str) -> bool:
    """Whether more than a few signs of the base64 are left."""
    return any(encoded[at : at + 20] in hidden for at in range(max(1, len(encoded) - 20)))


BREAKS = {
    "line feed": "\n",
    "Windows": "\r\n",
    "escaped": "\\n",
    "indented": "\n    ",
    "continued": "\\\n",
    "quoted": '"\n  "',
    "added": '" +\n  "',
    "mail": "\n> ",
}
HALVES = (0.25, 0.4, 0.5, 0.75)


class Split(NamedTuple):
    text: str
    first: str
    second: str


def split_forms(line_end: str) -> Iterator[Split]:
    for token in TOKENS:
        secret = SECRETS[token.name]
        for share in HALVES:
            at = int(len(secret) * share)
            first, second = secret[:at], secret[at:]
            for around in ("{}", "use {} for that", "ok\n{}\nmake test\n", '{{"setting": "{}"}}'):
                yield Split(around.format(first + line_end + second), first, second)


@pytest.mark.parametrize("line_end", mostly_long(BREAKS.values(), short=["\n"]), ids=BREAKS)
def test_a_token_that_a_line_break_divides_is_hidden(line_end: str) -> None:
    missed = []
    for form in split_forms(line_end):
        hidden, _ = REDACTOR.text(form.text)
        is_left = [part for part in (form.first, form.second) if len(part) >= 8 and part in hidden]
        if is_left or REDACTOR.text(hidden) != (hidden, 0):
            missed.append((form.text, hidden))
    assert missed == []


@pytest.mark.parametrize("line_end", ["\n", "\\n", "\n  "])
def test_a_token_in_many_lines_is_hidden(line_end: str) -> None:
    token = "github_pat_" + "Ab1_" * 18
    text = wrapped(token, 12, line_end)
    assert REDACTOR.text(f"ok\n{text}\nok") == (f"ok\n{HIDDEN}\nok", 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("qwertz-ui\nop-4711", HIDDEN),
        ("https://ada:hunt\ner2x@db.test/", f"https://{HIDDEN}db.test/"),
        ("PASSWORD=s3cr3tV\nalue99abc", f"PASSWORD={HIDDEN}\n{HIDDEN}"),
        ("export PASSWORD=s3cr3tV\\\nalue99abc; ls", f"export PASSWORD={HIDDEN}\\\n{HIDDEN}; ls"),
        ("Bearer abcdef0123\n456789abcdef\nmake test", f"Bearer {HIDDEN}\nmake test"),
    ],
)
def test_other_secrets_that_a_line_break_divides(text: str, expected: str) -> None:
    assert REDACTOR.text(text)[0] == expected


RANDOM = random.Random(11)
HARMLESS = {
    "image": base64.b64encode(b"\x89PNG\r\n\x1a\n" + zlib.compress(RANDOM.randbytes(20_000))).decode(),
    "noise": base64.b64encode(RANDOM.randbytes(200_000)).decode(),
    "wrapped noise": wrapped(base64.b64encode(RANDOM.randbytes(20_000)).decode(), 76, "\n"),
    "hashes": "\n".join(base64.b64encode(hashlib.sha512(bytes([n])).digest()).decode() for n in range(200)),
    "hex hashes": "\n".join(hashlib.sha256(bytes([n])).hexdigest() for n in range(200)),
    "text": b64("The quick brown fox jumps over the lazy dog. " * 50),
    "json": b64(json.dumps({"name": "shop", "version": "1.2.3", "files": ["a.py", "b.py"], "size": 3})),
    "header of a JWT": b64('{"alg":"HS256","typ":"JWT"}'),
    "names": "\n".join(f"implementationOfTheShop{n}/checkoutServiceFactory{n}Bean" for n in range(100)),
    "words": "export\nconst\nsk\nlearn\nVersion2\npypi\nnpm_config_cache\nhf_hub\n" * 20,
    "list": "re_compile_all\nsk-loading-container\ntask-runner-with-a-name\nkey-value\nre_render_all_templates\n" * 10,
    "after a hash": "commit\n3f786850e387550fdab836ed7e6dc881de23001b\n9f86d081884c7d659a2feaa0c55ad015a3bf4f1b\n",
}


@pytest.mark.parametrize("what", HARMLESS)
def test_what_holds_no_secret_stays(what: str) -> None:
    for text in (HARMLESS[what], f"data:image/png;base64,{HARMLESS[what]}", json.dumps({"a": HARMLESS[what]})):
        assert REDACTOR.text(text) == (text, 0)


def test_what_follows_a_token_stays() -> None:
    token = SECRETS["github"]
    assert REDACTOR.text(f"{token}\nmake test\n") == (f"{HIDDEN}\nmake test\n", 1)
    assert REDACTOR.text(f"{token}\nmake\ntest\n") == (f"{HIDDEN}\nmake\ntest\n", 1)
    commit = "3f786850e387550fdab836ed7e6dc881de23001b"
    assert REDACTOR.text(f"PASSWORD={VALUES[0]}\n{commit}\n") == (f"PASSWORD={HIDDEN}\n{commit}\n", 1)


@pytest.mark.parametrize("kind", [token.name for token in TOKENS])
def test_a_secret_in_a_name_is_not_stored(kind: str) -> None:
    secret = SECRETS[kind]
    named = row(
        session=secret,
        tool=f"mcp__shop__{secret}" if secret[:1].isalnum() else secret,
        event=f"x {secret}",
        project=f"/srv/{secret}/shop",
        outcome=Happened(Effect.BLOCK, "", decided_by=f"/srv/{secret}/hooks.json:3"),
        hooks=(hook(secret, file=f"/srv/{secret}/hooks.json", pointer=f"/hooks/{secret}"),),
    )
    cleaned = RowRedactor().clean(named, {})
    assert secret not in repr(structs.replace(cleaned, tool=""))
    assert secret not in RowRedactor().clean(row(tool=secret), {}).tool
    assert cleaned.redacted >= 3
    assert cleaned.project.startswith(f"/srv/{HIDDEN}")
    assert cleaned.hooks[0].file.startswith(f"/srv/{HIDDEN}")


@pytest.mark.parametrize(
    "name",
    [
        "s1",
        "4f2a9c",
        "123e4567-e89b-12d3-a456-426614174000",
        "Bash",
        "mcp__github__create_issue",
        "PreToolUse",
        "read_file",
    ],
)
def test_a_usual_name_is_not_changed(name: str) -> None:
    usual = row(session=name, tool=name, project=f"/home/ada/{name}", hooks=())
    cleaned = RowRedactor().clean(usual, {})
    assert (cleaned.session, cleaned.tool, cleaned.project) == (name, name, f"/home/ada/{name}")
