"""The README's Python example runs as it stands."""

import re
from pathlib import Path

import pytest


def test_the_readme_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("gymnasium")
    readme = Path(__file__).parents[2] / "README.md"
    (example,) = re.findall(r"```python\n(.*?)```", readme.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(example, str(readme), "exec"), {})
    printed = capsys.readouterr().out
    assert "(1024, 8, 8, 8) (1024, 280) (1024, 2)" in printed
