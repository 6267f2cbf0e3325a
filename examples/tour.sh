#!/usr/bin/env bash
# A short tour of anyhook; `make demo` installs it and runs this.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/shop"
home=$(mktemp -d) # so that the tour shows the same hooks on every machine
trap 'rm -rf "$home"' EXIT

step() {
    printf '\n# %s\n' "$1"
}

show() {
    printf '$ %s\n' "$*"
    "$@" --home "$home" || true # problems found is what the tour is about
}

step "Five clients guard this shop against rm -rf. Which hooks are there, and in which state?"
show anyhook list --client claude-code --client codex --client gemini-cli --client cursor
step "An agent wants to use the shell. Which guards would run?"
show anyhook explain PreToolUse --tool Bash --client codex --client cursor --client gemini-cli
step "What is wrong with these files?"
show anyhook check
step "How do clients differ?"
printf '$ anyhook dialects\n'
anyhook dialects
printf '\nNothing was run. To go on: anyhook --help\n'
