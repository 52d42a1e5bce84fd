"""What `help()` says is what the stub says."""

import ast
import inspect
from pathlib import Path

import shashki
from shashki import _core


def documented(body: list[ast.stmt], thing: object):
    """Yields each documented thing of the stub with what it is at run time."""
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            found = getattr(thing, node.name)
            yield node, found
            if isinstance(node, ast.ClassDef):
                yield from documented(node.body, found)


def test_help_says_what_the_stub_says():
    stub = ast.parse((Path(shashki.__file__).parent / "_core.pyi").read_text(encoding="utf-8"))
    all_documented = list(documented(stub.body, _core))
    assert len(all_documented) > 60
    for node, found in all_documented:
        assert inspect.getdoc(found) == ast.get_docstring(node), node.name
