"""A config that reaches its Session indirectly, as through a helper, is applied, becomes native, or gets a remark."""

from __future__ import annotations

import pytest

from tf1mem.codemod import rewrite

HEAD = "import functools\nimport tensorflow as tf\nconfig = tf.ConfigProto()\nconfig.gpu_options.allow_growth = True\n"
SHAPES = {
    "an item of a dict": "kw = {}\nkw['config'] = config\nsess = tf.Session(**kw)\n",
    "an item of a dict, from a helper": "def conf():\n    return config\nkw = {}\nkw['config'] = conf()\n"
    "sess = tf.Session(**kw)\n",
    "a dict literal": "kw = {'graph': None, 'config': config}\nsess = tf.Session(**kw)\n",
    "a dict literal in the call": "sess = tf.Session(**{'config': config})\n",
    "dict()": "sess = tf.Session(**dict(config=config))\n",
    "dict() of another dict": "base = {'config': config}\nsess = tf.Session(**dict(base, graph=None))\n",
    "update by a keyword": "kw = {}\nkw.update(config=config)\nsess = tf.Session(**kw)\n",
    "update by a dict": "kw = {}\nkw.update({'config': config})\nsess = tf.Session(**kw)\n",
    "setdefault": "def f(**kw):\n    kw.setdefault('config', config)\n    return tf.Session(**kw)\n",
    "in one of two dicts": "kw = {'config': config} if own else {}\nsess = tf.Session(**kw)\n",
    "a dict that is merged": "base = {'config': config}\nsess = tf.Session(**{**base, 'graph': None})\n",
    "a dict in an attribute": "class A:\n    def f(self):\n        self.kw = {'config': config}\n    def g(self):\n"
    "        return tf.Session(**self.kw)\n",
    "a dict in a dict": "kw = {'session': {'config': config}}\nsess = tf.Session(**kw['session'])\n",
    "a dict from a helper": "def kw():\n    return {'config': config}\nsess = tf.Session(**kw())\n",
    "keywords that a function passes on": "def make(**kw):\n    return tf.Session(**kw)\nsess = make(config=config)\n",
    "positional arguments": "args = ('', None, config)\nsess = tf.Session(*args)\n",
    "functools.partial": "make = functools.partial(tf.Session, config=config)\nsess = make()\n",
    "partial, imported by name": "from functools import partial\nsess = partial(tf.Session, config=config)()\n",
    "partial, called with the config": "make = functools.partial(tf.Session, graph=None)\nsess = make(config=config)\n",
    "partial, with a dict": "kw = {'config': config}\nmake = functools.partial(tf.Session, **kw)\n",
    "setattr": "setattr(own, 'config', config)\nsess = tf.Session(config=own.config)\n",
    "an attribute of a class": "class A:\n    config = config\nsess = tf.Session(config=A.config)\n",
    "a default of an argument": "def f(c=config):\n    return tf.Session(config=c)\nsess = f()\n",
    "an item of a tuple": "both = (1, config)\nsess = tf.Session(config=both[1])\n",
    "an item of a list": "sess = tf.Session(config=[config][0])\n",
    "unpacked": "a, c = 1, config\nsess = tf.Session(config=c)\n",
    "a conditional expression": "sess = tf.Session(config=config if own else tf.ConfigProto())\n",
    "an or expression": "sess = tf.Session(config=None or config)\n",
    "from a lambda": "conf = lambda: config\nsess = tf.Session(config=conf())\n",
    "a Session by a lambda": "make = lambda c: tf.Session(config=c)\nsess = make(config)\n",
    "a Session by its class in a variable": "make = tf.Session\nsess = make(config=config)\n",
    "a Session by its class in an attribute": "class A:\n    make = tf.Session\nsess = A.make(config=config)\n",
    "a Session by its class in a dict": "kinds = {'a': tf.Session}\nsess = kinds['a'](config=config)\n",
    "a Session by one of two classes": "sess = (tf.Session if own else tf.InteractiveSession)(config=config)\n",
    "a Session by one of two classes, by a name": "make = tf.Session if own else tf.InteractiveSession\n"
    "sess = make(config=config)\n",
    "super().__init__ of a subclass": "class S(tf.Session):\n    def __init__(self):\n"
    "        super().__init__(config=config)\n",
    "tf.Session.__init__ of a subclass": "class S(tf.Session):\n    def __init__(self):\n"
    "        tf.Session.__init__(self, config=config)\n",
    "a Session by getattr": "sess = getattr(tf, 'Session')(config=config)\n",
    "a class as an argument": "def make(kind, c):\n    return kind(config=c)\nsess = make(tf.Session, config)\n",
    "a class by another name, as an argument": "make = tf.Session\nsess = start(make, config)\n",
    "a class by an import's name, as an argument": "from tensorflow.compat.v1 import Session as S\n"
    "sess = start(S, config)\n",
    "a walrus": "sess = tf.Session(config=(c := config))\n",
    "copied": "import copy\nsess = tf.Session(config=copy.deepcopy(config))\n",
    "for a RunConfig": "kw = dict(session_config=config)\nrun = tf.estimator.RunConfig(**kw)\n",
    "for a Server": "kw = dict(config=config)\nserver = tf.train.Server({}, **kw)\n",
    "for a monitored Session": "kw = dict(config=config)\nsess = tf.train.MonitoredTrainingSession(**kw)\n",
    "for slim": "kw = {'session_config': config}\ntf.contrib.slim.learning.train(op, 'logs', **kw)\n",
    "for a Supervisor": "sv = tf.train.Supervisor()\nkw = {'config': config}\n"
    "sess = sv.prepare_or_wait_for_session('', **kw)\n",
}


@pytest.mark.parametrize("to", ["apply", "native"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_config_is_applied_or_gets_a_remark(shape, to):
    result = rewrite((HEAD + SHAPES[shape]).encode(), to=to)
    source = result.source.decode()
    # TFM301 and TFM302 don't count: they say only that the config stays, and not what to do with it.
    codes = {remark.code for remark in result.remarks} - {"TFM301", "TFM302"}
    assert "tf1mem.apply(" in source or codes or (to == "native" and "set_memory_growth(" in source), source
    again = rewrite(result.source, to=to)
    assert again.changes == ()


def test_a_config_applied_in_a_dict_gets_no_remark():
    result = rewrite((HEAD + SHAPES["a dict literal"] + SHAPES["dict()"]).encode(), to="apply")
    assert result.source.count(b"tf1mem.apply(") == 2
    assert result.remarks == ()
