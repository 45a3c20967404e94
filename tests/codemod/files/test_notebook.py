"""Notebooks: the Python that rules see, and edits that change nothing else."""

from __future__ import annotations

import json
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tf1mem.codemod import rewrite
from tf1mem.codemod.files import extract
from tf1mem.codemod.files.extracts import Extract, UnplaceableEdit
from tf1mem.codemod.files.fragments import is_unfinished
from tf1mem.codemod.results import Edit
from tf1mem.notebooks.reading import NotANotebook


def notebook(*sources, indent=1, nbformat=4, **more):
    """Returns a notebook as Jupyter writes it, with these sources of code cells."""
    key = "source" if nbformat == 4 else "input"
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], key: source} for source in sources]
    content = {"metadata": {}, "nbformat": nbformat, "nbformat_minor": 0, **more}
    content.update({"cells": cells} if nbformat == 4 else {"worksheets": [{"cells": cells, "metadata": {}}]})
    return json.dumps(content, indent=indent, ensure_ascii=False).encode() + b"\n"


def lines(text):
    """Returns a source as a list of lines, as Jupyter stores it."""
    return text.splitlines(keepends=True)


def sources(source):
    """Returns the sources of a notebook's code cells, as they are stored."""
    content = json.loads(source)
    cells = (
        content["cells"] if content["nbformat"] == 4 else [c for sheet in content["worksheets"] for c in sheet["cells"]]
    )
    return [cell.get("source", cell.get("input")) for cell in cells if cell["cell_type"] == "code"]


def applied(text, edits):
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end), reverse=True):
        assert 0 <= edit.start <= edit.end <= len(text)
        text = text[: edit.start] + edit.text + text[edit.end :]
    in_order = sorted(edits, key=lambda edit: (edit.start, edit.end))
    assert all(edit.end <= following.start for edit, following in zip(in_order, in_order[1:])), in_order
    return text


def edited(source, *edits):
    """Returns a notebook after edits of its Python, which are pairs of the old and the new bytes."""
    document = extract(source, "notebook")
    placed = []
    for old, new in edits:
        assert document.python.count(old) == 1, document.python
        start = document.python.index(old)
        placed.append(Edit(start, start + len(old), new))
    return applied(source, document.place(placed))


def before(source, where, new):
    """Returns a notebook after an insertion before a place in its Python."""
    document = extract(source, "notebook")
    start = document.python.index(where)
    return applied(source, document.place([Edit(start, start, new)]))


def python(*cells, **more):
    return extract(notebook(*cells, **more), "notebook").python.decode()


# The Python source that rules read


def test_code_cells_form_one_module():
    assert python("a = 1\n", "b = 2", "", [], ["c = 3\n", "d = 4"]) == "a = 1\n\nb = 2\nc = 3\nd = 4"


def test_other_cells_are_left_out():
    content = json.loads(notebook("a = 1", "b = 2", "c = 3"))
    content["cells"][0]["cell_type"], content["cells"][1]["cell_type"] = "markdown", "raw"
    document = extract(json.dumps(content).encode(), "notebook")
    assert document.python == b"c = 3"
    assert document.locate(0) == (1, 1, 1)


def test_nbformat_3():
    source = notebook(["a = 1\n", "b = 2"], "c = 3", nbformat=3)
    assert extract(source, "notebook").python == b"a = 1\nb = 2\nc = 3"
    assert sources(edited(source, (b"b = 2", b"b = 3\nx"))) == [["a = 1\n", "b = 3\n", "x"], "c = 3"]


def test_an_r_cell_of_nbformat_3():
    content = json.loads(notebook("a = 1", "b = 2", nbformat=3))
    content["worksheets"][0]["cells"][0]["language"] = "R"
    assert extract(json.dumps(content).encode(), "notebook").python == b"b = 2"


@pytest.mark.parametrize(
    "metadata",
    [
        {"kernelspec": {"name": "ir", "language": "R"}},
        {"language_info": {"name": "julia"}},
        {"kernelspec": {"name": "swift", "display_name": "Swift"}},
    ],
)
def test_a_notebook_in_another_language(metadata):
    document = extract(notebook("x = 1", metadata=metadata), "notebook")
    assert (document.python, document.cells, document.place([])) == (b"", (), [])
    assert document.locate(0) == (1, 1, None)


@pytest.mark.parametrize(
    "metadata",
    [{"kernelspec": {"name": "python2", "language": "python"}}, {"kernelspec": {"name": "my-env"}}, {}, None],
)
def test_a_notebook_in_python(metadata):
    assert python("print 1", metadata=metadata) == "print 1"


def test_cells_have_their_own_offsets():
    document = extract(notebook("def broken:\n", "", "x = 1"), "notebook")
    assert [document.python[start:end] for start, end in document.cells] == [b"def broken:\n", b"x = 1"]


def test_an_unfinished_cell_swallows_no_other():
    source = notebook("x = (1,", "y = 1", "'''\nz")
    document = extract(source, "notebook")
    assert document.python == b"y = 1\nx = (1,\n'''\nz"
    assert [document.locate(start) for start, _ in document.cells] == [(1, 1, 2), (1, 1, 1), (1, 1, 3)]
    edits = document.place([Edit(0, 1, b"a"), Edit(6, 7, b"b"), Edit(len(document.python), len(document.python), b"c")])
    assert applied(source, edits) == notebook("b = (1,", "a = 1", "'''\nzc")


