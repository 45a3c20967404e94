"""`tf1mem.apply` puts settings in force, undoes them after an error, and refuses late calls.

Each program runs in a separate process, without a GPU. The settings in force are read from the config of a Session made
without a config: TensorFlow gives it the config of its eager context.
"""

from __future__ import annotations

import textwrap

import pytest
from packaging.version import Version

from tests.conformance import simulator
from tests.processes.environment import clean
from tf1mem.gpusim import simulation

WARM = ["tf1mem", "tensorflow"]
PRELUDE = """
import tf1mem, tf1mem.machine.tensorflow
import tensorflow as tf
v1 = tf.compat.v1
def config(**kwargs):
    return v1.ConfigProto(**kwargs)
def plain():
    "Returns the config of a Session that was made without one."
    with v1.Graph().as_default(), v1.Session() as session:
        return session._config or tf1mem.applying.apply.config_for_sessions() or v1.ConfigProto()
def outcomes(setting):
    "Returns the outcomes of a setting in the report, sorted."
    return sorted({line.outcome for line in tf1mem.report().lines if line.step.setting == setting})
"""


@pytest.fixture
def program(python):
    """Returns a function that runs a program after PRELUDE, and returns its lines on stdout."""

    def run(code: str, **kwargs) -> list:
        printed = python(PRELUDE + textwrap.dedent(code), **kwargs).splitlines()
        # Some TensorFlows print the lines of log_device_placement to stdout.
        return [line for line in printed if not line.startswith(("/job:", "Device mapping:"))]

    return run


@pytest.fixture
def after_tensorflow(warm_pythons, tmp_path):
    """Returns a function that runs a program in a Python that has imported TensorFlow, but not tf1mem."""

    def run(code: str) -> list:
        script = tmp_path / "program.py"
        script.write_text(textwrap.dedent(code), encoding="utf-8")
        done = warm_pythons.having(["tensorflow"], clean()).run(script)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.splitlines()

    return run


@pytest.fixture
def tf2(tensorflow_version):
    """Returns True on TensorFlow 2."""
    return tensorflow_version >= Version("2.0.0rc0")


def test_the_returned_config_carries_everything_and_is_a_copy(program):
    out = program(
        """
        wanted = config(allow_soft_placement=True, operation_timeout_in_ms=60000)
        wanted.gpu_options.allow_growth = True
        wanted.gpu_options.per_process_gpu_memory_fraction = 0.25
        returned = tf1mem.apply(wanted)
        print(returned == wanted, returned is wanted, type(returned) is v1.ConfigProto)
        with v1.Session(config=returned) as session:
            print(session.run(v1.constant(3) if not tf.executing_eagerly() else []))
        """
    )
    assert out[0] == "True False True"


def test_a_session_without_a_config_has_the_settings(program):
    out = program(
        """
        wanted = config(intra_op_parallelism_threads=3, inter_op_parallelism_threads=2, log_device_placement=True)
        tf1mem.apply(wanted)
        current = plain()
        print(current.intra_op_parallelism_threads, current.inter_op_parallelism_threads, current.log_device_placement)
        """
    )
    assert out[-1] == "3 2 True"


def test_the_session_of_keras_has_the_settings(program, tensorflow_version):
    """Without tf1mem, Keras made the config of its Session up to TensorFlow 1.14. Keras 3 makes no Session."""
    if tensorflow_version >= Version("2.16"):
        pytest.skip("Keras 3 makes no Session")
    assert program("""
        tf1mem.apply(config(intra_op_parallelism_threads=3))
        with v1.Graph().as_default():
            session = v1.keras.backend.get_session()
        made = session._config
        print(made.intra_op_parallelism_threads, made.allow_soft_placement)
    """) == ["3 True"]


def test_every_form_of_config_is_accepted(program, tmp_path):
    (tmp_path / "config.json").write_text('{"intra_op_parallelism_threads": 3}')
    out = program(
        """
        wanted = config(intra_op_parallelism_threads=3)
        forms = [wanted, {"intra_op_parallelism_threads": 3}, wanted.SerializeToString(), "config.json",
                 tf1mem.read("config.json"), bytearray(wanted.SerializeToString())]
        print([tf1mem.apply(form).intra_op_parallelism_threads for form in forms])
        print(tf1mem.apply(v1.GPUOptions(allow_growth=True)).gpu_options.allow_growth)
        print(tf1mem.apply() == v1.ConfigProto())
        """
    )
    assert out[-3:] == ["[3, 3, 3, 3, 3, 3]", "True", "True"]


