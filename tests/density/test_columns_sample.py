"""Rows that are drawn from a table's density have the levels of the table."""

from __future__ import annotations

import numpy as np
import pytest

from parzen import KernelDensity, ParzenClassifier
from parzen.kernels import ColumnProduct

pd = pytest.importorskip("pandas")
SIZES = ["small", "middle", "large"]


def table(n=300):
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], n, p=[0.6, 0.3, 0.1])
    size = pd.Categorical(rng.choice(SIZES, n), categories=SIZES, ordered=True)
    return pd.DataFrame({"x": rng.normal(size=n), "colour": colour, "size": size})


def test_a_density_draws_levels_in_their_shares():
    frame = table()
    kernel, widths = ColumnProduct(), np.array([[0.3, 0.1, 0.2]])
    density = KernelDensity(kernel=kernel, bandwidth=widths).fit(frame)
    drawn = density.sample(4000, random_state=0)
    assert list(drawn.columns) == ["x", "colour", "size"]
    assert set(drawn["size"]) == set(SIZES)
    shares = frame["colour"].value_counts(normalize=True)
    expected = 0.9 * shares + 0.05 * (1 - shares)  # Aitchison-Aitken of three levels
    found = drawn["colour"].value_counts(normalize=True)
    np.testing.assert_allclose(found[shares.index], expected, atol=0.03)
    assert np.isfinite(density.score_samples(drawn)).all()


def test_a_classifier_draws_levels_that_it_can_read():
    frame = table()
    y = np.where(frame["colour"] == "red", "warm", "cold")
    classifier = ParzenClassifier(ColumnProduct(), bandwidth=[[0.3, 0.05, 0.3]]).fit(frame, y)
    drawn, labels = classifier.sample(500, random_state=0)
    assert set(drawn["colour"]) == {"red", "green", "blue"}
    assert (drawn["colour"][labels == "warm"] == "red").mean() > 0.9
    assert (classifier.predict(drawn) == labels).mean() > 0.8


def test_arrays_of_objects_get_their_levels_and_numbers_stay_numbers():
    frame = table().drop(columns="size")
    kernel = ColumnProduct(unordered=(1,), ordered=())
    objects = KernelDensity(kernel=kernel, bandwidth=[[0.3, 0.1]]).fit(frame.to_numpy(object))
    drawn = objects.sample(20, random_state=0)
    assert drawn.shape == (20, 2)
    assert set(drawn[:, 1]) <= {"red", "green", "blue"}
    numbers = np.column_stack([frame["x"], frame["colour"] == "red"]).astype(float)
    density = KernelDensity(kernel=kernel, bandwidth=[[0.3, 0.1]]).fit(numbers)
    assert set(density.sample(20, random_state=0)[:, 1]) <= {0.0, 1.0}
