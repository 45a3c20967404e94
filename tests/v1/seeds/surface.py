"""Writes calls of every public function of TensorFlow 1, with many arguments; runs on TensorFlow 1.15.5.

Usage, from the root of the repository:

    python -m tests.v1.seeds.surface    on TensorFlow 1.15.5: writes surface.txt, which `counting` counts with calls.txt

It walks all namespaces, and those of `tf.contrib` that tf1mem has. It tries a function with inputs of several kinds
(floats in 2 to 4 dimensions, of static and unknown shape; integers, strings, sparse tensors, variables), and guesses
other required arguments by their names. A call that works is repeated with each optional argument, and with combined
flags. Objects of classes (layers, cells, losses, initializers, optimizers, distributions) are used, too. Calls that
TensorFlow 1.15.5 accepts are written. A walk takes hours on one core; it can be stopped, since the most used functions
come first.
"""

from __future__ import annotations

import inspect
import itertools
import re
import signal
import sys
import types
from importlib import import_module
from pathlib import Path
from typing import Any, Iterator

from tf1mem.machine.tensorflow import installed_version
from tf1mem.names.contrib import HOMES

HERE = Path(__file__).resolve().parent
WRITTEN = HERE / "surface.txt"
TENSORFLOW = "1.15.5"

# Inputs, in the order in which they are tried: those of `counting.NAMES`.
_INPUTS = "x u img seq i st".split()
_VARIED = 2  # the number of inputs with which optional arguments are tried
_MOST_CALLS = 8  # the most calls of one function with one input

# The most used functions, which come first.
_FIRST = re.compile(
    r"tf\.(\w+|(nn|layers|losses|metrics|train|image|initializers|contrib\.(layers|rnn|seq2seq|crf))\.\w+)$"
)
# Namespaces that don't make ops, or that change the process.
_SKIPPED = re.compile(
    r"\b(app|autograph|compat|config|debugging\.(set|enable|disable)|distribute|dtypes\.DType|enable_|disable_|errors|"
    r"estimator|flags|gfile|get_logger|graph_util|logging|lite|mixed_precision|profiler|python_io|raw_ops|resource_loader|"
    r"saved_model|sysconfig|test|tpu|user_ops|version|wrap_function|xla|initialize_all_tables|import_graph_def|"
    r"train\.(MonitoredSession|SingularMonitoredSession|MonitoredTrainingSession|Server|start_queue_runners|"
    r"checkpoints_iterator|sdca|NewCheckpointReader|basic_train_loop|export_meta_graph|import_meta_graph|write_graph)|"
    r"keras\.(applications|datasets|preprocessing|utils|wrappers|estimator|experimental|callbacks|models|optimizers|"
    r"backend\.(set_|clear|get_session|manual|learning_phase_scope|reset|function|get_value|eval|batch_get|print_tensor|"
    r"count_params))|io\.(gfile|TFRecordWriter|write_graph|parse_tensor)|while_loop|load_|py_func|numpy_function|"
    r"contrib\.(checkpoint|cluster_resolver|copy_graph|cudnn_rnn|data|distribute|eager|estimator|graph_editor|learn|"
    r"predictor|quantize|saved_model|slim\.(learning|evaluation|dataset)|testing|tfprof|tpu|training\.(evaluat|Sequenc)|"
    r"summary|resampler|memory_stats|ffmpeg|kernel_methods|keras|mixed_precision|integrate)"
    r")"
)
_OPTIONAL = re.compile(
    r"^(name|scope|outputs_collections|variables_collections|collections?|updates_collections|dtype)$"
)

