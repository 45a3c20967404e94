"""The `tf1mem` command: one thin module per command, which parses, calls and prints."""
