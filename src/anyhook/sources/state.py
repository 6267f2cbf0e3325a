"""Where anyhook keeps its files, and how it writes them: only their user can read them, whatever the umask is.

docs/daemon.md has the rule. The two clients (serve/client) cannot import this module and implement the rule themselves;
tests/daemon_socket/test_runtime_folder.py compares all three.
"""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

from anyhook.sources import disk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

VARIABLE = "ANYHOOK_STATE_DIR"


def state_folder(environment: Mapping[str, str] | None = None) -> Path:
    """The folder for state: ``ANYHOOK_STATE_DIR``, else ``anyhook`` in ``XDG_STATE_HOME`` or ``~/.local/state``.

    Empty and relative values are ignored: the folder must not depend on where a process runs.
    """
    variables = os.environ if environment is None else environment
    if moved := _absolute(variables, VARIABLE):
        return moved
    if os.name == "nt":
        from platformdirs import user_state_path

        return user_state_path("anyhook", appauthor=False)
    return (_absolute(variables, "XDG_STATE_HOME") or _home(variables) / ".local/state") / "anyhook"


def settings_folder(project: Path | None = None) -> Path:
    """The folder of the user's ``anyhook.toml``; that below the home folder in the user database, if the one that the
    environment names is not believed to be the user's (:func:`why_not_the_users`)."""
    named = named_settings_folder()
    home = login_home()
    return home / ".config" / "anyhook" if home and why_not_the_users(named, project) else named


def users_folder(project: Path | None = None) -> Path:
    """The folder of the user's settings, for hooks of a project."""
    folder = settings_folder()
    is_named = project is not None and folder == named_settings_folder()
    return settings_folder(project) if is_named else folder


def named_settings_folder() -> Path:
    """The folder that the environment names, as platformdirs finds it, which takes long to load."""
    if sys.platform in ("darwin", "win32"):
        from platformdirs import user_config_path

        return user_config_path("anyhook", appauthor=False)
    return (_absolute(os.environ, "XDG_CONFIG_HOME") or Path("~/.config").expanduser()) / "anyhook"


def why_not_the_users(settings: Path, project: Path | None = None) -> str:
    """Why a folder of settings does not count; empty: it does.

    Settings choose where keys and events are sent. A client's project settings can set XDG_CONFIG_HOME and HOME, so a
    folder that came with the project is not the user's, and neither is one in which another user can write.
    """
    home = login_home()
    if home and settings == home / ".config" / "anyhook":
        return ""
    starts = [project] if project else [*_started_in(None)]
    if any(came_with_project(settings, start) for start in starts):
        return "it lies inside the project, whose settings can set XDG_CONFIG_HOME and HOME"
    try:
        with disk.open_file(settings / "anyhook.toml") as file:
            facts = os.fstat(file.fileno())
    except OSError:
        return ""
    if os.name == "posix" and (facts.st_uid not in (os.geteuid(), 0) or facts.st_mode & stat.S_IWOTH):
        return "another user can write to it"
    return ""


def socket_folder(environment: Mapping[str, str] | None = None) -> Path:
    """The folder for the daemon's socket: ``anyhook`` in ``XDG_RUNTIME_DIR``, else ``run`` in the folder for state.

    ``ANYHOOK_STATE_DIR`` moves both.
    """
    variables = os.environ if environment is None else environment
    runtime = _absolute(variables, "XDG_RUNTIME_DIR")
    if runtime and not _absolute(variables, VARIABLE):
        return runtime / "anyhook"
    return state_folder(variables) / "run"


def is_state_inside(project: Path, started_in: Path | None = None) -> bool:
    """Whether the folder for state came with the project: a client's project settings can set the environment."""
    return came_with_project(state_folder(), project, started_in)


def came_with_project(path: Path, project: Path, started_in: Path | None = None) -> bool:
    """Whether a path that the environment names lies in the project.

    The project is the whole checkout and, if it is below them, that of the session's folder and of this process's. One
    that contains the home folder is its user's own; HOME does not tell, because a project can set it. What is below
    /proc or /dev depends on the process that looks.
    """
    if Path(os.path.normpath(path)).parts[1:2] in (("proc",), ("dev",)):
        return True
    project, real = disk.resolve(project), disk.resolve(path)
    tops = {checkout_of(project), *(checkout_of(folder) for folder in _started_in(started_in))}
    home = login_home()
    own = home and disk.resolve(home)
    # The root is a daemon's folder, and everything is below it: that says nothing of a user who has no home folder.
    return any(
        real.is_relative_to(top) and project.is_relative_to(top) and not (own and own.is_relative_to(top))
        for top in tops
        if top != Path(top.anchor)
    )


