"""``parzen`` and ``python -m parzen``: the command line.

``info`` works without any extra; the rest needs the extra ``cli``, and says so.
"""

from __future__ import annotations

import sys

from parzen._core import describe


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ImportError as absent:
        if given == ["info"]:
            print(describe())
            return 0
        cure = f"the command line needs {absent.name}: pip install 'parzen[cli]'"
        print(f"parzen: error: {cure}", file=sys.stderr)
        return 2
    from parzen.cli import run

    return run(given)


if __name__ == "__main__":
    sys.exit(main())
