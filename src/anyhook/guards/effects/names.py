"""What the name of a path tells, as it is shown (:class:`Place`): where there is no git, only names decide."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache

from anyhook.guards.effects.model import words
from anyhook.guards.hook_files import known_hook_files
from anyhook.lazy_pattern import LazyPattern

TEMPORARY = LazyPattern(r"(?:/private)?(?:/tmp|/var/tmp|/dev/shm|/var/folders)/.|/run/user/\d+/.", re.IGNORECASE)
SYSTEM = LazyPattern(
    r"/(?:etc|usr|bin|sbin|lib|lib64|boot|sys|proc|opt|var|System|Library|Windows|Applications)(?:/|$)|/Program Files",
    re.IGNORECASE,
)
HARMLESS_DEVICE = LazyPattern(r"/dev/(?:null|zero|stdout|stderr|stdin|tty|fd/\d+|random|urandom|pts/\d+)$")
RAW_DEVICE = LazyPattern(
    r"/dev/(?!null$|zero$|stdout$|stderr$|stdin$|tty\w*$|fd/|random$|urandom$|pts/|shm|tcp/|udp/|full$)|"
    r"\\\\\.\\PhysicalDrive",
    re.IGNORECASE,
)
_TEMPORARY_VARIABLE = LazyPattern(
    r"\$\{?\w*(?:te?mp|scratch|build|dist|out|cache|artifact|target|work|stage|staging|install|bench|log|coverage|"
    r"fixture|test|venv|pkg|dest|bundle|sandbox)\w*",
    re.IGNORECASE,
)
_BUILT = (
    r"(?:^|/)(?:node_modules|dist|build|builds|target|out|output|outputs|bin|obj|coverage|htmlcov|lcov-report|"
    r"\.coverage.*|\.nyc_output|\.next|\.nuxt|\.output|\.svelte-kit|\.astro|\.vite|\.turbo|\.parcel-cache|\.cache|"
    r"cache|caches|__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.hypothesis|\.tox|\.nox|\.venv|venv|env|"
    r"\.eggs|[^/]*\.egg-info|\.gradle|\.terraform|\.serverless|\.aws-sam|\.webpack|\.docusaurus|\.angular|\.expo|"
    r"\.dart_tool|\.eslintcache|\.stylelintcache|\.jest|\.vitest|tmp|temp|\.idea|\.vs|DerivedData|Pods|_build|_site|"
    r"storybook-static|playwright-report|test-results|test-output|\.ipynb_checkpoints|\.bundle|bower_components|"
    r"jspm_packages|elm-stuff|\.stack-work|dist-newstyle|zig-cache|zig-out|\.zig-cache|CMakeFiles|cmake-build-[^/]*|"
    r"\.pnpm-store|wheels?|sdist|"
    r"[^/]*\.(?:log|pyc|pyo|o|a|so|class|tmp|bak|swp|orig|rej|map|tgz|whl|tsbuildinfo|out|gcda|gcno|profraw))(?:/|$)"
)
_MAY_BE_BUILT = (
    r"(?:^|/)(?:logs?|vendor|site|reports?|lib|generated|gen|deps|results?|artifacts?|snapshots?|__snapshots__|"
    r"release|Release|Debug|debug)(?:/|$)"
)
"""Folders that are build output in one project and sources in another: git knows."""
BUILT = LazyPattern(_BUILT)
REBUILDABLE = LazyPattern(f"{_BUILT}|{_MAY_BE_BUILT}")
_HOME_CACHES = LazyPattern(
    r"~/(?:\.cache|\.npm|\.pnpm-store|\.yarn/cache|\.gradle/caches|\.m2/repository|\.cargo/registry|\.nuget/packages|"
    r"\.bun/install/cache|\.local/share/pnpm/store|Library/Caches|Library/Developer/Xcode/DerivedData|go/pkg|"
    r"\.ivy2/cache)(?:/.+|$)"
)
_SOURCE_FOLDERS = words(
    "src app apps packages source sources tests test spec docs doc migrations .github data backup backups uploads db "
    "database internal cmd pkg server client frontend backend api web scripts components pages services modules config "
    "configs assets include crates project workspace repo code content plugins"
)
_SOURCE_FILE = LazyPattern(
    r"\.(?:py|pyi|js|jsx|ts|tsx|mjs|cjs|go|rs|java|kt|kts|scala|c|cc|cpp|h|hpp|cs|rb|php|swift|m|mm|sh|bash|zsh|fish|"
    r"ps1|sql|html|css|scss|vue|svelte|md|rst|toml|ya?ml|json|xml|gradle|tf|proto|ex|exs|erl|hs|lua|r|jl|dart|ipynb|"
    r"db|sqlite3?)$",
    re.IGNORECASE,
)
DATABASE_FILE = LazyPattern(r"\.(?:db|db3|sqlite3?|mdb|duckdb|realm)(?:-(?:wal|shm|journal))?$", re.IGNORECASE)
START_UP_FILE = LazyPattern(
    r"~/\.(?:bashrc|zshrc|profile|bash_profile|zprofile|zshenv|bash_login|bash_logout|config/fish/config\.fish|inputrc|"
    r"xinitrc|xprofile)$"
)
"""What every shell or session of the user runs."""
RUN_BY_MACHINE = LazyPattern(
    r"/(?:etc|var/spool)/cron|/etc/(?:systemd|init\.d|rc\.local|profile|sudoers|ld\.so\.preload|ssh/|pam\.d|hosts|"
    r"resolv\.conf|fstab|modules|environment)|~/\.config/(?:systemd|autostart)|~/Library/LaunchAgents|/Library/Launch"
)
"""What this machine reads by itself."""
SECRET_FILE = LazyPattern(
    r"(?:^|[/@=<])(?:\.env(?!(?:\.[\w-]+)*\.(?:example|sample|template|dist|defaults?)\b)(?:\.[\w.-]+|rc)?|"
    r"id_(?:rsa|dsa|ecdsa|ed25519)|\.netrc|_netrc|\.npmrc|\.pypirc|\.git-credentials|\.pgpass|\.my\.cnf|"
    r"credentials(?:\.(?:json|ya?ml|db|csv))?|service[-_]?account[\w.-]*\.json|secrets?\.(?:ya?ml|json|toml|env|txt)|"
    r"terraform\.tfstate|[\w.-]+\.(?:pem|p12|pfx|key|keystore|jks|kdbx|ppk)|\.htpasswd|"
    r"\.(?:bash|zsh|sh|python|node_repl|psql|mysql)_history|hosts\.yml|wallet\.dat|Cookies|Login\ Data|logins\.json|"
    r"key4\.db|application_default_credentials\.json|keychain[\w.-]*|\.vault-token|auth\.json|\.credentials\.json)"
    r"(?=$|[\s\"';,)&|:])|"
    r"~/\.(?:ssh|aws|gnupg|kube|docker|config/gcloud|config/gh|azure|config/op|password-store|electrum|mozilla|"
    r"config/google-chrome|local/share/keyrings)(?:/|$)|/etc/(?:shadow|gshadow|passwd|sudoers)|"
    r"/proc/(?:self|\d+)/environ|/run/secrets",
    re.IGNORECASE,
)
PUBLIC = LazyPattern(
    r"\.pub$|(?:^|/)(?:known_hosts|authorized_keys)(?:\.old)?$|~/\.ssh/config$|"
    r"\.(?:crt|cer|der|csr)$|(?:^|/)(?:ca|cacert|cert|chain|fullchain|root|public|pub)[\w.-]*\.pem$|"
    r"[._-](?:ca|cert|chain|public|pub|crt)\.pem$",
    re.IGNORECASE,
)
"""The public half of a key, certificates, and names of hosts."""
PRIVATE_KEY = LazyPattern(
    r"~/\.ssh/(?!config$|known_hosts|authorized_keys$|[\w.-]*\.pub$)|(?:^|/)id_(?:rsa|dsa|ecdsa|ed25519)$|"
    r"~/\.aws/credentials|/etc/g?shadow|~/\.gnupg/|~/\.netrc|~/\.git-credentials|~/\.config/gh/hosts|~/\.kube/config|"
    r"~/\.docker/config\.json"
)
SECRET_VARIABLE = LazyPattern(
    r"\$\{?(?:env:)?\w*(?:SECRET|PASSWORD|PASSWD|PRIVATE_KEY|TOKEN|API_?KEY|ACCESS_KEY|CREDENTIALS?|DATABASE_URL)\w*",
    re.IGNORECASE,
)
PROTECTED = LazyPattern(
    r"(?:^|/)(?:\.env(?!\.(?:example|sample|template|dist|test|ci)\b)(?:\.[\w-]+)*|"
    r"id_(?:rsa|dsa|ecdsa|ed25519)(?:\.pub)?|[\w.-]+\.(?:pem|p12|pfx|keystore|jks)|\.git/(?!hooks)[\w./-]+|"
    r"\.git-credentials|\.netrc|\.pgpass|authorized_keys|[\w.-]+\.key|credentials(?:\.json)?|"
    r"secrets?\.(?:ya?ml|json|toml)|(?:package-lock|npm-shrinkwrap)\.json|yarn\.lock|pnpm-lock\.yaml|poetry\.lock|"
    r"Cargo\.lock|uv\.lock|Pipfile\.lock|composer\.lock|Gemfile\.lock|go\.sum|bun\.lockb?|flake\.lock|CODEOWNERS|"
    r"terraform\.tfstate)$"
)
USER_SETTINGS = LazyPattern(
    r"~/\.(?:ssh|aws|gnupg|kube|docker|npmrc|pypirc|gitconfig|config/git|my\.cnf|bash_history|zsh_history|config/gh|"
    r"config/gcloud|config/autostart|config/systemd|local/share/keyrings|pip|cargo/config|m2/settings)|"
    r"~/Library/(?:Keychains|LaunchAgents|Preferences)"
)
IRREPLACEABLE = LazyPattern(
    r"(?:^|/)\.env(?:\.(?:local|production|staging))?$|id_(?:rsa|ed25519)$|terraform\.tfstate(?:\.backup)?$|"
    r"\.(?:pem|p12|keystore|jks|kdbx)$"
)
"""Secrets that nothing makes again."""
TEMPLATE = LazyPattern(
    r"\.(?:example|sample|template|dist)$|^(?:example|sample|template)[./]|/(?:examples?|templates?)/"
)
_EVERYTHING = LazyPattern(r"(?:^|/)(?:\.{0,2}\*+|\.\[!\.\]\*|\.\?\?\*|\*\.\*)$")
_ROOT_VARIABLE = LazyPattern(
    r"\$\{?(?:USERPROFILE|OLDPWD|ROOT|PROJECT_ROOT|REPO_ROOT|CODESPACE_VSCODE_FOLDER)\}?(?:/\*?)?"
)
GIT_PATH = LazyPattern(r"(?:^|/)\.git(?:$|/(?!.*\.lock$|hooks/.*\.sample$))")
_PROTECTED_NAMES = (
    *(".env", ".git", ".git/hooks", ".git/config", "hooks/hooks.json", "anyhook.toml", ".husky"),
    *("~/.ssh", "~/.ssh/id_rsa"),
)
"""What patterns in commands are compared with, besides the files of clients."""


def is_rebuildable(shown: str) -> bool:
    """Build output, caches and dependencies, or a home's caches."""
    if shown.startswith("~"):
        return _HOME_CACHES.match(shown) is not None
    return shown[:1] not in ("/", "%") and REBUILDABLE.search(shown) is not None


