"""Files that are damaged or made to harm give a ModelFileError and nothing else."""

import contextlib
import io
import json
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import parzen
from parzen.model_files import ModelFileError, describe

from .conftest import answers, fitted

SETTINGS = settings(
    max_examples=150, deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("good") / "model.parzen"
    parzen.save(fitted("pipeline")[0], path)
    return path.read_bytes()


def members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(parts, compression=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return out.getvalue()


def load(data, tmp_path):
    path = tmp_path / "bad.parzen"
    path.write_bytes(data)
    return parzen.load(path)


def npy(header, data=b""):
    text = (repr(header) + "\n").encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


@pytest.mark.parametrize("data", [b"", b"PK", b"not a zip at all", b"\x80\x04." * 100])
def test_other_files_are_refused(data, tmp_path):
    with pytest.raises(ModelFileError, match="no model file"):
        load(data, tmp_path)


def test_a_truncated_file_is_refused_wherever_it_ends(good, tmp_path):
    for end in np.linspace(0, len(good) - 1, 60).astype(int):
        with pytest.raises(ModelFileError):
            load(good[:end], tmp_path)


def test_a_pickle_in_an_array_is_refused(good, tmp_path):
    parts = members(good)
    out = io.BytesIO()
    np.save(out, np.array([print], dtype=object), allow_pickle=True)
    parts["array_0.npy"] = out.getvalue()
    with pytest.raises(ModelFileError, match="not plain values"):
        load(zipped(parts), tmp_path)


@pytest.mark.parametrize(
    ("shape", "data"),
    [
        ((10**15,), b""),
        ((2**40, 2**40), b"x" * 8),
        ((-1,), b""),
        ((0, 10**17), b""),
        ((3,), b"1" * 8),
    ],
)
def test_an_array_that_claims_more_than_it_has_is_refused(shape, data, good, tmp_path):
    parts = members(good)
    parts["array_0.npy"] = npy({"descr": "<f8", "fortran_order": False, "shape": shape}, data)
    with pytest.raises(ModelFileError):
        load(zipped(parts), tmp_path)


def test_compressed_members_are_refused_before_they_are_unpacked(good, tmp_path):
    parts = members(good) | {"bomb.npy": b"\0" * 10**7}
    with pytest.raises(ModelFileError, match="compressed"):
        load(zipped(parts, zipfile.ZIP_DEFLATED), tmp_path)


def test_types_outside_the_list_are_refused(good, tmp_path):
    parts = members(good)
    for name in ("os.system", "Popen", "type", "Encoder", "__builtins__"):
        header = json.loads(parts["header.json"])
        header["model"]["type"] = name
        with pytest.raises(ModelFileError, match="unknown type"):
            load(zipped(parts | {"header.json": json.dumps(header)}), tmp_path)


@pytest.mark.parametrize("name", ["predict", "__class__", "fit", "_validate", "a b"])
def test_a_file_cannot_replace_methods(name, good, tmp_path):
    header = json.loads(members(good)["header.json"])
    step = header["model"]["with"]["steps"][1]["items"][1]
    step["fitted"][name] = 1
    with pytest.raises(ModelFileError, match="no fitted attribute"):
        load(zipped(members(good) | {"header.json": json.dumps(header)}), tmp_path)


def test_an_expansion_with_absurdly_many_columns_is_refused(good, tmp_path):
    text = members(good)["header.json"].decode()
    assert '"n_classes": 3' in text
    changed = text.replace('"n_classes": 3', '"n_classes": 1000000000000')
    with pytest.raises(ModelFileError, match="claims 1000000000000 columns"):
        load(zipped(members(good) | {"header.json": changed}), tmp_path)


def test_deep_nesting_is_refused(good, tmp_path):
    header = '{"format": "parzen model", "version": 1, "model": ' + "[" * 10**5 + "]" * 10**5 + "}"
    with pytest.raises(ModelFileError, match="nested"):
        load(zipped({"header.json": header}), tmp_path)


def test_a_file_of_a_later_format_says_so(good, tmp_path):
    header = json.loads(members(good)["header.json"]) | {"version": 2}
    with pytest.raises(ModelFileError, match="a newer parzen may read it"):
        load(zipped(members(good) | {"header.json": json.dumps(header)}), tmp_path)


def test_a_missing_file_is_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        parzen.load(tmp_path / "nowhere.parzen")


@SETTINGS
@given(data=st.data())
def test_changed_bytes_give_an_error_or_a_model(data, good, tmp_path):
    changed = bytearray(good)
    for _ in range(data.draw(st.integers(1, 8))):
        place = data.draw(st.integers(0, len(good) - 1))
        changed[place] = data.draw(st.integers(0, 255))
    with contextlib.suppress(ModelFileError):  # any other error fails the test
        load(bytes(changed), tmp_path)


NODES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["$", "type", "items", "name", "with", "x"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)


@pytest.mark.slow
@SETTINGS
@given(data=st.data())
def test_a_header_changed_anywhere_gives_an_error_or_a_model_that_answers_or_raises(
    data, good, tmp_path
):
    parts = members(good)
    header = json.loads(parts["header.json"])
    node, place = header, "model"
    for _ in range(data.draw(st.integers(0, 12))):
        inner = node[place]
        if not isinstance(inner, dict | list) or not inner:
            break
        keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
        node, place = inner, data.draw(st.sampled_from(keys))
    node[place] = data.draw(NODES)
    parts["header.json"] = json.dumps(header)
    odd = ValueError, TypeError, AttributeError, LookupError, ArithmeticError
    with contextlib.suppress(ModelFileError):
        model = load(zipped(parts), tmp_path)
        describe(tmp_path / "bad.parzen")
        with contextlib.suppress(*odd):
            answers(model, fitted("pipeline")[1])


@pytest.mark.parametrize("read", [parzen.load, describe])
def test_a_folder_is_named_as_one(read, tmp_path):
    with pytest.raises(ModelFileError, match="is a folder, not a model file"):
        read(tmp_path)


def test_members_must_be_a_header_and_arrays(good, tmp_path):
    parts = members(good)
    without = {name: data for name, data in parts.items() if name != "header.json"}
    with pytest.raises(ModelFileError, match=r"has no header\.json"):
        load(zipped(without), tmp_path)
    with pytest.raises(ModelFileError, match=r"code\.py is no array"):
        load(zipped(parts | {"code.py": b"pass"}), tmp_path)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ({"$": "code"}, "node of the unknown kind 'code'"),
        ({"$": "float", "value": "1e5"}, "'1e5' is no number"),
        ([1, 2], "holds no estimator"),
        ({"$": "array_type", "value": "<V9"}, "'<V9' is no type of an array"),
        ({"$": "function", "name": "system"}, "unknown function 'system'"),
        (
            {"$": "partial", "kernel": 1, "options": {"$": "dict", "items": []}},
            "no kernel with a bandwidth",
        ),
        ({"$": "new", "type": "Pipeline", "with": {"steps": []}}, "no list of steps"),
        ({"$": "array", "name": "nowhere"}, "is damaged: KeyError"),
    ],
)
def test_nodes_that_no_model_has_are_refused(model, message, good, tmp_path):
    parts = members(good)
    header = json.loads(parts["header.json"]) | {"model": model}
    with pytest.raises(ModelFileError, match=message):
        load(zipped(parts | {"header.json": json.dumps(header).encode()}), tmp_path)