def test_soft_placement_is_off_by_default_as_in_tensorflow_1(program):
    out = program(
        """
        tf1mem.apply(config())
        print(plain().allow_soft_placement)
        tf1mem.apply(config(allow_soft_placement=True))
        print(plain().allow_soft_placement)
        """
    )
    assert out[-2:] == ["False", "True"]


def test_soft_placement_holds_for_eager_ops_on_tf2(program, tf2, tensorflow_version):
    out = program(
        """
        if not tf1mem.machine.tensorflow.is_tf1(tf):
            tf1mem.apply(config())
            for soft in (False, True):
                tf1mem.apply(config(allow_soft_placement=soft))
                one = tf.constant(1.0)
                try:
                    with tf.device("/gpu:7"):
                        print(tf.add(one, one).numpy())
                except tf.errors.InvalidArgumentError as error:
                    print("InvalidArgumentError")
            print(outcomes("allow_soft_placement"))
        """
    )
    live = tensorflow_version >= Version("2.3")
    if not tf2:
        assert out == []
    elif live:
        assert out == ["InvalidArgumentError", "2.0", "['done']"]
    else:  # before 2.3 it reaches Sessions alone, and the report says so
        assert out[:2] == ["InvalidArgumentError"] * 2
        assert "handed to the Session" in out[2]


def test_without_a_gpu_every_setting_is_accepted_and_the_report_says_so(program):
    out = program(
        """
        wanted = config()
        wanted.gpu_options.allow_growth = True
        wanted.gpu_options.visible_device_list = "1,0"
        wanted.gpu_options.per_process_gpu_memory_fraction = 1.5
        wanted.gpu_options.allocator_type = "BFC"
        tf1mem.apply(wanted)
        v1.Session().close()
        report = tf1mem.report()
        print(report.runtime.gpus)
        print(sorted(line.step.setting.split(".")[-1] for line in report.lines if line.why == "no GPU here"))
        print("no GPU" in str(report))
        """
    )
    assert out[-3] == "()"
    assert out[-2] == "['allocator_type', 'allow_growth', 'per_process_gpu_memory_fraction', 'visible_device_list']"
    assert out[-1] == "True"


def test_an_equal_config_changes_nothing_and_a_different_one_replaces_the_first(program):
    out = program(
        """
        wanted = config(intra_op_parallelism_threads=3, inter_op_parallelism_threads=5, log_device_placement=True)
        tf1mem.apply(wanted)
        first = tf1mem.report()
        tf1mem.apply(config(intra_op_parallelism_threads=3, inter_op_parallelism_threads=5, log_device_placement=True))
        print(tf1mem.report() is first)
        tf1mem.apply(config(intra_op_parallelism_threads=2))
        current = plain()
        print(current.intra_op_parallelism_threads, current.inter_op_parallelism_threads, current.log_device_placement)
        """
    )
    assert out[-2:] == ["True", "2 0 False"]


def test_an_error_half_way_undoes_what_was_set(program):
    out = program(
        """
        from tf1mem.routes import session, tf_config
        tf1mem.apply(config(intra_op_parallelism_threads=3))
        def failing(action):
            def act(tf, wanted):
                if getattr(wanted, "log_device_placement", wanted):
                    raise OSError("half-way")
                return action(tf, wanted)
            return act
        tf_config.ACTIONS["log"] = failing(tf_config.ACTIONS["log"])
        session.ACTIONS["give_to_sessions"] = failing(session.ACTIONS["give_to_sessions"])
        for attempt in range(2):
            try:
                tf1mem.apply(config(intra_op_parallelism_threads=5, log_device_placement=True))
            except tf1mem.Tf1memError as error:
                print(error.__cause__)
        current = plain()
        print(current.intra_op_parallelism_threads, current.allow_soft_placement)
        tf1mem.apply(config(intra_op_parallelism_threads=3))  # equal to the settings in force: no error
        """
    )
    assert out[-3:] == ["half-way", "half-way", "3 False"]


