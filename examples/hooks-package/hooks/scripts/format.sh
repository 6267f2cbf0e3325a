#!/bin/sh
# Would call a formatter. What it prints is for people.
echo "formatted ${file:-the file}"
