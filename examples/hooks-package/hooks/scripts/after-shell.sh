#!/bin/sh
# Tells the model about warnings in a command's output.
input=$(cat)
case $input in
*warning:*) echo '{"decision": "block", "reason": "There are warnings; repair them first."}' ;;
esac
