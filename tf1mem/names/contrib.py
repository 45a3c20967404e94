"""A table of tf.contrib's names and their new homes, from which tf1mem.v1 builds its namespaces; the codemod reads it.

`HOMES` has only names with the same meaning elsewhere. Where TensorFlow has something similar that takes other
arguments or computes something else, the name has no home, and `ADVICE` names the alternative.

A home is a dotted name below tf1mem.v1 ("nn.rnn_cell"). If TensorFlow has no public name for it any more, the home is a
module of TensorFlow ("tensorflow.python.ops.lookup_ops") or of a package that comes with it. If all that is gone, it is
a module of tf1mem ("tf1mem.v1.contrib.layers.regularizers").
"""

from __future__ import annotations

from typing import NamedTuple, Tuple, Union

from tf1mem.machine.modules import dotted_name
from tf1mem.names import gone

Release = Tuple[int, int]

# Namespace of contrib, home, and the names there: "name", or "name=name in the home".
HOMES = (
    ("autograph", "autograph", "to_code to_graph"),
    ("autograph", "autograph.experimental", "Feature do_not_convert"),
    ("checkpoint", "train", "CheckpointManager"),
    ("checkpoint", "python.training.tracking.base", "CheckpointableBase=Trackable"),
    ("checkpoint", "python.training.tracking.data_structures", "List Mapping NoDependency"),
    ("checkpoint", "python.training.tracking.python_state", "PythonStateWrapper=PythonState"),
    ("checkpoint", "python.training.tracking.tracking", "Checkpointable=AutoTrackable"),
    (
        "checkpoint",
        "tensorflow.core.protobuf.trackable_object_graph_pb2",
        "CheckpointableObjectGraph=TrackableObjectGraph",
    ),
    (
        "cluster_resolver",
        "distribute.cluster_resolver",
        "ClusterResolver GCEClusterResolver KubernetesClusterResolver SimpleClusterResolver SlurmClusterResolver "
        "TFConfigClusterResolver TPUClusterResolver UnionClusterResolver=UnionResolver",
    ),
    (
        "crf",
        "tf1mem.v1.contrib.crf.crf",
        "CrfDecodeBackwardRnnCell CrfDecodeForwardRnnCell CrfForwardRnnCell crf_binary_score crf_decode "
        "crf_log_likelihood crf_log_norm crf_multitag_sequence_score crf_sequence_score crf_unary_score viterbi_decode",
    ),
    (
        "cudnn_rnn",
        "tf1mem.v1.contrib.cudnn_rnn.cudnn_rnn",
        "CudnnGRU CudnnLSTM CudnnRNNRelu CudnnRNNTanh",
    ),
    (
        "cudnn_rnn",
        "tf1mem.v1.contrib.cudnn_rnn.cudnn_rnn_ops",
        "CudnnCompatibleGRUCell CudnnCompatibleLSTMCell CudnnGRUSaveable CudnnLSTMSaveable "
        "CudnnParamsFormatConverterGRU CudnnParamsFormatConverterLSTM CudnnParamsFormatConverterRelu "
        "CudnnParamsFormatConverterTanh CudnnRNNReluSaveable CudnnRNNTanhSaveable",
    ),
    (
        "copy_graph",
        "tf1mem.v1.contrib.copy_graph.copy_elements",
        "copy_op_to_graph copy_variable_to_graph get_copied_op",
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
    (
        "data",
        "tf1mem.v1.contrib.data.batching",
        "assert_element_shape batch_and_drop_remainder padded_batch_and_drop_remainder",
    ),
    ("data", "tf1mem.v1.contrib.data.get_single_element", "reduce_dataset"),
    ("data", "tf1mem.v1.contrib.data.interleave_ops", "sloppy_interleave"),
    ("data", "tf1mem.v1.contrib.data.sliding", "sliding_window_batch"),
    (
        "deprecated",
        "tensorflow.python.ops.logging_ops",
        "audio_summary histogram_summary image_summary merge_all_summaries merge_summary scalar_summary",
    ),
    (
        "distribute",
        "distribute",
        "CrossDeviceOps OneDeviceStrategy ReplicaContext get_loss_reduction get_replica_context "
        "get_strategy has_strategy in_cross_replica_context DistributionStrategy=Strategy "
        "get_distribution_strategy=get_strategy has_distribution_strategy=has_strategy",
    ),
    ("distribute", "tf1mem.v1.contrib.distribute.collective_all_reduce_strategy", "CollectiveAllReduceStrategy"),
    ("distribute", "tf1mem.v1.contrib.distribute.mirrored_strategy", "MirroredStrategy"),
    ("distribute", "tf1mem.v1.contrib.distribute.parameter_server_strategy", "ParameterServerStrategy"),
    ("distribute", "tpu.experimental", "initialize_tpu_system"),
    ("distribute", "tensorflow.python.distribute.cross_device_ops", "AllReduceCrossDeviceOps"),
    ("distribute", "tensorflow.python.distribute.distribute_config", "DistributeConfig"),
    ("distribute", "tensorflow.python.distribute.step_fn", "StandardInputStep StandardSingleLossStep Step"),
    (
        "distributions",
        "distributions",
        "Bernoulli Beta Categorical Dirichlet DirichletMultinomial Distribution Exponential FULLY_REPARAMETERIZED "
        "Gamma Laplace Multinomial NOT_REPARAMETERIZED Normal RegisterKL ReparameterizationType StudentT Uniform "
        "kl_divergence",
    ),
    ("distributions", "tensorflow.python.ops.distributions.beta", "BetaWithSoftplusConcentration"),
    ("distributions", "tensorflow.python.ops.distributions.exponential", "ExponentialWithSoftplusRate"),
    ("distributions", "tensorflow.python.ops.distributions.gamma", "GammaWithSoftplusConcentrationRate"),
    ("distributions", "tensorflow.python.ops.distributions.laplace", "LaplaceWithSoftplusScale"),
    ("distributions", "tensorflow.python.ops.distributions.normal", "NormalWithSoftplusScale"),
    ("distributions", "tensorflow.python.ops.distributions.student_t", "StudentTWithAbsDfSoftplusScale"),
    (
        "distributions",
        "tensorflow.python.ops.distributions.util",
        "fill_triangular fill_triangular_inverse matrix_diag_transform reduce_weighted_logsumexp softplus_inverse "
        "tridiag",
    ),
    ("distributions", "tf1mem.v1.contrib.distributions.binomial", "Binomial"),
    ("distributions", "tf1mem.v1.contrib.distributions.cauchy", "Cauchy"),
    ("distributions", "tf1mem.v1.contrib.distributions.chi2", "Chi2 Chi2WithAbsDf"),
    ("distributions", "tf1mem.v1.contrib.distributions.deterministic", "Deterministic VectorDeterministic"),
    ("distributions", "tf1mem.v1.contrib.distributions.geometric", "Geometric"),
    ("distributions", "tf1mem.v1.contrib.distributions.half_normal", "HalfNormal"),
    ("distributions", "tf1mem.v1.contrib.distributions.independent", "Independent"),
    ("distributions", "tf1mem.v1.contrib.distributions.logistic", "Logistic"),
    ("distributions", "tf1mem.v1.contrib.distributions.mixture", "Mixture"),
    (
        "distributions",
        "tf1mem.v1.contrib.distributions.mvn_diag",
        "MultivariateNormalDiag MultivariateNormalDiagWithSoftplusScale",
    ),
    ("distributions", "tf1mem.v1.contrib.distributions.mvn_full_covariance", "MultivariateNormalFullCovariance"),
    ("distributions", "tf1mem.v1.contrib.distributions.mvn_tril", "MultivariateNormalTriL"),
    ("distributions", "tf1mem.v1.contrib.distributions.onehot_categorical", "OneHotCategorical"),
    ("distributions", "tf1mem.v1.contrib.distributions.poisson", "Poisson"),
    ("distributions", "tf1mem.v1.contrib.distributions.relaxed_bernoulli", "RelaxedBernoulli"),
    (
        "distributions",
        "tf1mem.v1.contrib.distributions.relaxed_onehot_categorical",
        "ExpRelaxedOneHotCategorical RelaxedOneHotCategorical",
    ),
    ("distributions", "tf1mem.v1.contrib.distributions.transformed_distribution", "TransformedDistribution"),
    ("distributions.bijectors", "tensorflow.python.ops.distributions.bijector_impl", "Bijector"),
    ("distributions.bijectors", "tensorflow.python.ops.distributions.identity_bijector", "Identity"),
    ("distributions.bijectors", "tf1mem.v1.contrib.distributions.bijectors.affine", "Affine"),
    ("distributions.bijectors", "tf1mem.v1.contrib.distributions.bijectors.affine_scalar", "AffineScalar"),
    ("distributions.bijectors", "tf1mem.v1.contrib.distributions.bijectors.chain", "Chain"),
    ("distributions.bijectors", "tf1mem.v1.contrib.distributions.bijectors.exp", "Exp"),
    ("distributions.bijectors", "tf1mem.v1.contrib.distributions.bijectors.inline", "Inline"),
    ("distributions.bijectors", "tf1mem.v1.contrib.distributions.bijectors.invert", "Invert"),
    (
        "distributions.bijectors",
        "tf1mem.v1.contrib.distributions.bijectors.masked_autoregressive",
        "MaskedAutoregressiveFlow masked_autoregressive_default_template masked_dense",
    ),
    ("distributions.bijectors", "tf1mem.v1.contrib.distributions.bijectors.permute", "Permute"),
    ("distributions.bijectors", "tf1mem.v1.contrib.distributions.bijectors.power_transform", "PowerTransform"),
    ("distributions.bijectors", "tf1mem.v1.contrib.distributions.bijectors.sigmoid", "Sigmoid"),
    ("distributions.bijectors", "tf1mem.v1.contrib.distributions.bijectors.softplus", "Softplus"),
    ("distributions.bijectors", "tf1mem.v1.contrib.distributions.bijectors.softsign", "Softsign"),
    (
        "eager",
        "",
        "GradientTape TensorSpec custom_gradient enable_eager_execution executing_eagerly function make_template "
        "in_eager_mode=executing_eagerly py_func=py_function",
    ),
    ("eager", "train", "Checkpoint"),
    ("eager", "python.training.tracking.tracking", "Checkpointable=AutoTrackable"),
    ("eager", "tensorflow.python.eager.remote", "connect_to_remote_host"),
    (
        "eager",
        "tensorflow.python.framework.ops",
        "enable_remote_eager_execution=enable_eager_execution_internal run=eager_run",
    ),
    (
        "eager",
        "tensorflow.python.framework.test_util",
        "run_all_tests_in_graph_and_eager_modes=run_all_in_graph_and_eager_modes "
        "run_test_in_graph_and_eager_modes=run_in_graph_and_eager_modes",
    ),
    ("eager", "tensorflow.python.ops.resource_variable_ops", "Variable=ResourceVariable"),
    ("eager", "tensorflow.python.ops.variable_scope", "EagerVariableStore"),
    ("eager", "tf1mem.v1.contrib.eager.context", "list_devices"),
    ("eager", "tf1mem.v1.contrib.eager.datasets", "Iterator"),
    (
        "eager",
        "tf1mem.v1.contrib.eager.execution_callbacks",
        "ExecutionCallback add_execution_callback clear_execution_callbacks errstate inf_callback inf_nan_callback "
        "nan_callback seterr",
    ),
    ("eager", "tf1mem.v1.contrib.eager.function", "defun"),
    (
        "eager",
        "tf1mem.v1.contrib.eager.network",
        "Network Sequential restore_network_checkpoint save_network_checkpoint",
    ),
    ("eager", "tf1mem.v1.contrib.eager.saver", "Saver get_optimizer_variables restore_variables_on_create"),
    (
        "eager.metrics",
        "tf1mem.v1.contrib.eager.metrics_impl",
        "Accuracy BinaryAccuracy CategoricalAccuracy Mean Metric SparseAccuracy",
    ),
    (
        "eager",
        "tensorflow.python.eager.context",
        "ASYNC DEVICE_PLACEMENT_EXPLICIT DEVICE_PLACEMENT_SILENT DEVICE_PLACEMENT_WARN SYNC async_clear_error "
        "async_wait execution_mode num_gpus set_execution_mode set_server_def",
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
        "factorization",
        "tf1mem.v1.contrib.factorization.clustering_ops",
        "COSINE_DISTANCE KMEANS_PLUS_PLUS_INIT KMeans RANDOM_INIT SQUARED_EUCLIDEAN_DISTANCE",
    ),
    ("factorization", "tf1mem.v1.contrib.factorization.kmeans", "KMeansClustering"),
    (
        "feature_column",
        "feature_column",
        "sequence_categorical_column_with_hash_bucket sequence_categorical_column_with_identity "
        "sequence_categorical_column_with_vocabulary_file sequence_categorical_column_with_vocabulary_list "
        "sequence_numeric_column",
    ),
    ("framework", "", "TensorSpec argsort convert_to_tensor_or_sparse_tensor is_tensor sort"),
    ("framework", "debugging", "assert_same_float_dtype assert_scalar"),
    ("framework", "train", "assert_global_step create_global_step get_global_step get_or_create_global_step"),
    ("framework", "tensorflow.python.framework.tensor_spec", "BoundedTensorSpec"),
    ("framework", "tensorflow.python.framework.ops", "prepend_name_scope strip_name_scope"),
    ("framework", "tensorflow.python.framework.smart_cond", "smart_case smart_cond smart_constant_value"),
    (
        "framework",
        "tensorflow.python.ops.init_ops",
        "convolutional_delta_orthogonal convolutional_orthogonal_1d convolutional_orthogonal_2d "
        "convolutional_orthogonal_3d",
    ),
    ("framework", "tensorflow.python.ops.data_flow_ops", "RecordInput"),
    ("framework.audio_ops", "tensorflow.python.ops.gen_audio_ops", "audio_spectrogram decode_wav encode_wav mfcc"),
    ("framework", "tensorflow.python.util", "nest"),
    ("framework", "tensorflow.python.util.deprecation", "deprecated deprecated_arg_values deprecated_args"),
    (
        "framework",
        "tf1mem.v1.contrib.framework.arg_scope",
        "add_arg_scope arg_scope arg_scoped_arguments current_arg_scope has_arg_scope",
    ),
    (
        "framework",
        "tf1mem.v1.contrib.framework.checkpoint_ops",
        "load_and_remap_matrix_initializer load_embedding_initializer load_linear_multiclass_bias_initializer "
        "load_variable_slot_initializer",
    ),
    (
        "framework",
        "tf1mem.v1.contrib.framework.checkpoint_utils",
        "init_from_checkpoint list_variables load_checkpoint load_variable",
    ),
    ("framework", "tf1mem.v1.contrib.framework.graph_util", "fuse_op get_placeholders"),
    ("framework", "tf1mem.v1.contrib.framework.ops", "get_graph_from_inputs get_name_scope"),
    ("framework", "tf1mem.v1.contrib.framework.script_ops", "py_func"),
    (
        "framework",
        "tf1mem.v1.contrib.framework.tensor_util",
        "assert_scalar_int reduce_sum_n remove_squeezable_dimensions with_same_shape with_shape",
    ),
    (
        "framework",
        "tf1mem.v1.contrib.framework.variables",
        "VariableDeviceChooser add_model_variable assert_or_get_global_step assign_from_checkpoint "
        "assign_from_checkpoint_fn assign_from_values assign_from_values_fn filter_variables get_local_variables "
        "get_model_variables get_trainable_variables get_unique_variable get_variable_full_name get_variables "
        "get_variables_by_name get_variables_by_suffix get_variables_to_restore global_variable local_variable "
        "model_variable variable zero_initializer",
    ),
    ("image", "tf1mem.v1.contrib.image.dense_image_warp", "dense_image_warp"),
    (
        "image",
        "tf1mem.v1.contrib.image.image_ops",
        "angles_to_projective_transforms compose_transforms flat_transforms_to_matrices matrices_to_flat_transforms "
        "rotate transform translate translations_to_projective_transforms",
    ),
    ("image", "tf1mem.v1.contrib.image.interpolate_spline", "interpolate_spline"),
    ("image", "tf1mem.v1.contrib.image.sparse_image_warp", "sparse_image_warp"),
    ("layers", "tf1mem.v1.contrib.layers.encoders", "bow_encoder embed_sequence"),
    (
        "graph_editor",
        "tf1mem.v1.contrib.graph_editor.edit",
        "bypass connect detach detach_control_inputs detach_control_outputs detach_inputs detach_outputs",
    ),
    (
        "graph_editor",
        "tf1mem.v1.contrib.graph_editor.reroute",
        "add_control_inputs remove_control_inputs "
        "reroute_inputs reroute_ios reroute_outputs reroute_ts swap_inputs swap_ios swap_outputs swap_ts",
    ),
    (
        "graph_editor",
        "tf1mem.v1.contrib.graph_editor.select",
        "can_be_regex check_cios compute_boundary_ts filter_ops "
        "filter_ops_from_regex filter_ts filter_ts_from_regex get_backward_walk_ops get_forward_walk_ops "
        "get_name_scope_ops get_ops_ios get_walks_intersection_ops get_walks_union_ops get_within_boundary_ops "
        "make_regex select_ops select_ops_and_ts select_ts",
    ),
    (
        "graph_editor",
        "tf1mem.v1.contrib.graph_editor.subgraph",
        "SubGraphView make_view make_view_from_scope sgv=make_view sgv_scope=make_view_from_scope",
    ),
    (
        "graph_editor",
        "tf1mem.v1.contrib.graph_editor.transform",
        "Transformer TransformerInfo "
        "assign_renamed_collections_handler copy copy_op_handler copy_with_input_replacements graph_replace "
        "keep_t_if_possible_handler replace_t_with_placeholder_handler transform_op_if_inside_handler",
    ),
    (
        "graph_editor",
        "tf1mem.v1.contrib.graph_editor.util",
        "ControlOutputs get_consuming_ops get_generating_ops "
        "get_tensors make_list_of_op make_list_of_t make_placeholder_from_dtype_and_shape make_placeholder_from_tensor "
        "ph=make_placeholder_from_dtype_and_shape placeholder_name",
    ),
    (
        "layers",
        "tf1mem.v1.contrib.layers.embedding_ops",
        "embedding_lookup_unique safe_embedding_lookup_sparse",
    ),
    (
        "layers",
        "tf1mem.v1.contrib.layers.feature_column",
        "bucketized_column create_feature_spec_for_parsing crossed_column embedding_column "
        "make_place_holder_tensors_for_base_features one_hot_column real_valued_column scattered_embedding_column "
        "shared_embedding_columns sparse_column_with_hash_bucket sparse_column_with_integerized_feature "
        "sparse_column_with_keys sparse_column_with_vocabulary_file weighted_sparse_column",
    ),
    (
        "layers",
        "tf1mem.v1.contrib.layers.feature_column_ops",
        "check_feature_columns infer_real_valued_columns input_from_feature_columns "
        "joint_weighted_sum_from_feature_columns parse_feature_columns_from_examples "
        "parse_feature_columns_from_sequence_examples sequence_input_from_feature_columns transform_features "
        "weighted_sum_from_feature_columns",
    ),
    (
        "layers",
        "tf1mem.v1.contrib.layers.initializers",
        "variance_scaling_initializer xavier_initializer xavier_initializer_conv2d",
    ),
    (
        "layers",
        "tf1mem.v1.contrib.layers.layers",
        "GDN avg_pool2d avg_pool3d batch_norm bias_add conv1d conv2d conv2d_in_plane conv2d_transpose conv3d "
        "conv3d_transpose convolution convolution1d convolution2d convolution2d_in_plane convolution2d_transpose "
        "convolution3d convolution3d_transpose dense_to_sparse dropout elu flatten fully_connected gdn "
        "images_to_sequence layer_norm legacy_fully_connected legacy_linear legacy_relu linear max_pool2d max_pool3d "
        "maxout one_hot_encoding relu relu6 repeat scale_gradient separable_conv2d separable_convolution2d "
        "sequence_to_images softmax spatial_softmax stack unit_norm",
    ),
    ("layers", "tf1mem.v1.contrib.layers.normalization", "group_norm instance_norm"),
    ("layers", "tf1mem.v1.contrib.layers.optimizers", "OPTIMIZER_CLS_NAMES OPTIMIZER_SUMMARIES optimize_loss"),
    (
        "layers",
        "tf1mem.v1.contrib.layers.regularizers",
        "apply_regularization l1_l2_regularizer l1_regularizer l2_regularizer sum_regularizer",
    ),
    ("layers", "tf1mem.v1.contrib.layers.rev_block_lib", "RevBlock recompute_grad rev_block"),
    ("layers", "tf1mem.v1.contrib.layers.sparse_feature_cross_op", "SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY"),
    (
        "layers",
        "tf1mem.v1.contrib.layers.summaries",
        "summarize_activation summarize_activations summarize_collection summarize_tensor summarize_tensors",
    ),
    ("layers", "tf1mem.v1.contrib.layers.target_column", "multi_class_target regression_target"),
    (
        "grid_rnn",
        "tf1mem.v1.contrib.grid_rnn.grid_rnn_cell",
        "Grid1BasicLSTMCell Grid1BasicRNNCell Grid1LSTMCell Grid2BasicLSTMCell Grid2BasicRNNCell Grid2GRUCell "
        "Grid2LSTMCell Grid3LSTMCell GridRNNCell",
    ),
    (
        "legacy_seq2seq",
        "tf1mem.v1.contrib.legacy_seq2seq.seq2seq",
        "attention_decoder basic_rnn_seq2seq embedding_attention_decoder embedding_attention_seq2seq "
        "embedding_rnn_decoder embedding_rnn_seq2seq embedding_tied_rnn_seq2seq model_with_buckets "
        "one2many_rnn_seq2seq rnn_decoder sequence_loss sequence_loss_by_example tied_rnn_seq2seq",
    ),
    (
        "learn",
        "tf1mem.v1.contrib.learn.estimators.estimator",
        "BaseEstimator Estimator SKCompat infer_real_valued_columns_from_input infer_real_valued_columns_from_input_fn",
    ),
    ("learn", "tf1mem.v1.contrib.learn.estimators.dnn", "DNNClassifier DNNEstimator DNNRegressor"),
    (
        "learn",
        "tf1mem.v1.contrib.learn.estimators.dnn_linear_combined",
        "DNNLinearCombinedClassifier DNNLinearCombinedEstimator DNNLinearCombinedRegressor",
    ),
    (
        "learn",
        "tf1mem.v1.contrib.learn.estimators.head",
        "Head binary_svm_head multi_class_head multi_head multi_label_head no_op_train_fn poisson_regression_head "
        "regression_head",
    ),
    ("learn", "tf1mem.v1.contrib.learn.estimators.kmeans", "KMeansClustering"),
    ("learn", "tf1mem.v1.contrib.learn.estimators.linear", "LinearClassifier LinearEstimator LinearRegressor"),
    ("learn", "tf1mem.v1.contrib.learn.estimators.logistic_regressor", "LogisticRegressor"),
    ("learn", "tf1mem.v1.contrib.learn.estimators._sklearn", "NotFittedError"),
    ("learn", "tf1mem.v1.contrib.learn.estimators.constants", "ProblemType"),
    ("learn", "tf1mem.v1.contrib.learn.estimators.model_fn", "ModeKeys ModelFnOps"),
    ("learn", "tf1mem.v1.contrib.learn.estimators.prediction_key", "PredictionKey"),
    ("learn", "tf1mem.v1.contrib.learn.estimators.run_config", "RunConfig TaskType"),
    ("learn", "tf1mem.v1.contrib.learn.evaluable", "Evaluable"),
    ("learn", "tf1mem.v1.contrib.learn.experiment", "Experiment"),
    ("learn", "tf1mem.v1.contrib.learn.export_strategy", "ExportStrategy"),
    ("learn", "tf1mem.v1.contrib.learn.graph_actions", "evaluate infer run_feeds run_n train"),
    (
        "learn",
        "tf1mem.v1.contrib.learn.learn_io.graph_io",
        "read_batch_examples read_batch_features read_batch_record_features read_keyed_batch_examples "
        "read_keyed_batch_features",
    ),
    (
        "learn",
        "tf1mem.v1.contrib.learn.learn_io.pandas_io",
        "extract_pandas_data extract_pandas_labels extract_pandas_matrix",
    ),
    ("learn", "tf1mem.v1.contrib.learn.metric_spec", "MetricSpec"),
    ("learn", "train", "NanLossDuringTrainingError"),
    ("learn", "tf1mem.v1.contrib.learn.trainable", "Trainable"),
    (
        "learn",
        "tf1mem.v1.contrib.learn.utils.input_fn_utils",
        "InputFnOps build_parsing_serving_input_fn",
    ),
    ("learn", "tf1mem.v1.contrib.learn.utils.saved_model_export_utils", "make_export_strategy"),
    (
        "learn.datasets",
        "tf1mem.v1.contrib.learn.datasets.loading",
        "DATASETS SYNTHETIC load_dataset make_dataset",
    ),
    ("learn.datasets", "tf1mem.v1.contrib.learn.datasets.base", "load_boston load_iris"),
    (
        "learn.datasets.base",
        "tf1mem.v1.contrib.learn.datasets.base",
        "Dataset Datasets load_boston load_csv_with_header load_csv_without_header load_iris maybe_download retry "
        "shrink_csv urlretrieve_with_retry",
    ),
    (
        "learn.datasets.mnist",
        "tf1mem.v1.contrib.learn.datasets.mnist",
        "DEFAULT_SOURCE_URL DataSet dense_to_one_hot extract_images extract_labels load_mnist read_data_sets",
    ),
    ("learn.datasets.synthetic", "tf1mem.v1.contrib.learn.datasets.synthetic", "circles spirals"),
    (
        "learn.datasets.text_datasets",
        "tf1mem.v1.contrib.learn.datasets.text_datasets",
        "load_dbpedia maybe_download_dbpedia",
    ),
    (
        "learn.graph_actions",
        "tf1mem.v1.contrib.learn.graph_actions",
        "clear_summary_writers evaluate get_summary_writer infer run_feeds run_feeds_iter run_n train",
    ),
    ("learn.io", "tf1mem.v1.contrib.learn.learn_io.generator_io", "generator_input_fn"),
    ("learn.io", "tf1mem.v1.contrib.learn.learn_io.numpy_io", "numpy_input_fn"),
    (
        "learn.io",
        "tf1mem.v1.contrib.learn.learn_io.pandas_io",
        "HAS_PANDAS extract_pandas_data extract_pandas_labels extract_pandas_matrix pandas_input_fn",
    ),
    (
        "learn.io",
        "tf1mem.v1.contrib.learn.learn_io.graph_io",
        "queue_parsed_features read_batch_examples read_batch_features read_batch_record_features "
        "read_keyed_batch_examples read_keyed_batch_features",
    ),
    (
        "learn.models",
        "tf1mem.v1.contrib.learn.models",
        "bidirectional_rnn linear_regression linear_regression_zero_init logistic_regression "
        "logistic_regression_zero_init",
    ),
    ("learn.learn_runner", "tf1mem.v1.contrib.learn.learn_runner", "run tune"),
    (
        "learn.monitors",
        "tf1mem.v1.contrib.learn.monitors",
        "BaseMonitor CaptureVariable CheckpointSaver EveryN GraphDump LoggingTrainable NanLoss PrintTensor "
        "RunHookAdapterForMonitors StepCounter StopAtStep SummarySaver ValidationMonitor get_default_monitors "
        "replace_monitors_with_hooks",
    ),
    (
        "learn.preprocessing",
        "tf1mem.v1.contrib.learn.preprocessing.text",
        "ByteProcessor CategoricalVocabulary VocabularyProcessor tokenizer",
    ),
    ("learn.preprocessing", "tf1mem.v1.contrib.learn.preprocessing.categorical", "CategoricalProcessor"),
    (
        "learn.utils",
        "tf1mem.v1.contrib.learn.utils.input_fn_utils",
        "build_default_serving_input_fn build_parsing_serving_input_fn",
    ),
    (
        "learn.utils.saved_model_export_utils",
        "tf1mem.v1.contrib.learn.utils.saved_model_export_utils",
        "build_all_signature_defs build_standardized_signature_def extend_export_strategy garbage_collect_exports "
        "get_most_recent_export get_timestamped_export_dir make_best_model_export_strategy make_export_strategy",
    ),
    ("lookup", "lookup", "KeyValueTensorInitializer TextFileIndex TextFileInitializer"),
    (
        "lookup",
        "tensorflow.python.ops.lookup_ops",
        "FastHashSpec HasherSpec IdTableWithHashBuckets InitializableLookupTableBase=InitializableLookupTableBaseV1 "
        "LookupInterface MutableDenseHashTable=DenseHashTable MutableHashTable StrongHashSpec TableInitializerBase "
        "TextFileIdTableInitializer TextFileStringTableInitializer index_table_from_file "
        "index_to_string_table_from_file",
    ),
    (
        "lookup",
        "tf1mem.v1.contrib.lookup.lookup_ops",
        "HashTable index_table_from_tensor index_to_string index_to_string_table_from_tensor string_to_index "
        "string_to_index_table_from_file string_to_index_table_from_tensor",
    ),
    (
        "losses",
        "tf1mem.v1.contrib.losses.loss_ops",
        "absolute_difference add_loss compute_weighted_loss cosine_distance get_losses get_regularization_losses "
        "get_total_loss hinge_loss log_loss mean_pairwise_squared_error mean_squared_error sigmoid_cross_entropy "
        "softmax_cross_entropy sparse_softmax_cross_entropy",
    ),
    (
        "losses.metric_learning",
        "tf1mem.v1.contrib.losses.metric_learning.metric_loss_ops",
        "contrastive_loss lifted_struct_loss npairs_loss npairs_loss_multilabel triplet_semihard_loss",
    ),
    ("memory_stats", "tf1mem.v1.contrib.memory_stats.memory_stats_ops", "BytesInUse BytesLimit MaxBytesInUse"),
    ("metrics", "", "confusion_matrix"),
    ("metrics", "tf1mem.v1.contrib.metrics.classification", "accuracy f1_score"),
    ("metrics", "tf1mem.v1.contrib.metrics.histogram_ops", "auc_using_histogram"),
    (
        "metrics",
        "tf1mem.v1.contrib.metrics.metric_ops",
        "aggregate_metric_map aggregate_metrics auc_with_confidence_intervals cohen_kappa count precision_at_recall "
        "precision_recall_at_equal_thresholds recall_at_precision sparse_recall_at_top_k streaming_accuracy "
        "streaming_auc streaming_concat streaming_covariance streaming_curve_points streaming_dynamic_auc "
        "streaming_false_negative_rate streaming_false_negative_rate_at_thresholds streaming_false_negatives "
        "streaming_false_negatives_at_thresholds streaming_false_positive_rate "
        "streaming_false_positive_rate_at_thresholds streaming_false_positives "
        "streaming_false_positives_at_thresholds streaming_mean streaming_mean_absolute_error "
        "streaming_mean_cosine_distance streaming_mean_iou streaming_mean_relative_error "
        "streaming_mean_squared_error streaming_mean_tensor streaming_pearson_correlation streaming_percentage_less "
        "streaming_precision streaming_precision_at_thresholds streaming_recall streaming_recall_at_k "
        "streaming_recall_at_thresholds streaming_root_mean_squared_error streaming_sensitivity_at_specificity "
        "streaming_sparse_average_precision_at_k streaming_sparse_average_precision_at_top_k "
        "streaming_sparse_precision_at_k streaming_sparse_precision_at_top_k streaming_sparse_recall_at_k "
        "streaming_specificity_at_sensitivity streaming_true_negatives streaming_true_negatives_at_thresholds "
        "streaming_true_positives streaming_true_positives_at_thresholds",
    ),
    ("metrics", "sets", "set_difference=difference set_intersection=intersection set_size=size set_union=union"),
    ("nn", "nn", "conv1d_transpose"),
    ("nn", "tensorflow.python.ops.nn_ops", "nth_element"),
    ("nn", "tf1mem.v1.contrib.nn.alpha_dropout", "alpha_dropout"),
    (
        "nn",
        "tf1mem.v1.contrib.nn.cross_entropy",
        "deprecated_flipped_sigmoid_cross_entropy_with_logits deprecated_flipped_softmax_cross_entropy_with_logits "
        "deprecated_flipped_sparse_softmax_cross_entropy_with_logits",
    ),
    ("nn", "tf1mem.v1.contrib.nn.sampling_ops", "rank_sampled_softmax_loss sampled_sparse_softmax_loss"),
    ("nn", "tf1mem.v1.contrib.nn.scaled_softplus", "scaled_softplus"),
    ("opt", "tf1mem.v1.contrib.opt.adam_gs_optimizer", "AdamGSOptimizer"),
    ("opt", "tf1mem.v1.contrib.opt.adamax", "AdaMaxOptimizer"),
    ("opt", "tf1mem.v1.contrib.opt.addsign", "AddSignOptimizer"),
    ("opt", "tf1mem.v1.contrib.opt.agn_optimizer", "AGNCustomGetter AGNOptimizer"),
    ("opt", "tf1mem.v1.contrib.opt.drop_stale_gradient_optimizer", "DropStaleGradientOptimizer"),
    (
        "opt",
        "tf1mem.v1.contrib.opt.elastic_average_optimizer",
        "ElasticAverageCustomGetter ElasticAverageOptimizer",
    ),
    ("opt", "tf1mem.v1.contrib.opt.external_optimizer", "ExternalOptimizerInterface ScipyOptimizerInterface"),
    ("opt", "tf1mem.v1.contrib.opt.ggt", "GGTOptimizer"),
    ("opt", "tf1mem.v1.contrib.opt.lars_optimizer", "LARSOptimizer"),
    ("opt", "tf1mem.v1.contrib.opt.lazy_adam_gs_optimizer", "LazyAdamGSOptimizer"),
    ("opt", "tf1mem.v1.contrib.opt.lazy_adam_optimizer", "LazyAdamOptimizer"),
    ("opt", "tf1mem.v1.contrib.opt.model_average_optimizer", "ModelAverageCustomGetter ModelAverageOptimizer"),
    ("opt", "tf1mem.v1.contrib.opt.moving_average_optimizer", "MovingAverageOptimizer"),
    (
        "opt",
        "tf1mem.v1.contrib.opt.multitask_optimizer_wrapper",
        "MultitaskOptimizerWrapper clip_gradients_by_global_norm",
    ),
    ("opt", "tf1mem.v1.contrib.opt.nadam_optimizer", "NadamOptimizer"),
    ("opt", "tf1mem.v1.contrib.opt.powersign", "PowerSignOptimizer"),
    ("opt", "tf1mem.v1.contrib.opt.reg_adagrad_optimizer", "RegAdagradOptimizer"),
    ("opt", "tf1mem.v1.contrib.opt.shampoo", "ShampooOptimizer"),
    ("opt", "tf1mem.v1.contrib.opt.variable_clipping_optimizer", "VariableClippingOptimizer"),
    (
        "opt",
        "tf1mem.v1.contrib.opt.weight_decay_optimizers",
        "AdamWOptimizer DecoupledWeightDecayExtension MomentumWOptimizer extend_with_decoupled_weight_decay",
    ),
    (
        "predictor",
        "tf1mem.v1.contrib.predictor.predictor_factories",
        "from_contrib_estimator from_estimator from_saved_model",
    ),
    ("proto", "io", "decode_proto encode_proto"),
    (
        "quantize",
        "tf1mem.v1.contrib.quantize.quantize_graph",
        "create_eval_graph create_training_graph experimental_create_eval_graph experimental_create_training_graph",
    ),
    (
        "rnn",
        "nn.rnn_cell",
        "BasicLSTMCell BasicRNNCell DeviceWrapper DropoutWrapper GRUCell LSTMCell LSTMStateTuple MultiRNNCell RNNCell "
        "ResidualWrapper",
    ),
    ("rnn", "nn", "static_bidirectional_rnn static_rnn static_state_saving_rnn"),
    (
        "rnn",
        "tensorflow.python.ops.rnn",
        "best_effort_input_batch_size=_best_effort_input_batch_size transpose_batch_time=_transpose_batch_time",
    ),
    ("rnn", "tf1mem.v1.contrib.rnn.cells.base", "LayerRNNCell"),
    (
        "rnn",
        "tf1mem.v1.contrib.rnn.core_rnn_cell",
        "EmbeddingWrapper InputProjectionWrapper OutputProjectionWrapper",
    ),
    ("rnn", "tf1mem.v1.contrib.rnn.fused_rnn_cell", "FusedRNNCell FusedRNNCellAdaptor TimeReversedFusedRNN"),
    ("rnn", "tf1mem.v1.contrib.rnn.gru_ops", "GRUBlockCell GRUBlockCellV2"),
    ("rnn", "tf1mem.v1.contrib.rnn.lstm_ops", "LSTMBlockCell LSTMBlockFusedCell LSTMBlockWrapper"),
    ("rnn", "tf1mem.v1.contrib.rnn.rnn", "stack_bidirectional_dynamic_rnn stack_bidirectional_rnn"),
    (
        "rnn",
        "tf1mem.v1.contrib.rnn.rnn_cell",
        "AttentionCellWrapper BidirectionalGridLSTMCell CompiledWrapper Conv1DLSTMCell Conv2DLSTMCell Conv3DLSTMCell "
        "ConvLSTMCell CoupledInputForgetGateLSTMCell GLSTMCell GridLSTMCell HighwayWrapper IndRNNCell IndyGRUCell "
        "IndyLSTMCell IntersectionRNNCell LayerNormBasicLSTMCell NASCell PhasedLSTMCell SRUCell TimeFreqLSTMCell "
        "UGRNNCell",
    ),
    (
        "seq2seq",
        "tf1mem.v1.contrib.seq2seq.attention_wrapper",
        "AttentionMechanism AttentionWrapper AttentionWrapperState BahdanauAttention BahdanauMonotonicAttention "
        "LuongAttention LuongMonotonicAttention hardmax monotonic_attention safe_cumprod",
    ),
    ("seq2seq", "tf1mem.v1.contrib.seq2seq.basic_decoder", "BasicDecoder BasicDecoderOutput"),
    (
        "seq2seq",
        "tf1mem.v1.contrib.seq2seq.beam_search_decoder",
        "BeamSearchDecoder BeamSearchDecoderOutput BeamSearchDecoderState FinalBeamSearchDecoderOutput tile_batch",
    ),
    ("seq2seq", "tf1mem.v1.contrib.seq2seq.beam_search_ops", "gather_tree"),
    ("seq2seq", "tf1mem.v1.contrib.seq2seq.decoder", "Decoder dynamic_decode"),
    (
        "seq2seq",
        "tf1mem.v1.contrib.seq2seq.helper",
        "CustomHelper GreedyEmbeddingHelper Helper InferenceHelper SampleEmbeddingHelper "
        "ScheduledEmbeddingTrainingHelper ScheduledOutputTrainingHelper TrainingHelper",
    ),
    ("seq2seq", "tf1mem.v1.contrib.seq2seq.loss", "sequence_loss"),
    (
        "signal",
        "signal",
        "frame hamming_window hann_window inverse_stft inverse_stft_window_fn linear_to_mel_weight_matrix "
        "mfccs_from_log_mel_spectrograms overlap_and_add stft",
    ),
    ("slim.data_decoder", "tf1mem.v1.contrib.slim.data.data_decoder", "DataDecoder"),
    ("slim.data_provider", "tf1mem.v1.contrib.slim.data.data_provider", "DataProvider"),
    ("slim.dataset", "tf1mem.v1.contrib.slim.data.dataset", "Dataset"),
    ("slim.dataset_data_provider", "tf1mem.v1.contrib.slim.data.dataset_data_provider", "DatasetDataProvider"),
    (
        "slim.evaluation",
        "tf1mem.v1.contrib.slim.evaluation",
        "checkpoints_iterator evaluate_once evaluation_loop wait_for_new_checkpoint",
    ),
    (
        "slim.learning",
        "tf1mem.v1.contrib.slim.learning",
        "add_gradients_summaries clip_gradient_norms create_train_op multiply_gradients train train_step",
    ),
    ("slim.model_analyzer", "tf1mem.v1.contrib.slim.model_analyzer", "analyze_ops analyze_vars tensor_description"),
    ("slim.nets.alexnet", "tf1mem.v1.contrib.slim.nets.alexnet", "alexnet_v2 alexnet_v2_arg_scope"),
    (
        "slim.nets.inception",
        "tf1mem.v1.contrib.slim.nets.inception",
        "inception_v1 inception_v1_arg_scope inception_v1_base inception_v2 inception_v2_arg_scope inception_v2_base "
        "inception_v3 inception_v3_arg_scope inception_v3_base",
    ),
    ("slim.nets.inception_v1", "tf1mem.v1.contrib.slim.nets.inception_v1", ""),
    ("slim.nets.inception_v2", "tf1mem.v1.contrib.slim.nets.inception_v2", ""),
    ("slim.nets.inception_v3", "tf1mem.v1.contrib.slim.nets.inception_v3", ""),
    ("slim.nets.overfeat", "tf1mem.v1.contrib.slim.nets.overfeat", "overfeat overfeat_arg_scope"),
    (
        "slim.nets.resnet_utils",
        "tf1mem.v1.contrib.slim.nets.resnet_utils",
        "Block conv2d_same resnet_arg_scope stack_blocks_dense subsample",
    ),
    (
        "slim.nets.resnet_v1",
        "tf1mem.v1.contrib.slim.nets.resnet_v1",
        "bottleneck resnet_arg_scope resnet_v1 resnet_v1_101 resnet_v1_152 resnet_v1_200 resnet_v1_50 resnet_v1_block",
    ),
    (
        "slim.nets.resnet_v2",
        "tf1mem.v1.contrib.slim.nets.resnet_v2",
        "bottleneck resnet_arg_scope resnet_v2 resnet_v2_101 resnet_v2_152 resnet_v2_200 resnet_v2_50 resnet_v2_block",
    ),
    ("slim.nets.vgg", "tf1mem.v1.contrib.slim.nets.vgg", "vgg_16 vgg_19 vgg_a vgg_arg_scope vgg_d vgg_e"),
    (
        "slim.parallel_reader",
        "tf1mem.v1.contrib.slim.data.parallel_reader",
        "ParallelReader get_data_files parallel_read single_pass_read",
    ),
    ("slim.prefetch_queue", "tf1mem.v1.contrib.slim.data.prefetch_queue", "prefetch_queue"),
    ("slim.queues", "tf1mem.v1.contrib.slim.queues", "NestedQueueRunnerError QueueRunners"),
    (
        "slim.summaries",
        "tf1mem.v1.contrib.slim.summaries",
        "add_histogram_summaries add_histogram_summary add_image_summaries add_image_summary add_scalar_summaries "
        "add_scalar_summary add_zero_fraction_summaries add_zero_fraction_summary",
    ),
    (
        "slim.tfexample_decoder",
        "tf1mem.v1.contrib.slim.data.tfexample_decoder",
        "BackupHandler BoundingBox Image ItemHandler ItemHandlerCallback LookupTensor SparseTensor TFExampleDecoder "
        "Tensor",
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
    ("testing", "tf1mem.v1.contrib.testing.fake_summary_writer", "FakeSummaryWriter"),
    (
        "testing",
        "tf1mem.v1.contrib.testing.util_test",
        "assert_summary latest_event_file latest_events latest_summaries simple_values_from_events to_summary_proto",
    ),
    ("tfprof", "tensorflow.python.profiler", "tfprof_logger"),
    ("tfprof", "tf1mem.v1.contrib.tfprof.profile_context", "ProfileContext"),
    ("tpu", "estimator.tpu", "InputPipelineConfig RunConfig TPUConfig TPUEstimator TPUEstimatorSpec"),
    (
        "tpu",
        "tpu",
        "CrossShardOptimizer batch_parallel bfloat16_scope core cross_replica_sum initialize_system "
        "outside_compilation replicate rewrite shard shutdown_system",
    ),
    ("training", "tf1mem.v1.contrib.training.bucket_ops", "bucket bucket_by_sequence_length"),
    (
        "training",
        "tf1mem.v1.contrib.training.device_setter",
        "GreedyLoadBalancingStrategy RandomStrategy byte_size_load_fn",
    ),
    (
        "training",
        "tf1mem.v1.contrib.training.evaluation",
        "StopAfterNEvalsHook SummaryAtEndHook evaluate_once evaluate_repeatedly get_or_create_eval_step "
        "wait_for_new_checkpoint",
    ),
    ("training", "tf1mem.v1.contrib.training.hparam", "HParams parse_values"),
    ("training", "tf1mem.v1.contrib.training.resample", "resample_at_rate weighted_resample"),
    ("training", "tf1mem.v1.contrib.training.sampling_ops", "rejection_sample stratified_sample"),
    (
        "training",
        "tf1mem.v1.contrib.training.sequence_queueing_state_saver",
        "NextQueuedSequenceBatch SequenceQueueingStateSaver batch_sequences_with_states",
    ),
    (
        "training",
        "tf1mem.v1.contrib.training.training",
        "add_gradients_summaries clip_gradient_norms clip_gradient_norms_fn create_train_op multiply_gradients train",
    ),
    ("tpu", "tensorflow.python.tpu.device_assignment", "DeviceAssignment device_assignment"),
    (
        "tpu",
        "tensorflow.python.tpu.ops.tpu_ops",
        "infeed_dequeue infeed_dequeue_tuple infeed_enqueue infeed_enqueue_tuple outfeed_dequeue outfeed_dequeue_tuple "
        "outfeed_enqueue outfeed_enqueue_tuple",
    ),
    ("tpu", "tensorflow.python.tpu.topology", "Topology"),
    ("tpu", "tensorflow.python.tpu.tpu_feed", "InfeedQueue"),
    ("tpu", "tensorflow.python.tpu.training_loop", "repeat while_loop"),
    ("tpu", "tf1mem.v1.contrib.tpu.tpu_estimator", "export_estimator_savedmodel"),
    # Files of contrib/tpu/python, which programs import.
    ("tpu", "tensorflow.python.tpu.ops", "tpu_ops"),
    (
        "tpu",
        "tensorflow.python.tpu",
        "bfloat16 datasets functional tensor_tracer topology tpu tpu_feed tpu_function tpu_optimizer tpu_sharding "
        "tpu_system_metadata training_loop",
    ),
    ("tpu.error_handling", "tf1mem.v1.contrib.tpu.error_handling", "ErrorRendezvous"),
    ("tpu.tpu_config", "tf1mem.v1.contrib.tpu.tpu_config", "InputPipelineConfig RunConfig TPUConfig"),
    ("tpu.tpu_context", "tf1mem.v1.contrib.tpu.tpu_context", "TPUContext"),
    ("tpu.tpu_estimator", "tf1mem.v1.contrib.tpu.tpu_estimator", "TPUEstimator TPUEstimatorSpec"),
    ("tpu.util", "tf1mem.v1.contrib.tpu.util", "MultiHostDatasetInitializerHook check_positive_integer"),
    ("training", "train", "checkpoints_iterator"),
    ("training", "tf1mem.v1.contrib.training.feeding_queue_runner", "FeedingQueueRunner"),
    ("util", "", "constant_value=get_static_value make_ndarray make_tensor_proto"),
    ("util", "tensorflow.python.framework.meta_graph", "ops_used_by_graph_def stripped_op_list_for_graph"),
    ("batching", "", "batch_function=nondifferentiable_batch_function"),
    ("compiler.xla", "xla.experimental", "compile"),
    ("compiler.jit", "xla.experimental", "experimental_jit_scope=jit_scope"),
    ("", "", "keras"),
)

# The part of TensorFlow's examples that tf1mem has, and the advice for all others.
_MNIST = "tutorials.mnist"
EXAMPLES = "Copy the file of TensorFlow 1.15 into the program"

_KEEP = "keep TensorFlow 1.15 for it, or copy its source into the program"
_GONE = "Nothing replaces it: " + _KEEP


class Advice(NamedTuple):
    """Advice that holds for some TensorFlow releases only.

    Attributes:
        text: The advice for those releases.
        last: The last of these releases.
        otherwise: The advice for all other releases.
    """

    text: str
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
    **{f"data.{name}": f"Use tf.data.{name}, its name since TensorFlow 1.4" for name in ("Dataset", "Iterator")},
    "data.CheckpointInputPipelineHook": "Save the iterator with tf.train.Checkpoint",
    "data.LMDBDataset": _IO,
    "data.read_batch_features": "Use tf.data.experimental.make_batched_features_dataset",
    "distribute": "Use the strategies of tf.distribute; for TPUs its experimental.TPUStrategy",
    "distributions": "Use tensorflow-probability (tfp.distributions)",
    "estimator": "Use the heads of tf.estimator (tf.estimator.BinaryClassHead, …), which have other arguments",
    "estimator.boosted_trees_classifier_train_in_memory": gone.ADVICE["estimator.BoostedTreesClassifier"],
    "estimator.boosted_trees_regressor_train_in_memory": gone.ADVICE["estimator.BoostedTreesRegressor"],
    "factorization": "For GMM use scikit-learn (sklearn.mixture.GaussianMixture); it has nothing for WALS",
    "feature_column.sequence_input_layer": "Use tf.keras.experimental.SequenceFeatures",
    "ffmpeg": _IO,
    "gan": "Use tensorflow_gan",
    "image": _addons("tfa.image"),
    "integrate": "Use tensorflow-probability (tfp.math.ode)",
    "learn": "Use tf.estimator, whose classes have other arguments",
    "learn.utils.export": "Use export_savedmodel of the estimator, which TensorFlow 1 has, too",
    "learn.utils.gc": "Use exports_to_keep of tf.contrib.learn.make_export_strategy",
    "mixed_precision": "Use tf.train.experimental.enable_mixed_precision_graph_rewrite",
    "model_pruning": "Use tensorflow_model_optimization",
    "nccl": "Use tf.distribute.MirroredStrategy with tf.distribute.NcclAllReduce",
    "resampler": _addons("tfa.image.resampler"),
    "saved_model": "Use tf.keras.models.load_model and Model.save",
    "session_bundle": "Save with tf.saved_model.simple_save, which TensorFlow 1 has, too",
    "sparsemax": _addons("tfa.activations.sparsemax"),
    "tensor_forest": gone.FORESTS,
    "text": "Use tensorflow_text",
    "tpu.session_support": gone.ADVICE["python.tpu.session_support"],
    "timeseries": "Use tensorflow-probability (tfp.sts)",
}


# Package of TensorFlow 1 -> the namespace that shows its names, and the start of the homes that are the package's own.
_PACKAGES = {
    "learn.estimators": ("learn", "tf1mem.v1.contrib.learn.estimators."),
    "learn.learn_io": ("learn.io", "tf1mem.v1.contrib.learn.learn_io."),
}


def _read() -> dict[str, str]:
    entries = ((namespace, home, entry.partition("=")) for namespace, home, names in HOMES for entry in names.split())
    table = {
        dotted_name(namespace, name): dotted_name(home, there or name) for namespace, home, (name, _, there) in entries
    }
    for package, (namespace, files) in _PACKAGES.items():
        table.update(
            {
                f"{package}.{name[len(namespace) + 1 :]}": home
                for name, home in list(table.items())
                if name.rpartition(".")[0] == namespace and home.startswith(files)
            }
        )
    in_slim = {name.partition(".")[2]: home for name, home in table.items() if _is_in_slim(name, home)}
    return {**{dotted_name("slim", name): home for name, home in in_slim.items()}, **table}


def _is_in_slim(name: str, home: str) -> bool:
    """Returns True for a name that contrib.slim has, too: all of layers; of framework variables and arg_scope."""
    files = ("train", "tf1mem.v1.contrib.framework.arg_scope", "tf1mem.v1.contrib.framework.variables")
    return name.startswith("layers.") or (name.startswith("framework.") and home.rpartition(".")[0] in files)


# "rnn.LSTMCell" -> "nn.rnn_cell.LSTMCell"
TABLE = _read()

_OURS = "tf1mem.v1.contrib."

# Every namespace of contrib. Importing any of them works, as in TensorFlow 1, because programs import more than they
# use; using a name without a home is an error.
NAMESPACES = (
    frozenset(name.rpartition(".")[0] for name in TABLE)
    | frozenset(
        "all_reduce bayesflow bigtable boosted_trees checkpoint cloud coder compiler constrained_optimization "
        "copy_graph crf cudnn_rnn decision_trees deprecated factorization ffmpeg gan graph_editor grid_rnn hadoop "
        "ignite image input_pipeline integrate kafka kernel_methods kfac kinesis labeled_tensor learn "
        "legacy_seq2seq libsvm linalg "
        "linear_optimizer mixed_precision model_pruning nccl nearest_neighbor opt optimizer_v2 "
        "periodic_resample predictor quantization quantize receptive_field recurrent reduce_slice_ops "
        "remote_fused_graph resampler rpc saved_model seq2seq session_bundle solvers sparsemax specs stat_summarizer "
        "tensor_forest tensorboard tensorrt testing text tfprof timeseries".split()
    )
) - {""}

# The modules that tf1mem implements, as paths below contrib.
MODULES = frozenset(home[len(_OURS) :] for _, home, _ in HOMES if home.startswith(_OURS)).union(
    # Modules whose names are in no namespace.
    "distributions.mvn_linear_operator layers.bucketization_op layers.sparse_ops layers.utils "
    "learn.estimators.metric_key learn.estimators.tensor_signature learn.learn_io.data_feeder "
    "learn.preprocessing.categorical_vocabulary nn.fwd_gradients opt.matrix_functions opt.sign_decay "
    "predictor.contrib_estimator_predictor predictor.core_estimator_predictor predictor.predictor "
    "predictor.saved_model_predictor quantize.common "
    "quantize.fold_batch_norms quantize.graph_matcher quantize.input_to_ops quantize.quant_ops quantize.quantize "
    "saved_model.reader seq2seq.sampler tfprof.model_analyzer training.tuner".split()
)

# Folders of TensorFlow 1 whose files have the names of the namespace's functions:
# contrib.image.python.ops.dense_image_warp is a file, contrib.image.dense_image_warp its function.
FOLDERS = {
    "data.python.ops": ("get_single_element",),
    "image.python.ops": ("dense_image_warp", "interpolate_spline", "sparse_image_warp"),
    "nn.python.ops": ("alpha_dropout", "scaled_softplus"),
}

# Folders below a `python` folder in TensorFlow 1 that tf1mem.v1.contrib leaves out.
_LEVELS = frozenset(
    "estimator framework layers learn losses metrics ops saved_model slim summary tpu training util".split()
)

# Files that tf1mem.v1.contrib lacks -> the namespace that has their names.
FILES = {
    **{
        dotted_name("data", file): "data"
        for file in (
            "counter enumerate_ops error_ops grouping iterator_ops parsing_ops prefetching_ops random_ops readers "
            "resampling scan_ops shuffle_ops unique writers"
        ).split()
    },
    "eager.tfe": "eager",
    **{dotted_name("estimator", file): "estimator" for file in "early_stopping extenders hooks logit_fns".split()},
    "framework.sort_ops": "framework",
    "learn.estimator": "learn.estimators.estimator",
    "learn.head": "learn.estimators.head",
    "learn.model_fn": "learn.estimators.model_fn",
    "learn.run_config": "learn.estimators.run_config",
    "layers.layers": "layers",
    "metrics.confusion_matrix_ops": "metrics",
    "metrics.set_ops": "metrics",
    "summary.summary": "summary",
    # Files that tf_slim has, too.
    "slim.layers": "layers",
    "slim.losses": "losses",
    "slim.metrics": "metrics",
    "slim.ops": "framework",
    "slim.training": "training",
    # The files of layers that programs import from contrib.slim.
    "slim.initializers": "layers.initializers",
    "slim.regularizers": "layers.regularizers",
    "slim.utils": "layers.utils",
}


def shortened(dotted: str) -> str:
    """Returns the path in tf1mem.v1.contrib for one of TensorFlow 1's: "rnn.python.ops.rnn_cell" is "rnn.rnn_cell".

    Args:
        dotted: The path below contrib.
    """
    parts = dotted.split(".")
    while "python" in parts[:-1]:
        at = parts.index("python")
        level = parts[at + 1] in _LEVELS and ".".join([*parts[:at], parts[at + 1]]) not in NAMESPACES
        del parts[at : at + 1 + level]
    for size in range(len(parts), 0, -1):
        file = ".".join(parts[:size])
        if file in FILES and file not in MODULES:
            return ".".join([FILES[file], *parts[size:]])
    return ".".join(parts)


def advice(name: str, release: Release) -> str:
    """Returns advice on a name of contrib without a home.

    Args:
        name: The name below contrib.
        release: TensorFlow's release, such as (2, 21).
    """
    while name not in ADVICE:
        name = name.rpartition(".")[0]
    entry = ADVICE[name]
    if isinstance(entry, str):
        return entry
    return entry.text if release <= entry.last else entry.otherwise


def has_example(dotted: str) -> bool:
    """Returns True if tf1mem.v1 has the file or name at a path below tensorflow.examples."""
    return (_MNIST + ".").startswith(dotted + ".") or f"{dotted}.".startswith(
        (_MNIST + ".input_data.", _MNIST + ".mnist.")
    )


def lacks(dotted: str, release: Release) -> tuple[str, str] | None:
    """Returns the part of a name below contrib that tf1mem.v1 lacks, with advice.

    Args:
        dotted: The name below contrib: "layers.conv2d", "seq2seq.python.ops.attention_wrapper".
        release: TensorFlow's release, such as (2, 21).

    Returns:
        The name and the advice. None for a name that tf1mem.v1 has, and for a namespace, which may be imported unused.
    """
    dotted = shortened(dotted)
    parts = dotted.split(".")
    if any(".".join(parts[:size]) in MODULES for size in range(1, len(parts) + 1)):
        return None
    namespace = dotted
    while namespace and namespace not in NAMESPACES:
        namespace = namespace.rpartition(".")[0]
    name = dotted[len(namespace) :].lstrip(".").partition(".")[0]
    path = dotted_name(namespace, name)
    if path in TABLE or not name:
        return None
    return path, advice(dotted if name == "python" else path, release)
