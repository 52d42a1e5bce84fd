"""Batches of games from Python."""

import gc
import threading
import time
import weakref

import numpy as np
import pytest

import shashki


def test_the_readme_walk():
    venv = shashki.VecEnv("russian", num_envs=16, seed=1)
    batch = venv.reset()
    assert batch.observation.shape == (16, *venv.observation_shape) == (16, 8, 8, 8)
    assert batch.action_mask.shape == (16, venv.num_actions) == (16, 280)
    assert batch.observation.dtype == np.float32 and batch.action_mask.dtype == np.int8
    assert batch.side.tolist() == [0] * 16
    batch = venv.step(venv.random_actions())
    assert batch.reward.shape == (16, 2) and batch.reward.dtype == np.float32
    assert batch.terminated.dtype == batch.truncated.dtype == np.bool_
    assert batch.side.tolist() == [1] * 16
    assert batch.outcome == [None] * 16
    assert len(batch) == len(venv) == venv.num_envs == 16


def test_a_batch_plays_exactly_what_single_games_play():
    n = 8
    venv = shashki.VecEnv("russian", num_envs=n, seed=7, max_turns=80)
    venv.reset()
    games = [shashki.Game() for _ in range(n)]
    ended = cut = 0
    for _ in range(1500):
        actions = venv.random_actions()
        batch = venv.step(actions)
        for i, game in enumerate(games):
            game.play_hop(actions[i])
            outcome = game.outcome
            truncated = outcome is None and game.turns_played >= 80
            assert batch.truncated[i] == truncated
            assert batch.terminated[i] == (outcome is not None)
            if outcome is None and not truncated:
                assert batch.outcome[i] is None and batch.final_side[i] == -1
                assert not batch.reward[i].any()
            else:
                ended += 1
                cut += truncated
                expected = shashki.Outcome(None, "turn limit") if truncated else outcome
                assert batch.outcome[i] == expected
                reward = {"white": [1, -1], "black": [-1, 1], None: [0, 0]}[expected.winner]
                assert batch.reward[i].tolist() == reward
                assert np.array_equal(batch.final_observation[i], game.observation())
                assert batch.final_side[i] == ["white", "black"].index(game.side)
                game = games[i] = shashki.Game()
            assert np.array_equal(batch.observation[i], game.observation())
            assert np.array_equal(batch.action_mask[i], game.action_mask())
            assert batch.side[i] == ["white", "black"].index(game.side)
            assert venv.game(i) == game
    assert ended > 100 and 0 < cut < ended


def test_arrays_are_used_again_unless_copies_are_asked_for():
    venv = shashki.VecEnv(num_envs=4, seed=1)
    first = venv.reset()
    before = first.observation.copy()
    second = venv.step(venv.random_actions())
    assert second is first and not np.array_equal(first.observation, before)
    fresh = shashki.VecEnv(num_envs=4, seed=1, copy=True)
    first = fresh.reset()
    before = first.observation.copy()
    second = fresh.step(fresh.random_actions())
    assert second is not first and np.array_equal(first.observation, before)
    for name in ("observation", "action_mask", "side", "reward", "terminated", "final_side"):
        assert not np.shares_memory(getattr(first, name), getattr(second, name))
    reused = shashki.VecEnv(num_envs=4, seed=1)
    reused.reset()
    fresh.reset(seed=1)
    for _ in range(300):
        one, other = reused.step(reused.random_actions()), fresh.step(fresh.random_actions())
        for name in ("observation", "action_mask", "side", "reward", "terminated", "final_side"):
            assert np.array_equal(getattr(one, name), getattr(other, name))
        assert one.outcome == other.outcome
        over = one.terminated
        assert np.array_equal(one.final_observation[over], other.final_observation[over])


