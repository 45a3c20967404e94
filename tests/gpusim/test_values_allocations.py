"""An op allocates the same bytes on a simulated GPU with computed values as on one without."""

from __future__ import annotations

import json

import pytest
from packaging.version import Version

from tf1mem.gpusim.launching import simulation
from tf1mem.machine.tensorflow import installed_version

VERSION = installed_version() or Version("0")
WARM = ["tensorflow"]

# Inputs -> the ops that take them, in the order of their arguments. Ops that launch nothing on a GPU are left out, and
# ops whose GPU kernel doesn't run (tf1mem/gpusim/sources/values/ways.h).
PROGRAM = """
import inspect, json, time
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
raw = tf.raw_ops
shapes = dict(x=[96, 80], y=[96, 80], square=[64, 64], batches=[4, 64, 64], image=[2, 16, 16, 8], first=[2, 8, 16, 16],
              volume=[1, 8, 8, 8, 4], kernel=[3, 3, 8, 8], cube=[3, 3, 3, 4, 4], per_channel=[8], rgb=[2, 16, 16, 3],
              triples=[100, 3])
ints = dict(ids=np.arange(96) // 4, rows=np.array([5, 2, 70]), places=np.array([[1, 2], [3, 4]]),
            whole=rng.randint(0, 9, [96, 80]), labels=rng.randint(0, 80, 96))

with tf.device("/gpu:0"):
    tensors = {name: tf.constant(rng.rand(*shape).astype("f4")) for name, shape in shapes.items()}
    tensors.update((name, tf.constant(value.astype("i4"))) for name, value in ints.items())
    for name in ("rows", "whole", "labels", "places", "ids"):
        tensors[name + "64"] = tf.cast(tensors[name], tf.int64)
    tensors["mask"] = tensors["x"] > 0.5
    tensors["complex"] = tf.complex(tensors["x"], tensors["y"])
    tensors.update(pair=tensors["per_channel"][:2], narrow=tensors["kernel"][..., :2])

groups = {
    "x": "Abs Acos Acosh Asin Asinh Atan Atanh BesselI0e BesselI1e Ceil Cos Cosh Digamma Elu Erf Erfc Erfinv Exp"
         " Expm1 Floor Inv IsFinite IsInf IsNan LeakyRelu Lgamma Log Log1p LogSoftmax Ndtri Neg OnesLike Reciprocal"
         " Relu Relu6 Rint Round Rsqrt Selu Sigmoid"
         " Sign Sin Sinh Softmax Softplus Softsign Sqrt Square Tan Tanh ZerosLike L2Loss Diag",
    "x y": "Add AddV2 Atan2 Complex Div DivNoNan Equal FloorDiv FloorMod Greater GreaterEqual Igamma Igammac Less"
           " LessEqual Maximum Minimum Mul MulNoNan NextAfter NotEqual Polygamma Pow RealDiv SquaredDifference Sub"
           " Xdivy Xlog1py Xlogy Zeta EluGrad InvGrad LeakyReluGrad ReciprocalGrad Relu6Grad ReluGrad RsqrtGrad"
           " SeluGrad SigmoidGrad SoftplusGrad SoftsignGrad SqrtGrad TanhGrad SoftmaxCrossEntropyWithLogits"
           " ApproximateEqual",
    "complex": "Angle ComplexAbs Conj Imag Real",
    "mask mask": "LogicalAnd LogicalOr",
    "mask": "LogicalNot",
    "whole64 whole64": "BitwiseAnd BitwiseOr BitwiseXor LeftShift RightShift",
    "whole64": "Invert PopulationCount",
    "mask x y": "Select SelectV2",
    "mask 1": "All Any",
    "x 1": "ArgMax ArgMin Cumprod CumulativeLogsumexp Cumsum EuclideanNorm Max Mean Min Prod Sum",
    "square": "MatrixDiag MatrixDiagPart DiagPart",
    "square square": "MatMul",
    "batches batches": "BatchMatMul BatchMatMulV2",
    "batches 2 -1": "MatrixBandPart",
    "triples triples": "Cross",
    "x ids": "SegmentSum",
    "x ids 30": "UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum",
    "x rows": "Gather",
    "x rows 0": "GatherV2",
    "x places": "GatherNd",
    "places64 pair [96,80]": "ScatterNd",
    "x places pair": "TensorScatterAdd TensorScatterSub TensorScatterUpdate",
    "x [[1,2],[3,4]]": "Pad",
    "x [[1,2],[3,4]] 1.0": "PadV2",
    "x [2,3]": "Tile",
    "x [1,0]": "Transpose ConjugateTranspose",
    "x [1]": "ReverseV2",
    "x [True,False]": "Reverse",
    "x [1,2] [40,50]": "Slice",
    "triples [5,100,3]": "BroadcastTo",
    "[50,60] 2.0": "Fill",
    "rows 70 1.0 0.0": "OneHot",
    "x 3": "TopKV2",
    "x 0.2 0.7": "ClipByValue",
    "x labels": "SparseSoftmaxCrossEntropyWithLogits",
    "image per_channel": "BiasAdd",
    "image": "BiasAddGrad LRN",
    "rgb": "HSVToRGB RGBToHSV",
    "rgb 0.3": "AdjustHue AdjustSaturation AdjustContrastv2",
    "image [9,11]": "ResizeBilinear ResizeNearestNeighbor",
    "[4,10] 'f4'": "RandomStandardNormal RandomUniform TruncatedNormal",
    "x 5": "Multinomial",
    "[40,10] [1,2]": "StatelessRandomNormal StatelessRandomUniform StatelessTruncatedNormal",
}
forms = {"NHWC": ("image", [1, 2, 2, 1]), "NCHW": ("first", [1, 1, 2, 2])}

def calls():
    for inputs, names in groups.items():
        for name in names.split():
            yield name, name, inputs, {}
    for form, (image, two) in forms.items():
        more = dict(data_format=form, padding="SAME")
        sizes = [int(size) for size in tensors[image].shape]
        for name, inputs in (("Conv2D", f"{image} kernel"), ("Conv2DBackpropInput", f"{sizes} kernel {image}"),
                             ("Conv2DBackpropFilter", f"{image} [3,3,8,8] {image}"),
                             ("DepthwiseConv2dNative", f"{image} narrow")):
            yield f"{name} {form}", name, inputs.replace(", ", ","), dict(more, strides=[1, 1, 1, 1])
            if "Backprop" in name:
                yield (f"{name} {form} dilated", name, inputs.replace(", ", ","),
                       dict(more, strides=[1, 1, 1, 1], dilations=two))
        for name, inputs in (("MaxPool", image), ("AvgPool", image), ("MaxPoolGrad", f"{image} {image} {image}"),
                             ("AvgPoolGrad", f"{sizes} {image}".replace(", ", ","))):
            yield f"{name} {form}", name, inputs, dict(more, ksize=two, strides=[1, 1, 1, 1])
        yield f"FusedBatchNormV3 {form}", "FusedBatchNormV3", image + " per_channel" * 4, dict(data_format=form)
        yield (f"FusedBatchNormGradV3 {form}", "FusedBatchNormGradV3", f"{image} {image}" + " per_channel" * 4,
               dict(data_format=form))
    yield "Conv", "Conv", "first kernel", dict(data_format="CHANNELS_FIRST", padding="SAME", strides=[1, 1, 1, 1])
    volume = dict(padding="SAME", strides=[1, 1, 1, 1, 1])
    yield "Conv3D", "Conv3D", "volume cube", volume
    yield "Conv3DBackpropFilterV2", "Conv3DBackpropFilterV2", "volume [3,3,3,4,4] volume", volume
    yield "MaxPool3D", "MaxPool3D", "volume", dict(volume, ksize=[1, 2, 2, 2, 1])
    yield "AvgPool3D", "AvgPool3D", "volume", dict(volume, ksize=[1, 2, 2, 2, 1])
    for kind in ("f2", "i8", "f8"):
        yield f"Cast {kind}", "Cast", f"x '{kind}'", {}
    for name in ("MatMul", "BatchMatMulV2", "Add", "Exp", "Softmax", "Relu"):
        args = dict(MatMul="half half", BatchMatMulV2="half half", Add="half half").get(name, "half")
        yield f"{name} half", name, args, {}

tensors["half"] = tf.cast(tensors["square"], tf.float16)
for value in tensors.values():
    value.numpy()  # frees the memory that was allocated to make the value

def argument(text):
    try:
        return eval(text, {}, tensors)
    except NameError:
        return text

# The bytes in use, once what is freed behind an event has been freed, by a thread of its own.
def settled():
    tf.test.experimental.sync_devices()
    sizes = [tf.config.experimental.get_memory_info("GPU:0")["current"]]
    while len(sizes) < 3 or len(set(sizes[-3:])) > 1:
        time.sleep(0.003)
        sizes.append(tf.config.experimental.get_memory_info("GPU:0")["current"])
    return sizes[-1]

table = {}
with tf.device("/gpu:0"):
    for called, name, inputs, more in calls():
        op = getattr(raw, name)
        named = dict(zip(inspect.signature(op).parameters, map(argument, inputs.split())), **more)
        before = settled()
        tf.config.experimental.reset_memory_stats("GPU:0")
        try:
            made = op(**named)
            current = settled()
            table[called] = [current - before, tf.config.experimental.get_memory_info("GPU:0")["peak"] - before]
        except Exception as error:
            table[called] = str(error)[:200]
        made = None
print(json.dumps(table))
"""


@pytest.mark.proof
@pytest.mark.skipif(Version("2.21") > VERSION, reason="the ops and their arguments are those of 2.21")
def test_ops_allocate_the_same_with_and_without_values(warm_on_gpus, tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM, encoding="utf-8")
    tables = []
    for values in (True, False):
        with simulation(["8GiB"], values=values) as machine:
            done = warm_on_gpus.run(script, env=machine.environment)
        assert done.returncode == 0, done.stderr
        tables.append(json.loads(done.stdout))
    computed, launched = tables
    assert {op: (sizes, launched[op]) for op, sizes in computed.items() if sizes != launched[op]} == {}
    assert len([sizes for sizes in computed.values() if isinstance(sizes, list) and sizes[1] > 0]) >= 200
