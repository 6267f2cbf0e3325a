"""Signatures of hooks with real SSH keys: whose count, and what a project cannot do about it."""

from __future__ import annotations

import base64
import json
import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from anyhook.model.problems import AnyhookError
from anyhook.sources import disk, state
from anyhook.sources.discover import Roots
from anyhook.trust import signing
from anyhook.trust.records import TrustStore
from anyhook.trust.signers import add_signer, fingerprint_of, remove_signer, signers_file
from anyhook.trust.signing import SIGNATURE_FILE, Signatures, SignedHooks, read_signatures, read_signed, sign
from tests.checkout import SOURCE

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")

HOOKS = SignedHooks(version=1, origin="github.com/acme/shop", root="c0ffee", serial=7, hooks=("a" * 64, "b" * 64))


def make_key(path: Path, passphrase: str = "", name: str = "alice@acme") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    ssh_keygen("-q", "-t", "ed25519", "-N", passphrase, "-C", name, "-f", path)
    return path


def ssh_keygen(*words: str | Path) -> None:
    subprocess.run(["ssh-keygen", *words], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def public(key: Path) -> str:
    """``ssh-ed25519 AAAA...``, without the comment."""
    return " ".join(key.with_name(f"{key.name}.pub").read_text().split()[:2])


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys")
    make_key(folder / "alice")
    make_key(folder / "mallory", name="mallory@evil")
    return folder


@pytest.fixture(scope="module")
def signed(keys: Path) -> SignedHooks:
    return sign(HOOKS, keys / "alice", keys)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder, in the user database too."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setattr(state, "login_home", lambda: folder)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    return folder


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def roots(project: Path, home: Path, tmp_path: Path) -> Roots:
    return Roots(project=project, home=home, system=tmp_path / "system")


class AnyRepository(TrustStore):
    """A repository that every signature is for."""

    def is_repository(self, origin: str, root: str) -> bool:
        return True


def rendered(signed: SignedHooks) -> bytes:
    return msgspec.json.encode(signed)


def read(signed: SignedHooks, roots: Roots) -> Signatures:
    """What a signature is worth beside the hooks of the project."""
    path = roots.project / SIGNATURE_FILE
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(rendered(signed))
    return read_signatures(roots, AnyRepository(roots), seen=0)


def signer(signed: SignedHooks, roots: Roots) -> str:
    """Whose signature it is; empty: nobody's that counts."""
    names = {*read(signed, roots).signers.values()}
    assert len(names) <= 1
    return names.pop() if names else ""


def allow(line: str) -> None:
    """A line that a person has written."""
    path = signers_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_text(f"{line}\n")


def plant(folder: Path, line: str) -> None:
    """A list of signers that a project has."""
    (folder / "anyhook").mkdir(parents=True)
    (folder / "anyhook" / "allowed_signers").write_text(f"{line}\n")
    (folder / "anyhook" / "allowed_signers").chmod(0o600)


# ----------------------------------------------------------------------------------------------------- whose signature


def test_a_signature_of_an_allowed_signer(signed: SignedHooks, keys: Path, roots: Roots) -> None:
    assert signer(signed, roots) == ""
    (added,) = add_signer(str(keys / "alice.pub"))
    assert added.line == f'alice@acme namespaces="anyhook" {public(keys / "alice")}'
    assert stat.S_IMODE(signers_file().stat().st_mode) == 0o600
    found = read(signed, roots)
    assert found == Signatures(signers=dict.fromkeys(HOOKS.hooks, "alice@acme"), serial=7, root="c0ffee")


def test_a_key_that_nobody_allows_is_named_and_starts_nothing(
    signed: SignedHooks, keys: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_signer(str(keys / "mallory.pub"))
    monkeypatch.setattr(signing, "_SYSTEM_FOLDERS", ())
    monkeypatch.setenv("PATH", "")
    printed = subprocess.run(
        [shutil.which("ssh-keygen", path="/usr/bin:/usr/local/bin") or "ssh-keygen", "-l", "-f", keys / "alice.pub"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()[1]
    assert printed == fingerprint_of(signed.key)
    assert read(signed, roots).note.endswith(f"not among your allowed signers: {printed}")


@pytest.mark.parametrize(
    "change",
    [{"serial": 8}, {"hooks": ("a" * 64, "b" * 63 + "c")}, {"origin": "github.com/acme/shoq"}, {"root": ""}],
    ids=str,
)
def test_one_change_of_what_is_signed(change: dict[str, object], signed: SignedHooks, keys: Path, roots: Roots) -> None:
    add_signer(str(keys / "alice.pub"))
    found = read(structs.replace(signed, **change), roots)
    assert found.signers == {}
    assert "the signature of alice@acme in hooks/anyhook.sig does not hold: it is over other content" in found.note


@pytest.mark.parametrize("place", range(20))
def test_one_byte_of_the_signature(place: int, signed: SignedHooks, keys: Path, roots: Roots) -> None:
    add_signer(str(keys / "alice.pub"))
    content = bytearray(base64.b64decode("".join(signed.signature[1:-1])))
    content[-1 - place * len(content) // 20] ^= 1
    begin, *_, end = signed.signature
    armored = base64.encodebytes(bytes(content)).decode().splitlines()
    assert signer(structs.replace(signed, signature=(begin, *armored, end)), roots) == ""


def test_another_namespace(keys: Path, roots: Roots) -> None:
    add_signer(str(keys / "alice.pub"))
    words: list[str | Path] = ["ssh-keygen", "-Y", "sign", "-n", "git", "-f", keys / "alice"]
    made = subprocess.run(words, input=HOOKS.statement, capture_output=True, check=True).stdout.decode()
    found = read(structs.replace(HOOKS, signature=tuple(made.splitlines())), roots)
    assert (found.signers, found.note.endswith("or was not made for anyhook")) == ({}, True)


def test_a_signer_who_is_allowed_for_something_else(signed: SignedHooks, keys: Path, roots: Roots) -> None:
    allow(f'alice@acme namespaces="git" {public(keys / "alice")}')
    assert "is allowed for git alone" in read(signed, roots).note
    add_signer(f"{public(keys / 'mallory')} mallory")
    assert 'namespaces="git"' in signers_file().read_text(), "the line of another purpose is not changed"


@pytest.mark.parametrize("date", ["20200101Z", "202101011200Z"])
def test_an_expired_signer(date: str, signed: SignedHooks, keys: Path, roots: Roots) -> None:
    add_signer(str(keys / "alice.pub"))
    assert signer(signed, roots) == "alice@acme", "remembered"
    allow(f'alice@acme valid-before="{date}" {public(keys / "alice")}')
    found = read(signed, roots)
    assert (found.signers, found.note.endswith("the key has expired")) == ({}, True)


def test_the_daemon_asks_again_when_a_key_ends(signed: SignedHooks, keys: Path, roots: Roots) -> None:
    end = int(time.time()) + 86400
    until = time.strftime("%Y%m%d%H%M%SZ", time.gmtime(end))
    allow(f'alice@acme valid-before="{until}" {public(keys / "alice")}')
    assert (signer(signed, roots), read(signed, roots).until) == ("alice@acme", end)


def test_a_removed_signer(signed: SignedHooks, keys: Path, roots: Roots) -> None:
    add_signer(str(keys / "alice.pub"))
    assert signer(signed, roots)
    assert [each.name for each in remove_signer("alice@acme")] == ["alice@acme"]
    assert signer(signed, roots) == ""
    assert remove_signer("alice@acme") == ()


def test_a_signer_of_the_organisation(signed: SignedHooks, keys: Path, roots: Roots) -> None:
    path = roots.system / "etc/anyhook/anyhook.toml"
    path.parent.mkdir(parents=True)
    path.write_text(f'[trust]\nrequire_signature = true\nsigners = ["{public(keys / "alice")} security"]\n')
    path.chmod(0o644)
    assert signer(signed, roots) == "security"


def test_a_line_that_is_broken_costs_itself_alone(signed: SignedHooks, keys: Path, roots: Roots) -> None:
    key = public(keys / "alice")
    allow(f'# ours\nbob ssh-ed25519 AAAA\nalice@old valid-before="20200101Z" {key}\nalice@acme {key}')
    found = read(signed, roots)
    assert {*found.signers.values()} == {"alice@acme"}
    assert found.note.startswith(f"{signers_file()}:2: ")


@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_a_list_that_others_can_write_does_not_count(mode: int, signed: SignedHooks, keys: Path, roots: Roots) -> None:
    add_signer(str(keys / "alice.pub"))
    signers_file().chmod(mode)
    found = read(signed, roots)
    assert found.signers == {}
    assert f"{signers_file()}: cannot be read, or others can write to it" in found.note
    with pytest.raises(AnyhookError, match="chmod 600"):
        add_signer(str(keys / "mallory.pub"))


# ------------------------------------------------------------------------------------------------------------- memory


def without_ssh_keygen(monkeypatch: pytest.MonkeyPatch) -> None:
    """What counts now is remembered."""
    monkeypatch.setattr(signing, "_SYSTEM_FOLDERS", ())
    monkeypatch.setenv("PATH", "")


def test_a_verified_signature_is_remembered(
    signed: SignedHooks, keys: Path, roots: Roots, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_signer(str(keys / "alice.pub"))
    add_signer(str(keys / "mallory.pub"))
    assert signer(signed, roots) == "alice@acme"
    (path,) = (tmp_path / "state" / "trust" / "signatures").iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    other = sign(HOOKS, keys / "mallory", keys)
    without_ssh_keygen(monkeypatch)
    assert signer(signed, roots) == "alice@acme"
    assert signer(other, roots) == ""
    assert signer(structs.replace(signed, serial=8), roots) == ""
    path.chmod(0o602)
    assert signer(signed, roots) == "", "others could have written it"


# --------------------------------------------------------------------------------------- what a project tries


@pytest.mark.parametrize("variable", ["XDG_CONFIG_HOME", "HOME"])
@pytest.mark.parametrize("place", ["shop/x", "shop/.git/x"])
def test_a_project_names_no_signer_by_the_environment(
    variable: str,
    place: str,
    signed: SignedHooks,
    keys: Path,
    roots: Roots,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    add_signer(str(keys / "mallory.pub"))
    plant(tmp_path / place / (".config" if variable == "HOME" else ""), f"evil {public(keys / 'alice')}")
    monkeypatch.setenv(variable, str(tmp_path / place))
    assert signer(signed, roots) == ""
    assert signers_file(roots.project) == home / ".config/anyhook/allowed_signers"
    monkeypatch.chdir(home)
    assert signer(signed, roots) == ""


def test_a_project_names_no_signer_by_its_files(
    signed: SignedHooks, keys: Path, roots: Roots, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = f'evil namespaces="anyhook" {public(keys / "alice")}'
    for name in (
        "allowed_signers",
        "hooks/allowed_signers",
        ".anyhook/allowed_signers",
        ".config/anyhook/allowed_signers",
    ):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(line)
    (project / "anyhook.toml").write_text(
        f'[trust]\nrequire_signature = false\nsigners = ["{public(keys / "alice")} evil"]\n'
    )
    assert signer(signed, roots) == ""


def test_a_memory_in_the_project_does_not_count(
    signed: SignedHooks, keys: Path, roots: Roots, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_signer(str(keys / "alice.pub"))
    assert signer(signed, roots) == "alice@acme"
    shutil.copytree(tmp_path / "state", project / "state")
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(project / "state"))
    assert signer(signed, roots) == "alice@acme"
    without_ssh_keygen(monkeypatch)
    assert signer(signed, roots) == ""


def test_a_program_in_the_project_is_not_started(
    signed: SignedHooks, keys: Path, roots: Roots, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path(shutil.which("ssh-keygen") or "")
    monkeypatch.setattr(signing, "_SYSTEM_FOLDERS", ())
    add_signer(str(keys / "alice.pub"))
    forged = structs.replace(signed, serial=99)
    (project / "bin").mkdir()
    fake = project / "bin" / "ssh-keygen"
    fake.write_text("#!/bin/sh\necho alice@acme\n")
    fake.chmod(0o755)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "ssh-keygen").symlink_to(fake)
    (project / "true").mkdir()
    (project / "true" / "ssh-keygen").symlink_to(shutil.which("true") or "")
    monkeypatch.chdir(project)
    for path in (str(project / "bin"), "bin", "", ".", str(outside), str(project / "true")):
        monkeypatch.setenv("PATH", f"{path}{os.pathsep}{real.parent}")
        assert signer(forged, roots) == "", path
        monkeypatch.setenv("PATH", path)
        assert "ssh-keygen is not installed" in read(signed, roots).note, path
        with pytest.raises(AnyhookError, match="ssh-keygen is not installed"):
            sign(HOOKS, keys / "alice", project)


@pytest.mark.skipif(os.name != "posix", reason="the program is a shell script")
def test_variables_that_lead_programs_elsewhere_are_not_passed_on(
    signed: SignedHooks, keys: Path, roots: Roots, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_signer(str(keys / "alice.pub"))
    own = tmp_path / "bin"
    own.mkdir()
    seen = tmp_path / "seen"
    real = shutil.which("ssh-keygen")
    (own / "ssh-keygen").write_text(f'#!/bin/sh\n/usr/bin/env >>{seen}\nexec {real} "$@"\n')
    (own / "ssh-keygen").chmod(0o755)
    monkeypatch.setattr(signing, "_SYSTEM_FOLDERS", ())
    for name in ("LD_LIBRARY_PATH", "SSH_ASKPASS", "SSH_SK_PROVIDER", "DISPLAY", "OPENSSL_CONF", "TZ", "HOME", "EVIL"):
        monkeypatch.setenv(name, str(project / "evil"))
    monkeypatch.setenv("SSH_AUTH_SOCK", str(project / "agent"))
    monkeypatch.setenv("PATH", str(own))
    sign(HOOKS, keys / "alice", project)
    assert signer(signed, roots) == "alice@acme"
    lines = seen.read_text().splitlines()
    assert lines.count("LC_ALL=C") == 2, "sign, verify"
    assert {line.partition("=")[0] for line in lines} <= {
        "LC_ALL",
        "SSH_ASKPASS_REQUIRE",
        "PWD",
        "_",
        "SHLVL",
        "OLDPWD",
        "SSH_AUTH_SOCK",
    }
    assert lines.count(f"SSH_AUTH_SOCK={project / 'agent'}") == 1, "only to sign"


@pytest.mark.skipif(os.name != "posix", reason="the program is a shell script")
@pytest.mark.parametrize(
    ("script", "why"),
    [
        (
            "echo 'unknown option -- Y' >&2; echo 'usage: ssh-keygen [-q]' >&2; echo '  more' >&2; exit 1",
            "8.2 or later",
        ),
        ("echo 'No user exists for uid 1234' >&2; exit 255", "no name for the user"),
        ("exec sleep 60", "has not ended within"),
    ],
)
def test_a_program_that_cannot_verify(
    script: str,
    why: str,
    signed: SignedHooks,
    keys: Path,
    roots: Roots,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    add_signer(str(keys / "alice.pub"))
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "ssh-keygen").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "ssh-keygen").chmod(0o755)
    monkeypatch.setattr(signing, "_SYSTEM_FOLDERS", (str(folder),))
    monkeypatch.setattr(signing, "_VERIFY_SECONDS", 0.5)
    found = read(signed, roots)
    assert found.signers == {}
    assert found.note.startswith("the signature cannot be verified: ")
    assert why in found.note
    assert found.until is not None, "it may be installed at any time"
    assert found.until <= time.time()


def test_what_was_read_is_in_the_snapshot_of_the_daemon(signed: SignedHooks, keys: Path, roots: Roots) -> None:
    add_signer(str(keys / "alice.pub"))
    assert signer(signed, roots) == "alice@acme"
    with disk.tracking_reads() as snapshot:
        assert signer(signed, roots) == "alice@acme"
    asked = {arguments[0] for _, arguments in snapshot.answers}
    assert {str(signers_file()), str(roots.system / "etc/anyhook/anyhook.toml")} <= asked


# ------------------------------------------------------------------------------------------------------------- to sign


def test_the_users_own_key_is_found(project: Path, home: Path) -> None:
    with pytest.raises(AnyhookError, match="there is no SSH key to sign with; name one with --key"):
        sign(HOOKS, None, project)
    other = make_key(home / ".ssh" / "id_a")
    assert sign(HOOKS, None, project).key == public(other)
    usual = make_key(home / ".ssh" / "id_ed25519")
    assert sign(HOOKS, None, project).key == public(usual)


def test_keys_that_cannot_sign(project: Path, keys: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    locked = make_key(tmp_path / "locked", "secret")
    monkeypatch.setattr(sys, "stdin", None)
    monkeypatch.setenv("SSH_ASKPASS", shutil.which("true") or "")
    monkeypatch.setenv("DISPLAY", ":0")
    with pytest.raises(AnyhookError, match="no terminal to ask for a passphrase; add it to the agent with ssh-add"):
        sign(HOOKS, locked, project)
    with pytest.raises(AnyhookError, match="there is no such key"):
        sign(HOOKS, tmp_path / "missing", project)
    nonsense = tmp_path / "nonsense"
    nonsense.write_text("nonsense")
    with pytest.raises(AnyhookError, match=r"nonsense: cannot sign with this key.*--key"):
        sign(HOOKS, nonsense, project)
    alone = tmp_path / "alone.pub"
    shutil.copy(keys / "alice.pub", alone)
    with pytest.raises(AnyhookError, match=r"cannot sign with this key: .*No private key found"):
        sign(HOOKS, alone, project)


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A running SSH agent with a locked key, whose file is gone."""
    socket = tmp_path / "agent"
    key = make_key(tmp_path / "held", name="held@acme")
    process = subprocess.Popen(["ssh-agent", "-D", "-a", socket], stdout=subprocess.DEVNULL)
    try:
        while not socket.exists():
            assert process.poll() is None
            time.sleep(0.01)
        monkeypatch.setenv("SSH_AUTH_SOCK", str(socket))
        subprocess.run(["ssh-add", "-q", key], check=True)
        key.unlink()
        yield key
    finally:
        process.terminate()
        process.wait()


@pytest.mark.skipif(shutil.which("ssh-agent") is None, reason="ssh-agent is not installed")
def test_a_key_of_the_agent(agent: Path, project: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch) -> None:
    add_signer(f"{agent}.pub")
    for key in (agent.with_name("held.pub"), None):
        assert signer(sign(HOOKS, key, project), roots) == "held@acme"
    monkeypatch.delenv("SSH_AUTH_SOCK")
    with pytest.raises(AnyhookError, match="cannot sign with this key"):
        sign(HOOKS, agent.with_name("held.pub"), project)


PROGRAM = """\
import sys
from pathlib import Path
from anyhook.trust.signing import SignedHooks, sign
hooks = SignedHooks(version=1, origin="", root="", serial=1, hooks=())
Path(sys.argv[2]).write_text(sign(hooks, Path(sys.argv[1]), Path.cwd()).key)
"""


@pytest.mark.skipif(os.name != "posix", reason="this system has no terminals of this kind")
def test_a_passphrase_is_asked_for_on_the_terminal(project: Path, tmp_path: Path) -> None:
    from tests.cli.terminals import terminal

    locked, made = make_key(tmp_path / "locked", "secret"), tmp_path / "made"
    variables = {"PYTHONPATH": str(SOURCE), "PATH": os.environ["PATH"], "HOME": os.environ["HOME"]}
    with terminal([sys.executable, "-c", PROGRAM, str(locked), str(made)], project, variables) as shown:
        shown.wait_for("passphrase")
        shown.type("secret\n")
        assert shown.end() == 0, shown.seen
    assert made.read_text() == public(locked)


# ------------------------------------------------------------------------------------------------------------- the file


def test_the_canonical_form_does_not_depend_on_the_file(signed: SignedHooks) -> None:
    stored = json.loads(rendered(signed))
    stored["hooks"] = [*reversed(stored["hooks"]), "a" * 64]
    shuffled = json.dumps(dict(reversed(stored.items())), indent=3).encode()
    assert read_signed(shuffled).statement == signed.statement == HOOKS.statement
    assert HOOKS.statement == (
        b'{"version":1,"origin":"github.com/acme/shop","root":"c0ffee","serial":7,"hooks":["'
        + b"a" * 64
        + b'","'
        + b"b" * 64
        + b'"]}\n'
    )


def damage(**fields: object) -> bytes:
    signature = ["-----BEGIN SSH SIGNATURE-----", "AAAA", "-----END SSH SIGNATURE-----"]
    return json.dumps({**json.loads(rendered(HOOKS)), "signature": signature, **fields}).encode()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "damaged, or not for this release"),
        (b"\xff\xfe", "damaged, or not for this release"),
        (b"[" * 100_000, "damaged, or not for this release"),
        (damage(version=2, more=1), "not for this release of anyhook"),
        (damage(more="text of the project"), "damaged, or not for this release"),
        (damage(serial=-1), "damaged, or not for this release"),
        (damage(serial=1.5), "damaged, or not for this release"),
        (damage(hooks=["A" * 64]), "damaged, or not for this release"),
        (damage(hooks=["a" * 64 + "\n"]), "damaged, or not for this release"),
        (damage(origin="a\x1b[2J"), "damaged, or not for this release"),
        (damage(), "the SSH signature is damaged"),
        (damage(signature=[]), "the SSH signature is damaged"),
    ],
)
def test_files_that_are_none(content: bytes, why: str) -> None:
    with pytest.raises(AnyhookError) as caught:
        read_signed(content, "shop/hooks/anyhook.sig")
    assert str(caught.value).startswith("shop/hooks/anyhook.sig: ")
    assert why in str(caught.value)
    assert "anyhook" in str(caught.value).rpartition(";")[2]
    assert "text of the project" not in str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda each: st.lists(each, max_size=3)
)


@given(
    content=st.binary()
    | st.dictionaries(st.sampled_from(["version", "hooks", "serial", "x"]), JSON).map(
        lambda fields: json.dumps({"version": 1, **fields}).encode()
    )
)
def test_any_content_is_read_or_refused(content: bytes) -> None:
    with pytest.raises(AnyhookError, match=r"^hooks/anyhook\.sig: "):
        read_signed(content)


@given(
    fields=st.fixed_dictionaries(
        {}, optional={"version": JSON, "origin": JSON, "serial": JSON, "hooks": JSON, "signature": JSON}
    ),
    armor=st.binary(max_size=60),
)
def test_a_file_with_any_field_is_read_or_refused(fields: dict[str, object], armor: bytes) -> None:
    content = json.dumps({**json.loads(rendered(HOOKS)), "signature": armored(armor), **fields}).encode()
    try:
        found = read_signed(content)
    except AnyhookError:
        return
    assert read_signed(rendered(found)) == found
    assert found.key


@given(
    origin=st.text(st.characters(min_codepoint=32, exclude_characters="\x7f", exclude_categories=["Cs"]), max_size=50),
    serial=st.integers(0, 2**53),
    hooks=st.lists(st.text("0123456789abcdef", min_size=64, max_size=64), max_size=5),
)
def test_what_is_written_is_read_again(origin: str, serial: int, hooks: list[str]) -> None:
    key = b"\0\0\0\x03ssh"
    signed = SignedHooks(
        version=1,
        origin=origin,
        root="",
        serial=serial,
        hooks=tuple(hooks),
        signature=armored(len(key).to_bytes(4, "big") + key),
    )
    assert read_signed(rendered(signed)) == signed


def armored(content: bytes) -> tuple[str, ...]:
    body = base64.encodebytes(b"SSHSIG\0\0\0\1" + content).decode().splitlines()
    return ("-----BEGIN SSH SIGNATURE-----", *body, "-----END SSH SIGNATURE-----")
