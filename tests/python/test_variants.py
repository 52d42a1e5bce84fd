"""Every variant through every door of the package."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import shashki

SHAPES = {
    "russian": (280, (8, 8, 8)),
    "poddavki": (280, (8, 8, 8)),
    "bashni": (280, (52, 8, 8)),
    "bashni-im": (280, (52, 8, 8)),
    "spantsireti": (392, (8, 8, 10)),
    "vigman": (560, (22, 8, 8)),
    "vigman-free": (560, (15, 8, 8)),
}
IDS = {
    "russian": "shashki/Russian-v0",
    "poddavki": "shashki/Poddavki-v0",
    "bashni": "shashki/Bashni-v0",
    "bashni-im": "shashki/BashniIm-v0",
    "spantsireti": "shashki/Spantsireti-v0",
    "vigman": "shashki/Vigman-v0",
    "vigman-free": "shashki/VigmanFree-v0",
}


def test_the_variants_are_those_of_the_interface():
    assert list(shashki.VARIANTS) == list(SHAPES)


@pytest.mark.parametrize("variant", SHAPES)
def test_shapes_masks_and_games(variant):
    actions, shape = SHAPES[variant]
    game = shashki.Game(variant)
    assert (game.num_actions, game.observation_shape) == (actions, shape)
    assert len(game.plane_names) == shape[0]
    rng = np.random.default_rng(1)
    while game.outcome is None:
        mask = game.action_mask()
        assert np.flatnonzero(mask).tolist() == [action for action, _, _ in game.hops()]
        observation = game.observation()
        assert observation.min() >= 0 and observation.max() <= 1
        again = shashki.Game(variant, fen=game.fen())
        assert again.fen() == game.fen() and again.hops() == game.hops()
        stored = shashki.Game(variant)
        stored.set_state(game.get_state())
        assert stored == game
        game.play_hop(int(rng.choice(np.flatnonzero(mask))))
    assert not game.action_mask().any() and game.turns() == []
    assert game.svg().count("<title>") == 8 * shape[2]
    assert all(set(tower) <= set("wWbB") for tower in game.pieces().values())


@pytest.mark.parametrize("variant", SHAPES)
def test_turns_told_replay_the_game(variant):
    game = shashki.Game(variant)
    rng = np.random.default_rng(2)
    while game.outcome is None and game.turns_played < 40:
        game.play_hop(int(rng.choice(np.flatnonzero(game.action_mask()))))
    again = shashki.Game(variant)
    for turn in game.history:
        assert again.play(turn) == turn
    assert again.history == game.history


@pytest.mark.parametrize("variant", SHAPES)
def test_batches_play(variant):
    venv = shashki.VecEnv(variant, num_envs=16, seed=3)
    batch = venv.reset()
    over = 0
    for _ in range(400):
        batch = venv.step(venv.random_actions())
        over += int(batch.terminated.sum())
        assert (np.abs(batch.reward.sum(axis=1)) == 0).all()
    assert over > 0 or variant.startswith("vigman")


@pytest.mark.parametrize("variant", SHAPES)
def test_gymnasium_accepts_each(variant):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env = gymnasium.make(IDS[variant], opponent="random", max_turns=200)
        check_env(env.unwrapped)
    assert env.action_space.n == SHAPES[variant][0]
    picture = gymnasium.make(IDS[variant], opponent="random", render_mode="rgb_array")
    picture.reset(seed=1)
    pixels = picture.render()
    assert pixels.shape == (8 * 32, SHAPES[variant][1][2] * 32, 3)
    assert (pixels[-16, 16] == (250, 250, 250)).all(), "White's man on a1"


@pytest.mark.parametrize("variant", SHAPES)
def test_players_play_each(variant):
    result = shashki.arena(
        "alphabeta:depth=2", "random", variant=variant, games=4, max_turns=60, seed=1
    )
    assert result["games"] == 4 and result["variant"] == variant
    player = shashki.load_player("rollout:visits=20", variant=variant)
    thought = player.analyse(shashki.Game(variant))
    assert thought["best"] in shashki.Game(variant).turns()


def test_arrows_point_at_turns():
    game = shashki.Game("vigman")
    game.play("a3-b4/b3-a4")
    picture = game.svg(arrows=["a7-b6/b7-c6"])
    assert picture.count("<polyline") == 2 and picture.count('fill-opacity="0.45"') == 4
    with pytest.raises(ValueError, match="nonsense"):
        game.svg(arrows=["nonsense"])


def test_draw_rules_are_refused_where_a_variant_lacks_them():
    with pytest.raises(ValueError, match="lidraughts"):
        shashki.Game("bashni", draws="lidraughts")
    assert shashki.Game("poddavki", draws="russian").turns()
