"""Every function and class that takes a config passes it to `apply`."""

WARM = ["tf1mem.v1"]
CONFIG = """
        import tf1mem
        import tf1mem.v1 as tf

        def config():
            made = tf.ConfigProto(operation_timeout_in_ms=60000)
            made.gpu_options.allow_growth = True
            made.gpu_options.per_process_gpu_memory_fraction = 0.4
            return made

        def applied():
            report = str(tf1mem.report())
            return all(each in report for each in ("allow_growth", "0.4", "operation_timeout_in_ms"))

        assert not applied()
"""


def test_session(scenario):
    scenario(
        CONFIG
        + """
        import threading
        c = config()
        with tf.Session(config=c) as sess:
            assert applied()
            assert sess._config.gpu_options.allow_growth and sess._config.operation_timeout_in_ms == 60000
        c.operation_timeout_in_ms = 70000
        with tf.Session("", tf.Graph(), c) as sess:
            assert sess._config.operation_timeout_in_ms == 70000
        tf.Session()
        for other in (3, tf.Session, tf.OptimizerOptions()):  # TensorFlow's own words, which programs know
            assert "must be a tf.ConfigProto" in str(raised(TypeError, tf.Session, config=other))
        raised(TypeError, tf.Session, no_such_argument=1)
        """
    )


def test_a_thrown_away_session(scenario):
    scenario(CONFIG + "\n        tf.Session(config=config())\n        assert applied()\n")


def test_every_form_of_gpu_options(scenario):
    scenario(
        CONFIG
        + """
        from tf1mem.v1.core.protobuf import config_pb2
        from google.protobuf import text_format
        opts = {"gpu_options": tf.GPUOptions(allow_growth=True, per_process_gpu_memory_fraction=0.4)}
        c = config_pb2.ConfigProto(**opts)
        text_format.Merge("operation_timeout_in_ms: 60000", c)
        other = tf.ConfigProto()
        other.MergeFrom(c)
        tf.Session(config=other)
        assert applied()
        """
    )


def test_a_bad_value_fails_in_the_session(scenario):
    scenario(
        """
        import tf1mem, tf1mem.v1 as tf
        c = tf.ConfigProto()
        c.gpu_options.per_process_gpu_memory_fraction = -1
        error = raised(ValueError, tf.Session, config=c)
        assert isinstance(error, tf1mem.Tf1memError), error
        """
    )


def test_interactive_session(scenario):
    scenario(
        CONFIG
        + """
        from tensorflow.python.client.session import InteractiveSession as theirs
        sess = tf.InteractiveSession(config=config())
        assert applied() and sess._config.graph_options.place_pruned_graph
        assert tf.constant(2).eval() == 2
        tf.InteractiveSession._active_session_count = 0
        assert theirs._active_session_count == 1
        other = tf.InteractiveSession()
        assert theirs._active_session_count == tf.InteractiveSession._active_session_count == 1
        other.close()
        assert theirs._active_session_count == tf.InteractiveSession._active_session_count == 0
        """
    )


def test_interactive_session_without_config_grows(scenario):
    scenario(
        """
        import tf1mem, tf1mem.v1 as tf
        sess = tf.InteractiveSession()
        assert sess._config.gpu_options.allow_growth
        assert "allow_growth" in str(tf1mem.report())
        """
    )


def test_interactive_session_uses_the_applied_settings(scenario):
    scenario(
        """
        import tf1mem, tf1mem.v1 as tf
        tf1mem.apply({"gpu_options": {"per_process_gpu_memory_fraction": 0.4}})
        before = str(tf1mem.report())
        sess = tf.InteractiveSession()
        assert "0.4" in before and str(tf1mem.report()) == before
        assert not sess._config.gpu_options.allow_growth
        """
    )


def test_monitored_training_session(scenario):
    scenario(
        CONFIG
        + """
        tf.train.get_or_create_global_step()
        two = tf.constant(2)
        with tf.train.MonitoredTrainingSession(config=config()) as sess:
            assert applied()
            assert sess.run(two) == 2
        """
    )


def test_session_creators(scenario):
    scenario(
        CONFIG
        + """
        tf.train.get_or_create_global_step()
        two = tf.constant(2)
        creator = tf.train.ChiefSessionCreator(config=tf.ConfigProto())
        creator._config.CopyFrom(config())  # changed after it was made
        with tf.train.MonitoredSession(session_creator=creator) as sess:
            assert applied()
            assert sess.run(two) == 2
        assert isinstance(creator, tf.train.SessionCreator)
        with tf.train.SingularMonitoredSession(config=config()) as sess:
            assert sess.run(two) == 2
        worker = tf.train.WorkerSessionCreator(config=config(), max_wait_secs=5)
        assert worker._config == config()
        """
    )


def test_supervisor(scenario):
    for way in ("managed_session", "prepare_or_wait_for_session", "PrepareSession"):
        scenario(
            CONFIG
            + """
        v = tf.Variable(1.0)
        sv = tf.train.Supervisor(logdir=None)
        if "{way}" == "managed_session":
            with sv.managed_session(config=config()) as sess:
                assert applied() and sess.run(v) == 1
        else:
            sess = sv.{way}("", config=config())
            assert applied() and sess.run(v) == 1
            sv.stop()
        """.replace("{way}", way)
        )


def test_session_manager(scenario):
    scenario(
        CONFIG
        + """
        v = tf.Variable(1.0)
        manager = tf.train.SessionManager()
        sess = manager.prepare_session("", init_op=tf.global_variables_initializer(), config=config())
        assert applied() and sess.run(v) == 1
        """
    )


def test_server_and_a_session_on_it(scenario):
    scenario(
        CONFIG
        + """
        import tensorflow
        base = tensorflow.compat.v1.train.Server.create_local_server(start=False)
        LOCAL = base.server_def.cluster.job[0].name
        server = tf.train.Server.create_local_server(config=config())
        assert applied() and isinstance(server, tf.train.Server)
        assert server.server_def.default_session_config.gpu_options.allow_growth
        with tf.Session(server.target, config=config()) as sess:
            assert sess.run(tf.constant(2)) == 2
        assert server.server_def.cluster.job[0].name == LOCAL
        again = tf.train.Server(server.server_def, start=False)
        """
    )


def test_test_case(scenario):
    scenario(
        CONFIG
        + """
        import unittest

        class Test(tf.test.TestCase):
            def test_it(self):
                with self.test_session(config=config()):
                    assert applied()
                    self.assertAllEqual(tf.constant([1, 2]).eval(), [1, 2])

        result = unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(Test))
        assert result.wasSuccessful()
        """
    )


def test_enable_eager_execution(scenario):
    scenario(
        CONFIG
        + """
        tf.enable_eager_execution(config=config(), device_policy=None)
        assert applied() and tf.executing_eagerly()
        assert (tf.constant(2) + 3).numpy() == 5
        """
    )


def test_device_lib(scenario):
    scenario(
        CONFIG
        + """
        from tf1mem.v1.python.client import device_lib
        assert device_lib.list_local_devices(session_config=config())
        assert applied()
        """
    )
