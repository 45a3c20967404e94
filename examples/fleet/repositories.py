"""`tf1mem check` and `tf1mem codemod` over many repositories, on Ray: a JSON line for each, in the order asked for.

    python repositories.py repos/* > fleet.jsonl              on the cores of this machine
    python repositories.py --address auto repos/*             on a cluster, whose machines all see these paths
    python repositories.py --one-by-one repos/*               without Ray: the same lines

Nothing is written but that. `pip install ray 'tf1mem[codemod]'`, on each machine.
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
        "check": _told("check", "--format", "json", "--jobs", "1", repository),
        "codemod": _told("codemod", "--check", "--format", "json", "--jobs", "1", "--to", to, repository),
    }


def _told(*arguments: str) -> dict:
    done = subprocess.run([sys.executable, "-m", "tf1mem", *arguments], capture_output=True, check=False)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {"failed": done.stderr.decode("utf-8", "replace")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repositories", nargs="+", metavar="REPOSITORY")
    parser.add_argument("--to", default="shim", help="the codemod's target (shim)")
    parser.add_argument("--address", help="a cluster's; by default one is started here")
    parser.add_argument("--workers", type=int, help="of a cluster that is started here; one for each core")
    parser.add_argument("--one-by-one", action="store_true", help="without Ray")
    given = parser.parse_args()
    if given.one_by_one:
        results = (examined(repository, given.to) for repository in given.repositories)
    else:
        import ray

        ray.init(address=given.address, num_cpus=given.workers, include_dashboard=False, log_to_driver=False)
        task = ray.remote(examined)
        results = map(ray.get, [task.remote(repository, given.to) for repository in given.repositories])
    for result in results:
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
