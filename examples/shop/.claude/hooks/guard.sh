#!/bin/sh
# Keeps the agent from deleting things: reads the event on stdin, exits with 2 to block.
if grep -q 'rm -rf'; then
  echo 'The guard does not allow rm -rf.' >&2
  exit 2
fi
