"""A config that reaches its Session indirectly, as through a helper, is applied, becomes native, or gets a remark."""

from __future__ import annotations

import pytest

from tf1mem.codemod import rewrite

HEAD = "import functools\nimport tensorflow as tf\nconfig = tf.ConfigProto()\nconfig.gpu_options.allow_growth = True\n"
SHAPES = {
    "an item of a dict": "kw = {}\nkw['config'] = config\nsess = tf.Session(**kw)\n",
    "a helper's, as an item": "def conf():\n    return config\nkw = {}\nkw['config'] = conf()\n"
    "sess = tf.Session(**kw)\n",
    "a dict that is written out": "kw = {'graph': None, 'config': config}\nsess = tf.Session(**kw)\n",
    "a dict in the call": "sess = tf.Session(**{'config': config})\n",
    "dict()": "sess = tf.Session(**dict(config=config))\n",
    "dict(), of another": "base = {'config': config}\nsess = tf.Session(**dict(base, graph=None))\n",
    "update by a keyword": "kw = {}\nkw.update(config=config)\nsess = tf.Session(**kw)\n",
    "update by a dict": "kw = {}\nkw.update({'config': config})\nsess = tf.Session(**kw)\n",
    "setdefault": "def f(**kw):\n    kw.setdefault('config', config)\n    return tf.Session(**kw)\n",
    "in one of two dicts": "kw = {'config': config} if own else {}\nsess = tf.Session(**kw)\n",
    "a dict that is merged": "base = {'config': config}\nsess = tf.Session(**{**base, 'graph': None})\n",
    "an attribute's": "class A:\n    def f(self):\n        self.kw = {'config': config}\n    def g(self):\n"
    "        return tf.Session(**self.kw)\n",
    "a dict in a dict": "kw = {'session': {'config': config}}\nsess = tf.Session(**kw['session'])\n",
    "a dict of a helper's": "def kw():\n    return {'config': config}\nsess = tf.Session(**kw())\n",
    "keywords that are handed on": "def make(**kw):\n    return tf.Session(**kw)\nsess = make(config=config)\n",
    "arguments by their places": "args = ('', None, config)\nsess = tf.Session(*args)\n",
    "functools.partial": "make = functools.partial(tf.Session, config=config)\nsess = make()\n",
    "partial, by its name": "from functools import partial\nsess = partial(tf.Session, config=config)()\n",
    "partial, called with it": "make = functools.partial(tf.Session, graph=None)\nsess = make(config=config)\n",
    "partial, of a dict": "kw = {'config': config}\nmake = functools.partial(tf.Session, **kw)\n",
    "setattr": "setattr(own, 'config', config)\nsess = tf.Session(config=own.config)\n",
    "an attribute of a class": "class A:\n    config = config\nsess = tf.Session(config=A.config)\n",
    "a default": "def f(c=config):\n    return tf.Session(config=c)\nsess = f()\n",
    "an item of a tuple": "both = (1, config)\nsess = tf.Session(config=both[1])\n",
    "an item of a list": "sess = tf.Session(config=[config][0])\n",
    "unpacked": "a, c = 1, config\nsess = tf.Session(config=c)\n",
    "one of two": "sess = tf.Session(config=config if own else tf.ConfigProto())\n",
    "one, or another": "sess = tf.Session(config=None or config)\n",
    "a lambda's": "conf = lambda: config\nsess = tf.Session(config=conf())\n",
    "a Session by a lambda": "make = lambda c: tf.Session(config=c)\nsess = make(config)\n",
    "a Session by its class in a variable": "make = tf.Session\nsess = make(config=config)\n",
    "a Session by its class in an attribute": "class A:\n    make = tf.Session\nsess = A.make(config=config)\n",
    "a Session by its class in a dict": "kinds = {'a': tf.Session}\nsess = kinds['a'](config=config)\n",
    "a Session by one of two classes": "sess = (tf.Session if own else tf.InteractiveSession)(config=config)\n",
    "a Session by one of two classes, by a name": "make = tf.Session if own else tf.InteractiveSession\n"
    "sess = make(config=config)\n",
    "a class derived from it": "class S(tf.Session):\n    def __init__(self):\n"
    "        super().__init__(config=config)\n",
    "its __init__": "class S(tf.Session):\n    def __init__(self):\n        tf.Session.__init__(self, config=config)\n",
    "a Session by getattr": "sess = getattr(tf, 'Session')(config=config)\n",
    "a class that is handed to a function": "def make(kind, c):\n    return kind(config=c)\n"
    "sess = make(tf.Session, config)\n",
    "a class by another name, handed on": "make = tf.Session\nsess = start(make, config)\n",
    "a class by an import's name, handed on": "from tensorflow.compat.v1 import Session as S\n"
    "sess = start(S, config)\n",
    "a walrus": "sess = tf.Session(config=(c := config))\n",
    "copied": "import copy\nsess = tf.Session(config=copy.deepcopy(config))\n",
    "a RunConfig's": "kw = dict(session_config=config)\nrun = tf.estimator.RunConfig(**kw)\n",
    "a Server's": "kw = dict(config=config)\nserver = tf.train.Server({}, **kw)\n",
    "a monitored Session's": "kw = dict(config=config)\nsess = tf.train.MonitoredTrainingSession(**kw)\n",
    "slim's": "kw = {'session_config': config}\ntf.contrib.slim.learning.train(op, 'logs', **kw)\n",
    "a Supervisor's": "sv = tf.train.Supervisor()\nkw = {'config': config}\n"
    "sess = sv.prepare_or_wait_for_session('', **kw)\n",
}


@pytest.mark.parametrize("to", ["apply", "native"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_config_is_applied_or_gets_a_remark(shape, to):
    result = rewrite((HEAD + SHAPES[shape]).encode(), to=to)
    source = result.source.decode()
    # These two say only that a config doesn't become native: then it has to be applied, or get another remark.
    codes = {remark.code for remark in result.remarks} - {"TFM301", "TFM302"}
    assert "tf1mem.apply(" in source or codes or (to == "native" and "set_memory_growth(" in source), source
    again = rewrite(result.source, to=to)
    assert again.changes == ()


def test_a_config_applied_in_a_dict_gets_no_remark():
    result = rewrite((HEAD + SHAPES["a dict that is written out"] + SHAPES["dict()"]).encode(), to="apply")
    assert result.source.count(b"tf1mem.apply(") == 2
    assert result.remarks == ()
