"""Style, script and formulas of a report: all are in the page, which asks the network for nothing.

``python -m docs.scripts.make_formulas`` writes the formulas.
"""

from __future__ import annotations

import json
from importlib.resources import files

FORMULAS: dict[str, str] = json.loads(
    files("parzen.report").joinpath("formulas.json").read_text(encoding="utf-8")
)  # MathML by LaTeX

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --line: #d5dae0; --faint: #5b6570;
  --mark: #e8f3ea; --accent: #1f6feb; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --paper: #14171b; --line: #343b44;
  --faint: #9aa4af; --mark: #1d3325; --accent: #6ea8ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1rem; background: var(--paper);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
p, li { overflow-wrap: anywhere; }
.formula { margin: 1rem 0; overflow-x: auto; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .6rem; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0;
  background: var(--paper); }
td.text { text-align: left; white-space: normal; min-width: 14rem; }
td.explained { font-style: italic; } td.open { font-weight: 700; }
thead th { border-bottom: 1px solid var(--line); }
tbody tr + tr td { border-top: 1px solid var(--line); }
tr.best td { background: var(--mark); font-weight: 600; }
th button { all: unset; cursor: pointer; font-weight: 600; }
th button:focus-visible { outline: 2px solid var(--accent); }
th[aria-sort=ascending] button::after { content: " \\25B2"; }
th[aria-sort=descending] button::after { content: " \\25BC"; }
figure { margin: 1rem 0; } figure svg { max-width: 100%; height: auto; background: #fff;
  border-radius: 6px; } figcaption, .note { color: var(--faint); font-size: .9rem; }
pre { overflow-x: auto; padding: .7rem; border: 1px solid var(--line); border-radius: 6px; }
"""

SCRIPT = """
document.querySelectorAll("table.sortable").forEach(table => {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  const key = (row, i) => row.cells[i].dataset.key ?? row.cells[i].textContent;
  heads.forEach((head, i) => head.querySelector("button").addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    heads.forEach(other => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const compare = (a, b) => {
      const x = key(a, i), y = key(b, i), p = parseFloat(x), q = parseFloat(y);
      if (x === "" || y === "") return (x === "") - (y === "");
      const order = isNaN(p) || isNaN(q) ? x.localeCompare(y) : p - q;
      return down ? -order : order;
    };
    body.append(...[...body.rows].sort(compare));
  }));
});
"""
