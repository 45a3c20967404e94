"""Reports of verdicts: for people, for programs, and for code scanning."""
