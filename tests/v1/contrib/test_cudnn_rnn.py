"""contrib.cudnn_rnn's layers without a GPU. They have no recording, since TensorFlow 1.15.5 has no CPU kernel."""

from __future__ import annotations

import pytest

from tf1mem.gpusim.launching import simulation
from tf1mem.machine.tensorflow import installed_version

WARM = ["tf1mem.v1"]
pytestmark = pytest.mark.proof


def test_layers_compute_the_same_as_compatible_cells(scenario):
    scenario(
        """
        import os, tempfile
        import numpy as np
        import tf1mem.v1 as tf
        from tests.v1.contrib.values import numbers
        if TF1 or (KERAS_3 and not has("tf_keras")):
            sys.exit()
        cudnn = tf.contrib.cudnn_rnn
        basic = tf.nn.rnn_cell.BasicRNNCell
        kinds = [
            (cudnn.CudnnLSTM, cudnn.CudnnCompatibleLSTMCell, "bidirectional"),
            (cudnn.CudnnGRU, cudnn.CudnnCompatibleGRUCell, "unidirectional"),
            (cudnn.CudnnRNNTanh, basic, "unidirectional"),
            (cudnn.CudnnRNNRelu, lambda n: basic(n, tf.nn.relu), "bidirectional"),
        ]
        inputs, lengths = numbers(2, 5, 3), [5, 2]  # examples first
        random = tf.random_uniform_initializer(-1, 1)
        for kind, cell, direction in kinds:
            path = os.path.join(tempfile.mkdtemp(), "saved")
            with tf.Graph().as_default(), tf.Session() as sess:
                layer = kind(2, 4, direction=direction, bias_initializer=random, name="net")
                outputs, states = layer(tf.constant(inputs), sequence_lengths=lengths, time_major=False)
                by_time, last = layer(tf.constant(inputs.transpose(1, 0, 2)), initial_state=states)
                gradient, = tf.gradients(tf.reduce_sum(outputs), layer.trainable_variables)
                sess.run(tf.global_variables_initializer())
                found = sess.run([outputs, states, by_time, last, gradient])
                assert np.abs(found[-1]).sum() > 0
                tf.train.Saver().save(sess, path)
            with tf.Graph().as_default(), tf.Session() as sess:
                with tf.variable_scope("net"):
                    if direction == "unidirectional":
                        cells = tf.nn.rnn_cell.MultiRNNCell([cell(4) for _ in range(2)])
                        expected, state = tf.nn.dynamic_rnn(cells, tf.constant(inputs), lengths, dtype=tf.float32)
                    else:
                        expected, forward, backward = tf.contrib.rnn.stack_bidirectional_dynamic_rnn(
                            [cell(4), cell(4)], [cell(4), cell(4)], tf.constant(inputs), dtype=tf.float32,
                            sequence_length=lengths)
                        state = [each for pair in zip(forward, backward) for each in pair]
                saver = tf.train.Saver()
                saver.restore(sess, path)
                expected, state = sess.run([expected, state])
                saver.save(sess, path + "-of-cells")
            np.testing.assert_allclose(found[0], expected, rtol=1e-4, atol=1e-5)
            h = [each.h if hasattr(each, "h") else each for each in state]
            np.testing.assert_allclose(found[1][0], h, rtol=1e-4, atol=1e-5)
            if kind is cudnn.CudnnLSTM:
                np.testing.assert_allclose(found[1][1], [each.c for each in state], rtol=1e-4, atol=1e-5)
            # And back: cells' checkpoint makes the layer's vector.
            with tf.Graph().as_default(), tf.Session() as sess:
                layer = kind(2, 4, direction=direction, name="net")
                outputs, _ = layer(tf.constant(inputs), sequence_lengths=lengths, time_major=False)
                sess.run(tf.global_variables_initializer())
                tf.train.Saver([layer.saveable]).restore(sess, path + "-of-cells")
                np.testing.assert_allclose(sess.run(outputs), expected, rtol=1e-4, atol=1e-5)
        with tf.Graph().as_default(), tf.Session() as sess:
            layer = cudnn.CudnnGRU(2, 4, dropout=0.5, seed=1)
            x = tf.constant(inputs)
            trained, plain = layer(x)[0], layer(x, training=False)[0]
            without = cudnn.CudnnGRU(1, 4, dropout=0.5)
            only = [without(x)[0], without(x, training=False)[0]]
            sess.run(tf.global_variables_initializer())
            a, b = sess.run([trained, plain])
            assert np.abs(a - b).max() > 1e-3
            np.testing.assert_array_equal(*sess.run(only))  # there is no layer above that would lack anything
        """
    )


