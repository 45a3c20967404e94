"""TensorFlow's own files: programs find TensorFlow 1's names in them, wherever the objects are today."""

import pytest

from tests.marks import NEEDS_KERAS_2
from tf1mem.machine.tensorflow import installed_version

WARM = ["tf1mem.v1"]


def test_names_that_are_public_are_the_public_objects(scenario):
    scenario(
        """
        import tf1mem.v1 as tf
        from tf1mem.v1.python.framework import graph_util, ops, tensor_shape
        from tf1mem.v1.python.framework.ops import IndexedSlices, Tensor
        from tf1mem.v1.python.ops import array_ops, control_flow_ops, math_ops, variable_scope, variables
        from tf1mem.v1.python.training import checkpoint_management
        assert Tensor is ops.Tensor is tf.Tensor and IndexedSlices is tf.IndexedSlices
        assert array_ops.stack is tf.stack and control_flow_ops.cond is tf.cond
        assert control_flow_ops.while_loop is tf.while_loop and variables.VariableV1 is tf.Variable
        assert graph_util.convert_variables_to_constants is tf.graph_util.convert_variables_to_constants
        assert checkpoint_management.latest_checkpoint is tf.train.latest_checkpoint
        assert tensor_shape.TensorShape is tf.TensorShape and variable_scope.get_variable is tf.get_variable

        x = array_ops.placeholder("float32", [2])
        total = control_flow_ops.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a + x), [0, x])[1]
        chosen = control_flow_ops.cond(math_ops.reduce_sum(x) > 1, lambda: total, lambda: x)
        with tf.Session() as sess:
            assert sess.run(array_ops.stack([chosen, x]), {x: [1, 2]}).tolist() == [[4, 8], [1, 2]]
        """
    )


@pytest.mark.skipif(installed_version().release[0] < 2, reason="on TensorFlow 1 the modules are its own")
@NEEDS_KERAS_2
def test_attributes_of_the_package_are_the_public_namespaces(scenario):
    scenario(
        """
        import tf1mem.v1 as tf
        import tf1mem.v1.python.layers as as_package
        from tf1mem.v1 import python
        from tf1mem.v1.python import app, errors, flags, gfile, image, layers, logging, losses, metrics, nn, test, train
        from tf1mem.v1.python.layers import core, layers as file
        # On TensorFlow 1 the attribute `layers` was the file layers.py, and the package of that name could be imported.
        for module in (as_package, python.layers, layers, file):
            assert module.conv2d is tf.layers.conv2d and module.Dense is tf.layers.Dense
            assert module.batch_normalization is tf.layers.batch_normalization
        assert core.dense is tf.layers.dense
        assert train.AdamOptimizer is tf.train.AdamOptimizer and nn.relu is tf.nn.relu
        assert losses.log_loss is tf.losses.log_loss and metrics.auc is tf.metrics.auc
        assert errors.OpError is tf.errors.OpError and gfile.GFile is tf.gfile.GFile and test.TestCase
        try:
            from tf1mem.v1.python import nosuchname
        except ImportError:
            pass
        else:
            raise AssertionError("no error")
        """
    )


