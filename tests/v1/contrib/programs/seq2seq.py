"""Programs that use tf.contrib.seq2seq."""

from importlib import import_module

from tests.v1.contrib.values import numbers

UNITS, BATCH, TIME, WORDS = 4, 2, 3, 5


def _memory(tf):
    return tf.constant(numbers(BATCH, TIME, UNITS)), tf.constant([3, 2])


def _steps(tf, cell, batch=BATCH):
    inputs = tf.constant(numbers(BATCH, TIME, 3, seed=1))
    outputs, state = tf.nn.dynamic_rnn(
        cell, inputs, [3, 2], initial_state=cell.zero_state(batch, tf.float32), dtype=tf.float32
    )
    return [outputs, state.attention, state.alignments, state.time]


def luong_attention(tf):
    memory, lengths = _memory(tf)
    attention = tf.contrib.seq2seq.LuongAttention(UNITS, memory, lengths, scale=True)
    cell = tf.contrib.seq2seq.AttentionWrapper(tf.nn.rnn_cell.LSTMCell(UNITS), attention, attention_layer_size=3)
    return _steps(tf, cell)


def luong_attention_with_hardmax(tf):
    memory, _ = _memory(tf)
    attention = tf.contrib.seq2seq.LuongAttention(UNITS, memory, probability_fn=tf.contrib.seq2seq.hardmax)
    cell = tf.contrib.seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(UNITS), attention, output_attention=False)
    return _steps(tf, cell)


def bahdanau_attention(tf):
    memory, lengths = _memory(tf)
    attention = tf.contrib.seq2seq.BahdanauAttention(UNITS, memory, lengths, normalize=True)
    cell = tf.contrib.seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(UNITS), attention, name="attentive")
    return _steps(tf, cell)


def two_mechanisms(tf):
    memory, lengths = _memory(tf)
    mechanisms = [
        tf.contrib.seq2seq.BahdanauAttention(3, memory, lengths),
        tf.contrib.seq2seq.LuongAttention(UNITS, memory[:, :2], score_mask_value=-5.0),
    ]
    are_mechanisms = [isinstance(each, tf.contrib.seq2seq.AttentionMechanism) for each in mechanisms]
    cell = tf.contrib.seq2seq.AttentionWrapper(
        tf.nn.rnn_cell.GRUCell(UNITS), mechanisms, attention_layer_size=[2, 3], alignment_history=True
    )
    state = cell.zero_state(BATCH, tf.float32)
    output, state = cell(tf.constant(numbers(BATCH, 3, seed=1)), state)
    return [are_mechanisms, output, [history.stack() for history in state.alignment_history], state.attention_state]


def bahdanau_monotonic_attention(tf):
    memory, lengths = _memory(tf)
    attention = tf.contrib.seq2seq.BahdanauMonotonicAttention(UNITS, memory, lengths, normalize=True)
    return _steps(tf, tf.contrib.seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(UNITS), attention))


def luong_monotonic_attention(tf):
    memory, _ = _memory(tf)
    attention = tf.contrib.seq2seq.LuongMonotonicAttention(
        UNITS, memory, scale=True, score_bias_init=0.5, mode="recursive"
    )
    return _steps(tf, tf.contrib.seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(UNITS), attention))


def monotonic_alignments(tf):
    chosen = tf.constant(abs(numbers(BATCH, TIME)))
    before = tf.constant([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]])
    modes = ("recursive", "parallel")
    alignments = {mode: tf.contrib.seq2seq.monotonic_attention(chosen, before, mode) for mode in modes}
    alignments["hard"] = tf.contrib.seq2seq.monotonic_attention(tf.round(chosen), before, "hard")
    alignments["product"] = tf.contrib.seq2seq.safe_cumprod(chosen, axis=1, exclusive=True)
    return alignments