def test_bad_settings_change_nothing(program):
    out = program(
        """
        tf1mem.apply(config(intra_op_parallelism_threads=3))
        negative = {"gpu_options": {"per_process_gpu_memory_fraction": -1}}
        for bad in (True, v1.Session, negative, b"\\xff\\xff", v1.RunOptions()):
            try:
                tf1mem.apply(bad)
            except tf1mem.Tf1memError as error:
                print(type(error).__name__)
        print(plain().intra_op_parallelism_threads)
        """
    )
    assert out[-6:] == ["NotAConfigError", "NotAConfigError", "SettingError", "SettingError", "NotAConfigError", "3"]


def test_too_late_names_what_differs_what_is_in_force_and_the_line(program):
    out = program(
        """
        tf1mem.apply(config(intra_op_parallelism_threads=3))
        def train():
            return v1.Session()  # the line
        train()
        tf1mem.apply(config(intra_op_parallelism_threads=3))  # equal to the settings in force: no error
        tf1mem.apply(config(intra_op_parallelism_threads=3, log_device_placement=True))  # set by Sessions: no error
        try:
            tf1mem.apply(config(intra_op_parallelism_threads=4))
        except tf1mem.RuntimeAlreadyStarted as error:
            print(isinstance(error, RuntimeError))
            print(error)
        with open(__file__) as source:
            print([number for number, line in enumerate(source, 1) if "# the line" in line])
        """
    )
    assert out[-3] == "True"
    message = out[-2]
    assert message.startswith("intra_op_parallelism_threads=4: ")
    assert "intra_op_parallelism_threads=3 is in force" in message
    line = out[-1].strip("[]").split(",")[0]
    assert "by a Session, at" in message
    assert f"program.py:{line}" in message


def test_too_late_after_a_device_listing(program):
    out = program(
        """
        from tensorflow.python.client import device_lib
        device_lib.list_local_devices()
        try:
            tf1mem.apply(config(intra_op_parallelism_threads=4))
        except tf1mem.RuntimeAlreadyStarted as error:
            print(error)
        """
    )
    assert "device_lib.list_local_devices(), at" in out[-1]
    assert "program.py:" in out[-1]


def test_the_line_is_known_if_tensorflow_is_imported_before_tf1mem(after_tensorflow):
    out = after_tensorflow(
        """
        import tensorflow as tf
        import tf1mem
        tf.compat.v1.Session()
        try:
            tf1mem.apply({"intra_op_parallelism_threads": 4})
        except tf1mem.RuntimeAlreadyStarted as error:
            print("program.py:" in str(error))
        """
    )
    assert out[-1] == "True"


def test_the_report_keeps_earlier_outcomes(program):
    out = program(
        """
        first = config(intra_op_parallelism_threads=3, isolate_session_state=True, log_device_placement=True)
        tf1mem.apply(first)
        tf1mem.apply(config(intra_op_parallelism_threads=4))  # replaces the first
        replaced = outcomes("log_device_placement") + outcomes("(all of these)")  # 1.13 has one line for all
        print(outcomes("isolate_session_state"), "replaced" in replaced)
        v1.Session().close()
        from tf1mem.applying.apply import apply_to_session
        apply_to_session(config(intra_op_parallelism_threads=5, operation_timeout_in_ms=1000))  # too late
        print(outcomes("intra_op_parallelism_threads"), outcomes("operation_timeout_in_ms"))
        """
    )
    assert out[-2] == "['handed to the Session'] True"
    assert "refused" in out[-1]
    assert "done" in out[-1] or "handed" in out[-1]


def test_gpu_settings_without_a_gpu_are_never_too_late(program):
    out = program(
        """
        v1.Session().close()
        tf1mem.apply(v1.GPUOptions(allow_growth=True))
        tf1mem.apply(v1.GPUOptions(per_process_gpu_memory_fraction=0.4))
        print([line.outcome for line in tf1mem.report().lines if line.step.route == "none"][-1])
        """
    )
    assert out[-1] == "no effect"


def test_an_undo_that_tensorflow_refuses_leaves_nothing_half_done(program, tf2):
    out = program(
        """
        if not tf1mem.machine.tensorflow.is_tf1(tf):
            tf1mem.apply(config(intra_op_parallelism_threads=3, log_device_placement=True))
            from tf1mem.applying.in_force import NOW
            def refuse():
                raise ValueError("no way back")
            NOW.undo.append(refuse)
            try:
                tf1mem.apply(config(intra_op_parallelism_threads=4))
            except tf1mem.Tf1memError as error:
                print(type(error).__name__)
            print(plain().intra_op_parallelism_threads, plain().log_device_placement)
        """
    )
    assert out == (["TensorFlowRefusedError", "3 True"] if tf2 else [])


