"""Prints what a program for standalone Keras computes: the same on every Keras that stands for Keras 2.2.5."""

import json

import keras
import numpy as np
import tensorflow as tf
from keras import backend as K
from keras import callbacks, losses, metrics, objectives, optimizers, regularizers
from keras.engine import Layer
from keras.layers import (
    LSTM,
    Activation,
    ActivityRegularization,
    BatchNormalization,
    Bidirectional,
    Conv2D,
    Dense,
    Dropout,
    Embedding,
    Flatten,
    GaussianDropout,
    GaussianNoise,
    Input,
    Lambda,
    SpatialDropout1D,
)
from keras.layers.merge import _Merge
from keras.legacy import interfaces
from keras.models import Model, Sequential

NUMBERS = np.random.RandomState(0)
X = NUMBERS.rand(20, 5).astype("float32")
Y = NUMBERS.rand(20, 1).astype("float32")
STEPS = NUMBERS.rand(20, 4, 5).astype("float32")
results = {}


def start():
    K.clear_session()
    np.random.seed(5)
    tf.set_random_seed(3)


def fixed(model):
    """Gives a model weights that don't depend on a seed; all are above 0, as a moving variance has to be."""
    generator = np.random.RandomState(1)
    model.set_weights([generator.uniform(0.01, 0.3, weight.shape) for weight in model.get_weights()])
    return model


def trained(model, optimizer="sgd", x=X, y=Y, epochs=2, shuffle=False):
    model.compile(optimizer, "mse")
    history = model.fit(x, y, batch_size=5, epochs=epochs, verbose=0, shuffle=shuffle)
    return history.history["loss"] + [float(weight.sum()) for weight in model.get_weights()]


class Momentum(optimizers.Optimizer):
    def __init__(self, lr=0.01, **kwargs):
        super().__init__(**kwargs)
        self.iterations = K.variable(0, dtype="int64", name="iterations")
        self.lr = K.variable(lr, name="lr")

    @interfaces.legacy_get_updates_support
    def get_updates(self, loss, params):
        gradients = self.get_gradients(loss, params)
        self.updates = [K.update_add(self.iterations, 1)]
        self.weights = [K.zeros(K.int_shape(param)) for param in params]
        for param, gradient, moment in zip(params, gradients, self.weights):
            velocity = 0.9 * moment - self.lr * gradient
            self.updates += [K.update(moment, velocity), K.update(param, param + velocity)]
        return self.updates


class Scale(Layer):
    def build(self, shape):
        self.factor = K.variable(np.full(shape[1:], 0.5), name="factor")
        self.trainable_weights = [self.factor]
        super().build(shape)

    def call(self, inputs):
        return inputs * self.factor

    def compute_output_shape(self, shape):
        return shape


class Difference(_Merge):
    def _merge_function(self, inputs):
        return inputs[0] - 2 * inputs[1]


start()
layers = [Dense(3, input_dim=5), Dense(2, kernel_initializer="he_normal"), Activation("relu"), BatchNormalization()]
model = Sequential(layers)
results["first weights"] = [float(weight.sum()) for weight in model.get_weights()]
results["names"] = [layer.name for layer in model.layers] + [model.name] + [weight.name for weight in model.weights]
model = Sequential([Embedding(7, 3, input_length=4), Bidirectional(LSTM(3)), Dense(1, kernel_initializer="normal")])
results["kernels of cells"] = [
    float(weight.sum()) for weight in model.get_weights() if weight.shape not in ((3, 12), (12,))
]
results["names in wrappers"] = [weight.name for weight in model.weights]
model = Sequential([Conv2D(2, 3, input_shape=(5, 5, 1)), Flatten(), Dense(1, kernel_initializer="lecun_uniform")])
results["kernels of convolutions"] = [float(weight.sum()) for weight in model.get_weights()]
results["numpy after it"] = [np.random.rand()]

