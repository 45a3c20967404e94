"""The namespace of standalone Keras, `import keras`, whose layers and models also take Keras 1's arguments.

Standalone Keras 2.0 to 2.2 took Keras 1's calls with a warning, and `tf.keras` never did: `Convolution2D(32, 3, 3)` has
a 3x3 kernel in the former, and a kernel of 3 with strides of 3 in the latter. So `tf1mem run` leads the program's own
`import keras` to this namespace. Its classes are proxies of Keras's: a call of a proxy makes an instance of Keras's
own class, and a class derived from a proxy is derived from Keras's own class.
"""

from __future__ import annotations

import copyreg
import functools
import logging
import sys
import threading
import warnings
from abc import ABCMeta
from functools import partial
from importlib import import_module
from typing import Any, Callable, Dict, Mapping, NamedTuple, Tuple

from tf1mem.errors import SettingError, SettingTypeError
from tf1mem.hooks.wrappers import call_before, put_around
from tf1mem.machine.first_start import NOT_THE_USER
from tf1mem.machine.modules import dotted_name
from tf1mem.machine.tensorflow import is_tf1
from tf1mem.names import keras_files
from tf1mem.v1 import (
    _keras_1_layers,
    _keras_alone,
    _keras_alone_applications,
    _keras_alone_initializers,
    _keras_alone_optimizers,
    _keras_backend,
)
from tf1mem.v1._keras_package import keras_file
from tf1mem.v1._namespace import ROOT, Factory, Layer, empty_module, located

log = logging.getLogger("tf1mem")

TOP = "keras_alone"
_VERSION = "2.2.5"  # the version of standalone Keras that the namespace stands for

Call = Tuple[Tuple[Any, ...], Dict[str, Any]]
Change = Callable[[Tuple[Any, ...], Dict[str, Any]], Call]

_KERNEL = {
    "init": "kernel_initializer",
    "W_regularizer": "kernel_regularizer",
    "b_regularizer": "bias_regularizer",
    "W_constraint": "kernel_constraint",
    "b_constraint": "bias_constraint",
    "bias": "use_bias",
}
_RECURRENT = {
    "output_dim": "units",
    "init": "kernel_initializer",
    "inner_init": "recurrent_initializer",
    "inner_activation": "recurrent_activation",
    "W_regularizer": "kernel_regularizer",
    "U_regularizer": "recurrent_regularizer",
    "b_regularizer": "bias_regularizer",
    "dropout_W": "dropout",
    "dropout_U": "recurrent_dropout",
    "consume_less": "implementation",
}
_ORDER = {"dim_ordering": "data_format"}
_PADDING = {"border_mode": "padding"}
_CONVOLUTION = dict(_KERNEL, **_ORDER, **_PADDING, nb_filter="filters", subsample="strides")
_EMBEDDING = {
    "init": "embeddings_initializer",
    "W_regularizer": "embeddings_regularizer",
    "W_constraint": "embeddings_constraint",
}

# New argument -> Keras 1's value of the old argument -> Keras 2's value.
_VALUES: dict[str, dict[str, Any]] = {
    "data_format": {"tf": "channels_last", "default": None},
    "implementation": {"cpu": 1, "mem": 1, "gpu": 2},
}


def _kernel_of(old: tuple[str, ...]) -> Change:
    """Returns a function that replaces the sizes of the dimensions, by position or by name, with one `kernel_size`."""

    def change(args: tuple[Any, ...], arguments: dict[str, Any]) -> Call:
        sizes = args[1 : 1 + len(old)]
        by_name = old[len(sizes) :]
        if all(isinstance(size, int) for size in sizes) and all(name in arguments for name in by_name):
            new = [name for name in ("padding", "strides", "data_format") if name in arguments]
            if new and len(sizes) == len(old) == 2:
                raise SettingError(
                    located(f"a convolution of {sizes[0]}, {sizes[1]} with {new[0]}="),
                    "the second number is the kernel's width in Keras 1 and the strides in Keras 2",
                    "Write kernel_size= and strides=",
                )
            whole = (*sizes, *(arguments.pop(name) for name in by_name))
            args = args[:1] + args[1 + len(old) :]
            arguments = dict(arguments, kernel_size=whole)
        return args, arguments

    return change