def test_settings_kept_ready_wait_for_the_runtime(program):
    out = program(
        """
        from tf1mem.applying.outside import Origin, Outside
        from tf1mem.applying.pending import keep_ready
        keep_ready(Outside(Origin("a file", tf1mem.Settings.of({"intra_op_parallelism_threads": 3}))), print)
        print(tf1mem.report().lines)
        print(plain().intra_op_parallelism_threads)
        print(len(tf1mem.report().lines) > 0)
        """
    )
    assert out[-3:] == ["()", "3", "True"]


def test_a_session_made_before_the_import_of_tf1mem_is_named_in_the_error(after_tensorflow):
    out = after_tensorflow(
        """
        import sys
        import tensorflow
        kept = tensorflow.compat.v1.Session()
        assert "tf1mem" not in sys.modules
        import tf1mem
        try:
            tf1mem.apply({"intra_op_parallelism_threads": 4})
        except tf1mem.RuntimeAlreadyStarted as error:
            print("before tf1mem was imported" in str(error))
        """
    )
    assert out[-1] == "True"


def test_an_error_of_tensorflow_becomes_an_error_of_tf1mem(program, tf2):
    out = program(
        """
        if not tf1mem.machine.tensorflow.is_tf1(tf):
            tf1mem.apply(config(log_device_placement=True))
            real = tf.config.set_soft_device_placement
            def refuse(on):
                if on:
                    raise ValueError("no")
                real(on)
            tf.config.set_soft_device_placement = refuse
            try:
                tf1mem.apply(config(allow_soft_placement=True))
            except RuntimeError as error:
                print(type(error).__name__, error)
            print(plain().log_device_placement)
        """
    )
    if tf2:
        assert out[-2].startswith("TensorFlowRefusedError allow_soft_placement=True: TensorFlow refused tf.")
        assert out[-1] == "True"
    else:
        assert out == []


def test_a_session_of_v1_that_differs_only_warns(program):
    out = program(
        """
        import logging
        logging.basicConfig(format="%(levelname)s %(name)s %(message)s", stream=__import__("sys").stdout)
        from tf1mem.applying.apply import apply_to_session
        v1.Session(config=apply_to_session(config(intra_op_parallelism_threads=3)))
        second = apply_to_session(config(intra_op_parallelism_threads=4))
        print(second.intra_op_parallelism_threads, outcomes("intra_op_parallelism_threads"))
        """
    )
    assert out[-2].startswith("WARNING tf1mem intra_op_parallelism_threads=4: refused")
    assert "intra_op_parallelism_threads=3" in out[-2]
    assert out[-1].startswith("4 ")
    assert "refused" in out[-1]


def test_each_setting_is_logged_under_tf1mem(program):
    out = program(
        """
        import logging, sys
        logging.basicConfig(level=logging.INFO, format="%(name)s %(message)s", stream=sys.stdout)
        logging.getLogger("tensorflow").propagate = False
        tf1mem.apply(config(intra_op_parallelism_threads=3, isolate_session_state=True))
        """
    )
    logged = [line for line in out if line.startswith("tf1mem ")]
    assert any(line.startswith("tf1mem intra_op_parallelism_threads=3: ") for line in logged)
    assert any(line.startswith("tf1mem isolate_session_state=True: handed to the Session") for line in logged)


def test_unknown_fields_are_reported_and_passed_on(program):
    out = program(
        """
        future = b"\\xda\\x3e\\x02hi"  # field 1003, a string, that no ConfigProto has
        returned = tf1mem.apply(config(allow_soft_placement=True).SerializeToString() + future)
        print([line.step.setting for line in tf1mem.report().lines if "#" in line.step.setting])
        print(future in returned.SerializeToString())
        """
    )
    assert out[-2:] == ["['ConfigProto#1003']", "True"]


def test_many_threads_apply_the_same_config(program):
    out = program(
        """
        import threading
        results = []
        def work():
            results.append(tf1mem.apply(config(intra_op_parallelism_threads=3)).intra_op_parallelism_threads)
        threads = [threading.Thread(target=work) for _ in range(16)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(results == [3] * 16, plain().intra_op_parallelism_threads)
        """
    )
    assert out[-1] == "True 3"


