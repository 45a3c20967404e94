"""Trains a Keras model on adversarial pictures, made by the sign of the loss's gradient, in its own Session."""

import sys

import numpy as np
import tensorflow as tf
from tensorflow.python.keras import backend as K

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 5

tf.set_random_seed(21)
sess = tf.Session(config=tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True)))
tf.keras.backend.set_session(sess)
model = tf.keras.models.Sequential(
    [
        tf.keras.layers.Conv2D(8, 3, activation="relu", input_shape=(12, 12, 1)),
        tf.keras.layers.MaxPooling2D(),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(10),
    ]
)
x = tf.placeholder(tf.float32, [None, 12, 12, 1])
y = tf.placeholder(tf.float32, [None, 10])


def loss_of(pictures):
    return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=model(pictures)))


def attack(pictures, epsilon=0.1):
    (gradient,) = tf.gradients(loss_of(pictures), pictures)
    return tf.stop_gradient(tf.clip_by_value(pictures + epsilon * tf.sign(gradient), 0.0, 1.0))


loss = 0.5 * (loss_of(x) + loss_of(attack(x)))
train = tf.train.AdamOptimizer(0.005).minimize(loss, var_list=model.trainable_weights)
right = tf.reduce_mean(tf.to_float(tf.equal(tf.argmax(model(attack(x)), 1), tf.argmax(y, 1))))
K.get_session().run(tf.global_variables_initializer())
random = np.random.RandomState(22)
for step in range(STEPS):
    feed = {x: random.rand(16, 12, 12, 1), y: np.eye(10)[random.randint(0, 10, 16)]}
    _, value = sess.run([train, loss], feed)
    print("step %d loss %.9g" % (step, value))
print("right %.9g" % sess.run(right, feed))
