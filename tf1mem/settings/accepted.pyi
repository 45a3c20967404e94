"""The type of the configs that `tf1mem.apply` and `tf1mem.plan` take, for type checkers: it can't be imported."""

import os
from typing import Any, Mapping, Protocol, Union

from tf1mem.settings.settings import Settings

class AnyConfigProto(Protocol):
    """A ConfigProto of any TensorFlow, whichever stubs describe it."""

    @property
    def gpu_options(self) -> Any: ...
    @property
    def device_count(self) -> Any: ...
    def SerializeToString(self) -> bytes: ...

class AnyGPUOptions(Protocol):
    """GPUOptions of any TensorFlow, whichever stubs describe them."""

    @property
    def per_process_gpu_memory_fraction(self) -> float: ...
    def SerializeToString(self) -> bytes: ...

Config = Union[Settings, AnyConfigProto, AnyGPUOptions, Mapping[str, Any], bytes, bytearray, str, os.PathLike[str]]
