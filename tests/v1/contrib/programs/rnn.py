"""Programs that use tf.contrib.rnn."""

from importlib import import_module

from tests.v1.contrib.values import numbers


def _state(tf, size):
    """Returns a state of constants, in the nested form of a state size."""
    leaves = tf.nest.flatten(size)
    tensors = []
    for i, leaf in enumerate(leaves):
        shape = leaf.as_list() if hasattr(leaf, "as_list") else [leaf]
        tensors.append(tf.constant(numbers(2, *shape, seed=20 + i)))
    return tf.nest.pack_sequence_as(size, tensors)


def _steps(tf, cell, columns=4, dtype="float32", scope=None):
    """Runs two steps of a cell with the same variables; returns the outputs and states."""
    state = _state(tf, cell.state_size)
    outputs = []
    with tf.variable_scope(scope or "net") as here:
        for step in range(2):
            if step:
                here.reuse_variables()
            output, state = cell(tf.constant(numbers(2, columns, seed=step)), state)
            outputs.append(output)
    return outputs, state


def _deep(tf, path):
    return import_module(tf.__name__ + ".contrib.rnn.python.ops." + path)


def _layer_by_layer(tf, rnn, inputs, **keywords):
    def cells():
        return [tf.nn.rnn_cell.GRUCell(3), tf.nn.rnn_cell.GRUCell(2)]

    return rnn(cells(), cells(), inputs, dtype=tf.float32, **keywords)


def stacked_bidirectional_rnns(tf):
    inputs = [tf.constant(numbers(2, 4, seed=step)) for step in range(3)]
    lengths = tf.constant([3, 1])
    first = [[tf.constant(numbers(2, n, seed=n + i)) for n in (3, 2)] for i in range(2)]
    return {
        "static": _layer_by_layer(tf, tf.contrib.rnn.stack_bidirectional_rnn, inputs),
        "dynamic": _layer_by_layer(
            tf,
            tf.contrib.rnn.stack_bidirectional_dynamic_rnn,
            tf.stack(inputs, 1),
            sequence_length=lengths,
            initial_states_fw=first[0],
            initial_states_bw=first[1],
            scope="dynamic",
        ),
        "time first": _layer_by_layer(
            tf, tf.contrib.rnn.stack_bidirectional_dynamic_rnn, tf.stack(inputs), time_major=True, scope="time"
        ),
    }


def shapes(tf):
    x = tf.constant(numbers(2, 3, 4))
    return {
        "transposed": tf.contrib.rnn.transpose_batch_time(x),
        "examples": tf.contrib.rnn.best_effort_input_batch_size([x]),
        "is a cell": issubclass(tf.contrib.rnn.BasicLSTMCell, tf.contrib.rnn.LayerRNNCell),
    }


def linear(tf):
    core = _deep(tf, "core_rnn_cell")
    x, y = tf.constant(numbers(2, 3)), tf.constant(numbers(2, 4, seed=1))
    with tf.variable_scope("both", initializer=tf.ones_initializer()):
        both = core._linear([x, y], 2, True, bias_initializer=tf.constant_initializer(0.5))
    with tf.variable_scope("one"):
        product = core._linear(x, 2, False, kernel_initializer=tf.zeros_initializer())
    return both, product, core._Linear(y, 3, True)(y)


def projection_wrappers(tf):
    gru = tf.nn.rnn_cell.GRUCell
    projecting = tf.contrib.rnn.InputProjectionWrapper(gru(3), 5, activation=tf.nn.relu)
    plain = tf.contrib.rnn.InputProjectionWrapper(gru(3), 5)
    gives = tf.contrib.rnn.OutputProjectionWrapper(gru(3), 5, activation=tf.tanh)
    return [
        _steps(tf, projecting),
        _steps(tf, plain, scope="plain"),
        _steps(tf, gives, scope="gives"),
        [gives.output_size, gives.state_size, gives.zero_state(2, tf.float32)],
    ]


def embedding_wrapper(tf):
    lstm = tf.contrib.rnn.EmbeddingWrapper(tf.nn.rnn_cell.BasicLSTMCell(3), embedding_classes=5, embedding_size=4)
    with tf.variable_scope("lstm"):
        first = lstm(tf.constant([[1], [4]]), lstm.zero_state(2, tf.float32))
    initialized = tf.contrib.rnn.EmbeddingWrapper(tf.nn.rnn_cell.GRUCell(3), 5, 4, tf.ones_initializer())
    return first, initialized(tf.constant([1, 4]), tf.zeros([2, 3]))


