"""tf.contrib where TensorFlow has none, as a tree that mirrors TensorFlow 1's own.

`namespaces` lays out what `tf1mem.machine.contrib` says of where each name went, and a file of contrib's own name
(`layers`, `data`) holds what tf1mem supplies there itself. The folder isn't called `contrib`, because
`tf1mem.v1.contrib` is TensorFlow's namespace, which the finder of `_namespace` makes.
"""
