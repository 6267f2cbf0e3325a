"""Why hooks do not fire on this machine: clients, programs, entries, trust and the daemon, with remedies."""