def cloned_state(tf):
    memory, _ = _memory(tf)
    attention = tf.contrib.seq2seq.LuongAttention(UNITS, memory)
    start = tf.constant(numbers(BATCH, UNITS, seed=2))
    cell = tf.contrib.seq2seq.AttentionWrapper(
        tf.nn.rnn_cell.GRUCell(UNITS), attention, attention_layer=tf.layers.Dense(2), initial_cell_state=start
    )
    state = cell.zero_state(BATCH, tf.float32)
    unknown = tf.placeholder_with_default(start, [None, None])
    states = [state, state.clone(cell_state=start + 1), state.clone(cell_state=unknown)]
    try:
        state.clone(cell_state=start[:, 1:])
    except ValueError:
        states.append("ValueError")
    return [*states, isinstance(state, tf.contrib.seq2seq.AttentionWrapperState), cell.state_size]


def attention_memory_of_another_batch_size(tf):
    memory, _ = _memory(tf)
    attention = tf.contrib.seq2seq.LuongAttention(UNITS, memory)
    cell = tf.contrib.seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(UNITS), attention)
    try:
        cell.zero_state(BATCH * 2, tf.float32)
    except tf.errors.InvalidArgumentError:
        return "InvalidArgumentError"


def _decoded(tf, helper, steps=None, cell=None, **options):
    cell = cell or tf.nn.rnn_cell.GRUCell(UNITS)
    layer = tf.layers.Dense(WORDS, use_bias=False)
    start = cell.zero_state(BATCH, tf.float32)
    decoder = tf.contrib.seq2seq.BasicDecoder(cell, helper, start, layer)
    assert isinstance(decoder, tf.contrib.seq2seq.Decoder)
    assert isinstance(helper, tf.contrib.seq2seq.Helper)
    outputs, state, lengths = tf.contrib.seq2seq.dynamic_decode(decoder, maximum_iterations=steps, **options)
    return [outputs, state, lengths, isinstance(outputs, tf.contrib.seq2seq.BasicDecoderOutput)]


def training_helper(tf):
    helper = tf.contrib.seq2seq.TrainingHelper(numbers(BATCH, TIME, 3), [3, 2])
    return _decoded(tf, helper)


def training_helper_with_time_major_inputs(tf):
    helper = tf.contrib.seq2seq.TrainingHelper(numbers(TIME, BATCH, 3), [1, 2], time_major=True)
    decoded = _decoded(tf, helper, output_time_major=True, impute_finished=True, scope="down")
    return [*decoded, helper.inputs, helper.sequence_length]


def training_helper_with_attention(tf):
    memory, lengths = _memory(tf)
    attention = tf.contrib.seq2seq.BahdanauAttention(UNITS, memory, lengths)
    cell = tf.contrib.seq2seq.AttentionWrapper(
        tf.nn.rnn_cell.LSTMCell(UNITS), attention, attention_layer_size=3, alignment_history=True
    )
    helper = tf.contrib.seq2seq.TrainingHelper(numbers(BATCH, TIME, 3), [3, 2])
    outputs, state, lengths, _ = _decoded(tf, helper, cell=cell)
    return [outputs, state._replace(alignment_history=state.alignment_history.stack()), lengths]


def _embedding(tf):
    return tf.get_variable("embedding", initializer=numbers(WORDS, 3, seed=3))


def greedy_embedding_helper(tf):
    helper = tf.contrib.seq2seq.GreedyEmbeddingHelper(_embedding(tf), [1, 2], 0)
    return _decoded(tf, helper, 4)


def greedy_embedding_helper_without_steps(tf):
    helper = tf.contrib.seq2seq.GreedyEmbeddingHelper(tf.constant(numbers(WORDS, 3)), [1, 2], 0)
    outputs, _, lengths, _ = _decoded(tf, helper, tf.constant(0))
    return [outputs.sample_id, lengths]


def sample_embedding_helper(tf):
    table = _embedding(tf)
    helper = tf.contrib.seq2seq.SampleEmbeddingHelper(
        lambda ids: tf.nn.embedding_lookup(table, ids), [1, 2], 0, softmax_temperature=0.001, seed=1
    )
    return _decoded(tf, helper, 3)


