"""The guard ``files``: protected paths, by every kind of tool that can change them."""

from __future__ import annotations

import pytest

from anyhook.model.payload_base import Payload
from tests.guards.cases import bash, said, tool, write

LOCKS = (
    "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb poetry.lock uv.lock "
    "Pipfile.lock Cargo.lock composer.lock Gemfile.lock go.sum flake.lock"
)
SECRETS = ".env .env.local a.pem a.key a.p12 a.pfx a.jks id_rsa id_rsa.old id_ed25519 .netrc .pgpass"
REFUSED = (
    write(".ENV"),
    write(".Git/config"),
    write(".Claude/Settings.json"),
    write("AnyHook.toml"),
    tool("mcp__fs__batch", operations=[{"path": "a", "content": "x"}, {"path": ".env", "content": "x"}]),
    tool("mcp__fs__edit_files", edits={"path": ".env", "text": "x"}),
    *(write(name) for name in (*LOCKS.split(), *SECRETS.split(), ".git", "sub/.git/config")),
    write(".env"),
    write("/work/shop/api/.env.local"),
    write("src/../.env"),
    write("deploy/server.pem"),
    write("package-lock.json"),
    write("web/yarn.lock"),
    write(".git/config"),
    write("anyhook.toml"),
    write(".claude/settings.json"),
    write("hooks/guard.sh"),
    tool("Edit", file_path=".env", old_string="a", new_string="b"),
    tool("NotebookEdit", notebook_path=".env", new_source="b"),
    bash("echo A=1 >> .env"),
    bash("sed -i s/a/b/ .env"),
    bash("cp /tmp/x .env"),
    bash("cat /tmp/x | tee .env"),
    bash("mv .env .env.old"),
    bash("rm package-lock.json"),
    bash("cd api && echo x > .env"),
    bash("bash -c 'echo x > .env'"),
    tool("mcp__fs__write_file", path=".env", content="x"),
    tool("mcp__fs__edit_file", path="src/a.py", edits=[{"path": ".env", "newText": "x"}], files=[".env"]),
    tool("mcp__fs__move_file", source="a", destination=".env"),
    tool("mcp__git__apply", path=".", patch="--- a/.env\n+++ b/.env\n@@\n+A=1\n"),
)
ALLOWED = (
    write("src/app.py"),
    write(".env.example"),
    write(".env.sample"),
    write(".env.template"),
    write(".env.dist"),
    write("src/hooks/useCart.ts"),
    write("hooks/useCart.ts"),
    write("docs/environment.md"),
    write("keys.md"),
    write("hooks/useToggle.ts"),
    tool("Read", file_path=".env"),
    bash("cat package-lock.json"),
    bash("echo .env >> .gitignore"),
    bash("grep -n A .env"),
    bash("npm ci"),
    bash("git status"),
    tool("mcp__fs__read_file", path=".env"),
    tool("TodoWrite", todos=[]),
)


@pytest.mark.parametrize("event", REFUSED, ids=lambda event: str(event.get("tool_input")))
def test_refused(event: Payload) -> None:
    assert said("files", event).endswith("(files guard)")


@pytest.mark.parametrize("event", ALLOWED, ids=lambda event: str(event.get("tool_input")))
def test_allowed(event: Payload) -> None:
    assert said("files", event) == ""


def test_settings() -> None:
    assert said("files", write("migrations/1.sql"), paths=["migrations/**"]) == (
        "migrations/1.sql is protected in this project. Leave it as it is, or ask the user to change it. (files guard)"
    )
    assert said("files", write("uv.lock"), allow=["uv.lock"]) == ""
    assert said("files", write(".env"), defaults=False) == ""
    assert said("files", write("docs/.env"), exceptions=[{"paths": ["docs/**"]}]) == ""
    assert said("files", write(".env"), exceptions=[{"paths": ["docs/**"]}]) != ""