def _input_of_steps(args: tuple[Any, ...], arguments: dict[str, Any]) -> Call:
    """Replaces `input_length` and `input_dim` with one `input_shape`."""
    if "input_dim" in arguments:
        shape = (arguments.pop("input_length", None), arguments.pop("input_dim"))
        arguments = dict(arguments, input_shape=shape)
    return args, arguments


def _forget_bias(args: tuple[Any, ...], arguments: dict[str, Any]) -> Call:
    """Replaces `forget_bias_init="one"` with `unit_forget_bias=True`; drops other values."""
    if arguments.pop("forget_bias_init", None) == "one":
        arguments["unit_forget_bias"] = True
    return args, arguments


def _both_initializers(args: tuple[Any, ...], arguments: dict[str, Any]) -> Call:
    """Replaces `init` with the initializers of both kernels, depthwise and pointwise."""
    if "init" in arguments:
        initializer = arguments.pop("init")
        arguments = dict(arguments, depthwise_initializer=initializer, pointwise_initializer=initializer)
    return args, arguments


def _without_output_shape(args: tuple[Any, ...], arguments: dict[str, Any]) -> Call:
    """Drops `output_shape`, by name or as the fourth argument; Keras 2 computes it."""
    arguments.pop("output_shape", None)
    return (args[:3] if len(args) == 4 and isinstance(args[3], tuple) else args), arguments


def _without_dropout(args: tuple[Any, ...], arguments: dict[str, Any]) -> Call:
    """Drops `dropout`, which Keras 2's layer lacks."""
    arguments.pop("dropout", None)
    return args, arguments


def _pads_by_name(args: tuple[Any, ...], arguments: dict[str, Any]) -> Call:
    """Replaces a dict of pads by side with Keras 2's pairs: (top, bottom), (left, right)."""
    pads = args[0] if args else arguments.get("padding")
    if isinstance(pads, dict):
        top, bottom, left, right = (pads.get(side + "_pad", 0) for side in ("top", "bottom", "left", "right"))
        return args[1:], dict(arguments, padding=((top, bottom), (left, right)))
    return args, arguments


def _without_mode(args: tuple[Any, ...], arguments: dict[str, Any]) -> Call:
    """Drops `mode=0`; raises a SettingTypeError for other modes."""
    if arguments.pop("mode", 0) != 0:
        raise SettingTypeError(
            located("BatchNormalization(mode=)"), "Keras 2 has no other mode than 0", "Remove the argument"
        )
    return args, arguments


class _Renames(NamedTuple):
    """The arguments of Keras 1 that a class takes: old name -> new name, and functions for the rest."""

    names: Mapping[str, str]
    changes: tuple[Change, ...] = ()