@pytest.mark.parametrize(
    "cell",
    ["", "x", "f(\n[{}])", "'('", '"""\n"\\"""(\n"""', "'''''' '\\'('", "# (", "r'\\\\'", "print `x`, 'y'", "f'{x!r}('",
     "x \\\n + y", "f'{x[\"a\"]}'"],
)  # fmt: skip
def test_a_cell_that_python_can_run_is_finished(cell):
    assert not is_unfinished(cell.encode())


@pytest.mark.parametrize(
    "cell", ["(", "f(]", "x)", '"""', "'''\n'", "'", '"""\\"""', "x \\", "x \\\n", "# \n'", "'\n'"]
)
def test_a_cell_with_an_open_bracket_or_string_is_unfinished(cell):
    assert is_unfinished(cell.encode())


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        (b"", "isn't valid JSON"),
        (b"{", "isn't valid JSON: line 1, column 2"),
        (b'{"cells": [], "nbformat": 4}x', "isn't valid JSON"),
        (b'{"cells": ["\xff"], "nbformat": 4}', "isn't UTF-8"),
        (b"[]", "isn't a notebook"),
        (b"{}", "no nbformat"),
        (b'{"nbformat": 4}', "no list of cells"),
        (b'{"nbformat": 3, "cells": []}', "no list of worksheets"),
        (b'{"nbformat": 5, "cells": []}', "nbformat 5; 3 and 4"),
        (b'{"nbformat": 2, "worksheets": []}', "nbformat 2"),
        (b'{"nbformat": "4", "cells": []}', "nbformat '4'"),
        (b"[" * 200_000, "JSON"),
    ],
)
def test_not_a_notebook(source, wrong):
    with pytest.raises(NotANotebook, match=wrong):
        extract(source, "notebook")


@pytest.mark.parametrize("cell", [1, None, {}, {"cell_type": "code"}, {"cell_type": "code", "source": 3}, [[]]])
@pytest.mark.parametrize("after", [{}, {"source": [1]}])
def test_invalid_cells_are_left_out(cell, after):
    content = json.loads(notebook("x = 1"))
    content["cells"] = [cell, {"cell_type": "code", **after}, *content["cells"]]
    assert extract(json.dumps(content).encode(), "notebook").python == b"x = 1"


def test_the_last_of_repeated_keys_counts():
    source = b'{"cells": 1, "cells": [{"source": "a", "cell_type": "code", "source": "b"}], "nbformat": 4}'
    assert extract(source, "notebook").python == b"b"
    assert edited(source, (b"b", b"c")) == source.replace(b'"b"', b'"c"')


def test_a_key_with_escapes():
    source = b'{"\\u0063ells": [{"s\\u006furce": "a", "cell_type": "code"}], "nbformat": 4}'
    assert edited(source, (b"a", b"c")) == source.replace(b'"a"', b'"c"')


# Magics


@pytest.mark.parametrize(
    ("cell", "seen"),
    [
        ("%matplotlib inline\nx = 1", "#\nx = 1"),
        ("% matplotlib inline\r\nx = 1", "#\r\nx = 1"),
        ("x = 1\n!pip install x", "x = 1\n#"),
        ("!!ls\n?x\nx?\nx.y??\n%time?\n,f a\n;f a\n/f a\n", "#\n" * 8),
        ("!ls \\\n  -l \\\n  x\ny", "#\n#\n#\ny"),
        ("x = !ls\ny = %sql select\n", "x = None\ny = None\n"),
        ("x.y = a[1] = !ls | grep '\ny", "x.y = a[1] = None\ny"),
        ("y = %time f()\n", "y = f()\n"),
        ("%time x = f()  # so\n", "x = f()  # so\n"),
        ("%timeit -n 10 -r3 f()\n", "f()\n"),
        ("%time\n%time %run x\n%timeit\n", "#\n" * 3),
        ("if x:\n    !ls\nelse:\n    %cd x\n    y", "if x:\n    pass\nelse:\n    pass\n    y"),
        ("if x:\n    %time f()\n", "if x:\n    f()\n"),
        ("%%time\nx", "#\nx"),
        ("%%capture out --no-stderr\n%%time\n!ls\nx", "#\n#\n#\nx"),
        ("# @title x\n\n%%time\nx", "# @title x\n\n#\nx"),
        ("%%time?\nx", "#\nx"),
        ("    x = 1\n\n    if x:\n        y\n", "x = 1\n\nif x:\n    y\n"),
        ("  %time f()\n  !ls\n", "f()\n#\n"),
    ],
)
def test_magics_are_replaced(cell, seen):
    assert python(cell) == seen
    assert python(lines(cell)) == seen


