"""A file is given to the client it was written for: by its place, its name or its content."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyhook.sources.parsing.parse_json import parse_json
from anyhook.sources.recognise import recognise_content, recognise_path


@pytest.mark.parametrize(
    ("path", "owner"),
    [
        (".claude/settings.json", "claude-code"),
        ("deep/in/.claude/settings.local.json", "claude-code"),
        (".claude/skills/a/b/SKILL.md", "claude-code"),
        (".codex/config.toml", "codex"),
        (".gemini/settings.json", "gemini-cli"),
        (".github/hooks/sub/x.json", "copilot-cli"),
        (".cursor/hooks.json", "cursor"),
        (".windsurf/hooks.json", "windsurf"),
        (".factory/hooks.json", "factory-droid"),
        (".qwen/settings.json", "qwen-code"),
        (".rulesync/hooks.json", "rulesync"),
        (".agents/hooks.json", "antigravity"),
    ],
)
def test_by_place(path: str, owner: str) -> None:
    assert recognise_path(Path("/repo") / path)[0].dialect == owner


def test_the_base_is_where_the_pattern_starts() -> None:
    assert recognise_path(Path("/repo/app/.codex/hooks.json"))[0].base == Path("/repo/app")
    assert recognise_path(Path(".codex/hooks.json"))[0].base == Path()


def test_a_name_that_only_ends_alike_is_not_taken() -> None:
    assert recognise_path(Path("/repo/my.codex/hooks.json")) == ()


@pytest.mark.parametrize(
    ("path", "text", "owner"),
    [
        ("hooks/hooks.json", '{"version": 1, "hooks": {"pre-tool-use": []}}', "universal"),
        ("hooks/hooks.json", '{"hooks": {"BeforeTool": []}}', "gemini-cli"),
        ("hooks/hooks.json", '{"hooks": {"PreToolUse": [{"c": "${CLAUDE_PLUGIN_ROOT}/x"}]}}', "claude-code"),
        ("hooks/hooks.json", '{"hooks": {"PostToolUse": [{"c": "${PLUGIN_ROOT}/x"}]}}', "open-plugins"),
        ("hooks/hooks-cursor.json", '{"version": 1, "hooks": {"sessionStart": []}}', "cursor"),
        ("hooks/codex-hooks.json", '{"hooks": {"PreToolUse": []}}', "codex"),
        ("hooks/hooks.json", '{"hooks": {"PreToolUse": []}}', "claude-code"),
        ("hooks/hooks.json", '{"hooks": {"BeforeTool": [}', "gemini-cli"),
    ],
)
def test_by_content(path: str, text: str, owner: str) -> None:
    found = recognise_content(Path("/repo/plugin") / path, parse_json(text))
    assert found is not None
    assert found.dialect == owner


@pytest.mark.parametrize("text", ["", "3", '{"name": "x"}', '{"hooks": "path"}'])
def test_a_file_without_hooks_belongs_to_nobody(text: str) -> None:
    assert recognise_content(Path("/repo/package.json"), parse_json(text)) is None


def client_of(path: Path, text: str) -> str | None:
    guess = recognise_content(path, parse_json(text))
    return guess.dialect if guess else None


GROUPS = '"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x"}]}]}'


def test_a_schema_says_more_than_a_name(tmp_path: Path) -> None:
    schema = '"$schema": "https://json.schemastore.org/claude-code-settings.json"'
    assert client_of(tmp_path / "codex-hooks.json", "{" + schema + ", " + GROUPS + "}") == "claude-code"
    assert client_of(tmp_path / "codex-hooks.json", "{" + GROUPS + "}") == "codex"


def test_a_manifest_says_more_than_a_name_and_its_folder_is_the_root(tmp_path: Path) -> None:
    manifest = tmp_path / "p/.claude-plugin/plugin.json"
    manifest.parent.mkdir(parents=True)
    manifest.write_text("{}")
    path = tmp_path / "p/config/codex/extra.json"
    guess = recognise_content(path, parse_json("{" + GROUPS + "}"))
    assert guess is not None
    assert (guess.dialect, guess.base) == ("claude-code", tmp_path / "p")
    inside = recognise_content(tmp_path / "p/.claude-plugin/more.json", parse_json("{" + GROUPS + "}"))
    assert inside is not None
    assert inside.base == tmp_path / "p"


def test_the_folder_of_an_unknown_client_is_not_read(tmp_path: Path) -> None:
    assert client_of(tmp_path / ".zencoder/hooks/hooks.json", "{" + GROUPS + "}") is None
    assert client_of(tmp_path / ".zencoder/settings.json", "{" + GROUPS + "}") is None
    assert client_of(tmp_path / "loose/settings.json", "{" + GROUPS + "}") == "claude-code"


def test_a_key_of_a_matcher_counts_only_in_a_matcher(tmp_path: Path) -> None:
    flat = '{"hooks": {"PreToolUse": [{"tool_name": "shell", "command": "x"}]}}'
    matched = '{"PreToolUse": [{"type": "command", "command": "x", "matcher": {"tool_name": "x"}}]}'
    assert client_of(tmp_path / "gemini-hooks.json", flat) == "gemini-cli"
    assert client_of(tmp_path / "hooks.json", matched) == "mastra-code"


FLAT = '"hooks": {"PreToolUse": [{"type": "command", "command": "x", "windows": "y"}]}'


def test_of_several_clients_of_a_plugin_the_keys_of_hooks_tell(tmp_path: Path) -> None:
    manifest = tmp_path / ".claude-plugin/plugin.json"
    manifest.parent.mkdir()
    manifest.write_text("{}")
    path = tmp_path / "hooks/hooks.json"
    assert client_of(path, "{" + FLAT + "}") == "copilot-vscode"
    assert client_of(path, "{" + GROUPS + "}") == "claude-code"
    assert client_of(path, "{" + FLAT.replace(', "windows": "y"', "") + "}") == "claude-code"


def test_the_folder_of_plugins_tells_whose_they_are(tmp_path: Path) -> None:
    assert client_of(tmp_path / ".agents/plugins/guard/hooks/hooks.json", "{" + GROUPS + "}") == "open-plugins"
    assert client_of(tmp_path / "agents/plugins/guard/hooks/hooks.json", "{" + GROUPS + "}") == "claude-code"
    assert client_of(tmp_path / "plugins/guard/hooks/hooks.json", "{" + GROUPS + "}") == "claude-code"


def test_a_section_for_one_client_tells_the_format(tmp_path: Path) -> None:
    shared = '"version": 1, "hooks": {"postToolUse": [{"type": "command", "command": "x"}]}'
    section = '"claudecode": {"hooks": {"stop": [{"command": "y"}]}}'
    assert client_of(tmp_path / "hooks.json", "{" + shared + ", " + section + "}") == "rulesync"
    assert client_of(tmp_path / "hooks.json", "{" + shared + ', "claudecode": true}') != "rulesync"
    assert client_of(tmp_path / "hooks.json", "{" + shared + "}") != "rulesync"


def test_a_folder_says_more_than_a_variable_that_several_clients_set(tmp_path: Path) -> None:
    text = "{" + GROUPS.replace('"x"', '"bash \\"${CLAUDE_PLUGIN_ROOT}/a.sh\\""') + "}"
    assert client_of(tmp_path / "factory/kit/hooks/hooks.json", text) == "factory-droid"
    assert client_of(tmp_path / "kit/hooks/hooks.json", text) == "claude-code"
