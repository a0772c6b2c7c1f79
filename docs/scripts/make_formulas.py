"""Write the papers' formulas as MathML: ``python -m docs.scripts.make_formulas``.

A page of ``parzen reproduce`` stands alone, so it has the formulas as browsers draw them.
"""

from __future__ import annotations

import json
from pathlib import Path

from docutils.utils.math.latex2mathml import tex2mathml

from parzen.papers import PAPERS, paper

PLACE = Path(__file__).parents[2] / "src" / "parzen" / "report" / "formulas.json"


def drawn() -> dict[str, str]:
    """Every formula by its LaTeX."""
    formulas = [paper(name).about.formula for name in PAPERS]
    return {latex: tex2mathml(latex, as_block=True) for latex in formulas if latex}


if __name__ == "__main__":
    PLACE.write_text(json.dumps(drawn(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