for name in ("sgd", "rmsprop", "adagrad", "adadelta", "adamax"):
    start()
    if name != "adamax":  # in Keras 2.2.5 it may read the number of steps before or after it is counted up
        results[name] = trained(fixed(Sequential([Dense(1, input_dim=5)])), name)
    results[name + "'s config"] = sorted(optimizers.get(name).get_config().items())
start()
clipped = optimizers.SGD(lr=0.1, clipnorm=0.01)
results["gradients clipped by one norm"] = trained(fixed(Sequential([Dense(1, input_dim=5)])), clipped)
start()
results["an optimizer of the program"] = trained(
    fixed(Sequential([Dense(1, input_dim=5)])), Momentum(0.05, clipnorm=1.0)
)
start()
model = fixed(Sequential([Dense(1, input_dim=5)]))
trained(model, optimizers.Adagrad())
model.save("model.h5")
start()
model = keras.models.load_model("model.h5")
model.fit(X, Y, batch_size=5, verbose=0, shuffle=False)
results["an optimizer's state of a file"] = [float(weight.sum()) for weight in model.get_weights()]

for name, (layer, argument) in {
    "dropout": (Dropout, 0.5),
    "noise": (GaussianNoise, 0.5),
    "multiplied noise": (GaussianDropout, 0.3),
    "activity": (ActivityRegularization, 0.1),
}.items():
    start()
    results[name] = trained(fixed(Sequential([layer(argument, input_shape=(5,)), Dense(1)])))
start()
model = Sequential([SpatialDropout1D(0.5, input_shape=(4, 5)), Flatten(), Dense(1)])
results["dropout of channels"] = trained(fixed(model), x=STEPS)
start()
results["shuffled"] = trained(fixed(Sequential([Dense(1, input_dim=5)])), epochs=3, shuffle=True)
start()
model = fixed(Sequential([BatchNormalization(input_shape=(5,)), Dense(1)]))
results["batch norm"] = trained(model) + model.predict(X[:3]).ravel().tolist()
start()
model = fixed(Sequential([BatchNormalization(input_shape=(4, 5, 1), axis=2), Flatten(), Dense(1)]))
results["batch norm of pictures"] = (
    trained(model, x=STEPS[..., None]) + model.predict(STEPS[:3, ..., None]).ravel().tolist()
)
start()
model = fixed(Sequential([Scale(input_shape=(5,)), Dense(1, activity_regularizer=regularizers.l2(0.1))]))
results["a layer of Keras 1"] = trained(model)
start()
inputs = Input((5,))
model = fixed(Model(inputs, Difference()([Dense(1)(inputs), Dense(1)(inputs)])))
results["a merging layer"] = trained(model)
start()
variable = tf.Variable(2.0, trainable=False)
inputs = Input((5,))
model = fixed(Model(inputs, Dense(1)(Lambda(lambda x: x * variable)(inputs))))
results["a variable of TensorFlow"] = trained(model)
start()
model = fixed(Sequential([Dense(2, input_dim=5), BatchNormalization(), Dense(1)]))
results["variables"] = trained(model, "adadelta")
lists = (tf.trainable_variables(), model.weights, model.optimizer.weights)
results["variables"] += [[variable.name for variable in variables] for variables in lists]
LABELS = np.array([[0, 1, 0], [1, 0, 0]], "float32")
OUTPUTS = np.array([[0.2, 0.7, 3], [-0.9, 0.5, 0]], "float32")
BINARY = (Y > 0.5).astype("float32")
CLASSES = np.arange(20) % 3
start()
for home in (losses, metrics):
    for name in ("hinge", "squared_hinge", "binary_crossentropy", "cosine_proximity", "cosine"):
        for function in (home.get(name), getattr(home, name)):
            value = K.eval(function(K.constant(LABELS), K.constant(OUTPUTS)))
            results.setdefault(f"{name} of {home.__name__.split('.')[-1]}", []).append(value.tolist())
