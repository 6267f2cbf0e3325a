"""A hook imports of its project what belongs to it, whichever way it asks; hosts import what they like."""

from __future__ import annotations

import importlib
import logging
import os
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

import pytest

from anyhook.engine.engine import Engine
from anyhook.engine.functions.function_host import FunctionHost
from anyhook.engine.functions.hook_modules import HookModules
from anyhook.model.payload import PreToolUse
from anyhook.project.package_hooks import PackageHooks

RULES = "import json\nWORD = 'rules'\n"
REFUSED = 'lib/rules.py does not belong to this hook; name it in anyhook.toml: uses = ["lib/rules.py"]'
CALL = PreToolUse(session_id="s1", tool_name="Bash", tool_input={"command": "ls"})


class Project:
    """A folder with hooks, whose functions are called here."""

    def __init__(self, root: Path, modules: HookModules) -> None:
        self.root, self.modules = root, modules
        self.of_host: set[str] = set()

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text), encoding="utf-8")
        return file

    def use(self, *globs: str) -> None:
        self.write("anyhook.toml", f"uses = {list(globs)}\n")

    def hook(self, body: str, path: str = "hooks/guard.py") -> Path:
        """A function that returns what its body leaves in ``word``; ``ROOT`` is the project."""
        lines = "".join(f"    {line}\n" for line in dedent(body).strip().splitlines())
        text = f"from anyhook import hook\nROOT = {str(self.root)!r}\n@hook('PreToolUse')\ndef guard(event):\n{lines}"
        return self.write(path, f"{text}    return word\n")

    def host_imports(self, name: str) -> ModuleType:
        before = {*sys.modules}
        try:
            return importlib.import_module(name)
        finally:
            self.of_host |= sys.modules.keys() - before

    def call(self, body: str, path: str = "hooks/guard.py") -> Any:
        return self.modules.function(str(self.hook(body, path)), "guard")(CALL)

    def refusal(self, body: str, path: str = "hooks/guard.py") -> str:
        with pytest.raises(ImportError) as caught:
            self.call(body, path)
        return str(caught.value)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(Path.cwd())
    finders = [*sys.meta_path]
    made = Project(tmp_path / "shop", HookModules())
    made.write("lib/rules.py", RULES)
    made.write("lib/sub/deep.py", "from lib.rules import WORD\n")
    yield made
    made.modules.close()
    assert sys.meta_path == finders
    for name in made.of_host:
        del sys.modules[name]
    assert [name for name in sys.modules if is_of(made.root, name)] == []


def is_of(root: Path, name: str) -> bool:
    """Whether a loaded module is from a project, or in a package of hooks."""
    file, path = (getattr(sys.modules[name], member, None) for member in ("__file__", "__path__"))
    places = [file] if file else [*(path or ("",))]
    return all(str(place).startswith(str(root)) for place in places) or name.startswith("_anyhook")


# --------------------------------------------------------------------------------------------------- what belongs to it


@pytest.mark.parametrize(
    ("file", "body"),
    [
        ("hooks/_rules.py", "from _rules import WORD as word"),
        ("hooks/_rules.py", "from . import _rules; word = _rules.WORD"),
        ("hooks/rules.py", "import importlib; word = importlib.import_module('rules').WORD"),
        ("hooks/more/rules.py", "from more.rules import WORD as word"),
        ("hooks/more/rules.py", "from .more import rules; word = rules.WORD"),
        ("scripts/rules.py", "from scripts.rules import WORD as word"),
        ("scripts/rules.py", "import sys; sys.path.insert(0, ROOT + '/scripts'); from rules import WORD as word"),
    ],
)
def test_what_is_in_the_folders_of_hooks_belongs_to_all_of_them(project: Project, file: str, body: str) -> None:
    project.write(file, RULES)
    assert project.call(body) == "rules"


@pytest.mark.parametrize(
    "body",
    [
        "from lib.rules import WORD as word",
        "import lib.rules; word = lib.rules.WORD",
        "import lib.rules as rules; word = rules.WORD",
        "from lib import rules; word = rules.WORD",
        "from lib.sub.deep import WORD as word",
        "from importlib import import_module; word = import_module('lib.rules').WORD",
        "from importlib import import_module; import lib; word = import_module('.rules', lib.__name__).WORD",
        "import importlib; word = importlib.__import__('lib.rules').rules.WORD",
        "import importlib.util; importlib.util; word = __import__('lib.rules').rules.WORD",
        "import sys; sys.path.insert(0, ROOT + '/lib'); from rules import WORD as word",
        "import pkgutil, sys; sys.path.insert(0, ROOT); word = pkgutil.resolve_name('lib.rules:WORD')",
    ],
)
@pytest.mark.parametrize("is_package", [True, False])
def test_what_the_author_adds_is_found_from_the_package(project: Project, body: str, is_package: bool) -> None:
    if is_package:
        project.write("lib/__init__.py", "")
        project.write("lib/sub/__init__.py", "from . import deep\n")
    project.use("lib/**")
    assert project.call(body) == "rules"
    assert not list(project.root.rglob("__pycache__"))


