"""Makes small data and weights for flagships.py, all from a seed. Each function writes into a repository's copy.

Its arguments are the copy, and a Python with TensorFlow 1.15.5, for weights that only the program itself can make.
"""

from __future__ import annotations

import bz2
import gzip
import json
import os
import struct
import subprocess
from importlib import import_module
from pathlib import Path
from typing import Any, Mapping, Sequence

import numpy as np

# A checkpoint in the place of the downloaded one, as the program's own model names its variables.
_SAVE_GPT_2 = """\
import json
import tensorflow as tf
from gpt_2_simple.src import model
hparams = model.default_hparams()
hparams.override_from_dict(json.load(open("models/124M/hparams.json")))
tf.set_random_seed(1)
model.model(hparams=hparams, X=tf.placeholder(tf.int32, [1, None]))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    tf.train.Saver().save(sess, "models/124M/model.ckpt")
"""
_MESSAGES = """\
from google.protobuf import descriptor_pool
from google.protobuf.internal import builder
DESCRIPTOR = descriptor_pool.Default().AddSerializedFile({})
builder.BuildMessageAndEnumDescriptors(DESCRIPTOR, globals())
builder.BuildTopDescriptorsAndMessages(DESCRIPTOR, "sonnet.protos.module_pb2", globals())
"""
_TRANSLATION = """\
model_dir: out
data:
  train_features_file: source.txt
  train_labels_file: target.txt
  source_words_vocabulary: words.txt
  target_words_vocabulary: words.txt
params:
  optimizer: AdamOptimizer
  learning_rate: 0.001
  clip_gradients: 5.0
train:
  batch_size: 16
  train_steps: 20
  save_checkpoints_steps: 100
  save_summary_steps: 10
"""
_TRANSLATOR = """\
import opennmt as onmt
import tensorflow as tf


def model():
    return onmt.models.SequenceToSequence(
        source_inputter=onmt.inputters.WordEmbedder("source_words_vocabulary", embedding_size=32),
        target_inputter=onmt.inputters.WordEmbedder("target_words_vocabulary", embedding_size=32),
        encoder=onmt.encoders.BidirectionalRNNEncoder(
            1, 32, reducer=onmt.layers.ConcatReducer(), cell_class=tf.nn.rnn_cell.LSTMCell, dropout=0.3
        ),
        decoder=onmt.decoders.AttentionalRNNDecoder(
            1, 32, bridge=onmt.layers.CopyBridge(), cell_class=tf.nn.rnn_cell.LSTMCell, dropout=0.3,
            attention_mechanism_class=tf.contrib.seq2seq.LuongAttention
        ),
    )
"""
_SEGMENTATION = """\
[image]
path_to_search = ./volumes
filename_contains = _T1
filename_removefromid = _T1
spatial_window_size = (24, 24, 24)
interp_order = 1
axcodes = (A, R, S)

[label]
path_to_search = ./volumes
filename_contains = _Label
filename_removefromid = _Label
spatial_window_size = (24, 24, 24)
interp_order = 0
axcodes = (A, R, S)

[SYSTEM]
cuda_devices = ""
num_threads = 1
num_gpus = 1
model_dir = out

[NETWORK]
name = dense_vnet
batch_size = 2
volume_padding_size = 0
window_sampling = uniform
queue_length = 10
whitening = True

[TRAINING]
sample_per_volume = 2
rotation_angle = (-10.0, 10.0)
scaling_percentage = (-10.0, 10.0)
random_flipping_axes = 1
optimiser = adam
lr = 0.001
loss_type = Dice
starting_iter = 0
save_every_n = 0
max_iter = 20

[INFERENCE]

[SEGMENTATION]
image = image
label = label
label_normalisation = False
output_prob = False
num_classes = 2
"""
_GENOME_MODEL = """\
batch_size 4
seq_length 512
target_length 32
target_pool 16
batch_buffer 64
num_targets 3
link softplus
loss poisson
optimizer adam
adam_beta1 0.97
adam_beta2 0.98
learning_rate 0.002
grad_clip 2
cnn_dropout 0.1
cnn_filters 16
cnn_filters 24
cnn_filters 8
cnn_filters 8
cnn_filters 32
cnn_filter_sizes 15
cnn_filter_sizes 5
cnn_filter_sizes 3
cnn_filter_sizes 3
cnn_filter_sizes 1
cnn_pool 4
cnn_pool 4
cnn_pool 1
cnn_pool 1
cnn_pool 1
cnn_dense 0
cnn_dense 0
cnn_dense 1
cnn_dense 1
cnn_dense 0
cnn_dilation 1
cnn_dilation 1
cnn_dilation 2
cnn_dilation 4
cnn_dilation 1
"""
# A checkpoint in the place of the one that was trained on ImageNet.
_SAVE_MOBILENET = """\
import tensorflow as tf
import tensorflow.contrib.slim as slim
from deeplabcut.pose_estimation_tensorflow.nnet.pose_net_mobilenet import PoseNet
tf.set_random_seed(1)
net = PoseNet({"net_type": "mobilenet_v2_0.35", "mean_pixel": [123.68, 116.779, 103.939]})
net.extract_features(tf.placeholder(tf.float32, [1, None, None, 3]))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    tf.train.Saver(slim.get_variables_to_restore(include=["MobilenetV2"])).save(sess, "project/mobilenet.ckpt")
"""
_PROJECT = """\
Task: reach
scorer: me
date: Jan1
multianimalproject: false
project_path: project
video_sets: {}
bodyparts: [hand, nose, ear]
TrainingFraction: [0.95]
iteration: 0
"""
_POSES = """\
dataset: poses.mat
metadataset: poses.pickle
project_path: ../../../..
init_weights: ../../../../mobilenet.ckpt
num_joints: 3
all_joints: [[0], [1], [2]]
all_joints_names: [hand, nose, ear]
net_type: mobilenet_v2_0.35
dataset_type: scalecrop
batch_size: 1
global_scale: 1.0
scale_jitter_lo: 1.0
scale_jitter_up: 1.0
pos_dist_thresh: 17
location_refinement: true
locref_huber_loss: true
locref_loss_weight: 0.05
locref_stdev: 7.2801
intermediate_supervision: false
max_input_size: 1500
min_input_size: 64
mirror: false
multi_step: [[0.005, 10000]]
display_iters: 5
save_iters: 100
"""
_CLICK_MODEL = """\
train_input_path: "clicks.csv"
eval_input_path: "clicks.csv"
model_dir: "out"
train_config {
  optimizer_config: { adam_optimizer: { learning_rate: { constant_learning_rate { learning_rate: 0.01 } } } }
  num_steps: 20
  log_step_count_steps: 10
  save_checkpoints_steps: 100
}
eval_config { metrics_set: { auc {} } }
data_config {
  input_fields: { input_name: "label" input_type: INT64 default_val: "0" }
  input_fields: { input_name: "hour" input_type: INT64 default_val: "0" }
  input_fields: { input_name: "site" input_type: STRING default_val: "" }
  input_fields: { input_name: "app" input_type: STRING default_val: "" }
  input_fields: { input_name: "price" input_type: DOUBLE default_val: "0" }
  label_fields: "label"
  batch_size: 64
  shuffle: false
  prefetch_size: 1
  num_parallel_calls: 1
  input_type: CSVInput
}
feature_config: {
  features: { input_names: "hour" feature_type: IdFeature num_buckets: 24 embedding_dim: 8 }
  features: { input_names: "site" feature_type: IdFeature hash_bucket_size: 50 embedding_dim: 8 }
  features: { input_names: "app" feature_type: IdFeature hash_bucket_size: 50 embedding_dim: 8 }
  features: { input_names: "price" feature_type: RawFeature boundaries: [0.2, 0.4, 0.6, 0.8] embedding_dim: 8 }
  features: {
    input_names: ["site", "app"] feature_name: "both" feature_type: ComboFeature hash_bucket_size: 200 embedding_dim: 8
  }
}
model_config: {
  model_class: "DeepFM"
  feature_groups: {
    group_name: "deep" wide_deep: DEEP
    feature_names: "hour" feature_names: "site" feature_names: "app" feature_names: "price" feature_names: "both"
  }
  feature_groups: {
    group_name: "wide" wide_deep: WIDE
    feature_names: "hour" feature_names: "site" feature_names: "app" feature_names: "price"
  }
  deepfm {
    wide_output_dim: 8
    dnn { hidden_units: [32, 16] }
    final_dnn { hidden_units: [16] }
    l2_regularization: 1e-5
  }
  embedding_regularization: 1e-7
}
"""


