"""The scripts that a command line starts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.sources.scripts_of import Script, scripts
from anyhook.sources.shell_text import scan


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("./guard.sh", Script("./guard.sh")),
        ('"$CLAUDE_PROJECT_DIR"/a/guard.sh --x', Script("$CLAUDE_PROJECT_DIR/a/guard.sh")),
        ("node ${CLAUDE_PLUGIN_ROOT}/a.js", Script("${CLAUDE_PLUGIN_ROOT}/a.js", "node")),
        ("python3 -u a.py", Script("a.py", "python3")),
        ("/usr/bin/env python3 a.py", Script("a.py", "python3")),
        ("A=1 exec ./a.sh", Script("./a.sh")),
        ("timeout 5 bash a.sh", Script("a.sh", "bash")),
        ("uv run --script a/b.py", Script("a/b.py", "uv")),
        ("npx -y tsx a/b.ts", Script("a/b.ts", "tsx")),
        ("bun run a/b.ts", Script("a/b.ts", "bun")),
        ("bash -c 'node a.js'", Script("a.js", "node")),
        ("if [ -f x ]; then ./x; fi", Script("./x")),
    ],
)
def test_the_script_of_a_command(text: str, expected: Script) -> None:
    assert expected in list(scripts(scan(text)))


@pytest.mark.parametrize(
    "text",
    [
        "npm test",
        "node -e 'x.js'",
        "python3 -m tool",
        "echo a/b.sh",
        "jq . a.json",
        "bash",
        "prettier --write a.ts",
        "x=a/b.sh",
    ],
)
def test_commands_without_a_script(text: str) -> None:
    assert not list(scripts(scan(text)))


@given(st.text(alphabet=st.sampled_from(list("abenvsh02 $\"'`\\(){}<>|&;#=\n./-")), max_size=60))
def test_no_text_breaks_the_search(text: str) -> None:
    for script in scripts(scan(text)):
        assert script.path
