"""Trees of files: found, read, rewritten by many workers, written safely, and reported."""
