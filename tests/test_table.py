"""Tables of numbers and texts as points."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from parzen.table import TableEncoder

FRAME = pd.DataFrame(
    {
        "height": [1.0, 2.0, np.nan, 4.0, 9.0],
        "colour": ["red", "blue", "red", None, "green"],
        "n": [3, 1, 4, 1, 5],
    }
)


@parametrize_with_checks([TableEncoder()])
def test_the_contract_of_scikit_learn_holds(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([TableEncoder(missing="impute"), TableEncoder(missing="keep")])
def test_the_contract_holds_whatever_is_done_with_missing_entries(estimator, check):
    check(estimator)


def test_points_equal_scikit_learns_transformers():
    whole = FRAME.dropna()
    theirs = make_column_transformer(
        (StandardScaler(), ["height"]), (OneHotEncoder(sparse_output=False), ["colour"]),
        (StandardScaler(), ["n"]),
    ).fit_transform(whole)  # fmt: skip
    np.testing.assert_allclose(TableEncoder().fit_transform(whole), theirs, rtol=1e-14, atol=1e-15)


def test_missing_numbers_become_the_median_as_in_simple_imputer():
    numbers = FRAME[["height", "n"]]
    theirs = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    np.testing.assert_allclose(
        TableEncoder(missing="impute").fit_transform(numbers),
        theirs.fit_transform(numbers), rtol=1e-14, atol=1e-15,
    )  # fmt: skip


def test_missing_numbers_stay_missing_on_request():
    found = TableEncoder(missing="keep").fit_transform(FRAME)
    theirs = StandardScaler().fit_transform(FRAME[["height", "n"]])
    np.testing.assert_allclose(found[:, [0, -1]], theirs, rtol=1e-14, atol=1e-15)
    np.testing.assert_array_equal(found[3, 1:5], [0, 0, 0, 1])


def test_a_missing_category_is_a_level_of_its_own():
    encoder = TableEncoder(missing="impute").fit(FRAME)
    assert encoder.get_feature_names_out().tolist() == [
        "height", "colour=blue", "colour=green", "colour=red", "colour=None", "n",
    ]  # fmt: skip
    np.testing.assert_array_equal(encoder.transform(FRAME)[3, 1:5], [0, 0, 0, 1])


def test_an_unknown_category_is_no_level():
    encoder = TableEncoder().fit(FRAME.dropna())
    new = pd.DataFrame({"height": [1.0], "colour": ["violet"], "n": [2]})
    np.testing.assert_array_equal(encoder.transform(new)[0, 1:4], [0, 0, 0])


def test_a_category_missing_for_the_first_time_is_no_level():
    encoder = TableEncoder(missing="impute").fit(FRAME.dropna())
    new = pd.DataFrame({"height": [1.0], "colour": [None], "n": [2]})
    np.testing.assert_array_equal(encoder.transform(new)[0, 1:4], [0, 0, 0])


def test_missing_entries_are_refused_by_column_and_row():
    with pytest.raises(ValueError, match=r"column 'height' is missing in row 2"):
        TableEncoder().fit(FRAME)


def test_a_column_without_values_is_refused():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [np.nan, np.nan]})
    with pytest.raises(ValueError, match="column 'b' holds no value"):
        TableEncoder(missing="impute").fit(frame)


def test_an_encoder_that_refused_its_table_is_not_fitted():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [5.0, 7.0]})
    encoder = TableEncoder(missing="impute").fit(frame)
    with pytest.raises(ValueError, match="column 'b' holds no value"):
        encoder.fit(frame.assign(b=np.nan))
    with pytest.raises(NotFittedError):
        encoder.transform(frame)


def test_a_column_of_names_is_refused():
    frame = pd.DataFrame({"name": [f"n{i}" for i in range(200)]})
    with pytest.raises(ValueError, match="200 different texts"):
        TableEncoder().fit(frame)


def test_polars_and_pandas_agree():
    whole = FRAME.dropna()
    encoder = TableEncoder().fit(whole)
    polars = pl.DataFrame({name: whole[name].tolist() for name in whole})
    np.testing.assert_array_equal(TableEncoder().fit_transform(polars), encoder.transform(whole))


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_scaling_a_column_changes_nothing(scale):
    x = np.random.default_rng(0).normal(5, 2, (50, 1))
    np.testing.assert_allclose(
        TableEncoder().fit_transform(x * scale), StandardScaler().fit_transform(x), rtol=1e-10
    )


def test_a_constant_column_becomes_zeros():
    np.testing.assert_array_equal(TableEncoder().fit_transform(np.full((9, 1), 0.1)), 0.0)


@pytest.mark.parametrize("weights", [[2, 1, 3, 1, 2], [1, 0, 2, 2, 1]])
def test_weights_are_frequencies(weights):
    weighted = TableEncoder(missing="impute").fit(FRAME, sample_weight=weights)
    repeated = TableEncoder(missing="impute").fit(FRAME.loc[FRAME.index.repeat(weights)])
    np.testing.assert_allclose(weighted.transform(FRAME), repeated.transform(FRAME), atol=1e-12)
