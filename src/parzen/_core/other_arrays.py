"""Arrays that are not NumPy's: dask objects, sparse matrices, and arrays of other libraries.

They are recognised here without an import of their library. `parzen.distributed` serves dask;
sparse rows become dense by blocks within scikit-learn's ``working_memory``; arrays of another
library are taken and returned where ``array_api_dispatch`` is on, and computed with NumPy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import scipy.sparse as sp
from sklearn import get_config
from sklearn.utils import gen_batches
from sklearn.utils._chunking import get_chunk_n_rows

from parzen._core.arrays import Array

_BYTES_PER_ENTRY = 8  # Arrays of other libraries are converted to float64.


def is_dask(*values: Any) -> bool:
    """Whether one of the values is a dask array, dataframe or series.

    Examples
    --------
    >>> is_dask([1.0], None)
    False
    """
    return any(type(v).__module__.partition(".")[0] in ("dask", "dask_expr") for v in values)


def is_other_array(X: Any) -> bool:
    """Whether answers about X take another way than those about NumPy arrays and frames.

    Examples
    --------
    >>> is_other_array(sp.eye_array(2)), is_other_array(np.eye(2)), is_other_array([[1.0]])
    (True, False, False)
    """
    if type(X) is np.ndarray:
        return False
    return is_dask(X) or sp.issparse(X) or _is_dispatched(X)


def as_numpy(X: Any) -> Any:
    """An array of another library as NumPy's, where ``array_api_dispatch`` is on; else X itself."""
    if not _is_dispatched(X):
        return X
    from sklearn.utils._array_api import _convert_to_numpy, get_namespace

    return _convert_to_numpy(X, get_namespace(X)[0])


def returned_like(answer: Array, X: Any) -> Any:
    """An answer in the library and on the device of X; text stays in NumPy, which alone has it."""
    if not _is_dispatched(X) or answer.dtype.kind not in "biuf":
        return answer
    from sklearn.utils._array_api import get_namespace_and_device

    xp, _, device = get_namespace_and_device(X)
    return xp.asarray(answer, device=device)


def dense_blocks(X: Any) -> Iterator[tuple[slice, Array]]:
    """Rows of a sparse matrix as dense blocks within half the working memory; a dense X whole."""
    if not sp.issparse(X):
        yield slice(0, len(X)), X
        return
    rows, columns = X.shape
    size = get_chunk_n_rows(row_bytes=2 * _BYTES_PER_ENTRY * max(columns, 1), max_n_rows=rows or 1)
    by_rows = X.tocsr()
    for block in gen_batches(rows, size):
        yield block, by_rows[block].toarray()


def dense(X: Any, name: str) -> Array:
    """A whole sparse matrix as an array, refused where it is larger than the working memory."""
    size = float(np.prod(X.shape)) * _BYTES_PER_ENTRY / 2**20
    allowed = float(get_config()["working_memory"])
    if size > allowed:
        raise ValueError(
            f"{name} is a sparse matrix that takes {size:.0f} MB as a dense array, more than "
            f"working_memory={allowed:g} MB; raise it with sklearn.set_config(working_memory=...), "
            "or reduce the columns, by TruncatedSVD say."
        )
    return cast("Array", X.toarray())


def _is_dispatched(X: Any) -> bool:
    """Whether X belongs to another library that scikit-learn was told to serve."""
    if not get_config()["array_api_dispatch"] or sp.issparse(X) or is_dask(X):
        return False
    from sklearn.utils._array_api import _is_numpy_namespace, get_namespace

    return not _is_numpy_namespace(get_namespace(X)[0])
