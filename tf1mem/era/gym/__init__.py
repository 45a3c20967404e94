"""gym as it was from 0.9 to 0.21, over today's gymnasium: a program's own files get it for `import gym`.

gymnasium computes; this package has gym's way of calling: `reset()` returns the observation, `step` four values, and
`env.seed` seeds NumPy's generator of that time, so that a seed starts the same episode as it did. An old id makes the
environment with the limits that it had.
"""

from __future__ import annotations

import sys
from importlib import import_module

from tf1mem.era import repair_notes
from tf1mem.era.repairs import Repair
from tf1mem.errors import MissingPackageError

__all__ = [
    "ActionWrapper",
    "Env",
    "GoalEnv",
    "ObservationWrapper",
    "RewardWrapper",
    "Space",
    "Wrapper",
    "error",
    "logger",
    "make",
    "register",
    "registry",
    "spaces",
    "spec",
]

try:
    import_module("gymnasium")
except ModuleNotFoundError as failure:
    if failure.name != "gymnasium":
        raise  # it is installed, and its own import fails
    raise MissingPackageError(
        "import gym",
        "no gym of 0.9 to 0.21 is installed, and gymnasium, which can take its place, isn't either",
        "Install it: pip install 'gymnasium>=1.0'",
    ) from None
repair_notes.note(Repair("", "gym", "gymnasium 1.0", "", "import gym", "replaced"))

from tf1mem.era.gym import error, logger, spaces, video_recorder  # noqa: E402
from tf1mem.era.gym.core import ActionWrapper, Env, GoalEnv, ObservationWrapper, RewardWrapper, Wrapper  # noqa: E402
from tf1mem.era.gym.envs import make, register, registry, spec  # noqa: E402
from tf1mem.era.gym.files import FILES  # noqa: E402
from tf1mem.era.gym.version import VERSION  # noqa: E402

Space = spaces.Space
__version__ = VERSION

for _name, _files in FILES.items():
    _module = import_module(f"{__name__}.{_name}")
    for _file in _files:
        sys.modules.setdefault(f"{__name__}.{_name}.{_file}", _module)
sys.modules.setdefault(f"{__name__}.spaces.prng", spaces.prng)
sys.modules.setdefault(f"{__name__}.wrappers.monitoring.video_recorder", video_recorder)
