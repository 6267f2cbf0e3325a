"""Asks the daemon to answer an event, and runs anyhook itself when there is none: see docs/daemon.md.

    python -I -S client.py PROGRAM ... exec --client CLIENT ...

Does what anyhook-client.c does, for installations without a compiled client. It must start quickly: until it knows that
there is no daemon, it imports only modules that are compiled into every Python.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # signal without enum
import _socket
import posix
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

ACCEPT_TIMEOUT_SECONDS = 2.0
"""For a daemon that listens: as long as the program may take on a busy machine. Without one, nothing is waited for."""
MAX_STDIN_BYTES = 64 * 1024 * 1024
SMALL = 16 * 1024
ANSWER_HEAD = 10


class DeclinedError(Exception):
    """No daemon answers."""


def main(words: list[bytes]) -> int:
    """Ask the daemon, or become the program that ``words`` start."""
    hear_of_children()
    fill_closed_streams()
    taken: list[bytes] = []
    try:
        status, out, err = ask(words[words.index(b"exec") :], taken)
    except (OSError, DeclinedError):
        run_instead(words, taken)
    write_all(1, out)
    write_all(2, err)
    return status


def hear_of_children() -> None:
    """Undo what a parent may have left: who ignores SIGCHLD learns no exit status. The program inherits it."""
    _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, (_signal.SIGCHLD,))


def fill_closed_streams() -> None:
    """Open closed standard streams, whose number the socket would get otherwise."""
    for handle in (0, 1, 2):
        try:
            posix.fstat(handle)
        except OSError:
            posix.open("/dev/null", posix.O_RDWR)


def ask(arguments: list[bytes], taken: list[bytes]) -> tuple[int, bytes, bytes]:
    """The exit status, stdout and stderr of the answer; ``taken`` holds stdin once it was read to its end."""
    deadline = time.monotonic() + ACCEPT_TIMEOUT_SECONDS
    daemon = connect(deadline)
    send_all(daemon, head(arguments), deadline)
    daemon.settimeout(max(0.001, deadline - time.monotonic()))
    if daemon.recv(1) != b"Y":
        raise DeclinedError
    daemon.settimeout(None)
    stdin = read_stdin()
    taken.append(stdin)
    if len(stdin) > MAX_STDIN_BYTES:
        raise DeclinedError
    daemon.sendall(number(len(stdin)) + stdin)
    received = receive(daemon, b"", ANSWER_HEAD)
    if received[:1] != b"A":
        raise DeclinedError
    out, err = int.from_bytes(received[2:6], "big"), int.from_bytes(received[6:10], "big")
    whole = receive(daemon, received, ANSWER_HEAD + out + err)
    middle = ANSWER_HEAD + out
    return whole[1], whole[ANSWER_HEAD:middle], whole[middle:]


def connect(deadline: float) -> _socket.socket:
    """A connection to a daemon of this user."""
    path = socket_path()
    facts = posix.lstat(path)
    if facts.st_mode & 0o170000 != 0o140000 or facts.st_uid != posix.geteuid():
        raise DeclinedError
    daemon = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    daemon.setblocking(False)
    while True:
        try:
            daemon.connect(path)
            break
        except BlockingIOError:  # its queue is full
            if time.monotonic() >= deadline:
                raise
            time.sleep(0.001)
    if hasattr(_socket, "SO_PEERCRED"):
        peer = daemon.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
        if int.from_bytes(peer[4:8], sys.byteorder) != posix.geteuid():
            raise DeclinedError
    return daemon


def socket_path() -> bytes:
    """The same rule as in sources/state.py."""
    if moved := absolute(b"ANYHOOK_STATE_DIR"):
        return moved + b"/run/daemon.sock"
    if runtime := absolute(b"XDG_RUNTIME_DIR"):
        return runtime + b"/anyhook/daemon.sock"
    state = absolute(b"XDG_STATE_HOME") or home() + b"/.local/state"
    return state + b"/anyhook/run/daemon.sock"


def absolute(name: bytes) -> bytes:
    """The value of a variable that holds an absolute path; empty: others are ignored."""
    value = posix.environ.get(name, b"")
    return value if value.startswith(b"/") else b""


def home() -> bytes:
    if folder := absolute(b"HOME"):
        return folder
    import pwd

    try:
        user = pwd.getpwuid(posix.getuid())
    except KeyError:
        raise DeclinedError from None
    return user.pw_dir.encode(sys.getfilesystemencoding(), "surrogateescape")


def head(arguments: list[bytes]) -> bytes:
    """The first half of a request."""
    mask = posix.umask(0)
    posix.umask(mask)
    variables = b"\0".join([name + b"=" + value for name, value in posix.environ.items()])
    parts = [text(version()), number(mask), text(posix.getcwdb()), texts(arguments), text(variables)]
    body = b"".join(parts)
    return b"AHK1" + number(len(body)) + body


def version() -> bytes:
    """The version of the anyhook that this file belongs to, without importing it."""
    folder = __file__.rpartition("/")[0] or "."
    handle = posix.open(folder + "/../../__init__.py", posix.O_RDONLY)
    try:
        source = posix.read(handle, 65536)
    finally:
        posix.close(handle)
    return source.partition(b'__version__ = "')[2].partition(b'"')[0]


def number(value: int) -> bytes:
    return value.to_bytes(4, "big")


def text(value: bytes) -> bytes:
    return number(len(value)) + value


def texts(values: list[bytes]) -> bytes:
    return number(len(values)) + b"".join(map(text, values))


def send_all(daemon: _socket.socket, data: bytes, deadline: float) -> None:
    daemon.settimeout(max(0.001, deadline - time.monotonic()))
    daemon.sendall(data)


def receive(daemon: _socket.socket, received: bytes, wanted: int) -> bytes:
    """At least ``wanted`` bytes, with those received before."""
    pieces, size = [received], len(received)
    while size < wanted:
        piece = daemon.recv(min(1 << 20, max(65536, wanted - size)))
        if not piece:
            raise DeclinedError
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


def read_stdin() -> bytes:
    pieces = []
    while True:
        try:
            piece = posix.read(0, 1 << 20)
        except BlockingIOError:
            wait_for(0, is_output=False)
            continue
        except OSError:  # it is closed
            break
        if not piece:
            break
        pieces.append(piece)
    return b"".join(pieces)


def write_all(handle: int, data: bytes) -> None:
    while data:
        try:
            data = data[posix.write(handle, data) :]
        except BlockingIOError:
            wait_for(handle, is_output=True)
        except OSError:  # the reader is gone
            break


def wait_for(handle: int, *, is_output: bool) -> None:
    """Wait until a stream that does not block can be read or written."""
    import select  # few streams are like that

    select.select([] if is_output else [handle], [handle] if is_output else [], [])


def run_instead(words: list[bytes], taken: list[bytes]) -> None:
    """Become the program, with the same stdin."""
    import os

    if taken:
        give_back(taken[0])
    try:
        os.execvp(words[0], words)
    except OSError as error:
        write_all(2, b"anyhook-client: " + words[0] + b": " + str(error.strerror).encode() + b"\n")
        os._exit(127 if isinstance(error, FileNotFoundError) else 126)


def give_back(stdin: bytes) -> None:
    """Replace stdin by a pipe that delivers what was read already."""
    try:
        reader, writer = posix.pipe()
    except OSError:
        give_up(b"descriptor")
    if len(stdin) <= SMALL:  # every empty pipe can hold that
        write_all(writer, stdin)
    elif child := fork_or_give_up():
        if posix.waitpid(child, 0)[1]:
            give_up(b"process")
    else:
        try:
            if not posix.fork():  # a grandchild writes, so that the program has no child that it did not start
                posix.close(reader)
                write_all(writer, stdin)
        except OSError:
            posix._exit(1)
        posix._exit(0)
    posix.close(writer)
    posix.dup2(reader, 0)


def fork_or_give_up() -> int:
    try:
        return posix.fork()
    except OSError:
        give_up(b"process")


def give_up(lack: bytes) -> NoReturn:
    """End without an answer, so that the entry answers by its fail mode: the program must not get an empty event."""
    write_all(2, b"anyhook-client: no " + lack + b" is left to pass the event on\n")
    posix._exit(127)


def start() -> None:
    """Run as a program."""
    if "exec" not in sys.argv[2:]:
        write_all(2, b"Usage: anyhook-client PROGRAM ... exec --client CLIENT ...\n")
        posix._exit(2)
    # sys.argv holds decoded text; the daemon and the program get the original bytes.
    posix._exit(main([word.encode(sys.getfilesystemencoding(), "surrogateescape") for word in sys.argv[1:]]))


if __name__ == "__main__":
    start()