@pytest.mark.parametrize(
    "cell",
    [
        "x = (a\n  % b)\ny = [\n!x\n]",
        'x = \'\'\'\n%y\n!ls\n\'\'\'\n"""\n?\n\\"""\n%%bash\n"""',
        "x = a \\\n  % b",
        "x %= 3\ny != 4\nz = '%s' % x\nz = f'{x!r}'\nz == x",
        "# what?\nx = 'a?'  # why?",
        "print 'don\\'t', `x`\nexec 'x' in y",
        "'it\\'s'\n\"\"\nx = ''",
        "x = 'unfinished\n# %time",
    ],
)
def test_text_that_only_looks_like_a_magic(cell):
    assert python(cell) == cell


@pytest.mark.parametrize(
    "magic", ["bash", "html", "javascript", "writefile x.py", "sh", "cython", "script x", "R", "file"]
)
def test_cells_in_other_languages(magic):
    document = extract(notebook("%%" + magic + "\nimport x\n", "y = 1"), "notebook")
    assert document.python == b"y = 1"
    assert document.locate(0) == (1, 1, 2)
    assert document.magics == ()


VERSION = "%tensorflow_version 1.x"


@pytest.mark.parametrize(
    ("cell", "after"),
    [
        ([VERSION], []),
        ([VERSION + "\n"], []),
        (VERSION, ""),
        ([VERSION + "\n", "import x"], ["import x"]),
        (VERSION + "\nimport x", "import x"),
        (["a\n", VERSION + "\n", "import x\n"], ["a\n", "import x\n"]),
        (["a\n", "  " + VERSION + "  "], ["a\n"]),
        ("a\r\n" + VERSION, "a\r\n"),
        (["try:\n", "  " + VERSION + "\n", "except Exception:\n", "  pass"],
         ["try:\n", "  pass\n", "except Exception:\n", "  pass"]),
        (["try:\n", "  # Colab\n", "  " + VERSION + "\n", "  a\n", "except:\n", "  pass"],
         ["try:\n", "  # Colab\n", "  a\n", "except:\n", "  pass"]),
        (["if a:\n", "  " + VERSION], ["if a:\n", "  pass"]),
        (["\n", "  " + VERSION + "\n", "  import x"], ["\n", "  import x"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("indent", [None, 1])
def test_a_magic_is_removed(cell, after, indent):
    source = notebook("0", cell, "1", indent=indent)
    document = extract(source, "notebook")
    (magic,) = [magic for magic in document.magics if magic.text.startswith("%tensorflow_version")]
    assert magic.text.strip() == VERSION
    assert VERSION.encode() in source[magic.start : magic.end]
    assert sources(applied(source, document.place([magic.removal]))) == ["0", after, "1"]


def test_several_magics_are_removed():
    cells = [[VERSION + "\n", VERSION], ["a\n", VERSION + "\n", VERSION], [VERSION + "\n", "%cd x\n", "a\n", VERSION]]
    source = notebook(*cells)
    document = extract(source, "notebook")
    edits = [magic.removal for magic in document.magics if magic.text == VERSION]
    assert sources(applied(source, document.place(edits))) == [[], ["a\n"], ["%cd x\n", "a\n"]]


def test_the_place_of_a_magic():
    document = extract(notebook("0", ["a\n", "  %tensorflow_version 1.x\n", "!ls \\\n", "b"]), "notebook")
    assert [magic.text for magic in document.magics] == ["%tensorflow_version 1.x", "!ls \\\nb"]
    assert [document.locate(magic.offset) for magic in document.magics] == [(2, 3, 2), (3, 1, 2)]


def test_a_magic_is_removed_and_other_lines_are_edited():
    source = notebook([VERSION + "\n", "import tensorflow as tf\n", "%cd x"])
    document = extract(source, "notebook")
    at = document.python.index(b"import")
    edits = [document.magics[0].removal, Edit(at, at, b"import tf1mem\n"), Edit(at + 7, at + 17, b"tf1mem.v1")]
    assert sources(applied(source, document.place(edits))) == [["import tf1mem\n", "import tf1mem.v1 as tf\n", "%cd x"]]


# Edits


LISTED = ["import a\n", "b = 1\n", "c = 2"]


@pytest.mark.parametrize(
    ("start", "end", "new", "after"),
    [
        (0, 0, b"import x\n", ["import x\n", *LISTED]),
        (8, 8, b"\nimport x", ["import a\n", "import x\n", "b = 1\n", "c = 2"]),
        (9, 9, b"import x\n", ["import a\n", "import x\n", "b = 1\n", "c = 2"]),
        (9, 9, b"x\ny\n\n", ["import a\n", "x\n", "y\n", "\n", "b = 1\n", "c = 2"]),
        (20, 20, b"\nx\n", [*LISTED[:2], "c = 2\n", "x\n"]),
        (20, 20, b"0", [*LISTED[:2], "c = 20"]),
        (0, 9, b"", LISTED[1:]),
        (9, 15, b"", [LISTED[0], LISTED[2]]),
        (15, 20, b"", LISTED[:2]),
        (9, 20, b"", LISTED[:1]),
        (0, 15, b"", LISTED[2:]),
        (0, 20, b"", []),
        (8, 9, b"", ["import ab = 1\n", "c = 2"]),
        (7, 13, b"z ", ["import z 1\n", "c = 2"]),
        (7, 13, b"z\ny ", ["import z\n", "y 1\n", "c = 2"]),
        (9, 15, b"x\n", [LISTED[0], "x\n", LISTED[2]]),
        (0, 15, b'"\\\xc3\xa9\n', ['"\\é\n', LISTED[2]]),
    ],
)
def test_edits_of_a_list(start, end, new, after):
    source = notebook(LISTED, "other")
    placed = applied(source, extract(source, "notebook").place([Edit(start, end, new)]))
    assert placed == notebook(after, "other")


def test_lines_removed_one_by_one():
    source = notebook(LISTED)
    document = extract(source, "notebook")
    bounds = [(0, 9), (9, 15), (15, 20)]
    for kept in ([0], [1], [2], [0, 2], [], [0, 1]):
        edits = [Edit(*bound, b"") for index, bound in enumerate(bounds) if index not in kept]
        assert applied(source, document.place(edits)) == notebook([LISTED[index] for index in kept])


def test_a_list_whose_last_string_has_a_line_end():
    assert before(notebook(["a\n"]), b"a\n", b"b\n") == notebook(["b\n", "a\n"])
    assert applied(notebook(["a\n"]), extract(notebook(["a\n"]), "notebook").place([Edit(2, 2, b"b\n")])) == notebook(
        ["a\n", "b\n"]
    )


@pytest.mark.parametrize("indent", [None, 0, 1, 2, "\t"])
def test_new_strings_are_indented_like_the_others(indent):
    source = notebook(["a\n", "b"], ["c"], indent=indent)
    assert edited(source, (b"c", b"d\ne")) == notebook(["a\n", "b"], ["d\n", "e"], indent=indent)


def test_a_source_in_one_string():
    source = notebook("a\nb = 'é'\n")
    assert edited(source, (b"b", b'"c"\nd')) == notebook("a\n\"c\"\nd = 'é'\n")


def test_escapes_stay():
    source = (
        rb'{"nbformat":4,"cells":[{"cell_type":"code","source":["a=\"\u00e9\/\ud83d\ude00\u000a\tb\u0022\n", "c"]}]}'
    )
    assert extract(source, "notebook").python == 'a="é/😀\n\tb"\nc'.encode()
    assert edited(source, (b"\tb", b"\td\xc3\xa9")) == source.replace(rb"\tb", rb"\td\u00e9")


def test_letters_are_escaped_if_the_notebook_escapes_them():
    assert edited(notebook("é", "x"), (b"x", "ü".encode())) == notebook("é", "ü")
    assert edited(notebook("e", "x"), (b"x", "ü".encode())) == notebook("e", "ü")


def test_half_a_surrogate_pair():
    source = rb'{"nbformat": 4, "cells": [{"cell_type": "code", "source": "a = \"\udc80\"\nb"}]}'
    assert extract(source, "notebook").python.decode() == 'a = "\ufffd"\nb'
    assert edited(source, (b"b", b"c")) == source[:-5] + b'c"}]}'


def test_a_byte_order_mark_and_crlf():
    source = b"\xef\xbb\xbf" + notebook(["a\n", "b"]).replace(b"\n", b"\r\n")
    assert edited(source, (b"b", b"c\nd")) == b"\xef\xbb\xbf" + notebook(["a\n", "c\n", "d"]).replace(b"\n", b"\r\n")


def test_new_lines_have_the_cells_line_ends():
    source = notebook(["a\r\n", "b"], ["c\n", "d"])
    assert edited(source, (b"b", b"b\nx"), (b"d", b"d\r\ny")) == notebook(["a\r\n", "b\r\n", "x"], ["c\n", "d\n", "y"])


def test_strings_that_are_not_whole_lines():
    source = notebook(["a", "b\nc", "", "\nd"])
    assert extract(source, "notebook").python == b"ab\nc\nd"
    assert sources(edited(source, (b"b\nc\n", b"x\n"))) == [["a", "x\n", "d"]]


def test_an_edit_across_cells_is_refused():
    document = extract(notebook("a", "b"), "notebook")
    for start, end in ((0, 2), (1, 2), (0, 3), (1, 3)):
        with pytest.raises(UnplaceableEdit):
            document.place([Edit(start, end, b"")])
    with pytest.raises(UnplaceableEdit):
        extract(notebook(), "notebook").place([Edit(0, 0, b"x")])


@pytest.mark.parametrize(
    ("cell", "start", "end", "new"),
    [
        ("%cd x\na", 0, 1, b""),
        ("%cd x\na", 0, 3, b""),
        ("a\n%cd x", 1, 3, b""),
        ("a\n%cd x\nb", 0, 4, b""),
        ("a\n%cd x\nb", 2, 5, b""),
        ("a\n%cd x", 2, 2, b"b"),
        ("a\n%cd x", 3, 3, b"b"),
        ("a = !ls", 4, 4, b"b"),
        ("a = !ls", 5, 6, b"b"),
        ("%time f()\na", 0, 4, b""),
        ("%time f()\na", 0, 0, b"a\nb"),
        ("%time f()\na", 2, 2, b"\n"),
        ("%time f()\na", 0, 1, b"\n"),
        ("é", 1, 2, b""),
    ],
)
def test_edits_without_a_place_are_refused(cell, start, end, new):
    for source in (notebook(cell), notebook(lines(cell))):
        with pytest.raises(UnplaceableEdit):
            extract(source, "notebook").place([Edit(start, end, new)])


@pytest.mark.parametrize(
    ("cell", "where", "new", "after"),
    [
        ("%cd x\na", b"a", b"b\n", "%cd x\nb\na"),
        ("a\n%cd x", b"#", b"b\n", "a\nb\n%cd x"),
        ("%cd x\n%cd y", b"#\n#", b"b\n", "b\n%cd x\n%cd y"),
        ("%cd x", b"", b"b\n", "b\n%cd x"),
        ("%%time\na", b"#", b"b\n", "%%time\nb\na"),
        ("# a\n%%time\na", b"# a", b"b\n", "# a\n%%time\nb\na"),
        ("%%time", b"#", b"b\n", "%%time\nb\n"),
        ("a\n%time f()\n", b"f", b"b\n", "a\nb\n%time f()\n"),
        ("a\n%time f()\n", b"f", b"b", "a\n%time bf()\n"),
        ("a\n%time f()\n", b"()", b"b", "a\n%time fb()\n"),
        ("a\n%time f()\n", b"\n", b"\nb", "a\nb\n%time f()\n"),
        ("%time f()\nc", b"\nc", b"\nb", "%time f()\nb\nc"),
        ("%time f()\nc", b"\nc", b"b", "%time f()b\nc"),
        ("a = !ls\nc", b"\nc", b"\nb", "a = !ls\nb\nc"),
        ("  a\n\n  b", b"b", b"c\n", "  a\n\n  c\n  b"),
        ("  a\n\n  b", b"\nb", b"c\n", "  a\n  c\n\n  b"),
        ("  a\n\n  b", b"\n\nb", b"\nc", "  a\n  c\n\n  b"),
        ("  a\n\n  b", b"a", b"if x:\n\n    ", "  if x:\n\n      a\n\n  b"),
    ],
)
def test_insertions_beside_magics(cell, where, new, after):
    assert before(notebook(cell), where, new) == notebook(after)
    assert before(notebook(lines(cell)), where, new) == notebook(lines(after))


def test_after_the_last_magic():
    source = notebook("%cd x")
    assert applied(source, extract(source, "notebook").place([Edit(1, 1, b"\nb")])) == notebook("%cd x\nb")


def test_line_and_column_are_counted_in_the_cell():
    document = extract(notebook("%%bash\nx", "é\n%time y\n", "  a\n  b"), "notebook")
    assert document.python.decode() == "é\ny\n\na\nb"
    at = document.python.index
    assert document.locate(at(b"y")) == (2, 7, 2)
    assert document.locate(2) == (1, 2, 2)
    assert document.locate(at(b"b")) == (2, 3, 3)
    assert document.locate(len(document.python)) == (2, 4, 3)


# Anything at all

TOKENS = st.sampled_from(
    ["x = 1", "\n", "\n", "é", "😀", '"', "'", "\\", "1/2", "(", ")", "#", " ", "\t", "\u2028", "\x7f", "\udc80", "]}"]
)
CELL_TEXTS = st.one_of(st.just(""), st.lists(TOKENS, max_size=12).map(lambda tokens: "x" + "".join(tokens)))
NEW_TEXTS = st.lists(st.sampled_from(["y", "\n", "é", "😀", '"', "\\", " "]), max_size=6).map("".join)
SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "/": "\\/"}


class Writer:
    """Writes JSON with random white space and escapes, and records where the sources are."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.newline = self.random.choice(["\n", "\r\n", ""])
        self.indent = self.random.choice(["", " ", "  ", "\t"])
        self.comma = self.random.choice([",", ", "])
        self.escaping = self.random.random() ** 2
        self.out = ""
        self.spans = []
        self.raws = []

    def letter(self, letter):
        code = ord(letter)
        pair = [0xD800 + ((code - 0x10000) >> 10), 0xDC00 + (code & 0x3FF)] if code > 0xFFFF else [code]
        long = "".join(self.random.choice(["\\u%04x", "\\u%04X"]) % unit for unit in pair)
        if 0xD800 <= code < 0xE000 or self.random.random() < self.escaping:
            return long
        if letter == "/":
            return self.random.choice(["/", "\\/"])
        return SHORT.get(letter, letter) if code >= 32 or letter in SHORT else long

    def string(self, text):
        raw = [self.letter(letter) for letter in text]
        self.out += '"' + "".join(raw) + '"'
        return raw

    def value(self, value, depth=0):
        lead = self.newline + self.indent * (depth + 1)
        if isinstance(value, str):
            return self.string(value)
        if not isinstance(value, (dict, list)) or not value:
            self.out += json.dumps(value)
            return []
        raws = []
        self.out += "{" if isinstance(value, dict) else "["
        for index, item in enumerate(value):
            self.out += (self.comma if index else "") + lead
            if isinstance(value, dict):
                self.string(item) if item not in ("source", "input") else self.write('"' + item + '"')
                self.out += self.random.choice([":", ": "])
                start = len(self.out.encode("utf-8", "surrogatepass"))
                raw = self.value(value[item], depth + 1)
                if item in ("source", "input") and value["cell_type"] == "code":
                    self.spans.append((start, len(self.out.encode("utf-8", "surrogatepass"))))
                    self.raws.append(raw)
            else:
                raws += self.value(item, depth + 1)
        self.out += self.newline + self.indent * depth + ("}" if isinstance(value, dict) else "]")
        return raws

    def write(self, text):
        self.out += text


def split(text):
    """Returns lines as Jupyter splits them, except that U+2028 and the like don't end a line."""
    return [line + "\n" for line in text.split("\n")[:-1]] + ([text.split("\n")[-1]] if text.split("\n")[-1] else [])


@st.composite
def notebooks(draw, texts=CELL_TEXTS):
    cells = []
    for _ in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from(["code", "code", "code", "markdown"]))
        text = draw(texts)
        source = split(text) if draw(st.booleans()) else text
        cells.append((kind, source, text))
    nbformat = draw(st.sampled_from([3, 4]))
    seed = draw(st.integers(0, 2**32))
    shuffled = random.Random(seed)
    written = []
    for kind, source, _ in cells:
        cell = [("cell_type", kind), ("source" if nbformat == 4 else "input", source), ("metadata", {"x": [1, "}]"]})]
        cell.append(("outputs", [{"text": ['["\\', "é\n"], "source": None, "cell_type": ""}, {"data": {"a/b": "\\"}}]))
        shuffled.shuffle(cell)
        written.append(dict(cell))
    half = draw(st.integers(0, len(written)))
    document = [("nbformat", nbformat), ("metadata", {"cells": ["é"], "a": -1.5e3, "b": [True, None]})]
    if nbformat == 4:
        document.append(("cells", written))
    else:
        document.append(("worksheets", [{"cells": written[:half], "metadata": {}}, {"cells": written[half:]}]))
    shuffled.shuffle(document)
    writer = Writer(seed)
    writer.value(dict(document))
    writer.out += draw(st.sampled_from(["", "\n", "\r\n"]))
    codes = [(source, text) for kind, source, text in cells if kind == "code"]
    return writer, codes


@st.composite
def edits_of(draw, text):
    """Draws edits of a text that don't overlap; offsets are in characters."""
    bounds = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    if len(text) and draw(st.booleans()):  # only whole lines
        starts = [0, *(index + 1 for index, letter in enumerate(text) if letter == "\n"), len(text)]
        bounds = sorted(draw(st.lists(st.sampled_from(starts), max_size=6)))
    new_edits = [(start, end, draw(NEW_TEXTS)) for start, end in zip(bounds[::2], bounds[1::2])]
    new_edits = [edit for edit in new_edits if edit[0] < edit[1] or edit[2]]
    return [edit for index, edit in enumerate(new_edits) if not index or edit[:2] != new_edits[index - 1][:2]]


def utf8_length(text):
    return len(text.encode("utf-8", "surrogatepass"))


def check_outside(writer, result, expected):
    """Checks that each source has its expected text, and that nothing else has changed."""
    source = writer.out.encode("utf-8", "surrogatepass")
    decoder = json.JSONDecoder()
    remaining = result.decode()
    read = 0
    values = []
    for (start, end), text in zip(writer.spans, expected):
        between = source[read:start].decode()
        assert remaining.startswith(between)
        value, length = decoder.raw_decode(remaining[len(between) :])
        assert (value if isinstance(value, str) else "".join(value)) == text
        values.append((value, remaining[len(between) : len(between) + length]))
        remaining = remaining[len(between) + length :]
        read = end
    assert remaining == source[read:].decode()
    return values


@settings(max_examples=300, deadline=None)
@given(notebooks(), st.data())
def test_edits_of_any_notebook(drawn, data):
    writer, cells = drawn
    source = writer.out.encode()
    document = extract(source, "notebook")
    texts = [text.replace("\udc80", "\ufffd") for _, text in cells]
    full = [index for index, text in enumerate(texts) if text]
    full.sort(key=lambda index: is_unfinished(texts[index].encode()))
    assert document.python.decode() == "\n".join(texts[index] for index in full)
    assert document.place([]) == []

    in_cells = {index: data.draw(edits_of(cells[index][1])) for index in full}
    expected, edits = [text for _, text in cells], []
    for (start, _), index in zip(document.cells, full):
        text = cells[index][1]
        for first, last, new in in_cells[index]:
            edits.append(Edit(start + utf8_length(text[:first]), start + utf8_length(text[:last]), new.encode()))
        for first, last, new in reversed(in_cells[index]):
            expected[index] = expected[index][:first] + new + expected[index][last:]
    data.draw(st.randoms(use_true_random=False)).shuffle(edits) if len({e.start for e in edits}) == len(edits) else None
    placed = document.place(edits)
    assert len(placed) == len(edits)

    values = check_outside(writer, applied(source, placed), expected)
    for index, (value, as_json) in enumerate(values):
        inside = as_json[1:-1] if isinstance(value, str) else "".join(item[1:-1] for item in json_strings(as_json))
        raw, at = list(writer.raws[index]), 0
        for first, last, new in in_cells.get(index, ()):  # text between edits is unchanged
            between = "".join(raw[at:first])
            assert inside.startswith(between)
            inside, at = inside[len(between) :], last
            size = next(size for size in range(len(inside) + 1) if says(inside[:size], new))
            inside = inside[size:]
        assert inside == "".join(raw[at:])
        cell_lines = in_cells.get(index, [])
        apart = all(edit[1] < following[0] for edit, following in zip(cell_lines, cell_lines[1:]))
        if isinstance(value, list) and apart:
            assert value == split(expected[index])
    assert extract(applied(source, placed), "notebook").kind == "notebook"


def says(raw, text):
    try:
        return json.loads('"' + raw + '"') == text
    except ValueError:
        return False


def json_strings(text):
    strings, at = [], 1
    while True:
        at = text.find('"', at)
        if at < 0:
            return strings
        _, length = json.JSONDecoder().raw_decode(text[at:])
        strings.append(text[at : at + length])
        at += length


LINES = st.sampled_from(
    ["x = 1", "%cd x", "!ls", "%time f()", "y = !ls", "z = %time f()", "", "if x:\n    !ls",
     "if x:\n    %time f()\nelse:\n  y", "'''\n%x\n'''", "f(a,\n  b)", "# é", "x?", "!a \\\n b", VERSION]
)  # fmt: skip
MAGIC_CELLS = st.builds(
    lambda head, body, indented, end: "".join(
        ("  " if indented and line.strip() else "") + line + "\n" for line in "\n".join([*head, *body]).split("\n")
    )[: None if end else -1],
    st.sampled_from([[], [], ["%%time"], ["%%bash"], ["# a", "%%capture"]]),
    st.lists(LINES, max_size=6),
    st.booleans(),
    st.booleans(),
)


@settings(max_examples=300, deadline=None)
@given(notebooks(MAGIC_CELLS), st.data())
def test_statements_among_magics(drawn, data):
    """After a statement is inserted before any line, rules see it there, and no magic has changed."""
    writer, cells = drawn
    source = writer.out.encode()
    document: Extract = extract(source, "notebook")
    check_every_offset_has_a_place(document)
    starts = [start for start, _ in document.cells]
    starts += [index + 1 for index in range(len(document.python)) if document.python[index : index + 1] == b"\n"]
    places = data.draw(st.lists(st.sampled_from(starts), max_size=3, unique=True)) if starts else []
    edits = [
        Edit(place, place, b"import tf1mem\n") for place in places if not continues_a_statement(document.python, place)
    ]
    result = applied(source, document.place(edits))
    after = extract(result, "notebook")
    assert sorted(after.python.split()) == sorted(applied(document.python, edits).split())
    assert [magic.text for magic in after.magics] == [magic.text for magic in document.magics]
    if all(b"%%" not in "".join(text).encode() for _, text in cells):
        assert after.python == applied(document.python, edits)

    for magic in document.magics:
        gone = applied(source, document.place([magic.removal]))
        left = [other.text for other in extract(gone, "notebook").magics]
        assert len(left) == len(document.magics) - 1
        assert document.locate(magic.offset)[2] is not None


@settings(max_examples=300, deadline=None)
@given(notebooks(MAGIC_CELLS), st.data())
def test_any_edit_is_placed_or_refused(drawn, data):
    writer, _ = drawn
    source = writer.out.encode()
    document = extract(source, "notebook")
    text = document.python.decode()
    start, end = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    new = data.draw(NEW_TEXTS)
    edit = Edit(utf8_length(text[:start]), utf8_length(text[:end]), new.encode())
    if edit in [magic.removal for magic in document.magics]:
        return
    try:
        result = applied(source, document.place([edit]))
    except UnplaceableEdit:
        return
    magics = [magic.text.replace("\\\n", "") for magic in document.magics]
    whole_text = "\n".join(text if isinstance(text, str) else "".join(text) for text in sources(result))
    for magic in magics:
        assert magic.split(" ")[0] in whole_text


def continues_a_statement(source, place):
    """Returns True if a line continues the one before: in a string, in brackets, or after a backslash."""
    above = source[:place]
    return above.count(b"'''") % 2 == 1 or above.endswith(b"f(a,\n") or source[: place + 1].endswith(b"#\n#")


def check_every_offset_has_a_place(document):
    """Checks that every offset of the Python has a line and a column."""
    for offset in range(len(document.python) + 1):
        line, column, _ = document.locate(offset)
        assert line >= 1
        assert column >= 1


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60), st.binary(max_size=30))
def test_any_cell_and_any_bytes(text, junk):
    source = notebook(text, lines(text))
    document = extract(source, "notebook")
    check_every_offset_has_a_place(document)
    assert document.place([]) == []
    with pytest.raises(NotANotebook):
        extract(junk, "notebook")


