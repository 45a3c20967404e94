"""Simulated GPUs that compute: ops have the values of the CPU's ops, and take the memory of a GPU's."""

from __future__ import annotations

import textwrap
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.version import Version

from tf1mem.doctor.checkup.installed import inner_folder
from tf1mem.gpusim.gpus import lineup
from tf1mem.gpusim.summary import as_text
from tf1mem.gpusim.values_library import library
from tf1mem.machine.tensorflow import installed_version

VERSION = installed_version() or Version("0")
WARM = ["tensorflow"]

START = """
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_eager_execution()
rng = np.random.RandomState(0)
square, image = rng.rand(8, 8).astype("f4"), rng.rand(2, 8, 8, 3).astype("f4")
definite = square @ square.T + 8 * np.eye(8, dtype="f4")
kernel, first = rng.rand(3, 3, 3, 4).astype("f4"), np.transpose(image, [0, 3, 1, 2])
padded, many = np.pad(image, [(0, 0), (0, 1), (0, 1), (0, 0)]), rng.rand(1, 1, 3, 70).astype("f4")
whole = np.rint(100 * image[..., [0, 1, 2, 0, 1, 2, 0, 1]])
ones, zeros = np.ones(3, "f4"), np.zeros(3, "f4")
nn = tf1.nn

# Nothing is folded on the CPU before it runs.
as_written = tf1.ConfigProto()
as_written.graph_options.optimizer_options.opt_level = tf1.OptimizerOptions.L0
as_written.graph_options.rewrite_options.disable_meta_optimizer = True
"""

# Prints a line for each op and each gradient: its name, and "differs" if the GPU's values aren't the CPU's. Forms with
# the channels first exist only on a GPU; they are compared with the CPU's form of the same name.
OPS = """
def ops():
    yield "matmul", tf.matmul(square, square)
    yield "half", tf.matmul(square.astype("f2"), square.astype("f2"))
    yield "saturation", tf.cast(tf.image.adjust_saturation(tf.cast(tf.constant(image), narrow), 0.5), tf.float32)
    yield "softmax", nn.softmax(square)
    yield "conv", nn.conv2d(image, kernel, [1, 1, 1, 1], "SAME")
    yield "many channels", nn.conv2d(padded, many, [1, 1, 1, 1], "SAME")
    yield "depthwise", nn.depthwise_conv2d(image, kernel, [1, 1, 1, 1], "SAME")
    yield "conv3d", nn.conv3d(image[None], kernel[None], [1] * 5, "SAME")
    yield "norm", nn.fused_batch_norm(image, ones, zeros)[0]
    yield "pool", nn.max_pool2d(image, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    yield "resize", tf1.image.resize_bilinear(image, [4, 4])
    yield "packed", nn.space_to_depth(whole, 2)
    yield "cholesky", tf.linalg.cholesky(definite)
    yield "solve", tf.linalg.solve(definite, square)
    yield "fft", tf.signal.fft(tf.cast(square, tf.complex64))
    yield "where", tf1.where(square > 0.5)
    yield "unique", tf.unique(tf.constant([1, 1, 2, 5, 2]))[0]
    boxes = [[0., 0., 1., 1.], [0., 0., 1., 1.1], [2., 2., 3., 3.]]
    yield "nms", tf.raw_ops.NonMaxSuppressionV2(boxes=boxes, scores=[.9, .8, .7], max_output_size=3, iou_threshold=.5)
    yield "crop", tf.image.crop_and_resize(tf.constant(image), [[0., 0., .5, 1.]], [1], [3, 3])
    yield "top_k", nn.top_k(square, 3)[0]
    yield "segments", tf.math.segment_sum(square, [0, 0, 1, 1, 2, 2, 3, 3])
    yield "range", tf.range(3.0)
    yield "random", tf.random.stateless_uniform([3], [1, 2])
    yield "loop", tf1.while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, x * 1.5), (0, tf.constant(square)))[1]
    yield "map", tf.map_fn(lambda x: x * 2, tf.constant(square))
    factor = tf.constant(2.0)
    yield "lists added", tf.gradients(tf.map_fn(lambda x: x * x * factor, tf.constant(square)), factor)[0]

def packed():
    # Four channels of a place lie side by side.
    four = tf.bitcast(np.reshape(whole, [2, 8, 8, 2, 4]).transpose(0, 3, 1, 2, 4).astype("i1"), tf.qint8)
    there = nn.space_to_depth(four, 2, data_format="NCHW_VECT_C")
    back = nn.depth_to_space(there, 2, data_format="NCHW_VECT_C")
    again = tf.bitcast(nn.space_to_depth(back, 2, data_format="NCHW_VECT_C"), tf.int8)
    return tf.reshape(tf.transpose(tf.cast(again, tf.float32), [0, 1, 4, 2, 3]), [2, 32, 4, 4])

channels_first = {
    "packed": packed,
    "conv": lambda: nn.conv2d(first, kernel, [1, 1, 1, 1], "SAME", data_format="NCHW"),
    "many channels": lambda: nn.conv2d(padded.transpose(0, 3, 1, 2), many, [1] * 4, "SAME", data_format="NCHW"),
    "norm": lambda: nn.fused_batch_norm(first, ones, zeros, data_format="NCHW")[0],
    "pool": lambda: nn.max_pool2d(first, [1, 1, 2, 2], [1, 1, 2, 2], "SAME", data_format="NCHW"),
}

def values(device):
    global narrow
    narrow = tf.float16 if "gpu" in device else tf.float32  # the CPU has no kernel for float16
    with tf.Graph().as_default(), tf.device(device), tf1.Session(config=as_written) as s:
        return s.run(dict(ops()))

def gradients(device, x, form):
    # The gradients of a net by its input, which is in NHWC or NCHW as `form` says, and by its kernels.
    def sizes(size):
        return [1, size, size, 1] if form == "NHWC" else [1, 1, size, size]

    with tf.Graph().as_default(), tf.device(device), tf1.Session(config=as_written) as s:
        inputs = [tf.constant(value) for value in (x, kernel, kernel[:, :, :, :2], np.ones([3, 3, 8, 4], "f4"))]
        y = nn.conv2d(inputs[0], inputs[1], sizes(1), "SAME", data_format=form)
        y = nn.bias_add(nn.depthwise_conv2d(y, tf.tile(inputs[2], [1, 1, 2, 1])[:, :, :4], sizes(1), "SAME",
                                            data_format=form), tf.range(8.0), form)
        y = nn.fused_batch_norm(y, tf.range(1.0, 9.0), tf.range(8.0), data_format=form)[0]
        y = nn.max_pool2d(tf.nn.relu(y), sizes(3), sizes(1), "VALID", data_format=form)
        y = nn.avg_pool2d(nn.conv2d(y, inputs[3], sizes(2), "VALID", data_format=form), sizes(2), sizes(1), "SAME",
                          data_format=form)
        return s.run([y, *tf.gradients(tf.reduce_sum(tf.sin(y)), inputs)])

def as_last(value):
    return np.transpose(value, [0, 2, 3, 1])

cpu, gpu = gradients("/cpu:0", image, "NHWC"), gradients("/gpu:0", first, "NCHW")
gpu[:2] = map(as_last, gpu[:2])
for name, one, other in zip(["net", "by input", "by conv", "by depthwise", "by last"], cpu, gpu):
    print(name, "" if np.allclose(one, other, 1e-3, 1e-3 * np.abs(one).max()) else "differs")
cpu, gpu = values("/cpu:0"), values("/gpu:0")
for name in cpu:
    close = 1e-2 if name == "saturation" else 1e-4
    same = cpu[name].shape == gpu[name].shape and np.allclose(cpu[name], gpu[name], close, 1e-4)
    print(name, "" if same else "differs")
with tf.device("/gpu:0"), tf1.Session(config=as_written) as s:
    for name, op in channels_first.items():
        print(name, "" if np.allclose(cpu[name], as_last(s.run(op())), 1e-4, 1e-4) else "differs")
"""