def scheduled_embedding_training_helper(tf):
    decoded = []
    for name, probability in (("never", 0.0), ("sometimes", 0.5), ("always", 1.0)):
        with tf.variable_scope(name):
            helper = tf.contrib.seq2seq.ScheduledEmbeddingTrainingHelper(
                numbers(BATCH, TIME, 3), [3, 2], _embedding(tf), probability, seed=1, scheduling_seed=2
            )
            decoded.append(_decoded(tf, helper))
    return decoded


def scheduled_output_training_helper(tf):
    decoded = []
    auxiliary = numbers(BATCH, TIME, 2, seed=4)
    for name, probability, options in (
        ("itself", 1.0, {}),
        ("joined", 1.0, {"auxiliary_inputs": auxiliary}),
        ("changed", 0.5, {"next_inputs_fn": tf.square, "auxiliary_inputs": auxiliary}),
    ):
        with tf.variable_scope(name):
            helper = tf.contrib.seq2seq.ScheduledOutputTrainingHelper(
                numbers(BATCH, TIME, WORDS), [3, 2], probability, seed=1, **options
            )
            # Steps run one after another, so that each draws the same random numbers in every run.
            decoded += _decoded(tf, helper, parallel_iterations=1)
    return decoded


def inference_helper(tf):
    helper = tf.contrib.seq2seq.InferenceHelper(
        sample_fn=tf.tanh,
        sample_shape=[WORDS],
        sample_dtype=tf.float32,
        start_inputs=numbers(BATCH, WORDS),
        end_fn=lambda ids: tf.reduce_max(ids, 1) > 2,
        next_inputs_fn=lambda ids: ids * 2,
    )
    return _decoded(tf, helper, 3)


def custom_helper(tf):
    inputs = tf.constant(numbers(BATCH, 3))
    helper = tf.contrib.seq2seq.CustomHelper(
        initialize_fn=lambda: (tf.constant([False, False]), inputs),
        sample_fn=lambda time, outputs, state: tf.cast(tf.argmax(outputs, 1), tf.int32),
        next_inputs_fn=lambda time, outputs, state, sample_ids: (tf.fill([BATCH], time > 0), inputs * 0.5, state),
    )
    return _decoded(tf, helper)


def own_decoder(tf):
    class Counter(tf.contrib.seq2seq.Decoder):
        batch_size = property(lambda self: BATCH)
        output_size = property(lambda self: tf.TensorShape([]))
        output_dtype = property(lambda self: tf.int32)

        def initialize(self, name=None):
            return tf.constant([False, False]), tf.constant([1, 2]), tf.constant([0, 0])

        def step(self, time, inputs, state, name=None):
            return state, state + inputs, inputs, state > 3

    return tf.contrib.seq2seq.dynamic_decode(Counter(), impute_finished=True)


def sequence_loss(tf):
    logits = tf.get_variable("logits", initializer=numbers(BATCH, TIME, WORDS))
    targets, weights = tf.constant([[1, 2, 3], [4, 0, 1]]), tf.constant([[1.0, 0.5, 1.0], [2.0, 0.0, 0.0]])
    ways = [(1, 1, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 1), (0, 0, 1, 0), (0, 0, 0, 1), (0, 0, 0, 0)]
    losses = [tf.contrib.seq2seq.sequence_loss(logits, targets, weights, *map(bool, way)) for way in ways]

    def squared(labels, logits):
        return tf.reduce_sum(tf.square(logits), 1) * tf.cast(labels, tf.float32)

    return [*losses, tf.contrib.seq2seq.sequence_loss(logits, targets, weights, softmax_loss_function=squared)]


def tile_batch(tf):
    unknown = tf.placeholder_with_default(numbers(2, 3), [None, 3])
    copies = tf.contrib.seq2seq.tile_batch((tf.constant([1, 2]), unknown), 2)
    return [copies, [each.shape for each in copies]]


