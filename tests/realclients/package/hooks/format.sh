#!/bin/sh
# Formats the file that was written: no blanks at the ends of lines.
exec sed -i 's/  *$//' "$1"
