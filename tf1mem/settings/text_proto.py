"""Parses a ConfigProto in text format by the table of fields: a plan for another machine needs no TensorFlow.

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
_MOST_DIGITS = 4300  # Python's own limit, which its older versions lack
DEEPEST = 32  # nested messages; no real config is as deep


class TextError(Exception):
    """The text can't be parsed; the message has the line and the reason."""


class UnknownNameError(TextError):
    """The text names a field that isn't in the table.

    Attributes:
        path: The field's dotted name.
    """

    def __init__(self, why: str, path: str) -> None:
        super().__init__(why)
        self.path = path


class TextProto(NamedTuple):
    """A ConfigProto as text, parsed without TensorFlow.

    Attributes:
        tree: The config as a dict in ConfigProto's shape.
        text: The text, which TensorFlow parses itself when the settings are applied.
    """

    tree: dict[str, Any]
    text: str


def read(text: str) -> TextProto:
    """Reads a ConfigProto as text.

    Raises:
        UnknownNameError: The text has a field that isn't in the table.
        TextError: The text isn't a ConfigProto.
    """
    return TextProto(_Reader(text).message("", ""), text)


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


class _Reader:
    """A parser of a text's tokens."""

    def __init__(self, text: str) -> None:
        self.tokens = [*_tokens(text), _Token("end", "", text.count("\n") + 1)]
        self.position = 0

    def next(self) -> _Token:
        token = self.tokens[self.position]
        self.position += token.kind != "end"
        return token

    def accept(self, marks: str) -> str:
        """Returns the next token's text and goes past it if the token is one of `marks`, else returns ""."""
        token = self.tokens[self.position]
        return self.next().text if token.kind == "mark" and token.text in marks else ""

    def message(self, prefix: str | None, closed_by: str, depth: int = 0) -> dict[str, Any]:
        """Parses a message's fields up to its end.

        Args:
            prefix: The prefix of the fields' names in the table; None in a message that is passed on whole.
            closed_by: The mark that ends the message.
            depth: The number of messages around it.
        """
        message: dict[str, Any] = {}
        while True:
            token = self.next()
            if token.text == closed_by and token.kind in ("mark", "end"):
                return message
            if token.kind != "name" or depth > DEEPEST:
                raise _error(token, "a field's name is expected" if depth <= DEEPEST else "the nesting is too deep")
            path = None if prefix is None else prefix + token.text
            row = fields.FIELDS.get(path or "")
            if path is not None and row is None and path not in fields.MESSAGES:
                raise UnknownNameError(f"line {token.line}: there is no field {shortened(path)}", path)
            inside = None if row is not None or path is None else path + "."
            parsed, in_brackets = self.values(row, inside, depth)
            if row is not None and row.kind == "map":
                self.add_counts(message.setdefault(token.text, {}), parsed, token)
            elif row is not None and row.kind in ("strings", "messages"):
                message.setdefault(token.text, []).extend(parsed)
            elif path is None and (in_brackets or token.text in message):  # any of these fields may be repeated
                before = message.get(token.text, [])
                message[token.text] = (before if isinstance(before, list) else [before]) + parsed
            elif in_brackets or token.text in message:
                raise _error(token, "it takes one value, but appears twice or as a list")
            else:
                (message[token.text],) = parsed
            self.accept(";,")

    def values(self, row: fields.Field | None, inside: str | None, depth: int) -> tuple[list[Any], bool]:
        """Parses the values of a field; returns them, and True if they are in brackets."""
        has_colon = self.accept(":")
        if self.accept("["):
            items: list[Any] = []
            while not self.accept("]"):
                items.append(self.value(row, inside, depth))
                if not self.accept(",") and self.tokens[self.position].text != "]":
                    raise _error(self.tokens[self.position], "']' is expected")
            return items, True
        if not has_colon and self.tokens[self.position].text not in _CLOSED_BY:
            raise _error(self.tokens[self.position], "':' is expected")
        return [self.value(row, inside, depth)], False

    def value(self, row: fields.Field | None, inside: str | None, depth: int) -> Any:
        """Parses one value of a field; `inside` is the prefix of its fields' names if it is a message of the table."""
        token = self.next()
        if token.kind == "mark" and token.text in _CLOSED_BY:
            message = self.message(inside, _CLOSED_BY[token.text], depth + 1)
            if row is not None and row.path.endswith("virtual_devices"):
                unknown = next((name for name in message if name not in VirtualDevices.__dataclass_fields__), None)
                if unknown is not None:
                    raise UnknownNameError(f"line {token.line}: there is no field {shortened(unknown)}", unknown)
            return message
        if inside is not None or token.kind in ("mark", "end"):
            raise _error(token, "'{' is expected" if inside is not None else "a value is expected")
        if token.kind == "string":
            text = _unescaped(token)
            while self.tokens[self.position].kind == "string":
                text += _unescaped(self.next())
            return text
        if row is not None and row.kind == "bool" and token.text in _TRUTH:
            return _TRUTH[token.text]
        return token.text if token.kind == "name" else _number(token)

    def add_counts(self, counts: dict[str, Any], entries: list[Any], token: _Token) -> None:
        """Adds entries of a map, which are messages with a key and a value."""
        for entry in entries:
            if not isinstance(entry, dict) or not set(entry) <= {"key", "value"}:
                raise _error(token, "a map's entry has a key and a value")
            key = entry.get("key", "")
            if key in counts:
                raise _error(token, f"the key {glimpse(key)} appears twice")
            counts[key] = entry.get("value", 0)


def _tokens(text: str) -> list[_Token]:
    """Returns the words and marks of a text proto, each with its line."""
    tokens: list[_Token] = []
    position, line = 0, 1
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise TextError(f"line {line}: {text[position : position + 10]!r} is not part of a ConfigProto as text")
        if len(tokens) > _MOST_WORDS:
            raise TextError(f"line {line}: it has more than {_MOST_WORDS} words and marks")
        if match.lastgroup != "space":
            tokens.append(_Token(str(match.lastgroup), match.group(), line))
        line += match.group().count("\n")
        position = match.end()
    return tokens


def _error(token: _Token, why: str) -> TextError:
    return TextError(f"line {token.line}, at {token.text[:40]!r}: {why}" if token.text else f"it ends early: {why}")


def _number(token: _Token) -> float:
    text = "".join(token.text.split())
    if len(text) > _MOST_DIGITS:
        raise _error(token, f"a number of {len(text)} digits")
    try:
        return int(text, 16 if "x" in text.lower() else 8 if re.match(r"-?0\d", text) else 10)
    except ValueError:
        return float(text.rstrip("fF") if text[-1:] in "fF" and "inf" not in text else text)


def _unescaped(token: _Token) -> str:
    """Returns the text that a quoted string means, without quotes and escapes."""
    ascii_text = "".join(
        letter if letter.isascii() else "".join(f"\\x{byte:02x}" for byte in letter.encode()) for letter in token.text
    )
    try:
        encoded: bytes = ast.literal_eval("b" + ascii_text)
        return encoded.decode("utf-8")
    except (SyntaxError, ValueError) as error:
        raise _error(token, f"it is not text ({error})") from None