TRAINING = """
def losses(device):
    with tf.Graph().as_default(), tf.device(device):
        tf1.set_random_seed(1)
        reference = tf1.get_variable("reference", initializer=square, use_resource=False)
        resource = tf1.get_variable("resource", initializer=kernel, use_resource=True)
        table = tf1.get_variable("table", initializer=square, use_resource=True)
        y = nn.relu(nn.conv2d(image, resource, [1, 2, 2, 1], "SAME"))
        rows = tf.gather(table, [1, 3, 1])
        loss = tf.reduce_mean(tf.square(y - 0.3)) + tf.reduce_sum(reference @ reference) * 0.01 + tf.reduce_sum(rows**2)
        first = tf1.train.GradientDescentOptimizer(0.01).minimize(loss)
        with tf1.control_dependencies([first]):
            step = tf1.train.AdamOptimizer(0.05).minimize(loss)
        with tf1.Session(config=tf1.ConfigProto(gpu_options=tf1.GPUOptions(allow_growth=True))) as s:
            s.run(tf1.global_variables_initializer())
            # Two calls, since in one call the loss may read a variable before or after its update.
            return [(s.run(loss), s.run(step))[0] for _ in range(8)]

"""

# Trains one small net of each kind on the CPU and on a GPU; nets with convolutions are above.
KINDS = """
words = rng.randint(0, 9, [4, 6])

def dense(x, name, size):
    return x @ tf1.get_variable(name, initializer=rng.randn(int(x.shape[-1]), size).astype("f4") * 0.3)

def cross_entropy(logits, labels):
    return tf.reduce_mean(nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))

def recurrent():
    h = c = tf.zeros([4, 8])
    with tf1.variable_scope("cell", reuse=tf1.AUTO_REUSE):
        for word in words.T:
            i, f, o, g = tf.split(dense(tf.concat([tf.one_hot(word, 9), h], 1), "gates", 32), 4, 1)
            c = tf.sigmoid(f + 1) * c + tf.sigmoid(i) * tf.tanh(g)
            h = tf.sigmoid(o) * tf.tanh(c)
    return [cross_entropy(dense(h, "out", 9), words[:, 0])]

def attention():
    table = tf1.get_variable("table", initializer=rng.randn(9, 8).astype("f4"))
    x = tf.gather(table, words)
    rows = tf.reshape(x, [24, 8])
    q, k, v = (tf.reshape(dense(rows, name, 8), [4, 6, 8]) for name in "qkv")
    x += tf.matmul(nn.softmax(tf.matmul(q, k, transpose_b=True) / 8**0.5), v)
    mean, variance = nn.moments(x, [2], keepdims=True)
    x = tf.reshape((x - mean) * tf1.rsqrt(variance + 1e-6), [24, 8])
    return [cross_entropy(dense(nn.relu(dense(x, "inner", 16)), "out", 9), words.reshape(-1))]

def adversarial():
    with tf1.variable_scope("making"):
        drawn = dense(tf.tanh(dense(tf1.random_normal([16, 4], seed=3), "inner", 8)), "out", 2)
    real, judged = rng.randn(16, 2).astype("f4") + 2, []
    with tf1.variable_scope("judging", reuse=tf1.AUTO_REUSE):
        for points in (tf.constant(real), drawn):
            judged.append(dense(nn.leaky_relu(dense(points, "inner", 8)), "out", 1))
    return [tf.reduce_mean(nn.softplus(-judged[0]) + nn.softplus(judged[1])), tf.reduce_mean(nn.softplus(-judged[1]))]

def reinforcement():
    logits = dense(tf.tanh(dense(tf.one_hot(words[:, 0], 9), "inner", 8)), "out", 3)
    action = tf.reshape(tf1.multinomial(logits, 1, seed=5), [4])
    reward = tf.gather([0.0, 1.0, 0.3], action)
    likelihood = tf.reduce_sum(nn.log_softmax(logits) * tf.one_hot(action, 3), 1)
    return [-tf.reduce_mean(likelihood * (reward - tf.reduce_mean(reward)))]

def trained(device, kind):
    rng.seed(0)
    with tf.Graph().as_default(), tf.device(device):
        losses, scopes = kind(), ["judging", "making"] if kind is adversarial else [""]
        steps = [tf1.train.AdamOptimizer(0.02).minimize(loss, var_list=tf1.trainable_variables(scope))
                 for loss, scope in zip(losses, scopes)]
        with tf1.Session(config=tf1.ConfigProto(allow_soft_placement=False)) as s:
            s.run(tf1.global_variables_initializer())
            return [(s.run(losses), [s.run(step) for step in steps])[0] for _ in range(20)]

for kind in (recurrent, attention, adversarial, reinforcement):
    cpu, gpu = trained("/cpu:0", kind), trained("/gpu:0", kind)
    print(kind.__name__, np.allclose(cpu, gpu, 1e-4, 1e-5), cpu[0] != cpu[-1])
"""

