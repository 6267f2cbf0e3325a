"""Teams sign: what a signer of the user has signed runs in every clone, and nothing else does. With real keys."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from anyhook.sources.discover import Roots
from anyhook.trust.records import TrustStore
from anyhook.trust.signing import read_signatures
from tests.bridge.bridging import GUARD, make_package
from tests.trust.trust_projects import ORIGIN, ask, clone, commit, git, make_repository, trust

pytestmark = pytest.mark.skipif(
    not (shutil.which("ssh-keygen") and shutil.which("git")), reason="ssh-keygen and git are needed"
)
SIGNATURE = "hooks/anyhook.sig"


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "keys/ana"
    path.parent.mkdir()
    words = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ana@example.com", "-f", str(path))
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)
    return path


@pytest.fixture
def shop(tmp_path: Path, key: Path) -> Path:
    """A repository whose hooks Ana has signed, on her machine: nothing of it is approved on this one."""
    folder = make_repository(make_package(tmp_path / "ana/shop"))
    done = trust(folder, "--sign", "--key", str(key))
    assert done.returncode == 0, done.stderr
    commit(folder)
    return folder


@pytest.fixture
def copy(shop: Path, tmp_path: Path) -> Path:
    return clone(shop, tmp_path / "copy")


def allow(folder: Path, key: Path) -> None:
    done = trust(folder, "--signer", f"{key}.pub")
    assert done.returncode == 0, done.stderr


def guards(folder: Path) -> bool:
    return "no DANGER here" in ask(folder, "echo DANGER").stderr


def test_signed_hooks_run_in_a_fresh_clone_and_after_each_pull(
    copy: Path, shop: Path, key: Path, tmp_path: Path
) -> None:
    assert not guards(copy)
    allow(copy, key)
    assert guards(copy)
    listed = trust(copy, "--list")
    assert (listed.returncode, "signed by ana@example.com" in listed.stdout) == (0, True)
    (shop / "hooks/guard.sh").write_text(GUARD.replace("no DANGER", "really no DANGER"))
    assert trust(shop, "--sign", "--key", str(key)).returncode == 0
    commit(shop)
    git(copy, "pull", "-q", f"file://{shop}", "main")
    assert "really no DANGER" in ask(copy, "echo DANGER").stderr
    assert guards(clone(shop, tmp_path / "another", "--depth", "1", origin="https://github.com/acme/shop"))


def test_signed_hooks_that_are_copied_below_do_not_replace_those_above(copy: Path, key: Path) -> None:
    """A signature is for the repository, so it counts in each of its folders: an agent could copy a weaker package."""
    allow(copy, key)
    (copy / "anyhook.toml").write_text("[guards.secrets]\n")
    assert guards(copy)
    shutil.copytree(copy / "hooks", copy / "sub/hooks")
    home = {"HOME": str(copy.parent / "home"), "ANYHOOK_STATE_DIR": str(copy.parent / "state")}
    for _ in range(3):
        assert "(secrets guard" in ask(copy / "sub", "cat .env", **home).stderr


def test_one_byte_more_asks(copy: Path, key: Path) -> None:
    allow(copy, key)
    assert guards(copy)
    (copy / "hooks/guard.sh").write_text(f"{GUARD} ")
    done = ask(copy)
    assert (done.returncode, "changed since it was trusted: hooks/guard.sh" in done.stderr) == (2, True)
    assert "+++ hooks/guard.sh (now)" in trust(copy, "--diff").stdout, "though nobody has seen it here"


def test_a_hook_that_is_added_asks_alone(copy: Path, key: Path) -> None:
    allow(copy, key)
    data = json.loads((copy / "hooks/hooks.json").read_text())
    data["hooks"]["pre-tool-use"].append({"hooks": [{"type": "command", "command": "touch ran"}]})
    (copy / "hooks/hooks.json").write_text(json.dumps(data))
    assert guards(copy)
    assert "not trusted yet" in ask(copy).stdout
    assert not (copy / "ran").exists()


@pytest.mark.parametrize("is_seen", [True, False], ids=["after events", "before any event"])
def test_a_removed_signer_and_a_revoked_approval_ask_again(is_seen: bool, copy: Path, key: Path) -> None:
    allow(copy, key)
    if is_seen:
        assert guards(copy)
    assert trust(copy, "--revoke").returncode == 0
    assert not guards(copy)
    assert trust(copy, "--yes").returncode == 0
    assert guards(copy)


def test_a_removed_signer_asks_again(copy: Path, key: Path) -> None:
    allow(copy, key)
    assert guards(copy)
    assert trust(copy, "--remove-signer", "ana@example.com").returncode == 0
    done = ask(copy, "echo DANGER")
    assert "has to approve" in done.stderr
    assert done.returncode == 2  # it was a guard
    listed = trust(copy, "--list")
    assert (listed.returncode, "signed by" in listed.stdout, "removed:" in listed.stdout) == (1, False, False)


def test_an_expired_signer_asks(copy: Path, key: Path, tmp_path: Path) -> None:
    public = " ".join(Path(f"{key}.pub").read_text().split()[:2])
    line = f'ana@example.com namespaces="anyhook",valid-before="20200101Z" {public}\n'
    (tmp_path / "signers").write_text(line)
    assert trust(copy, "--signer", str(tmp_path / "signers")).returncode == 0
    assert not guards(copy)
    assert "has expired" in trust(copy, "--list").stdout


@pytest.mark.parametrize(
    "place", [".config/anyhook/allowed_signers", "anyhook/allowed_signers", "hooks/allowed_signers", "allowed_signers"]
)
def test_a_project_cannot_add_a_signer(place: str, copy: Path, key: Path) -> None:
    public = " ".join(Path(f"{key}.pub").read_text().split()[:2])
    (copy / place).parent.mkdir(parents=True, exist_ok=True)
    (copy / place).write_text(f'ana@example.com namespaces="anyhook" {public}\n')
    (copy / place).chmod(0o600)
    (copy / "anyhook.toml").write_text(f'[trust]\nsigners = ["{public} ana@example.com"]\n[guards.secrets]\n')
    for variables in ({}, {"XDG_CONFIG_HOME": str(copy)}, {"HOME": str(copy)}, {"XDG_CONFIG_HOME": f"{copy}/.config"}):
        done = ask(copy, "echo DANGER", **variables)
        assert "no DANGER here" not in done.stderr
        assert done.returncode == 0
    assert "signed by" not in trust(copy, "--list").stdout


def test_a_signer_takes_a_guard_away_and_nobody_else_does(copy: Path, shop: Path, key: Path) -> None:
    allow(copy, key)
    assert guards(copy)
    (copy / "hooks/hooks.json").write_text('{"version": 1, "hooks": {}}')
    assert ask(copy).returncode == 2
    (shop / "hooks/hooks.json").write_text(
        '{"version": 1, "hooks": {"stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}'
    )
    assert trust(shop, "--sign", "--key", str(key)).returncode == 0
    commit(shop)
    git(copy, "checkout", "-q", ".")
    git(copy, "pull", "-q", f"file://{shop}", "main")
    done = ask(copy, "echo DANGER")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (copy / SIGNATURE).unlink()
    assert trust(copy, "--list").returncode == 1


def test_an_older_signature_asks_again_in_every_clone(copy: Path, shop: Path, key: Path, tmp_path: Path) -> None:
    old = clone(shop, tmp_path / "old")
    (shop / "hooks/guard.sh").write_text(GUARD.replace("no DANGER", "really no DANGER"))
    assert trust(shop, "--sign", "--key", str(key)).returncode == 0
    commit(shop)
    allow(copy, key)
    git(copy, "pull", "-q", f"file://{shop}", "main")
    assert "really" in ask(copy, "echo DANGER").stderr
    git(copy, "checkout", "-q", "HEAD~1")
    for folder in (copy, old):
        assert not guards(folder)
        listed = trust(folder, "--list")
        assert "the signature has the serial 1, and one with 2 was seen here already" in listed.stdout


@pytest.mark.parametrize("origin", ["git@github.com:evil/shop.git", ORIGIN])
def test_the_signed_hooks_in_another_repository_ask(origin: str, shop: Path, key: Path, tmp_path: Path) -> None:
    folder = tmp_path / "evil"
    shutil.copytree(shop, folder, ignore=shutil.ignore_patterns(".git"))
    (folder / "README.md").write_text("another first commit")
    make_repository(folder, origin)
    allow(folder, key)
    assert not guards(folder)
    assert "the signature is for another repository" in trust(folder, "--list").stdout


@pytest.mark.parametrize("has_git", [False, True])
def test_nothing_is_signed_for_every_folder(has_git: bool, key: Path, tmp_path: Path) -> None:
    """Without a first commit, the signature would count wherever there is none, either."""
    folder = make_package(tmp_path / "loose")
    if has_git:
        git(folder, "init", "-q")
    done = trust(folder, "--sign", "--key", str(key))
    assert (done.returncode, "known by its first commit" in done.stderr) == (2, True)
    assert not (folder / SIGNATURE).exists()


def test_a_signature_is_not_made_through_a_link(shop: Path, key: Path, tmp_path: Path) -> None:
    (shop / SIGNATURE).unlink()
    (shop / SIGNATURE).symlink_to(tmp_path / "elsewhere")
    assert trust(shop, "--sign", "--key", str(key)).returncode == 2
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("is_signed", [True, False])
def test_an_organisation_that_requires_signatures(
    is_signed: bool, copy: Path, key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(tmp_path / "state"))
    public = Path(f"{key}.pub").read_text().strip()
    settings = tmp_path / "system/etc/anyhook/anyhook.toml"
    settings.parent.mkdir(parents=True)
    signers = f'signers = ["{public}"]\n' if is_signed else ""
    settings.write_text(f"[trust]\nrequire_signature = true\n{signers}")
    settings.chmod(0o644)
    roots = Roots(project=copy, home=tmp_path / "home", system=tmp_path / "system")
    found = read_signatures(roots, TrustStore(roots), seen=0)
    assert (found.are_required, set(found.signers.values())) == (True, {"ana@example.com"} if is_signed else set())
