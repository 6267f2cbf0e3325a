"""What is recorded holds no secrets, and is otherwise what was sent."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.guards.secret_patterns import HIDDEN
from anyhook.record.redact import Redactor
from anyhook.record.secret_names import is_secret_key

ENVIRONMENT = {
    "DEPLOY_TOKEN": "q7Zk29-deploy",
    "SSH_AUTH_SOCK": "/tmp/agent.sock",
    "SECRET_STORE": "keychain",
    "EDITOR_TOKEN": "vim",
}
REDACTOR = Redactor(ENVIRONMENT, home="/home/ada", user="ada")
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"
PEM = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\nAAAA\n-----END OPENSSH PRIVATE KEY-----"
SECRETS = [
    "sk-" + "ant-api03-abcdefghijklmnop",
    "ghp_" + "abcdefghijklmnopqrstuvwxyz012345",
    "github_pat_" + "11ABCDEFG0abcdefghijkl",
    "AKIA" + "IOSFODNN7EXAMPLE",
    "AIza" + "SyA-abcdefghijklmnopqrstuvwxyz01234",
    "xoxb-" + "123456789012-abcdef",
    JWT,
    PEM,
    ENVIRONMENT["DEPLOY_TOKEN"],
]


@pytest.mark.parametrize("secret", SECRETS, ids=lambda secret: secret[:12])
def test_a_secret_of_known_shape_is_hidden_wherever_it_stands(secret: str) -> None:
    hidden, number = REDACTOR.redact({"tool_input": {"command": f"run '{secret}' now", "list": [secret]}})
    assert hidden == {"tool_input": {"command": f"run '{HIDDEN}' now", "list": [HIDDEN]}}
    assert number == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("export API_KEY=abc123 && ls", "export API_KEY=<redacted> && ls"),
        ("mysql --password hunter2 shop", "mysql --password <redacted> shop"),
        ("deploy --api-key=abc.def", "deploy --api-key=<redacted>"),
        ("curl -u bob:pass https://x.test", "curl -u bob:<redacted> https://x.test"),
        ("curl -H 'Authorization: Token abc' x", "curl -H 'Authorization: <redacted>' x"),
        ("Cookie: a=1; b=2\nHost: x", "Cookie: <redacted>\nHost: x"),
        ("send Bearer abc123.def.ghi", "send Bearer <redacted>"),
        ("postgres://ada:pw@db/shop", "postgres://<redacted>@db/shop"),
        ("https://ada:p@ss@x.test/a@b", "https://<redacted>@x.test/a@b"),
        ('PASSWORD="ab\\"cd$e" run', 'PASSWORD="<redacted>" run'),
        ("https://x.test/?a=1&sig=abcdefghij&b=2", "https://x.test/?a=1&sig=<redacted>&b=2"),
        ('{"token": "abc"}', '{"token": "<redacted>"}'),
        ('{\\"token\\": \\"abc\\"}', '{\\"token\\": \\"<redacted>\\"}'),
        ("password: hunter2", "password: <redacted>"),
        ("your token is abcdefghij0123456789", "your token is <redacted>"),
        ("cut -----BEGIN PRIVATE KEY-----\nabc", "cut <redacted>"),
        ("cat /home/ada/.ssh/id_rsa /home/adam", "cat ~/.ssh/id_rsa /home/adam"),
        ("~/.claude/projects/-home-ada-shop/1.jsonl", "~/.claude/projects/-home-user-shop/1.jsonl"),
        ("ssh ada@shop.test", "ssh user@shop.test"),
    ],
)
def test_a_secret_in_text_is_hidden_and_the_rest_stays(text: str, expected: str) -> None:
    assert REDACTOR.text(text) == (expected, 1)


@pytest.mark.parametrize(
    "text",
    [
        "grep -rn token src",
        "def login(password: str, token: Token | None) -> None: ...",
        "password = read_password()",
        "export TOKEN=$OTHER && run --token $TOKEN --token-file t.txt",
        "max_tokens=4096, input_tokens: 12",
        "the vim keychain is at /tmp/agent.sock",
        "I told ada about /srv/home",
        "if token == 'x': pass",
        "basic authentication, bearer of news",
    ],
)
def test_what_only_speaks_of_secrets_stays(text: str) -> None:
    assert REDACTOR.text(text) == (text, 0)


def test_values_under_secret_keys_are_hidden_with_their_structure_and_types() -> None:
    value = {
        "accessToken": "x",
        "headers": {"Authorization": "abc", "Accept": "json"},
        "credentials": {"list": ["a", None, True], "name": "b"},
        "password": 1234,
        "PIN": 7.5,
        "api_key": None,
    }
    assert REDACTOR.redact(value) == (
        {
            "accessToken": HIDDEN,
            "headers": {"Authorization": HIDDEN, "Accept": "json"},
            "credentials": {"list": [HIDDEN, None, True], "name": HIDDEN},
            "password": 0,
            "PIN": 0,
            "api_key": None,
        },
        6,
    )


@pytest.mark.parametrize(
    "key",
    ["max_tokens", "context_tokens", "token_type", "author", "session_id", "SSH_AUTH_SOCK", "password_file", "key"],
)
def test_a_key_that_only_sounds_secret_is_none(key: str) -> None:
    assert not is_secret_key(key)


def test_two_keys_that_become_the_same_are_both_kept() -> None:
    hidden, number = REDACTOR.redact({f"https://a:{n}@x.test": n for n in ("one", "two")})
    assert list(hidden.values()) == ["one", "two"]
    assert number == 2


def test_a_common_user_name_is_not_hidden() -> None:
    redactor = Redactor({}, home="/root", user="root")
    assert redactor.text("root@host /home/root /root/x") == ("root@host /home/root ~/x", 1)


AROUND = st.sampled_from(
    ["API_KEY=", "token: ", "--password ", '"secret": "', "Authorization: ", "Bearer ", "https://a:b@", "/home/ada",
     "ada@", "abc123", " ", "\n", '"', "'", "\\", "$X", HIDDEN, "=", ":", "@", "-u a:b"]
)  # fmt: skip
PIECES = st.one_of(AROUND, st.sampled_from(SECRETS))
TEXTS = st.one_of(st.text(max_size=20), st.lists(PIECES, max_size=6).map("".join))
JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), TEXTS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(TEXTS, st.sampled_from(["password", "apiKey", "cwd"])), inner, max_size=3),
    ),
    max_leaves=8,
)


@given(JSON)
def test_redacting_again_changes_nothing(value: Any) -> None:
    hidden, _ = REDACTOR.redact(value)
    assert REDACTOR.redact(hidden) == (hidden, 0)


@pytest.mark.parametrize(
    "value",
    [{"TOKEN=hook_event_name": "SubagentStop"}, {"name": "TOKEN=hook_event_name", "value": "SubagentStop"}],
    ids=["key", "name beside it"],
)
def test_what_is_left_of_a_name_counts(value: dict[str, str]) -> None:
    hidden, number = REDACTOR.redact(value)
    assert number
    assert REDACTOR.redact(hidden) == (hidden, 0)


@given(JSON)
def test_structure_and_types_stay(value: Any) -> None:
    hidden, _ = REDACTOR.redact(value)
    assert _shape(hidden) == _shape(value)


@given(st.lists(AROUND, max_size=4).map("".join), st.sampled_from(SECRETS), st.sampled_from([" ", "\n", "'", '"', ";"]))
def test_no_secret_survives_behind_a_boundary(before: str, secret: str, boundary: str) -> None:
    assert secret not in REDACTOR.text(f"{before}{boundary}{secret}{boundary}")[0]


def _shape(value: Any) -> Any:
    if isinstance(value, dict):
        return [_shape(item) for item in value.values()]
    if isinstance(value, list):
        return [list, *map(_shape, value)]
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value)


@pytest.mark.parametrize(
    "text", ["p%40ss%2Fw0rd%2Bx%3D1%20y", "p%40ss%2fw0rd%2bx%3d1+y", "p%40ss/w0rd%2Bx%3D1%20y", "p@ss/w0rd+x=1 y"]
)
def test_a_known_value_is_found_as_urls_quote_it(text: str) -> None:
    redactor = Redactor({"API_TOKEN": "p@ss/w0rd+x=1 y"})
    assert redactor.text(f"open https://shop.test/?q={text}&b") == (f"open https://shop.test/?q={HIDDEN}&b", 1)