# A convolution with dilations equals one whose filter has zeros between its elements. The CPU has gradients only for
# the second, which is compared with the first on a GPU.
DILATED = """
def spread(kernel, rank):
    for axis in range(rank):
        shape = kernel.shape.as_list()
        zeros = tf.zeros_like(kernel)
        kernel = tf.reshape(tf.stack([kernel, zeros], axis + 1), shape[:axis] + [-1] + shape[axis + 1:])
        kernel = tf.split(kernel, [2 * shape[axis] - 1, 1], axis)[0]
    return kernel

def gradients(device, rank, form, padding, dtype):
    # The gradients of a convolution by its input, whose channels are last, and by its kernel.
    with tf.Graph().as_default(), tf.device(device), tf1.Session(config=as_written) as s:
        x = tf.constant(rng.rand(2, *[9] * rank, 3).astype(dtype))
        k = tf.constant(rng.rand(*range(2, 2 + rank), 3, 4).astype(dtype))
        conv, twice = {2: nn.conv2d, 3: nn.conv3d}[rank], [2] * rank
        if "cpu" in device:
            y = conv(x, spread(k, rank), [1, *twice, 1], padding)
        elif form == "last":
            y = conv(x, k, [1, *twice, 1], padding, dilations=[1, *twice, 1])
        else:
            turned, form = tf.transpose(x, [0, rank + 1, *range(1, rank + 1)]), {2: "NCHW", 3: "NCDHW"}[rank]
            y = conv(turned, k, [1, 1, *twice], padding, data_format=form, dilations=[1, 1, *twice])
        return s.run(tf.gradients(tf.reduce_sum(tf.square(y)), [x, k]))

cases = ((2, "last", "SAME", "f8"), (2, "first", "VALID", "f4"), (2, "first", "SAME", "f8"), (3, "first", "SAME", "f4"),
         (3, "last", "VALID", "f8"))
for case in cases:
    results = []
    for device in ("/cpu:0", "/gpu:0"):
        rng.seed(0)
        results.append(gradients(device, *case))
    print(*case, *(np.allclose(one, other, 1e-3, 1e-3) for one, other in zip(*results)))
"""