# Name of an argument -> its value; the input itself is tried, too.
_BY_NAME = [
    (r"^(axis|axes|dim|dimension|reduction_indices|reduction_axis)$", ["1", "[0]"]),
    (r"^(keepdims|keep_dims)$", ["True"]),
    (r"^(k|n|depth|num_\w+|n_\w+|units|filters|num_classes|maxlen|block_size|size|\w+_size|width|height|\w+_dim|rate|"
     r"target_\w+|length|limit|maxval|max_norm|clip_norm|bins|nbins)$", ["2", "[2, 2]"]),
    (r"^(ksize|strides?|kernel_size|pool_size|dilation_rate|dilations|window_shape|ksizes|rates|block_shape)$",
     ["2", "[1, 2, 2, 1]", "[2]", "[2, 2]", "1"]),
    (r"^(kernel|filters?|kernels)$", ["kern", "4"]),
    (r"^(shape|dense_shape|output_shape|batch_shape|static_shape|target_shape|new_size|size)$",
     ["[4, 3]", "[2, 8, 8, 3]", "[8, 8]", "[3]"]),
    (r"^(dtype|out_type|output_type|output_dtype|type)$", ["tf.int64", "tf.float64", "tf.float32"]),
    (r"^padding$", ["'SAME'", "'VALID'", "'same'"]),
    (r"^paddings$", ["[[1, 1], [0, 0]]", "[[0, 0], [1, 1], [1, 1], [0, 0]]"]),
    (r"^data_format$", ["'NHWC'", "'NCHW'", "'channels_first'"]),
    (r"^(training|is_training|trainable)$", ["True", "False", "t"]),
    (r"^(weights?|sample_weight|weight)$", ["2.0", "x", "tf.ones([4, 1])"]),
    (r"^(activation|activation_fn|fn)$", ["tf.nn.relu", "tf.nn.tanh", "tf.identity"]),
    (r"^normalizer_fn$", ["tf.contrib.layers.batch_norm", "tf.contrib.layers.layer_norm"]),
    (r"^\w*regularizer$", ["tf.contrib.layers.l2_regularizer(0.1)", "tf.keras.regularizers.l2(0.1)"]),
    (r"^\w*initializer$", ["tf.zeros_initializer()", "tf.glorot_uniform_initializer()",
                           "tf.random_normal_initializer()", "None"]),
    (r"^\w*constraint$", ["tf.keras.constraints.MaxNorm(1.0)"]),
    (r"^(seed)$", ["5"]),
    (r"^(sequence_length|sequence_lengths|lengths|seq_length)$", ["[2, 4]", "[1, 2, 3, 1]", "i[:2]"]),
    (r"^(cell|cell_fw|cell_bw)$", ["tf.nn.rnn_cell.LSTMCell(4)", "tf.nn.rnn_cell.GRUCell(4)"]),
    (r"^(segment_ids|indices|ids|begin|partitions|perm|depth|labels|shift|multiples)$",
     ["i", "[0, 1]", "[0, 0, 1, 1]", "[[0, 1]]", "x", "tf.zeros([4], tf.int64)"]),
    (r"^(true_fn|false_fn|body|cond|default)$", ["lambda: x", "lambda *a: a"]),
    (r"^(mode|reduction|method|weights_mode|data_format|distribution|combiner|partition_strategy|direction|merge_mode)$",
     ["'mean'", "'CONSTANT'", "'REFLECT'", "'sum'", "'fan_in'", "'uniform'", "'div'"]),
    (r"^(loss|y|y_true|y_pred|logits|predictions|values?|x1|x2|a|b|other|targets)$", ["x", "u", "i", "img", "seq"]),
    (r"^(global_step)$", ["tf.train.get_or_create_global_step()"]),
    (r"^(decay|alpha|beta|epsilon|momentum|delta|margin|learning_rate|rho|stddev|mean|minval|lower|upper|scale|factor|"
     r"keep_prob|rate|gamma|max_delta|power|low|high|loc|probs|concentration\w*|temperature|saturation_factor|"
     r"contrast_factor|threshold|prob)$", ["0.5", "p"]),
    (r"^(adjoint_\w+|transpose_\w+|\w+_is_\w+|use_\w+|is_\w+|validate_\w+|allow_\w+|return_\w+)$", ["True"]),
    (r"^(reuse)$", ["tf.AUTO_REUSE"]),
    (r"^(thresholds)$", ["[0.2, 0.7]"]),
    (r"^(default_value|constant_values|off_value|on_value|fill_value|summarize|message)$", ["1.0", "1"]),
    (r"^noise_shape$", ["[4, 1]"]),
    (r"^(mask)$", ["b", "x > 0"]),
    (r"^(max_\w+|min_\w+|left_context|right_context|crop_\w+|offset_\w+|\w+_channel\w*|group|batch_dims|validate)$",
     ["1", "2"]),
    (r"^(begin_norm_axis|begin_params_axis)$", ["1"]),
    (r"^(param_initializers|cast)$", []),
]  # fmt: skip
_FALLBACK = ["{input}", "2", "0.5", "[2]", "'a'", "True"]


