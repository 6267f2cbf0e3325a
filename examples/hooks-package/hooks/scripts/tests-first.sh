#!/bin/sh
# Keeps the agent going until the tests have passed: a file says so.
[ -e "${PACKAGE_ROOT:-.}/tests-passed" ] && exit 0
echo '{"decision": "block", "reason": "Tests not yet executed"}'
