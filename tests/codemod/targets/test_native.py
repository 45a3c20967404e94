"""Settings become native or stay, with a reason; tf.config gets the same settings as from tf1mem.apply."""

from __future__ import annotations

import ast
import json

import pytest

from tests.conformance import simulator
from tf1mem.codemod import rewrite, targets
from tf1mem.codemod.claims import ClaimKind, Claims
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.files import extract
from tf1mem.codemod.rules.native_names import NAMES

HEAD = "import tensorflow as tf\n"
GROWS = "config = tf.compat.v1.ConfigProto()\nconfig.gpu_options.allow_growth = True\n"
SESSION = "sess = tf.compat.v1.Session(config=config)\n"
RUN = 'if __name__ == "__main__":\n    run()\n'
GPU_BYTES = 1 << 30


def native(source: str, **options) -> str:
    return rewrite((HEAD + source).encode(), to="native", **options).source.decode()[len(HEAD) :]


def reasons(source: str, **options) -> str:
    result = rewrite((HEAD + source).encode(), to="native", **options)
    return "\n".join(remark.message for remark in result.remarks if remark.code == "TFM301")


def with_config(*lines: str) -> str:
    return "config = tf.compat.v1.ConfigProto()\n" + "".join(line + "\n" for line in lines) + SESSION


STAYS = {
    "growth with a cap": with_config(
        "config.gpu_options.allow_growth = True", "config.gpu_options.per_process_gpu_memory_fraction = 0.4"
    ),
    "not a fraction": with_config("config.gpu_options.per_process_gpu_memory_fraction = 0.4"),
    "loses the order": with_config("config.gpu_options.visible_device_list = '1,0'"),
    "known only when the program runs": with_config("config.gpu_options.visible_device_list = args.gpus"),
    "read from it again": with_config("print(config.gpu_options.allow_growth)"),
    "operation_timeout_in_ms": with_config("config.operation_timeout_in_ms = 5000"),
    "has one level": with_config(
        "config.graph_options.optimizer_options.global_jit_level = tf.compat.v1.OptimizerOptions.ON_2"
    ),
    "has one level, not [1]": with_config("config.graph_options.optimizer_options.global_jit_level = [1]"),
    "drops the settings of": with_config("config.device_count['CPU'] = 4", "config.gpu_options.allow_growth = True"),
    "`**options`": "sess = tf.compat.v1.Session(config=tf.compat.v1.ConfigProto(**options))\n",
    "`setattr`": with_config("setattr(config, 'log_device_placement', True)"),
    "changed or read by CopyFrom": with_config("config.gpu_options.CopyFrom(options)"),
    "a helper returns it": "def f():\n    return tf.compat.v1.ConfigProto()\nsess = tf.compat.v1.Session(config=f())\n",
    "which TensorFlow 2 lacks": GROWS + "run = tf.contrib.learn.RunConfig(session_config=config)\n",
    "`self.session`, which may use it for more": GROWS + "with self.session(config=config):\n    pass\n",
    "passed to `use`": GROWS + "use(config)\n",
    "parameter's default": "def f(config=tf.compat.v1.ConfigProto()):\n    " + SESSION,
    "may also come from elsewhere": "config = own()\nif x:\n    config = tf.compat.v1.ConfigProto()\n" + SESSION,
    "nothing in this file": GROWS + "sess = tf.compat.v1.Session()\n",
    "an attribute holds it": "class A:\n    def __init__(self):\n        self.config = tf.compat.v1.ConfigProto()\n",
    "f makes it and returns nothing": "def f():\n    config = tf.compat.v1.ConfigProto()\nsess = start(f())\n",
    "changed after a Session": GROWS + SESSION + "config.allow_soft_placement = True\nother = " + SESSION[7:],
    "tf.config drops the growth": GROWS.replace(
        "Proto()", "Proto(gpu_options=tf.GPUOptions(\n    per_process_gpu_memory_fraction=0.4))"
    )
    + "run = tf.estimator.RunConfig(session_config=config)\n",
    "test of TensorFlow's version": "if tf.__version__ < '2':\n    config = tf.ConfigProto()\n"
    "    sess = tf.Session(config=config)\n",
    "can't be placed before it": "make = lambda: tf.compat.v1.Session(config=tf.compat.v1.ConfigProto())\n" + RUN,
    "shares its line": GROWS + "a = 1; " + SESSION.replace("config=config", "config=tf.compat.v1.ConfigProto()"),
    "in another function": "class A:\n    def a(self):\n        self.c = tf.compat.v1.ConfigProto()\n    def b(self):\n"
    "        self.c.log_device_placement = True\n        return tf.compat.v1.Session(config=self.c)\n" + RUN,
    "turn of a loop": "for n in (1, 2):\n    run(tf.compat.v1.Session(\n"
    "        config=tf.compat.v1.ConfigProto(intra_op_parallelism_threads=n)))\n",
    "call of the function": "def make(n):\n    return tf.compat.v1.Session(\n"
    "        config=tf.compat.v1.ConfigProto(intra_op_parallelism_threads=n))\nmake(1).run(x)\nmake(2).run(x)\n",
    "intra_op_parallelism_threads may change with each call": "class A:\n    def __init__(self, n):\n"
    "        c = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=n)\n"
    "        self.sess = tf.compat.v1.Session(config=c)\nprint(A(1), A(2))\nrun()\n" + RUN,
    "allow_growth may change with each call": "def make(grow):\n    config = tf.compat.v1.ConfigProto()\n"
    "    if grow:\n        config.gpu_options.allow_growth = True\n"
    "    return tf.compat.v1.Session(config=config)\nfor grow in (True, False):\n    make(grow).run(x)\nmain.run()\n"
    + RUN,
    "visible_device_list may change with each call": "def make(gpu):\n    config = tf.compat.v1.ConfigProto()\n"
    "    config.gpu_options.visible_device_list = str(gpu)\n"
    "    return tf.compat.v1.Session(config=config)\nstart(make)\n" + RUN,
    "configs of this file differ in intra_op_parallelism_threads": "".join(
        f"def {name}():\n    return tf.compat.v1.Session(config=tf.compat.v1.ConfigProto(\n"
        f"        intra_op_parallelism_threads={number}))\n"
        for name, number in (("a", 1), ("b", 2))
    )
    + RUN,
    "configs of this file differ": "def a():\n    return tf.compat.v1.Session(config=tf.compat.v1.ConfigProto(\n"
    "        device_count={'GPU': 0}))\ndef b():\n    return tf.compat.v1.Session(config=tf.compat.v1.ConfigProto())\n"
    + RUN,
}


