"""More than 1,500 ways to write a secret down, and texts that hold none."""

from __future__ import annotations

from typing import Any

import pytest

from anyhook.guards.secret_patterns import HIDDEN
from anyhook.record.redact import Redactor
from tests.record.secret_forms import Form, forms

REDACTOR = Redactor({})
FORMS = tuple(forms())
SHA1, SHA256 = (
    "3f786850e387550fdab836ed7e6dc881de23001b",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
)
SHA512 = "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="
UUID = "123e4567-e89b-12d3-a456-426614174000"
HARMLESS = (
    f"commit {SHA1}", f"git checkout {SHA1[:7]} && git show {SHA1}", f"GIT_COMMIT={SHA1}", f"SENTRY_RELEASE={SHA1}",
    f"pip install x --hash=sha256:{SHA256}", f'"integrity": "{SHA512}"', f"  integrity {SHA512}", f"{SHA256}  a.tar.gz",
    'checksum = "' + SHA256 + '"', f"golang.org/x/text v0.3.7 h1:{SHA512[7:50]}=", f"image: shop@sha256:{SHA256}",
    f"session_id: {UUID}", f'{{"id": "{UUID}", "tool_use_id": "toolu_01A09q90qw90lq917835lq9"}}', f"REQUEST_ID={UUID}",
    "/usr/lib/python3.11/site-packages/passlib/handlers/md5_crypt.py", "src/auth/token_store.py:120: in get_token",
    "def login(password: str, token: Token | None = None) -> Session: ...", "password = getpass.getpass()",
    "token = request.headers.get('Authorization')", "self.token = token", "const token = await getToken();",
    "if (password !== confirmPassword) { throw new Error('passwords differ') }", "tokens: 1,234 in, 56 out",
    "max_tokens=4096 token_count: 17 total_tokens = 99", "The password must have at least 8 characters.",
    "keyboard, monkey, compass, bypass, passenger, tokenizer, secretary, author", "a key: value store with a primary key",  # noqa: E501
    "Run `make test`; 12 tests pass, 0 fail.", "pass", "try: pass", "tests pass: 120 of 120", "ssh-keygen -t ed25519",
    "ssh -p 2222 ada@shop.test", "docker run -p 8080:80 shop", "docker compose -p shop up", "mkdir -p a/b/c", "cp -p a b",  # noqa: E501
    "mysql -u root -p shop", "tar -xzf a.tgz -C /opt", "grep -u a b", "curl -u ada https://shop.test", "nmap -p 22,80 host",  # noqa: E501
    "export TOKEN=$OTHER PASSWORD=${VAULT} KEY=$(cat key)", "password: ${{ secrets.PASSWORD }}", "token: {{ .Values.token }}",  # noqa: E501
    "password: <redacted>", "API_KEY=<your key>", "PASSWORD=********", "token: null", "password:\n  type: string\n",
    "token:\n  description: what the server returns\n", "secrets:\n  - name\n", "auth: true", "auth: basic", "auth = useAuth()",  # noqa: E501
    "type: password", '<input type="password" name="password">', "<password></password>", "<token/>", "token_type=bearer",  # noqa: E501
    "https://shop.test/a/b?page=2&sort=key", "http://localhost:8080/login", "https://shop.test:443/@scope/package",
    "git@github.com:ada/shop.git", "npm install @scope/package@1.2.3", "ada@shop.test", "PATH=/usr/bin:/bin", "PWD=/srv/shop",  # noqa: E501
    "OLDPWD=/srv", "NODE_ENV=production\nPORT=3000\nDEBUG=true", "VERSION=1.2.3-rc.1+build.20250101", "LANG=en_US.UTF-8",  # noqa: E501
    "DATE=2025-11-16T12:00:00Z", "IMAGE=registry.test/Shop/App2:v10.20.30", "CLASS=org.Shop2.Cart3.Item4Factory5Bean",
    "2025-11-16 12:00:01 INFO token refreshed", "error: expected one of `,` or `)`, found `:`", "use std::collections::HashMap;",  # noqa: E501
    "the token is refreshed every hour", "bearer of news, basic authentication", "sk-learn and task-runner-with-a-name",
    "pypi-server, npm_config_cache, hf_hub, r8_value, dapi, xai-org", "eyJ is how a JWT starts", "key-value", "re_compile_all",  # noqa: E501
    "-----BEGIN CERTIFICATE-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleExampleExample ada", "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB",  # noqa: E501
    "x.py:1234:10: E501 line too long", "cat .env.example\nLOGIN=your-login-here", "process.env.NODE_ENV === 'production'",  # noqa: E501
    "| token | what it is |\n|---|---|\n| a | b |", "Press the key: Enter", "key: v1-linux-cache", "cache-key: npm-1.2.3-linux",  # noqa: E501
    "CACHE_KEY=v1", "primary key (id), foreign key (user_id)", "public_key: ed25519", "import secrets, token, tokenize",
    "from passlib.hash import bcrypt", "SELECT password FROM users WHERE id = 1", "password varchar(255) not null",
    "--password-stdin < file", "run --token-file t.txt --no-auth --auth-method oidc", "git config --get user.name",
    "git config credential.helper store", "set -euo pipefail", "env | sort", "ENV PATH /usr/bin", "ARG VERSION",
)  # fmt: skip


