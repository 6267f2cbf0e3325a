#!/bin/sh
# A guard: shell commands that destroy more than a mistake should do not run. It searches for words in the command;
# `anyhook add shell` has a guard that judges what a command line would really start.
input=$(cat)

refuse() { # REASON
    echo "$1" >&2
    exit 2
}

if printf '%s' "$input" | grep -Eq 'rm +-[A-Za-z]+ +(/|~|\$HOME)/?\*?([\\" ;&|]|$)'; then
    refuse "blocked: this removes everything"
fi
if printf '%s' "$input" | grep -Eq 'git +push .*(--force|-f)([\\" ]|$)'; then
    refuse "blocked: a forced push loses the work of others"
fi
if printf '%s' "$input" | grep -Eq '(mkfs[. ]|dd .*of=/dev/)'; then
    refuse "blocked: this overwrites a disk"
fi
exit 0
