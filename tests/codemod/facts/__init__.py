"""Tests of the facts that the codemod reads in a module, whatever the target is."""