def test_a_config_for_a_newer_tensorflow_is_refused_where_it_does_not_exist(program, tensorflow_version):
    out = program(
        """
        try:
            tf1mem.apply({"experimental": {"online_cost_analysis": True}})
            print("taken")
        except tf1mem.Tf1memError as error:
            print("2.21" in str(error))
        """
    )
    assert out[-1] == ("taken" if tensorflow_version >= Version("2.21") else "True")


def test_keras_and_tf_function_still_run_afterwards(program, tf2):
    out = program(
        """
        if not tf1mem.machine.tensorflow.is_tf1(tf):
            tf1mem.apply({"gpu_options": {"allow_growth": True, "per_process_gpu_memory_fraction": 0.5},
                          "device_count": {"CPU": 2}})
            @tf.function
            def double(x):
                return x + x
            print(double(tf.constant(2.0)).numpy())
            model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
            model.compile("sgd", "mse")
            model.fit(tf.ones([4, 2]), tf.ones([4, 1]), epochs=1, verbose=0)
            print(len(tf.config.experimental.list_logical_devices("CPU")))
        """
    )
    assert out == (["4.0", "2"] if tf2 else [])


def test_before_a_strategy(program, tf2):
    out = program(
        """
        if not tf1mem.machine.tensorflow.is_tf1(tf):
            tf1mem.apply({"device_count": {"CPU": 2}, "allow_soft_placement": True})
            strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
            print(strategy.num_replicas_in_sync)
            print(strategy.reduce("SUM", strategy.experimental_run_v2(lambda: tf.constant(1.0))
                  if hasattr(strategy, "experimental_run_v2") and not hasattr(strategy, "run")
                  else strategy.run(lambda: tf.constant(1.0)), axis=None).numpy())
        """
    )
    assert out == (["2", "2.0"] if tf2 else [])


def test_forked_children_can_apply(program):
    out = program(
        """
        import os
        tf1mem.apply(config(intra_op_parallelism_threads=3))
        child = os.fork()
        if child == 0:
            os._exit(tf1mem.apply(config(intra_op_parallelism_threads=4)).intra_op_parallelism_threads)
        print(os.waitpid(child, 0)[1] >> 8)
        """
    )
    assert out[-1] == "4"


def test_a_version_that_no_tensorflow_has(program, tf2):
    out = program(
        """
        for version in ("0.0.0", "custom build", "1.4", "99.0+nv"):
            tf.__version__ = version
            tf1mem.apply(config(intra_op_parallelism_threads=2 + len(version)))
            print(outcomes("intra_op_parallelism_threads"))
        print(plain().intra_op_parallelism_threads, tf1mem.machine.tensorflow.is_tf1(tf))
        """
    )
    assert all("done" in line or "handed" in line for line in out[-5:-1])
    assert out[-1] == f"9 {not tf2}"


def test_where_a_name_is_missing_the_next_route_is_taken(program, tf2):
    out = program(
        """
        if not tf1mem.machine.tensorflow.is_tf1(tf):
            del tf.config.threading.set_intra_op_parallelism_threads
            plan = tf1mem.plan(config(intra_op_parallelism_threads=3))
            (step,) = [step for step in plan.steps if step.setting == "intra_op_parallelism_threads"]
            print(step.route)
            tf1mem.apply(config(intra_op_parallelism_threads=3))
            print(plain().intra_op_parallelism_threads)
            print("lacks" in str(tf1mem.report()))
        """
    )
    assert out == (["eager config", "3", "True"] if tf2 else [])


@pytest.mark.fresh
def test_an_error_without_tensorflow_and_with_an_empty_folder_of_its_name(python, tmp_path):
    (tmp_path / "tensorflow").mkdir()
    out = python(
        """
        import sys
        import packaging.version, packaging.specifiers
        kept = [path for path in sys.path if "site-packages" not in path]
        import tf1mem
        for paths in (kept[1:], kept):  # without TensorFlow; then with the empty folder `tensorflow`
            sys.path[:] = paths
            for call in (
                tf1mem.apply,
                tf1mem.config,
                lambda: tf1mem.from_env({}),
                lambda: tf1mem.Settings({}, text="allow_soft_placement: true").to_proto(),
                tf1mem.plan,
                lambda: tf1mem.estimate(len),
                lambda: __import__("tf1mem.v1"),
            ):
                try:
                    call()
                except ImportError as error:
                    print(type(error).__name__, "'tf1mem[tensorflow]'" in str(error))
                sys.modules.pop("tensorflow", None)
        """
    )
    assert out.splitlines() == ["TensorFlowNotFoundError True"] * 14


