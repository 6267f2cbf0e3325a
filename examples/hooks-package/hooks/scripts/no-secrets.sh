#!/bin/sh
# Keeps keys out of prompts.
input=$(cat)
case $input in
*AKIA*)
    echo "the prompt has an access key in it" >&2
    exit 2
    ;;
esac
