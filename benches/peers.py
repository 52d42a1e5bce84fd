"""Measures shashki beside its peers: both timed in turns in one run, on one core, told as ratios.

    make bench
    python benches/peers.py --shashki target/release/shashki --only vecenv --json

Peers that are not installed are named and left out. Networks and games played in Rust are asked of
the command `shashki bench`, one round at a time.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

# Before anything that reads them is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

from peer_envs import (  # noqa: E402
    open_spiel,
    our_game,
    petting_zoo,
    pgx,
    py_draughts,
    single_env,
    vec_env,
    vec_env_step,
)
from peer_nets import onnx_resnet, torch_mlp  # noqa: E402
from peer_timing import Measure, MissingPeer, command  # noqa: E402


@dataclass
class Comparison:
    """Something of ours beside something of a peer's."""

    name: str
    what: str
    unit: str
    ours: Callable[[], Measure]
    peer: str
    theirs: Callable[[], Measure]
    #: The ratio that is aimed at; none where the peer plays another game, or for interest only.
    target: float | None = None


@dataclass
class Row:
    """What a comparison came to: medians over the rounds."""

    name: str
    what: str
    unit: str
    ours: float
    peer: str
    theirs: float
    ratio: float
    target: float | None
    rounds: int


def comparisons(program: str) -> Iterator[Comparison]:
    """Everything that is compared, in the order of the table."""
    hops = "hops/s"
    seen = "observation and mask"
    yield Comparison(
        "vecenv-open-spiel",
        f"VecEnv, 1024 games, {seen}",
        hops,
        lambda: vec_env(1024),
        f"OpenSpiel checkers, {seen}",
        lambda: open_spiel(observed=True),
        10.0,
    )
    yield Comparison(
        "vecenv-open-spiel-bare",
        "VecEnv, 1024 games, mask alone, within step",
        hops,
        lambda: vec_env_step(1024, observation=False),
        "OpenSpiel checkers, neither",
        lambda: open_spiel(observed=False),
    )
    yield Comparison(
        "vecenv-1-pettingzoo",
        "VecEnv, 1 game, random_actions",
        hops,
        lambda: single_env(sampled=True),
        "PettingZoo connect_four, action_space.sample",
        lambda: petting_zoo(sampled=True),
        20.0,
    )
    yield Comparison(
        "vecenv-1-pettingzoo-mask",
        "VecEnv, 1 game, drawn from the mask of booleans",
        hops,
        lambda: single_env(sampled=False),
        "PettingZoo connect_four, drawn from the mask",
        lambda: petting_zoo(sampled=False),
        20.0,
    )
    for name, batch in (("connect_four", 1024), ("othello", 256)):
        yield Comparison(
            f"vecenv-pgx-{name}",
            f"VecEnv, 1024 games, {seen}, within step",
            hops,
            lambda: vec_env_step(1024),
            f"PGX {name}, batch {batch}",
            lambda name=name, batch=batch: pgx(name, batch),  # type: ignore[misc]
        )
    yield Comparison(
        "game-py-draughts",
        "Game, random games from Python",
        hops,
        our_game,
        "py-draughts, Russian",
        py_draughts,
    )
    yield Comparison(
        "hops-py-draughts",
        "random games in Rust",
        hops,
        lambda: command(program, "hops"),
        "py-draughts, Russian",
        py_draughts,
    )
    for batch in (1, 64, 256):
        yield Comparison(
            f"mlp-{batch}-torch",
            f"network 256 x 1, batch {batch}, encoding included",
            "evaluations/s",
            lambda batch=batch: command(program, f"net-cpu-{batch}"),  # type: ignore[misc]
            "torch eager, layers alone",
            lambda batch=batch: torch_mlp(batch),  # type: ignore[misc]
            1.5 if batch > 1 else None,
        )
    yield Comparison(
        "resnet-64-onnx",
        "convolutional network 64 x 5, batch 64",
        "evaluations/s",
        lambda: command(program, "net-cpu-resnet-64"),
        "ONNX Runtime",
        lambda: onnx_resnet(program, 64),
        0.85,
    )


def compare(comparison: Comparison, rounds: int, seconds: float) -> Row:
    """Times both in turns, every other round the peer first."""
    theirs = comparison.theirs()
    ours = comparison.ours()
    pairs = []
    for measure in (ours, theirs):
        measure(min(seconds, 0.2))
    for i in range(rounds):
        if i % 2 == 0:
            own = ours(seconds)
            pairs.append((own, theirs(seconds)))
        else:
            other = theirs(seconds)
            pairs.append((ours(seconds), other))
    return Row(
        name=comparison.name,
        what=comparison.what,
        unit=comparison.unit,
        ours=statistics.median(own for own, _ in pairs),
        peer=comparison.peer,
        theirs=statistics.median(other for _, other in pairs),
        ratio=statistics.median(own / other for own, other in pairs),
        target=comparison.target,
        rounds=rounds,
    )


def rounded(value: float) -> str:
    """Three figures, thousands apart."""
    digits = max(0, len(str(int(value))) - 3)
    return f"{round(value, -digits):,.0f}" if value >= 100 else f"{value:.3g}"


def processor() -> str:
    """The processor's name, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def stay_on_one_core() -> None:
    """Keeps this process and those it starts on one core, where the system can."""
    if sys.platform == "linux":
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def main() -> None:
    """Reads the command line, measures, prints."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--shashki", default="shashki", help="the command to ask for figures")
    parser.add_argument("--only", default="", help="comparisons whose name begins so")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is timed")
    parser.add_argument("--seconds", type=float, default=0.5, help="how long each time")
    parser.add_argument("--json", action="store_true", help="an object a comparison")
    args = parser.parse_args()
    stay_on_one_core()
    if not args.json:
        print(f"{date.today()}, {processor()}, one core; medians of {args.rounds} rounds\n")
        print("| ours | figure | peer | figure | ratio | target |\n|---|---|---|---|---|---|")
    for comparison in comparisons(args.shashki):
        if not comparison.name.startswith(args.only):
            continue
        try:
            row = compare(comparison, args.rounds, args.seconds)
        except (MissingPeer, OSError) as error:
            print(f"left out: {comparison.name}: {error}", file=sys.stderr)
            continue
        if args.json:
            print(json.dumps(asdict(row)), flush=True)
        else:
            target = "" if row.target is None else f"{row.target:g}"
            figures = [rounded(row.ours), rounded(row.theirs), rounded(row.ratio)]
            cells = [row.what, f"{figures[0]} {row.unit}", row.peer, figures[1], figures[2], target]
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
