"""The codemod's tests."""
