"""The table of features: every row has evidence, and the evidence exists."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "features.md"
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| Feature")
]


def test_the_table_has_twenty_eight_rows_and_only_the_gpu_is_a_no():
    assert len(ROWS) == 28
    assert [feature for feature, has, *_ in ROWS if has != "yes"] == ["GPU"]


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_the_evidence_exists(row):
    path = re.fullmatch(r"`(.+)`|\[.+\]\((.+)\)", row[2])
    assert path, row[2]
    if path[1]:
        assert (PAGE.parents[2] / path[1]).is_file()
    elif path[2].startswith("#"):
        assert f"({path[2][1:]})=" in PAGE.read_text(encoding="utf-8")
    else:
        assert (PAGE.parent / path[2]).is_file()
