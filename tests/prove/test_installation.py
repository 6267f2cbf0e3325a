"""Installing clients from registries that are folders and small servers of this machine."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import shutil
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from anyhook.model.problems import AnyhookError
from anyhook.prove.clients import DRIVEN, driver
from anyhook.prove.driver import Package
from anyhook.prove.installation import (
    InstallError,
    InstallProgress,
    Release,
    cache_folder,
    find_installed,
    find_on_path,
    install,
    newest_version,
    read_release,
)

pytestmark = pytest.mark.long

CLIENT = "codex"
NAME = "anyhook-fake-client"


def npm_package(version: str, says: str) -> bytes:
    files = {
        "package/package.json": json.dumps({"name": NAME, "version": version, "bin": {"codex": "codex.sh"}}),
        "package/codex.sh": f"#!/bin/sh\necho fake-client {says}\n",
    }
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(text), 0o755
            archive.addfile(member, io.BytesIO(text.encode()))
    return packed.getvalue()


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """An npm registry with two releases; what 1.0.0 says of itself is wrong."""
    packages = {"1.2.3": npm_package("1.2.3", "1.2.3 (abc)"), "1.0.0": npm_package("1.0.0", "9.9.9")}

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            here = f"http://127.0.0.1:{self.server.server_address[1]}"  # type: ignore[index]
            if self.path.endswith(".tgz"):
                body = packages[self.path.removesuffix(".tgz").rpartition("-")[2]]
            else:
                body = json.dumps(
                    {
                        "name": NAME,
                        "dist-tags": {"latest": "1.2.3"},
                        "versions": {
                            version: {
                                "name": NAME,
                                "version": version,
                                "bin": {"codex": "codex.sh"},
                                "dist": {
                                    "tarball": f"{here}/{NAME}/-/{NAME}-{version}.tgz",
                                    "integrity": f"sha512-{base64.b64encode(hashlib.sha512(data).digest()).decode()}",
                                },
                            }
                            for version, data in packages.items()
                        },
                    }
                ).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    monkeypatch.setenv("npm_config_registry", url)
    monkeypatch.setenv("ANYHOOK_CLIENTS", str(tmp_path / "clients"))
    package = Package(
        registry="npm", name=NAME, version="1.2.3", programs="node_modules/.bin/codex", command="anyhook-fake-client"
    )
    monkeypatch.setattr(type(driver(CLIENT)), "package", package)
    yield url
    server.shutdown()
    server.server_close()


needs_npm = pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not on PATH")


@needs_npm
@pytest.mark.usefixtures("registry")
def test_a_release_is_installed_once(tmp_path: Path) -> None:
    steps: list[InstallProgress] = []
    installed = install(read_release(CLIENT), steps.append)
    assert (installed.client, installed.version) == (CLIENT, "1.2.3")
    assert installed.program.is_file()
    assert [step.stage for step in steps][:2] == ["waiting", "downloading"]
    assert steps[-1].stage == "checking"
    assert find_installed(Release(CLIENT, "1.2.3")) == installed

    again: list[InstallProgress] = []
    assert install(read_release(f"{CLIENT}@1.2.3"), again.append) == installed
    assert again == []
    assert sorted(path.name for path in (tmp_path / "clients").iterdir() if path.is_dir()) == [f"{CLIENT}@1.2.3"]


@needs_npm
@pytest.mark.usefixtures("registry")
def test_two_installations_at_once_are_one() -> None:
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(install(read_release(CLIENT)))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] == found[1]


@needs_npm
@pytest.mark.usefixtures("registry")
def test_the_newest_release_is_asked_for() -> None:
    assert read_release(f"{CLIENT}@newest") == Release(CLIENT, "1.2.3")


@needs_npm
def test_settings_of_the_project_choose_no_registry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, registry: str
) -> None:
    """A project that someone else wrote must not say where the client comes from."""
    monkeypatch.delenv("npm_config_registry")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".npmrc").write_text(f"registry={registry}\n")
    project = tmp_path / "project"
    project.mkdir()
    (project / "package.json").write_text("{}")
    (project / ".npmrc").write_text("registry=http://127.0.0.1:9\nfetch-retries=0\n")
    monkeypatch.chdir(project)
    assert read_release(f"{CLIENT}@newest") == Release(CLIENT, "1.2.3")
    assert install(Release(CLIENT, "1.2.3")).version == "1.2.3"


@needs_npm
@pytest.mark.usefixtures("registry")
def test_a_program_of_another_version_is_refused_and_removed(tmp_path: Path) -> None:
    with pytest.raises(InstallError, match=r"no installed program has this version .*9\.9\.9"):
        install(read_release(f"{CLIENT}@1.0.0"))
    assert find_installed(Release(CLIENT, "1.0.0")) is None
    assert not (tmp_path / "clients" / f"{CLIENT}@1.0.0").exists()


@needs_npm
@pytest.mark.usefixtures("registry")
def test_a_release_that_does_not_exist_is_told() -> None:
    with pytest.raises(InstallError, match="npm install"):
        install(read_release(f"{CLIENT}@7.7.7"))


def test_without_npm_the_message_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ANYHOOK_CLIENTS", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InstallError, match="npm is not on PATH"):
        install(read_release(CLIENT))


def test_a_client_of_pypi(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    wheel = tmp_path / "wheels" / "anyhook_fake_client-1.2.3-py3-none-any.whl"
    wheel.parent.mkdir()
    about = "anyhook_fake_client-1.2.3.dist-info"
    files = {
        "fake_client.py": "def main():\n    print('fake 1.2.3')\n",
        f"{about}/METADATA": "Metadata-Version: 2.1\nName: anyhook-fake-client\nVersion: 1.2.3\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/entry_points.txt": "[console_scripts]\nfake = fake_client:main\n",
    }
    files[f"{about}/RECORD"] = "".join(f"{name},,\n" for name in (*files, f"{about}/RECORD"))
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    for name, value in (("PIP_NO_INDEX", "1"), ("PIP_FIND_LINKS", str(wheel.parent))):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("ANYHOOK_CLIENTS", str(tmp_path / "clients"))
    package = Package(registry="PyPI", name=NAME, version="1.2.3", programs="bin/fake", command="fake")
    monkeypatch.setattr(type(driver(CLIENT)), "package", package)
    assert install(read_release(CLIENT)).program == tmp_path / "clients" / f"{CLIENT}@1.2.3" / "bin/fake"
    assert newest_version(package) == "1.2.3"


def test_the_client_on_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    program = tmp_path / driver(CLIENT).package.command
    program.write_text("#!/bin/sh\necho codex-cli 0.150.2\n")
    program.chmod(0o755)
    found = find_on_path(CLIENT)
    assert found is not None
    assert (found.version, found.program, found.folder) == ("0.150.2", program, None)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("codec", "did you mean"), ("windsurf", "cannot be driven"), ("codex@latest release", "a version is like")],
)
def test_a_wrong_release_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(AnyhookError, match=complaint):
        read_release(text)


def test_where_clients_are_kept(tmp_path: Path) -> None:
    assert cache_folder({"ANYHOOK_CLIENTS": str(tmp_path)}) == tmp_path
    assert cache_folder({}).parts[-2:] == ("anyhook", "clients")


def test_every_recorded_client_can_be_driven() -> None:
    assert set(DRIVEN) >= {"claude-code", "codex", "copilot-cli", "gemini-cli", "qwen-code"}
