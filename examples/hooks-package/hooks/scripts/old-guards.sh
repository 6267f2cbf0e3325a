#!/bin/sh
# Guards as people write them by heart. None of them holds in every client: that is what the matrix shows.
input=$(cat)
case $input in
*'drop table'*)
    echo '{"decision": "block", "reason": "no table is dropped here"}'
    ;;
*'curl '*)
    echo "downloads are not allowed" >&2
    exit 1
    ;;
*'chmod 777'*)
    echo '{"hookSpecificOutput": {"hookEventName": "pre-tool-use", "permissionDecision": "deny", "permissionDecisionReason": "not for everybody"}, "severity": "high"}'
    ;;
*'mkfs'*)
    echo 'checking ... {"decision": "block"'
    ;;
esac