def wrapper_errors(tf):
    errors = []
    for make in (
        lambda: tf.contrib.rnn.OutputProjectionWrapper(object(), 3),
        lambda: tf.contrib.rnn.EmbeddingWrapper(tf.nn.rnn_cell.GRUCell(3), 0, 4),
        lambda: tf.contrib.rnn.OutputProjectionWrapper(tf.nn.rnn_cell.GRUCell(3), 0),
        lambda: tf.contrib.rnn.AttentionCellWrapper(tf.nn.rnn_cell.GRUCell(3), 0),
        lambda: tf.contrib.rnn.stack_bidirectional_rnn([], [tf.nn.rnn_cell.GRUCell(3)], []),
        tf.contrib.rnn.GRUBlockCell,
        lambda: tf.contrib.rnn.GridLSTMCell(3),
        lambda: tf.contrib.rnn.GLSTMCell(3, number_of_groups=2),
        lambda: tf.contrib.rnn.ConvLSTMCell(1, [4, 4, 1], 1, [3]),
    ):
        try:
            make()
        except (TypeError, ValueError) as error:
            errors.append(type(error).__name__)
    return errors


def attention(tf):
    cell = tf.contrib.rnn.AttentionCellWrapper(tf.nn.rnn_cell.BasicLSTMCell(3), 2)
    other = tf.contrib.rnn.AttentionCellWrapper(
        tf.nn.rnn_cell.GRUCell(3), 2, attn_size=4, attn_vec_size=5, input_size=2, state_is_tuple=False
    )
    return _steps(tf, cell), _steps(tf, other, scope="other"), cell.zero_state(2, tf.float32)


def highway(tf):
    coupled = tf.contrib.rnn.HighwayWrapper(tf.nn.rnn_cell.GRUCell(4))
    apart = tf.contrib.rnn.HighwayWrapper(tf.nn.rnn_cell.BasicLSTMCell(4), False, carry_bias_init=0.5)
    return _steps(tf, coupled), _steps(tf, apart, scope="apart"), apart.zero_state(2, tf.float32)


def compiled_wrapper(tf):
    cell = tf.contrib.rnn.CompiledWrapper(tf.nn.rnn_cell.GRUCell(3))
    steps = _steps(tf, cell)
    marked = sorted({op.type for op in tf.get_default_graph().get_operations() if "_XlaCompile" in op.node_def.attr})
    return steps, "MatMul" in marked


def fused_rnn_adaptors(tf):
    x = tf.constant(numbers(3, 2, 4))
    cell = tf.nn.rnn_cell.GRUCell(3)
    lengths = tf.constant([3, 1])
    plain = tf.contrib.rnn.FusedRNNCellAdaptor(cell)
    looped = tf.contrib.rnn.FusedRNNCellAdaptor(cell, use_dynamic_rnn=True)
    reverse = tf.contrib.rnn.TimeReversedFusedRNN(plain)
    with tf.variable_scope("net", reuse=tf.AUTO_REUSE) as scope:
        return [
            plain(x, dtype=tf.float32, scope=scope),
            plain(tf.unstack(x), dtype=tf.float32, scope=scope),
            looped(x, dtype=tf.float32, sequence_length=lengths, scope=scope),
            looped(tf.unstack(x), tf.zeros([2, 3]), scope=scope),
            reverse(x, dtype=tf.float32, scope=scope),
            reverse(x, dtype=tf.float32, sequence_length=lengths, scope=scope),
            reverse(tf.unstack(x), dtype=tf.float32, scope=scope),
            isinstance(plain, tf.contrib.rnn.FusedRNNCell),
        ]


def block_cells(tf):
    return [
        _steps(tf, tf.contrib.rnn.LSTMBlockCell(3)),
        _steps(tf, tf.contrib.rnn.LSTMBlockCell(3, forget_bias=0.5, cell_clip=0.2, use_peephole=True), scope="p"),
        _steps(tf, tf.contrib.rnn.GRUBlockCell(3), scope="gru"),
        _steps(tf, tf.contrib.rnn.GRUBlockCellV2(num_units=3), scope="gru2"),
    ]


def block_fused_cell(tf):
    x = tf.constant(numbers(3, 2, 4))
    cell = tf.contrib.rnn.LSTMBlockFusedCell(3)
    peepholes = tf.contrib.rnn.LSTMBlockFusedCell(3, forget_bias=0.0, cell_clip=0.1, use_peephole=True, name="other")
    state = (tf.constant(numbers(2, 3, seed=1)), tf.constant(numbers(2, 3, seed=2)))
    with tf.variable_scope("net"):
        return [
            cell(x, dtype=tf.float32),
            peepholes(x, state, sequence_length=tf.constant([2, 0])),
            [cell.num_units, isinstance(cell, tf.contrib.rnn.LSTMBlockWrapper)],
        ]


