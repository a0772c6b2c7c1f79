"""Where a stored result comes from, and whether the code has changed since.

The code behind a paper is every module that its tables reach by imports. A name that is imported
from a room stands for the module that defines it, so a change elsewhere in the room does not
matter; nor do comments, docstrings, and the words that explain differences. A file of printed
figures counts with the module of its name. The native sources, again without comments, count as
one, where a checkout holds them.
"""

from __future__ import annotations

import ast
import hashlib
import io
import re
import subprocess
import tokenize
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

SOURCE = Path(__file__).parents[2]
_NATIVE = SOURCE.parents[1] / "native"
_NATIVE_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_HASH_DIGITS = 12  # Hexadecimal digits of a hash that are kept.
# Rooms that run, draw, keep or date what others compute; they are not followed.
_OUTSIDE = tuple(f"parzen.{room}" for room in (
    "compare", "plots", "distributed", "model_files", "conformal", "evidence", "table",
    "papers.engine.provenance",
))  # fmt: skip


@dataclass(frozen=True)
class Provenance:
    """How a table was made.

    Attributes
    ----------
    command : str
        What to type to make it again.
    commit : str
        The revision of the checkout, with a plus if it held changes; empty outside a checkout.
    code, native : str
        Hashes of the Python modules that it depends on, and of the native sources.
    seed : int
        From which the splits and draws count upwards.
    """

    command: str
    commit: str
    code: str
    native: str
    seed: int = 0

    @classmethod
    def now(cls, paper: str, command: str) -> Self:
        """Of a result that is made now."""
        return cls(command, _commit(), code_hash(f"parzen.papers.{paper}.study"), native_hash())

    def outgrown(self, paper: str) -> str:
        """What has changed since: Python, native code, or both; empty if nothing has."""
        now, native = code_hash(f"parzen.papers.{paper}.study"), native_hash()
        parts = ["Python"] if now != self.code else []
        return " and ".join([*parts, "native code"] if native not in ("", self.native) else parts)


def code_hash(module: str) -> str:
    """Of all modules that one reaches by imports."""
    reached: set[str] = set()
    waiting = {module}
    while waiting:
        reached |= waiting
        waiting = {name for known in waiting for name in _imported(known)} - reached
    return _hash("\n".join(_bare(name) for name in sorted(reached)))


@cache
def native_hash() -> str:
    """Of the native sources; empty where there are none."""
    files = sorted(p for p in _NATIVE.rglob("*.[ch]pp") if "tests" not in p.parts)
    return _hash("".join(map(_bare_native, files))) if files else ""


def _bare_native(path: Path) -> str:
    """A native file without comments, and with single spaces."""
    return " ".join(_NATIVE_COMMENT.sub(" ", path.read_text(encoding="utf-8")).split())


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_HASH_DIGITS]


def _path(module: str) -> Path:
    place = SOURCE.joinpath(*module.split(".")[1:])
    room = place / "__init__.py"
    return room if room.is_file() else place.with_suffix(".py")


@cache
def _tree(module: str) -> ast.Module | None:
    """The parsed module; None if it is none of ours."""
    path = _path(module)
    if module.split(".")[0] != "parzen" or not path.is_file():
        return None
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _bare(module: str) -> str:
    """A module without blank lines, comments and docstrings."""
    tree, text = _tree(module), _path(module).read_text(encoding="utf-8")
    assert tree is not None
    lines: dict[int, str] = dict(enumerate(text.splitlines(), start=1))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            line, column = token.start
            lines[line] = lines[line][:column]
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (
            ast.get_docstring(node) is not None
        ):
            said = node.body[0]
            for number in range(said.lineno, (said.end_lineno or said.lineno) + 1):
                lines.pop(number, None)
    figures = _path(module).with_suffix(".toml")
    data = figures.read_text(encoding="utf-8").splitlines() if figures.is_file() else []
    kept = (line.strip() for line in [*lines.values(), *data])
    return "\n".join(s for s in kept if s and not s.startswith("#"))


@cache
def _imported(module: str) -> frozenset[str]:
    """The modules that define the names which a module imports, wherever the statement stands."""
    tree = _tree(module)
    assert tree is not None
    found = {
        _home(node.module or "", alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    return frozenset(name for name in found if _tree(name) is not None and not _is_outside(name))


def _is_outside(module: str) -> bool:
    return module == "parzen" or module.startswith(_OUTSIDE)


def _home(module: str, name: str) -> str:
    """The module that defines a name, or is the name, however many rooms hand it on."""
    if _tree(f"{module}.{name}") is not None:
        return f"{module}.{name}"
    for node in (_tree(module) or ast.Module([], [])).body:
        if isinstance(node, ast.ImportFrom) and any(
            name == (alias.asname or alias.name) for alias in node.names
        ):
            original = next(a.name for a in node.names if name == (a.asname or a.name))
            return _home(node.module or "", original)
    return module


def _commit() -> str:
    def git(*words: str) -> str:
        run = subprocess.run(["git", *words], cwd=SOURCE, capture_output=True, text=True)
        return run.stdout.strip() if run.returncode == 0 else ""

    try:
        changed = git("status", "--porcelain", "--untracked-files=no", "--", ".")
        return git("rev-parse", "--short=12", "HEAD") + ("+" if changed else "")
    except OSError:  # git is not there
        return ""
