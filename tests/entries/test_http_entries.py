"""HTTP hooks that ask the daemon: their URLs, and how they are recognised."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from anyhook.entries.anyhook_entries import is_own_call
from anyhook.entries.http_entries import OPTIONS, HttpQuery, query_of, read_url, write_entry, write_url
from anyhook.model.hooks import Http
from anyhook.model.problems import UsageError

GUARD = HttpQuery(client="claude-code", event="PreToolUse")


def hook_of(written: dict[str, Any]) -> dict[str, Any]:
    """The only hook of a file."""
    ((entry,),) = written["hooks"].values()
    hook: dict[str, Any] = entry["hooks"][0] if "hooks" in entry else entry
    return hook


def action_of(question: HttpQuery, port: int = 24665) -> Http:
    """The hook that a client makes of our entry."""
    hook = hook_of(write_entry(question, port, None))
    return Http(url=hook["url"], headers=hook["headers"], allowed_env=tuple(hook["allowedEnvVars"]))


@given(port=st.integers(1, 65535), options=st.dictionaries(st.sampled_from(OPTIONS), st.text()))
def test_a_url_says_what_is_asked(port: int, options: dict[str, str]) -> None:
    question = structs.replace(GUARD, options=options)
    assert read_url(write_url(port, question)) == question


@pytest.mark.parametrize(
    ("client", "event"), [("claude-code", "PreToolUse"), ("copilot-cli", "preToolUse"), ("qwen-code", "PreToolUse")]
)
def test_an_entry_has_its_own_token_from_the_environment(client: str, event: str) -> None:
    hook = hook_of(write_entry(HttpQuery(client=client, event=event), 24665, "Bash"))
    assert hook["url"] == f"http://127.0.0.1:24665/hooks/{client}/{event}"
    assert hook["headers"] == {"Authorization": "Bearer $ANYHOOK_HTTP_TOKEN"}
    assert hook["allowedEnvVars"] == ["ANYHOOK_HTTP_TOKEN"]


def test_an_entry_that_fails_closed_says_so_to_a_client_that_can_hear_it() -> None:
    closed = structs.replace(GUARD, options={"fail": "closed"})
    assert hook_of(write_entry(closed, 24665, None))["onFailure"] == "block"
    assert "onFailure" not in hook_of(write_entry(GUARD, 24665, None))


def test_our_entries_are_not_hooks_of_the_project() -> None:
    ours = action_of(structs.replace(GUARD, options={"package": "/some where", "fail": "closed"}), 8100)
    assert query_of(ours)
    assert is_own_call(ours)
    assert not is_own_call(structs.replace(ours, allowed_env=("ANYHOOK_HTTP_TOKEN", "AWS_SECRET_ACCESS_KEY")))


@pytest.mark.parametrize(
    "changed",
    [
        {"url": "http://evil.example:24665/hooks/claude-code/PreToolUse"},
        {"url": "http://127.0.0.1/hooks/claude-code/PreToolUse"},
        {"url": "http://127.0.0.1:99999/hooks/claude-code/PreToolUse"},
        {"url": "http://127.0.0.1:24665/other/claude-code/PreToolUse"},
        {"url": "http://127.0.0.1:24665/hooks/claude-code/PreToolUse?x=1"},
        {"url": "http://127.0.0.1:24665/hooks/codex/PreToolUse"},
        {"headers": {"Authorization": "Bearer $AWS_SECRET_ACCESS_KEY"}},
        {"headers": {}},
    ],
)
def test_what_only_looks_like_an_entry_is_a_hook_like_any_other(changed: dict[str, Any]) -> None:
    assert not query_of(structs.replace(action_of(GUARD), **changed))


@pytest.mark.parametrize(
    ("client", "event", "text"),
    [
        ("codex", "PreToolUse", "Codex has no HTTP hooks"),
        ("rulesync", "preToolUse", "has no HTTP hooks"),
        ("claude-code", "PreToolUsed", "has no event PreToolUsed"),
        ("copilot-cli", "sessionStart", "calls no HTTP hooks on sessionStart"),
        ("claude-code", "TeammateIdle", "lets no HTTP hook refuse on TeammateIdle"),
    ],
)
def test_an_entry_that_could_not_work_is_not_written(client: str, event: str, text: str) -> None:
    with pytest.raises(UsageError, match=text):
        write_entry(HttpQuery(client=client, event=event), 24665, None)
