"""What commands and scripts name, read from their text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.model.hooks import Command, OsCommands, Prompt
from anyhook.trust.references import references_of_action, references_of_code
from anyhook.trust.used_files import Language, Reference


def named(command: Command) -> set[str]:
    return {f"{found.kind} {found.text}" for found in references_of_action(command)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("./guard.sh", "script ./guard.sh"),
        ('"$CLAUDE_PROJECT_DIR"/hooks/guard.sh', "script hooks/guard.sh"),
        ("${PACKAGE_ROOT}/hooks/guard.sh", "script hooks/guard.sh"),
        ("${A:-${B:-/x}}/hooks/guard.sh", "script hooks/guard.sh"),
        ('bash "$(git rev-parse --show-toplevel)/hooks/guard.sh"', "script hooks/guard.sh"),
        ("bash hooks/guard", "file hooks/guard"),
        ("python3 hooks/judge.py", "script hooks/judge.py"),
        ("python -m hooks.judge", "python hooks.judge"),
        ("python -m hooks", "python hooks.__main__"),
        ("python -c 'import judge'", "python judge"),
        ("node -e \"require('./a.js')\"", "node ./a.js"),
        ("node --require ./first.js main.js", "path ./first.js"),
        (".venv/bin/python judge.py", "path .venv/bin/python"),
        ("jq -f hooks/filter.jq", "path hooks/filter.jq"),
        ("GUARD=hooks/guard.sh", "path hooks/guard.sh"),
        ("tool --rules=hooks/rules.py", "path hooks/rules.py"),
        ("tool < hooks/rules.py", "path hooks/rules.py"),
        ("cd hooks && python judge.py", "folder hooks"),
        ("make guard", "file Makefile"),
        ("npm run --silent guard", "file package.json"),
        ("bash -c 'source hooks/lib.sh'", "script hooks/lib.sh"),
        ("~/bin/guard.sh", "script ~/bin/guard.sh"),
        ("pwsh -File hooks\\guard.ps1", "word hooks/guard.ps1"),
        ('& "$env:CLAUDE_PROJECT_DIR\\hooks\\guard.ps1"', "word hooks/guard.ps1"),
    ],
)
def test_commands(text: str, expected: str) -> None:
    assert expected in named(Command(command=text))


@pytest.mark.parametrize("text", ["", "echo hello", "jq ."])
def test_commands_that_name_no_file(text: str) -> None:
    assert named(Command(command=text)) == set()


def test_arguments_variables_and_every_system() -> None:
    action = Command(command="node", args=("${ROOT}/a.js", "--quiet"), env={"BASH_ENV": "./env.sh"})
    assert named(action) >= {"script a.js", "path ./env.sh"}
    action = Command(by_os=OsCommands(windows="guard.ps1", linux="./guard.sh", macos="./guard-mac.sh"))
    assert named(action) >= {"file guard.ps1", "script ./guard.sh", "script ./guard-mac.sh"}
    assert references_of_action(Prompt(prompt="run ./guard.sh")) == ()


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("python", "import a.b", "python a.b"),
        ("python", "from a import b", "python a.b"),
        ("python", "from . import b", "python .b"),
        ("python", "from ..a import b", "python ..a.b"),
        ("python", "import importlib\nimportlib.import_module('a.b')", "python a.b"),
        ("python", "run(['bash', 'hooks/lib.sh'])", "word hooks/lib.sh"),
        ("python", "if x:\n  def f():\n    import late", "python late"),
        ("python", "print 'two'\nimport old", "python old"),
        ("shell", "source ./lib.sh", "script ./lib.sh"),
        ("shell", '. "$(dirname "$0")/lib.sh"', "script lib.sh"),
        ("shell", '. "${BASH_SOURCE[0]%/*}/lib.sh"', "script lib.sh"),
        ("shell", "exec python3 judge.py", "script judge.py"),
        ("node", 'const a = require("./a")', "node ./a"),
        ("node", "import { a } from '../a.js'", "node ../a.js"),
        ("node", "import './side.js'", "node ./side.js"),
        ("node", "await import('./late.mjs')", "node ./late.mjs"),
        ("node", 'spawn("bash", [__dirname + "/run.sh"])', "word run.sh"),
        ("package", '{"scripts": {"guard": "node hooks/guard.js"}}', "script hooks/guard.js"),
        ("other", "load 'hooks/rules.rb'", "word hooks/rules.rb"),
    ],
)
def test_scripts(language: Language, text: str, expected: str) -> None:
    assert expected in {f"{found.kind} {found.text}" for found in references_of_code(language, text)}


@pytest.mark.parametrize(
    "text",
    [
        "(" * 50_000,
        "-" * 100_000 + "1",
        "1" + "+1" * 50_000,
        "[" * 90 + "\n" * 10,
        "\0",
        "\\",
        'x = "\\d"',
        "f(" * 5_000,
    ],
)
def test_hard_python_is_only_looked_at(text: str) -> None:
    assert Reference("python", "guard") in references_of_code("python", f"import guard\n{text}") or "\0" in text


@given(st.sampled_from(["python", "node", "package", "shell", "other"]), st.text(max_size=80))
def test_no_text_breaks_the_search(language: Language, text: str) -> None:
    for found in references_of_code(language, text):
        assert "\0" not in found.text or found.kind == "python"
    references_of_action(Command(command=text, env={"A": text}))


_PIECES = [
    "bash",
    ".",
    "source",
    "python",
    "-m",
    "-c",
    "cd",
    "node",
    "-e",
    "make",
    "uv",
    "run",
    "env",
    "x.sh",
    "$A/",
    "'",
]


@given(st.lists(st.sampled_from([*_PIECES, '"', ";", "&&", "\\", "%A%", "powershell"]), max_size=8).map(" ".join))
def test_no_command_breaks_the_search(text: str) -> None:
    references_of_action(Command(command=text))
    references_of_action(Command(command=text.partition(" ")[0], args=tuple(text.split()[1:])))


@pytest.mark.parametrize("name", ["/dev/fd/3", "/proc/self/fd/3", "/dev/stdin", "/dev/null"])
def test_a_stream_of_each_process_is_no_file(name: str) -> None:
    """The descriptor 3 of anyhook has nothing to do with that of the script."""
    texts = {reference.text for reference in references_of_code("shell", f". {name}\n") if reference.kind != "doubt"}
    assert name not in texts
