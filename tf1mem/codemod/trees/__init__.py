"""Trees of files: which, read, rewritten by many workers, written so that nothing is lost, and told of."""
