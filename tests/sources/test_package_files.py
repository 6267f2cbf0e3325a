"""Which files of a package belong to its hooks: what ``uses`` may say, and what it finds."""

from __future__ import annotations

from pathlib import Path, PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.model.problems import AnyhookError
from anyhook.project.package_hooks import PackageHooks
from anyhook.sources import disk, package_files
from anyhook.sources.load import Loader
from anyhook.sources.package_files import defines_hooks, files_of, is_in_hook_folder, used_globs, why_unusable
from anyhook.sources.settings import read_settings

FILES = (
    "anyhook.toml", "lib/a.py", "lib/b.js", "lib/deep/c.py", "lib/deep/d.txt", "lib/.hidden", "library.py",
    "src/lib/e.py", "lib/.git/config", "lib/__pycache__/a.pyc", "lib/f.pyc",
)  # fmt: skip


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def found(package: Path, *globs: str) -> list[str]:
    return [path.relative_to(package).as_posix() for path in files_of(package, globs)]


@pytest.mark.parametrize(
    ("globs", "files"),
    [
        ((), []),
        (("lib/a.py", "nothing.py"), ["lib/a.py"]),
        (("./lib/a.py",), ["lib/a.py"]),
        (("lib/*.py",), ["lib/a.py"]),
        (("lib/*",), ["lib/.hidden", "lib/a.py", "lib/b.js"]),
        (("lib/**/*.py",), ["lib/a.py", "lib/deep/c.py"]),
        (("**/*.py",), ["lib/a.py", "lib/deep/c.py", "library.py", "src/lib/e.py"]),
        (("*/deep/?.py",), ["lib/deep/c.py"]),
        (("*.py",), ["library.py"]),
        (("lib/*.{py,js}", "library.py"), ["lib/a.py", "lib/b.js", "library.py"]),
        (("lib/**",), ["lib/.hidden", "lib/a.py", "lib/b.js", "lib/deep/c.py", "lib/deep/d.txt"]),
        (("lib",), ["lib/.hidden", "lib/a.py", "lib/b.js", "lib/deep/c.py", "lib/deep/d.txt"]),
        (("lib/deep/",), ["lib/deep/c.py", "lib/deep/d.txt"]),
    ],
)
def test_globs_start_in_the_folder_of_the_package(package: Path, globs: tuple[str, ...], files: list[str]) -> None:
    assert found(package, *globs) == files


def test_links_to_folders_are_not_entered_and_links_to_files_are_files(package: Path) -> None:
    (package / "more").mkdir()
    (package / "more" / "lib").symlink_to(package / "lib")
    (package / "more" / "a.py").symlink_to(package / "lib" / "a.py")
    (package / "more" / "gone.py").symlink_to(package / "nothing")
    assert found(package, "more/**", "more/lib/**") == ["more/a.py"]


def test_there_is_a_limit(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package_files, "MAX_FILES", 3)
    with pytest.raises(AnyhookError, match="uses reaches more than 3 files"):
        files_of(package, ("lib/**",))
    with pytest.raises(AnyhookError, match="uses reaches more than 3 folders"):
        files_of(package, ("**/nothing",))


def test_a_cache_sees_a_new_file(package: Path) -> None:
    with disk.tracking_reads(lambda: 2**63) as snapshot:
        files_of(package, used_globs(package, Loader()) or ("lib/**",))
    assert snapshot.is_current()
    (package / "lib" / "deep" / "new.py").touch()
    assert not snapshot.is_current()


@given(st.text("a*?/.{,}\\[]!~:", max_size=12))
def test_no_glob_that_may_be_used_leads_out(tmp_path_factory: pytest.TempPathFactory, glob: str) -> None:
    if not why_unusable(glob)[0]:
        top = tmp_path_factory.getbasetemp() / "globs"
        (top / "package" / "a").mkdir(parents=True, exist_ok=True)
        for name in ("a", "package/a.a", "package/a/a"):
            if not (top / name).is_dir():
                (top / name).touch()
        assert all(path.is_relative_to(top / "package") for path in files_of(top / "package", (glob,)))


# ------------------------------------------------------------------------------------------------------------ settings


@pytest.mark.parametrize(
    ("text", "globs"),
    [
        ('uses = ["lib/**", "a.py"]\n', ("lib/**", "a.py")),
        ('uses = ["lib/**"]\n[guards.shell]\n', ("lib/**",)),
        ('"uses" = ["lib/**"]\n', ("lib/**",)),
        ('uses = ["/etc/passwd", 3, "../a", "a.py"]\n', ("a.py",)),
        ('uses = "lib"\n', ()),
        ("[guards.shell]\n", ()),
        ("uses = [\n", ()),
        ("[uses]\nlib = 1\n", ()),
    ],
)
def test_what_the_settings_name(tmp_path: Path, text: str, globs: tuple[str, ...]) -> None:
    (tmp_path / "anyhook.toml").write_text(text)
    assert used_globs(tmp_path, Loader()) == globs


