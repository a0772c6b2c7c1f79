"""Model files: fitted estimators on disk, without pickle.

    model.parzen = a zip of header.json and array_0.npy, array_1.npy, ...

The header gives the format's version, the library's, and the estimator as a tree of plain values
that refers to the arrays (``schema.json``); NumPy alone can read the file. Reading runs no
code from the file, makes only types from a fixed list, and asks for no more memory than the file
is long. It checks what predicting relies on, and the hash of the content that the header gives:
a file that was changed by accident is refused. The hash is no signature; see ``SECURITY.md``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from parzen._core import package_version
from parzen.model_files.archive import (
    ModelFileError,
    content_hash,
    read_archive,
    read_header,
    write_archive,
)
from parzen.model_files.registry import trusted_types

__all__ = ["ModelFileError", "describe", "is_intact", "load", "save"]

FORMAT, VERSION = "parzen model", 1


def save(
    estimator: Any, path: str | os.PathLike[str], *, metadata: dict[str, Any] | None = None
) -> None:
    """Write a fitted estimator to a file, whole or not at all.

    Read more in the :doc:`guide </guide/model_files>`.

    Parameters
    ----------
    estimator : estimator
        Any fitted estimator of this library, alone, in scikit-learn's CalibratedClassifierCV, or in
        a pipeline after its imputers, encoders, scalers, PCA, a ColumnTransformer of them, or a
        FunctionTransformer with a function of NumPy.
    path : path
        The file; an existing one is replaced.
    metadata : dict, default=None
        Plain values to keep with it: see :func:`parzen.model_files.describe`.

    Examples
    --------
    >>> import parzen, tempfile, os
    >>> model = parzen.ParzenClassifier().fit([[0.0], [1.0], [3.0], [4.0]], ["a", "a", "b", "b"])
    >>> path = os.path.join(tempfile.mkdtemp(), "model.parzen")
    >>> parzen.save(model, path)
    >>> parzen.load(path).predict([[0.2]])
    array(['a'], dtype='<U1')
    """
    from parzen.model_files.nodes import Encoder

    check_is_fitted(estimator)
    encoder = Encoder()
    header = {
        "format": FORMAT,
        "version": VERSION,
        "parzen": package_version(),
        "metadata": encoder.node(metadata or {}, "metadata"),
        "model": encoder.node(estimator, type(estimator).__name__),
    }
    write_archive(Path(path), header, encoder.arrays)


def load(path: str | os.PathLike[str]) -> Any:
    """Read a fitted estimator from a file that :func:`save` wrote.

    Read more in the :doc:`guide </guide/model_files>`.

    Predictions are the same, bit for bit. Nothing in the file is executed.

    Parameters
    ----------
    path : path
        The file.

    Raises
    ------
    ModelFileError
        When it is no such file, or damaged; a ValueError.
    """
    from parzen.model_files.checks import check_answers, check_parts
    from parzen.model_files.nodes import Decoder

    header, arrays = read_archive(Path(path))
    with _damage_told(path):
        _check_header(header)
        model = Decoder(arrays).value(header["model"])
        if not hasattr(model, "get_params"):
            raise ModelFileError("it holds no estimator")
        check_parts(model, os.path.getsize(path), type(model).__name__)
        check_is_fitted(model)
        if content_hash(header, arrays) != header["content"]:
            raise ModelFileError(f"{path} was changed after it was saved: its hash does not hold")
        check_answers(model)
    return model


def is_intact(path: str | os.PathLike[str]) -> bool:
    """Whether the content of a model file is what was saved, by its hash."""
    header, arrays = read_archive(Path(path))
    _check_header(header)
    return bool(content_hash(header, arrays) == header.get("content"))


def describe(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a model file says about itself: versions, the type of the model, its metadata."""
    from parzen.model_files.nodes import Decoder

    header = read_header(Path(path))
    with _damage_told(path):
        _check_header(header)
        kept = {name: header[name] for name in ("format", "version", "parzen")}
        return kept | {
            "type": str(header["model"]["type"]),
            "metadata": Decoder({}).value(header["metadata"]),
        }


@contextmanager
def _damage_told(path: str | os.PathLike[str]) -> Iterator[None]:
    """Whatever goes wrong with what was read from a file is a ModelFileError that names it."""
    try:
        yield
    except (ModelFileError, MemoryError):
        raise
    except RecursionError:
        raise ModelFileError(f"{path}: its header is nested too deeply") from None
    except Exception as error:
        raise ModelFileError(f"{path} is damaged: {error!r}") from error


def _check_header(header: Any) -> None:
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ModelFileError("it is no model file of parzen")
    if header.get("version") != VERSION:
        raise ModelFileError(
            f"its format has version {header.get('version')!r}, and this parzen reads {VERSION}; "
            "a newer parzen may read it"
        )