def gather_tree(tf):
    ids = [[[1, 2, 3]], [[4, 5, 6]], [[7, 8, 9]], [[-1, -1, -1]]]
    parents = [[[0, 0, 0]], [[0, 1, 1]], [[2, 1, 2]], [[-1, -1, -1]]]
    long, short = (tf.contrib.seq2seq.gather_tree(ids, parents, [length], 5) for length in (3, 0))
    bad = tf.contrib.seq2seq.gather_tree(ids, [[[0, 0, 0]], [[0, -1, 1]], [[2, 1, 2]], [[0, 0, 0]]], [3], 5)

    def run(sess):
        try:
            sess.run(bad)
        except tf.errors.InvalidArgumentError as error:
            names_the_place = "Saw invalid parent id -1 at (batch, time, beam) == (0, 0, 1)" in str(error)
            return [*sess.run([long, short]), names_the_place]

    return run


def _beams(tf, cell, start, **options):
    decoder = tf.contrib.seq2seq.BeamSearchDecoder(
        cell, _embedding(tf), [1, 2], 0, start, 3, tf.layers.Dense(WORDS), **options
    )
    outputs, state, lengths = tf.contrib.seq2seq.dynamic_decode(decoder, maximum_iterations=4)
    steps = outputs.beam_search_decoder_output
    types = [
        isinstance(outputs, tf.contrib.seq2seq.FinalBeamSearchDecoderOutput),
        isinstance(steps, tf.contrib.seq2seq.BeamSearchDecoderOutput),
        isinstance(state, tf.contrib.seq2seq.BeamSearchDecoderState),
    ]
    return [outputs.predicted_ids, steps, state, lengths, types]


def beam_search(tf):
    cell = tf.nn.rnn_cell.GRUCell(UNITS)
    start = tf.contrib.seq2seq.tile_batch(tf.constant(numbers(BATCH, UNITS)), 3)
    return _beams(tf, cell, start, length_penalty_weight=0.6)


def beam_search_with_attention(tf):
    memory, lengths = _memory(tf)
    memory, lengths = tf.contrib.seq2seq.tile_batch((memory, lengths), 3)
    attention = tf.contrib.seq2seq.LuongAttention(UNITS, memory, lengths)
    cell = tf.contrib.seq2seq.AttentionWrapper(
        tf.nn.rnn_cell.LSTMCell(UNITS), attention, attention_layer_size=3, alignment_history=True
    )
    decoded = _beams(tf, cell, cell.zero_state(BATCH * 3, tf.float32), coverage_penalty_weight=0.2)
    history = decoded[2].cell_state.alignment_history
    sorted_history = history if tf.contrib.framework.is_tensor(history) else history.stack()
    return [decoded[0], decoded[1], sorted_history, decoded[2].lengths, decoded[3]]


def beam_search_with_an_unknown_batch_size(tf):
    memory = tf.placeholder_with_default(numbers(BATCH, TIME, UNITS), [None, None, UNITS])
    memory = tf.contrib.seq2seq.tile_batch(memory, 3)
    attention = tf.contrib.seq2seq.BahdanauAttention(UNITS, memory)
    cell = tf.contrib.seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(UNITS), attention, alignment_history=True)
    start = cell.zero_state(tf.shape(memory)[0], tf.float32)
    tokens = tf.placeholder_with_default([1, 2], [None])
    decoder = tf.contrib.seq2seq.BeamSearchDecoder(cell, _embedding(tf), tokens, 0, start, 3, tf.layers.Dense(WORDS))
    outputs, state, _ = tf.contrib.seq2seq.dynamic_decode(decoder, output_time_major=True, maximum_iterations=3)
    return [outputs.predicted_ids, state.cell_state.alignment_history, outputs.predicted_ids.shape]


def _file(tf, name):
    """Returns a module of contrib's, for names that tf.contrib.seq2seq lacks."""
    return import_module(f"{tf.contrib.seq2seq.__name__}.python.ops.{name}")


def sequence_loss_layer(tf):
    logits = tf.get_variable("logits", initializer=numbers(BATCH, TIME, WORDS))
    targets, weights = tf.constant([[1, 2, 3], [4, 0, 1]]), tf.constant([[1.0, 0.5, 1.0], [2.0, 0.0, 0.0]])
    loss_class = _file(tf, "loss").SequenceLoss
    options = {"average_across_timesteps": True, "sum_over_timesteps": False, "sum_over_batch": False}
    losses = [each(targets, logits, weights) for each in (loss_class(), loss_class(name="averaged", **options))]
    return [losses, isinstance(loss_class(), tf.keras.losses.Loss), loss_class(sum_over_batch=True).sum_over_batch]