@pytest.mark.parametrize("why", STAYS)
def test_a_config_that_stays_gets_the_reason(why):
    assert why in reasons(STAYS[why])
    rules = ("TFM301", "TFM302")
    result = rewrite((HEAD + STAYS[why]).encode(), to="native", only=rules)
    lines = [part for part in STAYS[why].split("\n") if "ConfigProto" in part]
    assert all(part in result.source.decode() for part in lines)


ONE_VALUE = {
    "a function that is called once": "def make(n):\n    return tf.compat.v1.Session(\n"
    "        config=tf.compat.v1.ConfigProto(intra_op_parallelism_threads=n))\nmake(2).run(x)\n",
    "main, passed to the function that runs it": "def main(args):\n    n = args[0]\n    tf.compat.v1.Session(\n"
    "        config=tf.compat.v1.ConfigProto(intra_op_parallelism_threads=n)).run(x)\n"
    "tf.compat.v1.app.run(main=main)\n",
    "a class with one object": "class A:\n    def __init__(self, n):\n        self.sess = tf.compat.v1.Session(\n"
    "            config=tf.compat.v1.ConfigProto(intra_op_parallelism_threads=n))\n"
    "def main():\n    A(2).run()\nif __name__ == '__main__':\n    main()\n",
    "the same in every call": "FLAGS = tf.compat.v1.app.flags.FLAGS\nN = own()\ndef make():\n"
    "    return tf.compat.v1.Session(config=tf.compat.v1.ConfigProto(\n"
    "        intra_op_parallelism_threads=N, inter_op_parallelism_threads=FLAGS.threads))\n"
    "make().run(x)\nmake().run(x)\n",
    "Horovod's rank": "import horovod.tensorflow as hvd\ndef make():\n    config = tf.compat.v1.ConfigProto()\n"
    "    config.gpu_options.visible_device_list = str(hvd.local_rank())\n"
    "    return tf.compat.v1.Session(config=config)\nmake().run(x)\nmake().run(x)\n",
    "equal configs": "def a():\n    "
    + SESSION.replace("config=config", "config=tf.compat.v1.ConfigProto(intra_op_parallelism_threads=2)")
    + "    sess.run(x)\ndef b():\n    "
    + SESSION.replace("config=config", "config=tf.compat.v1.ConfigProto(intra_op_parallelism_threads=2)")
    + "    sess.run(x)\na()\nb()\n",
}


