"""What happened: events and outcomes kept as they were, with secrets taken out."""
