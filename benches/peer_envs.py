"""Environments and rules: random play in ours and in those of the peers."""

from __future__ import annotations

import importlib
import random
import time
from typing import Any

import numpy as np
from peer_timing import Measure, MissingPeer, need, repeat

import shashki


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
    try:
        venv = shashki.VecEnv("russian", num_envs=num_envs, seed=1, threads=1, **options)
    except TypeError as error:
        raise MissingPeer(f"this shashki has no such option: {error}") from error
    venv.reset()

    def measure(seconds: float) -> float:
        steps, inside = 0, 0.0
        while inside < seconds:
            actions = venv.random_actions()
            before = time.process_time()
            venv.step(actions)
            inside += time.process_time() - before
            steps += 1
        return steps * num_envs / inside

    return measure


def open_spiel(*, observed: bool) -> Measure:
    """Random play in OpenSpiel's checkers; each ply seen and masked in arrays that are reused."""
    pyspiel = need("pyspiel")
    game = pyspiel.load_game("checkers")
    mask = np.zeros(game.num_distinct_actions(), np.int8)
    observation = need("open_spiel.python.observation").make_observation(game)
    rng = random.Random(1)

    def work() -> int:
        state, plies = game.new_initial_state(), 0
        while not state.is_terminal():
            legal = state.legal_actions()
            if observed:
                observation.set_from(state, state.current_player())
                mask[:] = 0
                mask[legal] = 1
            state.apply_action(legal[int(rng.random() * len(legal))])
            plies += 1
        return plies

    return repeat(work)


def petting_zoo(*, sampled: bool) -> Measure:
    """Random play in PettingZoo's connect_four, by its own loop.

    The action is sampled by its space and the mask, as its manual has it, or drawn from the mask
    with numpy, which is faster.
    """
    env = need("pettingzoo.classic.connect_four_v3").env()
    rng = np.random.default_rng(1)

    def work() -> int:
        env.reset(seed=1)
        plies = 0
        for agent in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            mask = observation["action_mask"]
            if sampled:
                env.step(env.action_space(agent).sample(mask))
            else:
                legal = mask.nonzero()[0]
                env.step(int(legal[int(rng.random() * len(legal))]))
            plies += 1
        return plies

    return repeat(work)


def single_env(*, sampled: bool) -> Measure:
    """Random play in a `VecEnv` of one game; the action sampled by it or drawn from the mask.

    numpy finds the legal ones of booleans sooner than those of bytes.
    """
    venv = shashki.VecEnv("russian", num_envs=1, seed=1, mask_dtype="int8" if sampled else "bool")
    batch = venv.reset()
    rng = np.random.default_rng(1)
    actions = np.zeros(1, np.int64)

    def sample() -> int:
        for _ in range(64):
            venv.step(venv.random_actions())
        return 64

    def draw() -> int:
        nonlocal batch
        for _ in range(64):
            legal = batch.action_mask[0].nonzero()[0]
            actions[0] = legal[int(rng.random() * len(legal))]
            batch = venv.step(actions)
        return 64

    return repeat(sample if sampled else draw)


def pgx(name: str, batch: int) -> Measure:
    """Random play in an environment of PGX, compiled whole: many steps of many games a call."""
    env = need("pgx").make(name)
    jax: Any = importlib.import_module("jax")
    step = jax.vmap(need("pgx.experimental").auto_reset(env.step, env.init))
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
    carry = (
        jax.vmap(env.init)(jax.random.split(jax.random.PRNGKey(1), batch)),
        jax.random.PRNGKey(2),
    )
    carry = jax.block_until_ready(compiled(*carry))

    def work() -> int:
        nonlocal carry
        carry = jax.block_until_ready(compiled(*carry))
        return batch * steps

    return repeat(work)


def py_draughts() -> Measure:
    """Whole random games of Russian draughts in py-draughts, ended by its own rules, in plies."""
    board_type = need("draughts.boards.russian").Board
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
