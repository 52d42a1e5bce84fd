"""One agent against an opponent, as a Gymnasium environment.

| | |
|---|---|
| Ids | ``shashki/Russian-v0``, and so for each of ``shashki.VARIANTS`` |
| Agent | one, White or Black; the opponent's whole reply happens inside ``step`` |
| Action | ``Discrete(A)``: the number of a hop, the board turned for Black |
| Observation | ``Box(0, 1, (C, H, W), float32)``, seen by the side to move |
| Reward | 0 until the game ends, then +1, 0 or -1 for the agent |

In Russian draughts A is 280 and the observation (8, 8, 8). Other ids are ``shashki/Poddavki-v0``,
``Bashni-v0``, ``BashniIm-v0``, ``Spantsireti-v0``, ``Vigman-v0`` and ``VigmanFree-v0``.

Planes, row 0 being the mover's first rank (towers and two boards have more of them; a game's
``plane_names`` lists them): own men, own kings, the other's men, the other's
kings, the piece that must go on jumping, the pieces jumped in this chain and still standing, plies
over limit of the nearest draw (in sixteenths), earlier occurrences of the position over 2. While
the agent is to move the mover is the agent; a last position is seen by whoever would have moved.

A hop is a step or one jump. A longer capture is several actions in a row: between them the opponent
does not move, the mask allows only the jumping piece, and its square is in the observation.

``info["action_mask"]`` (int8) and ``env.action_masks()`` (bool) mark the legal hops; all are zero
when the game is over. ``info["outcome"]`` is ``None`` until the game is over, then an ``Outcome``.

A draw by rule is ``terminated``; ``truncated`` comes only of ``max_turns``.

Version history: v0, the first.
"""

import operator
from collections.abc import Callable, Mapping
from typing import Any, Literal, SupportsIndex, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from shashki import _core

Opponent: TypeAlias = str | _core.Player | Callable[[_core.Game], SupportsIndex]
"""A player's text, a loaded player, or a callable that answers the number of a hop."""

Observation: TypeAlias = npt.NDArray[np.float32]

_SIDES = ("white", "black")
_CELL = 32
_COLOURS = {"w": (250, 250, 250), "b": (48, 48, 48)}


