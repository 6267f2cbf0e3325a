"""The effects of calls: places, verbs, texts, hosts."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from anyhook.guards.asked import asked_effects, tool_call_of, where_of
from anyhook.guards.call import GuardCall
from anyhook.guards.effects import Place, Url, Verb, Zone, command_line
from anyhook.guards.effects.model import Effect
from anyhook.guards.effects.reading import effects_of
from anyhook.guards.effects.tools import all_texts, written_texts
from anyhook.guards.effects.where import Where
from anyhook.guards.formatting import written_files
from anyhook.model.payload_base import Payload
from tests.guards.cases import PROJECT, bash, tool, write
from tests.guards.effects.places import APP, inside, judged, run_git

PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-a\n+b\n*** Delete File: old.py\n*** End Patch\n"
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
    (tool("Edit", file_path="x", patch=PATCH), ["src/a.py", "old.py"]),
    (tool("mcp__fs__delete", path="a.txt"), ["a.txt"]),
    (bash("echo x > a.txt"), ["a.txt"]),
    (bash("rm b.txt"), ["b.txt"]),
    (bash("cd sub && touch ../a.txt"), ["a.txt"]),
    (bash("apply_patch <<'END'\n" + PATCH + "END"), ["src/a.py", "old.py"]),
    (bash("cat a.txt"), []),
]
READ = {
    "cat a.txt": ["a.txt"],
    "grep -n x a.txt": ["a.txt"],
    "rg x a.txt": ["a.txt"],
    "sed p a.txt": ["a.txt"],
    "awk 1 a.txt": ["a.txt"],
    "wc < a.txt > b.txt": ["a.txt"],
    "cp a.txt b.txt": ["a.txt"],
    "bash -c 'cat a.txt'": ["a.txt"],
    "cat /home/me/app/a.txt": ["a.txt"],
    "cd sub; cat a.txt": ["sub/a.txt"],
    "git show HEAD:a.txt": ["a.txt"],
    "echo a.txt": [],
    "printf a.txt": [],
    "true a.txt": [],
    "test -f a.txt": [],
    "git status a.txt": [],
}
SPEAKERS = ("echo", "printf", "grep", "rg", "sed", "awk", "cat", "true")
HOSTS: list[tuple[Payload, list[str]]] = [
    (tool("WebFetch", url="https://A.test/x"), ["a.test"]),
    (tool("WebFetch", url="a.test/x"), ["a.test"]),
    (tool("WebFetch", urls=["https://a.test", "http://b.test:80"]), ["a.test", "b.test"]),
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


def call_of(event: Payload) -> GuardCall:
    return GuardCall(event=event, project=PROJECT, environment={"HOME": "/home/me"})


def effects(event: Payload) -> tuple[Effect, ...]:
    return asked_effects(call_of(event))[0].effects


def hosts(event: Payload) -> list[str]:
    return [effect.target.host for effect in effects(event) if isinstance(effect.target, Url)]


@pytest.mark.parametrize(("event", "expected"), WRITTEN, ids=lambda value: str(value)[-60:])
def test_written_files(event: Payload, expected: list[str]) -> None:
    paths = [path.removeprefix(f"{PROJECT}/") for path in written_files(call_of(event))]
    assert sorted(paths) == sorted(expected)


@pytest.mark.parametrize("line", READ)
def test_read_files(line: str) -> None:
    found = [one.target for one in effects_of(command_line(line), APP).effects if one.verb is Verb.READS]
    assert [place.shown for place in found if isinstance(place, Place) and place.shown[:1] != "-"] == READ[line]


@pytest.mark.parametrize(("event", "expected"), HOSTS, ids=lambda value: str(value)[-60:])
def test_hosts(event: Payload, expected: list[str]) -> None:
    assert list(dict.fromkeys(hosts(event))) == expected


@pytest.mark.parametrize(
    "command", [*(f"curl {option}" for option in CURL.split()), *(f"ssh {o}" for o in SSH.split())]
)
def test_the_value_of_an_option_is_no_host(command: str) -> None:
    assert hosts(bash(f"{command} a.test b.test")) == ["b.test"]


def test_texts() -> None:
    given = {"file_path": "a", "content": "x", "edits": [{"new_string": "y", "other": "z"}, ["v"]]}
    assert sorted(written_texts(tool_call_of(call_of(tool("Edit", **given))))) == ["v", "x", "y"]
    assert written_texts(tool_call_of(call_of(tool("Read", **given)))) == ()
    assert list(all_texts({"a": ["x", {"b": "y"}, 7], "c": None})) == ["x", "y"]


PLACES = {
    ("src/a.py", "."): (Zone.PROJECT, "src/a.py"),
    ("a.py", "src"): (Zone.PROJECT, "src/a.py"),
    ("../a.py", "src"): (Zone.PROJECT, "a.py"),
    ("/home/me/app/src", "."): (Zone.PROJECT, "src"),
    ("~/app/src", "/etc"): (Zone.PROJECT, "src"),
    (".", "."): (Zone.ROOT, "."),
    ("*", "."): (Zone.ROOT, "*"),
    ("..", "src"): (Zone.ROOT, "."),
    ("..", "."): (Zone.ABOVE, "~"),
    ("/", "."): (Zone.ABOVE, "/"),
    (".git/config", "."): (Zone.GIT, ".git/config"),
    ("../other", "."): (Zone.HOME, "~/other"),
    ("~/x", "."): (Zone.HOME, "~/x"),
    ("/home/you/x", "."): (Zone.HOME, "~/x"),
    ("/tmp/x", "."): (Zone.TEMPORARY, "/tmp/x"),
    ("/dev/null", "."): (Zone.TEMPORARY, "/dev/null"),
    ("/dev/sda", "."): (Zone.DEVICE, "/dev/sda"),
    ("/etc/hosts", "."): (Zone.SYSTEM, "/etc/hosts"),
    ("nginx", "/etc"): (Zone.SYSTEM, "/etc/nginx"),
    ("/srv/x", "."): (Zone.OUTSIDE, "/srv/x"),
    ("$DIR/x", "."): (Zone.UNKNOWN, "$DIR/x"),
    ("x", None): (Zone.UNKNOWN, "$PWD/x"),
}


@pytest.mark.parametrize(("text", "folder"), PLACES)
def test_a_path_is_resolved_once(text: str, folder: str | None) -> None:
    place = APP.resolve(text, folder)
    assert (place.zone, place.shown) == PLACES[text, folder]


def test_the_folder_of_the_payload_counts() -> None:
    assert judged("rm -rf nginx", inside("/etc"))
    assert judged("rm -rf *", inside("/home/me"))
    assert judged("rm -rf *", inside("/home/me/app"))
    assert not judged("rm -rf ../dist", inside("/home/me/app/sub"))
    assert judged("rm -rf ../../dist", inside("/home/me/app/sub"))
    assert judged("rm -rf ..", inside("/home/me/app/sub"))
    assert judged("cd /home/you/app && rm -rf dist")
    assert judged("rm -rf /srv/home/me/app/dist")
    assert judged("rm -rf ../src", inside("/home/me/app/sub"))
    assert judged("cat x > ../.git/config", inside("/home/me/app/sub"))


def test_a_home_folder_in_the_project_is_a_home_folder() -> None:
    where = Where(folder="/srv/app", project="/srv/app", home="/srv/app/home")
    assert where.resolve("~/x").zone is Zone.HOME
    assert judged('rm -rf "$HOME"', where)
    assert not judged("rm -rf dist", where)


def test_symbolic_links_are_followed(tmp_path: Path) -> None:
    app, other = tmp_path / "app", tmp_path / "other"
    (app / "src").mkdir(parents=True)
    (other / "data").mkdir(parents=True)
    (app / "link").symlink_to(other)
    (app / "inner").symlink_to("src")
    (app / "file").symlink_to(other / "data" / "x")
    (tmp_path / "alias").symlink_to(app)
    where = Where(folder=str(app), project=str(app), home="/home/me")
    assert where.resolve("link/data").path == str(other / "data")
    assert where.resolve("link").shown == "link"
    assert where.resolve("inner/a.py").shown == "src/a.py"
    assert where.resolve("file").shown == "file"
    assert where.resolve("file", follow=True).path == str(other / "data" / "x")
    call = GuardCall(event=tool("Write", file_path="a", content="x"), project=tmp_path / "alias")
    assert where_of(call).resolve(str(app / "a")).shown == "a"


def test_a_work_tree_is_the_project_of_the_calls_in_it(tmp_path: Path) -> None:
    app, tree = tmp_path / "app", tmp_path / "tree"
    app.mkdir()
    run_git(app, "init", "-q")
    run_git(app, "commit", "-q", "--allow-empty", "-m", "first")
    run_git(app, "worktree", "add", "-q", str(tree))
    (tree / "src").mkdir()
    for cwd, project in ((tree / "src", tree), (app, app), (tmp_path, app)):
        call = GuardCall(event=structs.replace(bash("ls"), cwd=str(cwd)), project=app)
        assert where_of(call).project == str(project)


def test_an_effect_names_its_command() -> None:
    found = effects_of(command_line("cd src && rm a.py | tail"), APP)
    (delete,) = [effect for effect in found.effects if effect.verb is Verb.DELETES]
    assert delete.by is not None
    assert found.commands[delete.by].text == "rm a.py"
