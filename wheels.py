"""`python wheels.py FOLDER`: adds a wheel for Linux x86-64, with the simulator compiled, to the wheel for all machines.

The added wheel contains the compiled libraries of the simulated GPUs, so that its users need no C compiler. zig links
them for glibc 2.17, whichever version this machine has, and auditwheel checks that they need no newer one. Users don't
compile with zig: it takes 400 MB, and four times as long as gcc.

`make dist` runs it with the packages of tf1mem[dist].
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tf1mem.gpusim import manifest

# Two names of the same platform: pip knows the first from 20.3 on, and Python 3.7 may have an older pip.
TAGS = ("manylinux_2_17_x86_64", "manylinux2014_x86_64")
# zig would trap undefined behaviour; the tests' sanitizers look for it instead.
ZIG = "-m ziglang cc -target x86_64-linux-gnu.2.17 -fno-sanitize=undefined -g0 -s"


def main(folder: Path) -> None:
    """Makes the wheel for Linux x86-64 from the wheel for all machines.

    Args:
        folder: The folder with the wheel for all machines; the new wheel is written there, too.
    """
    (plain,) = folder.glob("*-none-any.whl")
    with tempfile.TemporaryDirectory() as cache:
        os.environ.update(TF1MEM_SIM_CACHE=cache, CC=f"{sys.executable} {ZIG}")
        from tf1mem.gpusim.build import library_folder

        made = with_libraries(plain, library_folder(), TAGS)
    shown = subprocess.run([sys.executable, "-m", "auditwheel", "show", made], stdout=subprocess.PIPE, check=True)
    said = " ".join(shown.stdout.decode().split())
    if f'the following platform tag: "{TAGS[0]}"' not in said:
        made.unlink()
        sys.exit(f"wheels.py: {made.name} is not what its name says, and was removed. auditwheel: {said}")


def with_libraries(wheel: Path, libraries: Path, platforms: tuple[str, ...]) -> Path:
    """Makes a wheel that also contains the simulated GPUs' libraries.

    Args:
        wheel: The wheel for all machines.
        libraries: The folder of the libraries. A symbolic link in it becomes a file, since a wheel can't contain links.
        platforms: The platform tags of the new wheel.

    Returns:
        The path of the new wheel, in the same folder.
    """
    with tempfile.TemporaryDirectory() as folder:
        _wheel("unpack", "--dest", folder, str(wheel))
        (root,) = Path(folder).iterdir()
        prebuilt = root / "tf1mem" / "gpusim" / "prebuilt"
        shutil.copytree(libraries, prebuilt)
        manifest.write(prebuilt)  # again, since links have become files
        (about,) = root.glob("*.dist-info/WHEEL")
        text = about.read_text("utf-8").replace("Root-Is-Purelib: true", "Root-Is-Purelib: false")
        tags = "".join(f"Tag: py3-none-{platform}\n" for platform in platforms)
        about.write_text(re.sub(r"(Tag: .*\n)+", tags, text), "utf-8")
        before = set(wheel.parent.iterdir())
        _wheel("pack", "--dest-dir", str(wheel.parent), str(root))
    (made,) = set(wheel.parent.iterdir()) - before
    return made


def _wheel(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "wheel", *arguments], stdout=subprocess.DEVNULL, check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