# Sparse matrices: a product, its gradient, a transpose.
SPARSE = """
from tensorflow.python.ops.linalg.sparse import sparse_csr_matrix_ops as csr

def products(device):
    with tf.Graph().as_default(), tf.device(device), tf1.Session(config=as_written) as s:
        dense = tf.constant(np.where(square > 0.5, square, 0))
        places = tf.constant(np.stack(np.nonzero(square > 0.5), 1))
        matrix = csr.dense_to_csr_sparse_matrix(dense, places)
        product = csr.sparse_matrix_mat_mul(matrix, tf.constant(square))
        back = csr.csr_sparse_matrix_to_dense(csr.sparse_matrix_transpose(matrix, type=tf.float32), type=tf.float32)
        return s.run([product, back, tf.gradients(product, dense)[0]])

for one, other in zip(products("/cpu:0"), products("/gpu:0")):
    print(np.allclose(one, other, 1e-5), bool(np.any(one)))
"""

# Kind of recurrent network -> the number of outputs and gradients that are compared.
MODES = {"lstm": 6, "gru": 5, "rnn_tanh": 5}

# Compares cuDNN's networks on a GPU with the same ones on the CPU, written with single ops, step by step.
RECURRENT = """
raw, TIME, BATCH, INPUT, UNITS, LAYERS = tf.raw_ops, 4, 3, 5, 2, 2
lengths = [4, 2, 3]

def steps(mode, x, h, c, w, r, bw, br, order):
    outputs = [None] * TIME
    for t in order:
        inside = tf.constant([[float(t < length)] for length in lengths])
        a, b = x[t] @ tf.transpose(w) + bw, h @ tf.transpose(r) + br
        if mode == "lstm":
            i, f, g, o = tf.split(a + b, 4, 1)
            new_c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
            new = tf.sigmoid(o) * tf.tanh(new_c)
            c = inside * new_c + (1 - inside) * c
        elif mode == "gru":
            a, b = tf.split(a, 3, 1), tf.split(b, 3, 1)
            u = tf.sigmoid(a[1] + b[1])
            new = (1 - u) * tf.tanh(a[2] + tf.sigmoid(a[0] + b[0]) * b[2]) + u * h
        else:
            new = tf.tanh(a + b)
        h = inside * new + (1 - inside) * h
        outputs[t] = inside * new
    return tf.stack(outputs), h, c

def written_out(mode, x, h, c, params):
    gates, at, parts = {"lstm": 4, "gru": 3, "rnn_tanh": 1}[mode] * UNITS, 0, []
    for i in range(2 * LAYERS):
        width = INPUT if i < 2 else 2 * UNITS
        parts.append([params[at:at + gates * width], params[at + gates * width:at + gates * (width + UNITS)]])
        at += gates * (width + UNITS)
    for part in parts:
        part += [params[at:at + gates], params[at + gates:at + 2 * gates]]
        at += 2 * gates
    last_h, last_c = [], []
    for layer in range(LAYERS):
        outs = []
        for d in range(2):
            w, r, bw, br = parts[2 * layer + d]
            i, order = 2 * layer + d, range(TIME)
            w, r = tf.reshape(w, [gates, -1]), tf.reshape(r, [gates, UNITS])
            y, hn, cn = steps(mode, x, h[i], c[i], w, r, bw, br, order[::-1] if d else order)
            outs.append(y)
            last_h.append(hn)
            last_c.append(cn)
        x = tf.concat(outs, 2)
    return x, tf.stack(last_h), tf.stack(last_c)

def cudnn(mode, x, h, c, params):
    return raw.CudnnRNNV3(input=x, input_h=h, input_c=c, params=params, sequence_lengths=lengths, rnn_mode=mode,
                          direction="bidirectional", input_mode="linear_input", is_training=True)[:3]

for mode, gates in (("lstm", 4), ("gru", 3), ("rnn_tanh", 1)):
    about = dict(num_layers=LAYERS, num_units=UNITS, input_size=INPUT, rnn_mode=mode, direction="bidirectional",
                 input_mode="linear_input")
    results = []
    for device, network in (("/cpu:0", written_out), ("/gpu:0", cudnn)):
        with tf.Graph().as_default(), tf.device(device), tf1.Session(config=as_written) as s:
            rng = np.random.RandomState(0)
            state = (2 * LAYERS, BATCH, UNITS)
            inputs = [tf.constant(rng.randn(*shape).astype("f4"))
                     for shape in ((TIME, BATCH, INPUT), state, state, (gates * 68,))]
            outputs = network(mode, *inputs)[:3 if mode == "lstm" else 2]
            loss = sum(tf.reduce_sum(out * rng.randn(*out.shape.as_list()).astype("f4")) for out in outputs)
            grads = tf.gradients(loss, inputs[:2] + inputs[3:])
            results.append(s.run([*outputs, *grads]))
            if network is cudnn:
                pieces = raw.CudnnRNNParamsToCanonical(params=inputs[3], num_params=4 * gates * LAYERS, **about)
                whole = raw.CudnnRNNCanonicalToParams(weights=pieces[0], biases=pieces[1], **about)
                size = raw.CudnnRNNParamsSize(T=tf.float32, S=tf.int32, **about)
                params, again, bias, size = s.run([inputs[3], whole, pieces[1][-1], size])
                print(mode, (params == again).all(), (params[-UNITS:] == bias).all(), size == params.shape)
    print(mode, [np.allclose(a, b, 1e-4, 1e-5) for a, b in zip(*results)])
"""