def pretraining_examples(copy: Path, old_python: str) -> None:
    """Writes a config of two layers and 64 masked sentence pairs of random tokens for BERT's pretraining."""
    draw, length, masked, words = np.random.RandomState(0), 32, 5, 100
    config = {
        "vocab_size": words, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2,
        "intermediate_size": 64, "max_position_embeddings": 64, "hidden_dropout_prob": 0.1,
        "attention_probs_dropout_prob": 0.1, "hidden_act": "gelu", "initializer_range": 0.02, "type_vocab_size": 2,
    }  # fmt: skip
    (copy / "config.json").write_text(json.dumps(config), "utf-8")
    examples: list[dict[str, Any]] = []
    for _ in range(64):
        half = draw.randint(8, length - 8)
        integers = {
            "input_ids": draw.randint(0, words, length),
            "input_mask": np.ones(length, int),
            "segment_ids": (np.arange(length) >= half).astype(int),
            "masked_lm_positions": np.sort(draw.choice(length, masked, replace=False)),
            "masked_lm_ids": draw.randint(0, words, masked),
            "next_sentence_labels": draw.randint(0, 2, 1),
        }
        lists = {name: values.tolist() for name, values in integers.items()}
        examples.append({**lists, "masked_lm_weights": [1.0] * masked})
    _write_examples(copy / "pretraining.tfrecord", examples)


