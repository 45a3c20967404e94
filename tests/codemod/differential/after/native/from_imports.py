"""Names imported one by one, some from TensorFlow's own files."""

from tensorflow import ConfigProto, GPUOptions
from tensorflow.core.protobuf import config_pb2
from tensorflow.python.client.session import Session

config = ConfigProto(gpu_options=GPUOptions(allow_growth=True))
config.MergeFrom(config_pb2.ConfigProto(allow_soft_placement=True))
with Session(config=config) as sess:
    print(len(sess.list_devices()))
