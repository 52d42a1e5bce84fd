"""What contenders are: how one is timed, and what is said of one that is not here."""

from __future__ import annotations

import importlib
import json
import subprocess
import time
from collections.abc import Callable
from typing import Any

#: Does its work for about so many seconds and answers how much it did a second.
Measure = Callable[[float], float]

#: How each peer is installed.
PIP = {
    "pyspiel": "open_spiel",
    "pettingzoo": "'pettingzoo[classic]'",
    "pgx": "pgx",
    "draughts": "py-draughts",
    "torch": "torch",
    "onnxruntime": "onnxruntime",
    "onnx": "onnx",
}


class MissingPeer(Exception):
    """A peer that cannot be measured here; the text says why and what to do."""


def need(module: str) -> Any:
    """Imports a module of a peer."""
    package = module.split(".")[0]
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingPeer(f"{error}: pip install {PIP[package]}") from error


def repeat(work: Callable[[], int]) -> Measure:
    """Makes a measure of something that does a little work and answers how much.

    Time is the process's own processor time, so that other programs disturb little.
    """

    def measure(seconds: float) -> float:
        done, start = 0, time.process_time()
        while (spent := time.process_time() - start) < seconds:
            done += work()
        return done / spent

    return measure


def command(program: str, workload: str) -> Measure:
    """A workload of the command `shashki bench`, one of its rounds a call."""

    def measure(_: float) -> float:
        args = [program, "bench", workload, "--rounds", "1", "--json"]
        done = subprocess.run(args, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise MissingPeer(f"{' '.join(args)}: {done.stderr.strip()}")
        lines = (json.loads(line) for line in done.stdout.splitlines())
        return next(float(line["value"]) for line in lines if line["name"] == workload)

    return measure