# The CTC loss by cuDNN on a GPU, where the blank is the first class, and the CPU's.
CTC = """
raw = tf.raw_ops
logits, lengths = rng.randn(5, 2, 4).astype("f4"), np.array([5, 4], "i4")
places, labels = np.array([[0, 0], [0, 1], [1, 0]], "i8"), np.array([1, 2, 3], "i4")
with tf.Graph().as_default(), tf1.Session(config=as_written) as s:
    with tf.device("/gpu:0"):
        inputs = tf.constant(logits)
        first = raw.CTCLossV2(inputs=inputs, labels_indices=places, labels_values=labels, sequence_length=lengths)
        by_input = tf.gradients(tf.reduce_sum(tf.sin(first[0])), inputs)[0]
    with tf.device("/cpu:0"):  # on the CPU the blank is the last class
        turned = tf.constant(np.roll(logits, -1, 2))
        last = raw.CTCLoss(inputs=turned, labels_indices=places, labels_values=labels - 1, sequence_length=lengths)
        by_turned = tf.gradients(tf.reduce_sum(tf.sin(last[0])), turned)[0]
    (one, of_one, grad), (other, of_other, same) = s.run([[*first, by_input], [*last, by_turned]])
    print((one == other).all(), (of_one == np.roll(of_other, 1, 2)).all(), np.allclose(grad, np.roll(same, 1, 2)))
"""

# Runs ops whose GPU kernels call libraries that the simulator doesn't compute with, such as cuSOLVER and cuFFT.
NEEDING_LIBRARIES = """
raw, linalg, signal = tf.raw_ops, tf.linalg, tf.signal
complexes, x, diagonals = square.astype("c8"), np.ones([4, 2, 2], "f4"), np.repeat([[1.0], [4.0], [1.0]], 4, 1)
weights = np.ones(84, "f4")
network = dict(rnn_mode="lstm", num_layers=1, num_units=3, input_size=2)
steps = dict(input=x, input_h=np.zeros([1, 2, 3], "f4"), input_c=np.zeros([1, 2, 3], "f4"), params=weights)

def ctc():
    lengths, indices = np.array([4, 4], "i4"), np.array([[0, 0], [1, 0]], "i8")
    return raw.CTCLossV2(inputs=x, labels_indices=indices, labels_values=np.ones(2, "i4"), sequence_length=lengths)

def csr():
    return raw.DenseToCSRSparseMatrix(dense_input=square, indices=np.argwhere(square > 0.5))

ops = {
    "CTCLossV2": ctc, "Cholesky": lambda: linalg.cholesky(definite),
    "MatrixSolve": lambda: linalg.solve(square, square), "Svd": lambda: linalg.svd(square),
    "SelfAdjointEigV2": lambda: linalg.eigh(definite),
    "MatrixInverse": lambda: linalg.inv(square), "MatrixDeterminant": lambda: linalg.det(square),
    "Qr": lambda: linalg.qr(square), "Lu": lambda: linalg.lu(square),
    "TridiagonalSolve": lambda: raw.TridiagonalSolve(diagonals=diagonals, rhs=np.ones([4, 1]),
                                                     partial_pivoting=False),
    "FFT": lambda: signal.fft(complexes), "IFFT2D": lambda: signal.ifft2d(complexes),
    "FFT3D": lambda: signal.fft3d(complexes[None]), "RFFT": lambda: signal.rfft(square),
    "IRFFT2D": lambda: signal.irfft2d(complexes),
    "DenseToCSRSparseMatrix": csr,
    "CudnnRNNParamsSize": lambda: raw.CudnnRNNParamsSize(T=tf.float32, S=tf.int32, **network),
    "CudnnRNN": lambda: raw.CudnnRNN(rnn_mode="lstm", **steps),
    "CudnnRNNV2": lambda: raw.CudnnRNNV2(rnn_mode="lstm", **steps),
    "CudnnRNNV3": lambda: raw.CudnnRNNV3(rnn_mode="lstm", sequence_lengths=np.array([4, 3], "i4"), **steps),
    "CudnnRNNParamsToCanonical": lambda: raw.CudnnRNNParamsToCanonical(params=weights, num_params=8, **network),
    "LRN": lambda: nn.lrn(image), "MatMul": lambda: tf.matmul(square, square),
}
for name, op in ops.items():
    with tf.Graph().as_default(), tf1.Session(config=as_written) as s:
        try:
            with tf.device("/gpu:0"):
                outputs = op()
        except (AttributeError, TypeError):
            continue  # this TensorFlow hasn't got it
        try:
            s.run([one.op for one in tf.nest.flatten(outputs)])
            print(name, "computed")
        except tf.errors.OpError as error:
            named = error.op is not None and error.op.type == name
            print(name, "no kernel" if "Cannot assign a device" in str(error) else type(error).__name__, named)
print("alive")
"""


