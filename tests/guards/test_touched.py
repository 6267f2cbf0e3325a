"""What a tool call touches: files that it reads and writes, texts, hosts."""

from __future__ import annotations

from typing import Any

import pytest

from anyhook.guards.call import GuardCall
from anyhook.guards.touched import all_texts, hosts, read_files, written_files, written_texts
from anyhook.model.payload_base import Payload
from tests.guards.cases import PROJECT, bash, tool, write


def call_of(event: Payload) -> GuardCall:
    return GuardCall(event=event, project=PROJECT)


PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-a\n+b\n*** End Patch\n"
WRITTEN: list[tuple[Payload, list[str]]] = [
    (write("a.txt"), ["a.txt"]),
    (tool("Read", file_path="a.txt"), []),
    (tool("Edit", edits=[{"file_path": "a.txt", "new_string": "x"}]), ["a.txt"]),
    (tool("mcp__fs__write_files", files=[{"path": "a.txt"}, "b.txt"], content="x"), ["a.txt", "b.txt"]),
    (tool("mcp__fs__move", **{"from": ".env", "to": "b.txt"}), [".env", "b.txt"]),
    (tool("mcp__fs__copy_file", src=".env", dst="b.txt"), [".env", "b.txt"]),
    (tool("mcp__fs__rename", old_path="a.txt", new_path="b.txt"), ["a.txt", "b.txt"]),
    (tool("mcp__fs__rename", oldName="a.txt", newName="b.txt"), ["a.txt", "b.txt"]),
    (tool("mcp__mail__send", **{"from": ".env", "to": "b.txt", "text": "x"}), []),
    (tool("Edit", file_path="p", patch="--- a/old.txt\n+++ b/new.txt\t2026\n+x\n"), ["p", "old.txt", "new.txt"]),
    (tool("Edit", file_path="p", patch="--- /dev/null\n+++ b/new.txt\n"), ["p", "new.txt"]),
    (bash("echo x > a.txt"), ["a.txt"]),
    (bash("rm b.txt"), ["b.txt"]),
    (bash("cat a.txt"), []),
]
READ: list[tuple[Payload, list[str]]] = [
    (tool("Read", file_path="a.txt"), ["a.txt"]),
    (write("a.txt"), []),
    (bash("cat a.txt"), ["a.txt"]),
    (bash("grep -n x a.txt"), ["-n", "x", "a.txt"]),
    (bash("rg x a.txt"), ["x", "a.txt"]),
    (bash("sed p a.txt"), ["p", "a.txt"]),
    (bash("awk 1 a.txt"), ["1", "a.txt"]),
    (bash("echo a.txt"), []),
    (bash("printf a.txt"), []),
    (bash("true a.txt"), []),
    (bash("wc < a.txt > b.txt"), ["a.txt"]),
]
SPEAKERS = ("echo", "printf", "grep", "rg", "sed", "awk", "cat", "true")
HOSTS: list[tuple[Payload, list[str]]] = [
    (tool("WebFetch", url="https://A.test/x"), ["a.test"]),
    (tool("WebFetch", url="a.test/x"), ["a.test"]),
    (tool("WebFetch", urls=["https://a.test", "http://b.test:80"]), ["a.test", "b.test"]),
    (tool("Read", url="https://a.test"), []),
    (bash("curl https://a.test ftp://b.test ssh://c.test git://d.test wss://e.test ws://f.test"),
     ["a.test", "b.test", "c.test", "d.test", "e.test", "f.test"]),
    (bash("curl 'http://[oops/'"), ["[oops"]),
    (bash("node run.js a.test"), []),
    *((bash(f"{program} a.test"), ["a.test"]) for program in ("curl", "wget", "wget2", "http", "https")),
    *((bash(f"{program} a.test"), ["a.test"]) for program in ("ssh", "sftp", "nc", "ncat", "telnet", "ftp")),
    *((bash(f"{program} x me@a.test:/tmp"), ["a.test"]) for program in ("scp", "rsync")),
    *((bash(f"{program} a.test b"), []) for program in ("scp", "rsync")),
    *((bash(f"{program} https://a.test"), []) for program in SPEAKERS),
    (bash("ssh localhost 10.0.0.1"), ["localhost", "10.0.0.1"]),
    (bash("curl me@a.test/x?y b.test:80"), ["a.test", "b.test"]),
]  # fmt: skip
CURL = (
    "-o --output -H --header -d --data --data-raw --data-binary -F --form -X --request -u --user -A --user-agent -b -c "
    "-e -T --upload-file -w -m --max-time --connect-timeout --retry -K --config --cacert --cert --key -O"
)
SSH = "-i -p -l -o -F -L -R -D -P -b -c -e --rsh --exclude"


def name(value: Any) -> str:
    return str(value.get("tool_input"))[:60] if isinstance(value, Payload) else ""


@pytest.mark.parametrize(("event", "expected"), WRITTEN, ids=name)
def test_written_files(event: Payload, expected: list[str]) -> None:
    assert list(written_files(call_of(event))) == expected


@pytest.mark.parametrize(("event", "expected"), READ, ids=name)
def test_read_files(event: Payload, expected: list[str]) -> None:
    assert list(read_files(call_of(event))) == expected


@pytest.mark.parametrize(("event", "expected"), HOSTS, ids=name)
def test_hosts(event: Payload, expected: list[str]) -> None:
    assert list(hosts(call_of(event))) == expected


@pytest.mark.parametrize(
    "command", [*(f"curl {option}" for option in CURL.split()), *(f"ssh {o}" for o in SSH.split())]
)
def test_the_value_of_an_option_is_no_host(command: str) -> None:
    assert hosts(call_of(bash(f"{command} a.test b.test"))) == ("b.test",)


def test_files_of_a_patch() -> None:
    assert "src/a.py" in written_files(call_of(tool("Edit", file_path="x", patch=PATCH)))


def test_texts() -> None:
    given = {"file_path": "a", "content": "x", "edits": [{"new_string": "y", "other": "z"}, ["v"]]}
    assert sorted(written_texts(call_of(tool("Edit", **given)))) == ["v", "x", "y"]
    assert written_texts(call_of(tool("Read", **given))) == ()
    assert list(all_texts({"a": ["x", {"b": "y"}, 7], "c": None})) == ["x", "y"]
