"""The lifecycle of an agent session, for hosts that embed the engine."""
