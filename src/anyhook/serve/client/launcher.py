#!/usr/bin/env python3
"""Installed as ``anyhook-client`` where the C client was not compiled."""

from anyhook.serve.client.client import start

start()
