"""``python -m parzen info`` prints what was built and what it runs on."""

from __future__ import annotations

import sys

from parzen._build import describe


def main(arguments: list[str]) -> int:
    """Print the description, or how to ask for it."""
    if arguments != ["info"]:
        print("usage: python -m parzen info", file=sys.stderr)
        return 2
    print(describe())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
