"""Measures shashki beside its peers: both timed in turns in one run, on one core, told as ratios.

    make bench
    python benches/peers.py --shashki target/release/shashki --only vecenv --json

Peers that are not installed are named and left out. What needs the command `shashki` (networks, whole
games) asks `shashki bench`; networks beside torch want a build of it with any features, and torch here.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import numpy as np

import shashki

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


class MissingPeer(Exception):
    """A peer that cannot be measured here; the text says why and what to do."""


def need(module: str) -> Any:
    """Imports a peer."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingPeer(f"{module} is not installed: pip install {PIP[module]}") from error


def repeat(work: Callable[[], int]) -> Measure:
    """Makes a measure of something that does a little work and answers how much."""

    def measure(seconds: float) -> float:
        done, start = 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            done += work()
        return done / spent

    return measure


# Environments


def vec_env(num_envs: int) -> Measure:
    """Random play in ours, with observation and mask, all that Python does included."""
    venv = shashki.VecEnv("russian", num_envs=num_envs, seed=1, threads=1)
    venv.reset()

    def work() -> int:
        for _ in range(16):
            venv.step(venv.random_actions())
        return 16 * num_envs

    return repeat(work)


def vec_env_step(num_envs: int, **options: Any) -> Measure:
    """The same, but only the time inside `step` counts."""
    venv = shashki.VecEnv("russian", num_envs=num_envs, seed=1, threads=1, **options)
    venv.reset()

    def measure(seconds: float) -> float:
        steps, inside, start = 0, 0.0, time.perf_counter()
        while time.perf_counter() - start < seconds:
            actions = venv.random_actions()
            before = time.perf_counter()
            venv.step(actions)
            inside += time.perf_counter() - before
            steps += 1
        return steps * num_envs / inside

    return measure


def open_spiel(*, observed: bool) -> Measure:
    """Random play in OpenSpiel's checkers: each ply seen and masked by numpy arrays that are reused."""
    pyspiel = need("pyspiel")
    game = pyspiel.load_game("checkers")
    mask = np.zeros(game.num_distinct_actions(), np.int8)
    observation = np.zeros(game.observation_tensor_size(), np.float32)
    rng = random.Random(1)

    def work() -> int:
        state, plies = game.new_initial_state(), 0
        while not state.is_terminal():
            legal = state.legal_actions()
            if observed:
                observation[:] = state.observation_tensor()
                mask[:] = 0
                mask[legal] = 1
            state.apply_action(legal[int(rng.random() * len(legal))])
            plies += 1
        return plies

    return repeat(work)


def petting_zoo() -> Measure:
    """Random play in PettingZoo's connect_four, by its own loop."""
    need("pettingzoo")
    try:
        connect_four: Any = importlib.import_module("pettingzoo.classic.connect_four_v3")
    except ImportError as error:
        raise MissingPeer(f"{error}: pip install {PIP['pettingzoo']}") from error
    env = connect_four.env()
    rng = np.random.default_rng(1)

    def work() -> int:
        env.reset(seed=1)
        plies = 0
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            legal = np.flatnonzero(observation["action_mask"])
            env.step(int(legal[int(rng.random() * len(legal))]))
            plies += 1
        return plies

    return repeat(work)


def single_env() -> Measure:
    """Random play in a `VecEnv` of one game, an action chosen from the mask as above."""
    venv = shashki.VecEnv("russian", num_envs=1, seed=1)
    batch = venv.reset()
    rng = np.random.default_rng(1)
    actions = np.zeros(1, np.int64)

    def work() -> int:
        nonlocal batch
        for _ in range(64):
            legal = np.flatnonzero(batch.action_mask[0])
            actions[0] = legal[int(rng.random() * len(legal))]
            batch = venv.step(actions)
        return 64

    return repeat(work)


def pgx(name: str, batch: int) -> Measure:
    """Random play in an environment of PGX, compiled whole: many steps of many games in one call."""
    need("pgx")
    jax: Any = importlib.import_module("jax")
    env = importlib.import_module("pgx").make(name)
    auto_reset = importlib.import_module("pgx.experimental.utils")  # where it stands in 2.x
    step = jax.vmap(auto_reset.auto_reset(env.step, env.init))
    steps = 32

    def play(state: Any, key: Any) -> Any:
        def once(carry: Any, _: None) -> Any:
            state, key = carry
            key, choice, reset = jax.random.split(key, 3)
            logits = jax.numpy.log(state.legal_action_mask.astype(jax.numpy.float32))
            actions = jax.random.categorical(choice, logits, axis=-1)
            return (step(state, actions, jax.random.split(reset, batch)), key), None

        return jax.lax.scan(once, (state, key), None, length=steps)[0]

    compiled = jax.jit(play)
    carry = (jax.vmap(env.init)(jax.random.split(jax.random.PRNGKey(1), batch)), jax.random.PRNGKey(2))
    carry = jax.block_until_ready(compiled(*carry))

    def work() -> int:
        nonlocal carry
        carry = jax.block_until_ready(compiled(*carry))
        return batch * steps

    return repeat(work)


# Rules


def py_draughts() -> Measure:
    """Whole random games of Russian draughts in py-draughts, ended by its own rules, in plies."""
    need("draughts")
    board_type = importlib.import_module("draughts.boards.russian").Board
    rng = random.Random(1)

    def work() -> int:
        board, plies = board_type(), 0
        while not board.game_over:
            moves = board.legal_moves
            board.push(moves[int(rng.random() * len(moves))])
            plies += 1
        return plies

    return repeat(work)


