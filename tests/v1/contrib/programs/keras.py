"""Programs that use Keras's wrappers for scikit-learn, which Keras 2 removed later."""

import numpy as np

from tests.v1.contrib.raising import raised
from tests.v1.contrib.values import numbers

X, TARGETS = numbers(12, 4), numbers(12, 1, seed=2)
CLASSES = np.arange(12) % 3


def _making(tf, units, activation, loss, metrics=None):
    def make(rate=0.5):
        layers, weights = tf.keras.layers, tf.keras.initializers.Constant(numbers(4, units, seed=3))
        model = tf.keras.Sequential([layers.Dense(units, activation, kernel_initializer=weights, input_shape=(4,))])
        model.compile(tf.train.GradientDescentOptimizer(rate), loss, metrics=metrics)
        return model

    return make


def _trained(tf, kind, labels, make, **options):
    def run(sess):
        tf.keras.backend.set_session(sess)
        wrapper = getattr(tf.keras.wrappers.scikit_learn, kind)(
            make, epochs=3, batch_size=4, shuffle=False, verbose=0, **options
        )
        history = wrapper.fit(X, labels)
        parts = [history.history["loss"], wrapper.predict(X), wrapper.score(X, labels), sorted(wrapper.get_params())]
        if kind == "KerasClassifier":
            parts += [wrapper.predict_proba(X), wrapper.classes_, wrapper.n_classes_]
        return parts

    return run


def classes(tf):
    make = _making(tf, 3, "softmax", "sparse_categorical_crossentropy", ["accuracy"])
    return _trained(tf, "KerasClassifier", CLASSES * 10, make)


def classes_in_rows(tf):
    make = _making(tf, 3, "softmax", "categorical_crossentropy", ["accuracy"])
    return _trained(tf, "KerasClassifier", CLASSES, make, rate=0.1)


def two_classes(tf):
    make = _making(tf, 1, "sigmoid", "binary_crossentropy", ["accuracy"])
    return _trained(tf, "KerasClassifier", np.array(["no", "yes"])[CLASSES % 2], make)


def numbers_of_examples(tf):
    return _trained(tf, "KerasRegressor", TARGETS, _making(tf, 1, None, "mse"))


def parameters(tf):
    wrappers = tf.keras.wrappers.scikit_learn
    make = _making(tf, 1, None, "mse")

    class Own(wrappers.KerasRegressor):
        def __call__(self, rate=0.5):
            return make(rate)

    def run(sess):
        tf.keras.backend.set_session(sess)
        own = Own(rate=0.1, epochs=2, shuffle=False, verbose=0)
        losses = own.fit(X, TARGETS, epochs=1).history["loss"]
        accuracy = wrappers.KerasClassifier(_making(tf, 1, "sigmoid", "mse"), verbose=0)
        accuracy.fit(X, CLASSES % 2)
        return [
            losses,
            own.set_params(batch_size=2) is own,
            sorted(own.get_params()),
            own.filter_sk_params(make, {"verbose": 1}),
            raised((TypeError, ValueError), wrappers.KerasRegressor, make, nonsense=1),
            raised((TypeError, ValueError), own.set_params, nonsense=1),
            raised((TypeError, ValueError), wrappers.KerasClassifier(make).fit, X, numbers(12, 1, 1)),
            raised((TypeError, ValueError), accuracy.score, X, CLASSES % 2),
        ]

    return run
