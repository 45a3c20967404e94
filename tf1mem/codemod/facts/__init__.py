"""Facts about a module, independent of any target."""
