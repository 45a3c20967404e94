"""gym's registry of environments: gym's old ids with their limits, and those that a program registers."""

from __future__ import annotations

import re
import warnings
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Iterable

import gymnasium

from tf1mem.era.gym import error
from tf1mem.era.gym.core import from_gymnasium
from tf1mem.errors import MissingPackageError, RemovedSymbolError

# An id: a namespace and "/", which may be missing; the name; and the version.
_ID = re.compile(r"^(?:[\w:-]+/)?([\w:.-]+)-v(\d+)$")
# The package that an entry point means by "gym", such as "gym.envs.classic_control:CartPoleEnv".
_PACKAGE = __name__[: -len(".envs.registration")]

# Ids of gym 0.9 to 0.21: name, versions, maximum number of steps, reward threshold; "-" for no maximum or threshold.
# Source: gym/envs/__init__.py.
_OLD = """
Acrobot 1 500 -100.0
Ant 1,2,3 1000 6000.0
BipedalWalker 2,3 1600 300
BipedalWalkerHardcore 2,3 2000 300
Blackjack 0,1 - -
CarRacing 0,1 1000 900
CartPole 0 200 195.0
CartPole 1 500 475.0
CliffWalking 0 - -
FrozenLake 0,1 100 0.78
FrozenLake8x8 0,1 200 0.99
HalfCheetah 1,2,3 1000 4800.0
Hopper 1,2,3 1000 3800.0
Humanoid 1,2,3 1000 -
HumanoidStandup 1,2 1000 -
InvertedDoublePendulum 1,2 1000 9100.0
InvertedPendulum 1,2 1000 950.0
LunarLander 2 1000 200
LunarLanderContinuous 2 1000 200
MountainCar 0 200 -110.0
MountainCarContinuous 0 999 90.0
Pendulum 0,1 200 -
Pusher 1,2 100 0.0
Reacher 1,2 50 -3.75
Swimmer 1,2,3 1000 360.0
Taxi 1,2,3 200 8
Walker2d 1,2,3 1000 -
"""
# Names of environments that gym had and gymnasium doesn't have.
_GONE = (
    "Copy DuplicatedInput GuessingGame HotterColder KellyCoinflip KellyCoinflipGeneralized NChain RepeatCopy Reverse "
    "ReversedAddition ReversedAddition3 Roulette Striker Thrower"
).split()
# Names of the environments of Atari games, which ale_py has, and of robots, which gymnasium_robotics has.
_ATARI = re.compile(
    r"(?:AirRaid|Alien|Amidar|Assault|Asterix|Asteroids|Atlantis|BankHeist|BattleZone|BeamRider|Berzerk|Bowling|Boxing|"
    r"Breakout|Carnival|Centipede|ChopperCommand|CrazyClimber|DemonAttack|DoubleDunk|ElevatorAction|Enduro|FishingDerby|"
    r"Freeway|Frostbite|Gopher|Gravitar|Hero|IceHockey|Jamesbond|JourneyEscape|Kangaroo|Krull|KungFuMaster|"
    r"MontezumaRevenge|MsPacman|NameThisGame|Phoenix|Pitfall|Pong|Pooyan|PrivateEye|Qbert|Riverraid|RoadRunner|Robotank|"
    r"Seaquest|Skiing|Solaris|SpaceInvaders|StarGunner|Tennis|TimePilot|Tutankham|UpNDown|Venture|VideoPinball|"
    r"WizardOfWor|YarsRevenge|Zaxxon|Adventure|Defender)(?:-ram)?(?:Deterministic|NoFrameskip)?$"
)
_ROBOTS = re.compile(r"(?:Fetch|Hand)[A-Z]")
# The first version of MuJoCo's environments that uses the package `mujoco`. Its dynamics are those of versions 1 to 3.
_MUJOCO_VERSION = 4
# Name -> versions whose dynamics differ from gymnasium's, and the change.
_CHANGED = {"Taxi": ((1, 2), "its map has a wall elsewhere since v3")}


