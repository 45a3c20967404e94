"""In recipes for TensorFlow 2, the TensorFlow 1 code under "before" has the same settings as the script's config."""

from __future__ import annotations

import re

import pytest

from migration_guide.generating import recipes
from tf1mem.settings.settings import Settings

SCRIPTS = [script for script in recipes.scripts() if script.name.startswith("tf2/")]


@pytest.mark.parametrize("script", SCRIPTS, ids=[script.name for script in SCRIPTS])
def test_before_and_after_ask_for_the_same(script):
    import tensorflow as tf

    import tf1mem

    configs = recipes.configs(script)
    assert configs
    for config in configs:
        names = {"tf1mem": tf1mem, **dict(re.findall(r"^([A-Z_]+) = (\d+)$", script.source, re.MULTILINE))}
        names = {name: int(value) if isinstance(value, str) else value for name, value in names.items()}
        # The variables that the script's docstring sets.
        names["os"] = type("os", (), {"environ": dict(re.findall(r"-e (TF1MEM_\w+)=(\S+)", script.docstring))})
        after = Settings.of(eval(config.expression, names)).values
        assert after == Settings.of(config.tree).values
        before = tf.compat.v1.ConfigProto()
        statements = [line for line in config.before.splitlines() if line.startswith("config.")]
        exec("\n".join(statements), {"config": before})
        assert Settings.of(before).values == after, config


def test_hunks_show_what_differs_and_what_is_around_it():
    before = '"""Says."""\n' + "\n".join("abcdefghijklmnop")
    after = before.replace("c", "C").replace("n", "N")
    assert recipes.hunks(before, after) == (
        "\n".join("abcde") + "\n…\n" + "\n".join("lmnop"),
        "\n".join("abCde") + "\n…\n" + "\n".join("lmNop"),
    )
