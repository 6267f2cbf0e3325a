#!/usr/bin/env bash
# A short tour of anyhook; `make demo` installs it and runs this.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/shop"
home=$(mktemp -d) # so that the tour shows the same hooks on every machine
trap 'HOME=$home anyhook daemon stop >/dev/null 2>&1 || true; rm -rf "$home"' EXIT
unset XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR XDG_STATE_HOME

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

step "Your own hooks: write a package, test it without an agent, deploy it, trust it, and try it."
cd "$home"
mkdir package
cd package
export HOME=$home # nothing is written to yours
run() {
    printf '$ %s\n' "$*"
    "$@" </dev/null
}
run anyhook init
run anyhook test
run anyhook deploy --to claude-code
run anyhook trust --yes
event='{"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}'
printf "$ echo '%s' | anyhook exec --client claude-code --event PreToolUse\n" "$event"
printf '%s' "$event" | anyhook exec --client claude-code --event PreToolUse
printf '\n\nNo agent was needed. To go on: anyhook --help\n'
