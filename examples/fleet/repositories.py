"""`tf1mem check` and `tf1mem codemod` over many repositories, on Ray: a JSON line for each, in their order.

    python repositories.py repos/* > fleet.jsonl              on the cores of this machine
    python repositories.py --address auto repos/*             on a cluster, whose machines all see these paths
    python repositories.py --one-by-one repos/*               without Ray: the same lines

Nothing else is written. `pip install ray 'tf1mem[codemod]'`, on each machine.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys


def examined(repository: str, to: str) -> dict:
    """Returns the results of check and the codemod for a repository, each from a process of its own."""
    return {
        "path": repository,
        "check": _output("check", "--format", "json", "--jobs", "1", repository),
        "codemod": _output("codemod", "--check", "--format", "json", "--jobs", "1", "--to", to, repository),
    }


def _output(*arguments: str) -> dict:
    done = subprocess.run([sys.executable, "-m", "tf1mem", *arguments], capture_output=True, check=False)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {"failed": done.stderr.decode("utf-8", "replace")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repositories", nargs="+", metavar="REPOSITORY")
    parser.add_argument("--to", default="shim", help="the codemod's target (shim)")
    parser.add_argument("--address", help="the address of a cluster; by default one is started here")
    parser.add_argument("--workers", type=int, help="the workers of a cluster that is started here; one for each core")
    parser.add_argument("--one-by-one", action="store_true", help="without Ray")
    options = parser.parse_args()
    if options.one_by_one:
        results = (examined(repository, options.to) for repository in options.repositories)
    else:
        import ray

        ray.init(address=options.address, num_cpus=options.workers, include_dashboard=False, log_to_driver=False)
        task = ray.remote(examined)
        results = map(ray.get, [task.remote(repository, options.to) for repository in options.repositories])
    for result in results:
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
