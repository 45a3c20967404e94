"""The type of what `tf1mem.apply` and `tf1mem.plan` take. There is no such module when a program runs."""

import os
from typing import Any, Mapping, Protocol, Union

from tf1mem.settings.settings import Settings

class AnyConfigProto(Protocol):
    """A ConfigProto of any TensorFlow, with whichever stubs."""

    @property
    def gpu_options(self) -> Any: ...
    @property
    def device_count(self) -> Any: ...
    def SerializeToString(self) -> bytes: ...

class AnyGPUOptions(Protocol):
    """GPUOptions of any TensorFlow, with whichever stubs."""

    @property
    def per_process_gpu_memory_fraction(self) -> float: ...
    def SerializeToString(self) -> bytes: ...

Config = Union[Settings, AnyConfigProto, AnyGPUOptions, Mapping[str, Any], bytes, bytearray, str, os.PathLike[str]]
