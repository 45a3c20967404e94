"""Where each name of tf.contrib went: the table that tf1mem.v1 lays its namespaces out by, and the codemod reads.

Only names that mean the same elsewhere are in `HOMES`. Where TensorFlow has something similar that takes other
arguments or computes something else, the name stays gone, and `ADVICE` says what there is.

A home is a dotted name below tf1mem.v1 ("nn.rnn_cell") or, where TensorFlow has no public name for it any more, a
module of TensorFlow's own ("tensorflow.python.ops.lookup_ops") or of a package that comes with it.
"""

from __future__ import annotations

from typing import NamedTuple, Tuple, Union

Release = Tuple[int, int]

# Namespace of contrib, home, and the names found there: under the same name, or "name=under this one".
HOMES = (
    ("autograph", "autograph", "to_code to_graph"),
    ("autograph", "autograph.experimental", "Feature do_not_convert"),
    ("checkpoint", "train", "CheckpointManager"),
    (
        "cluster_resolver",
        "distribute.cluster_resolver",
        "ClusterResolver GCEClusterResolver KubernetesClusterResolver SimpleClusterResolver SlurmClusterResolver "
        "TFConfigClusterResolver TPUClusterResolver UnionClusterResolver=UnionResolver",
    ),
    (
        "data",
        "data.experimental",
        "AUTOTUNE Counter CsvDataset Optional RandomDataset Reducer SqlDataset TFRecordWriter "
        "bucket_by_sequence_length choose_from_datasets copy_to_device dense_to_sparse_batch enumerate_dataset "
        "get_next_as_optional get_single_element group_by_reducer group_by_window ignore_errors "
        "make_batched_features_dataset make_csv_dataset make_saveable_from_iterator map_and_batch parallel_interleave "
        "parse_example_dataset prefetch_to_device rejection_resample sample_from_datasets scan shuffle_and_repeat "
        "unbatch unique",
    ),
    ("data", "tf1mem.v1._contrib.data", "batch_and_drop_remainder padded_batch_and_drop_remainder sloppy_interleave"),
    (
        "distribute",
        "distribute",
        "CrossDeviceOps MirroredStrategy OneDeviceStrategy ReplicaContext get_loss_reduction get_replica_context "
        "get_strategy has_strategy in_cross_replica_context DistributionStrategy=Strategy "
        "get_distribution_strategy=get_strategy has_distribution_strategy=has_strategy",
    ),
    ("distribute", "tpu.experimental", "initialize_tpu_system"),
    (
        "distributions",
        "distributions",
        "Bernoulli Beta Categorical Dirichlet DirichletMultinomial Distribution Exponential FULLY_REPARAMETERIZED "
        "Gamma Laplace Multinomial NOT_REPARAMETERIZED Normal RegisterKL ReparameterizationType StudentT Uniform "
        "kl_divergence",
    ),
    (
        "eager",
        "",
        "GradientTape TensorSpec custom_gradient enable_eager_execution executing_eagerly function make_template "
        "in_eager_mode=executing_eagerly py_func=py_function",
    ),
    ("eager", "train", "Checkpoint"),
    (
        "eager",
        "tensorflow.python.eager.context",
        "ASYNC DEVICE_PLACEMENT_EXPLICIT DEVICE_PLACEMENT_SILENT DEVICE_PLACEMENT_WARN SYNC async_clear_error "
        "async_wait execution_mode num_gpus set_execution_mode",
    ),
    (
        "eager",
        "tensorflow.python.eager.backprop",
        "gradients_function implicit_gradients=implicit_grad implicit_value_and_gradients=implicit_val_and_grad "
        "value_and_gradients_function=val_and_grad_function",
    ),
    ("estimator", "estimator", "DNNEstimator LinearEstimator add_metrics"),
    (
        "estimator",
        "estimator.experimental",
        "InMemoryEvaluatorHook build_raw_supervised_input_receiver_fn call_logit_fn dnn_logit_fn_builder "
        "linear_logit_fn_builder make_early_stopping_hook make_stop_at_checkpoint_step_hook stop_if_higher_hook "
        "stop_if_lower_hook stop_if_no_decrease_hook stop_if_no_increase_hook",
    ),
    (
        "feature_column",
        "feature_column",
        "sequence_categorical_column_with_hash_bucket sequence_categorical_column_with_identity "
        "sequence_categorical_column_with_vocabulary_file sequence_categorical_column_with_vocabulary_list "
        "sequence_numeric_column",
    ),
    ("framework", "", "TensorSpec argsort convert_to_tensor_or_sparse_tensor is_tensor sort"),
    ("framework", "debugging", "assert_same_float_dtype assert_scalar"),
    (
        "framework",
        "train",
        "assert_global_step create_global_step get_global_step get_or_create_global_step init_from_checkpoint "
        "list_variables load_checkpoint load_variable",
    ),
    ("framework", "tensorflow.python.framework.tensor_spec", "BoundedTensorSpec"),
    ("framework", "tensorflow.python.framework.ops", "get_name_scope prepend_name_scope strip_name_scope"),
    ("framework", "tensorflow.python.framework.smart_cond", "smart_case smart_cond smart_constant_value"),
    (
        "framework",
        "tensorflow.python.ops.init_ops",
        "convolutional_delta_orthogonal convolutional_orthogonal_1d convolutional_orthogonal_2d "
        "convolutional_orthogonal_3d",
    ),
    ("framework", "tensorflow.python.util", "nest"),
    ("framework", "tensorflow.python.util.deprecation", "deprecated deprecated_arg_values deprecated_args"),
    # Small enough for tf1mem to bring them, exactly as contrib computed them.
    (
        "layers",
        "tf1mem.v1._contrib.layers",
        "l1_l2_regularizer l1_regularizer l2_regularizer sum_regularizer variance_scaling_initializer "
        "xavier_initializer xavier_initializer_conv2d",
    ),
    ("lookup", "lookup", "KeyValueTensorInitializer TextFileIndex TextFileInitializer"),
    (
        "lookup",
        "tensorflow.python.ops.lookup_ops",
        "FastHashSpec HasherSpec IdTableWithHashBuckets LookupInterface MutableHashTable StrongHashSpec "
        "TextFileIdTableInitializer TextFileStringTableInitializer index_table_from_file index_table_from_tensor "
        "index_to_string_table_from_file index_to_string_table_from_tensor",
    ),
    ("losses", "losses", "add_loss get_losses get_regularization_losses get_total_loss"),
    ("metrics", "", "confusion_matrix"),
    ("metrics", "sets", "set_difference=difference set_intersection=intersection set_size=size set_union=union"),
    ("nn", "nn", "conv1d_transpose"),
    ("nn", "tensorflow.python.ops.nn_ops", "nth_element"),
    ("proto", "io", "decode_proto encode_proto"),
    (
        "rnn",
        "nn.rnn_cell",
        "BasicLSTMCell BasicRNNCell DeviceWrapper DropoutWrapper GRUCell LSTMCell LSTMStateTuple MultiRNNCell RNNCell "
        "ResidualWrapper",
    ),
    ("rnn", "nn", "static_bidirectional_rnn static_rnn static_state_saving_rnn"),
    (
        "signal",
        "signal",
        "frame hamming_window hann_window inverse_stft inverse_stft_window_fn linear_to_mel_weight_matrix "
        "mfccs_from_log_mel_spectrograms overlap_and_add stft",
    ),
    ("staging", "tensorflow.python.ops.data_flow_ops", "StagingArea"),
    (
        "stateless",
        "random",
        "stateless_multinomial stateless_random_normal=stateless_normal stateless_random_uniform=stateless_uniform "
        "stateless_truncated_normal",
    ),
    (
        "summary",
        "tensorflow.python.ops.summary_ops_v2",
        "SummaryWriter all_summary_ops=all_v2_summary_ops always_record_summaries audio create_summary_file_writer "
        "create_file_writer=create_summary_file_writer eval_dir flush generic graph histogram image import_event "
        "initialize never_record_summaries record_summaries_every_n_global_steps scalar should_record_summaries "
        "summary_writer_initializer_op",
    ),
    ("tensorboard.plugins", "tensorboard.plugins", "projector"),
    ("tpu", "estimator.tpu", "InputPipelineConfig RunConfig TPUConfig TPUEstimator TPUEstimatorSpec"),
    (
        "tpu",
        "tpu",
        "CrossShardOptimizer batch_parallel bfloat16_scope core cross_replica_sum initialize_system "
        "outside_compilation replicate rewrite shard shutdown_system",
    ),
    ("training", "train", "checkpoints_iterator"),
    ("util", "", "constant_value=get_static_value make_ndarray make_tensor_proto"),
    ("util", "tensorflow.python.framework.meta_graph", "ops_used_by_graph_def stripped_op_list_for_graph"),
    ("batching", "", "batch_function=nondifferentiable_batch_function"),
    ("compiler.xla", "xla.experimental", "compile"),
    ("compiler.jit", "xla.experimental", "experimental_jit_scope=jit_scope"),
    ("", "", "keras"),
)

