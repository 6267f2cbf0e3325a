#!/usr/bin/env python3
"""Installed as ``anyhook-client`` where nobody could compile the native one."""

from anyhook.serve.client.client import start

start()
