"""Every way in which a hook can run a file of its project: a change of that file takes the trust away.

Each row is a command, the files of the project, and the one file whose change must count (or whose appearance: a file
that is not among them). docs/trust.md has the table for people.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from anyhook.trust.decide import TrustState
from anyhook.trust.records import trust_project
from tests.trust.trust_projects import Project


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(tmp_path / "state"))


COMMANDS: list[tuple[str, str]] = [
    # The script of an interpreter, whatever its name, wherever it is in the line.
    ("./f", "f"),
    ("tools/f", "tools/f"),
    ("bash f", "f"),
    ("bash -e f", "f"),
    ("bash -o pipefail f", "f"),
    ("bash -eu -o pipefail -- f", "f"),
    ("bash --rcfile f -i", "f"),
    ("bash --init-file tools/rc", "tools/rc"),
    ("sh -x f", "f"),
    ("nice -n 10 bash f", "f"),
    ("timeout -k 5 10 bash f", "f"),
    ("env -i A=b bash f", "f"),
    ("env -S 'bash f'", "f"),
    ("sudo -u me bash f", "f"),
    ("nohup bash f", "f"),
    ("exec -a name bash f", "f"),
    ("command bash f", "f"),
    ("time -p bash f", "f"),
    ("stdbuf -oL bash f", "f"),
    ("setsid bash f", "f"),
    ("flock /tmp/lock bash f", "f"),
    ("busybox sh f", "f"),
    ("bash < f", "f"),
    ("bash -s < f", "f"),
    ("bash 0<f", "f"),
    ("bash -c '. ./f'", "f"),
    ("bash -lc 'source f'", "f"),
    ("nice bash -c 'bash f'", "f"),
    ("sh -c 'sh -c \"bash f\"'", "f"),
    ("eval 'bash f'", "f"),
    ('eval "$(cat f)"', "f"),
    ('bash -c "$(cat f)"', "f"),
    ("$(cat f)", "f"),
    ("cat f | bash", "f"),
    ("cat f | sed s/a/b/ | sh", "f"),
    ("source <(cat f)", "f"),
    ("bash <<< \"$(cat f)\"", "f"),
    ("bash <<EOF\n. ./f\nEOF", "f"),
    ("true && bash f", "f"),
    ("if true; then bash f; fi", "f"),
    ("(cd tools && bash f)", "tools/f"),
    ("pushd tools; ./f", "tools/f"),
    ("xargs -n 1 bash f < /dev/null", "f"),
    ("trap 'bash f' EXIT", "f"),
    ("fish x.fish", "x.fish"),
    ("zsh f", "f"),
    ("dash f", "f"),
    ("csh -f f", "f"),
    ("pwsh -File x.ps1", "x.ps1"),
    # Variables.
    ("BASH_ENV=./f bash -c true", "f"),
    ("ENV=f sh -i", "f"),
    ("NODE_OPTIONS='--require ./pre.js' node -e 1", "pre.js"),
    ("PYTHONSTARTUP=f python3 -i", "f"),
    ("LD_PRELOAD=./lib.so.1 true", "lib.so.1"),
    ("PATH=tools:$PATH guard", "tools/guard"),
    ('PATH="$PWD/tools:$PATH" guard', "tools/guard"),
    ("PYTHONPATH=lib2 python3 -c 'import x'", "lib2/x.py"),
    ("GUARD=rules.d/one tool", "rules.d/one"),
    ("MAKEFILES=x.inc make", "x.inc"),
    ('export PATH="$CLAUDE_PROJECT_DIR/bin:$PATH"; guard', "bin/guard"),
    ("export BASH_ENV=./f; bash -c true", "f"),
    ("env PATH=sub:$PATH guard", "sub/guard"),
    # A word that is the name of a tool is not that tool.
    ("awk -f rules git", "rules"),
    ("mytool -f rules ruff", "rules"),
    ("git -c alias.g=!./guard g", "guard"),
    ("git -c 'alias.g=!bash guard' g", "guard"),
    ("git -c include.path=conf g", "conf"),
    ("git -c core.hooksPath=gh hook run pre-commit", "gh/pre-commit"),
    ("git --exec-path=gx status", "gx/git-status"),
    ("git submodule foreach 'bash f'", "f"),
    # Other programs that run files.
    ("awk -f f", "f"),
    ("gawk -ff", "f"),
    ("sed -f f", "f"),
    ("jq -f f", "f"),
    ("perl f", "f"),
    ("perl -w f", "f"),
    ("ruby f", "f"),
    ("ruby -r ./pre f", "pre.rb"),
    ("php f", "f"),
    ("lua f", "f"),
    ("Rscript f", "f"),
    ("make -f x.mk", "x.mk"),
    ("make -C d", "d/Makefile"),
    ("make", "Makefile"),
    ("make --directory=d", "d/Makefile"),
    ("just", "justfile"),
    ("npm --prefix d run guard", "d/package.json"),
    ("npm run guard", "package.json"),
    ("npm run guard", ".npmrc"),
    ("rake guard", "Rakefile"),
    ("task guard", "Taskfile.yml"),
    ("invoke guard", "tasks.py"),
    ("pre-commit run", ".pre-commit-config.yaml"),
    ("tool --config rules.toml", "rules.toml"),
    ("tool --config=rules.toml", "rules.toml"),
    ("tool @args.txt", "args.txt"),
    ("tool -Irules/x", "rules/x"),
    ("sqlite3 db < init.sql", "init.sql"),
    # Python.
    ("python3 f", "f"),
    ("python3 -u f", "f"),
    ("python3 -W ignore f", "f"),
    ("python3 -X dev f", "f"),
    ("python3 -B -I f", "f"),
    ("python3 d", "d/__main__.py"),
    ("python3 x.zip", "x.zip"),
    ("python3 -m guard", "guard.py"),
    ("python3 -mguard", "guard.py"),
    ("python3 -Bm guard", "guard.py"),
    ("python3 -W ignore -m guard", "guard/__main__.py"),
    ("python3 -c 'import guard'", "guard.py"),
    ("python3 -c 'import json'", "json.py"),
    ("python3 -c 'import json'", "re.py"),
    ("python3 -m json.tool", "re.py"),
    ("python3 -m pytest", "pytest.py"),
    ("python3 -c 'import json'", "re/__init__.py"),
    ("python3.12 f", "f"),
    ("uv run f", "f"),
    ("uv run python f", "f"),
    ("poetry run python f", "f"),
    # Node.
    ("node f", "f"),
    ("node .", "index.js"),
    ("node d", "d/index.js"),
    ("node d", "d/package.json"),
    ("node -r ./pre x.js", "pre.js"),
    ("node --require=./pre.js x.js", "pre.js"),
    ("node --import ./pre.mjs x.js", "pre.mjs"),
    ("node -e 'require(\".\")'", "index.js"),
    ("node -e 'require(\"./d\")'", "d/index.js"),
    ("deno run f", "f"),
    ("bun run x.ts", "x.ts"),
    ("npx tsx x.ts", "x.ts"),
    # Files that runners read.
    *[
        (command, file)
        for command, files in {
            "npx x": "package.json .npmrc",
            "yarn guard": "package.json .pnp.cjs .yarn/releases/yarn.cjs .yarnrc.yml",
            "pnpm guard": ".pnpmfile.cjs",
            "bun x.ts": "tsconfig.json",
            "tsx x.ts": "tsconfig.json",
            "uv run guard": "pyproject.toml",
            "poetry run guard": "pyproject.toml",
            "pdm run guard": "pyproject.toml",
            "hatch run guard": "pyproject.toml hatch.toml",
            "poe guard": "pyproject.toml",
            "docker compose run guard": "compose.yaml docker-compose.yml",
            "mvn test": "pom.xml",
            "doit guard": "dodo.py",
            "fab guard": "fabfile.py",
            "nix run": "flake.nix",
            "nix-shell --run guard": "shell.nix",
            "bundle exec guard": "Gemfile",
            "mix guard": "mix.exs",
            "zig build": "build.zig",
            "bazel run guard": "MODULE.bazel .bazelrc",
            "turbo guard": "turbo.json",
            "nx guard": "nx.json",
            "ninja": "build.ninja",
            "vagrant ssh": "Vagrantfile",
            "mise run guard": "mise.toml mise-tasks/guard",
            "task guard": "taskfile.yml Taskfile.dist.yml",
            "lefthook run x": ".lefthook.yml",
            "tox": "pyproject.toml setup.cfg",
            "inv guard": "tasks/__init__.py",
            "rake guard": "rakelib/guard.rake",
        }.items()
        for file in files.split()
    ],
    # Folders and patterns: also what appears in them.
    ("run-parts d", "d/10-x"),
    ("find d -exec bash {} \\;", "d/deep/x"),
    ("find d -type f | xargs -n1 sh", "d/x"),
    ("for f in d/*.sh; do bash \"$f\"; done", "d/x.sh"),
    ("for f in d/*; do . \"$f\"; done", "d/x"),
    ("for f in *.guard; do . ./$f; done", "x.guard"),
    ("cat d/* | sh", "d/x"),
    ("bash d/$NAME", "d/x"),
    ("bash d/[0-9]*", "d/1"),
    ("bash d/{a,b}", "d/a"),
]  # fmt: skip


@pytest.mark.parametrize("exists", [True, False], ids=["edited", "added"])
@pytest.mark.parametrize(("command", "changed"), COMMANDS)
def test_commands(command: str, changed: str, exists: bool, tmp_path: Path) -> None:
    project = Project(tmp_path / "shop")
    project.define(command)
    project.write("other/file.txt", "")
    if exists:
        project.write(changed, "true\n", 0o755)
    trust_project(project.roots, project.fingerprint(), accepts_uncovered=True)
    project.write(changed, "evil\n", 0o755)
    assert changed in " ".join(project.changes())


ENVIRONMENTS: list[tuple[dict[str, Any], str]] = [
    ({"env": {"BASH_ENV": "./f"}}, "f"),
    ({"env": {"LD_PRELOAD": "./evil.so"}}, "evil.so"),
    ({"env": {"NODE_OPTIONS": "-r ./pre"}}, "pre.js"),
    ({"env": {"PYTHONPATH": "lib2"}}, "lib2/json.py"),
    ({"env": {"PATH": "tools:/usr/bin"}}, "tools/true"),
    ({"env": {"RULES": "conf/rules"}}, "conf/rules"),
    ({"env": {"PYTHONSTARTUP": "begin"}}, "begin"),
    ({"env": {"PYTHONWARNINGS": "error::early.Warn"}}, "early.py"),
    ({"env": {"NODE_OPTIONS": "--require=./pre"}}, "pre.js"),
    ({"env": {"NODE_OPTIONS": "--import ./pre.mjs"}}, "pre.mjs"),
    ({"env": {"RUBYOPT": "-r./pre"}}, "pre.rb"),
    ({"env": {"RUBYOPT": "-I. -rpre"}}, "pre.rb"),
    ({"env": {"RUBYLIB": "rlib"}}, "rlib/json.rb"),
    ({"env": {"PERL5OPT": "-I. -MEarly"}}, "Early.pm"),
    ({"env": {"PERL5OPT": "-Iplib -MEarly"}}, "plib/Early.pm"),
    ({"env": {"PERL5LIB": "plib"}}, "plib/strict.pm"),
    ({"env": {"LUA_INIT": "@start.lua"}}, "start.lua"),
    ({"env": {"R_PROFILE_USER": "profile"}}, "profile"),
    ({"env": {"DOTNET_STARTUP_HOOKS": "./early.dll"}}, "early.dll"),
    ({"env": {"JAVA_TOOL_OPTIONS": "-javaagent:./early.jar"}}, "early.jar"),
    ({"env": {"GIT_SSH_COMMAND": "bash connect"}}, "connect"),
    ({"env": {"MAKEFILES": "early.mk"}}, "early.mk"),
    ({"cwd": "deep"}, "deep/f"),
    ({"windows": "powershell -File x\\guard.ps1"}, "x/guard.ps1"),
    ({"linux": "bash g"}, "g"),
    ({"osx": "bash g"}, "g"),
]


@pytest.mark.parametrize(("more", "changed"), ENVIRONMENTS)
def test_variables_folder_and_other_systems(more: dict[str, Any], changed: str, tmp_path: Path) -> None:
    project = Project(tmp_path / "shop")
    hook = {"type": "command", "command": "node -e 1; python3 -c 'import json'; bash f", **more}
    project.write(".github/hooks/x.json", json.dumps({"hooks": {"PreToolUse": [hook]}}))
    project.write(changed, "true\n", 0o755)
    trust_project(project.roots, project.check(("copilot-vscode",)).fingerprint, accepts_uncovered=True)
    project.write(changed, "evil\n", 0o755)
    assert changed in [change.path for change in project.check(("copilot-vscode",)).changes]


@pytest.mark.parametrize("exists", [True, False], ids=["edited", "added"])
@pytest.mark.parametrize("module", ["urllib3.py", "urllib3/__init__.py"])
@pytest.mark.parametrize("command", ["python3 -c 'import requests'", "python3 -m guard", "python3 s.py"])
@pytest.mark.parametrize("place", [".venv", "../nowhere/home/.local"])
def test_a_module_in_the_project_folder_that_shadows_an_installed_one(
    place: str, command: str, module: str, exists: bool, tmp_path: Path
) -> None:
    project = Project(tmp_path / "shop")
    project.define(command)
    project.write("guard.py", "import requests\n")
    project.write("s.py", "import requests\n")
    project.write(f"{place}/lib/python3.11/site-packages/urllib3/__init__.py", "")
    project.write("app.py", "1\n")
    if exists:
        project.write(module, "1\n")
    trust_project(project.roots, project.fingerprint(), accepts_uncovered=True)
    project.write("app.py", "2\n")
    assert project.check().state is TrustState.TRUSTED  # the project's own modules change all the time
    project.write(module, "2\n")
    assert module in " ".join(project.changes())


LONG = "# a comment\n" * 60_000
SCRIPTS: list[tuple[str, Mapping[str, str], str]] = [
    ("bash s", {"s": "#!tools/interp\n"}, "tools/interp"),
    ("bash s", {"s": "#!/usr/bin/env -S bash impl\n"}, "impl"),
    ("bash s", {"s": "bash -o pipefail inner\n"}, "inner"),
    ("bash s", {"s": "nice -n 10 bash inner\n"}, "inner"),
    ("bash s", {"s": "awk -f inner\n"}, "inner"),
    ("bash s", {"s": "make -f inner\n"}, "inner"),
    ("bash s", {"s": "run-parts d\n"}, "d/x"),
    ("bash s", {"s": "for f in d/*; do . $f; done\n"}, "d/x"),
    ("bash s", {"s": "export BASH_ENV=./inner\n"}, "inner"),
    ("bash s", {"s": "BASH_ENV=./inner bash -c true\n"}, "inner"),
    ("bash s", {"s": "cat inner | bash\n"}, "inner"),
    ("bash s", {"s": 'eval "$(cat inner)"\n'}, "inner"),
    ("bash s", {"s": "bash < inner\n"}, "inner"),
    ("bash s", {"s": "cat inner | tr -d x | sh\n"}, "inner"),
    ("bash s", {"s": "{ cat inner; } | sh\n"}, "inner"),
    ("bash s", {"s": "{ echo; cat inner; echo; } | tr a b | sh\n"}, "inner"),
    ("bash s", {"s": "(cat inner; echo) | sh\n"}, "inner"),
    ("bash s", {"s": "for x in 1; do cat inner; done | sh\n"}, "inner"),
    ("bash s", {"s": "source <(cat inner)\n"}, "inner"),
    ("bash s", {"s": "bash <(cat inner | tr a b)\n"}, "inner"),
    ("bash s", {"s": "exec < inner\nbash\n"}, "inner"),
    ("bash s", {"s": "{ bash; } < inner\n"}, "inner"),
    ("bash s", {"s": "exec 3<inner; . /dev/fd/3\n"}, "inner"),
    ("bash s", {"s": "cp inner /tmp/zz; bash /tmp/zz\n"}, "inner"),
    ("bash s", {"s": "cp inner tools/; bash tools/inner\n"}, "inner"),
    ("bash s", {"s": "cat inner > /tmp/zz; chmod +x /tmp/zz; /tmp/zz\n"}, "inner"),
    ("bash s", {"s": 'export PATH="sub:$PATH"\nguard\n'}, "sub/guard"),
    ("bash s", {"s": 'declare -x PATH="sub:$PATH"\nguard\n'}, "sub/guard"),
    ("bash s", {"s": "readonly BASH_ENV=inner\n"}, "inner"),
    ("fish s.fish", {"s.fish": "set -gx PATH sub $PATH\nguard\n"}, "sub/guard"),
    ("bash s", {"s": "git -c alias.g='!bash inner' g\n"}, "inner"),
    ("bash s", {"s": "python3 <<'EOF'\nimport inner\nEOF\n"}, "inner.py"),
    ("bash s", {"s": "python3 -mguard\n"}, "guard.py"),
    ("bash s", {"s": f"{LONG}. ./inner\n"}, "inner"),
    ("bash s", {"s": "true\n# \0\n. ./inner\n"}, "inner"),
    ("make", {"Makefile": "include x.inc\n"}, "x.inc"),
    ("make", {"Makefile": "-include more/*.mk\n"}, "more/x.mk"),
    ("make", {"Makefile": "all:\n\t@bash inner\n"}, "inner"),
    ("make -f x.mk", {"x.mk": "all:\n\tpython3 inner\n"}, "inner"),
    ("just", {"justfile": "import 'inner'\n"}, "inner"),
    ("npm run x", {"package.json": '{"scripts": {"x": "bash inner"}}'}, "inner"),
    ("node d", {"d/package.json": '{"main": "lib/start"}'}, "d/lib/start.js"),
    ("node d", {"d/package.json": '{"exports": {".": {"require": "./start.cjs"}}}'}, "d/start.cjs"),
    ("node d/a.js", {"d/a.js": "require('.')"}, "d/index.js"),
    ("node d/a.js", {"d/a.js": "require('..')"}, "index.js"),
    ("node d/a.js", {"d/a.js": "require('./b')", "d/b/package.json": '{"main": "c.js"}'}, "d/b/c.js"),
    ("python3 d/a.py", {"d/a.py": "import json"}, "d/re.py"),
    ("python3 d/a.py", {"d/a.py": "import requests"}, "d/urllib3.py"),
    ("python3 d/a.py", {"d/a.py": "import requests"}, "d/urllib3/__init__.py"),
    ("python3 a.py", {"a.py": "import json"}, "re.py"),
    ("python3 a.py", {"a.py": "import sys\nsys.path.insert(0, 'vendor')\nimport x"}, "vendor/x.py"),
    ("python3 a.py", {"a.py": "import runpy\nrunpy.run_path('inner')"}, "inner"),
    ("python3 a.py", {"a.py": "exec(open('inner').read())"}, "inner"),
    ("python3 a.py", {"a.py": "import subprocess\nsubprocess.run(['bash', 'inner'])"}, "inner"),
    ("python3 a.py", {"a.py": "import os\nos.system('bash inner')"}, "inner"),
    ("python3 a.py", {"a.py": "import ctypes\nctypes.CDLL('./x.bin')"}, "x.bin"),
    ("ruby a.rb", {"a.rb": "require_relative 'inner'"}, "inner.rb"),
    ("ruby a.rb", {"a.rb": "load 'inner'"}, "inner"),
    ("perl a.pl", {"a.pl": "do './inner';"}, "inner"),
    ("php a.php", {"a.php": "<?php include __DIR__ . '/inner.inc';"}, "inner.inc"),
    ("lua a.lua", {"a.lua": "dofile('inner')"}, "inner"),
    ("lua a.lua", {"a.lua": "require('inner')"}, "inner.lua"),
    ("awk -f a.awk", {"a.awk": '@include "inner"'}, "inner"),
    ("fish a.fish", {"a.fish": "source inner"}, "inner"),
]


@pytest.mark.parametrize("exists", [True, False], ids=["edited", "added"])
@pytest.mark.parametrize(("command", "files", "changed"), SCRIPTS)
def test_scripts(command: str, files: Mapping[str, str], changed: str, exists: bool, tmp_path: Path) -> None:
    project = Project(tmp_path / "shop")
    project.define(command)
    for name, text in files.items():
        project.write(name, text)
    if exists:
        project.write(changed, "true\n", 0o755)
    trust_project(project.roots, project.fingerprint(), accepts_uncovered=True)
    project.write(changed, "evil\n", 0o755)
    assert changed in " ".join(project.changes())


@pytest.mark.parametrize(
    ("command", "changed"),
    [
        ("bash f >> hooks.log", "hooks.log"),
        ("bash f 2> errors.txt", "errors.txt"),
        ("cat notes.md", "notes.md"),
        ("ruff check src", "src/a.py"),
        ("prettier --write 'src/**/*.ts'", "src/a.ts"),
        ("npm test", "test/a.js"),
        ("pytest tests/unit", "tests/unit/test_a.py"),
        ("bash f .", "README.md"),
        ("python3 -c 'import json'", "app.py"),
        ("git diff -- '*.py'", "app.py"),
        ("nice -n 10 ruff check notes", "notes"),
        ("git diff --name-only | xargs -r -n 1 ruff check notes", "notes"),
        ("python3 -m pytest notes", "notes"),
    ],
)
def test_what_changes_all_the_time_does_not_count(command: str, changed: str, tmp_path: Path) -> None:
    project = Project(tmp_path / "shop")
    project.define(command)
    project.write(changed, "a\n")
    trust_project(project.roots, project.fingerprint(), accepts_uncovered=True)
    project.write(changed, "b\n")
    assert project.check().state is TrustState.TRUSTED


@pytest.mark.parametrize(
    "script", ["cp notes /tmp/notes", "cat notes | sort | grep -q x", "while read x; do :; done < notes"]
)
def test_data_of_a_script_does_not_count(script: str, tmp_path: Path) -> None:
    project = Project(tmp_path / "shop", "bash s")
    project.write("s", f"{script}\n")
    project.write("notes", "a\n")
    trust_project(project.roots, project.fingerprint())
    project.write("notes", "b\n")
    assert project.check().state is TrustState.TRUSTED


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ('bash "$GUARD"', "what bash runs is only known when it runs"),
        ('"$GUARD" --quiet', "what is run is only known when it runs"),
        ('eval "$GUARD"', "what is evaluated is only known when it runs"),
        ("curl https://example.test/x | sh", "what is downloaded is run"),
        ("pytest tests", "what pytest reads in the project"),
    ],
)
def test_what_cannot_be_resolved_is_shown(command: str, told: str, tmp_path: Path) -> None:
    project = Project(tmp_path / "shop")
    project.define(command)
    found = project.fingerprint()
    assert any(told in text for text in found.unresolved)
    assert not found.doubts


@pytest.mark.parametrize(
    "command",
    [
        ".venv/bin/python g.py",
        '"$CLAUDE_PROJECT_DIR"/.venv/bin/python g.py',
        ". .venv/bin/activate && python g.py",
        "PATH=.venv/bin:$PATH python g.py",
        "node_modules/.bin/guard",
        "npx guard",
        "npx tsx x.ts",
        "timeout 5 npx guard",
        "pnpm exec guard",
        "uv run g.py",
        "poetry run python g.py",
        "pdm run guard",
        "hatch run guard",
        "poe guard",
        "docker compose run guard",
        "mvn test",
        "nix run",
        "bundle exec guard",
        "mix guard",
        "zig build",
        "dotnet run",
        "bazel run guard",
        "turbo guard",
        "nx guard",
        "ninja",
        "vagrant ssh",
        "mise run guard",
        "git -c include.path=../conf g",
        "git hook run pre-commit",
        "bash /tmp/zz",
        "f | sh",
    ],
)
@pytest.mark.parametrize("is_script", [False, True], ids=["hook", "script"])
def test_what_a_runner_runs_is_a_doubt_about_a_guard(command: str, is_script: bool, tmp_path: Path) -> None:
    project = Project(tmp_path / "shop", "bash s" if is_script else command)
    project.write("s", f"{command}\n")
    assert project.fingerprint().doubts_about_guards


@pytest.mark.parametrize(
    "command",
    [
        "python3 g.py",
        "/usr/bin/python3 g.py",
        "bash ${PACKAGE_ROOT}/hooks/guard.sh",
        "uv run --script g.py",
        "cat | python3 g.py",
        "jq -r .tool_input.command | grep -q rm",
        "echo npx guard",
        "git diff --stat",
        "git -C sub rev-parse --show-toplevel",
        "export LC_ALL=C; bash g",
        "npm run guard",
        "make guard",
    ],
)
@pytest.mark.parametrize("is_script", [False, True], ids=["hook", "script"])
def test_an_ordinary_guard_has_no_doubts(command: str, is_script: bool, tmp_path: Path) -> None:
    project = Project(tmp_path / "shop", "bash s" if is_script else command)
    project.write("s", f"{command}\n")
    assert not project.fingerprint().doubts_about_guards


@pytest.mark.parametrize("before", [None, '[models]\ndefault = "openai:judge"\n'])
def test_the_model_that_judges_counts(before: str | None, tmp_path: Path) -> None:
    project = Project(tmp_path / "shop")
    hook = {"type": "prompt", "prompt": "Is this safe?"}
    data = {"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [hook]}]}}
    project.write("hooks/hooks.json", json.dumps(data))
    if before is not None:
        project.write("anyhook.toml", before)
    project.trust()
    project.write("anyhook.toml", '[models]\ndefault = "ollama:none"\n')
    assert project.changes() == [f"anyhook.toml {'is new' if before is None else 'changed'}"]


def test_settings_do_not_count_for_commands(tmp_path: Path) -> None:
    project = Project(tmp_path / "shop", "true")
    project.trust()
    project.write("anyhook.toml", '[models]\ndefault = "ollama:none"\n')
    assert project.check().is_trusted