@pytest.mark.parametrize("variant", ["russian", "bashni", "vigman"])
def test_observations_are_float32_or_uint8_or_none(variant):
    make = {"variant": variant, "num_envs": 4, "seed": 2, "max_turns": 60}
    plain = shashki.VecEnv(**make)
    coarse = shashki.VecEnv(**make, observation_dtype="uint8", mask_dtype="bool")
    blind = shashki.VecEnv(**make, observation=False)
    batches = [venv.reset() for venv in (plain, coarse, blind)]
    ended = 0
    for _ in range(200):
        actions = plain.random_actions()
        one, other, nothing = batches = [venv.step(actions) for venv in (plain, coarse, blind)]
        assert other.observation.dtype == np.uint8 and other.action_mask.dtype == np.bool_
        assert np.array_equal(other.observation / np.float32(16), one.observation)
        over = one.terminated | one.truncated
        ended += over.sum()
        scaled = other.final_observation[over] / np.float32(16)
        assert np.array_equal(scaled, one.final_observation[over])
        assert np.array_equal(other.action_mask, one.action_mask.astype(np.bool_))
        assert nothing.observation is None and nothing.final_observation is None
        assert np.array_equal(nothing.action_mask, one.action_mask)
        assert np.array_equal(nothing.reward, one.reward) and nothing.outcome == one.outcome
    assert ended > 4
    assert "None" in repr(batches[2]) and "uint8" not in repr(batches[1])


def test_a_step_writes_into_the_same_memory():
    names = ("observation", "action_mask", "side", "agent", "reward", "terminated", "truncated")
    for kinds in ({}, {"observation_dtype": "uint8", "mask_dtype": "bool"}):
        venv = shashki.VecEnv(num_envs=5, seed=1, **kinds)
        batch = venv.reset()
        places = [getattr(batch, name).ctypes.data for name in names]
        arrays = [getattr(batch, name) for name in names]
        for _ in range(20):
            batch = venv.step(venv.random_actions())
            assert [getattr(batch, name).ctypes.data for name in names] == places
            assert all(
                getattr(batch, name) is array for name, array in zip(names, arrays, strict=True)
            )


@pytest.mark.parametrize("opponent", [None, "random"])
def test_seeds_repeat_games(opponent):
    def trace(venv, seed=None):
        batch = venv.reset(seed=seed)
        seen = [batch.observation.copy()]
        for _ in range(150):
            seen.append(venv.step(venv.random_actions()).observation.copy())
        return np.stack(seen)

    make = {"num_envs": 4, "opponent": opponent}
    first = trace(shashki.VecEnv(seed=3, **make))
    venv = shashki.VecEnv(seed=3, **make)
    assert np.array_equal(trace(venv), first)
    assert np.array_equal(trace(venv, 3), first)
    assert not np.array_equal(trace(venv, 4), first)


