"""Opens files without a mode, as h5py 2.10 let programs do."""
import os
import tempfile

import h5py
from h5py import File

os.chdir(tempfile.mkdtemp())
with h5py.File("new.h5") as file:
    file["a"] = [1, 2]
with File("new.h5") as file:
    file["b"] = list(file["a"])
with h5py.File("new.h5", "r") as file:
    print(file.mode, sorted(file))
with h5py.File(name="new.h5", mode="r") as file:
    print(file.mode, isinstance(file, h5py.File), issubclass(h5py.File, h5py.Group))
with h5py.File("core.h5", driver="core") as file:
    file["c"] = 3
    print(file.mode, file.driver)
with open("text.h5", "w") as text:
    text.write("no HDF5")
for name in ("text.h5", "none/new.h5"):
    try:
        h5py.File(name)
    except OSError:
        print("OSError", os.path.exists(name))


class Own(File):
    pass


with File("new.h5") as file:
    print(file.mode, isinstance(file, File), type(file) is File, issubclass(Own, File))
