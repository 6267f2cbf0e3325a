#!/bin/sh
# Refuses a push, if it finds the tool and the command where Claude Code puts them.
payload=$(cat)
case $payload in
  *'"tool_name":"Bash"'*'git push'*)
    echo 'Not on the main branch.' >&2
    exit 2 ;;
esac
