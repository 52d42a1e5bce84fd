"""What the tests share."""

from collections.abc import Callable

import numpy as np
import pytest

import shashki


def random_hop(game: shashki.Game, rng: np.random.Generator) -> int:
    """A legal hop's number, drawn by lot."""
    return int(rng.choice(np.flatnonzero(game.action_mask())))


@pytest.fixture
def play_random() -> Callable[[shashki.Game, int, int], shashki.Game]:
    """Plays random hops from a seed until the game is over or enough are played."""

    def play(game: shashki.Game, hops: int, seed: int) -> shashki.Game:
        rng = np.random.default_rng(seed)
        for _ in range(hops):
            if game.outcome is not None:
                break
            game.play_hop(random_hop(game, rng))
        return game

    return play