class EnvSpec:
    """The entry of an environment in the registry.

    Args:
        id: The id, such as "CartPole-v0".
        entry_point: The class of the environment, or its place as "module:Class"; None for one that gym deprecated.
        reward_threshold: The reward of an episode from which on the task counts as solved; None for none.
        kwargs: A dict of the class's arguments; None for none.
        nondeterministic: True if a seed doesn't determine the environment.
        tags: A dict of further facts, such as {"vnc": True}; None for none.
        max_episode_steps: The maximum number of steps of an episode; None for no limit.
        timestep_limit: `max_episode_steps` by the name that it had in gym 0.9.
        **others: Ignored.

    Raises:
        gym.error.Error: The id is malformed.
    """

    def __init__(  # noqa: PLR0917
        self,
        id: str,
        entry_point: Any = None,
        reward_threshold: Any = None,
        kwargs: Any = None,
        nondeterministic: bool = False,
        tags: Any = None,
        max_episode_steps: Any = None,
        timestep_limit: Any = None,
        **others: Any,
    ) -> None:
        match = _ID.match(id)
        if match is None:
            raise error.Error(f"Attempted to register malformed environment ID: {id}")
        self.id = id
        self.entry_point = entry_point
        self.reward_threshold = reward_threshold
        self.nondeterministic = nondeterministic
        self.max_episode_steps = timestep_limit if max_episode_steps is None else max_episode_steps
        self.tags = {**(tags or {}), "wrapper_config.TimeLimit.max_episode_steps": self.max_episode_steps}
        self._env_name = match.group(1)
        self._kwargs = dict(kwargs or {})

    @property
    def timestep_limit(self) -> Any:
        """The maximum number of steps of an episode, as gym 0.9 called it."""
        return self.max_episode_steps

    def make(self, **kwargs: Any) -> Any:
        """Returns a new environment, without wrappers.

        Args:
            **kwargs: Arguments of the class, which replace those of the entry.

        Raises:
            gym.error.Error: The environment has no entry point: gym has deprecated it.
        """
        if self.entry_point is None:
            raise error.Error(f"Attempting to make deprecated env {self.id}")
        env = load(self.entry_point)(**{**self._kwargs, **kwargs})
        if isinstance(env, gymnasium.Env):
            env = from_gymnasium(env)
        env.unwrapped.spec = self
        return env

    def __repr__(self) -> str:
        return f"EnvSpec({self.id})"


def load(name: Any) -> Any:
    """Returns the class at "module:Class"; a class or function is returned as it is."""
    if not isinstance(name, str):
        return name
    module, _, attribute = name.partition(":")
    if module.partition(".")[0] == "gym":
        module = _PACKAGE + module[len("gym") :]
    return getattr(import_module(module), attribute)


class _GymnasiumEntryPoint:
    """An entry point that makes an environment of gymnasium.

    Args:
        id: gym's id, for messages.
        today: gymnasium's id of the environment.
    """

    def __init__(self, id: str, today: str) -> None:
        self.id, self.today = id, today

    def __call__(self, **arguments: Any) -> Any:
        """Returns a new environment.

        Raises:
            MissingPackageError: gymnasium lacks a package that the environment needs.
        """
        entry = str(gymnasium.registry[self.today].entry_point)
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", ".*out of date.*")
                env = gymnasium.make(self.today, disable_env_checker=True, **arguments)
        except (error.DependencyNotInstalled, ImportError) as reason:
            extra = next((extra for extra in ("mujoco", "box2d") if extra in entry), "classic-control")
            raise MissingPackageError(
                f'gym.make("{self.id}")',
                f"gymnasium lacks a package for it ({reason})",
                f'Install it: pip install "gymnasium[{extra}]>=1.0"',
            ) from None
        name, version = _parts(self.id)
        versions, change = _CHANGED.get(name, ((), ""))
        if version in versions:
            warnings.warn(f"{self.id} has the dynamics of {self.today}: {change}", UserWarning, stacklevel=4)
        return env