# The package that has them, and how to come by it.
SLIM_MISSING = "pip install tf_slim"
# What came with TensorFlow's examples.
EXAMPLES = "Use tf.keras.datasets.mnist, or bring input_data.py of TensorFlow 1.15 into the program"

# Namespace of contrib -> the modules of tf_slim that are the same code.
SLIM = {
    "framework": ["tf_slim"],
    "layers": ["tf_slim.layers"],
    "losses": ["tf_slim.losses"],
    "metrics": ["tf_slim.metrics"],
    "slim": ["tf_slim"],
    "training": ["tf_slim.training.training", "tf_slim.training.evaluation"],
}

# Names of those namespaces that tf_slim does not have either, where no other advice is given.
NOT_IN_SLIM = {
    "framework": frozenset(
        "RecordInput assert_scalar_int fuse_op get_graph_from_inputs get_placeholders "
        "load_and_remap_matrix_initializer load_embedding_initializer load_linear_multiclass_bias_initializer "
        "load_variable_slot_initializer py_func reduce_sum_n remove_squeezable_dimensions with_same_shape "
        "with_shape zero_initializer".split()
    ),
    "layers": frozenset(
        "SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY bow_encoder bucketized_column check_feature_columns "
        "create_feature_spec_for_parsing crossed_column embed_sequence embedding_column embedding_lookup_unique "
        "infer_real_valued_columns input_from_feature_columns joint_weighted_sum_from_feature_columns "
        "make_place_holder_tensors_for_base_features multi_class_target one_hot_column "
        "parse_feature_columns_from_examples parse_feature_columns_from_sequence_examples real_valued_column "
        "regression_target safe_embedding_lookup_sparse scattered_embedding_column "
        "sequence_input_from_feature_columns shared_embedding_columns sparse_column_with_hash_bucket "
        "sparse_column_with_integerized_feature sparse_column_with_keys sparse_column_with_vocabulary_file "
        "transform_features weighted_sparse_column weighted_sum_from_feature_columns".split()
    ),
    "training": frozenset(
        "FeedingQueueRunner GreedyLoadBalancingStrategy HParams NextQueuedSequenceBatch RandomStrategy "
        "SequenceQueueingStateSaver batch_sequences_with_states bucket bucket_by_sequence_length byte_size_load_fn "
        "parse_values rejection_sample resample_at_rate stratified_sample weighted_resample".split()
    ),
}