@pytest.mark.parametrize("opponent", [None, "random"])
def test_states_restore_games(opponent):
    venv = shashki.VecEnv(num_envs=3, seed=5, opponent=opponent)
    venv.reset()
    for _ in range(40):
        venv.step(venv.random_actions())
    state = venv.get_state()
    played = [venv.step(venv.random_actions()).observation.copy() for _ in range(60)]
    other = shashki.VecEnv(num_envs=3, seed=6, opponent=opponent)
    batch = other.set_state(state)
    assert batch.action_mask.any(axis=1).all() and not batch.terminated.any()
    again = [other.step(other.random_actions()).observation.copy() for _ in range(60)]
    assert np.array_equal(played, again)
    with pytest.raises(ValueError, match="3 games|expected 2"):
        shashki.VecEnv(num_envs=2, opponent=opponent).set_state(state)
    with pytest.raises(ValueError):
        other.set_state(state[:-1])
    rules = shashki.VecEnv(num_envs=3, opponent=opponent, draws="basic")
    rules.reset()
    before = rules.get_state()
    with pytest.raises(ValueError, match="draw rules basic, found official"):
        rules.set_state(state)
    assert rules.get_state() == before


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint64"])
def test_actions_may_be_whole_numbers_of_any_width(dtype):
    venv = shashki.VecEnv(num_envs=2, seed=1)
    venv.reset()
    action = min(a for a, _, _ in shashki.Game().hops())
    batch = venv.step(np.full(2, action, dtype))
    assert batch.side.tolist() == [1, 1]
    venv.reset()
    venv.step([action, action])
    venv.reset()
    venv.step(np.full((2, 2), action)[:, 0])
    venv.reset()
    other_order = np.full(2, action, np.dtype(dtype).newbyteorder())
    venv.step(other_order)


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        (np.zeros(3, np.int64), ["(3,)", "(2,)"]),
        (np.zeros((2, 1), np.int64), ["(2, 1)", "(2,)"]),
        (np.int64(3), ["()", "(2,)"]),
        (np.zeros(2), ["float64", "whole numbers"]),
        (np.zeros(2, np.bool_), ["bool", "whole numbers"]),
        ([1.5, 2.5], ["float64"]),
        (["a", "b"], ["<U1"]),
        ([[1], [2, 3]], ["[[1], [2, 3]]"]),
        ([None, None], ["object"]),
        ([-1, 5], ["-1", "env 0", "expected one of ["]),
        (np.array([2**64 - 1, 0], np.uint64), ["env 0", str(2**64 - 1)]),
    ],
)
def test_bad_actions_are_named_and_nothing_moves(actions, words):
    venv = shashki.VecEnv(num_envs=2, seed=1)
    venv.reset()
    state = venv.get_state()
    with pytest.raises(ValueError) as caught:
        venv.step(actions)
    for word in words:
        assert word in str(caught.value)
    assert venv.get_state() == state


def test_one_illegal_action_and_nothing_moves():
    venv = shashki.VecEnv(num_envs=5, seed=1)
    batch = venv.reset()
    actions = venv.random_actions()
    state, before = venv.get_state(), batch.observation.copy()
    actions[3] = int(np.flatnonzero(batch.action_mask[3] == 0)[0])
    with pytest.raises(ValueError, match=rf"env 3: action {actions[3]} is not legal"):
        venv.step(actions)
    assert venv.get_state() == state and np.array_equal(batch.observation, before)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"variant": "chess"}, ["chess", "russian"]),
        ({"num_envs": 0}, ["0", "1"]),
        ({"num_envs": -1}, ["-1", "1"]),
        ({"num_envs": 10**12}, [str(10**12)]),
        ({"num_envs": 2**64}, [str(2**64), "1048576"]),
        ({"max_turns": 2**40}, ["max_turns", "4294967295"]),
        ({"seed": -1}, ["-1", "2^64"]),
        ({"seed": 2**64}, ["2^64"]),
        ({"max_turns": 1}, ["max_turns", "2"]),
        ({"max_turns": -5}, ["max_turns", "-5"]),
        ({"threads": 10**6}, ["threads"]),
        ({"draws": "many"}, ["many", "official"]),
        ({"side": "left"}, ["left", "alternate"]),
        ({"opponent": "deep blue"}, ["deep blue"]),
        ({"opponent": 5}, ["5", "callable"]),
        ({"observation_dtype": "float64"}, ["float64", "float32 or uint8"]),
        ({"mask_dtype": "uint8"}, ["uint8", "int8 or bool"]),
    ],
)
def test_bad_options_are_named_with_what_was_expected(arguments, words):
    with pytest.raises(ValueError) as caught:
        shashki.VecEnv(**arguments)
    for word in words:
        assert word in str(caught.value)


def test_a_step_needs_a_reset_first():
    venv = shashki.VecEnv()
    for call in (venv.random_actions, venv.get_state, lambda: venv.step([0])):
        with pytest.raises(RuntimeError, match="reset"):
            call()
    with pytest.raises(ValueError, match="0 to 0"):
        venv.game(1)


