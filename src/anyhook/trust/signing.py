"""Signs the hooks of a package with an SSH key, and tells who has signed them: both are done by ``ssh-keygen -Y``.

What is signed is a list of digests. Whose signature counts is decided by the user's and the organisation's allowed
signers alone (:mod:`anyhook.trust.signers`); nothing that came with the project has a say: neither its files, nor the
variables that its settings can give a client. Programs are started by their absolute paths, from folders outside of the
project, and get no variable that they do not need.
"""

from __future__ import annotations

import binascii
import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from math import inf
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct, structs

from anyhook.model.problems import AnyhookError
from anyhook.sources import disk
from anyhook.sources.discover import Roots
from anyhook.sources.state import find_outside, is_state_inside, read_private, state_folder, write_private
from anyhook.trust.records import TrustStore
from anyhook.trust.signers import NAMESPACE, AllowedSigner, allowed_signers, fingerprint_of

SIGNATURE_FILE = "hooks/anyhook.sig"
"""In the package's folder."""
MAX_SIGNED_BYTES = 1024 * 1024

_BEGIN, _END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
_MAGIC = b"SSHSIG\0\0\0\1"
_SYSTEM_FOLDERS = ("/usr/bin", "/bin")
_VERIFY_SECONDS = 10.0
_SIGN_SECONDS = 120.0
"""A person may have to type a passphrase, or to touch a security key."""
_OBSTACLES = {
    "usage:": "this ssh-keygen is too old; install OpenSSH 8.2 or later",
    "No user exists": "ssh-keygen finds no name for the user of this process; add it to /etc/passwd",
}
"""What ssh-keygen says that has nothing to do with the signature, and what it means."""

Digest = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
Line = Annotated[str, Meta(pattern=r"\A[^\x00-\x1f\x7f]*\Z", max_length=2000)]


class SignedHooks(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """What a signature file holds: the hooks of a package, their repository, and the signature."""

    version: Literal[1]
    origin: Line
    """The normalised URL of the repository's origin."""
    root: Line
    """Its first commit."""
    serial: Annotated[int, Meta(ge=0, le=2**53)]
    hooks: tuple[Digest, ...]
    signature: tuple[Line, ...] = ()
    """As ssh-keygen writes it."""

    @property
    def statement(self) -> bytes:
        """What is signed, in the one form that it has, whatever the file looks like."""
        hooks = tuple(sorted({*self.hooks}))
        return msgspec.json.encode(structs.replace(self, hooks=hooks, signature=()), order="deterministic") + b"\n"

    @property
    def key(self) -> str:
        """The public key that is said to have signed, as ``ssh-ed25519 AAAA...``; empty: the signature is damaged."""
        if (*self.signature[:1], *self.signature[-1:]) != (_BEGIN, _END):
            return ""
        try:
            content = binascii.a2b_base64("".join(self.signature[1:-1]), strict_mode=True)
        except ValueError:
            return ""
        key = _text_at(content, len(_MAGIC))
        kind = _text_at(key, 0).decode("ascii", "replace")
        is_whole = content.startswith(_MAGIC) and kind.isprintable() and kind and " " not in kind
        return f"{kind} {binascii.b2a_base64(key, newline=False).decode()}" if is_whole else ""


class Signatures(Struct, frozen=True, kw_only=True):
    """What a package's signature is worth."""

    signers: Mapping[str, str] = {}
    """The name of the signer by the digest of each hook that is signed."""
    serial: int = 0
    root: str = ""
    """The first commit of the repository, as the signer saw it."""
    are_required: bool = False
    """The organisation lets no hook run that is not signed."""
    note: str = ""
    """Why the signature counts for nothing; empty: it counts, or there is none."""
    until: float | None = None
    """The time from which on the answer may be another one."""


class _CannotVerifyError(AnyhookError):
    """The signature may hold: ssh-keygen cannot be asked."""


# ------------------------------------------------------------------------------------------------------------ to read


def read_signatures(roots: Roots, store: TrustStore, seen: int) -> Signatures:
    """What the signature beside a project's hooks is worth; ``seen`` is the highest serial until now. Never raises."""
    allowed, now = allowed_signers(roots), time.time()
    found = Signatures(are_required=allowed.are_required, note="; ".join(allowed.notes))
    content = disk.read_small_file(roots.project / SIGNATURE_FILE, MAX_SIGNED_BYTES)
    if content is None:
        return found
    try:
        signed = read_signed(content)
        signers = allowed.of_key(signed.key)
        ends = (signer.end for signer in signers if now < signer.end < inf)
        found = structs.replace(found, until=min(ends, default=None))
        if signed.serial < seen:
            raise AnyhookError(
                f"the signature has the serial {signed.serial}, and one with {seen} was seen here already"
            )
        signer = _signer_of(signed, signers, now)
        if not _is_remembered(signed, store):
            _verify(signed, signer, store)
        if not store.is_repository(signed.origin, signed.root):
            raise AnyhookError("the signature is for another repository")
    except AnyhookError as error:
        until = now if isinstance(error, _CannotVerifyError) else found.until  # ssh-keygen may be installed at any time
        return structs.replace(found, until=until, note="; ".join(filter(None, (found.note, str(error)))))
    names = dict.fromkeys(signed.hooks, signer.name)
    return structs.replace(found, signers=names, serial=signed.serial, root=signed.root)


def read_signed(content: bytes, path: str = SIGNATURE_FILE) -> SignedHooks:
    """The content of a signature file. Raises AnyhookError if it is not one."""
    remedy = "sign again with: anyhook trust --sign"
    try:
        signed = msgspec.json.decode(content, type=SignedHooks)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):  # their texts quote the file
        raise AnyhookError(f"{path}: damaged, or not for this release of anyhook; {remedy}") from None
    if not signed.key:
        raise AnyhookError(f"{path}: the SSH signature is damaged; {remedy}")
    return signed


