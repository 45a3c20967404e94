"""Prints what standalone Keras's training loops compute and its models write: the same as with Keras 2.2.5."""

import json
import os

import h5py
import keras
import numpy as np
import tensorflow as tf
from keras import backend as K
from keras.callbacks import Callback, ModelCheckpoint
from keras.layers import LSTM, BatchNormalization, Dense, Dropout, Input, Layer, Masking, TimeDistributed
from keras.layers.wrappers import Wrapper
from keras.models import Model, Sequential, load_model
from keras.utils import Sequence

NUMBERS = np.random.RandomState(0)
X = NUMBERS.rand(22, 5).astype("float32")
Y = (NUMBERS.rand(22, 1) > 0.5).astype("float32")
STEPS = NUMBERS.rand(22, 4, 3).astype("float32")
STEPS[:, 3:] = 0
STEPS[::2, 2:] = 0
WEIGHTS = NUMBERS.rand(22).astype("float32")
results = {}


def start():
    K.clear_session()
    np.random.seed(5)
    tf.set_random_seed(3)


def fixed(*models):
    """Gives models weights that don't depend on a seed; all are above 0, as a moving variance has to be."""
    generator = np.random.RandomState(1)
    for model in models:
        model.set_weights([generator.uniform(0.01, 0.3, weight.shape) for weight in model.get_weights()])
    return models[0]


def sums(*models):
    return [float(weight.sum()) for model in models for weight in model.get_weights()]


def root_of_mean(y_true, y_pred):
    return K.sqrt(K.mean(K.square(y_true - y_pred)))


def classifier():
    model = fixed(Sequential([Dense(4, activation="tanh", input_dim=5), Dense(1, activation="sigmoid")]))
    model.compile("sgd", "mse", metrics=[root_of_mean, "acc"], weighted_metrics=["mae", root_of_mean])
    return model


def items(history):
    """Returns the items of a history, in their order."""
    return [[name, list(values)] for name, values in history.history.items()]


class Scaled(Layer):
    """A layer with a variable and a layer that it doesn't train, among its attributes."""

    def __init__(self):
        super().__init__()
        self.factor = K.variable(2.0)
        self.parts = {"offset": K.variable(1.0)}
        self.inner = Dense(3, kernel_initializer="ones")

    def call(self, inputs):
        return self.inner(inputs) * self.factor + self.parts["offset"]

    def compute_output_shape(self, shape):
        return shape[0], 3


class Trained(Scaled):
    """A layer that trains the one among its attributes, and a variable."""

    def build(self, shape):
        self.inner.build(shape)
        self._trainable_weights += self.inner.trainable_weights
        self.trainable_weights = [*self.trainable_weights, self.factor]
        super().build(shape)


class ScaledDense(Dense):
    def __init__(self, units):
        super().__init__(units)
        self.factor = K.variable(3.0)

    def call(self, inputs):
        return super().call(inputs) * self.factor


class ScaledOutput(Wrapper):
    def __init__(self, layer):
        super().__init__(layer)
        self.factor = K.variable(0.5)

    def build(self, shape):
        self.layer.build(shape)
        super().build()

    def call(self, inputs):
        return self.layer.call(inputs) * self.factor

    def compute_output_shape(self, shape):
        return shape[0], 3


class Batches(Sequence):
    def __len__(self):
        return 3

    def __getitem__(self, index):
        return X[index * 8 : index * 8 + 8], Y[index * 8 : index * 8 + 8]


class Logs(Callback):
    def on_train_begin(self, logs=None):
        self.seen = []

    def on_batch_end(self, batch, logs=None):
        self.seen.append(sorted(logs.items()))

    def on_epoch_end(self, epoch, logs=None):
        self.seen.append(list(logs))


class Validated(Callback):
    def on_epoch_end(self, epoch, logs=None):
        self.sums = [float(np.sum(array)) for array in self.validation_data]


class Stopping(Callback):
    def on_batch_end(self, batch, logs=None):
        self.model.stop_training = batch == 1