@pytest.mark.parametrize("source", ONE_VALUE.values(), ids=ONE_VALUE)
def test_a_setting_with_one_value_in_a_process_becomes_native(source):
    assert "ConfigProto" not in native(source)
    assert reasons(source) == ""


AGAIN = """
with tf.Graph().as_default():
    op = tf.constant(1)
def make(threads):
    return tf.Session(graph=op.graph, config=tf.ConfigProto(intra_op_parallelism_threads=threads))
print(make(1).run(op), int(tf.add(1, 1)), make(2).run(op))
"""


def test_a_function_that_is_called_again_with_another_value_doesnt_raise(python):
    """The runtime has started in between: tf.config refuses a different number of threads then."""
    assert python(rewrite((HEAD + AGAIN).encode(), to="native").source.decode()).split()[-3:] == ["1", "2", "1"]


IS_KEPT = "config = tf.compat.v1.ConfigProto(log_device_placement=True)\n"
GROW = 'for gpu in tf.config.list_physical_devices("GPU"):\n    tf.config.experimental.set_memory_growth(gpu, True)\n'
TAKERS = {
    "RunConfig": "run = tf.estimator.RunConfig(session_config=config)\n",
    "tpu.RunConfig": "run = tf.compat.v1.estimator.tpu.RunConfig(session_config=config)\n",
    "replace": "run = tf.estimator.RunConfig().replace(session_config=config)\n",
    "Server": "server = tf.compat.v1.train.Server({}, config=config)\n",
    "tf.distribute.Server": "server = tf.distribute.Server({}, config=config)\n",
    "create_local_server": "server = tf.compat.v1.train.Server.create_local_server(config)\n",
    "list_local_devices": "from tensorflow.python.client import device_lib\ndevice_lib.list_local_devices(config)\n",
    "InteractiveSession": "sess = tf.compat.v1.InteractiveSession(config=config)\n",
    "InteractiveSession and Session": "sess = tf.compat.v1.InteractiveSession(config=config)\n" + SESSION,
}


@pytest.mark.parametrize("taker", TAKERS)
def test_a_config_stays_if_its_taker_takes_nothing_else(taker):
    """A Session keeps its own settings; those that hold for the process go to tf.config as well."""
    grows = "if grow:\n    config.gpu_options.allow_growth = True\n"
    config_too = "if grow:\n" + "".join("    " + line for line in GROW.splitlines(keepends=True))
    config_too += "    config.gpu_options.allow_growth = True\n"
    for more, expected in (("", ""), (grows, config_too)):
        result = rewrite((HEAD + IS_KEPT + more + TAKERS[taker]).encode(), to="native")
        assert result.source.decode() == HEAD + IS_KEPT + expected + TAKERS[taker]
        # TensorFlow 2.21 has no Estimator: another remark says so.
        lacks = ["TFM008"] if "estimator" in TAKERS[taker] else []
        assert [remark.code for remark in result.remarks] == lacks
        assert rewrite(result.source, to="native").changes == ()


SAME_CALLS = {
    "quotes and lines": lambda once: once.replace('"', "'").replace(
        "(gpu, True)", "(\n        gpu,\n        True,\n    )"
    ),
    "a comment": lambda once: once.replace(":\n", ":  # all of them\n    # here\n", 1),
    "parentheses": lambda once: once.replace("if grow:", "if (grow):"),
    "another name": lambda once: once.replace("gpu in", "gpu_device in").replace("(gpu,", "(gpu_device,"),
    "names taken": lambda once: once + "def f(gpu, physical_gpu, each_gpu, gpu_device):\n    pass\n",
}


