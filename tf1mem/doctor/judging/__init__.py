"""From facts to findings: pure, a module for each kind of thing that goes wrong."""