# Indices that are out of range, for which a GPU returns zeros or NaN and the CPU an error.
STRAYS = """
with tf.Graph().as_default(), tf.device("/gpu:0"), tf1.Session(config=as_written) as s:
    table, pairs = tf.constant(np.arange(12.0).reshape(3, 2, 2)), tf.constant(np.arange(8.0).reshape(2, 4))
    weights = tf1.get_variable("weights", initializer=[[1.0], [2.0]], use_resource=True)
    logits, labels = tf.constant([[1.0] * 4] * 2 + [[1.0, 2.0, 3.0, 4.0]] * 2), tf.constant([4, 3, 0, -1])
    loss = nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    s.run(weights.initializer)
    for result in s.run([
        tf.gather(table, [2, 3]), tf.gather(table, [-1, 1], axis=1), tf.gather(pairs, [[1, 9], [4, 0]], batch_dims=1),
        tf.gather_nd(table, [[0, 1], [1, 2]]), nn.embedding_lookup(weights, [1, 2]),
        tf.cast(tf.math.is_nan(loss), tf.int32), tf.reduce_sum(tf.gradients(loss, logits)[0], 1),
    ]):
        print(np.round(result, 3).tolist())
"""


@pytest.fixture
def run(on_simulated_gpus):
    """Returns a function that runs START and a program; it returns the finished process and its GPU's history."""
    return lambda code, **more: on_simulated_gpus(START + textwrap.dedent(code), **more)


def test_ops_have_the_cpus_values(run):
    done, histories = run(OPS)
    assert [line for line in done.stdout.splitlines() if line.endswith("differs")] == []
    assert len(done.stdout.splitlines()) == 36  # 5 of gradients, 26 of OPS, 5 with the channels first
    (share,) = histories.shares
    assert share.launches == share.computed > 30
    assert histories.not_computed == ()


def test_gradients_of_dilated_convolutions(run):
    done, histories = run(DILATED)
    assert [line.split()[-2:] for line in done.stdout.splitlines()] == [["True", "True"]] * 5
    assert histories.not_computed == ()


def test_indices_out_of_range_are_no_error(run):
    done, histories = run(STRAYS)
    assert done.stdout.splitlines() == [
        "[[[8.0, 9.0], [10.0, 11.0]], [[0.0, 0.0], [0.0, 0.0]]]",
        "[[[0.0, 0.0], [2.0, 3.0]], [[0.0, 0.0], [6.0, 7.0]], [[0.0, 0.0], [10.0, 11.0]]]",
        "[[1.0, 0.0], [0.0, 4.0]]",
        "[[2.0, 3.0], [0.0, 0.0]]",
        "[[2.0], [0.0]]",
        "[1, 0, 0, 1]",
        "[nan, 0.0, 0.0, nan]",
    ]
    assert histories.not_computed == ()


@pytest.mark.skipif(Version("2.21") > VERSION, reason="shown there")
def test_sparse_matrices_have_the_cpus_values(run):
    done, histories = run(SPARSE)
    assert done.stdout == "True True\n" * 3
    assert histories.not_computed == ()


@pytest.mark.proof
def test_recurrent_networks_equal_their_single_ops(run):
    done, _ = run(RECURRENT)
    expected = [f"{mode} True True [ True]\n{mode} {[True] * count}\n" for mode, count in MODES.items()]
    assert done.stdout == "".join(expected)


@pytest.mark.skipif(Version("2.4rc0") > VERSION, reason="CTCLossV2 had no kernel there, or no name")
def test_the_ctc_loss_with_the_first_class_as_blank(run):
    done, histories = run(CTC)
    assert done.stdout == "True True True\n"
    assert histories.not_computed == histories.unsupported == ()


@pytest.mark.parametrize("values", [True, False])
def test_an_unsupported_library_function_is_an_error_of_its_op(run, values):
    done, _ = run(NEEDING_LIBRARIES, values=values)
    *lines, last = done.stdout.splitlines()
    assert last == "alive"
    became = {line.split()[0]: line.split()[1:] for line in lines}
    assert len(became) > 10
    wrong = [name for name, result in became.items() if result[0] not in ("computed", "no") and result[1] != "True"]
    assert wrong == [], done.stdout
    if values:
        assert [name for name, result in became.items() if result[0] not in ("computed", "no")] == [], done.stdout


def test_training_has_the_cpus_values_and_the_gpus_memory(run):
    compared = 'cpu, gpu = losses("/cpu:0"), losses("/gpu:0")\nprint(np.allclose(cpu, gpu, 1e-4), cpu[-1] < cpu[0])'
    done, _ = run(TRAINING + compared)
    assert done.stdout == "True True\n"
    alone = TRAINING + 'losses("/gpu:0")'
    (computed,), (not_computed,) = run(alone)[1].shares, run(alone, values=False)[1].shares
    assert [size for _, size in computed.steps] == [size for _, size in not_computed.steps]
    assert computed.computed > 0 == not_computed.computed


