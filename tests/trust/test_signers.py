"""Lists of allowed signers: the user's own, which `trust --signer` changes, and the organisation's."""

from __future__ import annotations

import base64
import os
import stat
from math import inf
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.model.origin import Scope
from anyhook.model.problems import AnyhookError
from anyhook.sources import state
from anyhook.sources.discover import Roots
from anyhook.trust.signers import AllowedSigners, add_signer, allowed_signers, parse_signer, remove_signer, signers_file


def key_of(letter: str, kind: str = "ssh-ed25519") -> str:
    content = len(kind).to_bytes(4, "big") + kind.encode() + b"\0\0\0\x20" + letter.encode() * 32
    return f"{kind} {base64.b64encode(content).decode()}"


KEY, OTHER = key_of("a"), key_of("b")
OURS = 'namespaces="anyhook"'


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setattr(state, "login_home", lambda: folder)
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.fixture
def roots(home: Path, tmp_path: Path) -> Roots:
    return Roots(project=tmp_path / "shop", home=home, system=tmp_path / "system")


def users(text: str) -> None:
    signers_file().parent.mkdir(parents=True, exist_ok=True)
    signers_file().touch(mode=0o600)
    signers_file().write_text(text)


def organisation(roots: Roots, text: str, mode: int = 0o644) -> Path:
    path = roots.system / "etc/anyhook/anyhook.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


# ------------------------------------------------------------------------------------------------------------ one line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"{KEY} alice@acme", f"alice@acme {OURS} {KEY}"),
        (f"{KEY}\talice at her laptop\n", f"alice {OURS} {KEY}"),
        (f"alice@acme {KEY} laptop", f"alice@acme {OURS} {KEY}"),
        (f"a@acme,b@acme {KEY}", f"a@acme,b@acme {OURS} {KEY}"),
        (f'"Alice Miller" {KEY}', f'"Alice Miller" {OURS} {KEY}'),
        (f'a namespaces="git,anyhook" {KEY}', f"a {OURS} {KEY}"),
        (f'a valid-before="20270101Z" {KEY}', f'a {OURS},valid-before="20270101Z" {KEY}'),
        (f"{key_of('a', 'sk-ssh-ed25519@openssh.com')} a", f"a {OURS} {key_of('a', 'sk-ssh-ed25519@openssh.com')}"),
    ],
)
def test_forms_of_a_signer(text: str, line: str) -> None:
    signer = parse_signer(text)
    assert signer.line == line
    assert parse_signer(signer.line) == signer


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "neither a public SSH key nor a line"),
        ("alice@acme", "neither a public SSH key nor a line"),
        (KEY, "needs a name"),
        (f"{KEY} #alice", "needs a name"),
        (f"# {KEY}", "neither"),
        ("ssh-ed25519 AAAA alice", "is not a public SSH key"),
        (f"ssh-rsa {KEY.split()[1]} alice", "is not a public SSH key"),
        (f"{key_of('a', 'ssh-ed25519-cert-v01@openssh.com')} alice", "is not a public SSH key"),
        (f"*@acme cert-authority {KEY}", "the options can be"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----", "this is a private key"),
        (f"a valid-before=20270101 {KEY}", "the options can be"),
        (f'a valid-before="20271301Z" {KEY}', "a date is in UTC"),
        (f'a valid-before="20270131" {KEY}', "a date is in UTC"),
        (f'a valid-before="2027Z" {KEY}', "a date is in UTC"),
        (f'a valid-after="20270131Z" {KEY}', "the options can be"),
        (f'a namespaces="git" {KEY}', "allowed for git alone"),
        (f'a unknown="x" {KEY}', "the options can be"),
        (f"a {KEY}\nb {OTHER}", "one line of plain text"),
        (f"a\x1b[2J {KEY}", "one line of plain text"),
    ],
)
def test_what_is_no_signer(text: str, why: str) -> None:
    with pytest.raises(AnyhookError, match=why):
        parse_signer(text)
    with pytest.raises(AnyhookError):
        add_signer(text)
    assert not signers_file().exists()


@given(text=st.text() | st.from_regex(r'("[^"]*"|\S+) (\S+ )?(ssh|sk)-[a-z]+ [A-Za-z0-9+/]*=* .*'))
def test_any_text_is_a_signer_or_refused(text: str) -> None:
    try:
        signer = parse_signer(text)
    except AnyhookError:
        return
    assert parse_signer(signer.line) == signer


@given(name=st.text(), options=st.text(), comment=st.text())
def test_a_key_with_anything_around_it_is_one_line(name: str, options: str, comment: str) -> None:
    for text in (f"{KEY} {comment}", f"{name} {KEY} {comment}", f'{name} namespaces="{options}" {KEY}'):
        try:
            signer = parse_signer(text)
        except AnyhookError:
            continue
        assert signer.key in (KEY, text.partition(" ")[2])
        assert "\n" not in signer.line
        assert parse_signer(signer.line) == signer


@pytest.mark.parametrize(
    ("options", "end"),
    [("", inf), ('valid-before="19700101000140Z"', 100), ('namespaces="anyhook",valid-before="20000101Z"', 946684800)],
)
def test_when_a_key_ends(options: str, end: float) -> None:
    assert parse_signer(f"a {options} {KEY}").end == end


# ------------------------------------------------------------------------------------------------------ the user's list


