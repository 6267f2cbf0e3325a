"""Clients on this machine: on PATH, or installed from npm and PyPI into a cache, one folder for each release.

The cache is ``$ANYHOOK_CLIENTS``, else ``anyhook/clients`` in the user's cache folder. An installation is complete when
its ``installed.json`` exists; one process at a time installs a release.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from anyhook.dialects import find_client, unknown_client_text
from anyhook.model.problems import AnyhookError
from anyhook.model.wording import join_or
from anyhook.prove.clients import DRIVEN, driver
from anyhook.prove.driver import Package
from anyhook.prove.namespace import NamespaceUnavailableError, namespace_command

VARIABLE = "ANYHOOK_CLIENTS"
NEWEST = "newest"
_RECORD = "installed.json"
_SECONDS_TO_TELL_VERSION = 120
_SECONDS_BETWEEN_REPORTS = 1.0
_VERSION = re.compile(r"\d+(?:\.\d+)+(?:[-+.][0-9A-Za-z.-]*[0-9A-Za-z])?")
_NPM_OPTIONS = (
    "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--engine-strict=false", "--loglevel=error",
)  # fmt: skip


class InstallError(AnyhookError):
    """A client that cannot be installed or does not run."""


class Release(Struct, frozen=True):
    """One release of a client; as text, ``claude-code@2.1.197``."""

    client: str
    version: str

    def __str__(self) -> str:
        return f"{self.client}@{self.version}"


class Installed(Struct, frozen=True):
    """A client that can be started."""

    client: str
    version: str
    program: Path
    folder: Path | None = None
    """Where it was installed in the cache; None: a client on PATH."""

    def __str__(self) -> str:
        return f"{self.client}@{self.version}"


class InstallProgress(Struct, frozen=True):
    """How far an installation is."""

    release: Release
    stage: str
    """What is done now: "waiting", "downloading" or "checking"."""
    megabytes: float = 0.0
    """What the installation has so far."""


OnProgress = Callable[[InstallProgress], None]


def cache_folder(environment: Mapping[str, str] | None = None) -> Path:
    """The folder for installed clients."""
    variables = os.environ if environment is None else environment
    if moved := variables.get(VARIABLE):
        return Path(moved).absolute()
    from platformdirs import user_cache_path

    return user_cache_path("anyhook", appauthor=False) / "clients"


def read_release(text: str) -> Release:
    """A release from ``CLIENT``, ``CLIENT@VERSION`` or ``CLIENT@newest``. Without a version: the recorded release.

    Raises AnyhookError for a client that is unknown or cannot be driven.
    """
    name, _, version = text.partition("@")
    client = find_client(name)
    if client is None:
        raise AnyhookError(unknown_client_text(name))
    if client not in DRIVEN:
        raise AnyhookError(f"{client} cannot be driven; anyhook can drive {join_or(DRIVEN)}")
    package = driver(client).package
    if version == NEWEST:
        version = newest_version(package)
    elif version and not _VERSION.fullmatch(version):
        raise AnyhookError(f"{text}: a version is like {package.version}, or {NEWEST}")
    return Release(client, version or package.version)


def newest_version(package: Package) -> str:
    """The newest release in the registry."""
    if package.registry == "npm":
        answer = _run(["npm", "view", package.name, "dist-tags.latest", "--no-update-notifier", "--loglevel=error"])
        if _VERSION.fullmatch(answer.strip()) is None:  # npm would take an address for a package, too
            raise InstallError(f"npm does not name a version of {package.name}: {answer.strip()[-300:]}")
        return answer.strip()
    answer = _run([sys.executable, "-I", "-m", "pip", "index", "versions", package.name])
    found = _VERSION.search(answer.partition("(")[2])
    if found is None:
        raise InstallError(f"pip does not name a version of {package.name}: {answer.strip()[-300:]}")
    return found[0]


def find_installed(release: Release) -> Installed | None:
    """A release from the cache; None: it is not installed."""
    folder = cache_folder() / str(release)
    try:
        program = msgspec.json.decode((folder / _RECORD).read_bytes(), type=dict[str, str])["program"]
    except (OSError, KeyError, msgspec.DecodeError):
        return None
    return Installed(release.client, release.version, folder / program, folder)


def find_on_path(client: str) -> Installed | None:
    """The client that the user has; None: it is not on PATH, or does not tell its version."""
    found = shutil.which(driver(client).package.command)
    if found is None:
        return None
    version = _VERSION.search(_ask_version(Path(found), {}))
    return Installed(client, version[0], Path(found)) if version else None


def install(release: Release, on_progress: OnProgress | None = None) -> Installed:
    """Install a release unless the cache has it. Raises InstallError."""
    from filelock import FileLock

    if found := find_installed(release):
        return found
    report = on_progress or (lambda _: None)
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    report(InstallProgress(release, "waiting"))
    with FileLock(cache / f".{release}.lock"):
        return find_installed(release) or _install_anew(release, cache / str(release), report)


def _install_anew(release: Release, folder: Path, report: OnProgress) -> Installed:
    """Install into a folder beside the final one, so that no half of an installation is ever used."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        package = driver(release.client).package
        fetch = _npm_install if package.registry == "npm" else _pip_install
        fetch(package, release, folder, report)
        report(InstallProgress(release, "checking", _megabytes(folder)))
        program = _working_program(release, package, folder)
        record = {"program": str(program.relative_to(folder)), "version": release.version}
        (folder / _RECORD).write_bytes(msgspec.json.encode(record))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Installed(release.client, release.version, program, folder)


