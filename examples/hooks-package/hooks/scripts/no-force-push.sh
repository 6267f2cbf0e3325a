#!/bin/sh
# Blocks a forced push, but forgets to say why: exit status 2 and nothing on stderr.
input=$(cat)
case $input in
*'push --force'*) exit 2 ;;
esac
