"""In a function, tf.init_scope enters the same context as on TensorFlow 1: the graph, or eager mode if enabled."""

WARM = ["tf1mem.v1"]


def test_in_a_graph(scenario):
    scenario(
        """
        import tf1mem.v1 as tf
        from tf1mem.v1.python.framework import function
        outer, seen = tf.get_default_graph(), []

        def leave():
            with tf.init_scope():
                seen.append((tf.executing_eagerly(), tf.get_default_graph() is outer))

        @function.Defun(tf.float32)
        def scaled(x):
            leave()
            return x * tf.get_variable("scale", [], initializer=tf.ones_initializer())

        x = tf.placeholder(tf.float32)
        y = scaled(x)
        tf.data.Dataset.range(3).map(lambda i: leave() or i)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            assert sess.run(y, {x: 2.0}) == 2.0
        assert {*seen} == {(False, True)} and len(seen) >= 2, seen
        """
    )


def test_in_eager_mode(scenario):
    scenario(
        """
        import threading
        import tf1mem.v1 as tf
        tf.enable_eager_execution()
        from tf1mem.v1.contrib.eager import defun
        seen = []

        @defun
        def scaled(x):
            with tf.init_scope():
                seen.append(tf.executing_eagerly())
            return 2.0 * x

        def run():
            assert float(scaled(tf.constant(3.0))) == 6.0

        run()
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        assert len(seen) >= 1 and all(seen), seen
        """
    )
