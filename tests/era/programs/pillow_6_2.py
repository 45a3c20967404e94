"""Uses names of Pillow 6.2 that later versions lack, as programs of its time did."""
import os
import zlib

import PIL
from PIL import Image, ImageDraw, ImageFont


def show(name, image):
    """Prints an image's mode and size, and a checksum of all of its bytes."""
    print(name, image.mode, image.size, zlib.crc32(image.tobytes()) & 0xFFFFFFFF)


image = Image.new("RGB", (40, 30))
image.putdata([(x * 6, y * 8, (x * y) % 256) for y in range(30) for x in range(40)])

# Constants.
print([int(each) for each in (Image.ANTIALIAS, Image.LINEAR, Image.CUBIC)], PIL.PILLOW_VERSION == PIL.__version__)
show("ANTIALIAS", image.resize((17, 13), Image.ANTIALIAS))
show("LINEAR", image.resize((80, 60), Image.LINEAR))
show("CUBIC", image.resize((11, 50), resample=Image.CUBIC))
image.thumbnail((20, 20), Image.ANTIALIAS)
print(image.size)

# Text in Pillow's built-in bitmap font.
font = ImageFont.load_default()
print(font.getsize("a label"), type(font).__name__)
draw = ImageDraw.Draw(image)
print(draw.textsize("a label"), draw.textsize("a label", font), draw.textsize("two\nlines"), draw.textsize(""))
print(draw.multiline_textsize("three\nlines\nof text", spacing=2))
draw.rectangle([(0, 0), draw.textsize("Ag")], fill=(9, 9, 9))
draw.text((1, 1), "Ag", fill=(255, 255, 0))
draw.text((1, 9), "b", font=font)
show("text", image)

# Text in a font that the program loads.
own = ImageFont.truetype(os.environ["FONT"], 20)
print(own.getsize("a label"), own.getoffset("a label"), own.getsize_multiline("a\na label"), draw.textsize("a", font=own))