PART = {"validation_data": (X[:9], Y[:9])}
start()
logs = Logs()
model = classifier()
history = model.fit(X, Y, 8, epochs=2, verbose=0, shuffle=False, sample_weight=WEIGHTS, callbacks=[logs], **PART)
results["metrics of batches"] = [items(history), logs.seen, model.metrics_names]
results["evaluation"] = model.evaluate(X, Y, batch_size=8, verbose=0, sample_weight=WEIGHTS)
results["evaluation of a batch"] = model.test_on_batch(X, Y)
results["evaluation of a generator"] = model.evaluate_generator(Batches(), workers=0)
for name, validation in (("a generator", Batches()), ("arrays", (X[:9], Y[:9]))):
    history = model.fit_generator(
        Batches(), epochs=2, verbose=0, shuffle=False, workers=0, validation_data=validation, validation_steps=3
    )
    results[f"a generator, validated by {name}"] = items(history)


def numbered():
    for start in range(10**6):
        begin = start % 5 * 4
        yield X[begin : begin + 4], Y[begin : begin + 4]


for name, validation in (("a generator", numbered()), ("a sequence", Batches())):
    for workers in (0, 1):
        model = classifier()
        model.fit_generator(Batches(), epochs=3, verbose=0, workers=workers, shuffle=False)
        history = model.fit_generator(
            Batches(), epochs=3, verbose=0, workers=workers, validation_data=validation, validation_steps=2
        )
        results[f"{workers} workers, validated by steps of {name}"] = history.history["val_loss"]
start()
model = classifier()
history = model.fit(tf.constant(X), tf.constant(Y), epochs=2, steps_per_epoch=2, verbose=0)
results["data in tensors"] = [items(history), model.evaluate(tf.constant(X), tf.constant(Y), steps=1, verbose=0)]
start()
model = classifier()
model.metrics_names.append("square")
model.metrics_tensors.append(K.mean(K.square(model.output)))
model.metrics_names += ["input"]
model.metrics_tensors.extend([K.mean(model.input)])
history = model.fit(X, Y, 8, epochs=2, verbose=0, shuffle=False, **PART)
results["appended metrics"] = [items(history), model.metrics_names, model.evaluate(X, Y, 8, verbose=0)]
start()
history = classifier().fit(X, Y, 8, epochs=2, verbose=0, shuffle=False, callbacks=[Stopping()], **PART)
results["stopped within an epoch"] = items(history)
for name, validation in (("data", PART), ("a split", {"validation_split": 0.2})):
    start()
    model = classifier()
    history = model.fit(X, Y, 8, epochs=4, verbose=0, **validation)
    model.evaluate(X, Y, verbose=0)
    results[f"shuffled, with {name}"] = [items(history), np.random.rand()]
start()
model = fixed(Sequential([Dense(1, input_dim=5)]))
model.compile(keras.optimizers.SGD(0.1, momentum=0.9), "mse")
history = model.fit(X, Y, 8, epochs=3, verbose=0, shuffle=False, class_weight={0: 1.0, 1: 2.0}, **PART)
results["class weights, and none for validation"] = [items(history), sums(model)]
for name, layers in (("a model", []), ("a model with dropout", [Dropout(0.5)])):
    for kind in ("arrays", "a generator"):
        start()
        model = fixed(Sequential([Dense(2, input_dim=5), *layers, Dense(1)]))
        model.compile("sgd", "mse")
        validated = Validated()
        options = dict(PART, verbose=0, callbacks=[validated])
        if kind == "arrays":
            model.fit(X, Y, 8, **options)
        else:
            model.fit_generator(Batches(), workers=0, **options)
        results[f"validation data of {name}, trained with {kind}"] = validated.sums
for name, make in {
    "adam": lambda: "adam",
    "amsgrad": lambda: keras.optimizers.Adam(amsgrad=True),
    "rmsprop with decay": lambda: keras.optimizers.RMSprop(decay=0.5),
}.items():
    start()
    model = fixed(Sequential([Dense(6, input_dim=5, activation="tanh"), Dense(5, activation="tanh"), Dense(1)]))
    model.compile(make(), "mse")
    before = model.get_weights()
    model.train_on_batch(X, Y)
    changes = zip(before, model.get_weights())
    results[f"the first step of {name}"] = float(max(abs(old - new).max() for old, new in changes))