def is_everything(shown: str) -> bool:
    """The project, a home or the root, or all that is in them."""
    bare = _EVERYTHING.sub("", shown) or ("/" if shown.startswith("/") else ".")
    return bare in (".", "..", "~", "/", "/home", "/Users")


def is_precious_folder(shown: str) -> bool:
    """A folder of the project whose loss cannot be undone while there is uncommitted work."""
    bare = re.sub(r"/\*+$", "", shown)
    return bare in _SOURCE_FOLDERS or re.match(r"(?:.*/)?\.git(?:$|/)", bare) is not None


def is_source_folder(shown: str) -> bool:
    return shown in _SOURCE_FOLDERS


def is_source_file(shown: str) -> bool:
    return _SOURCE_FILE.search(shown) is not None


def is_unset_risk(shown: str) -> bool:
    """``$DIR/*`` and ``$DIR/``: with an empty variable this is the root. ``${DIR:?}`` is safe."""
    if not shown.startswith("$") or ":?" in shown:
        return False
    rest = re.sub(r"^\$\{?\w+[^/]*", "", shown)
    return rest in ("/*", "/", "/.*", "/**") and _TEMPORARY_VARIABLE.match(shown) is None


def is_root_variable(shown: str) -> bool:
    return _ROOT_VARIABLE.fullmatch(shown) is not None


