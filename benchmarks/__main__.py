"""``python -m benchmarks NAME ... [--quick | --full] [--only=PART] [--store]`` runs NAME.py.

A measurement is a module with a function ``run()`` that prints its tables. One that takes long has
``run(quick=False)``: with ``--quick`` it does less of the same; ``run(full=False)``: it does more
with ``--full``; ``run(only=None)``: with ``--only=PART`` it does that part alone; or it takes
``sizes`` by the flag of this name. ``--store`` puts the tables into docs/results/benchmarks, where
the pages of the site find them, in place of those with the same titles.
"""

from __future__ import annotations

import importlib
import inspect
import json
import platform
import sys
from pathlib import Path

from benchmarks._timing import printed

STORE = Path(__file__).parents[1] / "docs" / "results" / "benchmarks"


def names() -> list[str]:
    """The measurements: every module here whose name does not start with an underscore."""
    return sorted(p.stem for p in Path(__file__).parent.glob("*.py") if not p.stem.startswith("_"))


def main(arguments: list[str]) -> int:
    """Run the named measurements, or list them."""
    options: dict[str, object] = {
        flag: True for flag in ("quick", "full") if f"--{flag}" in arguments
    }
    for name in ("only", "sizes"):
        given = [a.split("=", 1)[1] for a in arguments if a.startswith(f"--{name}=")]
        if given:
            options[name] = given[-1]
    flags = [argument for argument in arguments if argument.startswith("--")]
    arguments = [argument for argument in arguments if not argument.startswith("--")]
    unknown = [name for name in arguments if name not in names()]
    if not arguments or unknown:
        for name in unknown:
            print(f"there is no benchmark {name!r}", file=sys.stderr)
        print(
            "usage: python -m benchmarks NAME ... [--quick | --full] [--only=PART] [--sizes=N,...]"
            " [--store]",
            file=sys.stderr,
        )
        print(f"NAME: {', '.join(names())}", file=sys.stderr)
        return 2
    for name in arguments:
        run = importlib.import_module(f"benchmarks.{name}").run
        known = inspect.signature(run).parameters
        first = len(printed)
        run(**{name: value for name, value in options.items() if name in known})
        if "--store" in flags:
            store(name, " ".join(["python -m benchmarks", name, *flags]), printed[first:])
    return 0


def store(name: str, command: str, tables: list[dict[str, object]]) -> None:
    """Put tables into the file of a measurement, each with the command and the processor."""
    path = STORE / f"{name}.json"
    stored = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    origin = {"command": command, "processor": processor(), "versions": versions()}
    titles = [table["title"] for table in tables]
    kept = [table for table in stored if table["title"] not in titles]
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps([*kept, *(table | origin for table in tables)], indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def processor() -> str:
    """The name of the processor, as the system gives it, and the number of its cores in use."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    cores = importlib.import_module("parzen._core").effective_threads()
    return f"{names[0] if names else platform.processor()}, {cores} cores"


def versions() -> dict[str, str]:
    """Versions of the packages that the figures depend on."""
    packages = ("parzen", "numpy", "sklearn")
    return {name: importlib.import_module(name).__version__ for name in packages}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