_2D = _kernel_of(("nb_row", "nb_col"))
_3D = _kernel_of(("kernel_dim1", "kernel_dim2", "kernel_dim3"))
_NOISE = _Renames({"p": "rate"})
_ORDERED = _Renames(_ORDER)
_POOLING = _Renames(dict(_ORDER, **_PADDING))
_POOLING_1D = _Renames(dict(_PADDING, pool_length="pool_size", stride="strides"))
_STEPS = _Renames(
    dict(_KERNEL, **_PADDING, nb_filter="filters", filter_length="kernel_size", subsample_length="strides"),
    (_input_of_steps,),
)
_PLANE = _Renames(_CONVOLUTION, (_2D,))
_SEQUENCE = _Renames(_RECURRENT, (_forget_bias, _input_of_steps))
_MODEL = _Renames({"input": "inputs", "output": "outputs"})
_LAYERS = {
    "AveragePooling1D": _POOLING_1D,
    "AveragePooling2D": _POOLING,
    "AveragePooling3D": _POOLING,
    "BatchNormalization": _Renames(
        {"beta_init": "beta_initializer", "gamma_init": "gamma_initializer"}, (_without_mode,)
    ),
    "Conv1D": _STEPS,
    "Conv2D": _PLANE,
    "Conv2DTranspose": _Renames(_CONVOLUTION, (_without_output_shape, _2D)),
    "Conv3D": _Renames(_CONVOLUTION, (_3D,)),
    "ConvLSTM2D": _Renames({**_RECURRENT, **_CONVOLUTION, "inner_init": "recurrent_initializer"}, (_forget_bias, _2D)),
    "Cropping2D": _ORDERED,
    "Cropping3D": _ORDERED,
    "Dense": _Renames(dict(_KERNEL, output_dim="units")),
    "Dropout": _NOISE,
    "Embedding": _Renames(_EMBEDDING, (_without_dropout,)),
    "GRU": _SEQUENCE,
    "GaussianDropout": _NOISE,
    "GaussianNoise": _Renames({"sigma": "stddev"}),
    "GlobalAveragePooling2D": _ORDERED,
    "GlobalMaxPooling2D": _ORDERED,
    "InputLayer": _Renames({"input_dtype": "dtype"}),
    "LSTM": _SEQUENCE,
    "LocallyConnected1D": _STEPS,
    "LocallyConnected2D": _PLANE,
    "MaxPooling1D": _POOLING_1D,
    "MaxPooling2D": _POOLING,
    "MaxPooling3D": _POOLING,
    "PReLU": _Renames({"init": "alpha_initializer"}),
    "SeparableConv2D": _Renames(_CONVOLUTION, (_both_initializers, _2D)),
    "SimpleRNN": _SEQUENCE,
    "SpatialDropout1D": _NOISE,
    "SpatialDropout2D": _Renames(dict(_ORDER, p="rate")),
    "SpatialDropout3D": _Renames(dict(_ORDER, p="rate")),
    "UpSampling1D": _Renames({"length": "size"}),
    "UpSampling2D": _ORDERED,
    "UpSampling3D": _ORDERED,
    "ZeroPadding2D": _Renames(_ORDER, (_pads_by_name,)),
    "ZeroPadding3D": _ORDERED,
}
# Mode of Keras 1's merge -> the layer.
_MERGES = {"sum": "Add", "mul": "Multiply", "ave": "Average", "max": "Maximum"}
# Other name of a layer -> its name in `_LAYERS`.
_ALIASES = {
    "AvgPool1D": "AveragePooling1D",
    "AvgPool2D": "AveragePooling2D",
    "AvgPool3D": "AveragePooling3D",
    "Convolution1D": "Conv1D",
    "Convolution2D": "Conv2D",
    "Convolution2DTranspose": "Conv2DTranspose",
    "Convolution3D": "Conv3D",
    "Deconv2D": "Conv2DTranspose",
    "Deconvolution2D": "Conv2DTranspose",
    "GlobalAvgPool2D": "GlobalAveragePooling2D",
    "GlobalMaxPool2D": "GlobalMaxPooling2D",
    "MaxPool1D": "MaxPooling1D",
    "MaxPool2D": "MaxPooling2D",
    "MaxPool3D": "MaxPooling3D",
    "SeparableConvolution2D": "SeparableConv2D",
}
_GENERATORS = {
    "samples_per_epoch": "steps_per_epoch",
    "val_samples": "steps",
    "nb_epoch": "epochs",
    "nb_val_samples": "validation_steps",
    "nb_worker": "workers",
    "pickle_safe": "use_multiprocessing",
    "max_q_size": "max_queue_size",
}


def _translated(callee: str, renames: _Renames, args: tuple[Any, ...], arguments: dict[str, Any]) -> Call:
    """Returns a call's arguments under Keras 2's names; warns at the program's line if that changes them.

    Raises:
        SettingError: An argument asks for Theano's ordering of dimensions.
        SettingTypeError: The call has an argument under both names.
    """
    new_args, new = args, dict(arguments)
    for change in renames.changes:
        new_args, new = change(new_args, new)
    for old_name, name in renames.names.items():
        if old_name in new:
            if name in new:
                raise SettingTypeError(
                    located(f"{callee}({old_name}=, {name}=)"), "both are the same argument", f"Remove {old_name}"
                )
            value = new.pop(old_name)
            if old_name == "dim_ordering":
                _refuse_theano(f'{callee}(dim_ordering="th")', value)
            new[name] = _VALUES.get(name, {}).get(value, value) if isinstance(value, str) else value
    if new_args != args or new.keys() != arguments.keys():
        texts = [_text(value) for value in new_args] + [f"{name}={_text(value)}" for name, value in new.items()]
        warnings.warn(
            f"{callee} has arguments of Keras 1 here. In Keras 2 the call is {callee}({', '.join(texts)}).",
            UserWarning,
            stacklevel=3,
        )
    return new_args, new


def _text(value: Any) -> str:
    return repr(value) if isinstance(value, (str, int, float, tuple, type(None))) else "…"


