"""Each `tf.` name in the table CALLS exists in every TensorFlow version that the table claims, and in no other."""

from __future__ import annotations

from packaging.version import Version

from tf1mem.machine.call_versions import CALLS, calls_in
from tf1mem.machine.tensorflow import lookup


def test_the_names_are_there_in_just_the_versions_claimed(tensorflow_version):
    import tensorflow as tf

    claimed = calls_in(Version(tensorflow_version.base_version))
    present = {name for name in CALLS if lookup(tf, name) is not None}
    assert sorted(claimed) == sorted(present)