def test_against_an_opponent_the_agent_is_always_to_move():
    venv = shashki.VecEnv(num_envs=6, seed=2, opponent="random")
    batch = venv.reset()
    assert venv.side == "alternate" and batch.side.tolist() == [0, 1, 0, 1, 0, 1]
    agents = batch.agent.copy()
    finished = 0
    for _ in range(400):
        batch = venv.step(venv.random_actions())
        assert np.array_equal(batch.agent, agents)
        over = batch.terminated
        finished += over.sum()
        assert (batch.side[over] != batch.agent[over]).all(), "sides change with each game"
        agents = batch.side.copy()
    assert finished > 20


def test_a_callable_opponent_is_asked_hop_by_hop():
    asked = []

    def first(game):
        asked.append((game.side, game.turns_played))
        return game.hops()[0][0]

    venv = shashki.VecEnv(num_envs=2, seed=1, opponent=first, side="black")
    batch = venv.reset()
    assert batch.side.tolist() == [1, 1] and asked == [("white", 0)] * 2
    for _ in range(300):
        venv.step(venv.random_actions())
    assert {side for side, _ in asked} == {"white"}
    turns = [turns for _, turns in asked]
    assert any(a == b for a, b in zip(turns[::2], turns[2::2], strict=False)) or len(asked) > 300


def test_what_a_callable_opponent_raises_comes_out_and_only_a_reset_helps():
    class Mine(Exception):
        pass

    answers = {"go": True}

    def opponent(game):
        if answers["go"]:
            return game.hops()[0][0]
        raise Mine("enough")

    venv = shashki.VecEnv(num_envs=2, seed=1, opponent=opponent, side="white")
    venv.reset()
    answers["go"] = False
    with pytest.raises(Mine, match="enough"):
        venv.step(venv.random_actions())
    with pytest.raises(RuntimeError, match="reset"):
        venv.step([0, 0])
    answers["go"] = True
    venv.reset()
    venv.step(venv.random_actions())
    bad = shashki.VecEnv(opponent=lambda game: 279, side="black")
    with pytest.raises(ValueError, match="279"):
        bad.reset()
    with pytest.raises(TypeError):
        shashki.VecEnv(opponent=lambda game: "c3-d4", side="black").reset()


def test_other_threads_run_during_a_step():
    venv = shashki.VecEnv(num_envs=20_000, seed=1, threads=1)
    venv.reset()
    actions = venv.random_actions()
    ticks, done = 0, threading.Event()

    def tick():
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.0005)

    ticker = threading.Thread(target=tick)
    ticker.start()
    before = ticks
    for _ in range(20):
        venv.step(actions)
        actions = venv.random_actions()
    during = ticks - before
    done.set()
    ticker.join()
    assert during > 20


def test_a_batch_that_python_holds_cannot_be_broken():
    venv = shashki.VecEnv(num_envs=2, seed=1)
    batch = venv.reset()
    batch.observation.setflags(write=False)
    with pytest.raises((ValueError, TypeError)):
        venv.step(venv.random_actions())
    batch.observation.setflags(write=True)
    venv.step(venv.random_actions())


def test_an_opponent_that_holds_its_environment_is_collected_with_it():
    class Agent:
        def __init__(self):
            self.venv = shashki.VecEnv(num_envs=2, opponent=self.answer, side="black")

        def answer(self, game):
            return game.hops()[0][0]

    agent = Agent()
    agent.venv.reset()
    gone = weakref.ref(agent)
    gc.collect()
    assert agent.venv.step(agent.venv.random_actions()) is not None, "what is in use stays"
    del agent
    gc.collect()
    assert gone() is None


def test_nothing_leaks():
    resource = pytest.importorskip("resource")

    def work():
        for i in range(30):
            venv = shashki.VecEnv(num_envs=64, seed=i, copy=i % 2 == 0, opponent="random")
            venv.reset()
            for _ in range(20):
                venv.step(venv.random_actions())
            shashki.Game().copy().observation()
        gc.collect()

    work()
    work()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(10):
        work()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    # One environment's arrays are 300 kB; leaking each of the 300 would be 90 MB.
    assert grown < 20_000
