"""How verdicts are told: to people, to programs, and to code scanning."""
