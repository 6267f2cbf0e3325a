"""How a process reaches the daemon of its user: the folder, the protocol and the commands that it answers."""