def test_a_server_without_a_config_gets_the_applied_one(program):
    out = program(
        """
        def fraction(*args, **kwargs):
            made = v1.train.Server(*args, start=False, **kwargs)
            return made.server_def.default_session_config.gpu_options.per_process_gpu_memory_fraction
        cluster = {"local": ["localhost:0"]}
        spec = v1.train.ClusterSpec(cluster).as_cluster_def()
        own = v1.train.ServerDef(protocol="grpc", job_name="local", cluster=spec)
        own.default_session_config.gpu_options.per_process_gpu_memory_fraction = 0.5
        half = own.default_session_config
        print(fraction(cluster))
        tf1mem.apply(v1.GPUOptions(per_process_gpu_memory_fraction=0.25))
        print(fraction(cluster), fraction(cluster, config=half), fraction(own))
        tf1mem.applying.apply.apply_to_session(v1.ConfigProto(gpu_options=v1.GPUOptions(per_process_gpu_memory_fraction=0.4)))
        print(fraction(cluster))
        tf1mem.apply(v1.GPUOptions(per_process_gpu_memory_fraction=0.4))  # for the process, not only one Session
        print(fraction(cluster))
        """
    )
    assert out[-4:] == ["0.0", "0.25 0.5 0.5", "0.25", "0.4"]


def test_no_op_runs_between_the_undo_of_settings_and_the_new_ones(program, tf2):
    out = program(
        """
        import threading, time
        from tf1mem.routes import tf_config
        if not tf1mem.machine.tensorflow.is_tf1(tf):
            tf1mem.apply(config(intra_op_parallelism_threads=3, inter_op_parallelism_threads=2))
            half_way, events = threading.Event(), []
            inter = tf_config.ACTIONS["inter"]
            def slowly(tf, value):
                half_way.set()
                time.sleep(1)
                return inter(tf, value)
            tf_config.ACTIONS["inter"] = slowly
            def op():
                half_way.wait()
                events.append(int(tf.add(1, 1)))
            thread = threading.Thread(target=op)
            thread.start()
            tf1mem.apply(config(intra_op_parallelism_threads=5, inter_op_parallelism_threads=4))
            events.append("applied")
            thread.join()
            print(events, plain().intra_op_parallelism_threads, plain().inter_op_parallelism_threads)
        """
    )
    assert out == (["['applied', 2] 5 4"] if tf2 else [])


def test_a_config_applied_while_the_runtime_starts_is_too_late(program, tf2):
    out = program(
        """
        import threading
        from tf1mem.machine.eager_context import context_module
        if not tf1mem.machine.tensorflow.is_tf1(tf):
            begun, go_on = threading.Event(), threading.Event()
            context = context_module().Context
            read = context.config.fget
            def slowly(self):
                value = read(self)
                begun.set()
                go_on.wait(5)
                return value
            context.config = property(slowly)
            thread = threading.Thread(target=lambda: tf.add(1, 1))
            thread.start()
            begun.wait()
            try:
                tf1mem.apply(config(intra_op_parallelism_threads=5))
            except tf1mem.RuntimeAlreadyStarted:
                print("too late")
            go_on.set()
            thread.join()
        """
    )
    assert out == (["too late"] if tf2 else [])


def test_no_thread_sees_graph_mode_while_the_eager_context_gets_its_config(program, tf2):
    out = program(
        """
        import threading, time
        disable = v1.disable_eager_execution
        def slowly():
            disable()
            time.sleep(1)
        v1.disable_eager_execution = slowly
        seen, done = set(), threading.Event()
        def look():
            while not done.is_set():
                seen.add(tf.executing_eagerly())
                time.sleep(0.01)
        thread = threading.Thread(target=look)
        thread.start()
        wanted = config()
        wanted.graph_options.place_pruned_graph = True
        tf1mem.apply(wanted)
        done.set()
        thread.join()
        print(outcomes("graph_options.place_pruned_graph"), seen)
        """
    )
    assert not tf2 or out[-1].endswith(" {True}")