def _refuse_theano(symbol: str, ordering: Any) -> None:
    if ordering == "th":
        raise SettingError(
            located(symbol),
            "Theano's ordering of dimensions, channels first, is not supported",
            'Use "tf", and arrays with the channels last',
        )


class _Derived(ABCMeta):
    """Metaclass of classes that a program derives from a proxy of Keras's class; they may have abstract bases, too.

    The proxy stands right after Keras's own class in their method resolution order. So `super(Dense, self)`, where
    Dense is the proxy, leads to the base of Keras's own class, as it does without proxies.
    """

    def mro(cls) -> list[type]:
        """Returns the class and its bases, in the order in which attributes are looked up."""
        order = super().mro()
        if "_tf1mem_after" in vars(cls):
            keras_class, proxy = vars(cls)["_tf1mem_after"]
            order.insert(order.index(keras_class) + 1, proxy)
        return order


@functools.lru_cache(maxsize=None)
def _proxy_of(keras_class: Any, entry: str) -> Any:
    """Returns a proxy of a class of Keras, which takes Keras 1's arguments too.

    Args:
        keras_class: Keras's class.
        entry: The name of its entry in `_LAYERS`, or "Model".
    """
    table = _MODEL if entry == "Model" else _LAYERS[entry]

    def takes_both(self: Any, *args: Any, **arguments: Any) -> None:
        args, arguments = _translated(keras_class.__name__, table, args, arguments)
        keras_class.__init__(self, *args, **arguments)

    class ProxyType(_Derived):
        """Metaclass of the proxy."""

        def __new__(mcs, name: str, bases: tuple[Any, ...], namespace: dict[str, Any], **options: Any) -> Any:
            if "_tf1mem_own" in namespace:
                return super().__new__(mcs, name, bases, namespace, **options)
            real = tuple(base._tf1mem_base() if "_tf1mem_own" in vars(base) else base for base in bases)
            kinds = [type(base) for base in real]
            kind = next(kind for kind in kinds if all(issubclass(kind, other) for other in kinds))
            return kind(name, real, namespace, **options)

        def __call__(cls, *args: Any, **arguments: Any) -> Any:
            args, arguments = _translated(keras_class.__name__, table, args, arguments)
            return keras_class(*args, **arguments)

        def __getattribute__(cls, name: str) -> Any:
            # Not in the class's namespace, where `super().__init__` of Keras's own class would find it in derived ones.
            return takes_both if name == "__init__" else super().__getattribute__(name)

        def __instancecheck__(cls, instance: Any) -> bool:
            return isinstance(instance, keras_class)

        def __subclasscheck__(cls, subclass: Any) -> bool:
            return issubclass(subclass, keras_class)

        def __eq__(cls, other: Any) -> bool:
            return other is cls or other is keras_class

        def __hash__(cls) -> int:
            return hash(keras_class)

    def base() -> Any:
        """Returns a new base for a derived class: new, because Keras changes the bases of a model's classes."""

        def __init__(self: Any, *args: Any, **arguments: Any) -> None:  # noqa: N807
            args, arguments = _translated(keras_class.__name__, table, args, arguments)
            super(derivable, self).__init__(*args, **arguments)

        names = {"_tf1mem_after": (keras_class, proxy), "__init__": functools.wraps(keras_class.__init__)(__init__)}
        derivable: Any = _Derived(keras_class.__name__, (keras_class,), {**shown, **names})
        return derivable

    shown = {
        "__module__": keras_class.__module__,
        "__doc__": keras_class.__doc__,
        "__qualname__": keras_class.__qualname__,
    }
    proxy = ProxyType(
        keras_class.__name__, (keras_class,), {**shown, "_tf1mem_own": keras_class, "_tf1mem_base": staticmethod(base)}
    )
    copyreg.pickle(ProxyType, lambda cls: (_proxy_of, (keras_class, entry)))  # type: ignore[arg-type]
    return proxy


