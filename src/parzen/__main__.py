"""``parzen`` and ``python -m parzen``: the command line.

``info`` and ``--version`` work without any extra; the rest needs the extra ``cli``, and says so.
"""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    if given == ["--version"]:  # at once: nothing else is imported for it
        print(f"parzen {_version()}")
        return 0
    try:
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ImportError as absent:
        if given == ["info"]:
            from parzen._core import describe

            print(describe())
            return 0
        cure = f"the command line needs {absent.name}: pip install 'parzen[cli]'"
        print(f"parzen: error: {cure}", file=sys.stderr)
        return 2
    from parzen.cli import run

    return run(given)


def _version() -> str:
    try:
        return version("parzen")
    except PackageNotFoundError:
        return "unknown"


if __name__ == "__main__":
    sys.exit(main())
