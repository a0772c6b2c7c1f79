"""A sample is the same for a weight as for copies, and merges equal rows in three orders."""

from __future__ import annotations

import numpy as np
import pytest

from parzen.samples import KernelSample, Sample, class_names, sum_of_others


@pytest.fixture
def sample():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(60, 2)).astype(float)
    return Sample.labelled(X, rng.choice(["a", "b", "c"], 60), rng.choice([0.5, 1.0, 3.0], 60))


def groups(sample):
    """Frequencies of the distinct pairs of row and class, written out."""
    found = {}
    for x, c, w in zip(sample.X.tolist(), sample.codes.tolist(), sample.frequencies, strict=True):
        key = (c, *x)
        found[key] = found.get(key, 0.0) + w
    return found


@pytest.mark.parametrize("by", ["class", "value", "row"])
def test_equal_rows_of_a_class_become_one(sample, by):
    found = sample.merged(by)
    expected = groups(sample)
    assert groups(found.sample) == pytest.approx(expected)
    assert len(found.sample) == len(expected)
    np.testing.assert_array_equal(found.sample.X[found.into], sample.X)
    np.testing.assert_array_equal(found.sample.codes[found.into], sample.codes)
    np.testing.assert_array_equal(sample.X[found.first], found.sample.X)
    np.testing.assert_array_equal(found.sample.counts, sample.counts)


def test_the_orders_are_as_they_say(sample):
    by_class = sample.merged("class").sample
    keys = [(c, *x) for c, x in zip(by_class.codes.tolist(), by_class.X.tolist(), strict=True)]
    assert keys == sorted(keys)
    first = sample.merged("row").first
    assert (np.diff(first) > 0).all()


def test_the_order_by_value_knows_neither_rows_nor_columns():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 2, 40)
    plain = Sample.labelled(X, y, None).merged("value").sample
    order = rng.permutation(40)
    other = Sample.labelled(X[order][:, [2, 0, 1]], y[order], None).merged("value").sample
    np.testing.assert_array_equal(other.X[:, [1, 2, 0]], plain.X)
    np.testing.assert_array_equal(other.codes, plain.codes)


def test_missing_entries_are_equal_to_each_other():
    X = np.array([[np.nan, 1.0], [0.0, 1.0], [np.nan, 1.0]])
    found = Sample.labelled(X, np.zeros(3), None).merged("row")
    np.testing.assert_array_equal(found.sample.X, X[:2])
    np.testing.assert_array_equal(found.sample.weights, [2.0, 1.0])


def test_a_weight_is_as_good_as_copies():
    X, y, w = np.array([[0.0], [1.0], [2.0]]), np.array([0, 0, 1]), np.array([2.0, 1.0, 3.0])
    rows = np.repeat(np.arange(3), w.astype(int))
    weighted = Sample.labelled(X, y, w).merged().sample
    copied = Sample.labelled(X[rows], y[rows], None).merged().sample
    np.testing.assert_array_equal(weighted.X, copied.X)
    np.testing.assert_array_equal(weighted.frequencies, copied.frequencies)
    np.testing.assert_array_equal(weighted.counts, copied.counts)


def test_rows_and_classes_are_samples_of_the_same_kind(sample):
    part = sample.rows(sample.codes != 1)
    assert part.n_classes == 3
    assert part.counts[1] == 0
    np.testing.assert_allclose(part.shares.sum(), 1.0)
    for c, own in enumerate(sample.by_class()):
        np.testing.assert_array_equal(own.X, sample.X[sample.codes == c])
        assert own.classes.tolist() == [sample.classes[c]]
        assert own.counts.tolist() == [sample.counts[c]]


def test_leaving_one_out_takes_at_most_a_whole_row(sample):
    rest = sample.same_class_weight_without_self()
    w = sample.frequencies
    np.testing.assert_allclose(rest, sample.counts[sample.codes] - np.minimum(w, 1.0))


def test_rows_of_weight_zero_are_dropped_with_their_class():
    X, w = np.arange(4.0)[:, None], np.array([1.0, 1.0, 0.0, 1.0])
    with pytest.warns(UserWarning, match="class 7 dropped"):
        sample = Sample.labelled(X, np.array([5, 5, 7, 9]), w)
    assert sample.classes.tolist() == [5, 9]
    assert sample.weights is None


def test_priors_of_a_class_are_not_those_of_the_sample():
    given = KernelSample.of(np.zeros((4, 1)), [0, 0, 1, 1], "gaussian", None, [0.9, 0.1], 1)
    np.testing.assert_array_equal(given.prior_shares, [0.9, 0.1])
    assert all(part.priors is None for part in given.by_class())


