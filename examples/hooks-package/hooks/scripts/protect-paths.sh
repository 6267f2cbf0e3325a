#!/bin/sh
# Blocks writing to protected places: exit status 2, the reason on stderr and as JSON.
input=$(cat)
case $input in
*'"/etc/'* | *'"/usr/'*)
    echo '{"hookSpecificOutput": {"hookEventName": "pre-tool-use", "permissionDecision": "deny", "permissionDecisionReason": "protected path"}}'
    echo "blocked: this is a protected path" >&2
    exit 2
    ;;
esac
