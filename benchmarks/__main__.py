"""``python -m benchmarks NAME ... [--quick]`` runs the measurement in ``benchmarks/NAME.py``.

A measurement is a module with a function ``run()`` that prints its tables. One that takes long has
``run(quick=False)``: with ``--quick`` it does less of the same.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from pathlib import Path


def names() -> list[str]:
    """The measurements: every module here whose name does not start with an underscore."""
    return sorted(p.stem for p in Path(__file__).parent.glob("*.py") if not p.stem.startswith("_"))


def main(arguments: list[str]) -> int:
    """Run the named measurements, or list them."""
    quick = "--quick" in arguments
    arguments = [argument for argument in arguments if argument != "--quick"]
    unknown = [name for name in arguments if name not in names()]
    if not arguments or unknown:
        for name in unknown:
            print(f"there is no benchmark {name!r}", file=sys.stderr)
        usage = f"usage: python -m benchmarks NAME ... [--quick]\nNAME: {', '.join(names())}"
        print(usage, file=sys.stderr)
        return 2
    for name in arguments:
        run = importlib.import_module(f"benchmarks.{name}").run
        run(**({"quick": True} if quick and "quick" in inspect.signature(run).parameters else {}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
