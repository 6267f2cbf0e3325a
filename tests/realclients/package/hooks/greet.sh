#!/bin/sh
# Tells the model something that it would not know otherwise.
echo '{"hookSpecificOutput": {"additionalContext": "The password of the day is heron."}}'