def test_renamed_objects(scenario):
    scenario(
        """
        import tf1mem.v1 as tf
        if VERSION < (1, 15):
            sys.exit()
        from tf1mem.v1.python.eager import context, execution_callbacks
        from tf1mem.v1.python.ops import custom_gradient, nn_impl
        from tf1mem.v1.python.training.experimental import mixed_precision
        from tf1mem.v1.python.training.tracking import graph_view

        x, w = tf.placeholder(tf.float32, [2]), tf.get_variable("w", [2])
        assert [one.name for one in custom_gradient.get_dependent_variables([x], [x * w])] == ["w:0"]
        with tf.Session() as sess:
            assert abs(sess.run(nn_impl.l2_normalize_v2(x, axis=0), {x: [3, 4]}) - [0.6, 0.8]).max() < 1e-6
        for name in ("disable_mixed_precision_graph_rewrite", "enable_mixed_precision_graph_rewrite"):
            assert callable(getattr(mixed_precision, name))
        from tf1mem.v1.core.protobuf import config_pb2
        config = config_pb2.ConfigProto(rpc_options=config_pb2.RPCOptions(use_rpc_for_inprocess_master=True))
        assert tf.ConfigProto.FromString(config.SerializeToString()).rpc_options.use_rpc_for_inprocess_master
        assert config_pb2.ConfigProto is tf.ConfigProto or TF1
        checkpoint = tf.train.Checkpoint(step=w)
        assert graph_view.ObjectGraphView(checkpoint).root is checkpoint

        def raised():
            with context.eager_mode(), execution_callbacks.errstate(inf_or_nan="raise"):
                return tf.constant(1.0) / tf.constant(0.0)
        try:
            raised()
        except execution_callbacks.InfOrNanError as error:
            assert error.op_type == "RealDiv"
        else:
            raise AssertionError

        from tf1mem.v1.python.ops.parallel_for.test_util import PForTestCase
        class Case(PForTestCase):
            def runTest(self):
                loop = lambda i: tf.cast(i, tf.int64) * 2
                self._test_loop_fn(loop, 3, tf.int64)
                self._test_loop_fn(loop, 3, loop_fn_dtypes=tf.int64, parallel_iterations=2)
        result = Case().run()
        assert result is None or result.wasSuccessful(), (result.errors, result.failures)
        if not KERAS_3 or has("tf_keras"):
            from tf1mem.v1.python.layers import utils
            end = x * 2
            assert utils.get_reachable_from_inputs([x], [end]) >= {x, end}
        if not TF1:
            from tf1mem.v1.python import pywrap_tensorflow
            assert pywrap_tensorflow.TF_bfloat16_type() is tf.bfloat16.as_numpy_dtype
        from tf1mem.v1.python.framework import function
        drawn = tf.random_uniform([], maxval=7, dtype=tf.int32)
        @function.Defun(capture_by_value=True, whitelisted_stateful_ops={drawn.op})
        def twice():
            return 2 * drawn
        assert tf.Session().run(twice()) in range(0, 14, 2)
        """
    )


def test_other_names_are_in_the_file_that_they_moved_to(scenario):
    scenario(
        """
        import tf1mem.v1 as tf
        from tf1mem.v1.python.framework import func_graph, ops, tensor_shape, tensor_util
        from tf1mem.v1.python.ops import control_flow_ops
        from tf1mem.v1.python.training import gen_training_ops
        from tf1mem.v1.python.util import nest
        assert nest.is_sequence([1]) and not nest.is_sequence("ab")
        assert callable(gen_training_ops.apply_adam)
        if VERSION >= (1, 15):  # of TensorFlow 1 that has them by itself
            assert tensor_util.maybe_set_static_shape and func_graph.AutomaticControlDependencies
            from tf1mem.v1.python.training.tracking.base import Trackable
            assert issubclass(tf.train.Checkpoint, Trackable)
            from tf1mem.v1.python.training.tracking import tracking
            assert issubclass(tracking.TrackableResource, tracking.CapturableResource)
        if not TF1:  # a name of 1.8's, and a file of 1.13's
            ops.set_shapes_for_outputs(tf.zeros([2, 3]).op)
            from tf1mem.v1.python.training.checkpointable.base import CheckpointInitialValue
        # Removed functions that only did this.
        assert tensor_shape.scalar().as_list() == [] and tensor_shape.vector(3).as_list() == [3]
        assert tensor_shape.matrix(2, None).as_list() == [2, None]
        assert ops.RegisterShape("Mine")(len) is len
        from tf1mem.v1.python.util import tf_export
        from tf1mem.v1.python.util.tf_export import estimator_export
        for api in ("tf", "estimator", *(["keras"] if VERSION >= (1, 14) else [])):
            mine, name = (lambda: 1), api + ".mine"
            assert getattr(tf_export, api + "_export")(name, v1=[name], overrides=[])(mine) is mine
        estimator_export("estimator.MINE").export_constant(__name__, "MINE")
        from tf1mem.v1.python.framework import common_shapes
        op = (tf.zeros([2, 3]) + tf.placeholder(tf.float32)).op
        functions = [getattr(common_shapes, name + "_shape") for name in ("unchanged", "scalar", "unknown")]
        assert [str(shape) for function in functions for shape in function(op)] == ["(2, 3)", "()", "<unknown>"]
        assert common_shapes.no_outputs(op) == []
        (shape,) = common_shapes.call_cpp_shape_fn(tf.zeros([2, 3]).op)["shapes"]
        assert tf.TensorShape(shape).as_list() == [2, 3]
        from tf1mem.v1.python.eager import function
        twice = function.defun(lambda x: 2 * x)(tf.constant(3))
        assert tf.Session().run(twice) == 6
        from tf1mem.v1.python.framework import test_util
        class Some(test_util.TensorFlowTestCase):
            @test_util.run_in_graph_and_eager_modes(reset_test=True)
            def runTest(self):
                modes.append(tf.executing_eagerly())
        modes = []
        Some().debug()
        assert sorted(modes) == [False, True]
        error = raised(AttributeError, getattr, control_flow_ops, "no_such_name")
        assert "no_such_name" in str(error)
        # Names with an underscore that programs use nevertheless.
        from tf1mem.v1.python.ops import resource_variable_ops
        with tf.Session() as sess:
            assert ops._default_session_stack.get_default() is sess
            variable = resource_variable_ops.ResourceVariable(1.0, name="v")
            written = resource_variable_ops._to_proto_fn(variable)
            assert resource_variable_ops._from_proto_fn(written).name == variable.name == "v:0"
        # Removed names raise an error that says so, by every kind of import.
        if VERSION >= (2, 16):
            from tf1mem.errors import RemovedModuleError, RemovedSymbolError
            from tf1mem.v1.python.distribute import values
            assert "distribute_utils" in str(raised(RemovedSymbolError, getattr, values, "regroup"))
            gone = raised(RemovedModuleError, run, "from tf1mem.v1.python.tpu import session_support")
            assert "program.py:1" in str(gone) and "TPUs" in str(gone)
            assert "TPUs" in str(raised(RemovedModuleError, run, "import tf1mem.v1.python.tpu.session_support"))
        """
    )


