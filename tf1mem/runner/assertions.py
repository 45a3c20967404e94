"""Rewrites the program's own test modules and conftest.py, which pytest loads itself to rewrite their asserts."""

from __future__ import annotations

import logging
import os
from inspect import signature
from types import CodeType, ModuleType
from typing import Any

from tf1mem.runner.policy import Policy
from tf1mem.runner.program_imports import redirect

log = logging.getLogger("tf1mem")

# pytest's module that loads them.
MODULE = "_pytest.assertion.rewrite"


def follow(policy: Policy, rewriting: ModuleType) -> None:
    """Makes pytest point a module's imports at tf1mem.v1 when it rewrites the asserts.

    Args:
        policy: Decides which files to rewrite.
        rewriting: pytest's module `MODULE`, in the form that it has since pytest 5.0.
    """
    asserts, read, write = (getattr(rewriting, name, None) for name in ("rewrite_asserts", "_read_pyc", "_write_pyc"))
    if asserts is None or read is None or write is None or list(signature(asserts).parameters)[1:2] != ["source"]:
        log.warning(
            "the test modules that this pytest loads stay on TensorFlow 2, since tf1mem doesn't know how it loads "
            "them. "
            "Run it with --assert=plain.",
        )
        return

    def is_own(filename: str) -> bool:
        return policy.territory.owns(os.path.splitext(os.path.basename(filename))[0], filename)

    def rewrite_asserts(tree: Any, source: bytes, module_path: str | None = None, config: Any = None) -> None:
        if module_path is not None and is_own(module_path):
            redirect(tree, source, policy.roots, policy.repairs)
        asserts(tree, source, module_path, config)

    # pytest caches rewritten code for its next run, which may be one without tf1mem.
    def read_pyc(source: Any, *arguments: Any) -> CodeType | None:
        code: CodeType | None = None if is_own(str(source)) else read(source, *arguments)
        return code

    def write_pyc(state: Any, code: CodeType, *arguments: Any) -> bool:
        return True if is_own(code.co_filename) else bool(write(state, code, *arguments))

    vars(rewriting).update(rewrite_asserts=rewrite_asserts, _read_pyc=read_pyc, _write_pyc=write_pyc)
