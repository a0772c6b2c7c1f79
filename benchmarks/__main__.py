"""``python -m benchmarks NAME ... [--quick | --full] [--only=PART]`` runs ``benchmarks/NAME.py``.

A measurement is a module with a function ``run()`` that prints its tables. One that takes long has
``run(quick=False)``: with ``--quick`` it does less of the same; ``run(full=False)``: it does more
with ``--full``; ``run(only=None)``: with ``--only=PART`` it does that part alone; or it takes
``sizes`` or ``store`` (a file for the result) by the flags of these names.
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
    options: dict[str, object] = {
        flag: True for flag in ("quick", "full") if f"--{flag}" in arguments
    }
    for name in ("only", "sizes", "store"):
        given = [a.split("=", 1)[1] for a in arguments if a.startswith(f"--{name}=")]
        if given:
            options[name] = given[-1]
    arguments = [argument for argument in arguments if not argument.startswith("--")]
    unknown = [name for name in arguments if name not in names()]
    if not arguments or unknown:
        for name in unknown:
            print(f"there is no benchmark {name!r}", file=sys.stderr)
        print(
            "usage: python -m benchmarks NAME ... [--quick | --full] [--only=PART] [--sizes=N,...]",
            file=sys.stderr,
        )
        print(f"NAME: {', '.join(names())}", file=sys.stderr)
        return 2
    for name in arguments:
        run = importlib.import_module(f"benchmarks.{name}").run
        known = inspect.signature(run).parameters
        run(**{name: value for name, value in options.items() if name in known})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