def test_tf2_enabled_follows_calls_and_the_environment(scenario):
    scenario(
        """
        if VERSION < (1, 15):  # of TensorFlow 1 that has it so by itself
            sys.exit()
        import tf1mem.v1 as tf
        from tf1mem.v1.python import tf2
        assert not tf2.enabled()
        tf2._force_enable = None
        os.environ.pop("TF2_BEHAVIOR", None)  # TensorFlow 2 sets it itself
        for environment, wanted in ((None, False), ("1", True), ("0", False)):
            if environment is not None:
                os.environ["TF2_BEHAVIOR"] = environment
            assert tf2.enabled() is wanted
            for tell, told in ((tf2.enable, True), (tf2.disable, False)):
                tell()
                assert tf2.enabled() is told is tf2._force_enable
            tf2._force_enable = None
        assert not tf2.enabled()
        if VERSION > (2, 0):  # before that TensorFlow's own `tensorflow.python.tf2` is loaded twice
            tf.enable_v2_behavior()
            assert tf2.enabled()
            tf.disable_v2_behavior()
            assert not tf2.enabled()
        """
    )


def test_wrappers_of_ops_that_tensorflow_1_generated(scenario):
    scenario(
        """
        import tf1mem.v1 as tf
        from tf1mem.v1.core.framework import op_def_pb2
        from tf1mem.v1.python.framework import op_def_library, op_def_registry
        from tf1mem.v1.python.ops import gen_control_flow_ops, gen_math_ops
        from google.protobuf import text_format
        op_list = text_format.Parse(
            "op { name: 'Squeeze' input_arg { name: 'input' type_attr: 'T' }"
            "     output_arg { name: 'output' type_attr: 'T' } attr { name: 'T' type: 'type' }"
            "     attr { name: 'squeeze_dims' type: 'list(int)' default_value { list {} } has_minimum: true } }",
            op_def_pb2.OpList(),
        )
        if not TF1 and VERSION > (2, 0):
            op_def_registry.register_op_list(op_list)
            op_def_registry.register_op_list(op_list)
            other = op_def_pb2.OpList()
            other.CopyFrom(op_list)
            other.op[0].input_arg[0].name = "another"
            assert "Squeeze" in str(raised(ValueError, op_def_registry.register_op_list, other))
        library = op_def_library.OpDefLibrary()
        library.add_op_list(op_list)
        result = library.apply_op("Squeeze", input=[[[3]]], squeeze_dims=[0], name="mine")
        assert result.name == "mine:0" and tf.Session().run(result).tolist() == [[3]]
        assert "Unrecognized" in str(raised(RuntimeError, library.apply_op, "Add", x=1, y=2))
        assert "twice" in str(raised(RuntimeError, library.add_op_list, op_list))
        raised(TypeError, library.add_op_list, op_list.op[0])
        for words, change in (
            ("one type field", "output_arg { name: 'more' }"),
            ("missing attr", "output_arg { name: 'more' type: DT_INT32 number_attr: 'N' }"),
            ("has type", "output_arg { name: 'more' type_attr: 'squeeze_dims' }"),
        ):
            wrong = text_format.Parse(text_format.MessageToString(op_list.op[0]) + change, op_def_pb2.OpDef())
            wrong.name = "Wrong"
            assert words in str(raised(TypeError, library.add_op, wrong))

        registered = op_def_registry.get_registered_ops()
        assert registered["Conv2D"].input_arg[1].name == "filter" and "Conv2D" in registered.keys()
        ops = gen_control_flow_ops._op_def_lib._ops
        assert "Switch" in ops and "Add" not in ops
        assert tf.Session().run(gen_math_ops._op_def_lib.apply_op("Neg", x=2.0)) == -2
        """
    )


