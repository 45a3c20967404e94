# The names of `tf1mem.codemod` for editors and type checkers: __init__.py loads each name when it is first used.
from tf1mem.codemod.results import Change as Change
from tf1mem.codemod.results import Edit as Edit
from tf1mem.codemod.results import Remark as Remark
from tf1mem.codemod.results import Result as Result
from tf1mem.codemod.rewriting import TARGETS as TARGETS
from tf1mem.codemod.rewriting import rewrite as rewrite
