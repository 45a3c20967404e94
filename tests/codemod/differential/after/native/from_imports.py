"""Names imported one by one, some from TensorFlow's own files."""

import tf1mem
from tensorflow.compat.v1 import ConfigProto, GPUOptions
from tensorflow.core.protobuf import config_pb2
from tensorflow.python.client.session import Session

config = ConfigProto(gpu_options=GPUOptions(allow_growth=True))
config.MergeFrom(config_pb2.ConfigProto(allow_soft_placement=True))
with Session(config=tf1mem.apply(config)) as sess:
    print(len(sess.list_devices()))