def gpt_2_model(copy: Path, old_python: str) -> None:
    """Writes a GPT-2 of two layers with the 256 bytes as its vocabulary, random weights, and a text for training.

    Raises:
        subprocess.CalledProcessError: TensorFlow 1.15.5 couldn't make the weights.
    """
    folder = copy / "models" / "124M"
    folder.mkdir(parents=True)
    # The encoder shows bytes that aren't printable as letters from 256 on.
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = [chr(byte) for byte in shown] + [chr(256 + number) for number in range(256 - len(shown))]
    encoder = {letter: number for number, letter in enumerate([*letters, "<|endoftext|>"])}
    hparams = {"n_vocab": len(encoder), "n_ctx": 1024, "n_embd": 16, "n_head": 2, "n_layer": 2}
    (folder / "hparams.json").write_text(json.dumps(hparams), "utf-8")
    (folder / "encoder.json").write_text(json.dumps(encoder), "utf-8")
    (folder / "vocab.bpe").write_text("#version: 0.2\n", "utf-8")
    draw = np.random.RandomState(0)
    words = ["".join(draw.choice(list("abcdefgh"), draw.randint(2, 8))) for _ in range(50)]
    (copy / "text.txt").write_text("".join(" ".join(draw.choice(words, 8)) + "\n" for _ in range(200)), "utf-8")
    subprocess.run([old_python, "-c", _SAVE_GPT_2], cwd=copy, check=True, capture_output=True)


def mnist(copy: Path, old_python: str) -> None:
    """Writes 6,000 training and 600 test images into `data`, in MNIST's format: noise, brighter with the label."""
    draw = np.random.RandomState(0)
    (copy / "data").mkdir(exist_ok=True)
    for part, count in (("train", 6000), ("t10k", 600)):
        labels = draw.randint(0, 10, count).astype(np.uint8)
        images = (draw.rand(count, 28, 28) * 100 + 15 * labels[:, None, None]).astype(np.uint8)
        _write(copy / "data" / f"{part}-images-idx3-ubyte.gz", struct.pack(">4i", 2051, count, 28, 28), images)
        _write(copy / "data" / f"{part}-labels-idx1-ubyte.gz", struct.pack(">2i", 2049, count), labels)


def mnist_data(copy: Path, old_python: str) -> None:
    """Writes the images of `mnist` into `mnist_data`, where tensorpack looks for them."""
    mnist(copy, old_python)
    (copy / "data").rename(copy / "mnist_data")


def sonnet_messages(copy: Path, old_python: str) -> None:
    """Writes the `module_pb2` of the sonnet beside the repository, by `messages_of_sonnet`."""
    messages_of_sonnet(copy.parent / "beside" / "sonnet", old_python)


