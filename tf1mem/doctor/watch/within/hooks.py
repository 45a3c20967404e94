"""Hooks TensorFlow's functions that make devices or change settings, never those that run ops (no Session.run)."""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable

from . import lines, record
from .record import EAGER_CONTEXT, LISTING, SERVER, settings_of, shown

_MOST_DEVICES = 200  # distinct names in tf.device; later ones are not recorded

_started = False
_waiting: list[Callable[[], Any]] = []  # the functions to call when the runtime starts
_sessions: dict[Any, int] = {}  # (file, line, class, serialized config) -> number of Sessions
_devices: set[str] = set()  # the names in tf.device so far


def is_started() -> bool:
    """Returns True if TensorFlow's runtime has started in this process."""
    return _started


def when_started(act: Callable[[], Any]) -> None:
    """Registers a function to call once, when the runtime starts."""
    _waiting.append(act)


def session_counts() -> list[int]:
    """Returns the number of Sessions behind each "session" line of the record, in the record's order."""
    return list(_sessions.values())


def _start(by: str, where: dict[str, Any], settings: dict[str, Any], devices: list[dict[str, Any]]) -> None:
    """Records that devices were made; the first time is the start of the runtime."""
    global _started
    record.write("start", by=by, where=where, settings=settings, devices=devices, first=not _started)
    _started = True
    while _waiting:
        _waiting.pop()()


def _wrap(owner: Any, name: str, make: Callable[[Any], Callable[..., Any]]) -> Any:
    """Wraps the function `owner.name`, if it exists, and returns the wrapper."""
    original = getattr(owner, name, None)
    if original is None:
        return None
    around = functools.wraps(original)(make(original))
    setattr(owner, name, around)
    return around


def _failed(event: str, error: BaseException, **more: Any) -> None:
    """Records a call that raised an error, with the error's first line."""
    record.write(event, error="{}: {}".format(type(error).__name__, str(error).strip().split("\n")[0][:300]), **more)


# --- Sessions --------------------------------------------------------------------------------------------------


def _session_loaded(module: Any) -> None:
    def around(original: Any) -> Callable[..., None]:
        def init(self: Any, target: Any = "", graph: Any = None, config: Any = None) -> None:
            kind = type(self).__name__
            try:
                original(self, target, graph, config)
            except Exception as error:
                _failed("session", error, kind=kind, where=lines.place(), given=settings_of(config), late=_started)
                raise
            _note_session(self, kind, target, config)

        return init

    _wrap(module.BaseSession, "__init__", around)


def _note_session(session: Any, kind: str, target: Any, config: Any) -> None:
    """Records a Session; counts it, if the same line has made one of the same class and config before."""
    where = lines.place()
    key = (where["file"], where["line"], kind, None if config is None else config.SerializeToString())
    if key in _sessions:
        _sessions[key] += 1
        return
    _sessions[key] = 1
    used = settings_of(getattr(session, "_config", config))
    record.write(
        "session",
        kind=kind,
        where=where,
        given=None if config is None else settings_of(config),
        used=used,
        target=str(target or ""),
        late=_started,
    )
    if not target:
        _start(kind, where, used, [] if _started else _devices_of(session))


def _devices_of(session: Any) -> list[dict[str, Any]]:
    try:
        return [_device(device.name, device.memory_limit_bytes) for device in session.list_devices()]
    except Exception:  # whatever TensorFlow raises: the script must not notice
        return []


def _device(name: str, limit: int) -> dict[str, Any]:
    return {"name": name.rsplit("device:", 1)[-1], "memory_limit_bytes": limit}


# --- the eager context -----------------------------------------------------------------------------------------


def _context_loaded(module: Any) -> None:
    class_ = module.Context
    original = class_.ensure_initialized

    @functools.wraps(original)
    def ensure_initialized(self: Any) -> None:
        if getattr(self, "_context_handle", None) is not None:
            original(self)
            return
        try:
            original(self)
        except Exception as error:
            _failed("start", error, by=EAGER_CONTEXT, where=lines.place(), settings={}, devices=[], first=False)
            raise
        if class_.ensure_initialized is ensure_initialized:
            class_.ensure_initialized = original  # it is called for every op
        _start(EAGER_CONTEXT, lines.place(), _settings_of_context(self), _devices_of_context(self))

    class_.ensure_initialized = ensure_initialized
    _wrap(module, "set_log_device_placement", functools.partial(_around_setter, "set_log_device_placement"))


def _settings_of_context(context: Any) -> dict[str, Any]:
    try:
        return settings_of(context.config)
    except Exception:  # TensorFlow 1.13 has none, and another may refuse
        return settings_of(getattr(context, "_config", None))


