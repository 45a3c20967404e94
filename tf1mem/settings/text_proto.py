"""A ConfigProto as text, read by the table of fields: a plan for another machine needs no TensorFlow.

Source: the text format's specification, https://protobuf.dev/reference/protobuf/textformat-spec/, as far as fields of
ConfigProto go: no extensions, no Any.
"""

from __future__ import annotations

import ast
import re
from typing import Any, NamedTuple

from tf1mem.settings import fields
from tf1mem.settings.values import VirtualDevices, glimpse, shortened

_TOKEN = re.compile(
    r"""(?P<space>(?:\s|\#[^\n]*)+)
    |(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<number>-?\s*(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fF]?|inf(?:inity)?\b|nan\b))
    |(?P<name>[A-Za-z_]\w*)
    |(?P<mark>[{}<>\[\]:;,])""",
    re.VERBOSE,
)
_CLOSED_BY = {"{": "}", "<": ">"}
_TRUTH = {"true": True, "True": True, "t": True, "1": True, "false": False, "False": False, "f": False, "0": False}
_MOST_WORDS = 100_000
_MOST_DIGITS = 4300  # as Python's own limit, which its older versions lack
DEEPEST = 32  # messages in messages: no config is as deep


class TextError(Exception):
    """The text can't be read; says why, and the line."""


class UnknownNameError(TextError):
    """It names a field that isn't in the table.

    Attributes:
        path: The field.
    """

    def __init__(self, why: str, path: str) -> None:
        super().__init__(why)
        self.path = path


class TextProto(NamedTuple):
    """A ConfigProto as text, as far as it can be read without TensorFlow.

    Attributes:
        tree: The same as a dict in its shape.
        text: The text, which TensorFlow reads when there is one to be told.
    """

    tree: dict[str, Any]
    text: str


def read(text: str) -> TextProto:
    """Reads a ConfigProto as text.

    Raises:
        UnknownNameError: It has a field that isn't in the table.
        TextError: It isn't one.
    """
    return TextProto(_Reader(text).message("", ""), text)


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


