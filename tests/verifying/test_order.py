"""Runs that read a variable and change it in no order read first, as far as they may."""

from __future__ import annotations

PROGRAM = """\
import tf1mem.v1 as tf
from tf1mem.verifying.recording.order import Reads

with tf.Graph().as_default() as graph:
    step = tf.get_variable("step", [], use_resource=True, initializer=tf.zeros_initializer(), trainable=False)
    local = tf.get_variable("local", [], use_resource=True, collections=["local_variables"])
    bare = tf.get_variable("bare", [], use_resource=True, collections=["nowhere"])
    rate = step * 2.0
    free = step.assign_add(1.0, read_value=False)
    after = step.assign(rate + 1.0, read_value=False)
    with tf.control_dependencies([free]):
        late = step.read_value()
    counted = local.assign_add(1.0, read_value=False)
    reads = Reads()
    reads.order(graph)
    for op in (step.initializer, local.initializer, bare.initializer, free, after, counted):
        print(op.type, len(reads.added.get(id(op), ())), late.op in op.control_inputs)
    print(reads.of_run([rate.op.inputs[0].op, free]), reads.of_run([free]))
    version = graph.version
    reads.order(graph)
    assert graph.version == version
with tf.Session(graph=graph) as sess:
    sess.run([step.initializer, local.initializer, bare.initializer])
    print(sess.run([rate, free])[0], sess.run(step))
"""


def test_reads_come_first(python):
    *ops, run, values = python(PROGRAM).splitlines()
    assert [line.split()[0] for line in ops] == [*["AssignVariableOp"] * 3, "AssignAddVariableOp", "AssignVariableOp",
                                                 "AssignAddVariableOp"]  # fmt: skip
    assert [line.split()[1] == "0" for line in ops] == [True, True, True, False, False, False]
    assert not any(line.endswith("True") for line in ops)
    assert run == "['step'] []"
    assert values == "0.0 1.0"
