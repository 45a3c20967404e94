"""Both sides' printed text is compared, and the files that they write into their folder."""

from __future__ import annotations

import hashlib

import pytest

from tests.verifying.forked import certificate
from tests.verifying.planted import new
from tf1mem.verifying import places
from tf1mem.verifying.comparing import compare_points
from tf1mem.verifying.hashing import hashes
from tf1mem.verifying.printed import points

WARM = ("tf1mem.v1", "tf1mem.verifying.recording.start")
PROGRAM = """\
import time
import tensorflow as tf

w = tf.get_variable("w", [4, 1], initializer=tf.ones_initializer())
x = tf.placeholder(tf.float32, [None, 4], "x")
loss = tf.reduce_mean((tf.matmul(x, w) - 1.0) ** 2)
train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
writer = tf.summary.FileWriter("logs")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        value = float(sess.run([train, loss], {x: [[1.0, 2.0, 3.0, step]]})[1])
        print("step", step, "loss %.4f" % value, "in 0.1 s")
        shown = value
        tags = {"loss": shown, "queue/fraction_over_0_of_8_full": time.time() % 1}  # the second isn't compared
        values = [tf.Summary.Value(tag=tag, simple_value=tags[tag]) for tag in tags]
        writer.add_summary(tf.Summary(value=values), step)
with tf.Graph().as_default(), tf.Session() as sess:
    tf.get_variable("exported", initializer=[shown])
    sess.run(tf.global_variables_initializer())
    tf.train.Saver().save(sess, "./model/last")
"""


@pytest.mark.parametrize(
    ("old", "changed", "kind", "different"),
    [
        ("in 0.1 s", "in 7.5 s", None, (0, 0, 0)),
        ('"loss %.4f" % value', '"loss %.4f" % (1.01 * value)', "output", (3, 0, 0)),
        ("shown = value", "shown = 1.01 * value", "checkpoint", (0, 3, 1)),
    ],
    ids=["a time", "a printed loss", "a summary and a checkpoint"],
)
def test_a_changed_output_is_named_by_its_kind(old, changed, kind, different, warm, tmp_path):
    assert PROGRAM.count(old) == 1
    result = certificate(warm, tmp_path, new(PROGRAM), new(PROGRAM.replace(old, changed)), steps=6)
    difference = result["first_difference"]
    assert (difference and difference["kind"]) == kind, difference and difference["message"]
    outputs = result["outputs"]
    assert tuple(outputs[each]["different"] for each in ("printed", "summaries", "checkpoints")) == different
    assert [outputs[each]["values"] for each in ("printed", "summaries", "checkpoints")] == [6, 3, 1]
    assert [outputs[each]["one_side"] for each in outputs] == [[], [], []]


def test_the_hashes_of_a_program_and_of_the_data_that_it_read(tmp_path):
    """Hashes of a program and its data; a file that the program didn't read is left out if that is known."""
    files = tmp_path / "files"
    files.mkdir()
    for name in ("program.py", "read.txt", "unread.txt"):
        (files / name).write_text(name, encoding="utf-8")
    place = places.place_of(str(files / "program.py"))
    (tmp_path / "copied").mkdir()
    copy = places.copy(place, tmp_path / "copied" / "work")
    is_known = places._records_reading(copy.parent)
    (copy / "read.txt").read_text(encoding="utf-8")
    (copy / "read.txt").write_text("changed by the program", encoding="utf-8")
    result = hashes(place, place, copy, str(files / "read.txt"))
    digest = {name: hashlib.sha256(name.encode()).hexdigest() for name in ("program.py", "read.txt", "unread.txt")}
    assert result["files"] == {"program.py": digest["program.py"]}
    assert result["data"] == {name: digest[name] for name in ("read.txt", "unread.txt")[: 2 - is_known]}
    assert (result["data_left_out"], result["old_file"]) == (0, digest["read.txt"])


@pytest.mark.parametrize(
    ("old", "again", "now", "differs"),
    [
        ("loss 0.6931", "loss 0.6931", "loss 0.6932", False),
        ("loss 0.6931", "loss 0.6931", "loss 0.6940", True),
        ("loss 0.6931", "loss 0.6933", "loss 0.6950", False),
        ("7 of 10", "7 of 10", "8 of 10", True),
        ("7 of 10", "6 of 10", "8 of 10", False),
        ("[0.5]", "[0.5]", "[np.float32(0.50000006)]", False),
        ("3 ms/step, at 10:22:33, TensorFlow 1.15.5", "", "9 ms/step, at 11:00:01, TensorFlow 2.21.0", False),
        ("loss 0.5", "loss 0.5", "loss nan", True),
        ("[@train.py:148] loss 0.5", "", "[@train.py:146] loss 0.5", False),
        ("[@train.py:148] loss 0.5", "", "[@train.py:146] loss 0.8", True),
        ('File "train.py", line 12, in f', "", 'File "train.py", line 10, in f', False),
        ("Using TensorFlow 1 backend.", "", "Using TensorFlow 2 backend.", False),
        ("python 3.7, NumPy 1.18.5, version: 1.15", "", "python 3.11, NumPy 2.4.6, version: 2.21", False),
        ("tensorflow loss 1", "", "tensorflow loss 2", True),
        ("conversion 0.031", "", "conversion 0.30", True),
        ("numpy 0.4312 TensorFlow 1.5312", "", "numpy 0.4312 TensorFlow 1.9312", True),
        ("Keras 0.91", "", "Keras 0.95", True),
        ("\r1/2 0.1\r2/2 0.5", "2/2 0.5", "2/2 0.5", False),
        (  # the lines that log_device_placement prints
            "Device mapping:\n/job:localhost/task:0/device:GPU:0 -> device\na_1/b_3: (Shape): /job:local/device:CPU:0",
            "",
            "a_2/b_4: (Shape): /job:local/device:CPU:0",
            False,
        ),
    ],
)
def test_printed_numbers_differ_beyond_what_reruns_do(old, again, now, differs):
    lines = [points(text, "/work") for text in (old, again or old, now)]
    result = compare_points(lines[0], lines[1:2], lines[2])
    assert any(each.differs and not each.is_meaningless for each in result.values) == differs
    assert result.gaps == []