@pytest.mark.parametrize("how", SAME_CALLS)
def test_calls_beside_a_config_that_stays_are_added_once(how):
    source = GROWS.replace("config.gpu", "if grow:\n    config.gpu") + TAKERS["RunConfig"]
    once = native(source)
    assert once.count("set_memory_growth") == 1
    assert native(SAME_CALLS[how](once)) == SAME_CALLS[how](once)


NO_CALLS = {
    "a comment": "# tf.config.threading.set_intra_op_parallelism_threads(4)\n",
    "a function": "def unused():\n    tf.config.threading.set_intra_op_parallelism_threads(4)\n",
    "a branch": "if x:\n    tf.config.threading.set_intra_op_parallelism_threads(4)\n",
    "another value": "tf.config.threading.set_intra_op_parallelism_threads(2)\n",
}


@pytest.mark.parametrize("where", NO_CALLS)
def test_similar_text_elsewhere_does_not_count_as_a_call(where):
    run_config = (
        "run = tf.estimator.RunConfig(session_config=tf.compat.v1.ConfigProto(intra_op_parallelism_threads=4))\n"
    )
    call = "tf.config.threading.set_intra_op_parallelism_threads(4)\n"
    assert native(NO_CALLS[where] + run_config) == NO_CALLS[where] + call + run_config


def test_a_config_that_stays_keeps_settings_of_a_session():
    source = "run = tf.estimator.RunConfig(session_config=tf.ConfigProto(\n    {}))\n"
    only_sessions = source.format(
        "inter_op_parallelism_threads=2, device_count={'GPU': 0}, use_per_session_threads=True"
    )
    assert native(only_sessions) == only_sessions.replace("tf.C", "tf.compat.v1.C")
    threads = source.format("intra_op_parallelism_threads=self.args.threads")
    assert native(threads) == (
        "tf.config.threading.set_intra_op_parallelism_threads(self.args.threads)\n"
        + threads.replace("tf.C", "tf.compat.v1.C")
    )


A_TEST = (
    "class T(tf.test.TestCase):\n    def test(self):\n        with self.session(config=tf.compat.v1.ConfigProto({})):\n"
    "            pass\n"
)


def test_a_tests_session_keeps_its_config():
    source = A_TEST.format("log_device_placement=True")
    assert native(source) == source
    assert "other tests may have run" in reasons(A_TEST.format("intra_op_parallelism_threads=2"))


OF_TWO = (
    "run = tf.estimator.RunConfig(session_config=tf.compat.v1.ConfigProto(gpu_options=tf.compat.v1.GPUOptions({})))\n"
)
STAYS_BESIDE = {
    "differ in gpu_options.allow_growth": OF_TWO.format("visible_device_list='0'") + OF_TWO.format("allow_growth=True"),
    "Keras also gets a Session": GROWS
    + "tf.keras.backend.set_session(tf.Session(config=config))\n"
    + TAKERS["RunConfig"],
    "computed twice": OF_TWO.format("visible_device_list=str(pick())"),
    "reset later": GROWS + "if x:\n    config.gpu_options.allow_growth = False\n" + TAKERS["RunConfig"],
    "can't be placed before it": "with a() as n, tf.compat.v1.InteractiveSession(\n"
    "        config=tf.compat.v1.ConfigProto(intra_op_parallelism_threads=n)):\n    pass\n",
}


@pytest.mark.parametrize("why", STAYS_BESIDE)
def test_settings_without_a_call_go_through_tf1mem(why):
    assert why in reasons(STAYS_BESIDE[why])
    result = native(STAYS_BESIDE[why])
    assert "tf1mem.apply(" in result
    assert "tf.config." not in result


def test_a_setting_reset_in_another_branch():
    source = "config = tf.ConfigProto()\nif x:\n    config.gpu_options.allow_growth = {}\nelse:\n"
    source += "    config.gpu_options.allow_growth = {}\n" + SESSION
    assert native(source.format(True, False)).count("set_memory_growth") == 1


def test_an_interactive_session_that_grows_needs_no_config():
    assert native(GROWS + "sess = tf.InteractiveSession(config=config)\n") == (
        GROW + "sess = tf.compat.v1.InteractiveSession()\n"
    )


def test_a_session_beside_a_config_that_stays():
    """XLA in the config of another Session doesn't affect the process."""
    jit = "c = tf.ConfigProto()\nc.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.ON_1\n"
    result = native(GROWS + SESSION + jit + TAKERS["RunConfig"].replace("=config", "=c"))
    assert "sess = tf.compat.v1.Session()\nc = tf.compat.v1.ConfigProto()\n" in result
    assert "set_jit" not in result


