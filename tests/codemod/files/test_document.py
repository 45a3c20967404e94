"""Code blocks in Markdown and reST: which blocks are Python, and how edits of them look in the document."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tf1mem.codemod.files import extract
from tf1mem.codemod.files.extracts import UnplaceableEdit
from tf1mem.codemod.files.fragments import is_unfinished
from tf1mem.codemod.results import Edit


def applied(text, edits):
    in_order = sorted(edits, key=lambda edit: (edit.start, edit.end))
    assert all(edit.end <= following.start for edit, following in zip(in_order, in_order[1:])), in_order
    for edit in reversed(in_order):
        assert 0 <= edit.start <= edit.end <= len(text)
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def edited(source, kind, old, new):
    """Returns a document after an edit of its Python: `new` replaces `old`.

    If `new` ends in `old`, only the text before `old` is inserted.
    """
    document = extract(source.encode(), kind)
    assert document.python.count(old.encode()) == 1, document.python
    start = document.python.index(old.encode())
    end = start if new.endswith(old) else start + len(old.encode())
    new = new[: -len(old)] if new.endswith(old) else new
    return applied(source.encode(), document.place([Edit(start, end, new.encode())])).decode()


def python(source, kind="markdown"):
    return extract(source.encode(), kind).python.decode()


# Markdown


@pytest.mark.parametrize(
    "info",
    ["python", "py", "Python", "python3", "python2", "ipython", " python ", 'python title="x.py"', "python:x.py",
     "{python}", "{.python .numberLines}", "{python, echo=FALSE}", "{code-block} python", "{code-cell} ipython3",
     "python{1,3}"],
)  # fmt: skip
def test_fences_for_python(info):
    for fence in ("```", "~~~", "`````"):
        assert python(f"a\n{fence}{info}\nx = 1\n{fence}\n") == "x = 1\n"


@pytest.mark.parametrize(
    "info", ["", "bash", "pytb", "console", "r", "{r}", "{code-block} bash", "{note}", "text python"]
)
def test_fences_for_other_languages(info):
    assert python("```" + info + "\nx = 1\n```\n") == ""


def test_blocks_one_after_another():
    document = extract(b"```python\nx\n```\n```bash\ny\n```\n```py\n\n```\n```py\nz", "markdown")
    assert document.python == b"x\n\nz"
    assert document.cells == ((0, 2), (3, 4))
    assert document.locate(0) == (2, 1, None)
    assert document.locate(3) == (11, 1, None)


@pytest.mark.parametrize(
    "source",
    [
        "```python\nx",
        "<!--\n```python\nx\n```\n-->",
        "    ```python\n    x\n    ```\n",
        "`python x`",
        "    x = 1\n",
        "",
    ],
)
def test_commonmark_decides_what_is_a_code_block(source):
    assert python(source) == ("x" if source == "```python\nx" else "")


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ("- a\n\n  ```python\n  if x:\n\n      y\n  ```\n", "if x:\n\n    y\n"),
        ("1. a\n   ```py\n   x\n   ```\n", "x\n"),
        ("> ```python\n> if x:\n>\n>   y\n> ```\n", "if x:\n\n  y\n"),
        ("  ```python\n  x\n y\nz\n  ```\n", "x\ny\nz\n"),
        ("```python\n\tx\n```\n", "\tx\n"),
        ("```{code-block} python\n:linenos:\n:name: a\nx\n```\n", "x\n"),
        ("```{code-cell} ipython3\n---\ntags: [x]\n---\nx\n```\n", "x\n"),
        ("```python\n>>> x = 1\n>>> if x:\n...   y\n...\n1\n>>> z\n```\n", "x = 1\nif x:\n  y\n\nz\n"),
        ("```pycon\n>>> x\n```\n", "x\n"),
        ("    >>> x\n    1\n    >>> y\n", "x\ny\n"),
        ("```python\n!ls\n%time x = 1\n```\n", "#\nx = 1\n"),
        ("```python\n%%bash\nls\n```\n", ""),
        ("\ufeff```python\nx\n```\n", "x\n"),
    ],
)
def test_python_of_markdown(source, seen):
    assert python(source) == seen
    assert python(source.replace("\n", "\r\n")) == seen.replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("source", "old", "new", "after"),
    [
        ("```python\nx\ny\n```\n", "y", "z\ny", "```python\nx\nz\ny\n```\n"),
        ("- a\n\n  ```py\n  x\n  y\n  ```\n", "y", "z\ny", "- a\n\n  ```py\n  x\n  z\n  y\n  ```\n"),
        ("- ```py\n  f(x)\n  ```\n", "x", "\n  x,\n\n", "- ```py\n  f(\n    x,\n\n  )\n  ```\n"),
        ("- ```py\n  x\n  y\n  ```\n", "x\n", "", "- ```py\n  y\n  ```\n"),
        ("- ```py\n  x\n  y\n  ```\n", "y\n", "", "- ```py\n  x\n  ```\n"),
        ("- ```py\n  x\n  y\n  ```\n", "y\n", "z", "- ```py\n  x\n  z\n  ```\n"),
        ("- ```py\n  x\n  y\n  ```\n", "x\n", "z + ", "- ```py\n  z + y\n  ```\n"),
        ("- ```py\n  x\n  y\n  ```\n", "x\ny\n", "a\nb\n", "- ```py\n  a\n  b\n  ```\n"),
        ("- ```py\n  x\n\n  y\n  ```\n", "\ny", "z\n\ny", "- ```py\n  x\n  z\n\n  y\n  ```\n"),
        ("> ```py\n> x\n> y\n> ```\n", "y", "a\n\ny", "> ```py\n> x\n> a\n>\n> y\n> ```\n"),
        ("    >>> x\n    1\n    >>> y\n", "y", "z\ny", "    >>> x\n    1\n    >>> z\n    >>> y\n"),
        ("    >>> x\n    1\n    >>> y\n", "x", "f(\n  x)", "    >>> f(\n    ...   x)\n    1\n    >>> y\n"),
        ("    >>> x\n    1\n", "x", "x\nif a:\n  b", "    >>> x\n    >>> if a:\n    ...   b\n    1\n"),
        ("    >>> x\n    >>> y\n", "x\n", "", "    >>> y\n"),
    ],
)  # fmt: skip
def test_edits_of_markdown(source, old, new, after):
    assert edited(source, "markdown", old, new) == after


def test_latin_1():
    source = "é\n\n- ```py\n  x = 'é'\n  y\n  ```\n".encode("latin-1")
    document = extract(source, "markdown")
    assert document.python == "x = 'é'\ny\n".encode("latin-1")
    assert applied(source, document.place([Edit(8, 9, b"z")])) == source.replace(b"  y", b"  z")
    assert document.locate(7) == (4, 10, None)


# reST


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        (".. code-block:: python\n\n   x\n\n     y\n\nz\n", "x\n\n  y\n"),
        (".. code:: py\n   :number-lines:\n\n   x\n", "x\n"),
        (".. sourcecode:: Python\n   :linenos:\n   :caption: x\n\n   x", "x"),
        (".. code-block::\n\n   import x\n", "import x\n"),
        (".. code-block::\n\n   pip install x\n", ""),
        (".. code-block:: bash\n\n   x = 1\n   >>> y\n   ::\n\n     x = 1\n", ""),
        (".. testcode::\n\n   x\n", "x\n"),
        (".. doctest::\n\n   >>> x\n   1\n", "x\n"),
        (".. ipython:: python\n\n   x\n", "x\n"),
        (".. note::\n\n   .. code:: python\n\n      x\n\n   y\n", "x\n"),
        ("* .. code:: python\n\n     x\n\n  y\n", "x\n"),
        ("* a::\n\n    x = 1\n\n  y\n", "x = 1\n"),
        ("So::\n\n  x = tf.Session()\n  x.run()\n", "x = tf.Session()\nx.run()\n"),
        ("So::\n\n  pip install x\n", ""),
        ("So::\n\n  {'a': 1}\n", ""),
        ("So::\n\n  a: b\n", ""),
        ("So::\n\n  x\n", ""),
        ("So::\n\nx = 1\n", ""),
        ("So::\n\n  >>> x\n  1\n", "x\n"),
        ("So\n\n>>> x\n1\n>>> y\n\n>>> z\n", "x\ny\n\nz\n"),
        (".. code:: python\n\n\tx\n        y\n", ""),
        (".. code:: python\n\nx\n", ""),
        (".. |x| image:: y.png\n.. _x: y::\n\n", ""),
    ],
)
def test_python_of_rest(source, seen):
    assert python(source, "rst") == seen
    assert python(source.replace("\n", "\r\n"), "rst").replace("\r\n", "\n") == seen


def test_edits_of_rest():
    source = "Title\n=====\n\n.. code:: python\n\n   x\n\n   if y:\n       z\n\nEnd\n"
    assert edited(source, "rst", "if y", "w\nif y") == source.replace("   if", "   w\n   if")
    assert edited(source, "rst", "z", "z(\n        a)") == source.replace("z\n", "z(\n           a)\n")
    assert edited(source, "rst", "    z\n", "    z\n    u\n\n") == source.replace("z\n", "z\n       u\n\n")
    document = extract(source.encode(), "rst")
    assert document.locate(document.python.index(b"z")) == (9, 8, None)


def test_a_document_without_python():
    for kind in ("markdown", "rst"):
        document = extract(b"text", kind)
        assert (document.python, document.cells, document.place([])) == (b"", (), [])
        assert document.locate(0) == (1, 1, None)
        with pytest.raises(UnplaceableEdit):
            document.place([Edit(0, 0, b"x")])


def test_an_edit_across_blocks_is_refused():
    document = extract(b"```py\nx\n```\n\n```py\ny\n```\n", "markdown")
    for start, end in ((0, 4), (2, 3), (1, 3)):
        with pytest.raises(UnplaceableEdit):
            document.place([Edit(start, end, b"")])


def test_output_of_a_session_stays():
    document = extract(b"    >>> x\n    1\n    >>> y\n", "markdown")
    for start, end in ((0, 3), (1, 2), (0, 4)):
        new = b"" if end > 2 else b"z"
        with pytest.raises(UnplaceableEdit):
            document.place([Edit(start, end, new)])


@pytest.mark.parametrize(
    ("source", "after"),
    [
        ("a\n\n- ```py\n  %tensorflow_version 1.x\n  x\n  ```\n", "a\n\n- ```py\n  x\n  ```\n"),
        (
            "```py\ntry:\n  %tensorflow_version 1.x\nexcept:\n  x\n```\n",
            "```py\ntry:\n  pass\nexcept:\n  x\n```\n",
        ),
    ],
)
def test_a_magic_is_removed(source, after):
    document = extract(source.encode(), "markdown")
    (magic,) = document.magics
    assert magic.text == "%tensorflow_version 1.x"
    line, column, cell = document.locate(magic.offset)
    assert source.splitlines()[line - 1][column - 1 :] == magic.text
    assert cell is None
    assert applied(source.encode(), document.place([magic.removal])).decode() == after


# Anything at all

CODE = st.lists(
    st.sampled_from(["x = 1", "f(a)", "", "if x:", "    y", "é = '😀'", "\tz"]), min_size=1, max_size=5
).filter(lambda lines: lines[0] and lines[0][0] not in " \t" and lines[-1].strip())


@st.composite
def documents(draw):
    kind = draw(st.sampled_from(["markdown", "rst"]))
    out, codes = [], []
    for _ in range(draw(st.integers(1, 3))):
        out += [draw(st.sampled_from(["Text", "Téxt `x`", "* an item"])), ""]
        code = draw(CODE)
        codes.append(code)
        indentation = " " * draw(st.integers(0, 3)) if kind == "markdown" else " " * draw(st.integers(1, 4))
        lead = "> " if kind == "markdown" and out[-2] != "* an item" and draw(st.booleans()) else ""
        if kind == "markdown":
            indentation = "  " if out[-2] == "* an item" else lead + indentation
            out.append(indentation + "```python")
            out += [(indentation + line) if line else lead.rstrip() for line in code]
            out += [indentation + "```", ""]
        else:
            out += [".. code:: python", ""]
            out += [indentation + line if line else "" for line in code]
            out += ["", ""]
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    return kind, newline.join(out) + newline, [newline.join(code) + newline for code in codes], newline


@settings(max_examples=200, deadline=None)
@given(documents(), st.data())
def test_edits_of_any_document(drawn, data):
    """Edits change the document's Python as intended, and nothing outside the blocks."""
    kind, text, codes, newline = drawn
    source = text.encode()
    document = extract(source, kind)
    assert document.python.decode() == "\n".join(codes)
    (start, end) = data.draw(st.sampled_from(document.cells))
    letters = document.python[start:end].decode()
    bounds = sorted(data.draw(st.lists(st.integers(0, len(letters)), min_size=2, max_size=2)))
    new = "".join(data.draw(st.lists(st.sampled_from(["w", newline, "é", "(w)"]), max_size=5)))
    if "\r" in letters[max(bounds[0] - 1, 0) : bounds[0]] or "\r" in letters[max(bounds[1] - 1, 0) : bounds[1]]:
        return
    edit = Edit(*(start + len(letters[:bound].encode()) for bound in bounds), new.encode())  # type: ignore[call-arg]
    result = applied(source, document.place([edit]))
    expected = applied(document.python, [edit])
    block = expected[start : len(expected) - (len(document.python) - end)].decode()
    if not block.strip() or block.lstrip("\r\n")[:1] in (" ", "\t") or not block.endswith(newline):
        return
    after = extract(result, kind)
    if is_unfinished(block.encode()):  # the module has unfinished blocks last
        assert sorted(after.python.split()) == sorted(expected.split())
    elif kind == "markdown":
        assert after.python == expected
    else:  # blank lines around a block are the document's
        assert after.python.split() == expected.split()
    touched = document.cells.index((start, end))
    for index, code in enumerate(codes):
        if index != touched:
            assert code in after.python.decode()
    blank = any(line and not line.strip() for line in expected.decode().split(newline))
    for line in result.decode().split(newline):
        assert "\n" not in line
        assert blank or line.strip() or line == line.rstrip() or line.rstrip() == ">"


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(["markdown", "rst"]),
    st.lists(
        st.sampled_from(
            ["```python", "```", "~~~py", "> ", "- ", "  ", "    ", "\t", ">>> x", "... y", "x = 1", ".. code:: python",
             "::", "\n", "\n", "\r\n", "\r", "%cd x", "!ls \\", "%time f()", "é", "\x00", "\u2028", ":a: b", "%%time",
             "\x0c"]
        ),
        max_size=25,
    ),
    st.data(),
)  # fmt: skip
def test_any_text(kind, tokens, data):
    source = "".join(tokens).encode()
    document = extract(source, kind)
    assert document.place([]) == []
    for offset in range(len(document.python) + 1):
        line, column, _ = document.locate(offset)
        assert line >= 1
        assert column >= 1
    for magic in document.magics:
        assert source[: magic.start] + source[magic.end :] != source
        assert applied(source, document.place([magic.removal])) != source
        assert document.locate(magic.offset)
    start, end = sorted(data.draw(st.lists(st.integers(0, len(document.python)), min_size=2, max_size=2)))
    try:
        applied(source, document.place([Edit(start, end, data.draw(st.sampled_from([b"", b"x", b"x\n", b"\nx"])))]))
    except UnplaceableEdit:
        pass


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.binary(max_size=80), st.sampled_from(["markdown", "rst"]))
def test_any_bytes(source, kind):
    extract(source, kind)
    extract(b"```python\n" + source + b"\n```\n.. code:: python\n\n   " + source, kind).locate(0)
