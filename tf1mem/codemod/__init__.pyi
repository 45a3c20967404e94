# What editors and type checkers know of `tf1mem.codemod`: __init__.py loads these names when they are first used.
from tf1mem.codemod.results import Change as Change
from tf1mem.codemod.results import Edit as Edit
from tf1mem.codemod.results import Remark as Remark
from tf1mem.codemod.results import Result as Result
from tf1mem.codemod.rewriting import TARGETS as TARGETS
from tf1mem.codemod.rewriting import rewrite as rewrite