OF_A_FUNCTION = (
    "def start():\n    config = tf.compat.v1.ConfigProto({})\n    return tf.compat.v1.Session(config=config)\n"
)
PROGRAMS = {
    "names __main__": 'if __name__ == "__main__":\n    start()\n',
    "starts its function": "for i in range(3):\n    print(start().run(x))\n",
    "runs": "tf.compat.v1.app.run(start)\n",
}
IMPORTED = {
    "definitions": "",
    "an object is made": "class Model:\n    pass\nmodel = Model()\n",
    "a call of another module": "os.makedirs(folder)\n",
}


def test_a_session_keeps_its_config_outside_a_program():
    own = OF_A_FUNCTION.format("device_count={'GPU': 0}")
    for imported in IMPORTED.values():
        assert native(own + imported) == own + imported
        assert reasons(own + imported) == ""  # nothing is lost: the Session has it
    for program in PROGRAMS.values():
        assert "set_visible_devices([], " in native(own + program)
    for_all = OF_A_FUNCTION.format("intra_op_parallelism_threads=2")
    assert native(for_all) == for_all
    assert "stays with its Session: programs import this file" in reasons(for_all)


A_CONFIG = "config = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=2)\n"
NOT_SURELY_TAKEN = {
    "a branch": "if x:\n    " + SESSION,
    "two of three": "if x:\n    " + SESSION + "elif y:\n    pass\nelse:\n    " + SESSION,
    "a function called under __main__": "def run():\n    return tf.compat.v1.Session(config=config)\n" + RUN,
    "never called": "def run():\n    return tf.compat.v1.Session(config=config)\n",
}
SURELY_TAKEN = {
    "either": "if x:\n    " + SESSION + "else:\n    " + SESSION,
    "a loop": "for i in range(3):\n    " + SESSION,
    "a function that is called": NOT_SURELY_TAKEN["never called"] + "run()\n",
    "a function that another calls": NOT_SURELY_TAKEN["never called"] + "def main():\n    run()\nmain()\n",
}


@pytest.mark.parametrize("how", NOT_SURELY_TAKEN)
def test_no_call_is_added_if_a_config_may_stay_unused(how):
    assert native(A_CONFIG + NOT_SURELY_TAKEN[how]) == A_CONFIG + NOT_SURELY_TAKEN[how]
    assert "without reaching its consumer" in reasons(A_CONFIG + NOT_SURELY_TAKEN[how])
    server = NOT_SURELY_TAKEN[how].replace("Session(", "train.Server(cluster, ")
    result = native(A_CONFIG + server)  # tf1mem applies the settings that TensorFlow 2 takes too late
    assert "config=tf1mem.apply(config)" in result
    assert "tf.config." not in result


@pytest.mark.parametrize("how", SURELY_TAKEN)
def test_calls_are_added_for_a_config_that_is_surely_used(how):
    assert "threading.set_intra_op_parallelism_threads(2)" in native(A_CONFIG + SURELY_TAKEN[how])


def test_placement_calls_are_added_only_for_a_session():
    for session in (
        "tf.compat.v1.InteractiveSession(config=config)\n",
        "tf.compat.v1.Session(config=config)\n",
        "tf.keras.backend.set_session(tf.Session(config=config))\n",
    ):
        assert native(GROWS + session).startswith(GROW)
        assert "placement" not in native(GROWS + session)
    assert "set_soft_device_placement(False)" in native(GROWS + SESSION)


def test_a_fraction_needs_the_gpus_memory():
    source = with_config("config.gpu_options.per_process_gpu_memory_fraction = 0.3")
    assert "memory_limit=2456)" in native(source, gpu_memory_mib=8190)
    by_flag = with_config("config.gpu_options.per_process_gpu_memory_fraction = flags.share / 2")
    assert "memory_limit=int(8190 * (flags.share / 2)) // 2 * 2)" in native(by_flag, gpu_memory_mib=8190)
    above = with_config("config.gpu_options.per_process_gpu_memory_fraction = 1.5")
    assert "managed memory" in reasons(above, gpu_memory_mib=8190)


