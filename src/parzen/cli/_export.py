"""``parzen export``: a model file as ONNX."""

from __future__ import annotations

from pathlib import Path

from parzen import load
from parzen._core import whole_file
from parzen.cli._console import caution, say, say_json
from parzen.cli._errors import UserError
from parzen.cli._outputs import check_output
from parzen.model_files import describe


def run_export(model: Path, *, output: Path, double: bool, overwrite: bool, as_json: bool) -> None:
    """Convert a model and write it whole."""
    check_output(output, "onnx", inputs=[model], overwrite=overwrite)
    about = describe(model)["metadata"]
    kinds = about.get("kinds") if isinstance(about, dict) else None
    known = kinds if isinstance(kinds, dict) else {}
    texts = [name for name, kind in known.items() if kind == "text"]
    if texts:
        raise UserError(
            f"{model}: column {texts[0]!r} holds texts that are hashed first, which ONNX "
            f"cannot do; fit it with --drop {texts[0]}"
        )
    from parzen.onnx import to_onnx

    graph = to_onnx(load(model), dtype="float64" if double else "float32")
    if isinstance(about, dict) and about.get("missing") == "keep":
        caution(
            "the ONNX model has no answer for rows with missing values: their probabilities are "
            "NaN and their labels mean nothing; fit it with --missing impute to fill them in"
        )
    inputs = [value.name for value in graph.graph.input]
    outputs = [value.name for value in graph.graph.output]
    with whole_file(output, "wb") as file:
        file.write(graph.SerializeToString())
    if as_json:
        say_json({"onnx": str(output), "inputs": inputs, "outputs": outputs})
        return
    say(f"inputs: {', '.join(inputs)}; outputs: {', '.join(outputs)}")
    say(f"ONNX model written to {output}")