def _text_at(content: bytes, start: int) -> bytes:
    """A text that follows its length; empty: it is not all there."""
    begin = start + 4
    end = begin + int.from_bytes(content[start:begin], "big")
    return content[begin:end] if end <= len(content) else b""


def _signer_of(signed: SignedHooks, signers: tuple[AllowedSigner, ...], now: float) -> AllowedSigner:
    """The signer whose key it is. A key that nobody allows starts no program: every project could have one."""
    if not signers:
        fingerprint = fingerprint_of(signed.key)
        raise AnyhookError(
            f"{SIGNATURE_FILE} is signed with a key that is not among your allowed signers: {fingerprint}"
        )
    if signer := next((each for each in signers if now < each.end), None):
        return signer
    raise AnyhookError(f"the signature of {signers[0].name} in {SIGNATURE_FILE} does not hold: the key has expired")


def _memory(signed: SignedHooks) -> Path:
    """The file whose presence says that a signature holds."""
    what = signed.statement + "\n".join(signed.signature).encode()
    return state_folder() / "trust" / "signatures" / sha256(what).hexdigest()


def _is_remembered(signed: SignedHooks, store: TrustStore) -> bool:
    return not is_state_inside(store.project, store.started_in) and read_private(_memory(signed)) is not None


def _verify(signed: SignedHooks, signer: AllowedSigner, store: TrustStore) -> None:
    """Ask ssh-keygen whether this key has signed the hooks, and remember that it has. Raises AnyhookError."""
    from tempfile import TemporaryDirectory  # takes long to load, and most signatures are remembered

    try:
        program = _find_program("ssh-keygen", store.project, store.started_in, _SYSTEM_FOLDERS)
        with TemporaryDirectory(prefix="anyhook-") as made:
            signature, allowed = Path(made, "signature"), Path(made, "allowed_signers")
            signature.write_text("".join(f"{line}\n" for line in signed.signature), encoding="utf-8")
            allowed.write_text(f'signer namespaces="{NAMESPACE}" {signer.key}\n', encoding="utf-8")
            words = [program, "-Y", "verify", "-n", NAMESPACE, "-I", "signer", "-f", str(allowed), "-s", str(signature)]
            status, _, said = _run(words, signed.statement, {}, _VERIFY_SECONDS)
        obstacle = next((text for words, text in _OBSTACLES.items() if words in said), "")
        if obstacle:
            raise AnyhookError(obstacle)
    except (AnyhookError, OSError) as error:
        raise _CannotVerifyError(f"the signature cannot be verified: {error}") from error
    if status != 0:
        why = "it is over other content, or was not made for anyhook"
        raise AnyhookError(f"the signature of {signer.name} in {SIGNATURE_FILE} does not hold: {why}")
    if not is_state_inside(store.project, store.started_in):
        with suppress(AnyhookError):  # it is verified again next time
            write_private(_memory(signed), b"")