def test_a_large_notebook_is_read_quickly():
    picture = "iVBORw0KGgo" * 10_000
    outputs = [{"data": {"image/png": picture, "text/plain": ["<Figure>"]}, "output_type": "display_data"}]
    content = json.loads(notebook(*[["import tensorflow as tf\n"] * 20] * 50))
    for cell in content["cells"]:
        cell["outputs"] = [*outputs, {"output_type": "stream", "text": ["loss: 0.5\n"] * 100}]
    source = json.dumps(content, indent=1).encode()
    assert len(source) > 5_000_000

    def seconds(function):
        times = []
        for _ in range(5):
            start = time.process_time()
            function()
            times.append(time.process_time() - start)
        return min(times)

    # Compared with reading the JSON alone; measured: 5 times as long.
    assert seconds(lambda: extract(source, "notebook")) < 20 * seconds(lambda: json.loads(source))


# Python files


def test_a_python_file_is_unchanged():
    source = "\ufeffé = 1\r\nx".encode()
    document = extract(source, "python")
    edit = Edit(3, 5, b"x")
    assert (document.python, document.place([edit]), document.cells) == (source, [edit], ((0, len(source)),))
    assert document.locate(5) == (1, 2, None)
    assert document.locate(len(source)) == (2, 2, None)
    latin = "# -*- coding: latin-1 -*-\né = ü".encode("latin-1")
    assert extract(latin, "python").locate(len(latin)) == (2, 6, None)
    assert extract(b"\xe9 = \xfc", "python").locate(5) == (1, 6, None)


