"""Known reasons for different results of old and new programs: changes of meaning, with their source."""

from __future__ import annotations

from typing import NamedTuple

from tf1mem.verifying.recording.graphs import is_random
from tf1mem.verifying.unrolling import Op
from tf1mem.verifying.walking import DifferingOps


class Reason(NamedTuple):
    """A known reason.

    Attributes:
        says: One sentence.
        source: The file and function in TensorFlow's source, or the document; "" if none is needed.
    """

    says: str
    source: str = ""


SHUFFLED_AND_REPEATED = Reason(
    "Where repeat() follows shuffle(), TensorFlow 1.15 makes one op of both, which draws another order from the seed.",
    "core/grappler/optimizers/data/shuffle_and_repeat_fusion.cc",
)

# A word in the op's type -> the reason, if the other ways of `reason` find none. The first word that fits counts, so a
# word comes before the words that it contains.
_BY_TYPE = {
    "FusedBatchNorm": Reason(
        "Batch norm: epsilon is 0.001 in tf.layers, contrib and Keras alike; check epsilon, scale and is_training.",
        "python/layers/normalization.py",
    ),
    "CropAndResize": Reason("Cropping: boxes, or the way of sampling, differ.", "python/ops/image_ops_impl.py"),
    "Resize": Reason(
        "Resizing: TensorFlow 2's tf.image.resize has half-pixel centres; TensorFlow 1's resize_images had legacy "
        "ones, or aligned corners.",
        "python/ops/image_ops_impl.py: resize_images_v2",
    ),
    "FloorDiv": Reason("Division: whole numbers divided by // and by / differ; Python 2's / was //.", "PEP 238"),
    "SparseSoftmaxCrossEntropyWithLogits": Reason("The loss takes other labels or logits."),
    "Softmax": Reason(
        "Softmax: another axis (dim is axis now), or probabilities where there were logits.",
        "python/ops/nn_ops.py",
    ),
    "Transpose": Reason("An axis is swapped: the permutation differs."),
    "Digamma": Reason(
        "Digamma at 0, -1, -2 and so on: its poles are infinite in TensorFlow 1.15.5, and NaN in TensorFlow 2.21.",
        "Eigen, unsupported/Eigen/src/SpecialFunctions/SpecialFunctionsImpl.h: digamma_impl",
    ),
    "OneHot": Reason("One-hot encoding: depth, on-value or axis differ."),
}
_ACTIVATIONS = frozenset(
    "Relu Relu6 Elu Selu Softplus Softsign Sigmoid Tanh LeakyRelu Erf Softmax Identity Gelu".split()
)
_REDUCTIONS = frozenset("Mean Sum Max Min Prod L2Loss".split())


def reason(place: DifferingOps) -> Reason | None:
    """Returns the known reason why two matched ops compute different results, or None."""
    old, new = place.old, place.new
    if is_random(old.type) and is_random(new.type):
        return Reason(
            "Random numbers: the op has another seed. It comes from the graph's seed and the op's number in the graph.",
            "python/framework/random_seed.py: get_seed",
        )
    for rule in (_reason_by_types, _reason_by_precision, _reason_by_scopes, _reason_for_matmul):
        known_reason = rule(place)
        if known_reason is not None:
            return known_reason
    for word, known_reason in _BY_TYPE.items():
        if word in old.type or word in new.type:
            return known_reason
    return None


def _reason_by_types(place: DifferingOps) -> Reason | None:
    types = {op.type for op in (place.old, *place.between[0])} ^ {op.type for op in (place.new, *place.between[1])}
    if place.old.type in _ACTIVATIONS and place.new.type in _ACTIVATIONS and place.old.type != place.new.type:
        return Reason(f"Activation: {place.old.type} has become {place.new.type}.")
    if types & _REDUCTIONS and place.old.type != place.new.type:
        return Reason(f"Reduction: {place.old.type} has become {place.new.type}.")
    return None


def _reason_by_precision(place: DifferingOps) -> Reason | None:
    for name in ("T", "dtype", "DstT", "SrcT", "Tparams"):
        if name in place.attributes:
            old, new = place.attributes[name]
            return Reason(f"Precision: {_type(old)} has become {_type(new)}.")
    return None


def _type(text: str) -> str:
    return text.partition("DT_")[2].lower().rstrip("}") or text


def _reason_by_scopes(place: DifferingOps) -> Reason | None:
    names = [op.name.lower() for op in (place.old, place.new, *place.between[0], *place.between[1])]
    if any("dropout" in name for name in names):
        return Reason(
            "Dropout: TensorFlow 1's tf.nn.dropout takes keep_prob, TensorFlow 2's takes rate = 1 - keep_prob; or one "
            "side has none.",
            "python/ops/nn_ops.py: dropout and dropout_v2",
        )
    if any("clip" in name for name in names):
        return Reason("Clipping: by value, by norm or by global norm, or by another bound.", "python/ops/clip_ops.py")
    return None


def _reason_for_matmul(place: DifferingOps) -> Reason | None:
    if any(name.startswith("transpose") or name.startswith("adj") for name in place.attributes):
        return Reason("A matrix is transposed on one side only.")
    if {"strides", "padding", "dilations", "data_format", "ksize"} & set(place.attributes):
        names = ", ".join(sorted(place.attributes))
        return Reason(f"Convolution or pooling: {names} differ.")
    return None


# An argument of an optimizer's op -> its name in programs.
ARGUMENTS = {
    "lr": "learning rate",
    "alpha": "learning rate",
    "momentum": "momentum",
    "beta1": "beta1",
    "beta2": "beta2",
    "epsilon": "epsilon",
    "rho": "rho",
    "l1": "l1",
    "l2": "l2",
    "use_nesterov": "Nesterov's momentum",
}


def of_optimizer(old: Op, new: Op, unlike: dict[str, tuple[object, object]]) -> str:
    """Returns a sentence about two update ops that take the same gradient and change their variable differently."""
    if old.type.replace("Resource", "") != new.type.replace("Resource", ""):
        return f"The optimizer differs: {old.type} has become {new.type}."
    named = [f"{ARGUMENTS.get(name, name)} {a} has become {b}" for name, (a, b) in unlike.items()]
    return "The optimizer: " + (", ".join(named) or "its steps differ, its arguments don't") + "."
