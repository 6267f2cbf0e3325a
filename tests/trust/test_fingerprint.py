"""Which files belong to a project's hooks, and that no project can make the search hang, crash or read endlessly."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from anyhook.trust import fingerprint, references, used_files
from anyhook.trust.seen_files import MAX_FILE_BYTES
from tests.trust.trust_projects import Project


@pytest.fixture
def shop(tmp_path: Path) -> Project:
    return Project(tmp_path / "shop")


def test_scripts_and_all_that_they_use(shop: Project) -> None:
    shop.define("bash tools/run.sh && node tools/check.js && python -m judge")
    shop.write("tools/run.sh", 'source "$(dirname "$0")/lib/env.sh"\npython3 tools/late.py\n')
    shop.write("tools/lib/env.sh", "")
    shop.write("tools/late.py", "import helper\nfrom pack import deep\n")
    shop.write("tools/helper.py", "import json\n")
    shop.write("tools/pack/__init__.py", "from . import inner\n")
    shop.write("tools/pack/deep.py", "")
    shop.write("tools/pack/inner.py", "")
    shop.write("tools/pack/unused.py", "")
    shop.write("tools/check.js", 'require("./rules"); import("./typed.js")')
    shop.write("tools/rules/index.js", "")
    shop.write("tools/typed.ts", "")
    shop.write("judge/__init__.py", "")
    shop.write("judge/__main__.py", "from judge import verdict")
    shop.write("judge/verdict.py", "")
    shop.write("other.py", "")
    assert shop.uses() == [
        "judge/__init__.py",
        "judge/__main__.py",
        "judge/verdict.py",
        "tools/check.js",
        "tools/helper.py",
        "tools/late.py",
        "tools/lib/env.sh",
        "tools/pack/__init__.py",
        "tools/pack/deep.py",
        "tools/pack/inner.py",
        "tools/rules/index.js",
        "tools/run.sh",
        "tools/typed.ts",
    ]


def test_a_package_counts_as_a_whole(shop: Project) -> None:
    shop.define("true")
    shop.write("hooks/a.py", "")
    shop.write("hooks/deep/b.sh", "")
    shop.write("hooks/started", "#!/bin/sh\n", 0o755)
    shop.write("scripts/c.js", "")
    shop.write("hooks/notes.md", "")
    shop.write("hooks/node_modules/x.js", "")
    shop.write("src/d.py", "")
    assert shop.uses() == ["hooks/a.py", "hooks/deep/b.sh", "hooks/started", "scripts/c.js"]


def test_files_that_are_named_but_not_run(shop: Project) -> None:
    shop.define("cat TODO.md && prettier --write .")
    shop.write("TODO.md", "")
    assert shop.uses() == []


def test_interpreters_and_task_files_of_the_project(shop: Project) -> None:
    shop.define(".tools/python judge.py && make guard && npm run guard && bash guard")
    for name in ("judge.py", "Makefile", "guard", "late.js"):
        shop.write(name, "")
    shop.write("package.json", '{"scripts": {"guard": "node late.js"}}')
    shop.write(".tools/python", "", 0o755)
    assert shop.uses() == [".tools/python", "Makefile", "guard", "judge.py", "late.js", "package.json"]


def test_a_folder_that_the_command_goes_to(shop: Project) -> None:
    shop.define('cd "$PACKAGE_ROOT"/tools && python judge.py')
    shop.write("tools/judge.py", "")
    assert "tools/judge.py" in shop.uses()


def test_native_and_compiled_modules_come_before_sources(shop: Project) -> None:
    shop.define("python tools/a.py")
    shop.write("tools/a.py", "import fast")
    shop.write("tools/fast.py", "")
    shop.write("tools/fast.cpython-312-x86_64-linux-gnu.so", "")
    shop.write("tools/fast.pyc", "")
    assert {"tools/fast.py", "tools/fast.pyc", "tools/fast.cpython-312-x86_64-linux-gnu.so"} <= set(shop.uses())


def test_a_script_that_is_not_there_is_noted(shop: Project) -> None:
    shop.define("$PACKAGE_ROOT/gone.sh")
    (file,) = shop.fingerprint().files.values()
    assert (file.path, file.kind) == ("gone.sh", "missing")


def test_what_leads_outside_is_marked(shop: Project, tmp_path: Path) -> None:
    (tmp_path / "outside.sh").write_text("import x")
    (tmp_path / "outer").mkdir()
    (tmp_path / "outer/in.sh").write_text("")
    (shop.folder / "hooks/link.sh").symlink_to(tmp_path / "outside.sh")
    (shop.folder / "linked").symlink_to("../outer")
    shop.define("hooks/link.sh; ../outside.sh; bash linked/in.sh")
    found = {file.path: (file.kind, file.is_outside) for file in shop.fingerprint().files.values()}
    assert found == {
        "hooks/link.sh": ("link", False),
        "linked": ("link", False),
        (tmp_path / "outside.sh").as_posix(): ("file", True),
        (tmp_path / "outer/in.sh").as_posix(): ("file", True),
    }


def test_a_hook_file_behind_a_link(shop: Project, tmp_path: Path) -> None:
    (shop.folder / "hooks").rename(tmp_path / "moved")
    (shop.folder / "hooks").symlink_to(tmp_path / "moved")
    (file,) = (file for file in shop.fingerprint().files.values() if file.kind == "link")
    assert (file.path, file.target) == ("hooks", str(tmp_path / "moved"))


def test_names_that_are_not_text(shop: Project) -> None:
    shop.define("true")
    name = os.fsdecode(b"hooks/\xff.py")
    try:
        shop.write(name, "")
    except OSError:
        pytest.skip("this system takes no such name")
    shop.write("hooks/\\udcff.py", "")
    assert len(shop.uses()) == 2
    shop.trust()


# -------------------------------------------------------------------------------------------------------------- hostile


def test_files_that_nobody_can_vouch_for(shop: Project) -> None:
    shop.define("bash tools/pipe.sh; bash /dev/zero; sh tools/huge.sh; sh tools/loop.sh; sh tools/folder.sh")
    shop.write("tools/x", "")
    os.mkfifo(shop.folder / "tools/pipe.sh")
    with (shop.folder / "tools/huge.sh").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    (shop.folder / "tools/loop.sh").symlink_to("loop.sh")
    (shop.folder / "tools/folder.sh").mkdir()
    found = shop.fingerprint()
    assert {file.path: file.kind for file in found.files.values()} == {
        "/dev/zero": "special",
        "tools/huge.sh": "too large",
        "tools/loop.sh": "link",
        "tools/pipe.sh": "special",
    }
    assert len(found.doubts) == 3
    assert not shop.check().is_trusted


def test_an_update_reads_again_what_an_older_one_has_recorded(shop: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.define("bash tools/run.sh")
    shop.write("tools/run.sh", "source tools/late.sh")
    shop.write("tools/late.sh", "")
    with monkeypatch.context() as older:  # it had other rules, and missed what the script names
        older.setattr(used_files, "RULES", used_files.RULES - 1)
        older.setattr(fingerprint, "RULES", used_files.RULES)
        older.setattr(references, "references_of_code", lambda *_: ())
        shop.trust()
    assert shop.changes() == ["tools/late.sh is new"]
    shop.trust()


def test_a_file_that_cannot_be_read(shop: Project) -> None:
    shop.write("hooks/guard.sh", "", 0o000)
    if os.access(shop.folder / "hooks/guard.sh", os.R_OK):
        pytest.skip("nothing is unreadable for this user")
    assert shop.fingerprint().doubts == ("hooks/guard.sh cannot be read; make it readable for you",)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="a file that nobody can read from its start")
def test_a_file_whose_reading_fails(shop: Project) -> None:
    shop.define("bash /proc/self/mem")
    (doubt,) = shop.fingerprint().doubts
    assert doubt.endswith("/mem cannot be read; make it readable for you")


def test_text_that_is_not_utf8_and_binary_files(shop: Project) -> None:
    (shop.folder / "hooks/guard.sh").write_bytes(b"source ./\xff\xfe.sh\n\x80")
    (shop.folder / "hooks/tool.exe").write_bytes(bytes(range(256)))
    assert shop.uses()[:2] == ["hooks/guard.sh", "hooks/tool.exe"]
    shop.trust()


def test_more_files_than_are_looked_at(shop: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anyhook.trust.seen_files.MAX_FILES", 200)
    for number in range(1_000):
        (shop.folder / "hooks" / f"{number}.py").touch()
    found = shop.fingerprint()
    assert len(found.files) == 200
    assert found.doubts == ("the hooks use more than 200 files; make the hooks use fewer, or smaller ones",)


def test_more_names_than_anybody_looks_for(shop: Project) -> None:
    for number in range(40):
        shop.write(f"hooks/a/b/c/{number}.sh", "\n".join(f"echo x/{number}-{line}.sh" for line in range(3_000)))
    (doubt,) = shop.fingerprint().doubts
    assert "file accesses" in doubt


def test_scripts_that_use_each_other(shop: Project) -> None:
    shop.write("hooks/guard.sh", ". hooks/other.sh")
    shop.write("hooks/other.sh", ". hooks/guard.sh")
    assert shop.uses() == ["hooks/guard.sh", "hooks/other.sh"]


@pytest.mark.parametrize(
    "command", ["\0", "./a\nb.sh", "~", "~/", "/", ".", "..", "\ud800", "'", "$", "x" * 5_000 + ".sh"]
)
def test_odd_commands(shop: Project, command: str) -> None:
    shop.define(command)
    shop.trust()


def test_a_chain_of_links_ends(shop: Project) -> None:
    for number in range(100):
        (shop.folder / f"hooks/{number}.sh").symlink_to(f"{number + 1}.sh")
    shop.define("hooks/0.sh")
    assert len(shop.uses()) >= 40


def test_a_pipe_that_nobody_writes_to_keeps_no_command_waiting(shop: Project) -> None:
    os.mkfifo(shop.folder / "hooks/guard.sh")
    os.mkfifo(shop.folder / "hooks/rules.py")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "anyhook", "trust", "--show", "--json", str(shop.folder)]
    ran = subprocess.run(command, env=environment, capture_output=True, timeout=60, check=False)
    assert ran.returncode == 1
    assert json.loads(ran.stdout)["doubts"]