start()
layers = [Masking(input_shape=(4, 3)), LSTM(3, return_sequences=True), TimeDistributed(Dense(1))]
model = fixed(Sequential(layers))
model.compile("sgd", "mse", metrics=["mae", root_of_mean])
history = model.fit(STEPS, STEPS[..., :1], 8, verbose=0, shuffle=False, validation_data=(STEPS[:9], STEPS[:9, :, :1]))
results["metrics with masks"] = items(history)
start()
inputs = Input((5,))
hidden = Dense(4, activation="tanh")(inputs)
model = fixed(Model(inputs, [Dense(1, name="a")(hidden), Dense(2, name="b", activation="softmax")(hidden)]))
model.compile(
    "sgd",
    ["mse", "categorical_crossentropy"],
    loss_weights=[1.0, 0.5],
    metrics={"a": ["mae"], "b": ["acc", root_of_mean]},
)
history = model.fit(
    X, [Y, np.hstack([Y, 1 - Y])], 8, epochs=2, verbose=0, shuffle=False, validation_split=0.3, callbacks=[logs]
)
results["several outputs"] = [items(history), logs.seen, model.metrics_names]

# A discriminator that is frozen between its compilation and its training, always, or while the generator is trained.
for name in ("frozen for good", "frozen in turn"):
    start()
    discriminator = Sequential([Dense(4, input_dim=5), BatchNormalization(momentum=0.8), Dense(1)])
    generator = Sequential([Dense(4, input_dim=3), BatchNormalization(momentum=0.8), Dense(5)])
    fixed(discriminator, generator)
    discriminator.compile(keras.optimizers.SGD(0.001), "mse")
    discriminator.trainable = False
    noise = Input((3,))
    both = Model(noise, discriminator(generator(noise)))
    both.compile(keras.optimizers.SGD(0.001), "mse")
    values = []
    for begin in (0, 8):
        discriminator.trainable = name == "frozen in turn"
        for samples, label in ((X[begin : begin + 8], 1), (generator.predict(STEPS[begin : begin + 8, 0]), 0)):
            values.append(discriminator.train_on_batch(samples, np.full((8, 1), label)))
        discriminator.trainable = False
        values.append(both.train_on_batch(STEPS[begin : begin + 8, 0], np.ones((8, 1))))
    results[f"a discriminator, {name}"] = [values, sums(discriminator, generator)]
start()
base = Sequential([Dense(4, input_dim=5), BatchNormalization(), Dense(3)])
base.trainable = False
base.layers[2].trainable = True
model = fixed(Sequential([base, Dense(1)]))
model.compile("sgd", "mse")
model.fit(X, Y, 8, verbose=0, shuffle=False)
results["a frozen model with a layer to train"] = [len(model.trainable_weights), sums(model)]
base.trainable = True
base.layers[0].trainable = False
base.trainable = False
base.trainable = True
results["a layer stays frozen"] = [layer.trainable for layer in base.layers]

for make in (Scaled, Trained, lambda: ScaledDense(3), lambda: ScaledOutput(Dense(3))):
    start()
    layer, inputs = make(), Input((5,))
    model = fixed(Model(inputs, Dense(1)(layer(inputs))))
    model._losses, model._per_input_losses = [], {}
    model.add_loss(0.1 * tf.reduce_mean(model.output))
    model.compile(keras.optimizers.SGD(0.001), "mse")
    history = model.fit(X, Y, 8, epochs=3, verbose=0, shuffle=False)
    counts = [len(layer.weights), len(layer.trainable_weights), len(model.weights), len(model.losses)]
    results[f"weights of {type(layer).__name__}"] = [history.history["loss"], sums(model), counts]

start()
model = classifier()
model.fit(X, Y, 8, epochs=2, verbose=0, callbacks=[ModelCheckpoint("{epoch:02d}.best", save_weights_only=True)])
for name in ("plain", "a.ckpt", "a.hdf5", "a.weights.h5", "a.keras"):
    model.save_weights(name)
    other = classifier()
    other.load_weights(name)
    model.save("whole " + name)
    loaded = [
        sums(other) == sums(model),
        sums(load_model("whole " + name, {"root_of_mean": root_of_mean})) == sums(model),
    ]
    results[f"saved as {name}"] = [h5py.is_hdf5(name), h5py.is_hdf5("whole " + name), *loaded]
model.save("without", True, False)
results["saved without an optimizer"] = "optimizer_weights" in h5py.File("without", "r")
results["files"] = sorted(name for name in os.listdir(".") if h5py.is_hdf5(name))
# Up to TensorFlow 2.1, histories hold numbers of NumPy.
print(json.dumps(results, indent=1, sort_keys=True, default=float))
