"""What a module says: facts that know no target."""
