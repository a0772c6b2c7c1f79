"""Sonar in Kim & Scott (2010), standardised; the paper does not tell how it scaled columns."""

from __future__ import annotations

from dataclasses import replace

from parzen.papers.engine import Study
from parzen.papers.l2 import printed as printed
from parzen.papers.l2.extents import extent
from parzen.papers.l2.methods import COLUMNS

SETS = {"Sonar": replace(printed.SETS["Sonar"], scaling="standard")}
STUDY = Study(__name__, SETS, COLUMNS, extent, (), protocol=3)
