#!/usr/bin/env bash
# A short tour of anyhook, from a new package to a blocked command; `make demo` installs anyhook and runs this.
set -euo pipefail
home=$(mktemp -d) # nothing is written to yours
trap 'anyhook daemon stop >/dev/null 2>&1 || true; rm -rf "$home"' EXIT
unset XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR XDG_STATE_HOME ANYHOOK_STATE_DIR
export HOME=$home
mkdir "$home/project"
cd "$home/project"
steps=6
number=0

step() { # TITLE
    number=$((number + 1))
    printf '\n# %s/%s  %s\n' "$number" "$steps" "$1"
}

show() { # COMMAND, as a line for the shell
    printf '$ %s\n' "$1"
    sh -c "$1" </dev/null
}

step "Write a package of hooks: a guard for the shell, a formatter, a gate for the end, and test cases for each."
show "anyhook init" | sed '/^Next:/,$d'

step "Test them without an agent."
show "anyhook test"

step "Clients differ: what would each of them do with these hooks?"
show "anyhook matrix --client claude-code,codex,gemini-cli,copilot-cli,cursor,windsurf"

step "Let two clients run them. Hooks that do more than restrict run once you trust them."
show "anyhook deploy --client claude-code,codex --yes"

step "The agent wants to delete everything. This is what Codex would do:"
show "echo '{\"tool_name\": \"Bash\", \"tool_input\": {\"command\": \"cd / && rm -rf *\"}}' > event.json"
show "anyhook fire --client codex --event PreToolUse < event.json"

step "What did my hooks do?"
show "anyhook log"

cat <<'END'

No agent was needed, and nothing is left behind. Next: pip install . and, in your own project,
  anyhook           what hooks are here, what is wrong with them, what to do next
  anyhook init      begin with the package of this tour
  anyhook add       ready-made guards
Five minutes each: docs/start/with-hooks.md, without-hooks.md, agent-builders.md, teams.md
END
