"""The `tf1mem` command: a module for each subcommand parses the arguments, calls tf1mem and prints the result."""