def test_without_settings_nothing_is_named(tmp_path: Path) -> None:
    assert used_globs(tmp_path, Loader()) == ()
    (tmp_path / "anyhook.toml").write_bytes(b"uses = ['\xff']")
    assert used_globs(tmp_path, Loader()) == ()


@pytest.mark.parametrize(
    ("value", "text", "fix"),
    [
        ('["/etc/x"]', "'/etc/x': it is an absolute path", "write the path from the folder of this file"),
        ('["~/x"]', "'~/x': it is an absolute path", "write the path from the folder of this file"),
        ('["C:/x"]', "'C:/x': it is an absolute path", "write the path from the folder of this file"),
        ('["a/../../x"]', "'a/../../x': it leads out of the package", "name files below the folder of this file"),
        ("['a\\b']", "'a\\\\b': it has a backslash", 'write / between folders: "a/b"'),
        ("[3]", "3: it is not the glob of a file", 'write globs of files: uses = ["lib/**"]'),
        ('[""]', "'': it is not the glob of a file", 'write globs of files: uses = ["lib/**"]'),
    ],
)
def test_a_wrong_glob_is_a_problem_with_its_line(tmp_path: Path, value: str, text: str, fix: str) -> None:
    (tmp_path / "anyhook.toml").write_text(f"\nuses = {value}\n")
    (problem,) = PackageHooks(tmp_path).of("universal").problems
    assert (problem.code, problem.text) == ("K007", f'"uses" cannot have {text}')
    assert problem.fix.startswith(fix)
    assert (problem.origin.file, problem.origin.line) == (str(tmp_path / "anyhook.toml"), 2)


@pytest.mark.parametrize("text", ['uses = "lib"\n', "[uses]\nlib = 1\n"])
def test_uses_is_a_list(tmp_path: Path, text: str) -> None:
    (tmp_path / "anyhook.toml").write_text(text)
    (problem,) = PackageHooks(tmp_path).of("universal").problems
    assert (problem.text, problem.fix) == ('"uses" must be a list', 'write uses = ["lib/**"]')


def test_a_misspelled_key_is_reported(tmp_path: Path) -> None:
    (tmp_path / "anyhook.toml").write_text('use = ["lib/**"]\n')
    (problem,) = PackageHooks(tmp_path).of("universal").problems
    assert (problem.text, problem.fix) == ('"use" is not a setting here', "did you mean uses?")


def test_a_correct_list_is_no_problem_and_no_hook(tmp_path: Path) -> None:
    (tmp_path / "anyhook.toml").write_text('uses = ["lib/**"]\n')
    hooks = PackageHooks(tmp_path)
    assert (hooks.of("universal").problems, hooks.of("universal").rules, hooks.has_own_hooks()) == ((), (), False)


def test_in_the_settings_of_a_user_it_has_no_effect(tmp_path: Path) -> None:
    (tmp_path / "anyhook.toml").write_text('uses = ["lib/**"]\n')
    (problem,) = read_settings(None, {}, tmp_path).problems
    assert problem.text == "uses has no effect here"


# ------------------------------------------------------------------------------------------------- the folders of hooks


@pytest.mark.parametrize(
    ("path", "is_in"),
    [
        ("hooks/_a.py", True),
        ("hooks/deep/a.json", True),
        ("scripts/a.sh", True),
        ("hooks/tests/a.json", False),
        ("scripts/deep/tests/a.json", False),
        ("hooks/__pycache__/a.pyc", False),
        ("hooks/a.pyc", False),
        ("hooks", False),
        ("lib/hooks/a.py", False),
    ],
)
def test_which_folders_belong_to_all_hooks(path: str, is_in: bool) -> None:
    assert is_in_hook_folder(PurePath(path)) == is_in


@pytest.mark.parametrize(
    ("path", "text", "is_definition"),
    [
        ("hooks/a.py", "from anyhook import hook\n@hook('Stop')\ndef f(e): ...\n", True),
        ("hooks/a.py", "from anyhook import hook\n@hook('Stop')\ndef f(e:\n", True),
        ("hooks/a.py", "from anyhook import deny\n", False),
        ("hooks/_a.py", "from anyhook import hook\n@hook('Stop')\ndef f(e): ...\n", False),
        ("hooks/deep/a.py", "from anyhook import hook\n@hook('Stop')\ndef f(e): ...\n", False),
    ],
)
def test_which_python_files_define_hooks(tmp_path: Path, path: str, text: str, is_definition: bool) -> None:
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text(text)
    assert defines_hooks(tmp_path / path, Loader()) == is_definition
