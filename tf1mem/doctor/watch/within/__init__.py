"""The doctor's code in the script's own process: it watches, and changes nothing.

It uses the standard library and nothing else of tf1mem, because `import tf1mem` would itself change what TensorFlow 2.0
to 2.14 do while they are imported (see tf1mem/hooks/finder.py). `sitecustomize.py` loads it before the script, as a
package with another name, so imports in here are relative.
"""
