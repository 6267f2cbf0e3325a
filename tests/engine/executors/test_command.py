"""What is started for a command hook: what clients replace in a command before the shell sees it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from anyhook.dialects import profile
from anyhook.engine.executors.command import command_line
from anyhook.model.hooks import Command

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a POSIX shell")


def printed(client: str, words: str, folder: str, plugin_text: dict[str, str] | None = None) -> str:
    names = ("GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "GEMINI_CWD")
    variables = {"PATH": "/usr/bin:/bin", **dict.fromkeys(names, folder)}
    argv = command_line(profile(client), Command(command=f"printf '[%s]' {words}"), variables, plugin_text or {})
    return subprocess.run(argv, env=variables, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("'$CLAUDE_PROJECT_DIR' '$GEMINI_PROJECT_DIR/x'", "[/w][/w/x]"),
        (r"\$GEMINI_CWD '$GEMINI_CWDX' ${GEMINI_CWD}", "[/w][/wX][/w]"),
        ("'${GEMINI_PROJECT_DIR}' '$QWEN_PROJECT_DIR'", "[${GEMINI_PROJECT_DIR}][$QWEN_PROJECT_DIR]"),
    ],
)
def test_gemini_replaces_a_variable_also_in_single_quotes(words: str, expected: str) -> None:
    assert printed("gemini-cli", words, "/w") == expected


@pytest.mark.parametrize("folder", ["/a b", "/a[1]", "/a#b", "/a*{x,y}", "/a?=@:^!"])
def test_gemini_makes_one_word_of_an_unquoted_variable(folder: str) -> None:
    assert printed("gemini-cli", "$GEMINI_PROJECT_DIR/x", folder) == f"[{folder}/x]"


@pytest.mark.parametrize("folder", ["/a';echo;'", '/a";echo;"', "/$(echo)", "/`echo`", "/a;echo"])
@pytest.mark.parametrize("words", ["'$GEMINI_CWD'", '"$GEMINI_CWD"'])
def test_the_name_of_a_folder_never_becomes_a_command(words: str, folder: str) -> None:
    assert printed("gemini-cli", words, folder) in ("[$GEMINI_CWD]", f"[{folder}]")


def test_qwen_leaves_a_variable_to_the_shell() -> None:
    assert (
        printed("qwen-code", "'$CLAUDE_PROJECT_DIR' \"$CLAUDE_PROJECT_DIR\"", "/a b") == "[$CLAUDE_PROJECT_DIR][/a b]"
    )


def test_the_folder_of_an_extension_is_replaced_as_it_is() -> None:
    values = {"extensionPath": "/home/me/x", "/": "/"}
    assert printed("gemini-cli", "'${extensionPath}${/}a' ${workspacePath}", "/w", values) == "[/home/me/x/a]"