def our_game() -> Measure:
    """Whole random games through `shashki.Game`, in hops."""
    rng = random.Random(1)

    def work() -> int:
        game, hops = shashki.Game("russian"), 0
        while game.outcome is None:
            legal = game.hops()
            game.play_hop(legal[int(rng.random() * len(legal))][0])
            hops += 1
        return hops

    return repeat(work)


# Networks


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


def torch_mlp(batch: int) -> Measure:
    """The layers of the network 256 x 1 in torch eager, on an input that is ready."""
    torch = need("torch")
    torch.set_num_threads(1)
    inputs, width, actions = 194, 256, 280
    linear = torch.nn.functional.linear
    torch.manual_seed(1)
    shapes = [(width, inputs), (width, width), (actions, width), (32, width), (3, 32)]
    weights = [(torch.randn(shape) / shape[1] ** 0.5, torch.zeros(shape[0])) for shape in shapes]
    rows = (torch.rand(batch, inputs) < 0.1).float()
    first, block, policy, hidden, value = weights

    def work() -> int:
        with torch.no_grad():
            for _ in range(16):
                stream = linear(rows, *first)
                stream = stream + linear(stream.relu(), *block)
                active = stream.relu()
                linear(active, *policy)
                linear(linear(active, *hidden).relu(), *value)
        return 16 * batch

    return repeat(work)


def onnx_resnet(batch: int) -> Measure:
    """The convolutional network 64 x 5 in ONNX Runtime, weights of the same shapes."""
    need("onnx")
    runtime = need("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    model = resnet_graph(width=64, blocks=5)
    session = runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(1)
    planes = (rng.random((batch, CHANNELS, 8, 8)) < 0.1).astype(np.float32)

    def work() -> int:
        session.run(None, {"planes": planes})
        return batch

    return repeat(work)


#: Planes of Russian draughts.
CHANNELS = len(shashki.Game("russian").plane_names)


def resnet_graph(width: int, blocks: int) -> bytes:
    """The network of `kind = "resnet"` as an ONNX model with weights drawn by lot.

    A 3x3 convolution, blocks of two, each followed by a norm of 8 groups, then 1x1 convolutions
    into dense heads: what src/net/spec.rs lists. The norm is written as torch exports it.
    """
    onnx = need("onnx")
    helper, numpy_helper = onnx.helper, onnx.numpy_helper
    rng = np.random.default_rng(1)
    nodes: list[Any] = []
    tensors: list[Any] = []

    def constant(values: np.ndarray[Any, Any]) -> str:
        name = f"w{len(tensors)}"
        tensors.append(numpy_helper.from_array(values, name))
        return name

    def weights(*shape: int) -> str:
        scale = (2.0 / np.prod(shape[1:])) ** 0.5
        return constant((rng.standard_normal(shape) * scale).astype(np.float32))

    def node(kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"n{len(nodes)}"
        nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    ones = np.ones(8, np.float32)
    grouped = constant(np.array([0, 8, -1], np.int64))
    board = constant(np.array([0, width, 8, 8], np.int64))
    group_scale, group_shift = constant(ones), constant(0 * ones)

    def conv_norm(x: str, channels: int) -> str:
        x = node("Conv", x, weights(width, channels, 3, 3), pads=[1, 1, 1, 1])
        x = node("Reshape", x, grouped)
        x = node("InstanceNormalization", x, group_scale, group_shift, epsilon=1e-5)
        x = node("Reshape", x, board)
        x = node("Mul", x, constant(np.ones((width, 1, 1), np.float32)))
        return node("Add", x, constant(np.zeros((width, 1, 1), np.float32)))

    def head(x: str, channels: int) -> str:
        bias = constant(np.zeros(channels, np.float32))
        return node("Flatten", node("Relu", node("Conv", x, weights(channels, width, 1, 1), bias)))

    def dense(x: str, inputs: int, outputs: int) -> str:
        bias = constant(np.zeros(outputs, np.float32))
        return node("Gemm", x, weights(outputs, inputs), bias, transB=1)

    stream = node("Relu", conv_norm("planes", CHANNELS))
    for _ in range(blocks):
        change = conv_norm(node("Relu", conv_norm(stream, width)), width)
        stream = node("Relu", node("Add", stream, change))
    policy = dense(head(stream, 8), 8 * 64, 280)
    value = dense(node("Relu", dense(head(stream, 4), 4 * 64, 64)), 64, 3)

    kind = onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        nodes,
        "resnet",
        [helper.make_tensor_value_info("planes", kind, ["n", CHANNELS, 8, 8])],
        [helper.make_tensor_value_info(name, kind, None) for name in (policy, value)],
        tensors,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString())


# The table


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
        f"VecEnv, 1024 games, {seen}, within step",
        hops,
        lambda: vec_env_step(1024),
        "OpenSpiel checkers, neither",
        lambda: open_spiel(observed=False),
    )
    yield Comparison(
        "vecenv-1-pettingzoo",
        "VecEnv, 1 game",
        hops,
        single_env,
        "PettingZoo connect_four",
        petting_zoo,
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
        lambda: onnx_resnet(64),
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