def test_a_setting_that_needs_no_call_is_reported():
    result = rewrite((HEAD + with_config("config.gpu_options.allocator_type = 'BFC'")).encode(), to="native")
    assert "allocator_type needs no call" in result.changes[0].message


def test_another_config_of_the_file_logs_placement():
    result = native(
        "def a():\n    return tf.Session(config=tf.ConfigProto(log_device_placement=True))\n"
        "def b():\n    return tf.Session(config=tf.ConfigProto())\n" + RUN
    )
    assert "tf.debugging.set_log_device_placement(False)\n    return" in result


def test_two_configs_in_one_variable():
    """The second config's fields are its own."""
    second = GROWS.replace("allow_growth = True", "allocator_type = 'BFC'")
    result = native(GROWS + SESSION + second + SESSION)
    assert "ConfigProto" not in result
    assert result.count("set_memory_growth") == 1
    assert result.count("set_soft_device_placement(False)") == 2


def test_names_in_use_are_avoided():
    result = native(
        "def f(gpu, gpus):\n    " + GROWS.replace("\n", "\n    ") + SESSION.replace("sess =", "return") + RUN
    )
    assert "for physical_gpu in tf.config" in result
    assert "set_memory_growth(physical_gpu, True)" in result


def test_comments_and_indentation_stay():
    result = native(
        "def f():\n\tconfig = tf.ConfigProto(\n\t\t# soft\n\t\tallow_soft_placement=True)  # made\n"
        "\tconfig.gpu_options.allow_growth = True  # grows\n\treturn tf.Session(config=config)\nf()\n"
    )
    assert result == (
        "def f():\n\t# soft\n\ttf.config.set_soft_device_placement(True)  # made\n"
        '\tfor gpu in tf.config.list_physical_devices("GPU"):\n'
        "\t\ttf.config.experimental.set_memory_growth(gpu, True)  # grows\n\treturn tf.compat.v1.Session()\nf()\n"
    )


def test_a_value_in_brackets():
    off = "tf.compat.v1.OptimizerOptions.OFF"
    level = with_config("config.graph_options.optimizer_options.global_jit_level = {}")
    assert native(level.format(f"(\n    {off})")) == native(level.format(off))
    assert "set_jit(False)" in native(level.format(off))


def test_a_session_in_place_of_one_that_is_closed_stays():
    source = "from tensorflow.keras import backend as K\n{}" + GROWS + "K.set_session(tf.Session(config=config))\n"
    assert "set_session" not in native(source.format(""))
    for close in ("K.get_session().close()\n", "old = K.get_session()\nold.close()\n"):
        assert "K.set_session(tf.compat.v1.Session())" in native(source.format(close))


def test_an_import_with_other_uses_stays():
    source = (
        "from tensorflow.keras import backend as K\nK.set_session(tf.Session(config=tf.ConfigProto()))\nK.learn()\n"
    )
    assert "import backend as K" in native(source)
    assert "import backend as K" not in native(source.replace("K.learn()\n", ""))


@pytest.mark.parametrize("to", ["shim", "apply", "native"])
def test_plan_is_of_target_native(to):
    codes = frozenset(["TFM301"])
    facts = Facts(extract((HEAD + GROWS + SESSION).encode(), "python"))
    (session,) = facts.calls("Session")
    claims = Claims(targets.plan(facts, to, codes))
    assert claims.has(ClaimKind.CALL, session) == claims.settles(session) == (to == "native")


def test_without_the_rule_nothing_changes():
    assert "ConfigProto" in native(GROWS + SESSION, skip=("TFM301",))


