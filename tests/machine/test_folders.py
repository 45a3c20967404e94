"""Temporary folders that are removed if their maker was killed."""

from __future__ import annotations

import os
import threading

from tf1mem.machine import folders


def test_folders_that_come_and_go_while_others_sweep(tmp_path):
    """Each thread sweeps the others' folders: one that disappears meanwhile is no error, and one in use stays."""
    errors = []

    def make():
        try:
            for _ in range(150):
                with folders.temporary("tf1mem-test-", str(tmp_path)) as folder:
                    assert (folder / ".held").exists()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert os.listdir(tmp_path) == []


def test_a_maker_waits_for_who_looks_at_its_mark(tmp_path):
    """A sweep takes the lock for a moment; a maker that went on without the lock would lose its folder to a sweep."""
    mark = tmp_path / ".held"
    mark.touch()
    looking, making, later = (os.open(mark, os.O_RDWR) for _ in range(3))
    assert folders._lock(looking)
    assert folders._lock(making) is False
    ended = threading.Timer(0.2, os.close, [looking])
    ended.start()
    assert folders._lock(making, wait=True)
    assert folders._lock(later) is False
    for opened in (making, later):
        os.close(opened)