def messages_of_sonnet(sonnet: Path, old_python: str) -> None:
    """Writes sonnet's `module_pb2`, which its source lacks, as newer compilers of protocol buffers write it.

    Raises:
        subprocess.CalledProcessError: Sonnet isn't installed on the old side.
    """
    show = "from sonnet.protos import module_pb2; print(repr(module_pb2.DESCRIPTOR.serialized_pb))"
    shown = subprocess.run([old_python, "-c", show], check=True, capture_output=True, text=True).stdout
    text = _MESSAGES.format(shown.strip().splitlines()[-1])
    (sonnet / "sonnet" / "protos" / "module_pb2.py").write_text(text, "utf-8")


def sentence_pairs(copy: Path, old_python: str) -> None:
    """Writes 200 pairs of random sentences, a model of one layer for each side and a config for OpenNMT-tf."""
    draw = np.random.RandomState(0)
    words = [f"w{number}" for number in range(60)]
    for name in ("source", "target"):
        lines = [" ".join(draw.choice(words, draw.randint(4, 10))) for _ in range(200)]
        (copy / f"{name}.txt").write_text("\n".join(lines) + "\n", "utf-8")
    (copy / "words.txt").write_text("\n".join(["<blank>", "<s>", "</s>", *words]) + "\n", "utf-8")
    (copy / "config.yml").write_text(_TRANSLATION, "utf-8")
    (copy / "small.py").write_text(_TRANSLATOR, "utf-8")


def volumes(copy: Path, old_python: str) -> None:
    """Writes 4 volumes of 32³ voxels with a brighter ball in noise, and its labels, and a config for NiftyNet."""
    nibabel: Any = import_module("nibabel")
    draw = np.random.RandomState(0)
    places = np.stack(np.meshgrid(*[np.arange(32)] * 3, indexing="ij"), -1)
    (copy / "volumes").mkdir()
    for number in range(4):
        distance = np.linalg.norm(places - draw.uniform(10, 22, 3), axis=-1)
        labels = (distance < draw.uniform(5, 9)).astype(np.uint8)
        image = (draw.rand(32, 32, 32) + labels).astype(np.float32)
        for name, array in (("T1", image), ("Label", labels)):
            nibabel.save(nibabel.Nifti1Image(array, np.eye(4)), str(copy / "volumes" / f"{number}_{name}.nii.gz"))
    (copy / "segmentation.ini").write_text(_SEGMENTATION, "utf-8")
    (copy / "home").mkdir()
    (copy / "home" / "config.ini").write_text("[global]\nhome = ./home\n", "utf-8")


def translations(copy: Path, old_python: str) -> None:
    """Writes 200 pairs of random sentences for training, 20 for each test, and vocabularies for TensorFlow's NMT."""
    draw = np.random.RandomState(0)
    (copy / "data").mkdir()
    for language, letter in (("de", "w"), ("en", "v")):
        words = [f"{letter}{number}" for number in range(60)]
        (copy / "data" / f"vocab.{language}").write_text("\n".join(["<unk>", "<s>", "</s>", *words]) + "\n", "utf-8")
        for part, count in (("train", 200), ("dev", 20), ("test", 20)):
            lines = [" ".join(draw.choice(words, draw.randint(4, 10))) for _ in range(count)]
            (copy / "data" / f"{part}.{language}").write_text("\n".join(lines) + "\n", "utf-8")


def shakespeare(copy: Path, old_python: str) -> None:
    """Unpacks the texts of Sonnet's example, and compiles the messages that its source lacks.

    Raises:
        subprocess.CalledProcessError: TensorFlow 1.15.5's Python has no compiler of protocol buffers.
    """
    for packed in (copy / "sonnet" / "examples" / "data").glob("*.bz2"):
        packed.with_suffix("").write_bytes(bz2.decompress(packed.read_bytes()))
    compiler = [old_python, "-m", "grpc_tools.protoc", "--proto_path=.", "--python_out=."]
    subprocess.run([*compiler, "sonnet/protos/module.proto"], cwd=copy, check=True, capture_output=True)


def picture_pairs(copy: Path, old_python: str) -> None:
    """Writes 6 pictures of 512x256 pixels for pix2pix: noise in blocks beside the same with its colors turned."""
    from PIL import Image

    draw = np.random.RandomState(0)
    (copy / "pairs").mkdir()
    for number in range(6):
        left = np.kron(draw.randint(0, 256, (16, 16, 3)), np.ones((16, 16, 1))).astype(np.uint8)
        Image.fromarray(np.concatenate([left, 255 - left], 1)).save(str(copy / "pairs" / f"{number}.png"))


