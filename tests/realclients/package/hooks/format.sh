#!/bin/sh
# Formats the file that was written: no blanks around an equals sign.
exec sed -i 's/ *= */=/' "$1"
