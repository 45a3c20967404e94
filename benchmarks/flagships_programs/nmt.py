"""Starts TensorFlow's NMT tutorial as its README does: python -m nmt.nmt."""

import runpy

runpy.run_module("nmt.nmt", run_name="__main__", alter_sys=True)
