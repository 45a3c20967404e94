"""Give Keras a Session that does not take the whole GPU (set_session)."""
import csv
import os

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K

config = tf.ConfigProto()
config.gpu_options.per_process_gpu_memory_fraction = 0.3
config.gpu_options.allow_growth = True
tf.keras.backend.set_session(tf.Session(config=config))

np.random.seed(7)
tf.set_random_seed(7)


def load_iris(path):
    with open(path) as f:
        rows = list(csv.reader(f))[1:]
    names = sorted(set(row[-1] for row in rows))
    x = np.array([row[:-1] for row in rows], dtype=np.float32)
    y = tf.keras.utils.to_categorical([names.index(row[-1]) for row in rows])
    order = np.random.permutation(len(x))
    return (x[order[:120]], y[order[:120]]), (x[order[120:]], y[order[120:]])


(x_train, y_train), (x_test, y_test) = load_iris(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "iris.csv"))

model = tf.keras.models.Sequential()
model.add(tf.keras.layers.Dense(16, activation="relu", input_shape=(4,)))
model.add(tf.keras.layers.Dropout(0.1))
model.add(tf.keras.layers.Dense(3, activation="softmax"))
model.compile(loss="categorical_crossentropy", optimizer=tf.keras.optimizers.Adam(0.02), metrics=["accuracy"])
model.summary()

model.fit(x_train, y_train, batch_size=16, epochs=40, verbose=0)
loss, accuracy = model.evaluate(x_test, y_test, verbose=0)
print("test loss %.3f, test accuracy %.3f" % (loss, accuracy))

print("Keras runs in", type(K.get_session()).__name__)
for device in K.get_session().list_devices():
    print(device.name, device.memory_limit_bytes // 1024**2, "MiB")

K.clear_session()
