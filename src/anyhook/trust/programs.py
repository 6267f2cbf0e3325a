"""What is known of programs: which run files, where they find them, and which variables make them load some."""

from __future__ import annotations

import re
from collections.abc import Mapping

RUN_FILES: Mapping[str, tuple[str, ...]] = {
    # Programs that find what they run in a file of the folder that they are started in.
    **dict.fromkeys(("make", "gmake"), ("Makefile", "makefile", "GNUmakefile")),
    "just": ("justfile", "Justfile", ".justfile"),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), ("package.json", ".npmrc", ".yarnrc.yml", "bunfig.toml")),
    "deno": ("deno.json", "deno.jsonc"),
    "rake": ("Rakefile", "rakefile", "Rakefile.rb"),
    "task": ("Taskfile.yml", "Taskfile.yaml"),
    **dict.fromkeys(("invoke", "inv"), ("tasks.py",)),
    "nox": ("noxfile.py",),
    "tox": ("tox.ini",),
    "pre-commit": (".pre-commit-config.yaml",),
    "lefthook": ("lefthook.yml", "lefthook.yaml"),
    "direnv": (".envrc",),
    "mise": ("mise.toml", ".mise.toml"),
    "composer": ("composer.json",),
    **dict.fromkeys(("gradle", "gradlew"), ("build.gradle", "build.gradle.kts", "settings.gradle")),
    "ant": ("build.xml",),
}
RUNNERS = frozenset(
    {
        # Besides interpreters: programs that run what their arguments name, whatever it is called.
        "fish", "awk", "gawk", "mawk", "nawk", "sed", "jq", "make", "gmake", "just", "npm", "pnpm", "yarn", "run-parts",
        "find", "xargs", "parallel", "for", "lua", "luajit", "Rscript", "julia", "tclsh", "expect", "osascript", "pwsh",
        "powershell", "csh", "tcsh", "busybox", "elvish", "nu", "eval", "trap", "gdb", "vim", "nvim", "emacs", "ed",
        "sqlite3", "psql", "php", "java", "groovy", "scala", "kotlin", "swift", "elixir", "erl", "guile", "racket",
        "clojure", "bb", "runghc", "ocaml", "dotnet", "cscript", "wscript", "script", "watch", "entr", "setpriv", "uv",
        "poetry", "pipenv", "env", "rake", "task", "invoke", "ld.so",
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
        ":", "[", "[[", "basename", "cat", "date", "dirname", "echo", "exit", "export", "false", "grep", "head", "jq",
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