def _npm_install(package: Package, release: Release, folder: Path, report: OnProgress) -> None:
    with tempfile.TemporaryDirectory(prefix=".npm-", dir=folder.parent) as cache:
        words = ["npm", "install", *_NPM_OPTIONS, "--prefix", str(folder), "--cache", cache]
        _run(
            [*words, f"{package.name}@{release.version}"],
            lambda: report(InstallProgress(release, "downloading", _megabytes(folder, Path(cache)))),
        )


def _pip_install(package: Package, release: Release, folder: Path, report: OnProgress) -> None:
    def tell() -> None:
        report(InstallProgress(release, "downloading", _megabytes(folder)))

    tell()
    _run([sys.executable, "-I", "-m", "venv", str(folder)])
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    words = [str(python), "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
    _run([*words, f"{package.name}=={release.version}"], tell)


def _run(words: Sequence[str], tell: Callable[[], None] = lambda: None) -> str:
    """What a command prints; ``tell`` is called while it runs. Raises InstallError when it fails.

    It runs in an empty folder: a package manager may take settings, such as a registry, from the folder of a project.
    """
    null, same = subprocess.DEVNULL, subprocess.STDOUT
    try:
        with (
            tempfile.TemporaryDirectory(prefix="anyhook-prove-") as empty,
            tempfile.TemporaryFile() as printed,
            subprocess.Popen(words, cwd=empty, stdin=null, stdout=printed, stderr=same) as process,
        ):
            tell()
            while process.poll() is None:
                try:
                    process.wait(_SECONDS_BETWEEN_REPORTS)
                except subprocess.TimeoutExpired:
                    tell()
                except BaseException:
                    process.kill()
                    raise
            printed.seek(0)
            text = printed.read().decode("utf-8", "replace")
    except FileNotFoundError:
        raise InstallError(f"{words[0]} is not on PATH; install it, or install the client yourself") from None
    if process.returncode:
        raise InstallError(f"{' '.join(words)} failed:\n{text.strip()[-2000:]}")
    return text


def _megabytes(*folders: Path) -> float:
    total = 0
    for folder in folders:
        for parent, _, names in os.walk(folder):
            for name in names:
                try:
                    total += os.lstat(os.path.join(parent, name)).st_size  # noqa: PTH118 - many thousand files
                except OSError:  # npm renames while it works
                    continue
    return round(total / 1e6, 1)


def _working_program(release: Release, package: Package, folder: Path) -> Path:
    """The installed program that says it is the release asked for: npm may install another one without a word."""
    answers = []
    environment = driver(release.client).version_environment(folder)
    for program in sorted(folder.glob(package.programs)):
        answer = _ask_version(program, environment)
        if release.version in _VERSION.findall(answer):
            return program
        answers.append(f"{program.relative_to(folder)}: {answer.strip()[-300:] or 'no answer'}")
    raise InstallError(f"{release}: no installed program has this version ({'; '.join(answers) or 'none was found'})")


def _ask_version(program: Path, environment: Mapping[str, str]) -> str:
    """What a program prints for ``--version``, without a network where that is possible."""
    try:
        offline = namespace_command()
    except NamespaceUnavailableError:
        offline = ()
    with tempfile.TemporaryDirectory(prefix="anyhook-prove-") as home:
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "COMSPEC", "PATHEXT") if name in os.environ}
        homes = {"HOME": home, "USERPROFILE": home, "TMPDIR": home, "DISABLE_AUTOUPDATER": "1"}
        try:
            done = subprocess.run(
                [*offline, str(program), "--version"],
                env={**kept, **homes, **environment},
                cwd=home,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=_SECONDS_TO_TELL_VERSION,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        return done.stdout.decode("utf-8", "replace")
