"""The functions that make a different number of ops on some TensorFlow 2 than on TensorFlow 1.

If a function differs only because it calls another one, the inner function is listed.
"""

from __future__ import annotations

from tf1mem.v1._seeds import GRADIENT, LAYER

_FUNCTIONS = """
    python.ops.variable_scope:_LazyEvalTensor.__init__
    python.ops.variable_scope:_LazyEvalTensor._as_tensor
    random.gamma
    random.stateless_normal
    random.stateless_truncated_normal
    random.stateless_uniform
    python.ops.random_ops:random_uniform
    python.ops.array_ops:matrix_diag
    python.ops.array_ops:matrix_diag_part
    python.ops.array_ops:matrix_set_diag
    python.ops.array_ops:one_hot
    python.ops.array_ops:ones
    python.ops.array_ops:repeat
    python.ops.array_ops:sparse_placeholder
    python.ops.array_ops:split
    python.ops.array_ops:zeros
    python.ops.math_ops:_ReductionDims
    python.ops.math_ops:saturate_cast
    python.ops.math_ops:tensordot
    python.ops.math_ops:_unsorted_segment_N
    linspace
    clip_by_global_norm
    linalg.expm
    math.bessel_i0
    math.bessel_i1
    python.ops.confusion_matrix:confusion_matrix
    signal.rfft
    signal.frame
    is_non_decreasing
    is_strictly_increasing
    parse_example
    parse_single_example
    parse_single_sequence_example
    sparse.transpose
    nn.swish
    nn.weighted_moments
    nn.sufficient_statistics
    nn.embedding_lookup
    nn.embedding_lookup_sparse
    python.ops.nn_ops:dropout_v2
    python.ops.tensor_array_ops:_GraphTensorArray.stack
    python.ops.tensor_array_ops:_GraphTensorArray.concat
    vectorized_map
    metrics.mean_per_class_accuracy
    train.polynomial_decay
    python.training.ftrl:FtrlOptimizer._create_slots
    python.training.ftrl:FtrlOptimizer._prepare
    python.feature_column.feature_column_v2:IdentityCategoricalColumn._transform_input_tensor
    python.training.saver:BaseSaverBuilder._AddShardedSaveOps
    assert_variables_initialized
    image.decode_image
    image.per_image_standardization
    image.random_flip_left_right
    image.random_flip_up_down
    image.random_jpeg_quality
    image.rgb_to_grayscale
    image.rgb_to_yuv
    image.yuv_to_rgb
    feature_column.linear_model
    python.data.ops.dataset_ops:DatasetV1._make_initializable_iterator
    python.data.ops.dataset_ops:DatasetV1.interleave
    python.data.ops.dataset_ops:DatasetV1.with_options
    python.data.ops.dataset_ops:DatasetV2.enumerate
    python.data.ops.readers:ParallelInterleaveDataset.__init__
    python.data.ops.readers:TFRecordDatasetV1.__init__
    python.data.experimental.ops.readers:CsvDatasetV1.__init__
    python.data.experimental.ops.prefetching_ops:_CopyToDeviceDataset.__init__
    data.experimental.choose_from_datasets
"""
# Functions that make a different number of ops by an exact rule -> a text of the recorded calls that reach them.
PUBLIC_CALLS = {
    "image.central_crop": "central_crop",
    "image.crop_to_bounding_box": "crop_to_bounding_box",
    "nn.moments": "nn.moments",
    "python.ops.array_ops:ones_like_v2": "compat.v2.ones_like",
    "python.ops.image_ops_impl:_CheckAtLeast3DImage": "tf.image.",
    "reduce_logsumexp": "reduce_logsumexp",
    "activations:selu": "activations.selu",
    "activations:softmax": "softmax",
    "backend:resize_images": "UpSampling2D",
    "backend:sqrt": "backend.sqrt",
    "losses:cosine_similarity": "cosine_proximity",
    "losses:mean_absolute_percentage_error": "absolute_percentage",
    "losses:mean_squared_logarithmic_error": "squared_logarithmic",
    "metrics.accuracy_metrics:top_k_categorical_accuracy": "metrics.top_k",
    "metrics.metrics:top_k_categorical_accuracy": "metrics.top_k",
    "regularizers:L1.__call__": "regularizers.l1",
    "optimizer_v2.optimizer_v2:OptimizerV2._aggregate_gradients": "_make_train_function",
    "optimizers.legacy.optimizer_v2:OptimizerV2._aggregate_gradients": "_make_train_function",
    "optimizers.optimizer_v2.optimizer_v2:OptimizerV2._aggregate_gradients": "_make_train_function",
    "regularizers:L2.__call__": "regularizers.l2",
    "utils.losses_utils:compute_weighted_loss": "keras.losses.MeanSquaredError(",
    "utils.metrics_utils:sparse_categorical_matches": "categorical_accuracy",
    "utils.metrics_utils:sparse_top_k_categorical_matches": "sparse_top_k_categorical_accuracy",
}
# The functions whose number of ops grows with the number of variables.
EACH = ("python.training.ftrl:FtrlOptimizer._create_slots",)
_LAYERS = (
    "BatchNormalization Conv1D Conv2D Conv3D Conv2DTranspose Conv3DTranspose Embedding Flatten LSTM GRU SimpleRNN "
    "TimeDistributed"
)
# `_tf1_gradients.py` counts the ops of other gradients.
_GRADIENTS = (
    "Div Prod Select SparseSoftmaxCrossEntropyWithLogits GatherV2 Split Squeeze BroadcastTo UnsortedSegmentSum "
    "Cholesky SparseTensorDenseMatMul Einsum TensorArrayGatherV3 Sign Merge Switch Enter Exit"
)
TARGETS = (
    *_FUNCTIONS.split(),
    *(LAYER + name for name in _LAYERS.split()),
    *(GRADIENT + name for name in _GRADIENTS.split()),
)
