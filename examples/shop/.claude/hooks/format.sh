#!/bin/sh
# A formatter would go here.
cat > /dev/null
