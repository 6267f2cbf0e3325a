#!/bin/sh
# A guard: shell commands that destroy more than a mistake should do not run.
input=$(cat)

refuse() { # REASON
    echo "$1" >&2
    exit 2
}

has() { # PATTERN
    printf '%s' "$input" | grep -Eq -- "$1"
}

if has 'rm +-[A-Za-z]+ +(/|~|\$HOME)/?\*?([\\" ;&|]|$)'; then
    refuse "blocked: this removes everything"
fi
if has 'git +push .*(--force|-f)([\\" ]|$)'; then
    refuse "blocked: a forced push loses the work of others"
fi
if has '(mkfs[. ]|dd .*of=/dev/)'; then
    refuse "blocked: this overwrites a disk"
fi
exit 0
