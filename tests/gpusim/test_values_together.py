"""Several simulated GPUs compute together: the sums and copies of NCCL and of TensorFlow's own rings."""

from __future__ import annotations

import pytest
from packaging.version import Version

from tf1mem.machine.tensorflow import installed_version

VERSION = installed_version() or Version("0")
WARM = ["tensorflow"]

pytestmark = [
    pytest.mark.proof,
    pytest.mark.skipif(Version("2.10") > VERSION, reason="NCCL before 2.12 crashes where GPUs are not in /sys"),
]

REPLICAS = """
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy()

def each():
    context = tf.distribute.get_replica_context()
    mine = tf.fill([3], 1.0 + tf.cast(context.replica_id_in_sync_group, tf.float32))
    ring = tf.distribute.experimental.CommunicationOptions(
        implementation=tf.distribute.experimental.CommunicationImplementation.RING)
    return (context.all_reduce("SUM", mine), context.all_reduce("MEAN", mine), context.all_gather(mine[:1], 0),
            context.all_reduce("SUM", mine * 2, options=ring))

step = tf.function(lambda: strategy.run(each))
for run in (step, step, lambda: strategy.run(each)):
    print(*(value.numpy().tolist() for made in run() for value in strategy.experimental_local_results(made)))
"""

WORKERS = """
import json
import os
import socket

import tensorflow as tf

ports = [socket.socket() for _ in range(2)]
for port in ports:
    port.bind(("localhost", 0))
workers = [f"localhost:{port.getsockname()[1]}" for port in ports]
parent_has_all, parent_is_done = os.pipe()
mine = 0 if os.fork() else 1
os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": workers}, "task": {"type": "worker", "index": mine}})
os.environ["CUDA_VISIBLE_DEVICES"] = str(mine)
nccl = tf.distribute.experimental.CommunicationOptions(
    implementation=tf.distribute.experimental.CommunicationImplementation.NCCL)
for port in ports:
    port.close()  # not before, so that nothing else takes them
strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=nccl)
keys = {"group_size": 2, "group_key": 77, "communication_hint": "nccl"}

@tf.function
def step():
    context = tf.distribute.get_replica_context()
    x = tf.fill([2], 1.0 + tf.cast(context.replica_id_in_sync_group, tf.float32))
    return context.all_reduce("SUM", x), context.all_reduce("MEAN", x), context.all_gather(x[:1], 0)

@tf.function
def raw(x):
    reduced = [tf.raw_ops.CollectiveReduceV2(input=x, merge_op=op, final_op="Id", ordering_token=[], instance_key=key,
                                             **keys) for key, op in enumerate(("Mul", "Max", "Min"), 1)]
    if mine:
        return *reduced, tf.raw_ops.CollectiveBcastSendV2(input=x, instance_key=9, **keys)
    return *reduced, tf.raw_ops.CollectiveBcastRecvV2(T=tf.float32, shape=[2], instance_key=9, **keys)

with tf.device("GPU:0"):
    made = [*strategy.run(step), *strategy.run(step), *raw(tf.constant([2.0, 3.0]) + 4.0 * mine)]
made = [value.numpy().tolist() for value in made]
if mine:
    print(made, flush=True)
    os.read(parent_has_all, 1)  # the parent may still receive from here
    os._exit(0)
os.write(parent_is_done, b"!")
os.wait()
print(made)
try:
    with tf.device("GPU:0"):
        raw(tf.constant([2.0, 3.0]))
except tf.errors.UnavailableError as error:
    print("heartbeat" not in str(error))  # other workers learn of the error by a heartbeat, later
"""

