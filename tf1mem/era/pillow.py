"""Repairs for Pillow: names and behaviour that it had up to 6.2 and has lost since."""

from __future__ import annotations

import ast
from typing import Any, Callable, Tuple

from tf1mem.era.repairs import changed, gone, methods

Size = Tuple[int, int]


def _size(font: Any, text: Any, *args: Any, **kwargs: Any) -> Size:
    _, _, right, bottom = font.getbbox(text, *args, **kwargs)
    return int(right), int(bottom)


def _size_of_lines(  # noqa: PLR0917
    font: Any, text: Any, direction: Any = None, spacing: float = 4, features: Any = None, language: Any = None,
    stroke_width: int = 0,
) -> Size:  # fmt: skip
    lines = text.split("\n" if isinstance(text, str) else b"\n")
    more = _nonempty(direction=direction, features=features, language=language, stroke_width=stroke_width)
    step = _size(font, "A", **_nonempty(stroke_width=stroke_width))[1] + spacing
    return max(_size(font, line, **more)[0] for line in lines), int(len(lines) * step - spacing)


def _offset(font: Any, text: Any) -> Size:
    left, top, _, _ = font.getbbox(text)
    return int(left), int(top)


def _size_drawn(  # noqa: PLR0917
    draw: Any, text: Any, font: Any = None, spacing: float = 4, direction: Any = None, features: Any = None,
    language: Any = None, stroke_width: int = 0,
) -> Size:  # fmt: skip
    font = font or draw.getfont()
    more = _nonempty(direction=direction, features=features, language=language, stroke_width=stroke_width)
    if ("\n" if isinstance(text, str) else b"\n") in text:
        return _size_of_lines(font, text, spacing=spacing, **more)
    return _size(font, text, **more)


def _nonempty(**arguments: Any) -> dict[str, Any]:
    """Returns the arguments that have a value: bitmap fonts accept none."""
    return {name: value for name, value in arguments.items() if value}


Note = Callable[[], None]  # records that the repair was needed


def _bitmaps() -> Any:
    from PIL import ImageFont

    load = getattr(ImageFont, "load_default_imagefont", None)
    return load and load()


def _default_font(note: Note, original: Any, *args: Any, **kwargs: Any) -> Any:
    font = None if args or kwargs else _bitmaps()
    if font is None:
        return original(*args, **kwargs)
    note()
    return font


def _draw(note: Note, original: Any, *args: Any, **kwargs: Any) -> Any:
    draw = original(*args, **kwargs)
    font = _bitmaps()
    if font is not None:
        note()
        draw.font = font
    return draw


def _always(call: ast.Call) -> bool:
    return True


REPAIRS = (
    *gone("PIL", "Pillow 9.0", "PILLOW_VERSION=__version__"),
    *gone("PIL.Image", "Pillow 10.0", "ANTIALIAS=LANCZOS CUBIC=BICUBIC LINEAR=BILINEAR"),
    *methods("PIL.ImageDraw.ImageDraw", "Pillow 10.0", multiline_textsize=_size_drawn, textsize=_size_drawn),
    *methods(
        "PIL.ImageFont.FreeTypeFont", "Pillow 10.0", getsize=_size, getsize_multiline=_size_of_lines, getoffset=_offset
    ),
    *methods("PIL.ImageFont.ImageFont", "Pillow 10.0", getsize=_size),
    *changed(
        "PIL.ImageFont", "Pillow 10.1", "answers with another font", "without a size", _always, hint=b"PIL",
        load_default=_default_font,
    ),
    *changed(
        "PIL.ImageDraw", "Pillow 10.1", "replaced", "with its default font", _always, hint=b"text", Draw=_draw
    ),
)  # fmt: skip
