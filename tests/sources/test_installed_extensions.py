"""Extensions that are installed in Gemini CLI and Qwen Code: which of them are loaded, and why others are not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.model.hooks import FateState
from anyhook.project.inventory import hooks_for_project
from anyhook.sources.discover import Roots
from anyhook.sources.installed_extensions import is_enabled

EVENTS = {"gemini-cli": "BeforeTool", "qwen-code": "PreToolUse"}
BOTH = pytest.mark.parametrize("client", EVENTS)


@pytest.fixture
def roots(tmp_path: Path) -> Roots:
    (tmp_path / "project").mkdir()
    return Roots(project=tmp_path / "project", home=tmp_path / "home")


def hooks(client: str, command: str) -> dict[str, Any]:
    return {"hooks": {EVENTS[client]: [{"hooks": [{"type": "command", "command": command}]}]}}


def extensions(client: str, roots: Roots) -> Path:
    return roots.home / f".{client.partition('-')[0]}" / "extensions"


def install(client: str, folder: Path, manifest: Any = ..., text: str | None = None) -> None:
    manifest = {"name": folder.name, "version": "1"} if manifest is ... else manifest
    (folder / "hooks").mkdir(parents=True)
    if manifest is not None:
        (folder / f"{client.partition('-')[0]}-extension.json").write_text(
            manifest if isinstance(manifest, str) else json.dumps(manifest)
        )
    (folder / "hooks/hooks.json").write_text(text or json.dumps(hooks(client, folder.name)))


def states(client: str, roots: Roots) -> dict[str, FateState]:
    rules = hooks_for_project(client, roots).rules
    return {action.summary(): action.fate.state for rule in rules for action in rule.actions}


@BOTH
def test_hooks_of_an_extension_count_after_those_of_settings(client: str, roots: Roots) -> None:
    for name in ("b", "C", "a"):
        install(client, extensions(client, roots) / name)
    settings = roots.project / f".{client.partition('-')[0]}" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps(hooks(client, "d")))
    assert states(client, roots) == dict.fromkeys(("d", "C", "a", "b"), FateState.ACTIVE)
    assert list(states(client, roots)) == ["d", "C", "a", "b"]


@BOTH
@pytest.mark.parametrize(
    "manifest",
    [None, "{", '// x\n{"name": "x", "version": "1"}', "[]", {"version": "1"}, {"name": "a b"}],
)
def test_an_extension_needs_a_valid_manifest(client: str, manifest: Any, roots: Roots) -> None:
    install(client, extensions(client, roots) / "x", manifest)
    [rule] = hooks_for_project(client, roots).rules
    assert rule.actions[0].fate.state is FateState.DROPPED
    assert "-extension.json" in rule.actions[0].fate.why


NULL_SERVER = {"mcpServers": {"x": None}}


@pytest.mark.parametrize(
    ("client", "settings", "why"),
    [
        ("gemini-cli", NULL_SERVER, "mcpServers"),
        ("gemini-cli", {"settings": []}, ""),
        ("gemini-cli", {"settings": [None]}, "settings"),
        ("gemini-cli", {"contextFileName": 5}, ""),
        ("qwen-code", NULL_SERVER, "mcpServers"),
        ("qwen-code", {"settings": [{"envVar": "A"}], "contextFileName": ["x"], "skillStates": {"x": True}}, ""),
        ("qwen-code", {"settings": [{"envVar": "a b"}]}, "settings"),
        ("qwen-code", {"contextFileName": 5}, "contextFileName"),
        ("qwen-code", {"skillStates": None}, "skillStates"),
    ],
)
def test_a_wrong_value_of_another_setting_loses_an_extension(
    client: str, settings: dict[str, Any], why: str, roots: Roots
) -> None:
    install(client, extensions(client, roots) / "x", {"name": "x", "version": "1", **settings})
    [rule] = hooks_for_project(client, roots).rules
    fate = rule.actions[0].fate
    assert (fate.state is FateState.ACTIVE) is (why == "")
    assert f'"{why}"' in fate.why or not why


@pytest.mark.parametrize(
    ("source", "is_loaded"),
    [
        ("https://github.com/a/b", True),
        ("git@github.com:a/b", True),
        ("git@example.com:a", True),
        ("https://example.com/a/b/c", True),
        ("https://github.com/a/b/c", False),
        ("/nonexistent", False),
        ("http://[", False),
        (5, False),
    ],
)
def test_gemini_reads_the_address_of_an_extension(source: Any, is_loaded: bool, roots: Roots) -> None:
    folder = extensions("gemini-cli", roots) / "x"
    install("gemini-cli", folder)
    (folder / ".gemini-extension-install.json").write_text(json.dumps({"type": "git", "source": source}))
    assert states("gemini-cli", roots) == {"x": FateState.ACTIVE if is_loaded else FateState.DROPPED}


def test_gemini_does_not_start_with_wrong_tools_in_an_extension(roots: Roots) -> None:
    settings = roots.project / ".gemini/settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps(hooks("gemini-cli", "own")))
    install("gemini-cli", extensions("gemini-cli", roots) / "x", {"name": "x", "version": "1", "excludeTools": 5})
    assert states("gemini-cli", roots) == dict.fromkeys(("own", "x"), FateState.DROPPED)


@BOTH
def test_a_disabled_extension_says_where_it_is_disabled(client: str, roots: Roots) -> None:
    folder = extensions(client, roots)
    install(client, folder / "x")
    (folder / "extension-enablement.json").write_text(json.dumps({"x": {"overrides": [f"!{roots.project}/*"]}}))
    [rule] = hooks_for_project(client, roots).rules
    assert rule.actions[0].fate.state is FateState.DISABLED
    assert str(folder / "extension-enablement.json") in rule.actions[0].fate.why


@BOTH
@pytest.mark.parametrize("text", ["{", '{"x": {"overrides": ["!/*"]}, "y": 5}', "[]"])
def test_a_file_of_disabled_extensions_with_a_mistake_disables_nothing(client: str, text: str, roots: Roots) -> None:
    install(client, extensions(client, roots) / "x")
    (extensions(client, roots) / "extension-enablement.json").write_text(text)
    assert states(client, roots) == {"x": FateState.ACTIVE}


@BOTH
def test_links_lead_to_an_extension_and_other_files_are_passed_over(client: str, roots: Roots) -> None:
    folder = extensions(client, roots)
    install(client, roots.home / "one")
    install(client, roots.home / "two")
    folder.mkdir(parents=True)
    (folder / "one").symlink_to(roots.home / "one")
    (folder / "two").mkdir()
    metadata = {"type": "link", "source": str(roots.home / "two")}
    (folder / "two" / f".{client.partition('-')[0]}-extension-install.json").write_text(json.dumps(metadata))
    (folder / "file").write_text("x")
    (folder / "gone").symlink_to("nowhere")
    assert states(client, roots) == dict.fromkeys(("one", "two"), FateState.ACTIVE)


@BOTH
def test_an_extension_is_read_as_strict_json_and_a_mistake_costs_it_alone(client: str, roots: Roots) -> None:
    install(client, extensions(client, roots) / "x")
    install(client, extensions(client, roots) / "y", text="// note\n" + json.dumps(hooks(client, "y")))
    assert states(client, roots) == {"x": FateState.ACTIVE, "y": FateState.DROPPED}


def test_two_extensions_of_one_name(roots: Roots) -> None:
    for client in EVENTS:
        for folder in ("p", "q"):
            install(client, extensions(client, roots) / folder, {"name": "x", "version": "1"})
    assert states("gemini-cli", roots) == dict.fromkeys(("p", "q"), FateState.DROPPED)
    assert states("qwen-code", roots) == {"p": FateState.DROPPED, "q": FateState.ACTIVE}


def test_the_manifest_of_qwen_may_hold_or_name_the_hooks(roots: Roots) -> None:
    folder = extensions("qwen-code", roots)
    install("qwen-code", folder / "x", {"name": "x", **hooks("qwen-code", "inline")})
    install("qwen-code", folder / "y", {"name": "y", "hooks": "other.json"})
    (folder / "y/other.json").write_text(json.dumps(hooks("qwen-code", "named")))
    install("qwen-code", folder / "z", {"name": "z", "hooks": "missing.json"})
    assert states("qwen-code", roots) == dict.fromkeys(("inline", "named", "z"), FateState.ACTIVE)


_parts = st.lists(st.text("ab.*", min_size=1, max_size=3), min_size=1, max_size=3).map("/".join)


@given(folder=_parts, before=st.lists(_parts.map("/{}".format)))
def test_the_last_rule_for_a_folder_counts(folder: str, before: list[str]) -> None:
    path = Path("/") / folder
    assert is_enabled((*before, "/*"), path)
    assert not is_enabled((*before, "!/*"), path)
    assert is_enabled((*before, "!/*", f"{path.as_posix()}/"), path)
    assert is_enabled(("!/nowhere/*",), path)