def poses(copy: Path, old_python: str) -> None:
    """Writes a project of DeepLabCut: 8 labeled pictures, its configs, and random weights of a MobileNet.

    Raises:
        subprocess.CalledProcessError: TensorFlow 1.15.5 couldn't make the weights.
    """
    from PIL import Image
    from scipy.io import savemat

    draw = np.random.RandomState(0)
    project = copy / "project"
    train = project / "dlc-models" / "iteration-0" / "reachJan1-trainset95shuffle1" / "train"
    train.mkdir(parents=True)
    rows: Any = np.zeros(8, [("image", "O"), ("size", "O"), ("joints", "O")])
    for number in range(8):
        pixels = draw.randint(0, 256, (128, 160, 3)).astype(np.uint8)
        joints: Any = np.empty((1, 1), object)
        joints[0, 0] = np.column_stack([np.arange(3), draw.randint(20, 140, 3), draw.randint(20, 108, 3)])
        for _, x, y in joints[0, 0]:
            pixels[y - 5 : y + 5, x - 5 : x + 5] = 255
        Image.fromarray(pixels).save(str(project / f"{number}.png"))
        rows[number] = (np.array([f"{number}.png"]), np.array([[3, 128, 160]]), joints)
    savemat(str(project / "poses.mat"), {"dataset": rows})
    (project / "config.yaml").write_text(_PROJECT, "utf-8")
    (train / "pose_cfg.yaml").write_text(_POSES, "utf-8")
    environment = {**os.environ, "DLClight": "True", "MPLBACKEND": "Agg"}
    subprocess.run([old_python, "-c", _SAVE_MOBILENET], cwd=copy, env=environment, check=True, capture_output=True)


def clicks(copy: Path, old_python: str) -> None:
    """Writes 640 clicks on advertisements and a config of DeepFM for EasyRec, whose messages it compiles.

    Raises:
        subprocess.CalledProcessError: TensorFlow 1.15.5's Python has no compiler of protocol buffers.
    """
    draw = np.random.RandomState(0)
    lines = []
    for _ in range(640):
        site, price = draw.randint(20), draw.rand()
        label = int(draw.rand() < 0.2 + 0.03 * site)
        lines.append(f"{label},{draw.randint(24)},site{site},app{draw.randint(20)},{price:.3f}\n")
    (copy / "clicks.csv").write_text("".join(lines), "utf-8")
    (copy / "deepfm.config").write_text(_CLICK_MODEL, "utf-8")
    messages = sorted(str(path.relative_to(copy)) for path in copy.glob("easy_rec/python/protos/*.proto"))
    compiler = [old_python, "-m", "grpc_tools.protoc", "--proto_path=.", "--python_out=."]
    subprocess.run([*compiler, *messages], cwd=copy, check=True, capture_output=True)


def genome_sequences(copy: Path, old_python: str) -> None:
    """Writes 80 random sequences of 512 bases with their coverages in 32 bins, and basenji's parameters."""
    draw = np.random.RandomState(0)
    (copy / "params.txt").write_text(_GENOME_MODEL, "utf-8")
    for part, count in (("train", 80), ("valid", 8)):
        examples = []
        for _ in range(count):
            bases = np.eye(4, dtype=np.uint8)[draw.randint(0, 4, 512)]
            coverage = draw.poisson(3, (32, 3)).astype(np.float16)
            examples.append({"genome": [0], "sequence": bases.tobytes(), "target": coverage.tobytes()})
        _write_examples(copy / "data" / f"{part}-0.tfr", examples, "ZLIB")


def _write_examples(path: Path, examples: Sequence[Mapping[str, Any]], compression: str = "") -> None:
    """Writes examples into a file of records; each feature is bytes, a list of integers or a list of floats."""
    import tensorflow as tf

    path.parent.mkdir(exist_ok=True)
    with tf.io.TFRecordWriter(str(path), compression) as writer:
        for example in examples:
            features = {}
            for name, value in example.items():
                if isinstance(value, bytes):
                    features[name] = tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))
                elif isinstance(value[0], float):
                    features[name] = tf.train.Feature(float_list=tf.train.FloatList(value=value))
                else:
                    features[name] = tf.train.Feature(int64_list=tf.train.Int64List(value=value))
            writer.write(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())


def _write(path: Path, head: bytes, values: np.ndarray) -> None:
    with gzip.open(path, "wb", 1) as file:
        file.write(head + values.tobytes())
