"""Russian draughts and its kin as a training environment: games, batches, players, training.

Where gymnasium is installed, importing this package registers its environments
(``shashki/Russian-v0``, and so for every variant).
"""

from importlib.util import find_spec as _find_spec

from shashki._core import (
    VARIANTS,
    Batch,
    Game,
    Outcome,
    PdnGame,
    PdnReader,
    Player,
    VecEnv,
    __version__,
    arena,
    load_player,
    read_pdn,
    train,
)

__all__ = [
    "VARIANTS",
    "Batch",
    "Game",
    "Outcome",
    "PdnGame",
    "PdnReader",
    "Player",
    "VecEnv",
    "__version__",
    "arena",
    "load_player",
    "read_pdn",
    "train",
]

if _find_spec("gymnasium") is not None:
    from shashki.gymnasium import register_envs as _register_envs

    _register_envs()
