"""The names of TensorFlow that the codemod knows; tests/recordings compares them with TensorFlow itself."""

from __future__ import annotations

import pytest

from tf1mem.names import tf1_names


@pytest.mark.parametrize(
    "name",
    """
    Session placeholder train.AdamOptimizer layers.dense contrib contrib.slim.nets app.flags estimator.RunConfig
    keras.backend.set_session compat.v1.estimator GPUOptions.Experimental flags.DEFINE_string test.mock.patch
    """.split(),
)
def test_gone_names(name):
    assert tf1_names.gone(name)
    assert not tf1_names.changed(name)


@pytest.mark.parametrize(
    "name",
    """
    constant train train.Checkpoint Sessions keras.layers.Dense compat.v1.Session no.such config.set_visible_devices
    compat.v1.flags compat.v1.test.mock
    """.split(),
)
def test_remaining_names(name):
    assert not tf1_names.gone(name)


def test_changed_names_and_their_lost_keywords():
    assert tf1_names.changed("reduce_sum")
    assert tf1_names.v1_only_keywords("reduce_sum") == {"keep_dims", "reduction_indices"}
    assert "keep_prob" in tf1_names.v1_only_keywords("nn.dropout")
    assert "use_resource" in tf1_names.v1_only_keywords("Variable")
    assert not tf1_names.changed("matmul")
    assert not tf1_names.v1_only_keywords("matmul")


def test_names_of_tensorflow_2_alone():
    assert tf1_names.tf2_only("config.set_visible_devices")
    assert tf1_names.tf2_only("distribute.coordinator.ClusterCoordinator")
    assert not tf1_names.tf2_only("config.experimental.set_memory_growth")
    assert not tf1_names.tf2_only("keras.layers.Dense")
