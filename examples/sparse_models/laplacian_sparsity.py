"""How few kernels does the Laplacian classifier need, and which?

Jenssen et al. (2007) suggest to keep the kernels of largest weight, the "significance vectors".
They lie at the rim of each class, and a random subset of the same size is more accurate. Better
than both is the reduced expansion of least integrated squared error, whose weights stand for all
points. Mean accuracy over random halves (``--full``: 100), on the sets that can be had: iris and
wine always, WBC and Pima with the extra ``data`` or PARZEN_DATA, Thyroid with PARZEN_DATA.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ.setdefault("MPLBACKEND", "Agg")

from parzen.papers import reproduce


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "figures")
    parser.add_argument("--full", action="store_true", help="100 random halves instead of 10")
    arguments = parser.parse_args()
    options = {"quick": not arguments.full, "out": arguments.out, "n_jobs": 1}
    print(reproduce("laplacian", table="sparsity", **options).tables[0].text())
    for figure in reproduce("laplacian", figure="sparsity", **options).figures:
        print(f"figure: {arguments.out / figure.files[0]}")


if __name__ == "__main__":
    main()
