"""Settings files, good and bad."""

from __future__ import annotations

import json

import pytest

import tf1mem
from tf1mem.errors import ConfigFileError, ConfigFileNotFoundError, SettingError, UnknownFieldError

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
        ("a.toml", b"x = 1", "not a kind of file"),
        ("a", b"x = 1", "not a kind of file"),
    ],
)
def test_a_broken_file_is_refused_by_name(tmp_path, tensorflow_version, name, content, says):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ConfigFileError, match=says) as caught:
        tf1mem.read(path)
    assert name in str(caught.value)


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
