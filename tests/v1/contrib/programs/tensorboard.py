"""Programs that use tf.contrib.tensorboard, which writes a file for TensorBoard's projector."""

import os
import tempfile

from tests.v1.contrib.raising import raised


def _embeddings(projector):
    config = projector.ProjectorConfig(model_checkpoint_path="model.ckpt")
    embedding = config.embeddings.add()
    embedding.tensor_name, embedding.metadata_path = "words", "words.tsv"
    embedding.sprite.image_path = "digits.png"
    embedding.sprite.single_image_dim.extend([28, 28])
    config.embeddings.extend([projector.EmbeddingInfo(tensor_path="t.tsv", bookmarks_path="b", tensor_shape=[2, 3])])
    return config


def a_configuration_is_written(tf):
    from tensorflow.python.summary.writer.writer import FileWriter

    projector, folder = tf.contrib.tensorboard.plugins.projector, tempfile.mkdtemp()
    config = _embeddings(projector)
    config.embeddings[1].sprite.CopyFrom(tf.contrib.tensorboard.plugins.projector.SpriteMetadata(image_path="p.png"))
    with tf.Graph().as_default(), FileWriter(folder) as writer:
        result = tf.contrib.tensorboard.plugins.projector.visualize_embeddings(writer, config)
        with open(os.path.join(folder, "projector_config.pbtxt"), "rb") as file:
            text = file.read().decode()
    empty = tf.contrib.tensorboard.plugins.projector.ProjectorConfig()
    read = projector.projector_config_pb2.ProjectorConfig.FromString(config.SerializeToString())
    return [result, text, str(empty), read == config, empty == config, repr(config.DESCRIPTOR.full_name)]


def bad_arguments(tf):
    projector = tf.contrib.tensorboard.plugins.projector

    class Nowhere:
        def get_logdir(self):
            return None

    return [
        raised(ValueError, projector.visualize_embeddings, Nowhere(), projector.ProjectorConfig()),
        raised(ValueError, tf.contrib.tensorboard.plugins.projector.EmbeddingInfo, no_such_field=1),
    ]