def find_outside(name: str, folders: Iterable[str], project: Path, started_in: Path | None = None) -> str:
    """A program in one of these folders; empty: there is none. Neither one in the project, nor one that other users can
    write to, decides whom a project's hooks come from."""
    is_windows = os.name == "nt"
    for folder in map(Path, folders):
        path = folder / (f"{name}.exe" if is_windows else name)
        mode = disk.accessible_mode(path) if folder.is_absolute() and not disk.is_shared(folder) else 0
        is_program = stat.S_ISREG(mode) and (is_windows or (mode & 0o111 and not mode & stat.S_IWOTH))
        if is_program and not any(came_with_project(each, project, started_in) for each in (folder, path)):
            return str(path)
    return ""


def _started_in(session: Path | None) -> Iterator[Path]:
    if session is not None:
        yield session
    with suppress(OSError):  # the folder is gone
        yield Path.cwd()


def folders_of_others(*starts: Path) -> tuple[Path, ...]:
    """Each folder, and those above it without the user's home folder, which holds their own settings, and above."""
    home = login_home()
    own = () if home is None else (disk.resolve(home), *disk.resolve(home).parents)
    found: dict[Path, None] = {}
    for start in map(disk.resolve, starts):
        found |= dict.fromkeys((start, *(parent for parent in start.parents if parent not in own)))
    return tuple(found)


def checkout_of(folder: Path) -> Path:
    """The outermost git checkout around a folder, below the user's home folder; else the folder itself."""
    folder = disk.resolve(folder)
    home = login_home()
    own = () if home is None else (disk.resolve(home), *disk.resolve(home).parents)
    above = [parent for parent in (folder, *folder.parents) if parent not in own]
    return next((parent for parent in reversed(above) if _is_checkout(parent)), folder)


def _is_checkout(folder: Path) -> bool:
    """A ``.git`` in a folder such as /tmp, where every user can make one, says nothing about what is below."""
    return not disk.is_shared(folder) and disk.exists(folder / ".git")


def login_home() -> Path | None:
    """The home folder in the user database, whatever HOME says; None: the user is not in it."""
    if os.name == "nt":
        return Path.home()
    import pwd

    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        return None


def _absolute(variables: Mapping[str, str], name: str) -> Path | None:
    value = variables.get(name, "")
    return Path(value) if os.path.isabs(value) else None  # noqa: PTH117 - before there is a Path


def _home(variables: Mapping[str, str]) -> Path:
    """``HOME``, else the home folder in the user database."""
    if home := _absolute(variables, "HOME"):
        return home
    if (home := login_home()) is None:
        from anyhook.model.problems import AnyhookError

        raise AnyhookError(f"there is no home folder; set HOME or {VARIABLE}")
    return home


def write_private(path: Path, content: bytes) -> None:
    """Write a file in the folder for state: at any moment the old one or the new one is there, never a part."""
    from anyhook.model.problems import AnyhookError
    from anyhook.sources.editing.replace_file import replace_file

    try:
        make_private(path.parent)
        replace_file(path, content, 0o600)
    except OSError as error:
        raise AnyhookError(
            f"{path}: cannot be written: {error.strerror or error}; make the folder writable, or set {VARIABLE}"
        ) from error


def read_private(path: Path) -> bytes | None:
    """The content of a file that anyhook wrote; None when it does not exist, or another user could have written it."""
    try:
        with disk.open_file(path) as file:
            return file.read() if _is_own(os.fstat(file.fileno())) else None
    except OSError:
        return None


def _is_own(facts: os.stat_result) -> bool:
    if os.name != "posix":
        return True
    return facts.st_uid in (os.geteuid(), 0) and not facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def make_private(folder: Path) -> None:
    """Create a folder and its parents for the user alone.

    Existing folders stay as they are: the variable that names them may come from a project's settings. Raises
    AnyhookError if other users can enter this one, or one between it and the folder for state.
    """
    top = state_folder()
    for part in reversed((folder, *folder.parents)):
        try:
            part.mkdir(mode=0o700)
        except OSError as error:
            # macOS and Windows refuse to make the top of a file system in other words.
            if not isinstance(error, FileExistsError) and not part.is_dir():
                raise
            if part == folder or part.is_relative_to(top):
                _refuse_open(part)
        else:
            part.chmod(0o700)  # whatever the umask is


def _refuse_open(folder: Path) -> None:
    mode = folder.stat().st_mode
    if os.name == "posix" and stat.S_ISDIR(mode) and mode & (stat.S_IRWXG | stat.S_IRWXO):
        from anyhook.model.problems import AnyhookError

        raise AnyhookError(f"{folder}: other users can enter this folder; run chmod 700 on it, or set {VARIABLE}")
