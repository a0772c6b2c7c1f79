"""The sentence about who won, from errors that are known."""

from __future__ import annotations

import numpy as np
import pytest

from parzen.cli._compare import verdict
from parzen.compare import Comparison, Outcome


def comparison(**errors):
    outcomes = [
        Outcome(name, split, error=error, fit_seconds=0.1, predict_seconds=0.1,
                failure="it broke" if np.isnan(error) else None)
        for name, values in errors.items() for split, error in enumerate(values)
    ]  # fmt: skip
    return Comparison(tuple(errors), tuple(outcomes), 60, 30)


NEAR = [0.10, 0.14, 0.12, 0.13, 0.11, 0.12]
FAR = [e + 0.3 + d for e, d in zip(NEAR, [0.0, 0.01, -0.01, 0.0, 0.01, 0.0], strict=True)]
SAME = [e + d for e, d in zip(NEAR, [0.01, -0.01, 0.02, -0.01, 0.0, 0.01], strict=True)]


@pytest.mark.parametrize(
    ("errors", "said"),
    [
        ({"parzen": [np.nan] * 6}, "every method failed"),
        ({"parzen": NEAR}, "it has no rival"),
        ({"parzen": NEAR[:1], "rls": FAR[:1]}, "with one split the differences cannot be tested"),
        ({"parzen": NEAR, "rls": SAME}, "but no other is significantly worse"),
        ({"parzen": NEAR, "rls": FAR}, "and all others are significantly worse"),
        ({"parzen": NEAR, "rls": FAR, "l2": SAME}, "significantly worse are rls ("),
    ],
)
def test_the_verdict_says_what_the_errors_show(errors, said):
    sentence = verdict(comparison(**errors))
    assert said in sentence
    if said != "every method failed":
        assert sentence.startswith("parzen (")
        assert f"{100 * np.mean(errors['parzen']):.2f} %" in sentence
