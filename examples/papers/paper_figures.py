"""The figures of the papers, drawn anew.

The ring with its two maps, weights and outlier, and two Gaussian classes (the Laplacian
classifier); three widths and the training error that goes to 0 (the lecture notes); nine kernels
in one dimension and the borders on Banana (L2 classification); J and alignment along the steps
(kernel optimisation); B-vectors for several widths and margins (the B-machine). Without arguments
the Laplacian paper and the notes are drawn; name others after the command.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ.setdefault("MPLBACKEND", "Agg")

from parzen.papers import PAPERS, paper, reproduce


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("papers", nargs="*", default=["laplacian", "notes"], help=", ".join(PAPERS))
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "figures")
    arguments = parser.parse_args()
    for name in arguments.papers:
        for number in paper(name).figure_numbers():
            found = reproduce(name, figure=number, quick=True, out=arguments.out / name, n_jobs=1)
            for figure in found.figures:
                print(f"{name}, figure {figure.number}: {figure.title}")
    print(f"figures: {arguments.out}")


if __name__ == "__main__":
    main()
