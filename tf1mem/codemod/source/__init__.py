"""Python source as bytes and as a tree: names, scopes, control flow, and edits of its bytes."""
