"""A recorded run reads a variable before it changes it, wherever the graph leaves the order of the two open."""

from __future__ import annotations

import pytest

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


@pytest.mark.proof
def test_reads_come_first(python):
    *ops, run, values = python(PROGRAM).splitlines()
    assert [line.split()[0] for line in ops] == [*["AssignVariableOp"] * 3, "AssignAddVariableOp", "AssignVariableOp",
                                                 "AssignAddVariableOp"]  # fmt: skip
    assert [line.split()[1] == "0" for line in ops] == [True, True, True, False, False, False]
    assert not any(line.endswith("True") for line in ops)
    assert run == "['step'] []"
    assert values == "0.0 1.0"


IMPORTED = """\
import tf1mem.v1 as tf
from tensorflow.python.framework import importer
from tf1mem.verifying.recording import order

order.around_imports(importer)

def imported():
    with tf.Graph().as_default() as graph:
        _, h = tf.while_loop(lambda i, h: i < 4, lambda i, h: (i + 1, tf.tanh(h)), (0, 0.5), parallel_iterations=8)
        definition = graph.as_graph_def()
    with tf.Graph().as_default() as graph:
        [y] = importer.import_graph_def(definition, return_elements=[h.name], name="loop")
        ops = graph.get_operations()
        print(sorted({op.get_attr("parallel_iterations") for op in ops if "parallel_iterations" in op.node_def.attr}))
        with tf.Session() as sess:
            print(round(float(sess.run(y)), 4))

imported()
tf.enable_control_flow_v2()
imported()
try:
    importer.import_graph_def("text")
except TypeError as error:
    print("GraphDef" in str(error))
"""


@pytest.mark.proof
def test_imported_loops_run_one_iteration_at_a_time(python):
    *loops, is_refused = python(IMPORTED).splitlines()
    assert loops == ["[1]", "0.3858"] * 2  # tanh four times
    assert is_refused == "True"