_KEEP = "keep TensorFlow 1.15 for it, or bring its source into the program"
_GONE = "Nothing replaces it: " + _KEEP


class Advice(NamedTuple):
    """What to do, on some TensorFlows alone.

    Attributes:
        text: What to do there.
        first: The first release that it holds on.
        last: The last one.
        otherwise: What to do on the others.
    """

    text: str
    first: Release = (2, 0)
    last: Release = (2, 99)
    otherwise: str = _GONE


def _addons(name: str) -> Advice:
    # Its last release, 0.23.0, is built for TensorFlow 2.15.
    return Advice(
        f"tensorflow-addons has it as {name}, with other arguments",
        last=(2, 15),
        otherwise=f"tensorflow-addons, which had it, ended with TensorFlow 2.15: {_KEEP}",
    )


# Its last release, 0.37.1, is built for TensorFlow 2.16.
_IO = Advice(
    "Use tensorflow-io",
    last=(2, 16),
    otherwise=f"tensorflow-io, which had it, ended with TensorFlow 2.16: {_KEEP}",
)

# A name, or a namespace for all of its other names -> what to do. The longest that fits is taken.
ADVICE: dict[str, Union[str, Advice]] = {
    "": _GONE,
    "bayesflow": "Use tensorflow-probability (tfp.mcmc)",
    "cloud": _IO,
    "constrained_optimization": "Use tensorflow_constrained_optimization",
    "copy_graph": "Use tf.train.export_meta_graph and tf.train.import_meta_graph",
    "crf": _addons("tfa.text.crf"),
    "cudnn_rnn": "Use tf.keras.layers.CuDNNLSTM or CuDNNGRU, or tf.nn.rnn_cell and tf.nn.dynamic_rnn",
    "data.CheckpointInputPipelineHook": "Save the iterator with tf.train.Checkpoint",
    "data.assert_element_shape": "Use Dataset.map with tf.ensure_shape",
    "data.LMDBDataset": _IO,
    "data.read_batch_features": "Use tf.data.experimental.make_batched_features_dataset",
    "data.reduce_dataset": "Use Dataset.reduce",
    "data.sliding_window_batch": "Use Dataset.window(...).flat_map(...)",
    "deprecated": "Use tf.summary.scalar, histogram, image, audio and merge_all, which name by name and not by tag",
    "distribute": "Use tf.distribute.experimental.MultiWorkerMirroredStrategy or ParameterServerStrategy, "
    "which take a cluster resolver",
    "distributions": "Use tensorflow-probability (tfp.distributions)",
    "eager.Iterator": "Use iter(dataset)",
    "eager.Network": "Use tf.keras.Model",
    "eager.Sequential": "Use tf.keras.Sequential",
    "eager.Saver": "Use tf.train.Checkpoint",
    "eager.Variable": "Use tf.Variable(..., use_resource=True)",
    "eager.defun": "Use tf.function(..., autograph=False)",
    "eager.list_devices": "Use tf.config.experimental.list_logical_devices()",
    "eager.metrics": "Use tf.keras.metrics",
    "estimator": "Use the heads of tf.estimator (tf.estimator.BinaryClassHead, …), which have other arguments",
    "factorization": "Use tf.estimator.experimental.KMeans, or scikit-learn",
    "feature_column.sequence_input_layer": "Use tf.keras.experimental.SequenceFeatures",
    "ffmpeg": _IO,
    "framework.py_func": "Use tf.py_func or tf.numpy_function, which take their arguments otherwise",
    "framework.zero_initializer": "Use tf.zeros_initializer",
    "gan": "Use tensorflow_gan",
    "image": _addons("tfa.image"),
    "integrate": "Use tensorflow-probability (tfp.math.ode)",
    "layers.embed_sequence": "Use tf.get_variable and tf.nn.embedding_lookup",
    "layers.real_valued_column": "Use tf.feature_column.numeric_column",
    "layers.sparse_column_with_hash_bucket": "Use tf.feature_column.categorical_column_with_hash_bucket",
    "layers.sparse_column_with_keys": "Use tf.feature_column.categorical_column_with_vocabulary_list",
    "layers.sparse_column_with_integerized_feature": "Use tf.feature_column.categorical_column_with_identity",
    "layers.bucketized_column": "Use tf.feature_column.bucketized_column",
    "layers.crossed_column": "Use tf.feature_column.crossed_column",
    "layers.embedding_column": "Use tf.feature_column.embedding_column",
    "layers.one_hot_column": "Use tf.feature_column.indicator_column",
    "layers.safe_embedding_lookup_sparse": "Use tf.nn.safe_embedding_lookup_sparse",
    "learn": "Use tf.estimator, whose classes have other arguments",
    "learn.datasets": "Use tf.keras.datasets, or read the files with tf.data",
    "learn.preprocessing": "Use tf.keras.preprocessing.text.Tokenizer and sequence.pad_sequences",
    "lookup.HashTable": "Use tf.lookup.StaticHashTable, whose initializer is `.initializer`",
    "lookup.MutableDenseHashTable": "Use tf.lookup.experimental.DenseHashTable, which takes other arguments",
    "lookup.index_to_string": "Use tf.contrib.lookup.index_to_string_table_from_tensor",
    "lookup.string_to_index": "Use tf.contrib.lookup.index_table_from_tensor",
    "memory_stats": Advice(
        "Use tf.config.experimental.get_memory_info('GPU:0'), a Python call and not an op", first=(2, 5)
    ),
    "mixed_precision": "Use tf.train.experimental.enable_mixed_precision_graph_rewrite",
    "model_pruning": "Use tensorflow_model_optimization",
    "nn.alpha_dropout": "Use tf.keras.layers.AlphaDropout",
    "opt": _addons("tfa.optimizers"),
    "opt.AdaMaxOptimizer": "Use tf.keras.optimizers.Adamax, which is no tf.train.Optimizer",
    "opt.NadamOptimizer": "Use tf.keras.optimizers.Nadam, which is no tf.train.Optimizer",
    "opt.ScipyOptimizerInterface": "Use tfp.optimizer.lbfgs_minimize of tensorflow-probability, or scipy itself",
    "predictor": "Use tf.saved_model.load(sess, tags, export_dir) and sess.run",
    "quantize": "Use tensorflow_model_optimization",
    "resampler": _addons("tfa.image.resampler"),
    "rnn": _addons("tfa.rnn"),
    "rnn.stack_bidirectional_dynamic_rnn": "Use tf.nn.bidirectional_dynamic_rnn once for each layer",
    "rnn.transpose_batch_time": "Use tf.transpose(x, [1, 0, 2])",
    "saved_model": "Use tf.keras.models.load_model and Model.save",
    "seq2seq": _addons("tfa.seq2seq"),
    "sparsemax": _addons("tfa.activations.sparsemax"),
    "text": "Use tensorflow_text",
    "timeseries": "Use tensorflow-probability (tfp.sts)",
    "training.HParams": "Bring hparam.py of TensorFlow 1.15 into the program, or use argparse.Namespace",
    "training.bucket_by_sequence_length": "Use tf.data.experimental.bucket_by_sequence_length",
    "training.rejection_sample": "Use tf.data.experimental.rejection_resample",
}


