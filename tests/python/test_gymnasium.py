"""The Gymnasium environment."""

import copy
import subprocess
import sys
import warnings

import numpy as np
import pytest

import shashki

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402

from shashki.gymnasium import DraughtsEnv  # noqa: E402


def make(**kwargs) -> DraughtsEnv:
    env = gymnasium.make("shashki/Russian-v0", disable_env_checker=True, **kwargs).unwrapped
    assert isinstance(env, DraughtsEnv)
    return env


def first_hop(game: shashki.Game) -> int:
    return game.hops()[0][0]


def play_out(env, rng, first=None):
    """Plays random legal hops to the end of a game, returning every step."""
    _, info = first if first is not None else env.reset()
    steps = []
    while True:
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        steps.append(env.step(action))
        info = steps[-1][4]
        if steps[-1][2] or steps[-1][3]:
            return steps


@pytest.mark.parametrize("opponent", ["random", "alphabeta:depth=1", first_hop])
@pytest.mark.parametrize("side", ["white", "black", "random"])
def test_gymnasiums_checker_passes(opponent, side):
    env = gymnasium.make("shashki/Russian-v0", opponent=opponent, side=side)
    with warnings.catch_warnings():
        # It samples without a mask: the one warning of an illegal action is due.
        warnings.filterwarnings("ignore", message=".*is not legal in.*")
        check_env(env.unwrapped, skip_render_check=False)


def test_a_walk_with_masked_samples():
    env = gymnasium.make("shashki/Russian-v0", opponent="random", side="random")
    env.action_space.seed(1)
    observation, info = env.reset(seed=1)
    rewards = []
    for _ in range(400):
        assert observation in env.observation_space
        assert info["action_mask"].dtype == np.int8 and info["action_mask"].shape == (280,)
        masks = env.unwrapped.action_masks()
        assert masks.dtype == np.bool_ and np.array_equal(masks, info["action_mask"] == 1)
        action = env.action_space.sample(mask=info["action_mask"])
        observation, reward, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            assert not info["action_mask"].any() and not env.unwrapped.action_masks().any()
            winner = info["outcome"].winner
            agent = env.unwrapped.agent
            assert reward == {None: 0.0, agent: 1.0}.get(winner, -1.0)
            rewards.append(reward)
            observation, info = env.reset()
        else:
            assert reward == 0.0 and info["outcome"] is None
            assert env.unwrapped.game.side == env.unwrapped.agent
    assert {1.0, -1.0} <= set(rewards)


@pytest.mark.parametrize("side", ["white", "black"])
def test_the_opponents_whole_reply_happens_inside_a_step(side):
    env = make(opponent=first_hop, side=side)
    _, info = env.reset(seed=0)
    game = env.game
    assert game.turns_played == (0 if side == "white" else 1)
    rng = np.random.default_rng(1)
    for _ in range(300):
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        observation, _, terminated, _, info = env.step(action)
        game.play_hop(action)
        while game.outcome is None and game.side != side:
            game.play_hop(first_hop(game))
        assert game == env.game and np.array_equal(observation, game.observation())
        if terminated:
            assert info["outcome"] == game.outcome
            _, info = env.reset()
            game = env.game


def test_one_seed_one_game():
    def trace(seed):
        env = make(opponent="random", side="random")
        steps = play_out(env, np.random.default_rng(0), env.reset(seed=seed))
        return [step[0].tobytes() for step in steps]

    assert trace(5) == trace(5)
    assert len({tuple(trace(seed)) for seed in range(4)}) == 4


def test_an_illegal_action_loses_with_one_warning():
    env = make(illegal_action="lose", side="white")
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="action 279 is not legal"):
        observation, reward, terminated, truncated, info = env.step(279)
    assert (reward, terminated, truncated, info["illegal_action"]) == (-1.0, True, False, 279)
    assert info["outcome"] == shashki.Outcome("black", "illegal")
    assert not info["action_mask"].any() and observation in env.observation_space
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    env.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env.step(-1)