@pytest.mark.proof
def test_small_nets_have_the_cpus_losses(run):
    done, histories = run(KINDS)
    kinds = ["recurrent", "attention", "adversarial", "reinforcement"]
    assert done.stdout.splitlines() == [f"{kind} True True" for kind in kinds]
    assert histories.not_computed == ()
    (computed,), (not_computed,) = histories.shares, run(KINDS, values=False)[1].shares
    assert [size for _, size in computed.steps] == [size for _, size in not_computed.steps]


def test_ops_without_values_are_named(run):
    done, histories = run("""
with tf.device("/gpu:0"), tf1.Session(config=as_written) as s:
    for _ in range(2):
        s.run(tf.math.reciprocal(tf.constant([1, 2], tf.int64)))
    print(s.run(tf.matmul(square, square)).shape)
""")
    assert done.stdout == "(8, 8)\n"
    assert done.stderr.count("Reciprocal is not computed, its values are not real: ") == 1
    assert histories.not_computed == ("Reciprocal",)
    (share,) = histories.shares
    assert 0 < share.computed < share.launches
    lost, product = histories.ops["Reciprocal"], histories.ops["MatMul"]
    assert (lost.computed, product.computed) == (0, product.launches)
    assert lost.launches == share.launches - share.computed > 0
    text = " ".join(as_text(lineup("8GiB"), histories).split())
    assert f"Not computed, so their values are not real: Reciprocal ({lost.launches} launches)" in text
    assert f"Computed: MatMul ({product.launches} launch" in text


@pytest.mark.skipif(Version("2.10") > VERSION, reason="SparseSplit had no kernel for GPUs on 2.4")
def test_outputs_that_the_cpu_kernel_leaves_on_the_host_are_on_the_gpu(run):
    done, histories = run("""
tf1.enable_eager_execution()
sparse = tf.SparseTensor([[0, 1], [1, 2], [1, 3]], [1.0, 2.0, 3.0], [2, 4])
left, right = tf.sparse.split(sp_input=sparse, num_split=2, axis=1)
print(left.values.numpy().tolist(), right.indices.numpy().tolist(), right.values.device[-5:])
""")
    assert done.stdout == "[1.0] [[1, 0], [1, 1]] GPU:0\n"
    assert histories.not_computed == ()


def test_tensors_of_a_list_are_freed_one_by_one(run):
    done, histories = run("""
tf1.enable_eager_execution()
raw = tf.raw_ops
empty = raw.EmptyTensorList(element_shape=[2], max_num_elements=-1, element_dtype=tf.float32)
grown = raw.TensorListResize(input_handle=empty, size=2)
rest, last = raw.TensorListPopBack(input_handle=grown, element_shape=[2], element_dtype=tf.float32)
print(raw.TensorListLength(input_handle=rest).numpy(), last.numpy().tolist())
both = raw.TensorListPushBackBatch(input_handles=tf.stack([empty, empty]), tensor=[[1.0, 2.0], [3.0, 4.0]])
_, item = raw.TensorListPopBack(input_handle=both[1], element_shape=[2], element_dtype=tf.float32)
print(item.numpy().tolist())
""")
    assert done.stdout == "1 [0.0, 0.0]\n[3.0, 4.0]\n"
    assert histories.not_computed == ()


def test_a_graph_of_an_old_tensorflow_is_computed_with_its_ops(run):
    done, histories = run("""
with tf1.Graph().as_default():
    tf1.import_graph_def(tf1.GraphDef(versions={"producer": 8}))
    norm = tf1.raw_ops.BatchNormWithGlobalNormalization
    made = norm(t=image, m=zeros, v=ones, beta=zeros, gamma=ones, variance_epsilon=0.5, scale_after_normalization=True)
    with tf1.Session(config=as_written) as s:
        print(np.allclose(s.run(made), image / np.sqrt(1.5), 1e-5))
""")
    assert done.stdout == "True\n"
    assert histories.not_computed == ()


@pytest.mark.skipif(Version("2.5") > VERSION, reason="tf.function has jit_compile from 2.5 on")
def test_functions_for_xla_are_run_op_by_op(run):
    done, histories = run("""
tf1.enable_eager_execution()
weights = tf.Variable(2 * np.eye(4, dtype="f4"))

@tf.function(jit_compile=True)
def compiled(x, count):
    return tf.reduce_sum(x @ weights), count + 1

@tf.function
def outer(x):
    with tf.GradientTape() as tape:
        total, count = compiled(x, tf.constant(2))
    return tape.gradient(total, weights)[0], count

for results in (compiled(tf.ones([4, 4]), tf.constant(3)), outer(tf.ones([4, 4]))):
    print(*(value.numpy().tolist() for value in results))
""")
    assert done.stdout == "32.0 4\n[4.0, 4.0, 4.0, 4.0] 3\n"
    assert done.stderr.count("tf1mem sim: XLA compiles nothing here") == 1
    (share,) = histories.shares
    assert share.computed == share.launches > 0


