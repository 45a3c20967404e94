"""Names and argument orders that TensorFlow 1.0 removed: only programs under `tf1mem run` get them."""

WARM = ["tensorflow"]


def test_tf1mem_run_supplies_removed_names_and_argument_orders(scenario):
    scenario(
        """
        import numpy as np, tempfile
        from tf1mem.names import used_names
        if TF1:
            sys.exit()
        used_names.supplies_names_before_1 = True
        import tf1mem.v1 as tf
        a, b = np.array([[1., 2.], [3., 4.]]), np.array([[5., 6.], [7., 8.]])
        x = tf.constant(a)
        flags = tf.constant([[True, False], [False, True]])
        labels = np.array([[0., 1.], [1., 0.]])
        soft = -np.sum(labels * (a - np.log(np.exp(a).sum(1, keepdims=True))), 1)
        image = np.arange(12.0).reshape(1, 2, 2, 3)
        pairs = [
            (tf.mul(x, b), a * b), (tf.sub(x, b), a - b), (tf.neg(x), -a), (tf.inv(x), 1 / a),
            (tf.pack([x, b], axis=1), np.stack([a, b], 1)), (tf.unpack(x)[1], a[1]),
            (tf.listdiff([1, 2, 3], [2])[0], [1, 3]),
            (tf.select(flags, x, b), np.where([[1, 0], [0, 1]], a, b)), (tf.select(flags, t=x, e=b)[0, 1], 6),
            (tf.batch_matmul(x, b, True), a.T @ b), (tf.batch_matmul(x, b, adj_y=True), a @ b.T),
            (tf.batch_matrix_inverse(x), np.linalg.inv(a)), (tf.complex_abs(tf.complex(x, x)), abs(a + 1j * a)),
            (tf.concat(1, [x, b]), np.concatenate([a, b], 1)), (tf.concat([x, b], 1), np.concatenate([a, b], 1)),
            (tf.concat(concat_dim=0, values=[x, b]), np.concatenate([a, b])), (tf.concat(np.int32(0), [x]), a),
            (tf.concat(tf.constant(0), [x, b]), np.concatenate([a, b])), (tf.concat(axis=0, values=[x]), a),
            (tf.split(1, 2, x)[1], a[:, 1:]), (tf.split(x, 2, 1)[1], a[:, 1:]), (tf.split(x, [1, 1])[1], a[1:]),
            (tf.split(split_dim=0, num_split=2, value=x)[0], a[:1]), (tf.split(1, 2, value=x)[0], a[:, :1]),
            (tf.reverse(x, [False, True]), a[:, ::-1]), (tf.reverse(x, dims=[True, False]), a[::-1]),
            (tf.reverse(x, [0]), a[::-1]),
            (tf.nn.softmax_cross_entropy_with_logits(x, labels), soft),
            (tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=x), soft),
            (tf.nn.sparse_softmax_cross_entropy_with_logits(x, [1, 0]), soft),
            (tf.nn.sigmoid_cross_entropy_with_logits(x, targets=labels), np.log1p(np.exp(a)) - a * labels),
            (tf.image.resize_images(image, 4, 4)[0, 0, 0], image[0, 0, 0]),
            (tf.image.resize_images(image, [2, 2], 1), image),
            (tf.reduce_sum(x, reduction_indices=1), a.sum(1)), (tf.argmax(x, dimension=0), [1, 1]),
        ]
        tf.scalar_summary("loss of all", 3.0)
        merged = tf.merge_all_summaries()
        initialize = tf.initialize_all_variables()
        logs = tempfile.mkdtemp()
        with tf.Session() as sess:
            for number, (computed, known) in enumerate(zip(sess.run([computed for computed, _ in pairs]),
                                                           [known for _, known in pairs])):
                assert np.allclose(computed, known), (number, computed, known)
            sess.run(initialize)
            writer = tf.train.SummaryWriter(logs, sess.graph)
            summary = tf.Summary.FromString(sess.run(merged))
            assert [value.tag for value in summary.value] == ["loss of all"]  # the tag isn't made a valid op name
            writer.add_summary(summary, 1)
        assert os.listdir(logs)
        assert tf.nn.deconv2d is tf.nn.conv2d_transpose and tf.nn.rnn is tf.nn.static_rnn
        assert tf.nn.seq2seq is tf.contrib.legacy_seq2seq
        raised((TypeError, ValueError), tf.split, x)
        raised(AttributeError, getattr, tf, "no_such_name")
        report = used_names.as_text()
        assert "tf.mul, " in report and "program.py:" in report and "tf.multiply since TensorFlow 1.0" in report
        assert "tf.concat, " in report and report.count("tf.concat,") == 1 and "tf.nn.rnn, " in report, report
        assert "tf.reduce_sum" not in report and "tf.argmax" not in report and "Session" not in report, report
        """
    )


def test_other_programs_get_an_error_with_the_new_name(scenario):
    scenario(
        """
        import tf1mem.v1 as tf
        if TF1:
            sys.exit()
        error = raised(AttributeError, getattr, tf, "mul")
        assert "tf.mul" in str(error) and "tf.multiply" in str(error) and "tf1mem run" in str(error)
        assert not hasattr(tf.train, "SummaryWriter") and not hasattr(tf.nn, "deconv2d")
        raised(Exception, tf.concat, 1, [[1], [2]])
        """
    )


def test_ops_of_old_calls_count_for_seeds(scenario):
    scenario(
        """
        from tf1mem.names import used_names
        if TF1:
            sys.exit()
        used_names.supplies_names_before_1 = True
        import tf1mem.v1 as tf
        with tf.Graph().as_default():
            tf.set_random_seed(3)
            a = tf.constant([1.0, 2.0])
            tf.split(a, 2)  # three ops on TensorFlow 1.15.5
            assert tf.random_shuffle(a).op.get_attr("seed2") == 4
        """
    )
