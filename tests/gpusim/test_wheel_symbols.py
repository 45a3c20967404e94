"""`wheel_symbols` lists the CUDA functions that a TensorFlow wheel needs and the simulator lacks."""

from __future__ import annotations

from wheel_symbols import missing


def test_new_names_of_a_wheel(tmp_path):
    for version, names in (("old", b"cublasOld\0"), ("new", b"cublasOld\0cuInit\0cuNew_v2\0cublasLtNew\0custom\0")):
        (tmp_path / version).mkdir()
        (tmp_path / version / "libtensorflow_framework.so.2").write_bytes(b"\x7fELF\0" + names)
    new = ["symbols/cublaslt.txt cublasLtNew", "symbols/cuda.txt cuNew_v2"]
    assert missing(tmp_path / "new", tmp_path / "old") == new
    assert missing(tmp_path / "new") == ["symbols/cublas.txt cublasOld", *new]