def block_ops(tf):
    ops = _deep(tf, "lstm_ops")
    x = [tf.constant(numbers(2, 4, seed=step)) for step in range(3)]
    w, b = tf.constant(numbers(7, 12)), tf.constant(numbers(12))
    c, h = tf.constant(numbers(2, 3, seed=1)), tf.constant(numbers(2, 3, seed=2))
    return [
        ops._lstm_block_cell(x[0], c, h, w, b, forget_bias=1.0, cell_clip=0, use_peephole=False),
        ops._block_lstm(tf.constant(3, tf.int64), x, w, b, forget_bias=1.0, cell_clip=0, use_peephole=False),
    ]


def coupled_gates(tf):
    cell = tf.contrib.rnn.CoupledInputForgetGateLSTMCell
    return [
        _steps(tf, cell(3)),
        _steps(tf, cell(3, use_peepholes=True, num_proj=2, proj_clip=0.1, num_unit_shards=2), scope="peepholes"),
        _steps(tf, cell(3, state_is_tuple=False, num_proj=2, num_proj_shards=2), scope="flat"),
        _steps(tf, cell(3, layer_norm=True, norm_gain=0.5, norm_shift=0.1), scope="normalized"),
    ]


def time_freq_lstm(tf):
    outputs = []
    for cell, scope in (
        (tf.contrib.rnn.TimeFreqLSTMCell(2, feature_size=2, frequency_skip=2), "plain"),
        (tf.contrib.rnn.TimeFreqLSTMCell(2, True, 0.3, feature_size=3, num_unit_shards=2), "peepholes"),
    ):
        with tf.variable_scope(scope):
            outputs.append(cell(tf.constant(numbers(2, 4)), tf.constant(numbers(2, 8, seed=1))))
    return outputs


def grid_lstm(tf):
    cell = tf.contrib.rnn.GridLSTMCell
    blocks = {"start_freqindex_list": [0, 3], "end_freqindex_list": [4, 6], "num_frequency_blocks": [2, 1]}
    return [
        _steps(tf, cell(2, feature_size=2, frequency_skip=2, num_frequency_blocks=[3]), 6),
        _steps(tf, cell(2, True, feature_size=3, frequency_skip=1, cell_clip=0.2, **blocks), 6, scope="blocks"),
        _steps(
            tf,
            cell(2, True, True, feature_size=2, frequency_skip=2, num_frequency_blocks=[2], num_unit_shards=2),
            scope="shared",
        ),
        _steps(
            tf,
            cell(
                2,
                True,
                feature_size=2,
                frequency_skip=2,
                num_frequency_blocks=[2],
                couple_input_forget_gates=True,
                state_is_tuple=False,
            ),
            scope="coupled",
        ),
    ]


def bidirectional_grid_lstm(tf):
    outputs = []
    for offset in (0, 1, -1):
        cell = tf.contrib.rnn.BidirectionalGridLSTMCell(
            2, True, feature_size=2, frequency_skip=2, num_frequency_blocks=[2], backward_slice_offset=offset
        )
        outputs.append(
            [_steps(tf, cell, scope="net%d" % (offset + 1)), cell.output_size, list(cell.state_tuple_type._fields)]
        )
    return outputs


def layer_norm_lstm(tf):
    cell = tf.contrib.rnn.LayerNormBasicLSTMCell
    kept = tf.contrib.rnn.LayerNormBasicLSTMCell(3, dropout_keep_prob=tf.constant(1.0))
    return [
        _steps(tf, cell(3, forget_bias=0.5, norm_gain=0.9, norm_shift=0.1)),
        _steps(tf, cell(3, layer_norm=False, activation=tf.nn.relu), scope="plain"),
        _steps(tf, kept, scope="kept"),
    ]


def layer_norm_lstm_with_every_option(tf):
    cell = _deep(tf, "rnn_cell").LayerNormLSTMCell
    return [
        _steps(tf, cell(3, layer_norm=True, use_peepholes=True, cell_clip=0.3, num_proj=2, proj_clip=0.2)),
        _steps(tf, cell(3, initializer=tf.constant_initializer(0.1)), scope="plain"),
    ]


def weight_norm_lstm(tf):
    cell = _deep(tf, "rnn_cell").WeightNormLSTMCell
    return [
        _steps(tf, cell(3, use_peepholes=True, cell_clip=0.3, num_proj=2, proj_clip=0.2)),
        _steps(tf, cell(3, norm=False, forget_bias=0), scope="plain"),
    ]