class DraughtsEnv(gymnasium.Env[Observation, np.int64]):
    """One agent against an opponent; the module's page describes it."""

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 2}

    def __init__(
        self,
        variant: str = "russian",
        opponent: Opponent = "random",
        side: Literal["white", "black", "random"] = "random",
        illegal_action: Literal["lose", "raise"] = "lose",
        draws: str = "official",
        max_turns: int | None = None,
        render_mode: Literal["ansi", "rgb_array"] | None = None,
    ) -> None:
        """Prepare an environment.

        Args:
            variant: What is played, one of ``shashki.VARIANTS``.
            opponent: A player's text (``"random"``, ``"alphabeta:depth=4"``), a ``shashki.Player``,
                or a callable ``f(game) -> action``, asked until its turn is over.
            side: The agent's side; ``"random"`` draws it anew at each reset.
            illegal_action: ``"lose"`` ends the game with reward -1, ``info["illegal_action"]`` and
                one warning; ``"raise"`` raises ``ValueError`` and nothing moves.
            draws: The draw rules: ``"official"``, ``"basic"``, ``"lidraughts"`` or ``"russian"``.
            max_turns: Turns of both sides after which a game is truncated, at least 2.
            render_mode: ``"ansi"`` for text, ``"rgb_array"`` for a picture, seen from White's side.
        """
        if side not in (*_SIDES, "random"):
            raise ValueError(f"side {side!r}: expected one of white, black, random")
        if illegal_action not in ("lose", "raise"):
            raise ValueError(f"illegal_action {illegal_action!r}: expected lose or raise")
        if max_turns is not None:
            max_turns = _whole("max_turns", max_turns)
            if max_turns < 2:
                raise ValueError(f"max_turns {max_turns!r}: expected at least 2")
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"render_mode {render_mode!r}: expected ansi or rgb_array")
        self._fresh = _core.Game(variant, draws=draws)
        self._game = self._fresh.copy()
        self._player: _core.Player | None = None
        self._callable: Callable[[_core.Game], SupportsIndex] | None = None
        if isinstance(opponent, str):
            self._player = _core.load_player(opponent, variant)
        elif isinstance(opponent, _core.Player):
            self._player = opponent
        elif callable(opponent):
            self._callable = opponent
        else:
            raise ValueError(f"opponent {opponent!r}: expected a player's text or a callable")
        self._side = side
        self._agent = "white"
        self._illegal_action = illegal_action
        self._max_turns = max_turns
        self._outcome: _core.Outcome | None = None
        # Not before the first reset, nor after an opponent that raised in mid reply.
        self._ready = False
        self._warned = False
        self.render_mode = render_mode
        self.observation_space = spaces.Box(0.0, 1.0, self._fresh.observation_shape, np.float32)
        self.action_space = spaces.Discrete(self._fresh.num_actions)

    @property
    def game(self) -> _core.Game:
        """A copy of the game as it stands."""
        return self._game.copy()

    @property
    def agent(self) -> str:
        """The agent's side in this game, ``"white"`` or ``"black"``."""
        return self._agent

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a game; where the agent has Black, the opponent plays White's first turn.

        Args:
            seed: Seeds the sides drawn by lot and the opponent's chance.
            options: ``{"fen": …}`` begins from that position instead of the start,
                ``{"side": "white" | "black"}`` gives the agent that side in this game.

        Raises:
            TypeError: If the options are no dict.
            ValueError: If an option makes no sense (then nothing has changed), or the opponent's
                first turn ends the game.
        """
        options = {} if options is None else options
        if not isinstance(options, Mapping):
            raise TypeError(f"options {options!r}: expected a dict")
        if unknown := [repr(option) for option in options if option not in ("fen", "side")]:
            raise ValueError(f"options {', '.join(unknown)}: expected 'fen' or 'side'")
        game = self._fresh.copy()
        if (fen := options.get("fen")) is not None:
            game = _core.Game(self._fresh.variant, fen=fen, draws=self._fresh.draws)
            if game.outcome is not None:
                raise ValueError(f"fen {fen!r}: expected a game that is not over")
        side = options.get("side", self._side)
        if side not in (*_SIDES, "random"):
            raise ValueError(f"side {side!r}: expected one of white, black, random")
        super().reset(seed=seed)
        self._ready = False
        self._game = game
        self._agent = _SIDES[int(self.np_random.integers(2))] if side == "random" else side
        self._outcome = None
        if self._player is not None:
            self._player.new_game()
            self._player.seed(int(self.np_random.integers(2**63)))
        self._reply()
        if self._outcome is not None:
            raise ValueError(
                f"fen {fen!r}: expected a game that goes on; it is over: {self._outcome}"
            )
        self._ready = True
        return self._game.observation(), self._info()

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play one hop, and the opponent's turn when the agent's is over.

        Args:
            action: The number of the hop.

        Raises:
            ResetNeeded: If the game is over or not begun, or the opponent raised in mid reply.
            TypeError: If the action is no whole number; then nothing has moved.
            ValueError: If the action is illegal, where that is not a loss; then nothing has moved.
        """
        if not self._ready:
            raise gymnasium.error.ResetNeeded("there is no game to go on with; reset it first")
        if self._outcome is not None:
            raise gymnasium.error.ResetNeeded(f"the game is over ({self._outcome}); reset it first")
        action = _whole("action", action)
        if self._illegal_action == "lose" and not self._is_legal(action):
            return self._lose(action)
        self._game.play_hop(action)
        self._ready = False
        self._reply()
        self._ready = True
        reward = 0.0
        if self._outcome is not None and self._outcome.winner is not None:
            reward = 1.0 if self._outcome.winner == self._agent else -1.0
        truncated = self._outcome is not None and self._outcome.reason == "turn limit"
        terminated = self._outcome is not None and not truncated
        return self._game.observation(), reward, terminated, truncated, self._info()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The legal hops, as the maskable agents of other libraries ask for them."""
        return self._mask().astype(np.bool_)

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """The board as text or picture, by ``render_mode``."""
        if self.render_mode == "ansi":
            return str(self._game)
        if self.render_mode == "rgb_array":
            return _picture(self._game)
        return None

    def _reply(self) -> None:
        """Let the opponent play until the agent moves or the game is over."""
        self._settle()
        while self._outcome is None and self._game.side != self._agent:
            if self._callable is not None:
                self._game.play_hop(self._callable(self._game.copy()))
            elif self._player is not None:
                self._game.play(self._player.choose(self._game))
            self._settle()

    def _settle(self) -> None:
        """See whether the game is over, by the rules or by the limit of turns."""
        self._outcome = self._game.outcome
        limit = self._max_turns
        if self._outcome is None and limit is not None and self._game.turns_played >= limit:
            self._outcome = _core.Outcome(None, "turn limit")

    def _is_legal(self, action: int) -> bool:
        return bool(0 <= action < self._fresh.num_actions and self._mask()[action])

    def _lose(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """End the game because the agent played an illegal hop."""
        if not self._warned:
            self._warned = True
            gymnasium.logger.warn(
                f"action {action} is not legal in {self._game.fen()}: the game is lost; "
                'sample with info["action_mask"], or make the env with illegal_action="raise"'
            )
        self._outcome = _core.Outcome("black" if self._agent == "white" else "white", "illegal")
        info = self._info()
        info["illegal_action"] = action
        return self._game.observation(), -1.0, True, False, info

    def _mask(self) -> npt.NDArray[np.int8]:
        if self._outcome is not None or not self._ready:
            return np.zeros(self._fresh.num_actions, np.int8)
        return self._game.action_mask()

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._mask(), "outcome": self._outcome, "side": self._agent}


def _whole(name: str, value: object) -> int:
    """A whole number: an int of any kind, Python's or numpy's, but no truth value and no float."""
    if not isinstance(value, bool | np.bool_):
        try:
            return operator.index(value)  # type: ignore[arg-type]
        except TypeError:
            pass
    raise TypeError(f"{name} {value!r:.200}: expected a whole number")


def _picture(game: _core.Game) -> npt.NDArray[np.uint8]:
    """The board as pixels. Of a tower the pieces below the top are stripes at the lower edge."""
    _, height, width = game.observation_shape
    files = "abcdefghik"
    across = np.arange(_CELL) - (_CELL - 1) / 2
    distance = np.hypot(across[:, None], across[None, :])
    picture = np.empty((height * _CELL, width * _CELL, 3), np.uint8)
    pieces = game.pieces()
    for rank in range(height):
        for file in range(width):
            dark = (rank + file) % 2 == 0
            cell = np.full((_CELL, _CELL, 3), (138, 106, 74) if dark else (236, 220, 192), np.uint8)
            tower = pieces.get(f"{files[file]}{rank + 1}", "")
            top, below = tower[:1], tower[1:]
            if top:
                cell[distance < 0.4 * _CELL] = _COLOURS[top.lower()]
            if top.isupper():
                cell[(distance > 0.15 * _CELL) & (distance < 0.25 * _CELL)] = (208, 144, 32)
            for layer, piece in enumerate(reversed(below[: _CELL // 3])):
                cell[_CELL - 2 * layer - 2 : _CELL - 2 * layer, 2:-2] = _COLOURS[piece.lower()]
            y = (height - 1 - rank) * _CELL
            picture[y : y + _CELL, file * _CELL : (file + 1) * _CELL] = cell
    return picture


def register_envs() -> None:
    """Register an environment for each variant: ``shashki/Russian-v0``."""
    for variant in _core.VARIANTS:
        name = "".join(part.capitalize() for part in variant.split("-"))
        gymnasium.register(
            id=f"shashki/{name}-v0",
            entry_point="shashki.gymnasium:DraughtsEnv",
            kwargs={"variant": variant},
        )