def _public(tf: Any) -> Iterator[tuple[str, Any]]:
    """Yields each public function and class, with its shortest name."""
    homes = {namespace for namespace, *_ in HOMES}
    by_id: dict[int, tuple[str, Any]] = {}
    modules = [("tf", tf)]
    modules += [(f"tf.contrib.{name}", getattr(tf.contrib, name)) for name in sorted(homes) if _loads(tf, name)]
    printed = set()
    while modules:
        path, module = modules.pop(0)
        if id(module) in printed:
            continue
        printed.add(id(module))
        names = dir(module)
        for name in names:
            if name.startswith("_") or name in ("contrib", "python", "core", "tools"):
                continue
            full = f"{path}.{name}"
            try:
                value = getattr(module, name)
            except Exception:
                continue
            if _SKIPPED.search(full[3:]):
                continue
            if isinstance(value, types.ModuleType):
                if "tensorflow" in value.__name__ and full.count(".") < 5:
                    modules.append((full, value))
            elif _makes_ops(value) and id(value) not in by_id:
                by_id[id(value)] = (full, value)
    yield from by_id.values()


def _makes_ops(value: Any) -> bool:
    """Returns True for a class or function of TensorFlow in Python; generated functions make only one op."""
    home = str(getattr(value, "__module__", ""))
    written = inspect.isclass(value) or hasattr(value, "__code__") or hasattr(value, "__wrapped__")
    return callable(value) and written and "tensorflow" in home and ".gen_" not in home


def _loads(tf: Any, name: str) -> bool:
    try:
        return "." not in name and isinstance(getattr(tf.contrib, name), types.ModuleType)
    except Exception:
        return False


def _parameters(function: Any) -> tuple[list[str], dict[str, Any]] | None:
    """Returns the required arguments, and the optional ones with their defaults."""
    from tensorflow.python.util import tf_inspect

    try:
        spec = tf_inspect.getfullargspec(function.__init__ if inspect.isclass(function) else function)
    except (TypeError, AttributeError):
        return None
    args = [arg for arg in spec.args if arg not in ("self", "cls")]
    defaults = list(spec.defaults or ())
    needed = args[: len(args) - len(defaults)]
    others = dict(zip(args[len(needed) :], defaults))
    others.update(spec.kwonlydefaults or {})
    return needed, others


def _choices(name: str, entry: str) -> list[str]:
    for pattern, values in _BY_NAME:
        if re.match(pattern, name):
            return [*values, entry]
    return [value.format(input=entry) for value in _FALLBACK]


def _variants(others: dict[str, Any], entry: str) -> Iterator[str]:
    """Yields arguments to add to a call: each optional one alone, and all combinations of two to four flags."""
    flags = [name for name, default in others.items() if isinstance(default, bool)]
    for name, default in others.items():
        if _OPTIONAL.match(name) and name != "dtype":
            continue
        if isinstance(default, bool):
            values = [str(not default), *(["t"] if "training" in name else [])]
        else:
            values = [value for value in _choices(name, entry) if value != repr(default)][:4]
        for value in values:
            yield f", {name}={value}"
    for count in range(2, 5):
        for some in itertools.combinations(flags[:4], count):
            yield "".join(f", {name}={not others[name]}" for name in some)


class _Trier:
    """Tries calls on this TensorFlow."""

    def __init__(self, tf: Any) -> None:
        from .counting import made_by

        self._made_by = made_by
        self._tf = tf
        self.tried = 0

    def ops(self, call: str) -> int | None:
        """Returns the number of ops that a call makes; None if the call fails."""
        self.tried += 1
        signal.alarm(10)
        try:
            return int(self._made_by(self._tf, None, call)[0])
        except KeyboardInterrupt:
            raise
        except BaseException:
            return None
        finally:
            signal.alarm(0)