def nas_ugrnn_intersection_and_sru_cells(tf):
    nas = tf.contrib.rnn.NASCell
    return {
        "nas": _steps(tf, nas(3)),
        "projected": _steps(tf, nas(3, num_proj=2, use_bias=True), scope="projected"),
        "update": _steps(tf, tf.contrib.rnn.UGRNNCell(3, forget_bias=0.5), scope="update"),
        "intersection": _steps(tf, tf.contrib.rnn.IntersectionRNNCell(4), scope="intersection"),
        "other columns": _steps(tf, tf.contrib.rnn.IntersectionRNNCell(3, num_in_proj=3), scope="other"),
        "simple": _steps(tf, tf.contrib.rnn.SRUCell(4), scope="simple"),
        "minimal": _steps(tf, _deep(tf, "rnn_cell").MinimalRNNCell(3), scope="minimal"),
        "chaos free": _steps(tf, _deep(tf, "rnn_cell").CFNCell(3), scope="chaos_free"),
    }


def independent_cells(tf):
    ones = tf.ones_initializer()
    return {
        "plain": _steps(tf, tf.contrib.rnn.IndRNNCell(3)),
        "gru": _steps(tf, tf.contrib.rnn.IndyGRUCell(3), scope="gru"),
        "initialized": _steps(
            tf, tf.contrib.rnn.IndyGRUCell(3, kernel_initializer=ones, bias_initializer=ones), scope="initialized"
        ),
        "lstm": _steps(tf, tf.contrib.rnn.IndyLSTMCell(3, forget_bias=0.5), scope="lstm"),
    }


def group_lstm(tf):
    cell = tf.contrib.rnn.GLSTMCell
    return [
        _steps(tf, cell(4, number_of_groups=2)),
        _steps(tf, cell(4, num_proj=2, number_of_groups=2, activation=tf.nn.relu), scope="projected"),
    ]


def phased_lstm(tf):
    outputs = []
    for peepholes in (False, True):
        cell = tf.contrib.rnn.PhasedLSTMCell(3, use_peepholes=peepholes, ratio_on=0.5, trainable_ratio_on=peepholes)
        time = tf.constant([[0.2], [7.5]])
        with tf.variable_scope("net%d" % peepholes):
            outputs.append(cell((time, tf.constant(numbers(2, 4))), _state(tf, cell.state_size)))
    return outputs


def convolutional_lstms(tf):
    rows = tf.contrib.rnn.Conv1DLSTMCell(input_shape=[5, 2], output_channels=3, kernel_shape=[3])
    images = tf.contrib.rnn.Conv2DLSTMCell(
        input_shape=[4, 4, 1], output_channels=2, kernel_shape=[3, 3], skip_connection=True, use_bias=False
    )
    volumes = tf.contrib.rnn.Conv3DLSTMCell(input_shape=[2, 2, 2, 1], output_channels=1, kernel_shape=[2, 2, 2])
    plain = tf.contrib.rnn.ConvLSTMCell(1, [5, 2], 3, [3], name="plain")
    outputs = []
    for cell, shape in ((rows, [5, 2]), (images, [4, 4, 1]), (volumes, [2, 2, 2, 1]), (plain, [5, 2])):
        outputs.append([cell(tf.constant(numbers(2, *shape)), _state(tf, cell.state_size)), cell.output_size])
    return outputs


def memory(tf):
    cells = _deep(tf, "rnn_cell")
    states = []
    for read, write in ((1, 1), (2, 1)):
        cell = cells.NTMCell(tf.nn.rnn_cell.BasicLSTMCell(3), 5, 4, read, write, output_dim=2)
        state = cell.zero_state(2, tf.float32)
        with tf.variable_scope("heads%d" % read):
            for step in range(2):
                output, state = cell(tf.constant(numbers(2, 3, seed=step)), state)
        states.append([output, state.M, state.w_list, state.read_vector_list])
    # The initial memory is so small that the gradient of its variable is mostly rounding errors.
    variables = [variable for variable in tf.trainable_variables() if "/memory" not in variable.name]
    gradients = tf.gradients([output for output, *_ in states], variables)
    return lambda sess: sess.run([states, gradients])


def cells_in_a_while_loop(tf):
    x, lengths = tf.constant(numbers(2, 4, 4)), tf.constant([4, 2])
    cells = [
        tf.contrib.rnn.LayerNormBasicLSTMCell(4),
        tf.contrib.rnn.HighwayWrapper(tf.contrib.rnn.LSTMBlockCell(4)),
        _deep(tf, "rnn_cell").WeightNormLSTMCell(4),
        tf.contrib.rnn.AttentionCellWrapper(tf.contrib.rnn.GRUBlockCellV2(4), 2),
    ]
    return tf.nn.dynamic_rnn(tf.nn.rnn_cell.MultiRNNCell(cells), x, lengths, dtype=tf.float32)
