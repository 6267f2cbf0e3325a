"""Publishing: what other people then install or see."""

from __future__ import annotations

from anyhook.guards.shell.finding import Family, Finding
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.command import Invocation

_REHEARSED = LazyPattern(r"--dry-?run\b|--no-push\b|--snapshot\b|--skip-publish\b|--preview\b|--local\b|--push=false\b")
_NODE = (
    "publish",
    "unpublish",
    "deprecate",
    "owner add",
    "token create",
    "access public",
    "access grant",
    "dist-tag add",
    "dist-tag rm",
)
_PYTHON = ("publish", "upload")
_VERBS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun", "jsr", "deno", "vlt"), _NODE),
    **dict.fromkeys(
        (
            "lerna",
            "changeset",
            "changesets",
            "rush",
            "beachball",
            "vsce",
            "ovsx",
            "smithery",
            "mcp-publisher",
            "clawhub",
            "apm",
            "wasm-pack",
            "elm",
            "spago",
            "nimble",
        ),
        ("publish", "unpublish"),
    ),
    **dict.fromkeys(
        (
            "poetry",
            "uv",
            "hatch",
            "flit",
            "pdm",
            "rye",
            "maturin",
            "pixi",
            "twine",
            "anaconda",
            "luarocks",
            "stack",
            "cabal",
            "charmcraft",
        ),
        _PYTHON,
    ),
    **dict.fromkeys(("docker", "podman", "nerdctl", "buildah", "crane", "oras"), ("push",)),
    "docker-compose": ("push",),
    "skopeo": ("copy",),
    "helm": ("push", "cm-push"),
    "cargo": ("publish", "yank", "release", "owner"),
    "gem": ("push", "yank", "owner"),
    "rake": ("release",),
    "nx": ("release",),
    **dict.fromkeys(("mvn", "mvnw"), ("deploy", "release:perform")),
    "dotnet": ("nuget push",),
    "nuget": ("push",),
    "choco": ("push",),
    "pod": ("trunk push",),
    "mix": ("hex.publish",),
    "gh": ("release create", "release upload", "release edit"),
    "glab": ("release create", "release upload"),
    "snapcraft": ("upload", "release", "push", "promote"),
    "fastlane": ("deliver", "release", "beta", "supply", "pilot"),
    "eas": ("submit", "update"),
    "expo": ("publish",),
    "web-ext": ("sign",),
    "mkdocs": ("gh-deploy",),
    "clasp": ("deploy", "push"),
    "kamal": ("deploy", "redeploy", "setup"),
    "cap": ("production deploy", "prod deploy"),
    "ko": ("build", "publish", "apply", "resolve"),
    "wrangler": ("deploy", "publish"),
    "firebase": ("deploy",),
    "vercel": ("promote",),
    **dict.fromkeys(("fly", "flyctl"), ("deploy",)),
    "gcloud": ("app deploy", "run deploy", "functions deploy"),
    "dart": ("pub publish",),
    "flutter": ("pub publish", "packages pub publish"),
    "pub": ("publish",),
    "lein": ("deploy",),
    "opam": ("publish",),
    "hf": ("upload", "repo delete"),
    "huggingface-cli": ("upload", "repo delete", "delete-cache"),
    "buf": ("push",),
    "ansible-galaxy": ("publish", "role import"),
    "goreleaser": ("release", "publish"),
    "xcrun": ("notarytool submit",),
    "kaggle": ("datasets create", "datasets version", "kernels push"),
}
_ALWAYS = frozenset({"np", "semantic-release", "cpan-upload", "dput", "gh-pages", "surge"})
_OPTION = LazyPattern(
    r"vercel\b.*\s--prod(?:uction)?\b|netlify deploy\b.*\s(?:--prod|-p)\b|"
    r"docker(?:-compose)? (?:buildx |compose )?build\b.*\s--push\b|(?:serverless|sls) deploy\b.*\s--stage[= ]prod|"
    r"(?:bazel|bazelisk) run \S*push\b|aws ecr\S* put-image\b|"
    r"docker buildx bake\b.*--push|gh repo create\b.*--public|"
    r"gh workflow run \S*(?:release|publish|deploy)|gh gist create\b.*\s(?:--public|-p)\b|xcrun altool\b.*--upload|"
    r"cosign sign\b"
)
_GRADLE = LazyPattern(
    r":?(?:\w+:)*(?:publish(?!ToMavenLocal)\w*|uploadArchives|closeAndReleaseRepository|bintrayUpload)$"
)
_SBT = LazyPattern(r".*\bpublish(?!Local)\w*")


def judge(command: Invocation) -> Finding | None:
    text = " ".join([command.name, *command.arguments[:40]])[:2000]
    if _REHEARSED.search(text):
        return None
    words = [argument for argument in command.arguments if not argument.startswith("-")]
    if words[:1] in (["run"], ["run-script"]) and command.name not in ("gcloud", "bazel", "bazelisk"):
        return None
    if command.name in _ALWAYS or _OPTION.match(text) or _has_verb(command.name, words):
        return Finding(
            Family.PUBLISHING, "publishes something for other people", "Try it with --dry-run and let the user publish."
        )
    return None


def _has_verb(name: str, words: list[str]) -> bool:
    """The verb is the first word, or follows the options and names of a workspace."""
    if name in ("gradle", "gradlew"):
        return any(_GRADLE.match(word) for word in words)
    if name == "sbt":
        return any(_SBT.match(word) for word in words)
    if name in ("python", "python3"):
        return (words[:1] == ["setup.py"] and any(word in ("upload", "register") for word in words)) or words[:2] == [
            "twine",
            "upload",
        ]
    joined = " ".join(words[:6])
    limit = 6 if name in ("mvn", "mvnw", "cargo", "pnpm", "yarn", "npm", "poetry", "uv") else 2
    return any(joined.startswith(verb) or (" " not in verb and verb in words[:limit]) for verb in _VERBS.get(name, ()))


_OTHERS = (
    "gradle",
    "gradlew",
    "sbt",
    "python",
    "python3",
    "netlify",
    "cosign",
    "serverless",
    "sls",
    "bazel",
    "bazelisk",
    "aws",
)
JUDGES = dict.fromkeys((*_VERBS, *_ALWAYS, *_OTHERS), (judge,))
