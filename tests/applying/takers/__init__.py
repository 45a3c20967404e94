"""What takes no config: how many bytes of a simulated GPU it takes, wherever the settings come from."""
