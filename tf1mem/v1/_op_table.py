"""What functions of TensorFlow 2 make other ops than TensorFlow 1.15.5's do; tests/v1/seeds/counting.py writes the rows.

"16>8" is 16 ops on TensorFlow 1 where there are 8 here; in "2/9>3/7" the 2 and the 3 came before the first seed was
drawn. What comes before a colon says of which calls alone it is so: a
letter for each argument (`_op_counts.kind_of`).
"""

# ruff: noqa: E501
from __future__ import annotations

from typing import Any, Dict

from packaging.version import Version

from tf1mem.v1._op_counts import Table, parsed


def table(version: Any) -> Table:
    """The rows for a TensorFlow: those of the newest that was counted and isn't newer.

    Args:
        version: TensorFlow's; None counts as the newest.
    """
    found = {}
    for name, of_versions in ROWS.items():
        rows = [row for since, row in of_versions.items() if version is None or Version(since) <= version]
        found[name] = parsed(rows[-1]) if rows else ()
    return found


# Function -> the TensorFlow from which on it makes other ops -> which.
ROWS: Dict[str, Dict[str, str]] = {
    "assert_variables_initialized": {"2.4.4": "6>5"},
    "clip_by_global_norm": {"2.4.4": "22>21"},
    "feature_column.linear_model": {"2.4.4": "21>17"},
    "gradient Add": {"2.4.4": "0>0 7>7 7>8", "2.15.1": "0>0 7>5 7>7"},
    "gradient BroadcastTo": {"2.4.4": "4>5"},
    "gradient DivNoNan": {"2.15.1": "12>7"},
    "gradient Einsum": {"2.4.4": "0>*"},
    "gradient GatherV2": {"2.10.1": "13>13 55>61", "2.18.1": "13>13 55>63", "2.21.0": "13>12 55>62"},
    "gradient Max": {"2.4.4": "19>12 19>19", "2.10.1": "19>12 17>17"},
    "gradient Maximum": {"2.10.1": "11>10 13>11", "2.15.1": "13>11 11>8 11>9"},
    "gradient Mean": {"2.4.4": "13>13 25>22 6>6 DS:25>11 S0:23>11", "2.10.1": "13>13 23>20 6>6 DS:25>11 S0:23>11", "2.15.1": "14>13 24>20 6>6 DS:26>11 S0:23>11"},
    "gradient Minimum": {"2.10.1": "11>10", "2.15.1": "11>8"},
    "gradient Mul": {"2.4.4": "9>11 14>14 16>17 2>2 4>4 6>7 9>9 S0:9>10 SS:10>10", "2.15.1": "10>10 2>2 4>4 9>7 9>9 S0:16>14 SS:14>14"},
    "gradient Pow": {"2.4.4": "DD:21>21 S0:20>21", "2.15.1": "20>18 21>21"},
    "gradient Prod": {"2.4.4": "47>35 47>44", "2.10.1": "47>35 45>42"},
    "gradient RealDiv": {"2.15.1": "12>10 12>12 12>7"},
    "gradient SelectV2": {"2.15.1": "11>9"},
    "gradient SparseSoftmaxCrossEntropyWithLogits": {"2.4.4": "4>3"},
    "gradient SparseTensorDenseMatMul": {"2.10.1": "16>19"},
    "gradient SquaredDifference": {"2.4.4": "12>12 12>13 5>5", "2.15.1": "12>10 12>12 5>5"},
    "gradient StridedSlice": {"2.4.4": "2>4 2>5 2>6"},
    "gradient Sub": {"2.4.4": "1>1 8>8 8>9", "2.15.1": "1>1 8>6 8>8"},
    "gradient Sum": {"2.4.4": "16>13 16>2 4>4 4>5 21>9", "2.10.1": "14>11 16>2 4>4 4>5 21>9"},
    "gradient UnsortedSegmentSum": {"2.4.4": "5>15", "2.10.1": "7>15"},
    "image.crop_to_bounding_box": {"2.4.4": "4>4 28>6", "2.10.1": "4>16 28>18"},
    "image.decode_image": {"2.4.4": "76>1"},
    "image.per_image_standardization": {"2.10.1": "22>21"},
    "image.random_jpeg_quality": {"2.4.4": "0/3>0/7"},
    "image.resize_image_with_crop_or_pad": {"2.4.4": "10>10 57>13 7>7"},
    "is_non_decreasing": {"2.18.1": "31>29"},
    "is_strictly_increasing": {"2.18.1": "30>28"},
    "layer BatchNormalization": {"2.4.4": "3/20>3/19 3/26>3/26 3/32>3/30 3/42>3/42 2>1 12>11 14>12 140>140 144>144 145>145 149>149 19>19 23>23 27>25 28>28 29>29 31>31 32>32 33>33 35>35 36>36 38>38 39>39 40>40 41>41 44>44 46>46 48>48 38>51 52>54 42>55 57>59 61>61 64>64 65>65 68>68 70>70 71>71 73>73 74>74 76>76 77>77 78>78 79>79 82>82 83>83 84>84 10>9 D,built=t,fused=f:66>66 D,built=t,fused=f,training=0:56>56 D,built=t,fused=f,training=t:24>24 D,center=f,fused=f,scale=f,training=f:13>13 D,center=f,fused=f,scale=f,training=f:17>17 D,center=f,fused=t,renorm=t,scale=f,training=f:24>24 D,center=f,fused=t,scale=f,training=f:13>13 D,center=f,fused=t,scale=f,training=t:22>20 D,center=f,fused=t,training=t:24>22 D,fused=f:20>20 D,fused=f,scale=f,training=f:16>16 D,fused=f,scale=f,training=f:22>22 D,fused=t,renorm=t,scale=f,training=f:27>27 D,fused=t,scale=f:16>16 D,fused=t,scale=f,training=f:16>16 D,fused=t,scale=f,training=f:18>17 D,fused=t,scale=f,training=t:24>22 D,fused=t,training=f:14>13 D,fused=t,training=f:20>20 D,fused=t,training=t:26>24 S,built=t,center=f,fused=f,training=0:56>56 S,built=t,fused=f:66>66 S,built=t,fused=f,training=0:56>56 S,center=f,fused=f,scale=f,training=f:13>13 S,center=f,fused=f,scale=f,training=f:17>17 S,center=f,fused=t:17>17 S,center=f,fused=t,renorm=t,scale=f,training=f:24>24 S,center=f,fused=t,scale=f:54>56 S,center=f,fused=t,scale=f,training=t:22>20 S,center=f,fused=t,training=f:17>17 S,center=f,fused=t,training=t:24>22 S,fused=f:20>20 S,fused=f,renorm=t,scale=f,training=f:27>27 S,fused=f,scale=f,training=f:22>22 S,fused=t:14>13 S,fused=t:64>66 S,fused=t,renorm=t,scale=f,training=f:27>27 S,fused=t,scale=f,trainable=f,training=f:16>16 S,fused=t,scale=f,trainable=f,training=t:24>22 S,fused=t,scale=f,training=f:16>16 S,fused=t,scale=f,training=f:22>22 S,fused=t,scale=f,training=t:24>22 S,fused=t,trainable=f,training=f:14>13 S,fused=t,training=f:14>13 S,fused=t,training=f:17>16 S,fused=t,training=f:20>20 S,fused=t,training=t:26>24 S,fused=t,training=t:29>27", "2.10.1": "3/20>3/19 3/26>3/26 3/32>3/30 3/42>3/42 12>11 140>140 144>144 145>145 149>149 19>19 2>2 23>23 27>25 28>28 29>29 31>31 32>32 33>33 35>35 36>36 36>37 38>38 39>39 40>40 41>41 44>44 46>46 48>48 38>51 52>54 42>55 57>59 61>61 64>64 65>65 68>68 70>70 71>71 73>73 74>74 76>76 77>77 78>78 79>79 82>82 83>83 84>84 10>9 D,built=t,center=f,fused=t,training=t:14>13 D,built=t,fused=f:66>66 D,built=t,fused=f,training=0:56>56 D,built=t,fused=f,training=t:24>24 D,center=f,fused=f,scale=f,training=f:13>13 D,center=f,fused=f,scale=f,training=f:17>17 D,center=f,fused=t,renorm=t,scale=f,training=f:24>24 D,center=f,fused=t,scale=f,training=f:13>13 D,center=f,fused=t,scale=f,training=t:22>20 D,center=f,fused=t,training=t:24>22 D,fused=f:20>20 D,fused=f,scale=f,training=f:16>16 D,fused=f,scale=f,training=f:22>22 D,fused=t,renorm=t,scale=f,training=f:27>27 D,fused=t,scale=f:16>16 D,fused=t,scale=f,training=f:16>16 D,fused=t,scale=f,training=f:18>17 D,fused=t,scale=f,training=t:24>22 D,fused=t,training=f:14>13 D,fused=t,training=f:20>20 D,fused=t,training=t:26>24 S,built=t,center=f,fused=f,training=0:56>56 S,built=t,fused=f:66>66 S,built=t,fused=f,training=0:56>56 S,built=t,fused=t,scale=f,training=t:14>13 S,center=f,fused=f,scale=f,training=f:13>13 S,center=f,fused=f,scale=f,training=f:17>17 S,center=f,fused=t:17>17 S,center=f,fused=t,renorm=t,scale=f,training=f:24>24 S,center=f,fused=t,scale=f:54>56 S,center=f,fused=t,scale=f,training=t:22>20 S,center=f,fused=t,training=f:17>17 S,center=f,fused=t,training=t:24>22 S,fused=f:20>20 S,fused=f,renorm=t,scale=f,training=f:27>27 S,fused=f,scale=f,training=f:22>22 S,fused=t:14>13 S,fused=t:64>66 S,fused=t,renorm=t,scale=f,training=f:27>27 S,fused=t,scale=f,trainable=f,training=f:16>16 S,fused=t,scale=f,trainable=f,training=t:24>22 S,fused=t,scale=f,training=f:16>16 S,fused=t,scale=f,training=f:22>22 S,fused=t,scale=f,training=t:24>22 S,fused=t,trainable=f,training=f:14>13 S,fused=t,training=f:14>13 S,fused=t,training=f:17>16 S,fused=t,training=f:20>20 S,fused=t,training=t:26>24 S,fused=t,training=t:29>27", "2.15.1": "3/20>3/19 3/26>3/26 3/32>3/30 3/42>3/42 12>11 140>139 144>143 145>144 149>148 19>19 2>2 23>23 27>25 28>28 29>29 31>31 32>32 33>33 35>35 36>36 36>37 38>38 39>39 40>40 41>41 44>44 46>46 48>48 38>51 52>54 42>55 57>59 61>61 64>64 65>65 68>68 70>70 71>71 73>73 74>74 76>76 77>77 78>78 79>79 82>82 83>83 84>84 10>9 D,built=t,center=f,fused=t,training=t:14>13 D,built=t,fused=f:66>66 D,built=t,fused=f,training=0:56>56 D,built=t,fused=f,training=t:24>24 D,center=f,fused=f,scale=f,training=f:13>13 D,center=f,fused=f,scale=f,training=f:17>17 D,center=f,fused=t,renorm=t,scale=f,training=f:24>24 D,center=f,fused=t,scale=f,training=f:13>13 D,center=f,fused=t,scale=f,training=t:22>20 D,center=f,fused=t,training=t:24>22 D,fused=f:20>20 D,fused=f,scale=f,training=f:16>16 D,fused=f,scale=f,training=f:22>22 D,fused=t,renorm=t,scale=f,training=f:27>27 D,fused=t,scale=f:16>16 D,fused=t,scale=f,training=f:16>16 D,fused=t,scale=f,training=f:18>17 D,fused=t,scale=f,training=t:24>22 D,fused=t,training=f:14>13 D,fused=t,training=f:20>20 D,fused=t,training=t:26>24 S,built=t,center=f,fused=f,training=0:56>56 S,built=t,fused=f:66>66 S,built=t,fused=f,training=0:56>56 S,built=t,fused=t,scale=f,training=t:14>13 S,center=f,fused=f,scale=f,training=f:13>13 S,center=f,fused=f,scale=f,training=f:17>17 S,center=f,fused=t:17>17 S,center=f,fused=t,renorm=t,scale=f,training=f:24>24 S,center=f,fused=t,scale=f:54>56 S,center=f,fused=t,scale=f,training=t:22>20 S,center=f,fused=t,training=f:17>17 S,center=f,fused=t,training=t:24>22 S,fused=f:20>20 S,fused=f,renorm=t,scale=f,training=f:27>27 S,fused=f,scale=f,training=f:22>22 S,fused=t:14>13 S,fused=t:64>66 S,fused=t,renorm=t,scale=f,training=f:27>27 S,fused=t,scale=f,trainable=f,training=f:16>16 S,fused=t,scale=f,trainable=f,training=t:24>22 S,fused=t,scale=f,training=f:16>16 S,fused=t,scale=f,training=f:22>22 S,fused=t,scale=f,training=t:24>22 S,fused=t,trainable=f,training=f:14>13 S,fused=t,training=f:14>13 S,fused=t,training=f:17>16 S,fused=t,training=f:20>20 S,fused=t,training=t:26>24 S,fused=t,training=t:29>27"},
    "layer Conv1D": {"2.4.4": "0/14>0/13 0/15>0/14 0/24>0/24"},
    "layer Conv2D": {"2.4.4": "0/13>0/12 0/14>0/13 0/19>0/19 0/20>0/20 0/5>0/4 0/9>0/8 0/10>0/9"},
    "layer Conv2DTranspose": {"2.4.4": "0/30>0/20 0/34>0/24 0/39>0/25 0/53>0/39 0/52>0/42 31>17 sameD:0/31>0/21 sameD:0/32>0/22 sameD,built=t:25>15 sameD,data_format=channels_first:0/48>0/38 sameD,data_format=channels_first,use_bias=f:0/44>0/34 sameD,use_bias=f:0/27>0/17 sameS:0/31>0/21 sameS:0/32>0/22 sameS,built=t:25>15 sameS,data_format=channels_first:0/48>0/38 sameS,data_format=channels_first,use_bias=f:0/44>0/34 sameS,data_format=channels_first,use_bias=f:0/45>0/35 sameS,use_bias=f:0/28>0/18 validD:0/35>0/21 validD:0/36>0/22 validD,built=t:29>15 validD,data_format=channels_first,use_bias=f:0/48>0/34 validD,data_format=channels_first,use_bias=f:0/49>0/35 validD,use_bias=f:0/32>0/18 validS:0/35>0/21 validS:0/36>0/22 validS,built=t:29>15 validS,data_format=channels_first:0/52>0/38 validS,data_format=channels_first,use_bias=f:0/48>0/34 validS,use_bias=f:0/31>0/17 validS,use_bias=f:0/32>0/18"},
    "layer Conv3D": {"2.4.4": "0/9>0/8"},
    "layer Flatten": {"2.4.4": "D:8>2 S:2>2"},
    "linalg.expm": {"2.4.4": "166>189"},
    "linspace": {"2.4.4": "3>57", "2.15.1": "3>73"},
    "math.bessel_i0": {"2.4.4": "4>1"},
    "nn.embedding_lookup": {"2.15.1": "18>18 3>2 22>22 3>3"},
    "nn.embedding_lookup_sparse": {"2.4.4": "7>6", "2.15.1": "10>5"},
    "nn.sufficient_statistics": {"2.4.4": "11>12 6>6"},
    "nn.swish": {"2.10.1": "4>6"},
    "nn.weighted_moments": {"2.15.1": "16>15"},
    "parse_example": {"2.4.4": "5>6"},
    "parse_single_example": {"2.4.4": "2>6"},
    "parse_single_sequence_example": {"2.4.4": "4>9"},
    "python.data.ops.dataset_ops:DatasetV1.make_initializable_iterator": {"2.4.4": "6>8", "2.10.1": "6>3"},
    "python.feature_column.feature_column_v2:IdentityCategoricalColumn._transform_input_tensor": {"2.4.4": "39>1"},
    "python.ops.array_ops:matrix_diag": {"2.4.4": "1>5"},
    "python.ops.array_ops:matrix_diag_part": {"2.4.4": "1>3"},
    "python.ops.array_ops:matrix_set_diag": {"2.4.4": "1>2"},
    "python.ops.array_ops:one_hot": {"2.4.4": "Di:4>4 Si:4>4 Si,dtype=I:4>4 Si,off_value=f,on_value=f:6>4"},
    "python.ops.array_ops:ones": {"2.10.1": "1>1 2>2 LF:5>3 LI:6>3 l:3>3"},
    "python.ops.array_ops:repeat": {"2.4.4": "22>30 47>53"},
    "python.ops.array_ops:sparse_placeholder": {"2.4.4": "3>3 3>4"},
    "python.ops.array_ops:split": {"2.10.1": "2>1 3>2 5>4 Sli:3>3 V,axis=i,num_or_size_splits=i:4>3"},
    "python.ops.array_ops:zeros": {"2.10.1": "1>1 2>2 3>3 8>4"},
    "python.ops.confusion_matrix:confusion_matrix": {"2.4.4": "56>53 95>92 99>97"},
    "python.ops.math_ops:_ReductionDims": {"2.4.4": "0>0 1>1 0n:1>4 ?n:4>4 Vn:4>4", "2.10.1": "0>0 0n:1>4 ?n:4>4 Dn:1>1 Sn:1>1 Vn:4>1"},
    "python.ops.math_ops:_unsorted_segment_N": {"2.4.4": "2>15", "2.10.1": "4>15"},
    "python.ops.math_ops:saturate_cast": {"2.15.1": "5>4"},
    "python.ops.math_ops:tensordot": {"2.4.4": "11>1 23>19 11>3 11>5 12>6 12>8"},
    "python.ops.nn_ops:dropout_v2": {"2.4.4": "1/9>2/6 2/10>3/7 1/9>4/7 2/10>5/8 Df,noise_shape=n,seed=n:3/11>4/8 S0,noise_shape=n,seed=i:9>7 Sf,noise_shape=n,seed=i:10>7 Sf,noise_shape=n,seed=n:2/11>4/8", "2.10.1": "0>0/0 1/9>2/6 2/10>3/7 1/9>4/7 2/10>5/8 D,noise_shape=n,rate=f,seed=n:3/11>4/8 Df,noise_shape=n,seed=n:3/11>4/8 S,noise_shape=n,rate=f,seed=n:2/11>4/8 S0,noise_shape=n,seed=i:9>7 Sf,noise_shape=n,seed=i:10>7 Sf,noise_shape=n,seed=n:2/11>4/8"},
    "python.ops.random_ops:random_uniform": {"2.4.4": "2/6>0/1 0/4>0/4 3/7>1/2 1/5>1/5 2/6>2/6 3/4>3/4 3/7>3/5 3/7>3/7 6>1 7>2 3>3 4>4 6>6 7>7 ,maxval=f,minval=i,seed=i,shape=l:7>5 L,dtype=F,seed=n:4/8>2/3 S,dtype=I,maxval=i,seed=n:2/3>2/3 l00,seed=i:5>5", "2.10.1": "2/6>0/1 0/4>0/4 3/7>1/2 1/5>1/5 2/6>2/6 3/4>3/4 3/7>3/5 3/7>3/7 6>1 7>2 3>3 4>4 6>6 7>7 ,dtype=F,seed=n,shape=L:4/8>2/3 ,maxval=f,minval=i,seed=i,shape=l:7>5 S,dtype=I,maxval=i,seed=n:2/3>2/3 l00,seed=i:5>5"},
    "python.ops.tensor_array_ops:_GraphTensorArray.concat": {"2.15.1": "1>2"},
    "python.ops.tensor_array_ops:_GraphTensorArray.stack": {"2.4.4": "5>4 5>5"},
    "python.ops.variable_scope:_LazyEvalTensor.__init__": {"2.4.4": "0>*"},
    "python.ops.variable_scope:_LazyEvalTensor._as_tensor": {"2.4.4": "0>*"},
    "python.training.ftrl:FtrlOptimizer._create_slots": {"2.10.1": "6>8x 8>10x"},
    "python.training.ftrl:FtrlOptimizer._prepare": {"2.4.4": "4>12 5>14"},
    "python.training.saver:BaseSaverBuilder._AddShardedSaveOps": {"2.4.4": "12>15"},
    "random.gamma": {"2.4.4": "4/9>7/11 9>11"},
    "random.stateless_normal": {"2.10.1": "7>9"},
    "random.stateless_truncated_normal": {"2.10.1": "7>9"},
    "random.stateless_uniform": {"2.10.1": "8>10"},
    "signal.frame": {"2.4.4": "62>54"},
    "signal.rfft": {"2.4.4": "2>3"},
    "sparse.transpose": {"2.4.4": "17>11"},
    "train.polynomial_decay": {"2.4.4": "15>14 26>26", "2.10.1": "15>14 26>21"},
    "vectorized_map": {"2.4.4": "38>37", "2.15.1": "38>13"},
}
