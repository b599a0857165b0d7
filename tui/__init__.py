"""Everything that a person or an agent talks to: the command line and the app."""