def decoder_layer(tf):
    cell = tf.nn.rnn_cell.GRUCell(UNITS)
    decoder = _file(tf, "basic_decoder").BasicDecoderV2(
        cell, _file(tf, "sampler").TrainingSampler(), tf.layers.Dense(WORDS, use_bias=False), impute_finished=True
    )
    start = cell.zero_state(BATCH, tf.float32)
    decoded = decoder(numbers(BATCH, TIME, 3), initial_state=start, sequence_length=[3, 2])
    is_layer = isinstance(decoder, tf.keras.layers.Layer)
    return [decoded, is_layer, decoder.output_size, decoder.output_dtype.sample_id.name]


def samplers(tf):
    files, embedding, state = _file(tf, "sampler"), _embedding(tf), tf.constant([0.0])
    inputs, auxiliary = tf.constant(numbers(BATCH, TIME, WORDS)), tf.constant(numbers(TIME, BATCH, 2, seed=4))

    def asked(sampler, *arguments, **options):
        assert isinstance(sampler, files.Sampler)
        time, outputs = tf.constant(0), tf.constant(numbers(BATCH, WORDS, seed=5))
        started = sampler.initialize(*arguments, **options)
        ids = sampler.sample(time=time, outputs=outputs, state=state)
        after = sampler.next_inputs(time=time, outputs=outputs, state=state, sample_ids=ids)
        return [started, ids, after, sampler.batch_size, sampler.sample_ids_shape, sampler.sample_ids_dtype.name]

    def embedded(ids):
        return tf.nn.embedding_lookup(embedding, ids)

    lengths = {"sequence_length": [3, 2]}
    tokens = {"start_tokens": [1, 2], "end_token": 0}
    custom = files.CustomSampler(
        initialize_fn=lambda value, times: (tf.constant([False, False]), value * times),
        sample_fn=lambda time, outputs, state: tf.argmax(outputs, 1),
        next_inputs_fn=lambda time, outputs, state, sample_ids: (tf.equal(sample_ids, 0), outputs, state),
        sample_ids_dtype=tf.int64,
    )
    inference = files.InferenceSampler(
        tf.tanh, [WORDS], tf.float32, end_fn=lambda ids: ids[:, 0] > 0, next_inputs_fn=tf.square
    )
    scheduled = files.ScheduledEmbeddingTrainingSampler(0.5, seed=1, scheduling_seed=2)
    output = files.ScheduledOutputTrainingSampler(1.0, time_major=True)
    return [
        asked(files.TrainingSampler(time_major=True), inputs, sequence_length=[3, 2, 0]),
        asked(scheduled, inputs[:, :, :3], embedding=embedding, **lengths),
        asked(output, tf.transpose(inputs, [1, 0, 2]), auxiliary_inputs=auxiliary, **lengths),
        asked(files.GreedyEmbeddingSampler(), embedding, **tokens),
        asked(files.SampleEmbeddingSampler(embedded, softmax_temperature=0.5, seed=1), None, **tokens),
        asked(inference, inputs[:, 0]),
        asked(custom, inputs[:, 0], times=2.0),
    ]


def beam_search_layer(tf):
    cell = tf.nn.rnn_cell.GRUCell(UNITS)
    start = tf.contrib.seq2seq.tile_batch(tf.constant(numbers(BATCH, UNITS)), 3)
    decoder = _file(tf, "beam_search_decoder").BeamSearchDecoderV2(
        cell, 3, output_layer=tf.layers.Dense(WORDS), length_penalty_weight=0.6, maximum_iterations=4
    )
    tokens = {"start_tokens": [1, 2], "end_token": 0, "initial_state": start}
    outputs, state, lengths = decoder(numbers(WORDS, 3, seed=3), **tokens)
    return [outputs.predicted_ids, outputs.beam_search_decoder_output.scores, state, lengths]