def test_an_illegal_action_raises_where_that_is_asked_for():
    env = make(illegal_action="raise", side="white")
    env.reset(seed=1)
    before = env.game
    with pytest.raises(ValueError, match="279"):
        env.step(279)
    assert env.game == before
    env.step(first_hop(before))


def test_long_games_are_truncated():
    env = make(max_turns=6, side="white")
    steps = play_out(env, np.random.default_rng(1))
    *_, (_, reward, terminated, truncated, info) = steps
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["outcome"] == shashki.Outcome(None, "turn limit")


def test_a_draw_by_rule_is_terminated():
    env = make(opponent=first_hop, side="white", draws="official")
    _, info = env.reset(options={"fen": "W:WKa1:BKh2"})
    rng = np.random.default_rng(4)
    for _ in range(100):
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        _, reward, terminated, truncated, info = env.step(action)
        if terminated:
            break
    assert info["outcome"] is not None and not truncated
    if info["outcome"].winner is None:
        assert reward == 0.0


def test_a_game_over_before_the_agents_first_move_is_refused():
    env = make(side="black")
    with pytest.raises(ValueError, match="no pieces|no move"):
        env.reset(options={"fen": "W:Wc3:Bd4"})
    env.reset(options={"fen": "B:Wc3:Bd4"})


def test_returned_arrays_are_fresh():
    env = make(side="white")
    observation, info = env.reset(seed=1)
    before, mask = observation.copy(), info["action_mask"].copy()
    later, _, _, _, later_info = env.step(first_hop(env.game))
    assert np.array_equal(observation, before) and np.array_equal(info["action_mask"], mask)
    assert not np.shares_memory(later, observation)
    assert not np.shares_memory(later_info["action_mask"], info["action_mask"])


def test_boards_are_rendered():
    text = make(render_mode="ansi")
    text.reset(seed=1)
    assert "a b c d e f g h" in text.render()
    picture = make(render_mode="rgb_array")
    picture.reset(seed=1)
    pixels = picture.render()
    assert pixels.dtype == np.uint8 and pixels.ndim == 3 and pixels.shape[2] == 3
    assert pixels[-16, 16].tolist() == [250, 250, 250], "White's man on a1"
    assert pixels[16, 16].tolist() == [236, 220, 192], "a8 is light and empty"
    assert make().render() is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"side": "left"}, "left"),
        ({"opponent": "deep blue"}, "deep blue"),
        ({"opponent": 5}, "5"),
        ({"illegal_action": "shrug"}, "shrug"),
        ({"max_turns": 1}, "max_turns 1"),
        ({"draws": "many"}, "many"),
    ],
)
def test_bad_options_are_named(arguments, words):
    with pytest.raises(ValueError, match=words):
        make(**arguments)
    with pytest.raises(ValueError, match="speed"):
        make().reset(options={"speed": 3})


def test_environments_copy_in_mid_game():
    env = make(opponent=first_hop, side="white")
    env.reset(seed=1)
    twin = copy.deepcopy(env)
    action = first_hop(env.game)
    one, other = env.step(action), twin.step(action)
    assert np.array_equal(one[0], other[0])


@pytest.mark.parametrize(
    "program",
    [
        "import shashki, gymnasium; gymnasium.make('shashki/Russian-v0')",
        "import gymnasium, shashki; gymnasium.make('shashki/Russian-v0')",
        "import gymnasium; gymnasium.make('shashki:shashki/Russian-v0')",
    ],
)
def test_the_environment_is_registered_whichever_is_imported_first(program):
    subprocess.run([sys.executable, "-c", program], check=True)


def test_importing_works_without_gymnasium_and_torch():
    program = (
        "import sys; sys.modules['gymnasium'] = None; sys.modules['torch'] = None; "
        "import importlib.util as u; find = u.find_spec; "
        "u.find_spec = lambda name, *a: None if name == 'gymnasium' else find(name, *a); "
        "import shashki; print(len(shashki.Game().turns()))"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    assert done.stdout.strip() == b"7"
