"""Files with settings: YAML, JSON and text protos that are read, and files that are refused."""

from __future__ import annotations

import json
import os

import pytest

import tf1mem
from tf1mem.errors import (
    ConfigFileError,
    ConfigFileNotFoundError,
    SettingError,
    SettingTypeError,
    Tf1memError,
    UnknownFieldError,
)

# Each list contains the previous list nine times: ten lines, which expand to billions of numbers.
BOMB = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}' if n else '1'] * 9)}]\n" for n in range(10))
MERGES = "a0: &a0 {x: 1}\n" + "".join(
    "a{0}: &a{0} {{<<: [{1}]}}\n".format(n, ", ".join([f"*a{n - 1}"] * 9)) for n in range(1, 10)
)
ASKED = {"gpu_options.allow_growth": True, "gpu_options.per_process_gpu_memory_fraction": 0.4}


def test_json(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"gpu_options": {"allow_growth": True, "per_process_gpu_memory_fraction": 0.4}}))
    assert tf1mem.read(path).values == ASKED
    assert tf1mem.read(str(path)).values == ASKED


def test_json_with_a_byte_order_mark(tmp_path):
    path = tmp_path / "config.JSON"
    path.write_bytes(b'\xef\xbb\xbf{"gpu_options": {"allow_growth": true}}')
    assert tf1mem.read(path).values == {"gpu_options.allow_growth": True}


@pytest.mark.parametrize("ending", ["yaml", "yml"])
def test_yaml(tmp_path, ending):
    path = tmp_path / ("config." + ending)
    path.write_text("gpu_options:\n  allow_growth: true\n  per_process_gpu_memory_fraction: 0.4\n  allocator_type:\n")
    assert tf1mem.read(path).values == ASKED


def test_text_proto(tmp_path, tensorflow_version):
    path = tmp_path / "config.pbtxt"
    path.write_text(
        "# as TF1 programs kept it\ngpu_options { allow_growth: true per_process_gpu_memory_fraction: 0.4 }\n"
    )
    assert tf1mem.read(path).values == ASKED


def test_text_proto_with_an_unknown_field_names_the_nearest(tmp_path, tensorflow_version):
    path = tmp_path / "config.pbtxt"
    path.write_text("gpu_options { alow_growth: true }")
    with pytest.raises(ConfigFileError, match=r"alow_growth.*Did you mean gpu_options.allow_growth"):
        tf1mem.read(path)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.json", b"", "is empty"),
        ("a.json", b" \n", "is empty"),
        ("a.json", b"{", "is not JSON"),
        ("a.json", b"[1]", "holds list"),
        ("a.json", b"[" * 100000, "is not JSON"),
        ("a.yaml", b"a: [", "is not YAML"),
        ("a.yaml", b"just words", "holds str"),
        ("a.pbtxt", b"gpu_options {", "is not a ConfigProto as text"),
        ("a.pbtxt", b"\x00\x01\xff", "is binary"),
        ("a.json", b"\xff\xfe{\x00}\x00", "is binary"),
        (
            "a.json",
            b'{"gpu_options": {"allow_growth": true}, "gpu_options": {}}',
            "the key 'gpu_options' appears twice",
        ),
        ("a.json", b'{"device_count": {"GPU": 0, "GPU": 1}}', "the key 'GPU' appears twice"),
        (
            "a.yaml",
            b"gpu_options:\n  allow_growth: true\n  allow_growth: no\n",
            "line 3: the key 'allow_growth' appears",
        ),
        ("a.yaml", MERGES.encode(), "merges more keys|: a0: no ConfigProto"),  # PyYAML 6.0.4 merges each once
        ("a.toml", b"x = 1", "not a kind of file"),
        ("a", b"x = 1", "not a kind of file"),
    ],
)
def test_a_broken_file_is_refused_by_name(tmp_path, tensorflow_version, name, content, says):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises((ConfigFileError, UnknownFieldError), match=says) as caught:
        tf1mem.read(path)
    assert name in str(caught.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (BOMB + "device_filters: *a9", "hold more than"),
        ("gpu_options: &a\n  experimental: *a", "are nested more than"),
        ("device_filters: " + "[" * 100 + "]" * 100, "are nested more than"),
        ("allow_soft_placement: " + "9" * 4000, "is not a boolean"),
        ("? " + "k" * 5000 + "\n: 1", "has this field"),
    ],
)
def test_deeply_nested_or_expanding_text_is_refused_at_once_in_few_words(tmp_path, text, says):
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with pytest.raises((SettingError, SettingTypeError), match=says) as caught:
        tf1mem.read(path)
    assert len(str(caught.value)) < 600


