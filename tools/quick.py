"""``make quick``: lint, types, architecture, and the tests of what changed, in less than a minute.

    python -m tools.quick              what is not committed; in a clean tree, what the last commit changed
    python -m tools.quick --since main what differs from another commit

Types and architecture are checked beside the tests. The tests of a module are in the folder that mirrors its own, or
in the nearest one above. A client's module also has its vectors, and what all clients share has all of them.
``make test`` runs the rest.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath

Words = tuple[str, ...]

ROOT = Path(__file__).resolve().parent.parent
ALWAYS = ("tests/model", "tests/test_architecture.py")
EVERY_CLIENT = tuple(sorted(file.stem for file in (ROOT / "conformance" / "vectors").glob("*.jsonl")))
SHARED = ("src/anyhook/dialects", "src/anyhook/engine", "src/anyhook/model", "src/anyhook/sources")
"""Packages on which every client's vectors depend."""
OF_ONE_CLIENT = ("src/anyhook/dialects/clients", "src/anyhook/dialects/settings")
VECTORS = "tests/conformance/test_vectors.py::test_every_vector_agrees"


def changed_files(since: str | None) -> tuple[str, ...]:
    """The files that differ from a commit, with those that git does not know yet; none are ones that were deleted."""
    base = since or "HEAD"
    found = {*_git("diff", "--name-only", base), *_git("ls-files", "--others", "--exclude-standard")}
    if not found and since is None:
        found = set(_git("diff", "--name-only", "HEAD~1"))
    return tuple(sorted(name for name in found if (ROOT / name).exists()))


def clients_of(files: Iterable[str]) -> tuple[str, ...]:
    """The clients whose vectors a change may concern."""
    found: set[str] = set()
    for path in map(PurePosixPath, files):
        name = path.stem.replace("_", "-")
        if str(path.parent) in OF_ONE_CLIENT and name in EVERY_CLIENT:
            found.add(name)
        elif any(path.is_relative_to(package) for package in SHARED):
            return EVERY_CLIENT
        elif path.is_relative_to("conformance/vectors"):
            found.add(path.stem)
    return tuple(client for client in EVERY_CLIENT if client in found)


def matching_tests(files: Iterable[str]) -> tuple[str, ...]:
    """Test files and folders for the changed files, each once and none within another."""
    found = set(ALWAYS)
    for path in map(PurePosixPath, files):
        if path.is_relative_to("tests") and path.name.startswith("test_") and path.suffix == ".py":
            found.add(str(path))
        elif path.is_relative_to("tests"):  # what the tests of a folder share
            found.update(_of_folder(path.parent))
        elif path.is_relative_to("src/anyhook"):
            found.update(_mirror(path.relative_to("src/anyhook")))
        elif path.suffix == ".md":
            found.add("tests/test_docs_links.py")
    folders = {name for name in found if not name.endswith(".py")}
    return tuple(sorted(n for n in found if not any(PurePosixPath(n).is_relative_to(f) for f in folders - {n})))


def _mirror(module: PurePosixPath) -> tuple[str, ...]:
    for folder in module.parents:
        own = PurePosixPath("tests", folder, f"test_{module.stem}.py")
        if (ROOT / own).exists():
            return (str(own),)
    return _of_folder(PurePosixPath("tests", module.parent))


def _of_folder(folder: PurePosixPath) -> tuple[str, ...]:
    """The folder, or the nearest one above that exists; all tests are too many."""
    while folder.parts[1:] and not (ROOT / folder).is_dir():
        folder = folder.parent
    return (str(folder),) if folder.parts[1:] else ()


def lint(files: Iterable[str]) -> tuple[Words, ...]:
    """Takes no time, so that its failures come first."""
    python = sys.executable
    code = [name for name in files if name.endswith(".py")]
    return ((python, "-m", "ruff", "check", *code), (python, "-m", "ruff", "format", "--check", *code)) if code else ()


def contracts() -> tuple[Words, ...]:
    """Types and architecture: of everything, beside the tests."""
    python = sys.executable
    return (python, "-m", "mypy"), (str(Path(python).with_name("lint-imports")),)


def tests(files: Sequence[str]) -> Words:
    chosen = (*matching_tests(files), *(f"{VECTORS}[{client}]" for client in clients_of(files)))
    return (sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "worksteal", "-m", "not long", *chosen)


def run(words: Words) -> int:
    _show(words)
    return subprocess.run(words, cwd=ROOT, check=False).returncode


def run_quietly(words: Words) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, cwd=ROOT, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def _show(words: Words) -> None:
    shown = (word if len(word) < 60 else f"{word[:57]}..." for word in words[:12])
    sys.stdout.write(" ".join(("+", *shown)) + "\n")
    sys.stdout.flush()


def _git(*words: str) -> tuple[str, ...]:
    done = subprocess.run(("git", *words), cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True)
    return tuple(done.stdout.splitlines())


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--since", metavar="COMMIT", help="compare with this commit")
    files = changed_files(parser.parse_args(arguments).since)
    for words in lint(files):
        if failed := run(words):
            return failed
    with ThreadPoolExecutor(1) as beside:
        later = [(words, beside.submit(run_quietly, words)) for words in contracts()]
        failed = run(tests(files))
        for words, ended in later:
            _show(words)
            sys.stdout.write(ended.result().stdout)
            failed = failed or ended.result().returncode
    return failed


if __name__ == "__main__":
    sys.exit(main())