def _devices_of_context(context: Any) -> list[dict[str, Any]]:
    try:
        names = context.devices()
    except Exception:
        return []
    return [{"name": str(name).rsplit("device:", 1)[-1]} for name in names]


def _ops_loaded(module: Any) -> None:
    def around_device(original: Any) -> Callable[..., Any]:
        def device(*args: Any, **kwargs: Any) -> Any:
            spec = args[0] if args else None
            if spec.__class__ is str and spec not in _devices and len(_devices) < _MOST_DEVICES:
                _devices.add(spec)
                record.write("device", name=spec, where=lines.place())
            return original(*args, **kwargs)

        return device

    def around_eager(original: Any) -> Callable[..., Any]:
        def enable_eager_execution(config: Any = None, *args: Any, **kwargs: Any) -> Any:
            before = _eager_by_default(module)
            result = original(config, *args, **kwargs)
            if config is not None:
                context = getattr(context_module(), "_context", None)
                ignored = before and getattr(context, "_config", None) is not config
                record.write(
                    "eager_config", where=lines.place(), given=settings_of(config), ignored=ignored, late=_started
                )
            return result

        return enable_eager_execution

    _wrap(module, "device", around_device)
    _wrap(module, "enable_eager_execution", around_eager)


def context_module() -> Any:
    """Returns TensorFlow's module of the eager context if it is loaded, or None."""
    for package in ("tensorflow", "tensorflow_core"):
        module = sys.modules.get(package + ".python.eager.context")
        if module is not None:
            return module
    return None


def _eager_by_default(ops: Any) -> bool:
    module = context_module()
    return getattr(module, "default_execution_mode", None) == getattr(module, "EAGER_MODE", 1)


# --- listings and servers --------------------------------------------------------------------------------------


def _device_lib_loaded(module: Any) -> None:
    def around(original: Any) -> Callable[..., Any]:
        def list_local_devices(*args: Any, **kwargs: Any) -> Any:
            result = original(*args, **kwargs)
            config = args[0] if args else kwargs.get("session_config")
            devices = [_device(device.name, device.memory_limit) for device in result]
            _start(LISTING, lines.place("device_lib.list_local_devices"), settings_of(config), devices)
            return result

        return list_local_devices

    _wrap(module, "list_local_devices", around)


def _server_loaded(module: Any) -> None:
    def around(original: Any) -> Callable[..., None]:
        def init(self: Any, *args: Any, **kwargs: Any) -> None:
            original(self, *args, **kwargs)
            config = args[4] if len(args) > 4 else kwargs.get("config")
            _start(SERVER, lines.place("tf.distribute.Server"), settings_of(config), [])

        return init

    _wrap(module.Server, "__init__", around)


# --- tf.config -------------------------------------------------------------------------------------------------

_SETTERS = (
    "set_memory_growth",
    "set_virtual_device_configuration",
    "set_logical_device_configuration",
    "set_visible_devices",
    "set_soft_device_placement",
    "set_intra_op_parallelism_threads",
    "set_inter_op_parallelism_threads",
    "set_optimizer_jit",
)


def _config_loaded(module: Any) -> None:
    _wrap(module, "list_physical_devices", _around_listing)
    for name in _SETTERS:
        _wrap(module, name, functools.partial(_around_setter, name))


def _around_listing(original: Any) -> Callable[..., Any]:
    recorded: list[bool] = []

    def list_physical_devices(*args: Any, **kwargs: Any) -> Any:
        if not recorded:
            recorded.append(True)
            record.write("cuda", where=lines.place())
        return original(*args, **kwargs)

    return list_physical_devices


def _around_setter(name: str, original: Any) -> Callable[..., Any]:
    def setter(*args: Any, **kwargs: Any) -> Any:
        event = {
            "call": name,
            "arguments": [shown(value) for value in (*args, *kwargs.values())],
            "where": lines.place(),
            "late": _started,
        }
        try:
            result = original(*args, **kwargs)
        except Exception as error:
            _failed("setting", error, **event)
            raise
        record.write("setting", **event)
        return result

    return setter


# Module name after "tensorflow." -> function to call when the module has loaded.
LOADED: dict[str, Callable[[Any], None]] = {
    "python.client.session": _session_loaded,
    "python.client.device_lib": _device_lib_loaded,
    "python.eager.context": _context_loaded,
    "python.framework.config": _config_loaded,
    "python.framework.ops": _ops_loaded,
    "python.training.server_lib": _server_loaded,
}
