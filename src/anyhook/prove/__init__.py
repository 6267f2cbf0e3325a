"""Drives real clients: installs them, gives them a scripted model, and reports which hooks fired and what they did.

A run changes nothing outside a temporary folder and reaches no network: see :mod:`anyhook.prove.run`.
"""
