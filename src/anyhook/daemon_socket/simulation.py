"""How hooks, and the journal, are told that anyhook plays a client: nothing that happens is a client's work."""

SIMULATION = "ANYHOOK_SIMULATION"
"""The variable that names the command of anyhook that plays a client, such as ``fire``: the journal says so."""
SIMULATION_HEADER = "x-anyhook-simulation"
"""The same for HTTP hooks."""
