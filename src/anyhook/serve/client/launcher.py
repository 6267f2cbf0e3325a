#!python
"""Installed as ``anyhook-client`` where no C compiler was found.

Installers replace ``#!python`` by the interpreter of the environment, the one that has anyhook.
"""

from anyhook.serve.client.client import start

start()
