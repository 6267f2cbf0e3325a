"""The scripted model: an HTTP server on loopback that speaks the model APIs of the clients."""
