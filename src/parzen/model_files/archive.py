"""The outer layer of a model file: a zip of plain arrays (.npy) and one JSON header.

Members are stored, not compressed, so what a file claims to hold cannot exceed its own size: this
is checked for every member and every array header before memory is asked for. Nothing is
unpickled.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen._core import whole_file

HEADER = "header.json"
_MAX_EMPTY_LENGTH = 2**24  # Longest axis that an array without elements may claim.


class ModelFileError(ValueError):
    """The file is not a model file of this library, or it is damaged."""


def content_hash(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> str:
    """The hash of all that a file holds but the hash itself: values, not the bytes of the zip."""
    rest = {name: value for name, value in header.items() if name != "content"}
    found = hashlib.blake2b(json.dumps(rest, sort_keys=True).encode(), digest_size=32)
    for key in sorted(arrays):
        array = np.ascontiguousarray(arrays[key])
        found.update(f"{key} {array.dtype.str} {arrays[key].shape}".encode())
        found.update(array.data.cast("B") if array.size else b"")
    return found.hexdigest()


def write_archive(path: Path, header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
    """Write a model file whole or not at all, with the hash of its content."""
    header = {**header, "content": content_hash(header, arrays)}
    text = json.dumps(header, allow_nan=False, ensure_ascii=False, indent=1)
    with whole_file(path, "wb") as file, zipfile.ZipFile(file, "w") as archive:
        archive.writestr(HEADER, text.encode("utf-8", "surrogatepass"))
        for key, array in arrays.items():
            with archive.open(f"{key}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def read_archive(path: Path) -> tuple[Any, dict[str, NDArray[Any]]]:
    """The header and the arrays of a model file."""
    with _opened(path) as archive:
        header = _header(archive)
        arrays = {
            info.filename.removesuffix(".npy"): _array(archive, info)
            for info in archive.infolist()
            if info.filename != HEADER
        }
    return header, arrays


def read_header(path: Path) -> Any:
    """The header alone."""
    with _opened(path) as archive:
        return _header(archive)


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """A checked zip file; whatever goes wrong in it is a ModelFileError."""
    if path.is_dir():
        raise ModelFileError(f"{path} is a folder, not a model file")
    with path.open("rb") as file:
        try:
            archive = zipfile.ZipFile(file)
            _check_members(archive, os.fstat(file.fileno()).st_size)
            yield archive
        except Exception as error:
            raise ModelFileError(f"{path} is no model file, or it is damaged: {error}") from error


def _check_members(archive: zipfile.ZipFile, file_size: int) -> None:
    infos = archive.infolist()
    names = [info.filename for info in infos]
    if len(set(names)) != len(names):
        raise ModelFileError("two members have one name")
    if HEADER not in names:
        raise ModelFileError(f"it has no {HEADER}")
    for info in infos:
        if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 0x1:
            raise ModelFileError(f"{info.filename} is compressed or encrypted")
        if info.filename != HEADER and not info.filename.endswith(".npy"):
            raise ModelFileError(f"{info.filename} is no array")
    if sum(max(info.file_size, info.compress_size) for info in infos) > file_size:
        raise ModelFileError("its members claim more bytes than it has")


def _header(archive: zipfile.ZipFile) -> Any:
    text = archive.read(HEADER).decode("utf-8", "surrogatepass")
    try:
        return json.loads(text)
    except RecursionError:
        raise ModelFileError("its header is nested too deeply") from None


def _array(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> NDArray[Any]:
    stream = io.BytesIO(archive.read(info))
    version = np.lib.format.read_magic(stream)
    readers = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    if version not in readers:
        raise ModelFileError(f"{info.filename} has an unknown version {version}")
    shape, fortran, dtype = readers[version](stream)
    if dtype.hasobject or dtype.kind not in "biufUSmM" or dtype.names or dtype.subdtype:
        raise ModelFileError(f"{info.filename} holds {dtype}, not plain values")
    extents = [int(n) for n in shape]
    claimed = prod(extents, start=dtype.itemsize)
    data = stream.read()
    if any(n < 0 for n in extents) or claimed != len(data):
        raise ModelFileError(f"{info.filename} claims {claimed} bytes and has {len(data)}")
    if max(extents, default=0) > max(len(data), _MAX_EMPTY_LENGTH):
        raise ModelFileError(f"{info.filename} claims the shape {shape}")
    flat: NDArray[Any] = np.frombuffer(data, dtype=dtype) if data else np.empty(0, dtype=dtype)
    array = flat.reshape(shape, order="F" if fortran else "C")
    return np.array(array.astype(dtype.newbyteorder("="), copy=False), copy=True, order="K")
