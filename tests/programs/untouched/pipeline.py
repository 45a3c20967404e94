"""Trains on a tf.data pipeline of examples in a file, in a MonitoredTrainingSession with hooks."""

import os
import sys
import tempfile

import numpy as np
import tensorflow as tf

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
FIELDS = {"image": tf.FixedLenFeature([], tf.string), "label": tf.FixedLenFeature([], tf.int64)}


def write(path):
    random = np.random.RandomState(13)
    with tf.python_io.TFRecordWriter(path) as writer:
        for _ in range(200):
            image = tf.train.Feature(
                bytes_list=tf.train.BytesList(value=[random.randint(0, 256, 400).astype(np.uint8).tobytes()])
            )
            label = tf.train.Feature(int64_list=tf.train.Int64List(value=[random.randint(0, 10)]))
            example = tf.train.Example(features=tf.train.Features(feature={"image": image, "label": label}))
            writer.write(example.SerializeToString())


def parse(serialized):
    fields = tf.parse_single_example(serialized, FIELDS)
    image = tf.reshape(tf.decode_raw(fields["image"], tf.uint8), [20, 20, 1])
    return tf.image.per_image_standardization(tf.to_float(image)), fields["label"]


class Printing(tf.train.SessionRunHook):
    def before_run(self, run_context):
        return tf.train.SessionRunArgs([tf.train.get_global_step(), loss])

    def after_run(self, run_context, run_values):
        print("step %d loss %.9g" % tuple(run_values.results))


path = os.path.join(tempfile.mkdtemp(), "examples.tfrecord")
write(path)
tf.set_random_seed(14)
dataset = tf.data.TFRecordDataset(path).map(parse, num_parallel_calls=2).repeat().shuffle(100, seed=15)
dataset = dataset.apply(tf.contrib.data.batch_and_drop_remainder(32)).prefetch(1)
images, labels = dataset.make_one_shot_iterator().get_next()
net = tf.layers.conv2d(images, 16, 5, activation=tf.nn.relu)
net = tf.layers.max_pooling2d(net, 2, 2)
logits = tf.layers.dense(tf.layers.flatten(net), 10)
loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
step = tf.train.get_or_create_global_step()
train = tf.train.AdagradOptimizer(0.01).minimize(loss, global_step=step)
hooks = [tf.train.StopAtStepHook(last_step=STEPS), tf.train.NanTensorHook(loss), Printing()]
with tf.train.MonitoredTrainingSession(hooks=hooks, config=tf.ConfigProto(log_device_placement=False)) as sess:
    while not sess.should_stop():
        sess.run(train)
os.remove(path)
os.rmdir(os.path.dirname(path))
