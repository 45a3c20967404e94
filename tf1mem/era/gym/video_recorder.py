"""gym's recorder of videos, for programs that import it: it records none."""

from __future__ import annotations

import warnings
from typing import Any

from tf1mem.era.gym import error

__all__ = ["VideoRecorder"]


class VideoRecorder:
    """A recorder of an environment's frames. It records none, as gym's did for environments that draw no pictures.

    Args:
        env: The environment.
        path: The video's path, or None.
        metadata: A dict that gym wrote to a file beside the video; None for an empty one.
        enabled: True warns that no video is written.
        base_path: The video's path without its extension, in place of `path`.

    Raises:
        gym.error.Error: `enabled` is True, and both `path` and `base_path` are set.
    """

    def __init__(
        self, env: Any, path: Any = None, metadata: Any = None, enabled: bool = True, base_path: Any = None
    ) -> None:
        if enabled:
            if path is not None and base_path is not None:
                raise error.Error("You can pass at most one of `path` or `base_path`.")
            warnings.warn("gym's VideoRecorder records no videos here: no file is written.", stacklevel=2)
        if path is None and base_path is not None:
            path = base_path + ".mp4"
        self.env, self.path, self.metadata = env, path, metadata or {}
        self.enabled, self.broken, self.functional = False, False, False

    def capture_frame(self) -> None:
        """Does nothing, as in gym where a recorder isn't enabled."""

    def close(self) -> None:
        """Does nothing, as in gym where a recorder isn't enabled."""

    def write_metadata(self) -> None:
        """Does nothing: there is no video."""
