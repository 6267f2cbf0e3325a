#!/bin/sh
# A stop gate: the agent continues while TODO.md has open items, such as "- [ ] write the tests".
# Only once: an agent that wants to stop again has a reason.
input=$(cat)

refuse() { # REASON
    echo "$1" >&2
    exit 2
}

if printf '%s' "$input" | grep -Eq '"(stop_?[hH]ook_?[aA]ctive" *: *true|loop_count" *: *[1-9])'; then
    exit 0
fi
if grep -q '^- \[ \]' "${HOOK_TEST_TODO:-TODO.md}" 2>/dev/null; then
    refuse "TODO.md has open items: finish them, or say why they have to wait"
fi
exit 0