def test_applying_different_configs_leaks_no_memory(program):
    out = program(
        """
        import gc, tracemalloc
        def apply(number):
            wanted = config(operation_timeout_in_ms=number % 7 + 1, intra_op_parallelism_threads=number % 7 + 1)
            wanted.gpu_options.allow_growth = bool(number % 2)
            tf1mem.apply(wanted)
        def used_bytes():
            gc.collect()
            return tracemalloc.get_traced_memory()[0]
        tracemalloc.start()
        for number in range(1, 21):
            apply(number)
        before = used_bytes()
        for number in range(21, 121):
            apply(number)
        print((used_bytes() - before) // 100)
        """
    )
    assert int(out[-1]) < 300


def test_a_limit_that_the_program_set_is_replaced_and_reported(tmp_path, warm_on_gpus, tf2):
    script = tmp_path / "program.py"
    script.write_text(
        PRELUDE
        + """
if not tf.test.is_built_with_cuda():
    raise SystemExit("no GPU for this TensorFlow")
gpu = tf.config.experimental.list_physical_devices("GPU")[0]
limit = tf.config.experimental.VirtualDeviceConfiguration(memory_limit=1024)
tf.config.experimental.set_virtual_device_configuration(gpu, [limit])
for fraction in (0.25, 0.5):  # the second replaces tf1mem's limit, which gets no line
    tf1mem.apply(v1.GPUOptions(per_process_gpu_memory_fraction=fraction))
lines = [line for line in tf1mem.report().lines if line.step.setting.startswith("tf.config")]
print([tuple(map(float, line.step.value.memory_limit_mb)) for line in lines])
""",
        encoding="utf-8",
    )
    with simulator.machine(tmp_path, (8 * 2**30,)) as environment:
        done = warm_on_gpus.run(script, env=environment)
    if not tf2 or "no GPU for this TensorFlow" in done.stderr:
        pytest.skip("no limit by tf.config, or no GPU")
    assert done.stdout.splitlines()[-1:] == ["[(1024.0,)]"], done.stderr


def test_float32_is_computed_as_in_tensorflow_1_where_that_is_requested(tmp_path, warm_on_gpus, tensorflow_version):
    script = tmp_path / "program.py"
    script.write_text(
        PRELUDE
        + """
import os
if not tf.test.is_built_with_cuda() or not hasattr(tf.config, "experimental"):
    raise SystemExit("no GPU for this TensorFlow")
enabled = getattr(tf.config.experimental, "tensor_float_32_execution_enabled", lambda: None)
growth = {"gpu_options": {"allow_growth": True}}
tf1mem.apply(growth)
print(enabled(), outcomes("TF32"))
os.environ["TF1MEM_TF32"] = "false"
tf1mem.apply(dict(growth, log_device_placement=True))
print(enabled(), outcomes("TF32"))
""",
        encoding="utf-8",
    )
    with simulation("RTX 3090") as machine:
        done = warm_on_gpus.run(script, env=machine.environment)
    if "no GPU for this TensorFlow" in done.stderr:
        pytest.skip("no GPU for this TensorFlow")
    has_tf32 = tensorflow_version >= Version("2.4")
    expected = ["True ['already so']", "False ['already so', 'done']"] if has_tf32 else ["None []"] * 2
    assert [line for line in done.stdout.splitlines() if line.endswith("]")] == expected, done.stderr


def test_an_override_with_a_default_has_one_line(program):
    out = program(
        """
        from tf1mem.applying.outside import Origin, Outside
        from tf1mem.applying.pending import close_pending, keep_ready
        from tf1mem.settings.settings import Settings
        GROWTH, SOFT = "gpu_options.allow_growth", "allow_soft_placement"
        rules = Settings.of({"gpu_options": {"allow_growth": False}, SOFT: False})
        keep_ready(Outside(None, Origin("--override r.json", rules)), print)
        tf1mem.apply({"intra_op_parallelism_threads": 1})
        print(outcomes(GROWTH))
        grows = {"gpu_options": {"allow_growth": True}, SOFT: True, "intra_op_parallelism_threads": 1}
        result = tf1mem.apply(grows)
        tf1mem.apply(grows)
        values = result.gpu_options.allow_growth, result.allow_soft_placement
        print(*values, outcomes(GROWTH), len(tf1mem.report().lines))
        lines = [line for line in tf1mem.report().lines if line.step.setting == GROWTH]
        print(len(lines), lines[0].why)
        close_pending()
        print(outcomes(GROWTH))
        """
    )
    assert out[0] == "['no effect']"
    assert out[1].startswith("False False ['overridden'] ")
    assert out[2] == "1 --override r.json overrides the program, and sets gpu_options.allow_growth=(default)"
    assert out[3] == "['overridden']"
