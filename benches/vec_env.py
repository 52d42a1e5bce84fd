"""How fast Python drives ``shashki.VecEnv``: ``python benches/vec_env.py``.

Every row is the median of rounds in which all rows take turns, so that what else the machine does
falls on all alike: trust the ratios more than the figures. Where PettingZoo is installed its
connect_four is a row too, and ``VecEnv(num_envs=1)`` is measured against it.
"""

import argparse
import statistics
import time
from collections.abc import Callable

import shashki

Round = Callable[[], tuple[int, float]]


def vec_env(num_envs: int, hops: int, **options: object) -> Round:
    """Rounds of random hops; only the time inside ``step`` counts where there are many games."""
    venv = shashki.VecEnv("russian", num_envs=num_envs, seed=1, **options)
    venv.reset()
    steps = max(1, hops // num_envs)

    def run() -> tuple[int, float]:
        inside = 0.0
        started = time.perf_counter()
        for _ in range(steps):
            actions = venv.random_actions()
            before = time.perf_counter()
            venv.step(actions)
            inside += time.perf_counter() - before
        whole = time.perf_counter() - started
        return steps * num_envs, inside if num_envs > 1 else whole

    return run


def connect_four(plies: int) -> Round | None:
    """Rounds of PettingZoo's ``env()``, with the mask sampled as its documentation does."""
    try:
        from pettingzoo.classic import connect_four_v3
    except ImportError:
        return None
    env = connect_four_v3.env()

    def run() -> tuple[int, float]:
        done = 0
        started = time.perf_counter()
        while done < plies:
            env.reset()
            for agent in env.agent_iter():
                observation, _, termination, truncation, _ = env.last()
                if termination or truncation:
                    env.step(None)
                    continue
                env.step(env.action_space(agent).sample(observation["action_mask"]))
                done += 1
        return done, time.perf_counter() - started

    return run


def main() -> None:
    """Take turns and print medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--hops", type=int, default=100_000, help="hops of a row in a round")
    arguments = parser.parse_args()
    n, hops = 1024, arguments.hops
    rows: dict[str, Round] = {
        "1024 games, float32": vec_env(n, hops, threads=1),
        "1024 games, uint8": vec_env(n, hops, threads=1, observation_dtype="uint8"),
        "1024 games, no observation": vec_env(n, hops, threads=1, observation=False),
        "1024 games, float32, 2 threads": vec_env(n, hops, threads=2),
        "8192 games, float32, 1 thread": vec_env(8 * n, hops, threads=1),
        "8192 games, float32, 2 threads": vec_env(8 * n, hops, threads=2),
        "1 game, float32": vec_env(1, hops // 20),
        "1 game, no observation": vec_env(1, hops // 20, observation=False),
    }
    if (pettingzoo := connect_four(max(1, hops // 100))) is not None:
        rows["PettingZoo connect_four"] = pettingzoo
    rates: dict[str, list[float]] = {name: [] for name in rows}
    for _ in range(arguments.rounds):
        for name, run in rows.items():
            done, seconds = run()
            rates[name].append(done / seconds)
    medians = {name: statistics.median(found) for name, found in rates.items()}
    for name, rate in medians.items():
        print(f"{name:32} {rate:12,.0f} hops/s   at best {max(rates[name]):12,.0f}")
    pairs = [
        ("1024 games, float32, 2 threads", "1024 games, float32"),
        ("8192 games, float32, 2 threads", "8192 games, float32, 1 thread"),
        ("1 game, float32", "PettingZoo connect_four"),
    ]
    for a, b in pairs:
        if a in rates and b in rates:
            ratio = statistics.median(x / y for x, y in zip(rates[a], rates[b], strict=True))
            print(f"{a} / {b}: {ratio:.2f}")


if __name__ == "__main__":
    main()