def test_yaml_may_merge_and_put_a_key_above_a_merged_one(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text(
        "gpu_options: &a {allow_growth: false}\n"
        "pluggable_device_options: &b {<<: *a, allow_growth: true, allocator_type: BFC}\n"
        "experimental: {}\n<<: {gpu_options: {<<: *b, allow_growth: false}}\n"
    )
    values = tf1mem.read(path).values
    assert values == {
        "pluggable_device_options.allow_growth": True,
        "pluggable_device_options.allocator_type": "BFC",
    }


def test_a_missing_file_and_a_directory(tmp_path):
    for path in (tmp_path / "none.json", tmp_path, "bad\0name.json"):
        with pytest.raises(ConfigFileNotFoundError):
            tf1mem.read(path)
    with pytest.raises(FileNotFoundError):
        tf1mem.read(tmp_path / "none.json")


def test_settings_in_a_file_are_checked(tmp_path):
    path = tmp_path / "config.json"
    path.write_text('{"gpu_options": {"per_process_gpu_memory_fraction": NaN}}')
    with pytest.raises(SettingError, match=r"config\.json: .*per_process_gpu_memory_fraction"):
        tf1mem.read(path)
    path.write_text('{"gpu_options": {"growth": true}}')
    with pytest.raises(UnknownFieldError, match=r"gpu_options\.allow_growth"):
        tf1mem.read(path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.yaml", "device_count: {GPU: !!int ''}"), ("c.yaml", "device_count: {GPU: !!int '_'}"),
        ("c.yaml", "device_count: {GPU: !!int '-'}"), ("c.yaml", "device_count: {GPU: !!float ''}"),
        ("c.yaml", "allow_soft_placement: !!bool zz"), ("c.yaml", "placement_period: !!timestamp zz"),
        ("c.yaml", "placement_period: 2001-99-99"), ("c.yaml", "? !!timestamp zz\n: 1"),
        ("c.yaml", "placement_period: !!binary '\u00ff'"), ("c.yaml", "!!omap [1]"), ("c.yaml", "!!set {a, a}"),
        ("c.yaml", "placement_period: 0x" + "f" * 500_000), ("c.yaml", "placement_period: " + "1:" * 200_000 + "1"),
        ("c.yaml", "placement_period: " + "1:" * 200_000 + "1.0"), ("c.yaml", "placement_period: " + "9" * 500_000),
        ("c.yaml", "placement_period: 0b" + "1" * 500_000), ("c.yaml", "? " + "9" * 5000 + "\n: 1"),
        ("c.yaml", "cluster_def: {job: [{name: a, tasks: {1: a, 0x1: b}}]}"),
        ("c.yaml", "\n".join(map("k{0}: 1".format, range(60_000)))),
        ("c.json", '{"placement_period": ' + "9" * 500_000 + "}"),
        ("c.json", '{"placement_period": -' + "9" * 5000 + "}"),
        ("c.json", '{"' + "k" * 500_000 + '": 1}'), ("c.json", "[" * 100_000), ("c.json", '{"a":' * 100_000),
        ("c.json", json.dumps({f"k{n}": n for n in range(60_000)})),
        ("c.json", json.dumps({f"k{n}": n for n in range(60_000)})[:-1] + ', "k59999": 1}'),
        ("c.json", json.dumps({"device_count": {f"k{n}": n for n in range(60_000)}})),
        ("c.json", '{"a": "' + "x" * 2**20 + '"}'),
        ("c.pbtxt", "placement_period: 0x" + "f" * 500_000), ("c.pbtxt", "placement_period: " + "9" * 500_000),
        ("c.pbtxt", "placement_period: 0" + "7" * 500_000), ("c.pbtxt", "k" * 500_000 + ": 1"),
        ("c.pbtxt", "device_count { key: 'a' value: 1 } " * 25_000), ("c.pbtxt", "gpu_options { " * 100_000),
        ("c.pbtxt", "gpu_options { experimental { " + "virtual_devices { memory_limit_mb: 1 } " * 20_000 + "} }"),
    ],
)  # fmt: skip
def test_long_or_odd_text_is_refused_in_few_words(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(Tf1memError) as caught:
        tf1mem.read(path)
    assert len(str(caught.value)) < 700 + len(str(path))


def test_a_value_that_is_not_of_its_yaml_tag_is_named(tmp_path):
    path = tmp_path / "c.yaml"
    for value, wrong in (
        ("!!int ''", "'' is no !!int"),
        ("!!bool zz", "'zz' is no !!bool"),
        ("!!timestamp zz", "'zz' is no !!timestamp"),
        ("2001-99-99", "'2001-99-99' is no !!timestamp"),
    ):
        path.write_text(f"device_count:\n  GPU: {value}\n")
        with pytest.raises(ConfigFileError, match=f"line 2: {wrong}"):
            tf1mem.read(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_pipes_devices_and_huge_files_are_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "zero.yaml").symlink_to("/dev/zero")
    (tmp_path / "sparse.pbtxt").touch()
    os.truncate(tmp_path / "sparse.pbtxt", 2**40)
    for name, wrong in (
        ("pipe.json", "is a pipe or a device, not a file"),
        ("zero.yaml", "is a pipe or a device, not a file"),
        ("sparse.pbtxt", "is larger than 1 MiB"),
    ):
        with pytest.raises(ConfigFileError, match=wrong):
            tf1mem.read(tmp_path / name)
    for path in ("/dev/zero", "/dev/stdin"):
        with pytest.raises(ConfigFileError, match="is not a kind of file that is read"):
            tf1mem.read(path)
    for path in ("x" * 2**20 + ".json", __file__ + "/c.json"):
        with pytest.raises(ConfigFileNotFoundError, match="there is no such file") as caught:
            tf1mem.read(path)
        assert len(str(caught.value)) < 600