SETTING = """
import tensorflow as tf

tf1 = tf.compat.v1
config = tf1.ConfigProto()
config.experimental.collective_nccl = True
keys = {"group_size": 2, "group_key": 1, "ordering_token": []}
with tf.Graph().as_default(), tf1.Session(config=config) as s:
    made = []
    for gpu in range(2):
        with tf.device(f"/gpu:{gpu}"):
            x = tf.constant([1.0, 2.0]) + 10.0 * gpu
            scattered = tf.raw_ops.CollectiveReduceScatterV2(
                input=x, merge_op="Add", final_op="Div", instance_key=1, **keys)
            made += [scattered, tf.raw_ops.CollectiveAllToAllV2(input=x, instance_key=2, **keys)]
    options = tf1.RunOptions(experimental=tf1.RunOptions.Experimental(collective_graph_key=1))
    for _ in range(2):
        print([value.tolist() for value in s.run(made, options=options)])
"""

GRAPH = """
import tensorflow as tf
from tensorflow.python.ops import nccl_ops

tf1 = tf.compat.v1
with tf.Graph().as_default(), tf1.Session() as s:
    x = []
    for gpu in range(2):
        with tf.device(f"/gpu:{gpu}"):
            x.append(tf.constant([1.0, 2.0]) + 10.0 * gpu)
    made = nccl_ops.all_sum(x) + nccl_ops.all_max(x)
    with tf.device("/gpu:1"):
        made.append(nccl_ops.reduce_sum(x) + 0.5)
        sent = nccl_ops.broadcast(x[1])
    with tf.device("/gpu:0"):
        made.append(sent + 1.0)
    for _ in range(2):
        print([value.tolist() for value in s.run(made)])
"""


def is_all_computed(histories):
    return histories.not_computed == () and all(0 < share.launches == share.computed for share in histories.shares)


def test_nccl_and_rings_compute_sums(on_simulated_gpus):
    done, histories = on_simulated_gpus(REPLICAS, gpus=2)
    row = [[3.0] * 3] * 2 + [[1.5] * 3] * 2 + [[1.0, 2.0]] * 2 + [[6.0] * 3] * 2
    assert done.stdout.splitlines() == [" ".join(map(str, row))] * 3
    assert is_all_computed(histories)


def test_nccl_computes_with_gpus_of_other_processes(on_simulated_gpus):
    done, histories = on_simulated_gpus(WORKERS, gpus=2)
    both = [[3.0] * 2, [1.5] * 2, [1.0, 2.0]] * 2 + [[12.0, 21.0], [6.0, 7.0], [2.0, 3.0], [6.0, 7.0]]
    assert done.stdout.splitlines() == [str(both), str(both), "True"]  # TensorFlow's error about a lost worker
    assert histories.not_computed == ()
    assert [share.computed >= 15 for share in histories.shares] == [True, True]


@pytest.mark.skipif(Version("2.15") > VERSION, reason="2.10 has no reduce-scatter")
def test_collectives_that_a_setting_gives_to_nccl_are_computed(on_simulated_gpus):
    done, histories = on_simulated_gpus(SETTING, gpus=2)
    assert done.stdout == "[[6.0], [1.0, 11.0], [7.0], [2.0, 12.0]]\n" * 2
    assert is_all_computed(histories)


def test_nccl_ops_of_a_graph_are_computed(on_simulated_gpus):
    done, histories = on_simulated_gpus(GRAPH, gpus=2)
    assert done.stdout == "[[12.0, 14.0], [12.0, 14.0], [11.0, 12.0], [11.0, 12.0], [12.5, 14.5], [12.0, 13.0]]\n" * 2
    assert is_all_computed(histories)


@pytest.mark.skipif(Version("2.21") > VERSION, reason="shown there")
def test_nccl_ops_in_functions_for_xla_are_computed(on_simulated_gpus):
    done, _ = on_simulated_gpus(
        """
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy()

@tf.function(jit_compile=True)
def total(x):
    keys = {"group_size": 2, "group_key": 1, "instance_key": 1, "ordering_token": []}
    return tf.raw_ops.CollectiveReduceV2(input=x, merge_op="Add", final_op="Id", **keys)

made = tf.function(lambda: strategy.run(lambda: total(tf.constant(2.0))))()
print([value.numpy().tolist() for value in strategy.experimental_local_results(made)])
""",
        gpus=2,
    )
    assert done.stdout == "[4.0, 4.0]\n"