class _Reader:
    """Goes through the tokens of a text."""

    def __init__(self, text: str) -> None:
        self.tokens = [*_tokens(text), _Token("end", "", text.count("\n") + 1)]
        self.place = 0

    def next(self) -> _Token:
        token = self.tokens[self.place]
        self.place += token.kind != "end"
        return token

    def accept(self, marks: str) -> str:
        """The next token if it is one of some marks, else ""."""
        token = self.tokens[self.place]
        return self.next().text if token.kind == "mark" and token.text in marks else ""

    def message(self, prefix: str | None, closed_by: str, depth: int = 0) -> dict[str, Any]:
        """A message's fields up to its end.

        Args:
            prefix: What stands before their names in the table; None in a message that is passed on whole.
            closed_by: The mark that ends it.
            depth: How many messages it stands in.
        """
        found: dict[str, Any] = {}
        while True:
            token = self.next()
            if token.text == closed_by and token.kind in ("mark", "end"):
                return found
            if token.kind != "name" or depth > DEEPEST:
                raise _wrong(token, "a field's name is expected" if depth <= DEEPEST else "messages stand too deep")
            path = None if prefix is None else prefix + token.text
            row = fields.FIELDS.get(path or "")
            if path is not None and row is None and path not in fields.MESSAGES:
                raise UnknownNameError(f"line {token.line}: there is no field {shortened(path)}", path)
            inside = None if row is not None or path is None else path + "."
            given, in_brackets = self.values(row, inside, depth)
            if row is not None and row.kind == "map":
                self.add_counts(found.setdefault(token.text, {}), given, token)
            elif row is not None and row.kind in ("strings", "messages"):
                found.setdefault(token.text, []).extend(given)
            elif path is None and (in_brackets or token.text in found):  # nobody knows here which fields are repeated
                before = found.get(token.text, [])
                found[token.text] = (before if isinstance(before, list) else [before]) + given
            elif in_brackets or token.text in found:
                raise _wrong(token, "it is one value, and stands there twice or as a list")
            else:
                (found[token.text],) = given
            self.accept(";,")

    def values(self, row: fields.Field | None, inside: str | None, depth: int) -> tuple[list[Any], bool]:
        """What a field is given, and whether that stands in brackets."""
        has_colon = self.accept(":")
        if self.accept("["):
            found: list[Any] = []
            while not self.accept("]"):
                found.append(self.value(row, inside, depth))
                if not self.accept(",") and self.tokens[self.place].text != "]":
                    raise _wrong(self.tokens[self.place], "']' is expected")
            return found, True
        if not has_colon and self.tokens[self.place].text not in _CLOSED_BY:
            raise _wrong(self.tokens[self.place], "':' is expected")
        return [self.value(row, inside, depth)], False

    def value(self, row: fields.Field | None, inside: str | None, depth: int) -> Any:
        """One value of a field; `inside` is what stands before the names in it where it is a message of the table."""
        token = self.next()
        if token.kind == "mark" and token.text in _CLOSED_BY:
            made = self.message(inside, _CLOSED_BY[token.text], depth + 1)
            if row is not None and row.path.endswith("virtual_devices"):
                unknown = next((name for name in made if name not in VirtualDevices.__dataclass_fields__), None)
                if unknown is not None:
                    raise UnknownNameError(f"line {token.line}: there is no field {shortened(unknown)}", unknown)
            return made
        if inside is not None or token.kind in ("mark", "end"):
            raise _wrong(token, "'{' is expected" if inside is not None else "a value is expected")
        if token.kind == "string":
            text = _unescaped(token)
            while self.tokens[self.place].kind == "string":
                text += _unescaped(self.next())
            return text
        if row is not None and row.kind == "bool" and token.text in _TRUTH:
            return _TRUTH[token.text]
        return token.text if token.kind == "name" else _number(token)

    def add_counts(self, counts: dict[str, Any], entries: list[Any], token: _Token) -> None:
        """Adds entries of a map, which are messages with a key and a value."""
        for entry in entries:
            if not isinstance(entry, dict) or not set(entry) <= {"key", "value"}:
                raise _wrong(token, "a map's entry has a key and a value")
            key = entry.get("key", "")
            if key in counts:
                raise _wrong(token, f"the key {glimpse(key)} stands there twice")
            counts[key] = entry.get("value", 0)


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    place, line = 0, 1
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise TextError(f"line {line}: {text[place : place + 10]!r} is no text of a ConfigProto")
        if len(found) > _MOST_WORDS:
            raise TextError(f"line {line}: it has more than {_MOST_WORDS} words and marks")
        if match.lastgroup != "space":
            found.append(_Token(str(match.lastgroup), match.group(), line))
        line += match.group().count("\n")
        place = match.end()
    return found


def _wrong(token: _Token, why: str) -> TextError:
    return TextError(f"line {token.line}, at {token.text[:40]!r}: {why}" if token.text else f"it ends early: {why}")


def _number(token: _Token) -> float:
    text = "".join(token.text.split())
    if len(text) > _MOST_DIGITS:
        raise _wrong(token, f"a number of {len(text)} digits")
    try:
        return int(text, 16 if "x" in text.lower() else 8 if re.match(r"-?0\d", text) else 10)
    except ValueError:
        return float(text.rstrip("fF") if text[-1:] in "fF" and "inf" not in text else text)


def _unescaped(token: _Token) -> str:
    ascii_text = "".join(
        letter if letter.isascii() else "".join(f"\\x{byte:02x}" for byte in letter.encode()) for letter in token.text
    )
    try:
        made: bytes = ast.literal_eval("b" + ascii_text)
        return made.decode("utf-8")
    except (SyntaxError, ValueError) as error:
        raise _wrong(token, f"it is no text ({error})") from None
