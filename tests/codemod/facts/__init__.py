"""What a module says, whatever it is rewritten to."""
