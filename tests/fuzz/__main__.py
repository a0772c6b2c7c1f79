"""python -m tests.fuzz --minutes 60 --seed 1: a reproducer for every failure, then the count."""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import sys
from pathlib import Path

from .runner import PARTS, run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="how long to run")
    parser.add_argument("--cases", type=int, help="cases of every part, instead of minutes")
    parser.add_argument("--seed", type=int, default=0, help="of the first case; each adds 1")
    parser.add_argument("--part", action="append", choices=list(PARTS), help="all by default")
    parser.add_argument("--native", type=Path, help="folder of a native core built otherwise")
    chosen = parser.parse_args()
    if chosen.native is not None:
        use_native(chosen.native)
    parts = chosen.part or list(PARTS)
    if chosen.cases is not None:
        tally = run(parts, iter(range(chosen.seed, chosen.seed + chosen.cases)))
    else:
        tally = run(parts, itertools.count(chosen.seed), seconds=60 * chosen.minutes)
    print(tally)
    return 1 if tally.failures else 0


def use_native(folder: Path) -> None:
    """Load the native core of this folder, for example one with sanitizers."""
    (path,) = folder.glob("_native*.so")
    spec = importlib.util.spec_from_file_location("parzen._native", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["parzen._native"] = module
    spec.loader.exec_module(module)


if __name__ == "__main__":
    sys.exit(main())