class EnvRegistry:
    """The entries of environments.

    Attributes:
        env_specs: Id -> entry. gymnasium's further ids are added when they are looked up.
    """

    def __init__(self) -> None:
        self.env_specs = {spec.id: spec for spec in _old_specs()}

    def make(self, path: str, **kwargs: Any) -> Any:
        """Returns a new environment, in a `TimeLimit` if its entry has a maximum number of steps.

        Args:
            path: The id, or "module:id"; see `spec`, which also raises the errors for it.
            **kwargs: Arguments of the environment's class, which replace those of the entry.
        """
        spec = self.spec(path)
        env = spec.make(**kwargs)
        if spec.max_episode_steps is not None and not spec.tags.get("vnc"):
            from tf1mem.era.gym.wrappers import TimeLimit

            env = TimeLimit(env, spec.max_episode_steps)
        return env

    def all(self) -> Iterable[EnvSpec]:
        """Returns the entries."""
        return self.env_specs.values()

    def spec(self, path: str) -> EnvSpec:
        """Returns the entry of an id; "module:id" imports the module first.

        Raises:
            gym.error.Error: The module can't be imported, or the id is malformed or unknown.
            MissingPackageError: The package that has the environment isn't installed.
            RemovedSymbolError: gymnasium doesn't have this environment of gym's.
        """
        module, colon, id = path.rpartition(":")
        if colon:
            try:
                import_module(module)
            except ImportError:
                raise error.Error(f"A module ({module}) was specified for the environment but was not found") from None
        match = _ID.match(id)
        if match is None:
            raise error.Error(f"Attempted to look up malformed environment ID: {id}")
        if id not in self.env_specs:
            self.env_specs[id] = self._looked_up(id, match.group(1))
        return self.env_specs[id]

    def _looked_up(self, id: str, name: str) -> EnvSpec:
        """Returns the entry of an id that isn't registered yet, from gymnasium or its packages; errors: see `spec`."""
        for word, package, remedy in (
            (_ATARI, "ale_py", 'pip install "gymnasium[atari]>=1.0"'),
            (_ROBOTS, "gymnasium_robotics", "pip install gymnasium-robotics"),
        ):
            if word.match(name) and id not in gymnasium.registry:
                if find_spec(package) is None:
                    raise MissingPackageError(
                        f'gym.make("{id}")', f"{package}, which has it, isn't installed", f"Install it: {remedy}"
                    )
                import_module(package)  # registers its environments
        if id in gymnasium.registry:
            today = gymnasium.registry[id]
            return EnvSpec(
                id,
                _GymnasiumEntryPoint(id, id),
                today.reward_threshold,
                nondeterministic=today.nondeterministic,
                max_episode_steps=today.max_episode_steps,
            )
        if name in _GONE:
            raise RemovedSymbolError(
                f'gym.make("{id}")', "gymnasium has no such environment", "Copy its file from gym 0.15 into the program"
            )
        others = [spec.id for spec in self.all() if spec._env_name == name]
        if others:
            raise error.DeprecatedEnv(f"Env {id} not found (valid versions include {others})")
        raise error.UnregisteredEnv(f"No registered env with id: {id}")

    def register(self, id: str, **kwargs: Any) -> None:
        """Registers an environment.

        Args:
            id: The new id.
            **kwargs: The other arguments of `EnvSpec`.

        Raises:
            gym.error.Error: The id is malformed, or taken.
        """
        if id in self.env_specs:
            raise error.Error(f"Cannot re-register id: {id}")
        self.env_specs[id] = EnvSpec(id, **kwargs)


def _parts(id: str) -> tuple[str, int]:
    name, _, version = id.rpartition("-v")
    return name, int(version)


def _old_specs() -> Iterable[EnvSpec]:
    """Yields the entries of gym's old ids that gymnasium can make."""
    versions: dict[str, list[int]] = {}
    of_mujoco = set()
    for today in gymnasium.registry.values():
        # The entry point of MuJoCo's versions 2 and 3 is a function that only raises an error.
        if today.namespace is None and today.version is not None and "_error" not in str(today.entry_point):
            versions.setdefault(today.name, []).append(today.version)
            if ".mujoco." in str(today.entry_point):
                of_mujoco.add(today.name)
    for line in _OLD.strip().splitlines():
        name, old, steps, threshold = line.split()
        for version in map(int, old.split(",")):
            available = versions.get(name, [])
            if not available:
                continue
            # The newest version, if gymnasium has none of the preferred ones.
            preferred = [*([_MUJOCO_VERSION] if name in of_mujoco else []), version]
            chosen = next((number for number in preferred if number in available), max(available))
            id = f"{name}-v{version}"
            yield EnvSpec(
                id,
                _GymnasiumEntryPoint(id, f"{name}-v{chosen}"),
                None if threshold == "-" else float(threshold),
                max_episode_steps=None if steps == "-" else int(steps),
            )


registry = EnvRegistry()


def register(id: str, **kwargs: Any) -> None:
    """Registers an environment: see `EnvRegistry.register`."""
    registry.register(id, **kwargs)


def make(id: str, **kwargs: Any) -> Any:
    """Returns a new environment: see `EnvRegistry.make`."""
    return registry.make(id, **kwargs)


def spec(id: str) -> EnvSpec:
    """Returns the entry of an id: see `EnvRegistry.spec`."""
    return registry.spec(id)