def _calls_of(path: str, value: Any, trier: _Trier) -> Iterator[str]:
    """Yields the calls of one function or class."""
    known = _parameters(value)
    if known is None:
        return
    needed, others = known
    forms = _forms(value) if inspect.isclass(value) else ["{name}({args})"]
    for form in forms:
        varied = 0
        for entry in _INPUTS:
            base = None
            first = [[entry]] if not inspect.isclass(value) else []
            remaining = needed[1:] if first else needed
            options = [*first, *(_choices(name, entry) for name in remaining)]
            for args in itertools.islice(itertools.product(*options), 6):
                call = form.format(name=path, args=", ".join(args), x=entry)
                if trier.ops(call) is not None:
                    base = ", ".join(args)
                    break
            if base is None:
                continue
            yield form.format(name=path, args=base, x=entry)
            if varied < _VARIED or (varied < 4 and inspect.isclass(value)):
                varied += 1
                for more in itertools.islice(_variants(others, entry), _MOST_CALLS):
                    args_text = (base + more).lstrip(", ")
                    call = form.format(name=path, args=args_text, x=entry)
                    if trier.ops(call) is not None:
                        yield call
            if "{x}" not in form and "{args}" in form and not needed:
                break


_LOSSES = ["tf.reduce_sum(tf.matmul(x, v))", "tf.reduce_sum(tf.gather(v, i))", "tf.reduce_sum(tf.matmul(x, rv))",
           "tf.reduce_sum(tf.gather(rv, i))"]  # fmt: skip


def _forms(value: Any) -> list[str]:
    """Returns the ways to use an object of a class."""
    names = {base.__name__ for base in value.__mro__}
    if {"LayerRNNCell", "RNNCell"} & names:
        return ["c = {name}({args}); c({x}, c.zero_state(4, tf.float32)); c({x}, c.zero_state(4, tf.float32))",
                "tf.nn.dynamic_rnn({name}({args}), {x}, dtype=tf.float32)"]  # fmt: skip
    if "Layer" in names:
        return ["l = {name}({args}); l({x}); l({x})"]
    if "Optimizer" in names:
        return [f"{{name}}({{args}}).minimize({loss})" for loss in _LOSSES]
    if "Initializer" in names:
        return ["{name}({args})([3, 3])"]
    if "Loss" in names or "Metric" in names:
        return ["{name}({args})({x}, {x})"]
    if "Distribution" in names:
        return [f"d = {{name}}({{args}}); d.{method}" for method in
                ("sample(3)", "sample(3, seed=5)", "log_prob(d.sample())", "mean()", "variance()", "entropy()",
                 "cdf(0.5)", "prob(0.5)", "stddev()", "mode()", "kl_divergence(d)")]  # fmt: skip
    if "Bijector" in names:
        return [f"d = {{name}}({{args}}); d.{method}" for method in
                ("forward({x})", "inverse({x})", "forward_log_det_jacobian({x}, event_ndims=1)")]  # fmt: skip
    if "LinearOperator" in names:
        return [f"d = {{name}}({{args}}); d.{method}" for method in
                ("to_dense()", "matmul({x})", "solve({x})", "determinant()", "diag_part()", "trace()", "shape_tensor()",
                 "log_abs_determinant()", "assert_non_singular()", "add_to_tensor({x})")]  # fmt: skip
    if "Helper" in names or "Exception" in names or "Enum" in names:
        return []
    return ["{name}({args})", "{name}({args})({x})"]


def main() -> int:
    """Writes the calls."""
    assert str(installed_version()) == TENSORFLOW, "the calls are those that TensorFlow 1.15.5 takes"
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError()))
    tf = import_module("tensorflow")
    tf.logging.set_verbosity(tf.logging.FATAL)
    _ = tf.keras.layers.Layer, tf.layers.Layer
    trier, working = _Trier(tf), []
    functions = sorted(_public(tf), key=lambda entry: (not _FIRST.match(entry[0]), entry[0].count("."), entry[0]))
    with WRITTEN.open("w", encoding="utf-8") as written:
        for path, value in functions:
            calls = list(dict.fromkeys(_calls_of(path, value, trier)))
            written.writelines(f"{call}\n" for call in calls)
            written.flush()
            working += calls
    print(f"{len(working)} of {trier.tried} calls, of {len(functions)} functions and classes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