def test_an_unknown_kind_is_an_error():
    with pytest.raises(ValueError, match="kind is 'text'"):
        extract(b"", "text")


# The whole way


def test_a_notebook_is_rewritten():
    source = notebook(
        [VERSION + "\n", "%matplotlib inline\n", "import tensorflow as tf\n", "import os"],
        "%%time\nconfig = tf.ConfigProto()\nwith tf.Session(config=config) as sess:\n    !nvidia-smi\n    print 'é'",
        ["%%bash\n", "python -c 'import tensorflow as tf; tf.Session()'"],
        ["def broken(:\n"],
        ["%time s = tf.Session(config=config)\n", "from keras import backend as K\n", "K.set_session(tf.Session())"],
    )
    result = rewrite(source, to="shim", kind="notebook")
    after = sources(result.source)
    assert after[0][:1] == ["%matplotlib inline\n"]
    assert "import tf1mem.v1 as tf\n" in after[0]
    assert after[1:4] == sources(source)[1:4]
    assert result.source == notebook(*after)
    changes = [(change.code, change.cell, change.line) for change in result.changes]
    assert changes[:2] == [("TFM120", 1, 1), ("TFM101", 1, 3)]

    result = rewrite(source, to="apply", kind="notebook")
    after = sources(result.source)
    assert "with tf.compat.v1.Session(config=tf1mem.apply(config)) as sess:\n    !nvidia-smi" in after[1]
    assert after[4][0] == "%time s = tf.compat.v1.Session(config=tf1mem.apply(config))\n"
    assert result.source == notebook(*after)


