"""What a path of a command line is: temporary, rebuildable, outside of the project, a secret, a hook file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache

from anyhook.guards.hook_files import known_hook_files
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.command import Invocation
from anyhook.shell.paths import join

_GLOB = LazyPattern(r"[*?\[]")
_TEMPORARY = LazyPattern(r"(?:/private)?(?:/tmp|/var/tmp|/dev/shm|/var/folders)/.|/run/user/\d+/.", re.IGNORECASE)
_TEMPORARY_VARIABLE = LazyPattern(
    r"\$\{?\w*(?:te?mp|scratch|build|dist|out|cache|artifact|target|work|stage|staging|install|bench|log|"
    r"coverage|fixture|test|venv|pkg|dest|bundle|sandbox)\w*",
    re.IGNORECASE,
)
_REBUILDABLE = LazyPattern(
    r"""(?:^|/)(?:node_modules|dist|build|builds|target|out|output|outputs|bin|obj|coverage|htmlcov|lcov-report|
\.coverage.*|\.nyc_output|
    \.next|\.nuxt|\.output|\.svelte-kit|\.astro|\.vite|\.turbo|\.parcel-cache|\.cache|cache|caches|
    __pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.hypothesis|
    \.tox|\.nox|\.venv|venv|env|\.eggs|[^/]*\.egg-info|\.gradle|\.terraform|\.serverless|
    \.aws-sam|\.webpack|\.docusaurus|\.angular|\.expo|\.dart_tool|
    \.eslintcache|\.stylelintcache|\.jest|\.vitest|tmp|temp|logs?|\.idea|\.vs|DerivedData|Pods|vendor|
    _build|_site|site|storybook-static|playwright-report|
    test-results|test-output|reports?|\.ipynb_checkpoints|[^/]*\.(?:log|pyc|pyo|o|a|so|class|tmp|bak|swp|
    orig|rej|map|tgz|whl|tsbuildinfo|out|gcda|gcno|profraw)|lib|generated|gen|\.bundle|
    bower_components|jspm_packages|elm-stuff|deps|\.stack-work|dist-newstyle|zig-cache|zig-out|\.zig-cache|
    CMakeFiles|cmake-build-[^/]*|\.pnpm-store|wheels?|sdist|results?|artifacts?|snapshots?|
    __snapshots__|release|Release|Debug|debug)
    (?:/|$)""",
    re.VERBOSE,
)
_HOME_CACHES = LazyPattern(
    r"~/(?:\.cache|\.npm|\.pnpm-store|\.yarn/cache|\.gradle/caches|\.m2/repository|\.cargo/registry|"
    r"\.nuget/packages|\.bun/install/cache|\.local/share/pnpm/store|Library/Caches|"
    r"Library/Developer/Xcode/DerivedData|go/pkg|\.ivy2/cache)(?:/.+|$)"
)
_SOURCE_FOLDERS = frozenset(
    [
        "src",
        "app",
        "apps",
        "packages",
        "source",
        "sources",
        "tests",
        "test",
        "spec",
        "docs",
        "doc",
        "migrations",
        ".github",
        "data",
        "backup",
        "backups",
        "uploads",
        "db",
        "database",
        "internal",
        "cmd",
        "pkg",
        "server",
        "client",
        "frontend",
        "backend",
        "api",
        "web",
        "scripts",
        "components",
        "pages",
        "services",
        "modules",
        "config",
        "configs",
        "assets",
        "include",
        "crates",
        "project",
        "workspace",
        "repo",
        "code",
        "content",
        "plugins",
    ]
)
_SOURCE_FILE = LazyPattern(
    r"\.(?:py|pyi|js|jsx|ts|tsx|mjs|cjs|go|rs|java|kt|kts|scala|c|cc|cpp|h|hpp|cs|rb|php|swift|m|mm|sh|"
    r"bash|zsh|fish|ps1|sql|html|css|scss|vue|svelte|md|rst|toml|ya?ml|json|xml|gradle|tf|proto|ex|exs|"
    r"erl|hs|lua|r|jl|dart|ipynb|db|sqlite3?)$",
    re.IGNORECASE,
)
START_UP_FILE = LazyPattern(
    r"~/\.(?:bashrc|zshrc|profile|bash_profile|zprofile|zshenv|bash_login|bash_logout|"
    r"config/fish/config\.fish|inputrc|xinitrc|xprofile)$"
)
"""What every shell or session of the user runs."""
SECRET_FILE = LazyPattern(
    r"""(?:^|[/@=<])(?:\.env(?!\.(?:example|sample|template|dist|defaults?)\b)(?:\.[\w.-]+|rc)?|id_(?:rsa|dsa|ecdsa|
ed25519)|\.netrc|_netrc|\.npmrc|\.pypirc|\.git-credentials|\.pgpass|\.my\.cnf|
    credentials(?:\.(?:json|ya?ml|db|csv))?|service[-_]?account[\w.-]*\.json|secrets?\.(?:ya?ml|json|toml|
    env|txt)|terraform\.tfstate|[\w.-]+\.(?:pem|p12|pfx|key|keystore|jks|kdbx|ppk)|\.htpasswd|
    \.(?:bash|zsh|sh|python|node_repl|psql|mysql)_history|hosts\.yml|wallet\.dat|Cookies|
    Login\ Data|logins\.json|key4\.db|application_default_credentials\.json|keychain[\w.-]*|\.vault-token|
    auth\.json|\.credentials\.json)(?=$|[\s"';,)&|:])
    |~/\.(?:ssh|aws|gnupg|kube|docker|config/gcloud|config/gh|azure|config/op|password-store|electrum|
    mozilla|config/google-chrome|local/share/keyrings)(?:/|$)|/etc/(?:shadow|gshadow|passwd|sudoers)|
    /proc/(?:self|\d+)/environ|/run/secrets""",
    re.VERBOSE | re.IGNORECASE,
)
PRIVATE_KEY = LazyPattern(
    r"~/\.ssh/(?!config$|known_hosts|authorized_keys$|[\w.-]*\.pub$)|(?:^|/)id_(?:rsa|dsa|ecdsa|ed25519)$|"
    r"~/\.aws/credentials|/etc/g?shadow|~/\.gnupg/|~/\.netrc|~/\.git-credentials|~/\.config/gh/hosts|"
    r"~/\.kube/config|~/\.docker/config\.json"
)
SECRET_VARIABLE = LazyPattern(
    r"\$\{?(?:env:)?\w*(?:SECRET|PASSWORD|PASSWD|PRIVATE_KEY|TOKEN|API_?KEY|ACCESS_KEY|CREDENTIALS?|DATABASE_URL)\w*",
    re.IGNORECASE,
)
_SYSTEM = LazyPattern(
    r"/(?:etc|usr|bin|sbin|lib|lib64|boot|sys|proc|opt|var|System|Library|Windows|Applications)(?:/|$)|"
    r"/Program Files",
    re.IGNORECASE,
)
_HARMLESS_DEVICE = LazyPattern(r"/dev/(?:null|zero|stdout|stderr|stdin|tty|fd/\d+|random|urandom|pts/\d+)$")
RAW_DEVICE = LazyPattern(
    r"/dev/(?!null$|zero$|stdout$|stderr$|stdin$|tty\w*$|fd/|random$|urandom$|pts/|shm|tcp/|udp/|full$)|"
    r"\\\\\.\\PhysicalDrive",
    re.IGNORECASE,
)


_KNOWN = (
    ".env",
    ".git",
    ".git/hooks",
    ".git/config",
    "hooks/hooks.json",
    "anyhook.toml",
    ".husky",
    "~/.ssh",
    "~/.ssh/id_rsa",
)
"""What patterns in commands are compared with, besides the files of clients."""


def place(command: Invocation, path: str) -> str:
    """A path of a command as seen from where the line starts."""
    seen = join(command.folder, path)
    return _named_by(seen) if "?" in seen or "[" in seen or "*" in seen else seen


def _named_by(pattern: str) -> str:
    """The protected path that a pattern matches (``.cl?ude/set*.json``), else the pattern."""
    parts = pattern.split("/")
    known = _known_paths().get((len(parts), "" if _GLOB.search(parts[0]) else parts[0]), ())
    if known and all(re.search(r"\w", part) for part in parts):
        for names in known:
            if all(
                fnmatchcase(name, part) and not (name[0] == "." and part[0] in "*?[")
                for name, part in zip(names, parts, strict=True)
            ):
                return "/".join(names)
    return pattern


@cache
def _known_paths() -> Mapping[tuple[int, str], Sequence[Sequence[str]]]:
    """The protected paths that a pattern can match: by their depth, and by their first name or for any first name."""
    found: dict[tuple[int, str], list[list[str]]] = {}
    for path in (*_KNOWN, *known_hook_files()):
        names = path.split("/")
        for first in (names[0], ""):
            found.setdefault((len(names), first), []).append(names)
    return found


def is_temporary(path: str) -> bool:
    return _TEMPORARY.match(path) is not None


def is_rebuildable(path: str) -> bool:
    """Build output, caches and dependencies, or a home's caches."""
    if path.startswith("~"):
        return _HOME_CACHES.match(path) is not None
    return not path.startswith(("/", "..")) and _REBUILDABLE.search(path) is not None


def is_outside(path: str) -> bool:
    """Neither in the project nor temporary."""
    return path.startswith(("/", "~", "..", "%")) and not is_temporary(path) and _HARMLESS_DEVICE.match(path) is None


def is_system(path: str) -> bool:
    return path == "/" or (_SYSTEM.match(path) is not None and not is_temporary(path))


def is_source(path: str) -> bool:
    return _SOURCE_FILE.search(path) is not None


def is_everything(path: str) -> bool:
    """The project, a home or the root, or all that is in them."""
    bare = re.sub(r"(?:^|/)(?:\.?\*+|\.\[!\.\]\*|\.\?\?\*|\*\.\*)$", "", path) or ("/" if path.startswith("/") else ".")
    return bare in (".", "..", "~", "/", "/home", "/Users")


def is_precious_folder(path: str) -> bool:
    """A folder of the project whose loss cannot be undone while there is uncommitted work."""
    bare = re.sub(r"/\*+$", "", path)
    return is_source_folder(bare) or re.match(r"(?:.*/)?\.git(?:$|/)", bare) is not None


def is_source_folder(name: str) -> bool:
    return name in _SOURCE_FOLDERS


def is_unset_risk(path: str) -> bool:
    """``$DIR/*`` and ``$DIR/``: with an empty variable this is the root. ``${DIR:?}`` is safe."""
    if not path.startswith("$") or ":?" in path:
        return False
    rest = re.sub(r"^\$\{?\w+[^/]*", "", path)
    return rest in ("/*", "/", "/.*", "/**") and _TEMPORARY_VARIABLE.match(path) is None


def is_secret_file(path: str) -> bool:
    return SECRET_FILE.search(path) is not None