@pytest.mark.skipif(Version("2.21") > VERSION, reason="shown there")
def test_approx_top_k_of_the_smallest_values(run):
    done, histories = run("""
tf1.enable_eager_execution()

@tf.function(jit_compile=True)
def least(x):
    values, places = tf.math.approx_min_k(x, 2)
    return values + 1.0, values, places

for made in least(tf.constant([[3.0, 1.0, 2.0, 5.0]])):
    print(made.numpy().tolist())
""")
    assert done.stdout == "[[2.0, 3.0]]\n[[1.0, 2.0]]\n[[1, 2]]\n"
    assert histories.not_computed == ()


def test_very_many_computed_launches_get_no_message(run):
    done, histories = run("""
import ctypes
from ctypes import byref, c_uint, c_void_p

with tf.device("/gpu:0"), tf1.Session(config=as_written) as s:
    s.run(tf.matmul(square, square))
    cu = ctypes.CDLL("libcuda.so.1")
    class Kernel(ctypes.Structure):
        _fields_ = [("function", c_void_p), ("sizes", c_uint * 7), ("parameters", c_void_p), ("extra", c_void_p),
                    ("kernel", c_void_p), ("context", c_void_p)]
    context, module, function, graph, made = (c_void_p() for _ in range(5))
    assert not cu.cuDevicePrimaryCtxRetain(byref(context), 0)
    assert not cu.cuCtxSetCurrent(context)
    assert not cu.cuModuleLoadData(byref(module), b"image")
    assert not cu.cuModuleGetFunction(byref(function), module, b"kernel")
    assert not cu.cuGraphCreate(byref(graph), 0)
    kernel = Kernel(function.value, (c_uint * 7)(1, 1, 1, 32, 1, 1, 0))
    for _ in range(1000):
        assert not cu.cuGraphAddKernelNode_v2(byref(c_void_p()), graph, None, 0, byref(kernel))
    assert not cu.cuGraphInstantiateWithFlags(byref(made), graph, 0)
    for _ in range(1001):
        assert not cu.cuGraphLaunch(made, None)
    assert not cu.cuCtxSynchronize()
""")
    (share,) = histories.shares
    assert share.launches > 1000000 > share.computed > 0
    assert "none is computed" not in done.stderr


def test_without_a_cxx_compiler_a_line_says_so_once(run, tmp_path):
    done, histories = run(
        'with tf.device("/gpu:0"), tf1.Session(config=as_written) as s: s.run(tf.matmul(square, square))',
        CXX="no-such-c++",
    )
    why = "losses and predictions, are not real, because simulated GPUs need a C++ compiler, and CXX=no-such-c++ is"
    assert done.stderr.count(why) == 1
    (share,) = histories.shares
    assert share.computed == 0 < share.launches


def test_required_values_that_cannot_be_compiled_end_the_process(run, tmp_path):
    refusing = tmp_path / "c++"
    refusing.write_text("#!/bin/sh\necho no headers; exit 1\n", encoding="utf-8")
    refusing.chmod(0o755)
    env = {"CXX": str(refusing), "TF1MEM_SIM_CACHE": str(tmp_path / "cache")}
    done, _ = run(
        'print(len(tf.config.experimental.list_physical_devices("GPU")), flush=True)', values=True, status=2, **env
    )
    assert done.stdout == ""
    assert f"tf1mem sim --values: simulated GPUs: could not be compiled: {refusing} ended with 1" in done.stderr


def test_signals_while_the_library_is_compiled(run, tmp_path):
    tensorflow = find_spec("tensorflow").submodule_search_locations[0]
    built = library(max(Path(inner_folder(tensorflow)).glob("libtensorflow_framework.so.?")))
    slow = tmp_path / "slow-c++"
    slow.write_text(f'#!/bin/sh\nsleep 0.5\nwhile [ "$1" != -o ]; do shift; done\ncp {built} "$2"\n', encoding="utf-8")
    slow.chmod(0o755)
    _, histories = run(
        """
        import signal
        signal.signal(signal.SIGALRM, lambda *_: None)
        signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
        with tf.device("/gpu:0"), tf1.Session(config=as_written) as s: s.run(tf.matmul(square, square))
        """,
        CXX=str(slow),
        TF1MEM_SIM_CACHE=str(tmp_path / "cache"),
    )
    (share,) = histories.shares
    assert share.computed == share.launches > 0


def test_an_op_that_calls_ops_is_run_once(run):
    done, _ = run("""
        calls = []

        def called(x):
            calls.append(x)
            return x @ x

        with tf.device("/gpu:0"), tf1.Session(config=as_written) as s:
            print(np.allclose(s.run(tf.py_function(called, [square], tf.float32)), square @ square, 1e-4), len(calls))
    """)
    assert done.stdout == "True 1\n"
