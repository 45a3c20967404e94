"""What the doctor has in the script's own process: it watches, and changes nothing.

It stands by itself: the standard library and nothing of tf1mem's, for `import tf1mem` would itself change what
TensorFlow 2.0 to 2.14 do while they are imported (see tf1mem/hooks/finder.py). `sitecustomize.py` loads it before the
script, as a package of another name, so imports in here are relative.
"""
