"""``parzen`` and ``python -m parzen``: the command line.

``info`` works without any extra; the rest needs the extra ``cli``, and says so.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

from parzen._build import describe


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    absent = [name for name in ("typer", "rich") if find_spec(name) is None]
    if not absent:
        from parzen.cli import run

        return run(given)
    if given == ["info"]:
        print(describe())
        return 0
    print(
        f"parzen: error: the command line needs {' and '.join(absent)}: pip install 'parzen[cli]'",
        file=sys.stderr,
    )
    return 2


if __name__ == "__main__":
    sys.exit(main())
