#!/bin/sh
# A formatter goes here.
cat > /dev/null
echo formatted