def test_a_signer_is_added_once(roots: Roots) -> None:
    users(f"# our team\n\nbob {OTHER}\n")
    for _ in range(2):
        assert [each.name for each in add_signer(f"{KEY} alice")] == ["alice"]
        assert signers_file().read_text() == f"# our team\n\nbob {OTHER}\nalice {OURS} {KEY}\n"
    assert [each.name for each in allowed_signers(roots).signers] == ["bob", "alice"]


def test_the_list_is_the_users_alone() -> None:
    before = os.umask(0)
    try:
        add_signer(f"{KEY} alice")
    finally:
        os.umask(before)
    assert stat.S_IMODE(signers_file().stat().st_mode) == 0o600
    assert not stat.S_IMODE(signers_file().parent.stat().st_mode) & 0o022


def test_a_signer_is_replaced() -> None:
    add_signer(f'alice valid-before="20200101Z" {KEY}')
    add_signer(f"bob {OTHER}")
    add_signer(f'alice namespaces="git,anyhook",valid-before="21000101Z" {KEY}')
    assert signers_file().read_text() == f'bob {OURS} {OTHER}\nalice {OURS},valid-before="21000101Z" {KEY}\n'


def test_files_of_signers(tmp_path: Path) -> None:
    (tmp_path / "id.pub").write_text(f"{KEY} alice@laptop\n")
    (tmp_path / "team").write_text(f"# team\nbob {OTHER}\n\ncarol {KEY}\r\n")
    assert [each.name for each in add_signer(str(tmp_path / "id.pub"), "alice")] == ["alice"]
    assert [each.name for each in add_signer(str(tmp_path / "team"))] == ["bob", "carol"]
    with pytest.raises(AnyhookError, match="cannot all be called alice"):
        add_signer(str(tmp_path / "team"), "alice")
    with pytest.raises(AnyhookError, match="needs a name"):
        add_signer(str(tmp_path / "id.pub"), 'a" b')


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (
            b"-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n",
            r"file:1: this is a private key; name the public one",
        ),
        (f"a {KEY}\nnonsense\n".encode(), "file:2: "),
        (b"# nobody\n", "the file names no signer"),
        (b"\0" * 2_000_000, "larger than a list of signers"),
        (b"\xff\xfe\0", "file:1: "),
    ],
)
def test_files_of_no_signers(content: bytes, why: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(AnyhookError, match=why):
        add_signer(str(tmp_path / "file"))
    assert not signers_file().exists()


def test_a_signer_is_removed_by_name_or_key() -> None:
    for name in ("alice", KEY, f"{KEY} comment"):
        users(f"# team\nbob {OTHER}\nalice {KEY}\nnonsense\n")
        (removed,) = remove_signer(name)
        assert removed.key == KEY
        assert signers_file().read_text() == f"# team\nbob {OTHER}\nnonsense\n"
    assert remove_signer("dave") == ()
    assert remove_signer("") == ()


def test_a_linked_list_stays_a_link(tmp_path: Path, home: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    (home / ".config").mkdir()
    (home / ".config" / "anyhook").symlink_to(tmp_path / "dotfiles")
    (tmp_path / "dotfiles" / "signers").touch(mode=0o600)
    (tmp_path / "dotfiles" / "allowed_signers").symlink_to("signers")
    add_signer(f"{KEY} alice")
    assert signers_file().is_symlink()
    assert (tmp_path / "dotfiles" / "signers").read_text() == f"alice {OURS} {KEY}\n"


def test_a_list_that_cannot_be_written(home: Path) -> None:
    (home / ".config").write_text("a file")
    with pytest.raises(AnyhookError, match="cannot be written"):
        add_signer(f"{KEY} alice")


# ----------------------------------------------------------------------------------------------------- the organisation


def test_no_organisation(roots: Roots) -> None:
    assert allowed_signers(roots) == AllowedSigners()


def test_the_organisations_signers_come_first(roots: Roots) -> None:
    path = organisation(roots, f"[trust]\nsigners = ['{KEY} security', 'ci {OTHER}', 'nonsense']\n")
    add_signer(f"{KEY} alice")
    found = allowed_signers(roots)
    assert not found.are_required
    assert [(each.name, each.scope) for each in found.of_key(KEY)] == [
        ("security", Scope.MANAGED),
        ("alice", Scope.USER),
    ]
    (note,) = found.notes
    assert note.startswith(f'{path}: "nonsense" is neither')


def test_an_organisation_that_requires_its_own_signers(roots: Roots) -> None:
    organisation(roots, f"[trust]\nrequire_signature = true\nsigners = ['{KEY} security']\n")
    add_signer(f"{OTHER} alice")
    found = allowed_signers(roots)
    assert (found.are_required, [each.name for each in found.signers]) == (True, ["security"])


@pytest.mark.parametrize(
    "text",
    [
        "[trust\n",
        "[trust]\nrequire_signature = 'yes'\n",
        "trust = 1\n",
        "[trust]\nsigners = [1]\n",
        "\0",
        "[trust]\nrequired = true\n",
        "[models]\ndefault = 'openai:x'\n",
    ],
)
def test_a_broken_file_requires_signatures(text: str, roots: Roots) -> None:
    path = organisation(roots, text)
    found = allowed_signers(roots)
    assert (found.are_required, found.signers) == (True, ())
    (note,) = found.notes
    assert note.startswith(f"{path}: ")
    assert note.endswith("so no hook of a project runs without a signature")


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_a_file_that_others_can_write_names_no_signer(roots: Roots) -> None:
    organisation(roots, f"[trust]\nsigners = ['{KEY} evil']\n", 0o666)
    found = allowed_signers(roots)
    assert (found.are_required, found.signers) == (True, ())
