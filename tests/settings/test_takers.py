"""The table of what takes a config, against TensorFlow's own signatures."""

from __future__ import annotations

from tf1mem.settings.takers import TAKERS

WARM = ["tensorflow"]


def test_one_row_for_each_name():
    names = [(taker.of, name) for taker in TAKERS for name in taker.names]
    assert len(names) == len(set(names))


def test_the_argument_is_where_the_table_says(python):
    found = python(
        """
        import inspect
        import tensorflow as tf
        from tf1mem.settings.takers import TAKERS

        for taker in TAKERS:
            for name in taker.names:
                value = tf.compat.v1
                for part in (taker.of + "." + name if taker.of else name).split("."):
                    value = getattr(value, part, None)
                if value is None:
                    continue
                parameters = list(inspect.signature(value).parameters)
                assert taker.keyword in parameters or "kwargs" in parameters, (name, parameters)
                if taker.position is not None:
                    assert parameters.index(taker.keyword) == taker.position + bool(taker.of), (name, parameters)
                print(name)
        """
    )
    assert {"Session", "train.Server", "enable_eager_execution", "managed_session", "test_session"} <= set(
        found.split()
    )
