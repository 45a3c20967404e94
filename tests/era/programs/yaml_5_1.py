"""Calls PyYAML in ways that version 5.1 accepted, as programs of its time did."""
import io

import yaml
from yaml import load

TEXT = u"""
rate: 0.5
sizes: [1, 2, {a: null}]
when: 2018-05-01
pair: !!python/tuple [1, 2]
"""
print(yaml.load(TEXT), load(io.StringIO(TEXT))["pair"])
print(list(yaml.load_all(u"a: 1\n---\n[b, 2]\n")))
print(yaml.load(TEXT.replace(u"!!python/tuple ", u""), Loader=yaml.SafeLoader) == yaml.load(TEXT, yaml.Loader))
try:
    yaml.load(u"a: [1")
except yaml.YAMLError as error:
    print(type(error).__name__)
try:
    yaml.load(u"!unknown 1")
except yaml.YAMLError as error:
    print(type(error).__name__)
