"""Starts the doctor's watch before the script runs, because Python imports a module of this name when it starts.

Then it removes its traces. Python itself runs the script, so that tracebacks, `__main__` and `sys.path` are as without
the doctor.
"""

import os
import sys


def _begin():
    # type: () -> None
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or os.curdir) != here]
    # The script gets the PYTHONPATH that the doctor has replaced by this folder.
    before = os.environ.pop("TF1MEM_DOCTOR_PYTHONPATH", "")
    if before:
        os.environ["PYTHONPATH"] = before
    else:
        os.environ.pop("PYTHONPATH", None)
    record = os.environ.pop("TF1MEM_DOCTOR_RECORD", "")
    relevant = os.environ.pop("TF1MEM_DOCTOR_VARIABLES", "").split()
    if record:
        from importlib.util import module_from_spec, spec_from_file_location

        # Not a submodule of tf1mem, because that would import tf1mem.
        name = "_tf1mem_doctor"
        spec = spec_from_file_location(name, os.path.join(here, "__init__.py"), submodule_search_locations=[here])
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = module = module_from_spec(spec)
        spec.loader.exec_module(module)
        from importlib import import_module

        import_module(name + ".start").begin(record, relevant)
        # If the script imports tf1mem, tf1mem tells its own frames from the user's by this name.
        for loaded in [loaded for loaded in sys.modules if loaded.partition(".")[0] == name]:
            sys.modules[loaded].__name__ = loaded.replace(name, "tf1mem.doctor.watch.within")
    # Import the environment's own sitecustomize, if there is one, as Python would have done.
    mine = sys.modules.pop(__name__)
    try:
        __import__(__name__)
    except ImportError as error:
        if error.name != __name__:
            raise
    finally:
        sys.modules.setdefault(__name__, mine)


if __name__ == "sitecustomize":
    _begin()
