"""Temporary folders are removed by a later process if the one that created them was killed."""

from __future__ import annotations

import os
import threading

from tf1mem.machine import folders


def test_threads_create_folders_and_sweep_at_once(tmp_path):
    """Each thread also sweeps: a folder that another thread removes meanwhile is no error, and one in use stays."""
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


def test_a_new_folder_waits_for_a_sweep_that_holds_its_lock(tmp_path):
    """A sweep holds each lock for a moment; a folder that stayed unlocked would be removed by a later sweep."""
    lock_file = tmp_path / ".held"
    lock_file.touch()
    first_sweep, folder, second_sweep = (os.open(lock_file, os.O_RDWR) for _ in range(3))
    assert folders._lock(first_sweep)
    assert folders._lock(folder) is False
    threading.Timer(0.2, os.close, [first_sweep]).start()
    assert folders._lock(folder, wait=True)
    assert folders._lock(second_sweep) is False
    for descriptor in (folder, second_sweep):
        os.close(descriptor)
