#!/bin/sh
# What a session starts with: plain text for the model.
echo "This package is tested with: anyhook test"