def _read() -> dict[str, str]:
    entries = ((namespace, home, entry.partition("=")) for namespace, home, names in HOMES for entry in names.split())
    return {_below(namespace, name): _below(home, there or name) for namespace, home, (name, _, there) in entries}


def _below(above: str, name: str) -> str:
    return above + "." + name if above else name


# "rnn.LSTMCell" -> "nn.rnn_cell.LSTMCell"
TABLE = _read()

# Every namespace of contrib. Importing one works, as in TensorFlow 1, because programs import more than they use;
# each of its names that leads nowhere is an error.
NAMESPACES = (
    frozenset(name.rpartition(".")[0] for name in TABLE)
    | frozenset(SLIM)
    | frozenset(
        "all_reduce bayesflow bigtable boosted_trees checkpoint cloud coder compiler constrained_optimization "
        "copy_graph crf cudnn_rnn decision_trees deprecated factorization ffmpeg gan graph_editor grid_rnn hadoop "
        "ignite image input_pipeline integrate kafka kernel_methods kfac kinesis labeled_tensor learn "
        "legacy_seq2seq libsvm linalg "
        "linear_optimizer memory_stats mixed_precision model_pruning nccl nearest_neighbor opt optimizer_v2 "
        "periodic_resample predictor quantization quantize receptive_field recurrent reduce_slice_ops "
        "remote_fused_graph resampler rpc seq2seq session_bundle solvers sparsemax specs stat_summarizer tensor_forest "
        "tensorboard tensorrt testing text tfprof timeseries".split()
    )
) - {""}

