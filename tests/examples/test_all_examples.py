"""Checks of all examples: each is in the README and has a test."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"


def scripts() -> set[str]:
    return {path.relative_to(EXAMPLES).as_posix() for path in EXAMPLES.glob("tf[12]/*.py")}


def test_every_example_has_a_test():
    tested = set()
    for path in HERE.glob("test_tf*.py"):
        tested.update(re.findall(r'@example\("(.+?)"', path.read_text(encoding="utf-8")))
    assert tested == scripts()


def test_every_example_has_its_line_in_the_readme():
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| \[`(.+?)`\]", readme, re.MULTILINE)) == scripts()


def test_tf1_examples_know_nothing_of_tf1mem():
    for path in (EXAMPLES / "tf1").glob("*.py"):
        assert not re.search("tf1mem|compat", path.read_text(encoding="utf-8")), path.name


def test_tf2_examples_use_nothing_of_tf1():
    for path in (EXAMPLES / "tf2").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert "tf1mem.apply(" in text, path.name
        assert not re.search(r"compat\.v1|tf\.(Session|ConfigProto)\b", text), path.name


def test_iris_is_fishers():
    lines = (EXAMPLES / "data" / "iris.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "sepal_length,sepal_width,petal_length,petal_width,species"
    rows = [line.split(",") for line in lines[1:]]
    counts = {name: sum(row[4] == name for row in rows) for name in ("setosa", "versicolor", "virginica")}
    assert counts == {"setosa": 50, "versicolor": 50, "virginica": 50}
    # The means of Fisher's Table I; copies with the two well-known typing errors differ in the second decimal.
    means = [round(sum(float(row[i]) for row in rows[:50]) / 50, 3) for i in range(4)]
    assert means == [5.006, 3.428, 1.462, 0.246]