def test_a_file_that_is_not_a_notebook_gets_a_remark():
    source = b'{"cells": ["import tensorflow as tf; tf.ConfigProto()"'
    result = rewrite(source, kind="notebook")
    assert (result.source, result.changes) == (source, ())
    assert [remark.code for remark in result.remarks] == ["TFM001"]


STATEMENTS = st.sampled_from(
    [
        "import tensorflow as tf",
        "%time import tensorflow as tf",
        "from tensorflow import ConfigProto, Session",
        "from keras import backend as K",
        "if True:\n    import tensorflow as tf\n    !ls",
        "config = tf.ConfigProto()",
        "config.gpu_options.allow_growth = True",
        "x = ConfigProto(allow_soft_placement=True)",
        "sess = tf.Session(config=config)",
        "%time sess = tf.Session(config=config)",
        "with tf.Session(config=tf.ConfigProto(\n    log_device_placement=True)) as sess:\n    !ls\n    pass",
        "K.set_session(tf.Session(config=config))",
        "def make():\n    return tf.Session(config=tf.ConfigProto())",
        "tf.enable_eager_execution(config=config)",
        "x = (1,",
        "'''",
        "print 'é'",
        VERSION,
        "try:\n  %tensorflow_version 1.x\nexcept Exception:\n  pass",
        "!pip install tensorflow-gpu==1.15",
        "",
    ]
)
PROGRAM_CELLS = st.builds(
    lambda head, body, end: "\n".join([*head, *body]) + end,
    st.sampled_from([[], [], [], ["%%time"], ["%%bash"], ["# a", "%%capture"], ["  x"]]),
    st.lists(STATEMENTS, max_size=5),
    st.sampled_from(["", "", "\n"]),
)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(notebooks(PROGRAM_CELLS), st.sampled_from(["shim", "apply", "native"]))
def test_any_notebook_is_rewritten_or_left(drawn, to):
    writer, _ = drawn
    source = writer.out.encode()
    result = rewrite(source, to=to, kind="notebook")
    check_outside(writer, result.source, ["".join(text) for text in sources(result.source)])
    again = rewrite(result.source, to=to, kind="notebook")
    assert again.source == result.source
    for change in result.changes:
        assert change.cell is not None
