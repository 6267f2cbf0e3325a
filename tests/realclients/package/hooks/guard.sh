#!/bin/sh
# Blocks what is dangerous, and puts one command in place of another.
payload=$(cat)
case $payload in
*DANGER*)
  echo "guard: no DANGER here" >&2
  exit 2
  ;;
*"touch before.txt"*)
  echo '{"hookSpecificOutput": {"permissionDecision": "allow", "updatedInput": {"command": "touch after.txt"}}}'
  ;;
esac