def is_secret_file(shown: str) -> bool:
    """A file or folder of secrets; not their public half."""
    return SECRET_FILE.search(shown) is not None and PUBLIC.search(shown) is None


def is_protected(shown: str) -> bool:
    return PROTECTED.search(shown) is not None or USER_SETTINGS.match(shown) is not None


def is_system(shown: str) -> bool:
    return shown == "/" or (SYSTEM.match(shown) is not None and TEMPORARY.match(shown) is None)


def protected_name(path: str, project: str, home: str) -> str:
    """The protected path that a pattern matches (``.cl?ude/set*.json``), else the pattern."""
    for root, mark in ((f"{project}/", ""), (f"{home}/", "~/")):
        if path.startswith(root):
            found = _named_by(mark + path[len(root) :])
            return root + found.removeprefix(mark) if found else path
    return path


def _named_by(pattern: str) -> str:
    parts = pattern.split("/")
    known = _known_names().get((len(parts), "" if re.search(r"[*?\[]", parts[0]) else parts[0]), ())
    if not known or not all(re.search(r"\w", part) or part == "~" for part in parts):
        return ""
    return next(("/".join(names) for names in known if _may_be(names, parts)), "")


def _may_be(names: Sequence[str], parts: Sequence[str]) -> bool:
    return all(
        fnmatchcase(name, part) and not (name[0] == "." and part[0] in "*?[")
        for name, part in zip(names, parts, strict=True)
    )


@cache
def _known_names() -> Mapping[tuple[int, str], Sequence[Sequence[str]]]:
    """The protected paths that a pattern can match: by their depth, and by their first name or for any first name."""
    found: dict[tuple[int, str], list[list[str]]] = {}
    for path in (*_PROTECTED_NAMES, *known_hook_files()):
        names = path.split("/")
        for first in (names[0], ""):
            found.setdefault((len(names), first), []).append(names)
    return found
