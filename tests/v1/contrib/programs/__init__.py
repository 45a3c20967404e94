"""Programs that call the functions of tf.contrib: a file for each namespace, a public function for each program.

A program takes TensorFlow (on 1.15.5 `tensorflow`, else `tf1mem.v1`), builds a graph, and returns values that must be
the same on every TensorFlow: tensors, Python values, lists, tuples and dicts of them; or a function that returns them
for a Session. Each name of tf.contrib is spelled in full at least once, `tf.contrib.` and the name: a test looks for
names that these files never call.
"""
