#!/bin/sh
# Keeps secrets out of the repository, if it finds the path where Claude Code puts it.
if grep -q '"file_path":"[^"]*\.env"'; then
  echo 'Secrets do not belong here.' >&2
  exit 2
fi