def test_a_used_package_comes_before_an_installed_one(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write("../elsewhere/lib/__init__.py", "")
    monkeypatch.syspath_prepend(project.root.parent / "elsewhere")
    project.use("lib")
    assert project.call("from lib.rules import WORD as word") == "rules"


def test_a_folder_that_is_no_package_hides_no_installed_one(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write("data/list.txt", "")
    project.write("../elsewhere/lib/rules.py", "WORD = 'installed'\n")
    monkeypatch.syspath_prepend(project.root.parent / "elsewhere")
    with pytest.raises(ModuleNotFoundError, match="No module named 'data'"):
        project.call("import data; word = data")
    project.host_imports("lib.rules")
    assert project.call("from lib.rules import WORD as word") == "installed"


def test_two_files_have_modules_of_their_own(project: Project) -> None:
    project.use("lib/**")
    body = "import lib.rules; word = lib.rules.WORD; lib.rules.WORD += '!'"
    assert [project.call(body), project.call(body), project.call(body, "hooks/other.py")] == [
        "rules",
        "rules!",
        "rules",
    ]


def test_an_extension_module_can_belong_to_a_hook(project: Project) -> None:
    library = Path(
        importlib.import_module("_testcapi" if importlib.util.find_spec("_testcapi") else "_json").__file__ or ""
    )
    if library.suffix != ".so":
        pytest.skip("no extension module is a file here")
    copy = project.root / "lib" / library.name
    copy.write_bytes(library.read_bytes())
    name = library.name.partition(".")[0]
    body = f"import sys; sys.path.insert(0, ROOT)\nfrom lib import {name} as word"
    assert f"lib/{library.name} does not belong" in project.refusal(body)
    project.use("lib/*.so")
    assert project.call(body).__file__ == str(copy)


def test_the_settings_are_read_again_when_they_change(project: Project) -> None:
    body = "from lib.rules import WORD as word"
    assert project.refusal(body) == REFUSED
    project.use("lib/rules.py")
    assert project.call(body) == "rules"
    project.use("lib/other.py")
    assert project.refusal(body) == REFUSED


# ------------------------------------------------------------------------------------------------------ what does not


@pytest.mark.parametrize(
    "body",
    [
        "import lib.rules",
        "import lib.rules as rules",
        "from lib import rules",
        "from lib.rules import WORD",
        "exec('from lib.rules import *', {})",
        "from .lib import rules",
        "__import__('lib.rules')",
        "import importlib; importlib.import_module('lib.rules')",
        "from importlib import import_module; import_module('lib.rules')",
        "import lib, importlib; importlib.import_module('.rules', lib.__name__)",
        "import sys; sys.path.insert(0, ROOT); import lib.rules",
        "import sys; sys.path.append(ROOT + '/lib'); import rules",
        "import sys; sys.path.append(ROOT + '/hooks/../lib'); from rules import WORD",
        "import os, sys; os.chdir(ROOT + '/lib'); sys.path.insert(0, ''); import rules",
        "import sys, builtins; sys.path.append(ROOT); builtins.__import__('lib.rules')",
        "import sys, pkgutil; sys.path.append(ROOT); pkgutil.resolve_name('lib.rules:WORD')",
        "import sys, runpy; sys.path.append(ROOT); runpy.run_module('lib.rules')",
        "import sys, importlib.util; sys.path.append(ROOT); importlib.util.find_spec('lib.rules')",
        "import _more; _more.__path__ = [ROOT + '/lib']; import _more.rules",
        "import _more; _more.__path__ = [ROOT + '/lib']; from _more import rules",
        "import _linked.rules",
        "import sys; sys.path.append(ROOT + '/../link'); import rules",
        "import _indirect",
        "from concurrent.futures import ThreadPoolExecutor as T\n"
        "def load(): import lib.rules\n"
        "with T(1) as threads: threads.submit(load).result()",
    ],
)
def test_no_other_file_of_the_project_can_be_imported(project: Project, body: str) -> None:
    project.write("hooks/_more/__init__.py", "")
    project.write("hooks/_indirect.py", "import lib.rules\n")
    (project.root / "hooks" / "_linked").symlink_to(project.root / "lib")
    (project.root.parent / "link").symlink_to(project.root / "lib")
    refusal = project.refusal(f"{body}\nword = 1").replace("hooks/_linked/", "lib/")
    assert REFUSED in refusal


def test_a_package_is_named_as_a_whole(project: Project) -> None:
    project.write("lib/__init__.py", "")
    remedy = 'lib/__init__.py does not belong to this hook; name it in anyhook.toml: uses = ["lib/**"]'
    assert project.refusal("from lib.rules import WORD as word") == remedy


@pytest.mark.parametrize("folder", ["hooks", "."])
def test_a_link_to_a_folder_outside_of_the_project_leads_nowhere(project: Project, folder: str) -> None:
    project.write("../outside/rules.py", RULES)
    (project.root / "hooks").mkdir()
    (project.root / folder / "linked").symlink_to(project.root.parent / "outside")
    project.use("linked/**")
    assert "does not belong to this hook" in project.refusal("from linked.rules import WORD as word")


def test_a_linked_file_belongs_where_the_link_is(project: Project) -> None:
    (project.root / "hooks").mkdir()
    (project.root / "hooks" / "_rules.py").symlink_to(project.root / "lib" / "rules.py")
    assert project.call("from _rules import WORD as word") == "rules"


def test_another_file_of_hooks_belongs_to_its_own(project: Project) -> None:
    project.hook("word = 1", "hooks/other.py")
    body = "from other import ROOT as word"
    assert project.refusal(body) == REFUSED.replace("lib/rules", "hooks/other")
    project.use("hooks/other.py")
    assert project.call(body) == str(project.root)


def test_tests_and_caches_belong_to_none(project: Project) -> None:
    project.write("hooks/tests/rules.py", RULES)
    assert "hooks/tests/rules.py does not belong" in project.refusal("from .tests.rules import WORD as word")
    code = compile(RULES, "rules.py", "exec")
    data = importlib.util.MAGIC_NUMBER + bytes(12) + __import__("marshal").dumps(code)
    (project.root / "hooks" / "compiled.pyc").write_bytes(data)
    body = "import sys; sys.path.insert(0, ROOT + '/hooks'); import compiled as word"
    assert "hooks/compiled.pyc does not belong" in project.refusal(body)


def test_a_module_of_an_archive_cannot_belong_to_a_hook(project: Project) -> None:
    (project.root / "hooks").mkdir()
    with zipfile.ZipFile(project.root / "hooks" / "more.zip", "w") as archive:
        archive.writestr("zipped_rules.py", RULES)
    project.use("hooks/**")
    body = "import sys; sys.path.insert(0, ROOT + '/hooks/more.zip'); from zipped_rules import WORD as word"
    text = "hooks/more.zip is an archive, and modules in it cannot belong to a hook; unpack it"
    assert project.refusal(body) == text


def test_the_project_is_the_checkout_around_the_package(project: Project) -> None:
    (project.root / ".git").mkdir()
    body = "import sys; sys.path.insert(0, ROOT); from lib.rules import WORD as word"
    refusal = project.refusal(body, "tools/agent/hooks/guard.py")
    assert refusal.startswith("lib/rules.py does not belong to this hook; copy what it needs into ")
    project.write("tools/agent/anyhook.toml", 'uses = ["../../lib/**", "own/**"]\n')
    assert project.refusal(body, "tools/agent/hooks/guard.py") == refusal
    project.write("tools/agent/own/rules.py", RULES)
    assert project.call("from own.rules import WORD as word", "tools/agent/hooks/guard.py") == "rules"


def test_what_lies_outside_of_the_project_is_not_limited(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write("../other/outside_rules.py", RULES)
    monkeypatch.syspath_prepend(project.root.parent / "other")
    assert project.call("from outside_rules import WORD as word") == "rules"
    project.of_host.add("outside_rules")


def test_what_is_installed_inside_the_project_is_not_limited(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(project.root / ".venv"))
    project.write(".venv/lib/installed_rules.py", RULES)
    monkeypatch.syspath_prepend(project.root / ".venv/lib")
    assert project.call("from installed_rules import WORD as word") == "rules"
    project.of_host.add("installed_rules")


def test_a_project_below_the_prefix_of_python_is_not_a_part_of_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(project.root.parent))
    assert project.refusal("from lib.rules import WORD as word") == REFUSED


def test_too_many_used_files_are_an_error(project: Project) -> None:
    for number in range(2001):
        (project.root / "lib" / f"m{number}.py").touch()
    project.use("lib/**")
    with pytest.raises(Exception, match="uses reaches more than 2,000 files; name only what hooks need"):
        project.call("from lib.rules import WORD as word")


# -------------------------------------------------------------------------------------------------------------- hosts


def test_what_the_host_has_loaded_from_the_project_is_the_hosts(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("app/__init__.py", "")
    project.write("app/secrets_of_host.py", "WORD = 'host'\n")
    monkeypatch.syspath_prepend(project.root)
    host = project.host_imports("app.secrets_of_host")
    for body in (
        "import app",
        "from app import secrets_of_host",
        "import importlib; importlib.import_module('app.secrets_of_host')",
        "from importlib import import_module; import_module('app')",
    ):
        assert "app/__init__.py does not belong to this hook" in project.refusal(f"{body}\nword = 1")
    assert project.host_imports("app.secrets_of_host") is host
    project.use("app/**")
    assert project.call("from app import secrets_of_host as word") is not host


def test_what_a_hook_only_looks_for_stays_loaded_for_the_host(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.use("lib/**")
    project.write("lib/__init__.py", "")
    monkeypatch.syspath_prepend(project.root)
    assert project.call("import importlib.util; word = importlib.util.find_spec('lib').origin")
    host = project.host_imports("lib.rules")
    assert project.call("word = 1") == 1  # loaded again
    assert sys.modules["lib.rules"] is host


def test_a_module_that_another_has_put_there_is_checked(project: Project) -> None:
    strange = ModuleType("strange")
    strange.__file__ = str(project.root / "lib" / "rules.py")
    sys.modules["strange"] = strange
    project.of_host.add("strange")
    assert project.refusal("import strange as word") == REFUSED


def test_the_imports_of_a_host_are_its_own(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of the part of it that a hook calls: a handler of its log."""
    project.write("handlers.py", "def handle(record):\n    import lib.rules\n    record.seen = lib.rules.WORD\n")
    monkeypatch.syspath_prepend(project.root)
    handle = project.host_imports("handlers").handle
    project.of_host |= {"lib", "lib.rules"}
    logger = logging.getLogger("of this test")
    seen: list[str] = []

    def note(record: logging.LogRecord) -> bool:
        handle(record)
        seen.append(vars(record)["seen"])
        return False

    logger.addFilter(note)
    assert project.call("import logging; logging.getLogger('of this test').error('x'); word = 1") == 1
    assert seen == ["rules"]
    assert project.refusal("import lib.rules as word") == REFUSED


# ---------------------------------------------------------------------------------------------- wherever a hook may run


@pytest.fixture(params=["worker", "in process"])
def functions(request: pytest.FixtureRequest) -> Iterator[FunctionHost | None]:
    host = FunctionHost() if request.param == "in process" else None
    yield host
    if host is not None:
        host.close()


def failure(project: Project, functions: FunctionHost | None, **environment: str) -> str:
    variables = {"PATH": os.environ["PATH"], **environment}
    hooks = PackageHooks(project.root).of("universal")
    engine = Engine(hooks, project=project.root, functions=functions, environment=variables)
    [run] = engine.fire_sync(CALL).runs
    return run.reason


def test_it_holds_in_the_process_of_the_engine_and_in_a_worker(
    project: Project, functions: FunctionHost | None
) -> None:
    project.hook("from lib.rules import WORD\nfrom anyhook import deny\nword = deny(WORD)")
    assert failure(project, functions) == f"guard.py, line 5: ImportError: {REFUSED}"
    project.use("lib/**")
    assert failure(project, functions) == "rules"


def test_variables_of_python_lead_a_worker_no_further(project: Project) -> None:
    project.hook("from rules import WORD\nfrom anyhook import deny\nword = deny(WORD)")
    found = failure(project, None, PYTHONPATH=str(project.root / "lib"))
    assert found == f"guard.py, line 5: ImportError: {REFUSED}"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_child_is_limited_as_its_parent(project: Project, functions: FunctionHost | None) -> None:
    project.hook(
        """
        import os
        from anyhook import deny
        child = os.fork()
        if not child:
            try:
                import lib.rules
            except ImportError:
                os._exit(7)
            os._exit(0)
        word = deny(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])))
        """
    )
    assert failure(project, functions) == "7"


def test_a_virtual_environment_in_the_project_is_importable(project: Project) -> None:
    """A worker of a Python that is installed there."""
    folder = project.root / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    scheme = sysconfig.get_paths("venv", vars={"base": str(folder), "platbase": str(folder)})
    places = "\n".join(each for each in sys.path if each)
    (Path(scheme["purelib"]) / "all.pth").write_text(places)
    (Path(scheme["purelib"]) / "installed_rules.py").write_text(RULES)
    file = project.hook("from installed_rules import WORD as word; import lib.rules")
    code = (
        "import sys; from anyhook.engine.functions.hook_modules import HookModules\n"
        "try: HookModules().function(sys.argv[1], 'guard')(None)\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run(
        [str(Path(scheme["scripts"]) / "python"), "-c", code, str(file)], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == REFUSED