# Files of contrib that programs import from -> the namespace that has the same names.
FILES = {
    "eager.python.tfe": "eager",
    "framework.python.ops": "framework",
    "layers.python.layers": "layers",
    "layers.python.layers.initializers": "layers",
    "layers.python.layers.layers": "layers",
    "layers.python.layers.regularizers": "layers",
    "rnn.python.ops.core_rnn_cell": "rnn",
    "rnn.python.ops.rnn_cell": "rnn",
    "slim.python.slim": "slim",
    "training.python.training.training": "training",
}


def advice(name: str, release: Release) -> str:
    """What to do about a name of contrib that leads nowhere.

    Args:
        name: The name below contrib.
        release: TensorFlow's.
    """
    while name not in ADVICE:
        name = name.rpartition(".")[0]
    found = ADVICE[name]
    if isinstance(found, str):
        return found
    return found.text if found.first <= release <= found.last else found.otherwise


def lacks(dotted: str, release: Release) -> tuple[str, str] | None:
    """What tf1mem.v1 hasn't got by itself of a name below contrib, and what to do about it.

    Args:
        dotted: The name below contrib: "layers.conv2d", "seq2seq.python.ops.attention_wrapper".
        release: TensorFlow's.

    Returns:
        The name, or the namespace that a package brings; and what to do. None for what is there, and for a namespace,
        which can be imported without using it.
    """
    file = max((file for file in FILES if (dotted + ".").startswith(file + ".")), key=len, default="")
    dotted = FILES[file] + dotted[len(file) :] if file else dotted
    namespace = dotted
    while namespace and namespace not in NAMESPACES:
        namespace = namespace.rpartition(".")[0]
    name = dotted[len(namespace) :].lstrip(".").partition(".")[0]
    path = _below(namespace, name)
    if path in TABLE or (not name and namespace != "slim"):
        return None
    if namespace in SLIM and name != "python" and name not in NOT_IN_SLIM.get(namespace, ()):
        return namespace, SLIM_MISSING
    return path, advice(dotted if name == "python" else path, release)