def test_priors_may_be_zero_but_not_all_of_them():
    X, y = np.zeros((4, 1)), [0, 0, 1, 1]
    assert KernelSample.of(X, y, "gaussian", None, [0.0, 1.0], 1).priors.tolist() == [0.0, 1.0]
    for priors in ([0.0, 0.0], [-0.1, 1.1], [np.nan, 1.0], [np.inf, 1.0], [[0.5, 0.5]], 0.5):
        with pytest.raises(ValueError, match="must be numbers >= 0, one per class"):
            KernelSample.of(X, y, "gaussian", None, priors, 1)
    with pytest.raises(ValueError, match="must be numbers, one per class"):
        KernelSample.of(X, y, "gaussian", None, ["a", "b"], 1)


def test_labels_below_the_number_of_classes_are_codes():
    X = np.zeros((3, 1))

    def codes(y, n_classes):
        sample = KernelSample.of(X, y, "gaussian", None, None, 1, n_classes=n_classes)
        return sample.codes.tolist()

    assert codes([2, 0, 2], 3) == [2, 0, 2]
    assert codes([3, 0, 3], 3) == [1, 0, 1]
    assert codes([2, -1, 2], 3) == [1, 0, 1]
    assert codes([2.0, 0.0, 2.0], 3) == [1, 0, 1]
    assert codes([2, 0, 2], None) == [1, 0, 1]
    with pytest.raises(ValueError, match=r"y has shape \(2,\), but X has 3 rows"):
        codes([0, 1], None)


def test_constant_columns_are_left_out_unless_all_are():
    X = np.array([[1.0, 5.0, 0.0], [2.0, 5.0, 1.0], [3.0, 5.0, 0.0]])
    part, varies = Sample.labelled(X, np.arange(3), None).varying()
    assert varies.tolist() == [True, False, True]
    np.testing.assert_array_equal(part.X, X[:, [0, 2]])
    for same in (X[:, ::2], X[:, [1, 1]]):
        given = Sample.labelled(same, np.arange(3), None)
        kept, varies = given.varying()
        assert kept is given
        assert varies is None


def test_a_selector_leaves_out_rows_of_weight_zero():
    X, w = np.arange(4.0)[:, None], np.array([1.0, 0.0, 2.0, 1.0])
    found = KernelSample.of(X, [0, 0, 1, 1], "gaussian", w, None, 1)
    assert found.X.ravel().tolist() == [0.0, 2.0, 3.0]
    assert found.weights.tolist() == [1.0, 2.0, 1.0]
    assert found.counts.tolist() == [1.0, 3.0]
    everything = KernelSample.of(X, [0, 0, 1, 1], "gaussian", w + 1, None, 1)
    assert everything.counts.tolist() == [3.0, 5.0]
    assert everything.mismatch == 0.0
    assert KernelSample.of(X, None, "gaussian", None, None, 1).codes.tolist() == [0, 0, 0, 0]


def test_a_kernel_that_is_no_density_has_no_bandwidth():
    with pytest.raises(
        ValueError, match=r"kernel='linear' is not a density.* choose one of .*gauss"
    ):
        KernelSample.of(np.zeros((2, 1)), [0, 1], "linear", None, None, 1)


def test_the_sum_of_the_others_is_not_a_difference():
    w = np.array([1e300, 1.0, 2.0, 1e-300])
    np.testing.assert_array_equal(sum_of_others(w)[[0, 3]], [3.0, 1e300])
    assert sum_of_others(np.array([5.0])).tolist() == [0.0]
    assert sum_of_others(np.empty(0)).tolist() == []
    assert sum_of_others(np.array([1.0, 2.0, 4.0])).tolist() == [6.0, 5.0, 3.0]


def test_a_warning_names_five_classes_and_counts_the_rest():
    assert class_names(np.arange(5)) == "class 0, 1, 2, 3, 4"
    assert class_names(np.arange(6)) == "class 0, 1, 2, 3, 4 and 1 more"
    assert class_names(np.array(["a"])) == "class 'a'"


def test_an_even_share_of_every_class_is_taken():
    part = Sample.labelled(np.zeros((10, 1)), np.array([0] * 7 + [1] * 3), None)
    assert part.spaced_rows(0.4).tolist() == [0, 2, 4, 7, 8]
    assert part.spaced_rows(1.0).tolist() == list(range(10))
    absent = Sample.coded(np.zeros((2, 1)), np.array([0, 2]), None, np.arange(3))
    assert absent.spaced_rows(0.5).tolist() == [0, 1]


def test_rows_of_equal_first_columns_are_ordered_by_the_others():
    X = np.array([[0.0, 0.0], [1.0, 2.0], [1.0, 3.0], [1.0, 2.0]])
    found = Sample.labelled(X, np.array([0, 1, 1, 1]), None).merged()
    assert found.sample.X.tolist() == [[0.0, 0.0], [1.0, 2.0], [1.0, 3.0]]
    assert found.sample.weights.tolist() == [1.0, 2.0, 1.0]
    assert found.first.tolist() == [0, 1, 2]
    assert found.into.tolist() == [0, 1, 2, 1]
    distinct = Sample.labelled(X[:3], np.array([1, 0, 1]), None).merged()
    assert distinct.first.tolist() == [1, 0, 2]
    assert distinct.sample.weights is None