def test_the_vector_of_a_net_with_a_projection(scenario):
    scenario(
        """
        import numpy as np
        import tf1mem.v1 as tf
        from tests.v1.contrib.values import numbers
        if TF1 or (KERAS_3 and not has("tf_keras")):
            sys.exit()
        from tf1mem.v1.contrib.cudnn_rnn.python.ops import cudnn_rnn_ops
        for direction, directions in (("unidirectional", 1), ("bidirectional", 2)):
            with tf.Graph().as_default(), tf.Session() as sess:
                sizes = ("lstm", 2, 4, 3)
                size = sess.run(cudnn_rnn_ops.cudnn_rnn_opaque_params_size(*sizes, direction=direction, num_proj=2))
                params = tf.constant(numbers(size))
                canonical = cudnn_rnn_ops.cudnn_rnn_opaque_params_to_canonical(
                    *sizes, params=params, direction=direction, num_proj=2)
                back = cudnn_rnn_ops.cudnn_rnn_canonical_to_opaque_params(
                    *sizes, *canonical, direction=direction, num_proj=2)
                converter = tf.contrib.cudnn_rnn.CudnnParamsFormatConverterLSTM(*sizes[1:], 2, direction=direction)
                weights, biases, projections = converter.opaque_to_tf_canonical(params)
                again = converter.opaque_to_tf_canonical(
                    converter.tf_canonical_to_opaque(weights + biases, projections))
                np.testing.assert_array_equal(*sess.run([params, back]))
                for one, other in zip(weights + biases + projections, sum(again, [])):
                    np.testing.assert_allclose(*sess.run([one, other]), rtol=1e-6)
                h = tf.zeros([2 * directions, 5, 2])
                outputs, h, c = cudnn_rnn_ops._cudnn_rnn(
                    tf.constant(numbers(6, 5, 3)), h, tf.zeros([2 * directions, 5, 4]), params, False, "lstm",
                    direction=direction, num_proj=2)
                shapes = [list(part.shape) for part in sess.run([outputs, h, c])]
                assert shapes == [[6, 5, 2 * directions], [2 * directions, 5, 2], [2 * directions, 5, 4]], shapes
                net = cudnn_rnn_ops.CudnnGRU(*sizes[1:], direction=direction)
                params = tf.constant(numbers(sess.run(net.params_size())))
                again = net.canonical_to_params(*net.params_to_canonical(params))
                outputs, h = net(tf.constant(numbers(6, 5, 3)), tf.zeros([2 * directions, 5, 4]), params)
                np.testing.assert_array_equal(*sess.run([params, again]))
                shapes = [list(part.shape) for part in sess.run([outputs, h])]
                assert shapes == [[6, 5, 4 * directions], [2 * directions, 5, 4]], shapes
        error = raised(ValueError, tf.contrib.cudnn_rnn.CudnnParamsFormatConverterLSTM, 1, 3, 3, None, "auto_select")
        assert "linear_input" in str(error)
        """
    )


@pytest.mark.skipif(installed_version().major < 2, reason="TensorFlow 1 has its own contrib")
def test_cudnn_computes_on_a_gpu(scenario, tmp_path):
    with simulation(["8GiB"], trace=tmp_path / "trace.jsonl") as machine:
        scenario(
            """
            if KERAS_3 and not has("tf_keras"):
                sys.exit()
            import numpy as np
            import tf1mem.v1 as tf
            from tests.v1.contrib.values import numbers
            from tf1mem.v1.contrib.cudnn_rnn import composed
            from tf1mem.v1.contrib.cudnn_rnn.layout import Layout
            kinds = {"lstm": tf.contrib.cudnn_rnn.CudnnLSTM, "gru": tf.contrib.cudnn_rnn.CudnnGRU}
            for mode, kind in kinds.items():
                with tf.Graph().as_default(), tf.Session() as sess:
                    random = tf.random_uniform_initializer(-1, 1)
                    layer = kind(2, 4, direction="bidirectional", bias_initializer=random)
                    x, zeros = tf.constant(numbers(5, 2, 3)), tf.zeros([4, 2, 4])
                    pairs = []
                    for lengths in (None, [5, 2]):
                        outputs, states = layer(x, sequence_lengths=lengths)
                        with tf.variable_scope("composed%d" % len(pairs)), tf.device("/cpu:0"):
                            layout = Layout(mode, 2, 4, 3, "bidirectional")
                            other = composed.net(layout, x, zeros, zeros, layer.kernel, sequence_lengths=lengths)
                        both = [[outputs, *states], other[:1 + len(states)]]
                        pairs.append([[*of, *tf.gradients(tf.reduce_sum(of[0]), layer.kernel)] for of in both])
                    types = {op.type for op in tf.get_default_graph().get_operations()}
                    assert {"CudnnRNN", "CudnnRNNV3"} <= types
                    sess.run(tf.global_variables_initializer())
                    for one, other in sess.run(pairs):
                        for a, b in zip(one, other):
                            np.testing.assert_allclose(a, b, 1e-4, 1e-5)
            """,
            env={"CUDA_VISIBLE_DEVICES": "0", **machine.environment},
            fresh=True,  # the simulator's libraries are found when a process starts
        )