values = K.constant([[-1, 1, 2], [0, 1, 3]]), K.constant([[-0.9, 0.6, 1.7], [0.2, 1.9, 3.2]])
results["objectives"] = K.eval(objectives.cosine_proximity(K.constant(LABELS), K.constant(OUTPUTS))).tolist()
results["binary accuracy rounds"] = K.eval(metrics.binary_accuracy(*values)).tolist()
for loss, activation, size, labels in (
    ("binary_crossentropy", "sigmoid", 1, BINARY),
    ("categorical_crossentropy", "softmax", 3, np.eye(3)[CLASSES]),
    ("sparse_categorical_crossentropy", "softmax", 3, CLASSES),
):
    start()
    model = Sequential([Dense(size, input_dim=5, activation=activation)])
    kernel = np.random.RandomState(1).uniform(-90, 90, (5, size))
    model.set_weights([kernel, np.zeros(size)])
    model.compile("sgd", loss, metrics=["accuracy"])
    history = model.fit(X, labels, batch_size=5, epochs=2, verbose=0, shuffle=False).history
    change = model.get_weights()[0] - kernel.astype("float32")
    results[f"saturated {loss}"] = [history["loss"], history["acc"], (10 * change).tolist()]
start()
model = Sequential([Dense(1, input_dim=5, activation="tanh")])
model.set_weights([np.array([[2.0], [-3.0], [1.0], [3.0], [-3.0]]), np.zeros(1)])
model.compile("sgd", "hinge", metrics=["acc", "cosine_proximity"])
history = model.fit(X, 2 * BINARY - 1, batch_size=5, epochs=2, verbose=0, shuffle=False).history
results["accuracy of -1 and 1"] = [[name, history[name]] for name in sorted(history)]
start()
model = fixed(Sequential([Embedding(4, 3, mask_zero=True, input_length=4), LSTM(3, return_sequences=True), Dense(1)]))
model.compile("sgd", "mse", sample_weight_mode="temporal")
words = np.arange(80).reshape(20, 4) * (np.arange(4) < 3) % 4
weights = (np.arange(80).reshape(20, 4) % 5).astype("float32")
history = model.fit(words, STEPS[..., :1], sample_weight=weights, batch_size=5, epochs=2, verbose=0, shuffle=False)
history = (
    history.history["loss"] + model.fit(words, STEPS[..., :1], batch_size=5, verbose=0, shuffle=False).history["loss"]
)
results["masks and weights of zero"] = history + [float(weight.sum()) for weight in model.get_weights()]


def root_of_mean(y_true, y_pred):
    return K.sqrt(K.mean(K.square(y_true - y_pred)))


start()
model = fixed(Sequential([Dense(1, input_dim=5)]))
model.compile("sgd", root_of_mean)
history = model.fit(X, Y, sample_weight=np.arange(20.0), batch_size=5, epochs=2, verbose=0, shuffle=False).history
results["a loss of a batch, with weights"] = history["loss"] + model.get_weights()[0].ravel().tolist()
start()
model = Sequential([Dense(1, input_dim=5)])
model.compile("sgd", "mse")
for name, options in {
    "val_auc": {},
    "val_acc_of_top": {},
    "val_loss": {"baseline": 0.01},
    "loss": {"min_delta": 0.01, "patience": 1, "restore_best_weights": True},
}.items():
    stopping = callbacks.EarlyStopping(name, **options)
    stopping.set_model(model)
    stopping.on_train_begin()
    model.stop_training, epoch = False, -1
    values = iter([0.5, 0.3, 0.4, 0.35, 0.299, 0.6, 0.7, 0.1])
    while not model.stop_training:
        epoch += 1
        model.set_weights([np.full(weight.shape, epoch) for weight in model.get_weights()])
        stopping.on_epoch_end(epoch, {name: next(values)})
    stopped = [epoch, stopping.stopped_epoch, float(model.get_weights()[0].sum())]
    results.setdefault("early stopping", []).append([name, *stopped])
# Up to TensorFlow 2.1, histories hold numbers of NumPy.
print(json.dumps(results, indent=1, sort_keys=True, default=float))