def test_the_table_is_large() -> None:
    assert len({form.text for form in FORMS}) >= 1500


@pytest.mark.parametrize("what", sorted({form.what for form in FORMS}))
def test_a_secret_is_hidden_in_every_form(what: str) -> None:
    missed = [form.text for form in FORMS if form.what == what and not _is_hidden(form)]
    assert missed == []


def _is_hidden(form: Form) -> bool:
    hidden, number = REDACTOR.text(form.text)
    return form.secret not in hidden and HIDDEN in hidden and number >= 1 and REDACTOR.text(hidden) == (hidden, 0)


@pytest.mark.parametrize("text", HARMLESS)
def test_a_text_without_a_secret_stays(text: str) -> None:
    assert REDACTOR.text(text) == (text, 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mysql -u root -psecret9 shop", "mysql -u root -p<redacted> shop"),
        ("<a><password>x9y8</password></a>", "<a><password><redacted></password></a>"),
        ("TOKEN: |\n  one1\n  two2\nsize: 3", "TOKEN: |\n  <redacted>\nsize: 3"),
        ("machine h login a password b9c8\nmachine i", "machine h login a password <redacted>\nmachine i"),
        ("DB_PASS=a&b,c\nSIZE=3", "DB_PASS=<redacted>\nSIZE=3"),
        ("X-Vault-Token: a b c\nHost: x", "X-Vault-Token: <redacted>\nHost: x"),
        ('- name: TOKEN\n  value: "a b"\n', '- name: TOKEN\n  value: "<redacted>"\n'),
        ("a\nQUJDREVGR0hJSktMTU5P\n-----END PRIVATE KEY-----\nb", "a\n<redacted>\nb"),
    ],
)
def test_only_the_secret_is_hidden(text: str, expected: str) -> None:
    assert REDACTOR.text(text) == (expected, 1)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (["docker", "login", "-p", "x", "-u", "ada"], ["docker", "login", "-p", HIDDEN, "-u", "ada"]),
        (["run", "--token", "x", "--verbose"], ["run", "--token", HIDDEN, "--verbose"]),
        ({"name": "DB_PASSWORD", "value": "x"}, {"name": "DB_PASSWORD", "value": HIDDEN}),
        ({"name": "DB_HOST", "value": "x"}, {"name": "DB_HOST", "value": "x"}),
        ({"MAILGUN": "8f3kd92kslw02kf83jd72ks"}, {"MAILGUN": HIDDEN}),
        (
            {"tool_input": {"file_path": "/shop/.env"}, "tool_response": "     1→LOGIN=sesame\n     2→PORT=3000"},
            {"tool_input": {"file_path": "/shop/.env"}, "tool_response": "     1→LOGIN=<redacted>\n     2→PORT=3000"},
        ),
    ],
)
def test_json_says_by_its_structure_what_is_secret(value: Any, expected: Any) -> None:
    assert REDACTOR.redact(value)[0] == expected