# ------------------------------------------------------------------------------------------------------------ to sign


def sign(hooks: SignedHooks, key: Path | None, project: Path) -> SignedHooks:
    """The hooks with the signature of a private key, or of the private half of a public key that the SSH agent holds.

    Without a key it is the user's first one. Raises AnyhookError.
    """
    from tempfile import TemporaryDirectory  # only to sign

    program = _find_program("ssh-keygen", project)
    agent = {"SSH_AUTH_SOCK": os.environ["SSH_AUTH_SOCK"]} if "SSH_AUTH_SOCK" in os.environ else {}
    chosen = _usual_key(project, agent) if key is None else key
    if isinstance(chosen, Path) and not chosen.is_file():
        raise AnyhookError(f"{chosen}: there is no such key; name the file of another one with --key")
    may_ask = sys.stdin is not None and sys.stdin.isatty()
    with TemporaryDirectory(prefix="anyhook-") as folder:
        file = chosen if isinstance(chosen, Path) else Path(folder, "agent.pub")
        if isinstance(chosen, str):
            file.write_text(f"{chosen}\n", encoding="utf-8")
        words = [program, "-q", "-Y", "sign", "-n", NAMESPACE, "-f", str(file.absolute())]
        status, printed, said = _run(words, hooks.statement, agent, _SIGN_SECONDS, may_ask=may_ask)
    signed = structs.replace(hooks, signature=tuple(printed.decode("ascii", "replace").splitlines()))
    if status != 0 or not signed.key:
        remedy = "add it to the agent with ssh-add, or name another key with --key"
        hint = "" if may_ask else "; there is no terminal to ask for a passphrase"
        why = "; ".join(said.strip().splitlines()[-2:])
        raise AnyhookError(f"{chosen}: cannot sign with this key{why and f': {why}'}{hint}; {remedy}")
    return signed


def _usual_key(project: Path, agent: Mapping[str, str]) -> Path | str:
    """The private key in ``~/.ssh``, ``id_ed25519`` before others, or the text of a public key that the agent holds."""
    folder = Path("~/.ssh").expanduser()
    found = [path.with_suffix("") for path in folder.glob("id_*.pub") if path.with_suffix("").is_file()]
    if found:
        return min(found, key=lambda path: (path.name != "id_ed25519", path.name))
    status, printed, _ = _run([_find_program("ssh-add", project), "-L"], b"", agent, _VERIFY_SECONDS)
    if status != 0:
        raise AnyhookError("there is no SSH key to sign with; name one with --key, or make one with ssh-keygen")
    return printed.decode("utf-8", "replace").partition("\n")[0].strip()


# ------------------------------------------------------------------------------------------------------------ programs


def _find_program(name: str, project: Path, started_in: Path | None = None, first: tuple[str, ...] = ()) -> str:
    folders = (*first, *os.environ.get("PATH", os.defpath).split(os.pathsep))
    if program := find_outside(name, folders, project, started_in):
        return program
    raise AnyhookError(
        f"{name} is not installed, or in no folder of PATH that is outside of the project;"
        " install OpenSSH (openssh-client)"
    )


def _run(
    words: list[str], given: bytes, variables: Mapping[str, str], seconds: float, *, may_ask: bool = False
) -> tuple[int, bytes, str]:
    """The status of a program, and what it prints on its output and as errors.

    Without ``may_ask`` it has no terminal to wait at. Raises AnyhookError if it cannot be started or takes too long.
    """
    import subprocess  # takes long to load, and most signatures are remembered

    system = {"SYSTEMROOT": os.environ["SYSTEMROOT"]} if "SYSTEMROOT" in os.environ else {}
    try:
        done = subprocess.run(
            words,
            input=given,
            stdout=subprocess.PIPE,
            stderr=None if may_ask else subprocess.PIPE,
            env={"LC_ALL": "C", "SSH_ASKPASS_REQUIRE": "never", **system, **variables},
            start_new_session=not may_ask,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise AnyhookError(f"{Path(words[0]).name} has not ended within {seconds:.0f} seconds") from None
    except OSError as error:
        raise AnyhookError(f"{words[0]}: cannot be started: {error.strerror or error}") from error
    return done.returncode, done.stdout, (done.stderr or b"").decode("utf-8", "replace")