def _with_generator_arguments(method: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a model's method, such as `fit_generator`, that also takes Keras 1's arguments."""
    renames = _Renames(_GENERATORS, (_steps_of_samples,))

    def with_generator_arguments(self: Any, *args: Any, **arguments: Any) -> Any:
        args, arguments = _translated(method.__name__, renames, args, arguments)
        return method(self, *args, **arguments)

    return with_generator_arguments


def _steps_of_samples(args: tuple[Any, ...], arguments: dict[str, Any]) -> Call:
    """Replaces `samples_per_epoch` with the number of batches, `steps_per_epoch`."""
    if "samples_per_epoch" in arguments:
        batch_size = getattr(args[0] if args else arguments.get("generator"), "batch_size", None)
        samples = arguments.pop("samples_per_epoch")
        # Keras 2.2 doesn't know the size of other generators' batches, and treats the number as one of batches.
        arguments = dict(arguments, steps_per_epoch=samples // batch_size if batch_size else samples)
    return args, arguments


# Kind in the name of a decorator of keras.legacy.interfaces, `legacy_<kind>_support` -> an entry of `_LAYERS`.
_KINDS = {
    "batchnorm": "BatchNormalization",
    "conv1d": "Conv1D",
    "conv2d": "Conv2D",
    "conv3d": "Conv3D",
    "convlstm2d": "ConvLSTM2D",
    "cropping2d": "Cropping2D",
    "cropping3d": "Cropping3D",
    "deconv2d": "Conv2DTranspose",
    "dense": "Dense",
    "dropout": "Dropout",
    "embedding": "Embedding",
    "gaussiandropout": "GaussianDropout",
    "gaussiannoise": "GaussianNoise",
    "global_pooling": "GlobalMaxPooling2D",
    "input": "InputLayer",
    "pooling1d": "MaxPooling1D",
    "pooling2d": "MaxPooling2D",
    "pooling3d": "MaxPooling3D",
    "prelu": "PReLU",
    "recurrent": "LSTM",
    "separable_conv2d": "SeparableConv2D",
    "spatialdropout1d": "SpatialDropout1D",
    "spatialdropoutNd": "SpatialDropout2D",
    "upsampling1d": "UpSampling1D",
    "upsampling2d": "UpSampling2D",
    "upsampling3d": "UpSampling3D",
    "zeropadding2d": "ZeroPadding2D",
    "zeropadding3d": "ZeroPadding3D",
}


def _taking_keras_1(renames: _Renames) -> Callable[..., Any]:
    """Returns a decorator of `__init__` of a program's class: the method also takes Keras 1's arguments."""

    def support(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def taking_both(self: Any, *args: Any, **arguments: Any) -> Any:
            args, arguments = _translated(type(self).__name__, renames, args, arguments)
            return function(self, *args, **arguments)

        return taking_both

    return support


def _with_updates_order(get_updates: Callable[..., Any]) -> Callable[..., Any]:
    """Returns an optimizer's `get_updates` that also takes Keras 1's order of arguments: params, constraints, loss."""

    @functools.wraps(get_updates)
    def with_updates_order(self: Any, *args: Any, **arguments: Any) -> Any:
        if len(args) > 2 or isinstance(args[-1] if args else None, dict):
            params, _constraints, *loss = args
            args, arguments = tuple(loss), dict(arguments, params=params)
        return get_updates(self, *args, **arguments)

    return with_updates_order


def _interfaces() -> dict[str, Factory]:
    """Returns the decorators of keras.legacy.interfaces, for classes of programs."""
    supports = {kind: _taking_keras_1(_LAYERS[entry]) for kind, entry in _KINDS.items()}
    supports.update(
        add_weight=_with_weight_order,
        generator_methods=_with_generator_arguments,
        get_updates=_with_updates_order,
        model_constructor=_taking_keras_1(_MODEL),
    )
    supports["lambda"] = _taking_keras_1(_Renames({}))
    return {f"legacy_{kind}_support": partial(_itself, support) for kind, support in supports.items()}


def _itself(value: Any) -> Any:
    return value


def _with_weight_order(add_weight: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `add_weight` that also takes Keras 1's order of arguments: shape, name."""

    def with_weight_order(self: Any, *args: Any, **arguments: Any) -> Any:
        if args and isinstance(args[0], (tuple, list)):
            arguments["shape"], args = args[0], args[1:]
            if args and isinstance(args[0], str):
                arguments["name"], args = args[0], args[1:]
        return add_weight(self, *args, **arguments)

    return with_weight_order


@functools.lru_cache(maxsize=None)
def _give_to_layers(keras_class: Any) -> None:
    """Lets `add_weight` of Keras's base class of layers take Keras 1's order of arguments, once a class."""
    for owner in _base_layers(keras_class):
        put_around(owner, "add_weight", _with_weight_order)


@functools.lru_cache(maxsize=None)
def _watch_layers(keras_class: Any) -> None:
    """Makes Keras's base class of layers warn if the program makes layers by `tf.keras` as well, once a class."""
    for owner in _base_layers(keras_class):
        call_before(owner, "_init_set_name", _warn_of_tf_keras)


def _base_layers(keras_class: Any) -> list[Any]:
    """Returns Keras's base class of layers, and that of graph mode where it is another."""
    graphs = keras_file(keras_class, "engine.base_layer_v1")
    return [keras_class, *([graphs.Layer] if graphs is not None else ())]


_warned = threading.Event()


def _warn_of_tf_keras(layer: Any, *_arguments: Any, **_options: Any) -> None:
    """Warns once if the program makes a layer by `tf.keras`, in a process where it uses standalone Keras.

    Args:
        layer: The new layer. A program makes those of standalone Keras by proxies.
    """
    kind = type(layer)
    if _warned.is_set() or kind.__name__ not in _LAYERS or kind.__module__ not in _files_of_layers(_module("layers")):
        return
    frame = sys._getframe(1)
    while str(frame.f_globals.get("__name__", "")).partition(".")[0] in NOT_THE_USER:
        # The layer's own `__init__` and its wrappers have it in a variable; a proxy and other functions don't yet.
        variables = [value[0] if isinstance(value, tuple) and value else value for value in frame.f_locals.values()]
        if not any(value is layer for value in variables):
            return
        assert frame.f_back is not None
        frame = frame.f_back
    _warned.set()
    log.warning(
        "%s: this program uses standalone Keras, too, and tf.keras computes like that then: names of layers, first "
        "weights, optimizers and losses aren't those of TensorFlow 1's tf.keras. Use one of the two in a process.",
        located(f"tf.keras.layers.{kind.__name__}"),
    )


@functools.lru_cache(maxsize=None)
def _files_of_layers(layers: Any) -> frozenset[str]:
    """Returns the modules that define the classes of a namespace of layers."""
    return frozenset(getattr(layers, name).__module__ for name in _LAYERS if hasattr(layers, name))


@functools.lru_cache(maxsize=None)
def _give_to_models(keras_class: Any) -> None:
    """Lets the methods with generators of Keras's class of models take Keras 1's arguments, once a class."""
    graphs = keras_file(keras_class, "engine.training_v1")  # the base class of models in graph mode
    for owner in (keras_class, *([graphs.Model] if graphs is not None else ())):
        for method in ("fit_generator", "evaluate_generator", "predict_generator"):
            put_around(owner, method, _with_generator_arguments)


class _Merge:
    """The function `keras.layers.merge` of Keras 1, which has the names of the file `keras.layers.merge`, too."""

    def __call__(
        self, inputs: Any, mode: Any = "sum", concat_axis: int = -1, dot_axes: Any = -1, name: Any = None
    ) -> Any:
        """Returns the tensor into which Keras 1's `merge` combines several.

        Args:
            inputs: A list of tensors.
            mode: "sum", "mul", "ave", "max", "concat", "dot", "cos", or a function of the list.
            concat_axis: The axis along which "concat" joins.
            dot_axes: The axis or axes of "dot" and "cos".
            name: The name of the layer.

        Raises:
            SettingError: There is no such mode.
        """
        layers = _keras("layers")
        options: dict[str, Any] = {"name": name}
        if callable(mode):
            new: Any = layers.Lambda(mode, **options)
            text = "Lambda(function)"
        elif mode == "concat":
            new, text = layers.Concatenate(axis=concat_axis, **options), f"Concatenate(axis={concat_axis})"
        elif mode in ("dot", "cos"):
            normalize = mode == "cos"
            new = layers.Dot(axes=dot_axes, normalize=normalize, **options)
            text = f"Dot(axes={dot_axes}, normalize={normalize})"
        elif mode in _MERGES:
            new, text = getattr(layers, _MERGES[mode])(**options), f"{_MERGES[mode]}()"
        else:
            modes = ", ".join([*_MERGES, "concat", "dot", "cos"])
            raise SettingError(located(f"merge(mode={mode!r})"), "there is no such mode", f"Use one of {modes}")
        warnings.warn(f"merge is a function of Keras 1. In Keras 2 it is {text}(inputs).", UserWarning, stacklevel=2)
        return new(inputs)

    def __getattr__(self, name: str) -> Any:
        return getattr(_keras("layers.merge"), name)


def _time_distributed_dense(output_dim: int, **arguments: Any) -> Any:
    """Returns Keras 2's layer for Keras 1's TimeDistributedDense: a Dense in a TimeDistributed."""
    dense = ("init", "activation", "W_regularizer", "b_regularizer", "W_constraint", "b_constraint", "bias", "weights")
    of_dense = {name: arguments.pop(name) for name in dense if name in arguments}
    layers = _keras("layers")
    args, of_dense = _translated("TimeDistributedDense", _LAYERS["Dense"], (output_dim,), of_dense)
    return layers.TimeDistributed(layers.Dense(*args, **of_dense), **_input_of_steps((), arguments)[1])


# Namespaces from which programs for `tf.keras` import names as well, such as `to_categorical`, data sets and
# `set_session`. They alone don't make a program one for standalone Keras.
_SHARED_WITH_TF_KERAS = frozenset(
    "activations backend callbacks constraints datasets initializers preprocessing regularizers utils wrappers".split()
)


def _keras(dotted: str) -> Any:
    """Returns a module of Keras 2, which computes as standalone Keras if the module has layers, models or the like."""
    module = _module(dotted)
    if not _is_tf1() and dotted.partition(".")[0] not in _SHARED_WITH_TF_KERAS:
        _keras_alone.compute_as_standalone()
        _watch_layers(_module("layers").Layer)
    return module


def _module(dotted: str) -> Any:
    return import_module(dotted_name(f"{ROOT}.keras", dotted))


def _is_tf1() -> bool:
    return is_tf1(import_module("tensorflow"))


def _own(namespace: str, members: Callable[[], Mapping[str, Any]], name: str) -> Any:
    """Returns the object of a name: on TensorFlow 1 from `tf.keras`, else one of `members`, standalone Keras's own."""
    keras_2 = _keras(namespace)
    return getattr(keras_2, name) if _is_tf1() else members()[name]


def _set_image_dim_ordering(dim_ordering: str) -> None:
    """Accepts "tf"; raises a SettingError for Theano's "th"."""
    _refuse_theano(f"K.set_image_dim_ordering({dim_ordering!r})", dim_ordering)
    if dim_ordering != "tf":
        raise SettingError(located("K.set_image_dim_ordering"), f"there is no {dim_ordering!r}", 'Use "tf"')
    _keras("backend").set_image_data_format("channels_last")


def _image_dim_ordering() -> str:
    """Returns "tf" where channels are last, else "th"."""
    return "tf" if _keras("backend").image_data_format() == "channels_last" else "th"


def _l1l2(l1: float = 0.0, l2: float = 0.0) -> Any:
    return _keras("regularizers").l1_l2(l1=l1, l2=l2)


def _base_of(name: str) -> Any:
    """Returns the base class of a class of layers."""
    return getattr(_keras("layers"), name).__mro__[1]


def _shared() -> dict[str, Factory]:
    """Returns the names that files of standalone Keras's layers and engine import from one another."""

    def member(home: str, name: str) -> Any:
        return getattr(import_module(dotted_name(f"{ROOT}.{TOP}", home)), name)

    shared: dict[str, Factory] = {"K": partial(member, "", "backend")}
    for home, names in keras_files.SHARED.items():
        shared.update({name: partial(member, home, name) for name in names})
    return shared


def layers(is_keras_2: bool) -> dict[str, Layer]:
    """Returns a `_namespace.Layer` for each namespace of standalone Keras, by dotted name.

    Args:
        is_keras_2: False if the user has chosen Keras 3, which stays as it is.
    """
    if not is_keras_2:
        return {TOP: Layer({}, base=partial(import_module, ROOT + ".keras"))}
    root = Layer({}, base=partial(_module, ""))

    def base_layer() -> Any:
        keras_class = _keras("layers").Layer
        _give_to_layers(keras_class)
        return keras_class

    def layer(name: str) -> Any:
        base_layer()
        keras_class = getattr(_keras("layers"), name)
        return _proxy_of(keras_class, name)

    def model() -> Any:
        keras_class = _keras("").Model
        _give_to_models(keras_class)
        return _proxy_of(keras_class, "Model")

    def sequential() -> Any:
        model()
        return _keras("").Sequential

    merge = _Merge()
    in_layers: dict[str, Factory] = {"Layer": base_layer}
    in_layers.update({name: partial(layer, name) for name in _LAYERS})
    in_layers.update({alias: partial(layer, name) for alias, name in _ALIASES.items()})
    in_layers.update(
        merge=lambda: merge,
        TimeDistributedDense=lambda: _time_distributed_dense,
        AtrousConvolution1D=lambda: _keras_1_layers.atrous(layer("Conv1D")),
        AtrousConvolution2D=lambda: _keras_1_layers.atrous(layer("Conv2D")),
        Highway=_keras_1_layers.highway,
        MaxoutDense=_keras_1_layers.maxout_dense,
        Recurrent=_keras_1_layers.recurrent,
    )
    models: dict[str, Factory] = {"Model": model, "Sequential": sequential, "Input": lambda: _keras("").Input}
    initializer = partial(_own, "initializers", _keras_alone_initializers.initializers)
    optimizer = partial(_own, "optimizers", _keras_alone_optimizers.optimizers)
    in_optimizers: dict[str, Factory] = {}
    for name in _keras_alone_optimizers.NAMES:
        in_optimizers[name] = in_optimizers[name.lower()] = partial(optimizer, name)
    in_optimizers["clip_norm"] = lambda: _keras_alone_optimizers.clip_norm
    in_optimizers.update({name: partial(optimizer, name) for name in ("Optimizer", "TFOptimizer")})
    # The class of what a model and a part of it have in common was called Container up to Keras 2.1, then Network.
    in_engine = dict(models, InputLayer=in_layers["InputLayer"], Layer=base_layer, Container=model, Network=model)
    in_backend: dict[str, Factory] = {
        **_keras_backend.names(),
        "get_variable_shape": lambda: _keras("backend").int_shape,
        "image_dim_ordering": lambda: _image_dim_ordering,
        "set_image_dim_ordering": lambda: _set_image_dim_ordering,
    }
    resnet_50 = {"ResNet50": lambda: _keras_alone_applications.resnet_50(_keras(""))}
    names: dict[str, Mapping[str, Factory]] = {
        "applications": resnet_50,
        "applications.resnet50": resnet_50,
        "backend": in_backend,
        "constraints": {
            "maxnorm": lambda: _keras("constraints").max_norm,
            "nonneg": lambda: _keras("constraints").non_neg,
            "unitnorm": lambda: _keras("constraints").unit_norm,
        },
        "engine": in_engine,
        "initializers": dict(
            {name: partial(initializer, name) for name in _keras_alone_initializers.NAMES},
            _compute_fans=lambda: _keras_alone_initializers.compute_fans,
            one=lambda: _keras("initializers").ones,
            zero=lambda: _keras("initializers").zeros,
        ),
        "layers": in_layers,
        "models": models,
        "optimizers": in_optimizers,
        "regularizers": {"l1l2": lambda: _l1l2},
        "utils.visualize_util": {"plot": lambda: _keras("utils").plot_model},
    }
    names.update({f"backend.{file}": in_backend for file in keras_files.BACKEND_FILES})
    names.update({f"engine.{file}": in_engine for file in keras_files.ENGINE_FILES})
    of_keras_1 = ("AtrousConvolution1D", "AtrousConvolution2D", "Highway", "MaxoutDense", "Recurrent")
    legacy = {"legacy.interfaces": _interfaces(), "legacy.layers": {name: in_layers[name] for name in of_keras_1}}
    for file in keras_files.FILES["layers"]:
        names[f"layers.{file}"] = {name: factory for name, factory in in_layers.items() if name != "merge"}
    for base, (file, name) in keras_files.BASES.items():
        names[f"layers.{file}"] = {**names[f"layers.{file}"], base: partial(_base_of, name)}
    shared = _shared()
    for path, members in names.items():
        if path.startswith(("layers.", "engine.")):
            names[path] = {**shared, **members}
    overlays = {f"{TOP}.{path}": Layer(members, base=partial(_keras, path)) for path, members in names.items()}
    for path, members in {"legacy": {}, **legacy}.items():
        overlays[f"{TOP}.{path}"] = Layer(members, base=empty_module(f"{TOP}.{path}"))
    backend = f"{TOP}.backend"
    overlays[backend] = overlays[backend]._replace(missing=_keras_backend.missing)
    names_of_root = dict(models, __version__=lambda: _VERSION)
    return {TOP: root._replace(names=names_of_root), **overlays}