def test_keras_and_estimators_are_those_of_the_public_names(scenario):
    scenario(
        """
        import tf1mem.v1 as tf
        if KERAS_3 and not (has("tf_keras") and has("tensorflow_estimator")):
            sys.exit()
        from tf1mem.v1.python.keras import backend, layers
        from tf1mem.v1.python.keras.engine.training import Model
        from tf1mem.v1.python.keras.layers import GRU, LSTM
        from tf1mem.v1.python.keras.layers.core import Dense
        from tf1mem.v1.python.keras.preprocessing.sequence import pad_sequences
        assert issubclass(Model, tf.keras.Model) and Dense is layers.Dense is tf.keras.layers.Dense
        assert GRU is tf.keras.layers.GRU and LSTM is tf.keras.layers.LSTM
        assert pad_sequences([[1], [2, 3]]).tolist() == [[0, 1], [2, 3]]
        backend.set_session(tf.Session())
        from tf1mem.v1.python.layers import base, core
        from tf1mem.v1.python.ops import rnn, rnn_cell_impl
        assert core.Dense is tf.layers.Dense and base.Layer is tf.layers.Layer
        assert rnn_cell_impl.LSTMCell is tf.nn.rnn_cell.LSTMCell and rnn.dynamic_rnn is tf.nn.dynamic_rnn
        from tf1mem.v1.python.estimator import estimator_lib, run_config
        from tf1mem.v1.python.estimator.estimator import Estimator
        from tf1mem.v1.python.estimator.model_fn import EstimatorSpec, ModeKeys
        assert Estimator is estimator_lib.Estimator is tf.estimator.Estimator
        assert EstimatorSpec is tf.estimator.EstimatorSpec and ModeKeys.TRAIN == tf.estimator.ModeKeys.TRAIN
        assert TF1 or run_config.RunConfig is tf.estimator.RunConfig
        from tf1mem.v1.python.distribute import estimator_training
        assert not estimator_training.should_run_distribute_coordinator(tf.estimator.RunConfig())
        """
    )


def test_tensorflow_calls_a_programs_replacement_of_a_function(scenario):
    scenario(
        """
        from unittest import mock
        import tf1mem.v1 as tf
        from tf1mem.v1.python.ops import array_ops, math_ops
        original, called = array_ops.zeros, []

        def zeros(*args, **kwargs):
            called.append(args)
            return original(*args, **kwargs)

        with mock.patch.object(array_ops, "zeros", zeros):
            tf.zeros_initializer()([2])
        assert called and array_ops.zeros is original
        tf.zeros_initializer()([2])
        assert len(called) == 1
        array_ops.zeros = zeros
        tf.zeros_initializer()([2])
        assert len(called) == 2

        # A value that is no function is read from the module that TensorFlow sets it in, whoever has set it before.
        if VERSION == (1, 14):  # it makes no second context after that of enable_eager_execution
            sys.exit()
        from tf1mem.v1.python.eager import context
        before = context.context()
        context._context = None
        context.context()
        assert context._context is not None and context._context is not before
        with mock.patch.object(context, "_context", before):
            assert context.context() is before
        assert context._context is not before
        """
    )