WARM = ["tf1mem", "tensorflow"]
CONFIGS = {
    "defaults": "config = tf.compat.v1.ConfigProto()",
    "growth": "config = tf.compat.v1.ConfigProto()\nconfig.gpu_options.allow_growth = True",
    "growth by a flag": "flag = True\nconfig = tf.compat.v1.ConfigProto()\nconfig.gpu_options.allow_growth = flag",
    "placement": "config = tf.compat.v1.ConfigProto(allow_soft_placement=True, log_device_placement=True)",
    "threads": "config = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=3, inter_op_parallelism_threads=2)",
    "visible": "rank = 1\nconfig = tf.compat.v1.ConfigProto()\nconfig.gpu_options.visible_device_list = str(rank)",
    "visible two": "config = tf.compat.v1.ConfigProto(\n"
    "    gpu_options=tf.compat.v1.GPUOptions(visible_device_list='0,1', allow_growth=True))",
    "no GPU": "config = tf.compat.v1.ConfigProto(device_count={'GPU': 0})",
    "one GPU": "config = tf.compat.v1.ConfigProto(device_count={'GPU': 1})",
    "CPUs": "config = tf.compat.v1.ConfigProto(device_count={'CPU': 3})",
    "XLA": "config = tf.compat.v1.ConfigProto()\n"
    "config.graph_options.optimizer_options.global_jit_level = tf.compat.v1.OptimizerOptions.ON_1",
    "optimizers": "from tensorflow.core.protobuf import rewriter_config_pb2\nconfig = tf.compat.v1.ConfigProto()\n"
    "config.graph_options.rewrite_options.constant_folding = rewriter_config_pb2.RewriterConfig.OFF\n"
    "config.graph_options.rewrite_options.disable_meta_optimizer = True",
    "fields without effect": "config = tf.compat.v1.ConfigProto()\nconfig.gpu_options.allocator_type = 'BFC'\n"
    "config.graph_options.place_pruned_graph = False",
}
SHOW = (
    "\nimport json\nfrom google.protobuf import json_format\n"
    "print('CONFIG', json.dumps(json_format.MessageToDict(sess._config), sort_keys=True))\n"
)


@pytest.fixture(scope="module")
def simulated(tmp_path_factory, warm_on_gpus):
    """Returns a function that runs a program on two simulated GPUs, and returns the config that its Session got."""
    folder = tmp_path_factory.mktemp("native")

    def run(source: str) -> dict:
        script = folder / "program.py"
        script.write_text(source, encoding="utf-8")
        with simulator.machine(folder, (GPU_BYTES, GPU_BYTES)) as environment:
            done = warm_on_gpus.run(script, env=environment)
        assert done.returncode == 0, source + done.stdout + done.stderr
        return json.loads(done.stdout.split("CONFIG ")[1])

    return run


@pytest.mark.parametrize("shape", CONFIGS)
def test_tf_config_gets_the_settings_of_apply(shape, simulated):
    source = HEAD + CONFIGS[shape] + "\nsess = tf.compat.v1.Session(config=config)\n"
    result = rewrite(source.encode(), to="native").source.decode()
    assert "ConfigProto" not in result
    applied = "import tf1mem\n" + source.replace("sess = ", "tf1mem.apply(config)\nsess = ").replace(
        "(config=config)", "()"
    )
    expected, actual = simulated(applied + SHOW), simulated(result + SHOW)
    for config in (expected, actual):
        config.get("gpuOptions", {}).pop("allocatorType", None)
        config.get("graphOptions", {}).pop("placePrunedGraph", None)
    assert actual == expected


def test_fraction_is_a_limit_of_that_size(simulated):
    source = HEAD + with_config("config.gpu_options.per_process_gpu_memory_fraction = 0.3")
    result = rewrite(source.encode(), to="native", gpu_memory_mib=GPU_BYTES >> 20).source.decode()
    devices = simulated(result + SHOW)["gpuOptions"]["experimental"]["virtualDevices"]
    limits = [limit for device in devices for limit in device["memoryLimitMb"]]
    assert len(limits) == 2
    assert all(0 <= 0.3 * 1024 - limit < 2 for limit in limits)


def test_every_written_name_exists(simulated):
    """Every name that the target writes exists, in TensorFlow itself and in compat.v1."""
    written = [
        "config.list_physical_devices", "config.set_visible_devices", "config.experimental.set_memory_growth",
        "config.LogicalDeviceConfiguration", "config.set_logical_device_configuration",
        "config.set_soft_device_placement", "debugging.set_log_device_placement",
        "config.threading.set_intra_op_parallelism_threads", "config.threading.set_inter_op_parallelism_threads",
        "config.optimizer.set_jit", "config.optimizer.set_experimental_options", *NAMES.values(),
    ]  # fmt: skip
    program = "sess = tf.compat.v1.Session()\n" + "".join(f"tf.{name}\ntf.compat.v1.{name}\n" for name in written)
    ast.parse(program)
    simulated(HEAD + program + SHOW)