@pytest.mark.parametrize("header", [[], {"format": "another"}])
@pytest.mark.parametrize("read", [parzen.load, describe])
def test_a_header_of_another_format_is_refused(read, header, good, tmp_path):
    path = tmp_path / "other.parzen"
    path.write_bytes(zipped(members(good) | {"header.json": json.dumps(header)}))
    with pytest.raises(ModelFileError, match="is no model file of parzen"):
        read(path)


def test_a_description_that_lacks_its_parts_is_damaged(good, tmp_path):
    header = json.loads(members(good)["header.json"])
    del header["metadata"]
    path = tmp_path / "bare.parzen"
    path.write_bytes(zipped({"header.json": json.dumps(header)}))
    with pytest.raises(ModelFileError, match="is damaged: KeyError"):
        describe(path)


def test_a_model_nested_deeper_than_the_stack_is_refused(good, tmp_path):
    """Python's parser takes what its stack holds, of which the decoder needs more for each node."""
    header = json.loads(members(good)["header.json"])
    deep = "[" * 900 + "]" * 900
    text = json.dumps(header | {"model": "here"}).replace('"here"', deep)
    with pytest.raises(ModelFileError, match=r"nested too deeply|holds no estimator"):
        load(zipped({"header.json": text}), tmp_path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name_are_refused(good, tmp_path):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in [*members(good).items(), ("array_0.npy", b"")]:
            archive.writestr(name, data)
    with pytest.raises(ModelFileError, match="two members have one name"):
        load(out.getvalue(), tmp_path)


def test_an_array_of_an_unknown_version_is_refused(good, tmp_path):
    parts = members(good)
    parts["array_0.npy"] = b"\x93NUMPY\x09\x00" + parts["array_0.npy"][8:]
    with pytest.raises(ModelFileError, match=r"array_0.npy has an unknown version \(9, 0\)"):
        load(zipped(parts), tmp_path)


def test_a_member_that_claims_more_than_the_file_is_refused(good, tmp_path):
    data = bytearray(zipped(members(good)))
    entry = data.rindex(b"PK\x01\x02")  # the last of the central directory; its sizes from byte 20
    data[entry + 20 : entry + 28] = (10**9).to_bytes(4, "little") * 2
    with pytest.raises(ModelFileError, match="its members claim more bytes than it has"):
        load(bytes(data), tmp_path)


def test_a_function_with_keywords_is_not_saved(tmp_path):
    model = make_pipeline(
        FunctionTransformer(np.log1p, kw_args={"out": None}), parzen.ParzenClassifier(bandwidth=1.0)
    )
    model.fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    with pytest.raises(TypeError, match="gives keywords to a function, which a file cannot carry"):
        parzen.save(model, tmp_path / "model.parzen")
