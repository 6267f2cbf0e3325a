"""What is known of programs: which run files, where they find them, and which variables make them load some."""

from __future__ import annotations

import re
from collections.abc import Mapping

_PACKAGE_FILES = ("package.json", ".npmrc", ".yarnrc.yml", "bunfig.toml")
RUN_FILES: Mapping[str, tuple[str, ...]] = {
    # Programs that find what they run in a file of the folder that they are started in, or in a folder there ("x/").
    **dict.fromkeys(("make", "gmake"), ("Makefile", "makefile", "GNUmakefile")),
    "just": ("justfile", "Justfile", ".justfile"),
    **dict.fromkeys(("npm", "npx"), _PACKAGE_FILES),
    **dict.fromkeys(("pnpm", "pnpx"), (*_PACKAGE_FILES, ".pnpmfile.cjs", "pnpm-workspace.yaml")),
    **dict.fromkeys(
        ("yarn", "yarnpkg"),
        (*_PACKAGE_FILES, ".yarnrc", ".pnp.cjs", ".pnp.loader.mjs", ".yarn/releases/", ".yarn/plugins/"),
    ),
    **dict.fromkeys(("bun", "bunx"), (*_PACKAGE_FILES, "tsconfig.json")),
    **dict.fromkeys(("tsx", "ts-node"), ("tsconfig.json", "package.json")),
    "deno": ("deno.json", "deno.jsonc"),
    "turbo": ("turbo.json", "package.json"),
    "nx": ("nx.json", "project.json", "package.json"),
    "rake": ("Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb", "rakelib/"),
    **dict.fromkeys(("bundle", "bundler"), ("Gemfile", "Gemfile.lock", ".bundle/config")),
    "task": tuple(
        f"{stem}{dist}.{end}" for stem in ("Taskfile", "taskfile") for dist in ("", ".dist") for end in ("yml", "yaml")
    ),
    **dict.fromkeys(("invoke", "inv"), ("tasks.py", "tasks/", "invoke.yaml", "invoke.yml", "invoke.py", "invoke.json")),
    "fab": ("fabfile.py", "fabfile/", "fabric.yaml", "fabric.yml", "fabric.py", "fabric.json"),
    "doit": ("dodo.py", "doit.cfg", "pyproject.toml"),
    "nox": ("noxfile.py",),
    "tox": ("tox.ini", "tox.toml", "pyproject.toml", "setup.cfg", "toxfile.py"),
    **dict.fromkeys(("uv", "uvx"), ("pyproject.toml", "uv.toml", "uv.lock", ".python-version")),
    "poetry": ("pyproject.toml", "poetry.toml", "poetry.lock"),
    "pdm": ("pyproject.toml", "pdm.toml", "pdm.lock", ".pdm-python"),
    "hatch": ("pyproject.toml", "hatch.toml"),
    "poe": ("pyproject.toml", "poe_tasks.toml", "poe_tasks.yaml", "poe_tasks.json"),
    "pipenv": ("Pipfile", "Pipfile.lock"),
    "pixi": ("pixi.toml", "pixi.lock", "pyproject.toml"),
    "pre-commit": (".pre-commit-config.yaml",),
    "lefthook": tuple(
        f"{dot}lefthook{local}.{end}"
        for dot in ("", ".")
        for local in ("", "-local")
        for end in ("yml", "yaml", "toml", "json")
    ),
    "direnv": (".envrc",),
    "mise": (
        "mise.toml",
        ".mise.toml",
        "mise.local.toml",
        "mise/config.toml",
        ".config/mise.toml",
        ".tool-versions",
        "mise-tasks/",
        ".mise/",
    ),
    "composer": ("composer.json",),
    **dict.fromkeys(
        ("gradle", "gradlew"),
        ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "gradle.properties"),
    ),
    **dict.fromkeys(("mvn", "mvnw"), ("pom.xml", ".mvn/")),
    "ant": ("build.xml",),
    "mix": ("mix.exs", "mix.lock", "config/config.exs"),
    "zig": ("build.zig", "build.zig.zon"),
    "dotnet": ("global.json", "nuget.config", "Directory.Build.props", "Directory.Build.targets"),
    **dict.fromkeys(("bazel", "bazelisk"), ("BUILD", "BUILD.bazel", "WORKSPACE", "MODULE.bazel", ".bazelrc")),
    "ninja": ("build.ninja",),
    "vagrant": ("Vagrantfile",),
    **dict.fromkeys(("nix", "nix-shell", "nix-build"), ("flake.nix", "flake.lock", "shell.nix", "default.nix")),
    **dict.fromkeys(
        ("docker", "podman", "docker-compose", "podman-compose"),
        ("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml", "Dockerfile"),
    ),
}
PROJECT_RUNNERS = frozenset(
    {
        # They run what is built from the project or installed for it: more than the files that they are known to read.
        "npx", "pnpx", "bunx", "uvx", "turbo", "nx", "bundle", "bundler", "tox", "nox", "pre-commit", "lefthook",
        "gradle", "gradlew", "mvn", "mvnw", "mix", "zig", "bazel", "bazelisk", "ninja", "vagrant", "nix", "nix-shell",
        "nix-build", "docker-compose", "podman-compose", "poe", "fab", "doit", "invoke", "inv", "rake", "ant",
    }
)  # fmt: skip
PROJECT_RUNS: Mapping[str, frozenset[str]] = {
    # The same of programs that have other uses, by the first words that are not options.
    **dict.fromkeys(("uv", "poetry", "pdm", "hatch", "pipenv", "pixi", "dotnet"), frozenset({"run", "shell", "test"})),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), frozenset({"exec", "x", "dlx"})),
    **dict.fromkeys(("docker", "podman"), frozenset({"compose"})),
    "mise": frozenset({"run", "r", "x", "exec"}),
    "composer": frozenset({"exec", "run", "run-script"}),
}
OWN_ENVIRONMENT = frozenset({"--script", "--no-project"})
"""With these ``uv run`` takes nothing from the project."""
DECLARATIONS = frozenset({"export", "declare", "typeset", "readonly", "local", "set", "setenv"})
COPIERS = frozenset({"cp", "mv", "ln", "install", "rsync", "dd", "tee"})
FILTERS = frozenset(
    {"sed", "awk", "gawk", "sort", "uniq", "cut", "base64", "gzip", "gunzip", "zcat", "envsubst", "rev"}
)
GIT_RUNS = frozenset(
    {"hook", "bisect", "submodule", "rebase", "filter-branch", "for-each-repo", "difftool", "mergetool"}
)
"""Commands of git that run other programs."""
LAUNCHERS = frozenset(
    {"xargs", "stdbuf", "setsid", "ionice", "npm", "pnpm", "yarn", "bundle", "pdm", "hatch", "exec", "run"}
)
"""Besides wrappers: words that may come before the program that is started."""
RUNNERS = frozenset(
    {
        # Besides interpreters: programs that run what their arguments name, whatever it is called.
        "fish", "awk", "gawk", "mawk", "nawk", "sed", "jq", "make", "gmake", "just", "npm", "pnpm", "yarn", "run-parts",
        "find", "xargs", "parallel", "for", "lua", "luajit", "Rscript", "julia", "tclsh", "expect", "osascript", "pwsh",
        "powershell", "csh", "tcsh", "busybox", "elvish", "nu", "eval", "trap", "gdb", "vim", "nvim", "emacs", "ed",
        "sqlite3", "psql", "php", "java", "groovy", "scala", "kotlin", "swift", "elixir", "erl", "guile", "racket",
        "clojure", "bb", "runghc", "ocaml", "dotnet", "cscript", "wscript", "script", "watch", "entr", "setpriv", "uv",
        "poetry", "pipenv", "pdm", "hatch", "pixi", "env", "rake", "task", "invoke", "inv", "ld.so", "npx", "bunx",
        "nix", "nix-shell", "mise", "tox", "nox", "fab", "doit", "bundle",
    }
)  # fmt: skip
TAKES_FOLDERS = frozenset({"run-parts", "find", "for", "fish", "lua", "php", "java", "deno", "bun"})
"""A bare word after these may be a folder; after others (``npm test``) it is the name of something else."""
FOLDER_OPTIONS = frozenset(
    {
        "-C",
        "--prefix",
        "--dir",
        "--directory",
        "--cwd",
        "--project",
        "-I",
        "-d",
        "--chdir",
        "--include-dir",
    }
)
DATA_PROGRAMS = frozenset(
    {
        # Programs that run nothing of what they are given. What they print may be run: only then it counts.
        ":", "[", "[[", "basename", "cat", "date", "dirname", "echo", "exit", "false", "grep", "head", "jq",
        "ls", "mkdir", "printf", "pwd", "read", "readlink", "realpath", "return", "rg", "rm", "stat", "tail", "tee",
        "test", "touch", "true", "tr", "unset", "wc",
    }
)  # fmt: skip
PROJECT_TOOLS = frozenset(
    {
        # They check, build or test the project itself, which changes all the time. Their files cannot be trusted.
        "bandit", "biome", "black", "cargo", "clang-format", "dprint", "eslint", "flake8", "git", "go", "gofmt",
        "golangci-lint", "isort", "jest", "mypy", "oxlint", "prettier", "pylint", "pyright", "pytest", "rubocop",
        "ruff", "rustfmt", "shellcheck", "shfmt", "stylelint", "tsc", "ty", "unittest", "vitest",
    }
)  # fmt: skip
FOLDER_CHANGES = frozenset({"cd", "pushd"})
DOWNLOADS = frozenset({"curl", "wget", "fetch", "http", "xh"})
LOADERS = re.compile(
    r"(?:BASH_)?ENV|NODE_OPTIONS|NODE_PATH|PYTHON(?:PATH|STARTUP|HOME|INSPECT|WARNINGS|BREAKPOINT|USERBASE|EXECUTABLE)"
    r"|PERL5(?:OPT|LIB|DB)|PERLLIB|RUBY(?:OPT|LIB)|R_(?:PROFILE|ENVIRON|LIBS)\w*|JULIA_\w+|DOTNET_STARTUP_HOOKS"
    r"|ERL_\w*FLAGS|ELIXIR_ERL_OPTIONS|TCLLIBPATH|GUILE_LOAD_PATH|EMACSLOADPATH|VIMINIT|RUSTC_\w*WRAPPER"
    r"|LD_(?:PRELOAD|LIBRARY_PATH|AUDIT)|DYLD_\w+|PATH|ZDOTDIR|FPATH|CDPATH|LUA_(?:PATH|CPATH|INIT)\w*|AWKPATH|PHPRC|PHP_INI_SCAN_DIR"
    r"|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|CLASSPATH|MAKEFILES|MAKEFLAGS|SHELL|EDITOR|PAGER|GIT_\w+|npm_config_\w+|PROMPT_COMMAND|HOME"
    r"|XDG_\w+|DENO_DIR|BUN_OPTIONS|PYTEST_\w+|GEM_\w+|BUNDLE_\w+"
)
"""Variables that make programs load files."""
