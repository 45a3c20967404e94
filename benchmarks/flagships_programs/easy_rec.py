"""Starts EasyRec as its users do: python -m easy_rec.python.train_eval."""

import runpy

runpy.run_module("easy_rec.python.train_eval", run_name="__main__", alter_sys=True)
